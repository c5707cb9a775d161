"""A key on the command line, behind the config, that LLaMA-Factory refuses.

## What it flags

In `llamafactory-cli train CONFIG ...`, and where a launcher starts LLaMA-Factory with a config:

- `key=value` with a key that the deployed versions do not take;
- flags (`--lora_rank 8`) behind a config: only `key=value` is read there;
- anything behind the config in releases before 0.9.3, which then do not read the config at all.

## Why it fails

What stands behind the config is merged into it. A flag becomes a key of its own, dashes and all:

    ValueError: Some keys are not used by the HfArgumentParser: ['--lora_rank', '8']

Releases before 0.9.3 take a config for one only where it stands alone:

    ValueError: Please provide `model_name_or_path`.

## Example

    === train.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    === run.sh
    llamafactory-cli train train.yaml learning_rat=2.0e-5

Repair: the key's name.

    === run.sh
    llamafactory-cli train train.yaml learning_rate=2.0e-5
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import Arguments, arguments, is_on
from cfglint.llamafactory.history import may_know
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Fix, Launch, Literal, Rule, Word, near, repair

RULE = Rule(
    code="LF011",
    name="lf-override",
    severity=ERROR,
    summary="a key behind the config on the command line that LLaMA-Factory refuses",
    fix="safe",
    symptoms=(r"Some keys are not used by the HfArgumentParser: \['--",),
    yields_to=("RUN006", "RUN007"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The words behind the config that a command names."""
    config = next((c for c in launch.configs if c.role == "llamafactory"), None)
    if config is None or config.document is None or launch.program is None:
        return
    given = arguments(config.document, project)
    words = list(launch.program.args)
    at = next((i for i, word in enumerate(words) if word.text == config.path), None)
    if given is None or at is None or is_on(given.environment("ALLOW_EXTRA_ARGS")):
        return
    for i, word in enumerate(words[at + 1 :], at + 2):
        found = _refused(given, launch, word, words[i] if i < len(words) else None)
        if found is not None:
            yield found
            if not given.release.table("overrides")[0]:
                return


def _refused(given: Arguments, launch: Launch, word: Word, behind: Word | None) -> Finding | None:
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
        why = f"takes no {name}"
        meant = near(name, set(given.section.keys))
        fix = _renamed(word, name, meant)
        severity = WARNING if not given.pinned and may_know(given, name) else ERROR
        help_ = f"Call it {meant}." if meant else "Take it out."
        says = f"Some keys are not used by the HfArgumentParser: ['{name}']"
    else:
        return None
    return RULE.finding(
        launch.document, word.span,
        f"{word.raw}: {given.llamafactory.title} {why} ({given.llamafactory.source})",
        severity=severity, cause=f'"ValueError: {says}"', help=help_, fix=fix,
    )  # fmt: skip


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
