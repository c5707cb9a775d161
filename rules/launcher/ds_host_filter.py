"""Hosts or GPUs for deepspeed to include or leave out that it cannot make sense of.

## What it flags

`--include` and `--exclude` of `deepspeed` with something else than `HOST:SLOT,SLOT` (hosts joined by
`@`): a range of GPUs, GPUs without a host, a host that the hostfile does not list, a slot that the
hostfile does not give the host. Releases from 0.15.4 to 0.19.6 did not look at the slots. Without a
hostfile at hand other hosts than `localhost` are left alone: the machine may have `/job/hostfile`.

## Why it fails

    ValueError: Hostname 'worker-3' not found in hostfile
    ValueError: No slot '8' specified on host 'worker-1'
    ValueError: invalid literal for int() with base 10: '0-3'

## Example

    deepspeed --include localhost:0-3 train.py --deepspeed_config ds.json

Repair: each GPU by its number.

    deepspeed --include localhost:0,1,2,3 train.py --deepspeed_config ds.json

## References

- DeepSpeed, `launcher/runner.py`: parse_resource_filter, parse_node_config.
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="RUN019",
    name="ds-host-filter",
    severity=ERROR,
    summary="hosts or GPUs to include that deepspeed does not know",
    fix="safe",
    symptoms=(
        r"Hostname '(?P<host>[^']*)' not found in hostfile",
        r"No slot '(?P<value>\d+)' specified on host",
        r"invalid literal for int\(\) with base 10: '(?P<value>[^']*)'",
    ),
    cause="The launcher stops before it starts anything.",
    help="Write HOST:SLOT,SLOT for each host, joined by @.",
)
_RANGE = re.compile(r"(\d{1,2})-(\d{1,2})")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each option that picks hosts and GPUs."""
    given = launch.command.given if launch.command is not None else {}
    if launch.launcher != "deepspeed":
        return
    for name in ("include", "exclude"):
        setting = given.get(name)
        text = setting.text or "" if setting is not None else ""
        parts = text.split("@")
        for spec in filter(None, parts):
            wrong = _wrong(launch, project, spec)
            if wrong is not None and setting is not None:
                better = _written(spec)
                whole = [better or part if part == spec else part for part in parts]
                edit = setting.write("@".join(whole)) if better else None
                fix = repair(f"write {better}", edit, safe=True)
                yield RULE.at(setting, f"--{name}: {wrong}", fix=fix)
                break


def _wrong(launch: Launch, project: Project, spec: str) -> str | None:
    host, sign, slots = spec.partition(":")
    if not sign and re.fullmatch(r"[\d,-]+", host):
        return f"{spec} names no host"
    if ":" in slots:
        return f"{spec} has two colons"
    numbers = slots.split(",") if sign else []
    strange = next((n for n in numbers if not n.strip().isdigit()), None)
    if strange is not None:
        return f"'{strange}' is no number of a GPU"
    reference = next((c for c in launch.configs if c.role == "hostfile"), None)
    if reference is None or reference.document is None:
        return None
    tree = reference.document.tree
    hosts, bad = getattr(tree, "hosts", ()), getattr(tree, "bad", ())
    if not hosts or bad:
        return None
    listed = next((h for h in hosts if h.name == host), None)
    if listed is None:
        return f"the hostfile has no {host}"
    version = project.versions(launch.document, "deepspeed")
    looks = not version.pinned or version.before("0.15.4") or not version.before("0.19.7")
    beyond = next((n for n in numbers if int(n) >= listed.slots), None)
    if beyond is not None and looks:
        return f"{host} has {listed.slots} slots, the last is {listed.slots - 1}"
    return None


def _written(spec: str) -> str | None:
    """The GPUs of this machine, and ranges of them, as deepspeed reads them; None for others."""
    host, sign, slots = spec.partition(":")
    if not sign:
        host, slots = "localhost", spec
    numbers: list[str] = []
    for item in slots.split(","):
        ends = _RANGE.fullmatch(item)
        numbers += map(str, range(int(ends[1]), int(ends[2]) + 1)) if ends else [item]
    return f"{host}:{','.join(numbers)}" if all(n.isdigit() for n in numbers) else None
