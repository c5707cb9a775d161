"""A key that Compose does not know.

## What it flags

A key of a Compose file (of a service, of `deploy`, `build`, `healthcheck` and so on, or at the top)
that the Compose specification does not have. Keys that begin with `x-` are everybody's own.

## Why it fails

Compose checks the whole file before it starts anything, and refuses it:

    validating /srv/job/compose.yaml: services.trainer additional properties 'enviroment' not allowed

Older releases say `services.trainer Additional property enviroment is not allowed`, docker-compose 1
`Unsupported config option for services.trainer: 'enviroment'`.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        enviroment:
          NCCL_DEBUG: WARN
        command: torchrun --standalone --nproc_per_node=2 train.py

Repair: the key that is meant.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          NCCL_DEBUG: WARN
        command: torchrun --standalone --nproc_per_node=2 train.py

## When to ignore it

When a newer Compose than this page knows of reads the file, and knows the key.

## References

- Compose specification, schema/compose-spec.json of compose-go 2.13.0; docker/docs#13237.
"""

from collections.abc import Iterator

from cfglint.compose.schema import Stray, refused
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, edit, near, repair

RULE = Rule(
    code="BOX010",
    name="compose-unknown-key",
    severity=ERROR,
    summary="a key that Compose does not know",
    fix="safe",
    kinds=("compose",),
    symptoms=(
        r"additional propert(?:y|ies) '(?P<key>[^']+)' not allowed",
        r"Additional property \S+ is not allowed",
        r"Unsupported config option for services\S*: '",
    ),
    cause="Compose refuses the whole file.",
    help="Write the key that is meant, or begin one of your own with x-.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The keys that Compose refuses, each once however often an anchor brings it in."""
    seen = set()
    for stray in refused(document.root):
        if isinstance(stray, Stray) and stray.entry.key.span not in seen:
            seen.add(stray.entry.key.span)
            yield _finding(document, stray)


def _finding(document: Document, stray: Stray) -> Finding:
    name, where = f"{stray.entry.name}", ".".join(stray.path) or "the file"
    meant = near(name, stray.fitting) or _begun(name, stray.fitting)
    free = meant is not None and meant not in stray.given
    change = edit.rename_key(document, stray.entry, meant) if meant and free else None
    return RULE.finding(
        document,
        stray.entry.key.span,
        f"{where} has no key {name}" + (f"; {meant} is meant" if meant else ""),
        help=None if meant else _home(name, stray),
        fix=repair(
            f"write {meant}", edit.everywhere(document, stray.entry.value, change), safe=True
        ),
        no_fix=f"{meant} is there as well" if meant and not free else "",
    )


def _begun(name: str, known: tuple[str, ...]) -> str | None:
    """The one key of which a name is the first word: `network` of `network_mode`."""
    word = name.replace("-", "_")
    longer = [one for one in known if one.startswith(f"{word}_")]
    return longer[0] if len(longer) == 1 else None


def _home(name: str, stray: Stray) -> str | None:
    """Where a key of this name belongs, where that can be one mapping only."""
    if len(stray.homes) != 1 or stray.homes[0] == stray.path:
        return None
    inside = ".".join(stray.homes[0])
    owner = "the service itself" if len(stray.path) > 1 else "the file"
    return f"{name} is a key of {inside or owner}."
