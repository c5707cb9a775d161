"""The port register: which job, on which host, uses which port, and which of them clash."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.launch import Launch
from cfglint.model.values import Value, default_literal, parse_int, possible
from cfglint.record import dataclass
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.show.model import Job, jobs
from cfglint.show.placing import overlaps
from cfglint.show.values import describe, where
from cfglint.text import Span
from cfglint.wording import many

ANY_HOST = "any host"
LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::")
RENDEZVOUS, PUBLISHED, SSH = "rendezvous", "published", "ssh"
# Rules whose finding says that two uses of a port do meet.
CLASH_RULES = ("port-collision",)


@dataclass(slots=True)
class Entry:
    """One use of a port. `number` is None where the files leave the port open, or let one be found.

    `mark`: "clash" (two uses meet on one host at one time), "shared" (the same number in another
    job: only one of them can run on a host at a time), or "".
    """

    port: str
    number: int | None
    host: str
    use: str
    job: Job
    launch: Launch
    document: Document
    span: Span
    note: str = ""
    host_known: bool = False
    mark: str = ""
    other: Entry | None = None

    @property
    def source(self) -> str:
        """Where the port is written, or the launch whose default it is."""
        return where(self.document, self.span)

    @property
    def remark(self) -> str:
        """What the mark means."""
        if not self.mark:
            return self.note
        if self.other is None:
            return "clashes with itself"
        word = "clashes with" if self.mark == "clash" else "also in"
        return f"{word} job {self.other.job.number}"


@dataclass(slots=True)
class Register:
    """Every use of a port in the given files, by number."""

    entries: list[Entry]

    @property
    def clashes(self) -> int:
        """How many ports clash."""
        return len({entry.number for entry in self.entries if entry.mark == "clash"})

    @property
    def summary(self) -> str:
        """One line for people."""
        if not self.entries:
            return "No launch in these files uses a port."
        numbers = {entry.number for entry in self.entries if entry.number}
        shared = {entry.number for entry in self.entries if entry.mark == "shared"}
        parts = [f"{many(len(numbers), 'fixed port')} in {many(len(self.entries), 'use')}"]
        if self.clashes:
            parts.append(f"{self.clashes} with a clash")
        if shared:
            parts.append(f"{len(shared)} in several jobs, one of which can run on a host at a time")
        return "; ".join(parts) + "."


def register(result: Result) -> Register:
    """The register of a run's files."""
    entries: dict[tuple[object, ...], Entry] = {}
    for job in jobs(result):
        for node in job.nodes:
            for entry in _entries(job, node.launch):
                key = (entry.port, entry.host, entry.use, entry.source, job.number)
                entries.setdefault(key, entry)
    every = list(entries.values())
    _mark(every)
    _mark_found(every, result.findings)
    every.sort(key=lambda e: (e.number is None, e.number or 0, e.host, e.job.number, e.source))
    return Register(every)


def _entries(job: Job, launch: Launch) -> Iterator[Entry]:
    own = launch.port
    host, known = _host(launch)
    if own is not None:
        entry = _entry(own.value, host, RENDEZVOUS, job, launch, own.document, own.span)
        entry.host_known = known
        yield entry
    elif launch is job.nodes[0].launch:
        # Nobody names a port: the launcher's own, which the job's facts tell.
        fact = next((f for f in job.facts if f.name == "port"), None)
        if fact is not None:
            number = parse_int(fact.value) or None
            place = (launch.document, launch.span)
            yield Entry(fact.value, number, host, RENDEZVOUS, job, launch, *place, fact.note, known)
    for port in launch.network.ports:
        if launch.network.mode != "host" and port.host is not None:
            address = port.host_ip or "all addresses of the host"
            use = f"{PUBLISHED}, to {port.container}"
            place = (port.document or launch.document, port.span)
            yield Entry(str(port.host), port.host, address, use, job, launch, *place)
    ssh = launch.get("ssh_port")
    if ssh is not None:
        yield _entry(ssh.value, "every node", SSH, job, launch, ssh.document, ssh.span)


def _entry(
    value: Value, host: str, use: str, job: Job, launch: Launch, document: Document, span: Span
) -> Entry:
    number = next((n for text in possible(value) if (n := parse_int(text)) is not None), None)
    text = "a free one" if number == 0 else describe(value)[0]
    return Entry(text, number or None, host, use, job, launch, document, span)


def _host(launch: Launch) -> tuple[str, bool]:
    """The host whose port it is, the one with rank 0, and whether it is known for sure."""
    if launch.network.is_private_bridge and launch.container is not None:
        return f"container {launch.container.name}", True
    if launch.host:
        return launch.host, True
    if launch.address is not None and default_literal(launch.address.value) not in LOOPBACK:
        text, _ = describe(launch.address.value)
        return text, launch.address.text is not None
    return ANY_HOST, False


def _mark(entries: list[Entry]) -> None:
    """Mark what one file publishes twice, and what several jobs use."""
    by_number: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.number is not None and entry.use != SSH:
            by_number[entry.number].append(entry)
    for group in by_number.values():
        for entry in group:
            for other in group:
                if other.launch is entry.launch:
                    continue
                if _both_published(entry, other):
                    entry.mark, entry.other = "clash", other
                elif not entry.mark and other.job is not entry.job and _may_meet(entry, other):
                    entry.mark, entry.other = "shared", other


def _both_published(one: Entry, other: Entry) -> bool:
    """Whether one Compose project publishes a port of one address twice: the second fails."""
    published = one.use.startswith(PUBLISHED) and other.use.startswith(PUBLISHED)
    return published and one.document in other.document.unit and one.host == other.host


def _may_meet(one: Entry, other: Entry) -> bool:
    """Whether two uses can be on one host: not where both hosts are known and differ, and not
    inside the network of a container."""
    if "container " in (one.host[:10], other.host[:10]):
        return False
    published = one.use.startswith(PUBLISHED) or other.use.startswith(PUBLISHED)
    return published or one.host == other.host or not (one.host_known and other.host_known)


def _mark_found(entries: list[Entry], findings: list[Finding]) -> None:
    """Mark what a rule says of two launches that run at one time."""
    for finding in findings:
        if finding.rule.name not in CLASH_RULES:
            continue
        later = [e for e in entries if _is_at(e, finding.document, finding.span)]
        for related in finding.related or ():
            for entry in later:
                for other in entries:
                    if other.launch is entry.launch or other.number != entry.number:
                        continue
                    if _is_at(other, related.document, related.span):
                        entry.mark = other.mark = "clash"
                        entry.other, other.other = other, entry
        if not finding.related:
            for entry in later:
                entry.mark, entry.other = "clash", None


def _is_at(entry: Entry, document: Document, span: Span) -> bool:
    """Whether a finding's place is an entry's, or that of the launch it belongs to."""
    spots = [(entry.document, entry.span), (entry.launch.document, entry.launch.span)]
    return entry.number is not None and any(d is document and overlaps(s, span) for d, s in spots)
