"""What LLaMA-Factory objects to behind the config on its command line.

Source: LLaMA-Factory, hparams/parser.py: `read_args` (from 0.9.3 on it merges key=value of
OmegaConf into the config; before, a config is read only where it stands alone).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.llamafactory.arguments import Arguments, arguments, is_on
from cfglint.llamafactory.history import may_know
from cfglint.model.edit import Fix
from cfglint.model.launch import Launch, Word
from cfglint.model.values import Literal
from cfglint.releases.objection import Objection
from cfglint.rule import ERROR, WARNING, repair
from cfglint.spelling import near

if TYPE_CHECKING:
    from cfglint.project import Project


def of_overrides(launch: Launch, project: Project) -> Iterator[Objection]:
    """The words behind the config that a command names and that the release refuses; of one that
    takes none the first."""
    config = next((c for c in launch.configs if c.role == "llamafactory"), None)
    if config is None or config.document is None or launch.program is None:
        return
    given = arguments(config.document, project)
    words = list(launch.program.args)
    at = next((i for i, word in enumerate(words) if word.text == config.path), None)
    if given is None or at is None or is_on(given.environment("ALLOW_EXTRA_ARGS")):
        return
    for i, word in enumerate(words[at + 1 :], at + 2):
        found = _refused(given, project, word, words[i] if i < len(words) else None)
        if found is not None:
            yield found
            if not given.release.table("overrides")[0]:
                return


def _refused(
    given: Arguments, project: Project, word: Word, behind: Word | None
) -> Objection | None:
    name, sign, _ = word.raw.partition("=")
    flag = word.raw.startswith("--") and name[2:].replace("-", "_").isidentifier()
    severity, fix = ERROR, None
    if not flag and not (sign and name.isidentifier()):
        return None
    if not given.release.table("overrides")[0]:
        why = "reads a config only where nothing stands behind it"
        severity = ERROR if given.llamafactory.pinned else WARNING
        help_, says = "Write it into the config.", "Please provide `model_name_or_path`."
    elif flag:
        why = "reads no flags behind a config"
        help_ = f"Write {name[2:].replace('-', '_')}=value."
        fix = _as_override(given, word, behind)
        says = f"Some keys are not used by the HfArgumentParser: ['{name}']"
    elif name not in given.section.keys:
        from cfglint.llamafactory.vendored import takes_key

        if takes_key(given.document, project, name):
            return None
        why = f"takes no {name}"
        meant = near(name, set(given.section.keys))
        fix = _renamed(word, name, meant)
        severity = WARNING if not given.pinned and may_know(given, name) else ERROR
        help_ = f"Call it {meant}." if meant else "Take it out."
        says = f"Some keys are not used by the HfArgumentParser: ['{name}']"
    else:
        return None
    return Objection(
        word.span,
        f"{word.raw}: {given.llamafactory.title} {why} ({given.llamafactory.source})",
        cause=f'"ValueError: {says}"',
        help=help_,
        severity=severity,
        fix=fix,
    )


def _as_override(given: Arguments, word: Word, behind: Word | None) -> Fix | None:
    """`--key value` as `key=value`, where that is a key and its value is plain."""
    name, sign, value = (word.text or "").partition("=")
    key = name[2:].replace("-", "_")
    if key not in given.section.keys:
        return None
    if sign or behind is None or behind.raw.startswith("--"):
        text = f"{key}={value}" if sign else f"{key}=true"
        return repair(f"write {text}", word.place.write(Literal(text)), safe=True)
    if behind.text is None:
        return None
    text = f"{key}={behind.text}"
    edits = (word.place.write(Literal(text)), behind.place.remove())
    return repair(f"write {text}", *edits, safe=True)


def _renamed(word: Word, name: str, meant: str | None) -> Fix | None:
    if meant is None or word.text is None:
        return None
    text = meant + word.text.removeprefix(name)
    return repair(f"call it {meant}", word.place.write(Literal(text)), safe=True)
