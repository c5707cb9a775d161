"""LLaMA-Factory's arguments as flags on a command line: `llamafactory-cli train --stage sft ...`.

Source: transformers, hf_argparser.py (argparse with one option for each field, dashes taken for
underscores, `--no_x` for what is true by default); LLaMA-Factory, hparams/parser.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cfglint.llamafactory.arguments import UNKNOWN, Arguments, assemble
from cfglint.llamafactory.history import elsewhere
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Program
from cfglint.model.setting import Word
from cfglint.model.tree import Entry, Mapping, Node, Scalar
from cfglint.model.values import Literal, parse_int
from cfglint.programs import entrypoints
from cfglint.releases.data import Section, Spec
from cfglint.spelling import near

if TYPE_CHECKING:
    from cfglint.project import Project

_FORMS = {"train": "train", "chat": "infer", "api": "infer", "export": "export", "eval": "eval"}
_FLAG = re.compile(r"--([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_YES = ("yes", "true", "t", "y", "1")
_NO = ("no", "false", "f", "n", "0")
# Of these a train.py of another kind takes few.
_OWN = frozenset(
    ("stage", "finetuning_type", "dataset", "template", "dataset_dir", "cutoff_len", "lora_target",
     "overwrite_cache", "preprocessing_num_workers", "plot_loss")
)  # fmt: skip
_THREE = frozenset(("stage", "finetuning_type", "dataset"))
_SIGNS = 4


class FlagArguments(Arguments):
    """Arguments that stand on a command line. `words` holds each key's words, `of` the launch."""

    by_argparse = True
    NOUN = "argument"
    LEFT_OVER = "specified arguments"
    words: dict[str, list[Word]]
    of: Launch

    def written(self, key: str) -> str:
        """A key as messages quote it: the flag."""
        return f"'--{key}'"

    def renamed(self, entry: Entry, name: str) -> Edit | None:
        """The edit that calls a flag another name."""
        word = self.words[entry.name or ""][0]
        _, sign, value = (word.text or "").partition("=")
        return word.place.write(Literal(f"--{name}{sign}{value}"))

    def removed(self, entry: Entry) -> Edit | list[Edit] | None:
        """The edits that take a flag and its value away."""
        edits = [word.place.remove() for word in self.words[entry.name or ""]]
        found = [one for one in edits if one is not None]
        return found if len(found) == len(edits) else None

    def changed(self, entry: Entry, value: Any) -> Edit | None:
        """The edit that gives a flag another value."""
        words = self.words[entry.name or ""]
        text = str(value)
        if len(words) == 1 and "=" in (words[0].text or ""):
            return words[0].place.write(Literal(f"--{entry.name}={text}"))
        return words[1].place.write(Literal(text)) if len(words) == 2 else None

    def added(self, name: str, value: Any, after: Entry | None) -> Edit | None:
        """None: where a flag would go is not the model's to say."""
        return None

    def users(self) -> list[Launch]:
        """The command itself."""
        return [self.of]

    def search(self) -> bool:
        """Nothing else decides over a command line."""
        return True

    def deepspeed(self) -> list[Node | None]:
        """What the DeepSpeed configs hold that the command names."""
        found = [c.document for c in self.of.configs if c.role == "deepspeed"]
        return [document.root for document in found if document is not None]


def takes_flags(launch: Launch) -> bool:
    """Whether a command gives LLaMA-Factory its arguments as flags."""
    program = launch.program
    if program is None or _form(program) is None:
        return False
    names = {match[1].replace("-", "_") for _, match in _flags(program)}
    many = "stage" in names and len(names & _OWN) >= _SIGNS
    sure = many or names >= _THREE or entrypoints.is_llamafactory_command(program)
    return sure and "model_name_or_path" in names


def flags(launch: Launch, project: Project) -> FlagArguments | None:
    """The arguments that a command gives as flags, None where it gives none that way, or where it
    cannot be seen whether it gives more."""

    def make() -> FlagArguments | None:
        return _make(launch, project) if takes_flags(launch) else None

    made: FlagArguments | None = project.fact(("flags", id(launch)), make)
    return made


def _form(program: Program) -> str | None:
    if entrypoints.is_llamafactory_command(program):
        return _FORMS.get(entrypoints.subcommand(program) or "")
    # train_bash.py is older than the releases whose arguments are known
    is_script = entrypoints.is_llamafactory_script(program)
    return "train" if is_script and entrypoints.name(program) != "train_bash.py" else None


def _flags(program: Program) -> Iterator[tuple[int, re.Match[str]]]:
    for i, word in enumerate(program.args):
        text = word.text if word.text is not None else word.raw
        match = _FLAG.fullmatch(text)
        if match:
            yield i, match


def _make(launch: Launch, project: Project) -> FlagArguments | None:
    program = launch.program
    form = _form(program) if program is not None else None
    if program is None or form is None:
        return None
    root = Mapping(launch.span.start, launch.span.end, flow=False)
    made = assemble(FlagArguments, launch.document, project, root, form)
    made.of, made.words, made.given = launch, {}, {}
    words = list(program.args)
    places = list(_flags(program))
    ends = [i for i, _ in places[1:]] + [len(words)]
    first = places[0][0]
    if any(word.text is None for word in words[:first]):
        return None
    for (i, match), end in zip(places, ends, strict=True):
        values = words[i + 1 : end]
        if len(values) > 1 and any(word.text is None for word in values):
            return None  # `$ARGS` can hold any number of flags
        key = _key(made.section, match[1].replace("-", "_"))
        if key is None:
            return None
        name, value = key
        spec = made.spec(name)
        if match[2] is not None:
            texts: list[str | None] = [match[2] if words[i].text is not None else None]
        else:
            texts = [word.text for word in values]
        if value is None:
            value = _typed(spec, texts)
        made.given[name] = value
        made.words[name] = [words[i], *values]
        place = values[0].span if values else words[i].span
        node = Scalar(place.start, place.end, texts[0] or "" if texts else "true", "'")
        word = words[i].span
        root.entries.append(Entry(Scalar(word.start, word.end, name), node))
    return None if _is_of_fork(made) else made


def _is_of_fork(given: FlagArguments) -> bool:
    """Whether several flags are of no release, nor misspelt: a fork of LLaMA-Factory takes them, or
    another program."""
    taken = set(given.section.keys)
    strange = [key for key in given.given if key not in taken]
    strange = [key for key in strange if elsewhere(given, key) is None and not near(key, taken)]
    stage, spec = given.given.get("stage"), given.spec("stage")
    stages = [str(choice) for choice in spec.choices] if spec is not None else []
    if isinstance(stage, str) and stages and stage not in stages and not near(stage, stages):
        strange.append("stage")
    return len(strange) > 1


def _key(section: Section, name: str) -> tuple[str, Any] | None:
    """The key that a flag sets, with the value that the flag itself says (None: what follows
    does); None where several keys begin like it."""
    if name in section.keys:
        return name, None
    if name.startswith("no_") and name[3:] in section.keys:
        return name[3:], False
    longer = [key for key in section.keys if key.startswith(name)]
    if len(longer) > 1:
        return None
    return (longer[0] if longer else name), None


def _typed(spec: Spec | None, texts: list[str | None]) -> Any:
    """A value as argparse makes it of the words behind a flag; UNKNOWN for one that it refuses."""
    if any(text is None for text in texts):
        return UNKNOWN
    known = [text for text in texts if text is not None]
    types = set(spec.types) if spec is not None else set()
    if "list" in types and len(known) > 1:
        return known
    if len(known) > 1:
        return UNKNOWN
    text = known[0] if known else None
    if types & {"int", "number"} and text is not None:
        return _number(text, types)
    if "bool" in types and (text is None or text.lower() in (*_YES, *_NO)):
        return text is None or text.lower() in _YES
    if text is None:
        return UNKNOWN if spec is not None else True
    return text if "str" in types or spec is None else UNKNOWN


def _number(text: str, types: set[str]) -> Any:
    whole = parse_int(text)
    if whole is not None:
        return whole
    try:
        return float(text) if "number" in types else UNKNOWN
    except ValueError:
        return text if "str" in types else UNKNOWN
