"""A key, token or password written out in a file.

## What it flags

A literal value of a variable called like a secret (`*_TOKEN`, `*_API_KEY`, `*_SECRET`,
`*PASSWORD`), and anything of the shape of a known token (`hf_...`, `sk-...`, `ghp_...`,
`AKIA...`). Variables (`${HF_TOKEN}`), placeholders and paths are left alone. It is an error in a
Dockerfile's ENV or ARG, a warning elsewhere.

## Why it fails

A file of a repository is read by more people than a token is meant for, and stays in its history.
In a Dockerfile the value also stays in the image: `docker history` shows it to whoever can pull
it.

No output of cfglint shows the value.

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    ENV HF_TOKEN=hf_q8ZkPvT2mXwRy5LbNcDs7JhGf4Ae9Ku1Qo

Repair: give it to the container that needs it, when it starts.

    FROM nvcr.io/nvidia/pytorch:24.10-py3

## Repairs

A script takes the value from its own environment (`${HF_TOKEN:?}`), and hands it to a container that
reads it with `-e HF_TOKEN`; a workflow from `secrets.HF_TOKEN`; a pod from a Secret by `secretKeyRef`:
the one that the file names, or one of the variable's name, which somebody has to make. What runs on
another machine by ssh gets none of the caller's variables and is left alone. A word of a command
becomes `"${HF_TOKEN:?}"`, a key of a config goes, since the libraries read the environment by
themselves, and so does the default of a build argument.

## When to ignore it

When the value is no secret. One that was published must be revoked, not only removed.

## References

- Docker: build secrets. Compose: secrets, variable interpolation.
"""

from collections.abc import Iterator

from cfglint.masking import is_literal_in_code, secrets
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Finding,
    Fix,
    Launch,
    Rule,
    Setting,
    Span,
    Variable,
    repair,
)

RULE = Rule(
    code="SEC001",
    name="secret-in-config",
    severity=WARNING,
    summary="a key, token or password written out in a file",
    fix="unsafe",
    cause="Whoever reads the repository, or pulls the image, has it.",
    help="Hand it over when the job starts, and revoke the one that was published.",
)
_IN_POD = "Name a Secret with valueFrom.secretKeyRef, and revoke the one that was published."
_INHERITING = ("makefile", "justfile", "notebook")  # what starts them hands on its variables
# Such a file is the place for it; it only has to stay out of the repository.
_ENV_FILES = ("dotenv", "deepspeed-env")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    found = secrets(document.source.text)
    if not found or not document.given:
        return
    settings = project.fact("settings at", lambda: _settings(project))
    for span in found:
        if document.kind == "notebook" and not is_literal_in_code(document.source.text, span):
            continue
        setting, launch = _at(settings.get(document.path, []), span)
        baked = document.kind == "dockerfile"
        name = f"{setting.key} holds" if setting else "here stands"
        where = "stays in the image's history" if baked else "is in plain sight"
        fix = None
        if setting is not None and document.kind not in _ENV_FILES:
            fix = _fix(setting, launch, span, baked)
        elif setting is None:
            from cfglint.environment import plain_secrets  # here: few files have one

            fix = plain_secrets.in_place(document, span)
        yield RULE.finding(
            document,
            span,
            f"{name} what looks like a secret, which {where}",
            severity=ERROR if baked else WARNING,
            help=_IN_POD if document.kind == "kubernetes" else RULE.help,
            fix=fix,
        )


def _settings(project: Project) -> dict[str, list[tuple[Setting, Launch | None]]]:
    """The variables of all launches, steps and pods by the document they stand in."""
    table: dict[str, list[tuple[Setting, Launch | None]]] = {}
    for launch in project.launches:
        for setting in launch.env.values():
            table.setdefault(setting.document.path, []).append((setting, launch))
    for document in project.documents:
        for setting in document.variables() if document.variables is not None else ():
            table.setdefault(document.path, []).append((setting, None))
    return table


def _at(
    settings: list[tuple[Setting, Launch | None]], span: Span
) -> tuple[Setting | None, Launch | None]:
    for setting, launch in settings:
        if setting.span.start <= span.start and span.end <= setting.span.end:
            return setting, launch
    return None, None


def _fix(setting: Setting, launch: Launch | None, span: Span, baked: bool) -> Fix | None:
    text = setting.text
    if text is not None and text != setting.document.source.slice(span):
        return None  # there is more in the value
    if baked:
        return repair(f"remove {setting.key} from the image", setting.remove())
    kept = setting.keep_secret()
    if kept is not None:
        where = "the repository's secrets" if setting.document.kind == "workflow" else "a Secret"
        return repair(f"take it from {where}", kept)
    from cfglint.environment import handing

    handed = handing.edits(launch, setting) if launch is not None else None
    if launch is None and setting.document.kind == "compose":
        handed = []  # Compose itself fills in what its caller has
    if handed is None:
        return None
    if setting.document.kind == "workflow":
        kept = setting.write(f"${{{{ secrets.{setting.key} }}}}")
        return repair("take it from the repository's secrets", kept)
    edit = setting.write(Variable(setting.key, None, ":?"))
    if edit is None and (handed or setting.document.kind in _INHERITING):
        edit = setting.remove()
    return repair("take it from the environment", edit, *handed)
