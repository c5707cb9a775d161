"""The port register: which job, on which host, uses which port, and which of them clash."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cfglint.document import Document
from cfglint.engine import Result
from cfglint.launch import Launch
from cfglint.rule import Finding
from cfglint.show.model import Job, jobs
from cfglint.show.values import Fact, describe, where
from cfglint.text import Span
from cfglint.values import Value, parse_int, possible

ANY_HOST = "any host"
# Rules whose finding says that two uses of a port do meet.
CLASH_RULES = ("port-collision",)


@dataclass(slots=True)
class Entry:
    """One use of a port. `number` is None where the files leave the port open or free.

    `mark`: "clash" (two uses meet on one host at one time, or cannot both be had), "shared" (the
    same number elsewhere: it clashes if both run on one host at one time), or "".
    """

    port: str
    number: int | None
    host: str
    use: str
    job: str
    job_number: int
    source: str
    document: Document | None
    span: Span | None
    mark: str = ""
    remark: str = ""


@dataclass(slots=True)
class Register:
    """Every use of a port in the given files, by number."""

    entries: list[Entry]

    @property
    def clashes(self) -> int:
        """How many uses clash with another."""
        return sum(1 for entry in self.entries if entry.mark == "clash")

    @property
    def summary(self) -> str:
        """One line for people."""
        numbers = {entry.number for entry in self.entries if entry.number}
        if not self.entries:
            return "No launch in these files uses a port."
        text = f"{len(numbers)} port{'s' * (len(numbers) != 1)} in {len(self.entries)} places"
        shared = {entry.number for entry in self.entries if entry.mark == "shared"}
        if self.clashes:
            text += f"; {self.clashes} uses clash"
        if shared:
            text += f"; {len(shared)} number{'s' * (len(shared) != 1)} used by several jobs"
        return text + ("" if self.clashes or shared else "; none is used twice") + "."


def register(result: Result) -> Register:
    """The register of a run's files."""
    made = jobs(result)
    entries = [entry for job in made for entry in _job_entries(job)]
    _mark(entries, result.findings)
    entries.sort(key=lambda e: (e.number is None, e.number or 0, e.host, e.job_number, e.source))
    return Register(entries)


def _job_entries(job: Job) -> Iterator[Entry]:
    seen: set[tuple[object, ...]] = set()
    for node in job.nodes:
        for entry in _launch_entries(job, node.launch):
            key = (entry.port, entry.host, entry.use, entry.source)
            if key not in seen:
                seen.add(key)
                yield entry


def _launch_entries(job: Job, launch: Launch) -> Iterator[Entry]:
    title = f"{job.number} {job.title}"
    fact = next((f for f in job.facts if f.name == "port"), None)
    own = launch.port
    host = _host(launch)
    if own is not None:
        text, _ = describe(own.value)
        shown = Fact("port", text, "known", own.document, own.span)
        yield _entry(shown, own.value, host, "rendezvous", title, job.number)
    elif fact is not None and launch is job.nodes[0].launch:
        number = parse_int(fact.value)
        source = f"{where(launch.document, launch.span)} ({fact.note or fact.value})"
        yield Entry(
            fact.value, number or None, host, "rendezvous", title, job.number, source,
            launch.document, launch.span,
        )  # fmt: skip
    for port in launch.network.ports:
        if launch.network.mode == "host" or port.host is None:
            continue
        source = where(launch.document, port.span)
        address = port.host_ip or "all addresses of the host"
        use = f"published, to {port.container}"
        yield Entry(
            str(port.host), port.host, address, use, title, job.number, source, launch.document,
            port.span,
        )  # fmt: skip
    ssh = launch.get("ssh_port")
    if ssh is not None:
        text, _ = describe(ssh.value)
        shown = Fact("ssh", text, "known", ssh.document, ssh.span)
        yield _entry(shown, ssh.value, "every node", "ssh", title, job.number)


def _entry(fact: Fact, value: Value, host: str, use: str, title: str, job: int) -> Entry:
    number = next((n for text in possible(value) if (n := parse_int(text)) is not None), None)
    text = "a free one" if number == 0 else fact.value
    return Entry(
        text, number or None, host, use, title, job, fact.source, fact.document, fact.span
    )  # fmt: skip


def _host(launch: Launch) -> str:
    """The host whose port it is: the one with rank 0."""
    if launch.network.is_private_bridge and launch.container is not None:
        return f"container {launch.container.name}"
    if launch.host:
        return launch.host
    address = launch.address
    if address is not None:
        text, state = describe(address.value)
        if state == "open":
            return text
        if text not in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):
            return text
    return ANY_HOST


def _mark(entries: list[Entry], findings: list[Finding]) -> None:
    """Mark what clashes: what a rule has found, two publications of one port on one address, and
    the same number in two jobs."""
    by_number: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.number is not None:
            by_number[entry.number].append(entry)
    for group in by_number.values():
        for entry in group:
            others = [o for o in group if o.job_number != entry.job_number and _may_meet(entry, o)]
            published = [o for o in others if "published" in o.use and "published" in entry.use]
            same_host = [o for o in others if o.host == entry.host != ANY_HOST]
            if published or same_host:
                _say(entry, "clash", (published or same_host)[0])
            elif others:
                _say(entry, "shared", others[0])
    for finding in findings:
        if finding.rule.name not in CLASH_RULES:
            continue
        places = [
            (finding.document, finding.span),
            *((r.document, r.span) for r in finding.related),
        ]
        hit = [e for e in entries if _stands_at(e, places)]
        for entry in hit:
            other = next((o for o in hit if o is not entry), None)
            if other is not None:
                _say(entry, "clash", other)
            else:
                entry.mark, entry.remark = "clash", finding.message


def _may_meet(one: Entry, other: Entry) -> bool:
    """Whether two uses of a number can be on one host: not where both hosts are known and differ,
    and not inside a container's own network."""
    if any(e.host.startswith("container ") for e in (one, other)):
        return one.host == other.host
    return (
        one.host == other.host
        or ANY_HOST in (one.host, other.host)
        or "published" in one.use + other.use
    )


def _say(entry: Entry, mark: str, other: Entry) -> None:
    word = "clashes with" if mark == "clash" else "also in"
    entry.mark = mark
    entry.remark = f"{word} job {other.job_number}, {other.source}"


def _stands_at(entry: Entry, places: list[tuple[Document, Span]]) -> bool:
    if entry.span is None or entry.number is None:
        return False
    start = entry.span
    return any(
        d is entry.document and d.source.position(s.start)[0] == d.source.position(start.start)[0]
        for d, s in places
    )
