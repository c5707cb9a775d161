"""What changed since a revision, and which findings that concerns.

A finding counts when its place or a related place lies in a changed line, or when the old state of
the files did not have it: a change in a hostfile can break a YAML that nobody touched. The old
state is written to a temporary folder and linted with the same settings, and only if findings are
left that the changed lines do not explain. "Since main" means since the branch left main.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from pathlib import Path

from cfglint.adoption.fingerprint import of_words, path_under
from cfglint.model.document import Document
from cfglint.record import dataclass, field
from cfglint.rule import Finding
from cfglint.text import Span, UnreadableError, decode

Key = tuple[str, str, str, int]  # path under the repository, code, words, severity
SMALL = 1_000_000  # bytes; of larger files only those that may start jobs are written out
BATCH = 500  # blobs that one git process hands over
PRODUCT = 4_000_000  # lines times lines above which equal lines are not weighed one by one


class SinceError(Exception):
    """Git could not tell what changed; the message says why and what to do."""


def _git(folder: Path, *words: str, data: bytes | None = None) -> bytes:
    """The output of a git command that reads only. Raises SinceError."""
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *words]
    try:
        run = subprocess.run(command, input=data, capture_output=True, check=False)
    except OSError as problem:
        raise SinceError(f"--since needs git: {problem.strerror}") from None
    if run.returncode:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SinceError(lines[-1] if lines else f"git {words[0]} failed")
    return run.stdout


@dataclass(slots=True)
class Since:
    """A revision to compare with. `old_paths` has every changed path under `top` with its path in
    the revision (None for a file that was not there), `deleted` those that are gone; `base` is the
    commit compared with.
    """

    top: Path
    revision: str
    base: str
    old_paths: dict[str, str | None]
    deleted: set[str] = field(default_factory=set)
    _lines: dict[int, list[tuple[int, int]] | None] = field(default_factory=dict)
    _kept: list[Document] = field(default_factory=list)  # keeps the ids of _lines from being reused
    _old: Counter[Key] | None = None
    _bytes: dict[str, bytes] | None = None

    def concerns(self, finding: Finding) -> bool:
        """Whether the finding's place or a related place lies in changed lines."""
        places = [(finding.document, finding.span)]
        places += [(related.document, related.span) for related in finding.related]
        return any(self.touches(document, span) for document, span in places)

    def touches(self, document: Document, span: Span) -> bool:
        """Whether a span lies in, or reaches into, changed lines."""
        changed = self._changed(document)
        if changed is None:
            return True
        if not changed:
            return False
        text = document.source.text
        first = text.count("\n", 0, span.start)
        last = first + text.count("\n", span.start, max(span.start, span.end - 1))
        return any(low <= last and first < high for low, high in changed)

    def _changed(self, document: Document) -> list[tuple[int, int]] | None:
        """The changed lines as ranges from 0, ends exclusive; None when all of them are new."""
        if id(document) not in self._lines:
            self._kept.append(document)
            self._lines[id(document)] = self._compare(document)
        return self._lines[id(document)]

    def _compare(self, document: Document) -> list[tuple[int, int]] | None:
        path = path_under(self.top, Path(os.path.realpath(document.file)))
        if path not in self.old_paths:
            return []
        old = self.old_paths[path]
        if old is None:
            return None
        data = self._old_bytes().get(old)
        try:
            before = decode(data).text if data is not None else None
        except UnreadableError:
            before = None
        if before is None:
            return None
        return changed_lines(before.split("\n"), document.source.text.split("\n"))

    def _old_bytes(self) -> dict[str, bytes]:
        """The old contents of the changed files that may start jobs, by old path."""
        if self._bytes is None:
            from cfglint.files.discovery import is_candidate

            wanted = {
                old
                for new, old in self.old_paths.items()
                if old is not None and "\n" not in old and is_candidate(os.path.basename(new))
            }
            self._bytes = dict(_blobs(self.top, {f"{self.base}:{old}": old for old in wanted}))
        return self._bytes

    def fresh(
        self, findings: list[Finding], settle: Callable[[], Iterator[Finding]]
    ) -> list[Finding]:
        """Those of the findings that the old state did not have; `settle` lints the old state."""
        if self._old is None:
            self._old = Counter(self._key(finding, Path()) for finding in settle())
        left = self._old.copy()
        new = []
        for finding in findings:
            key = self._key(finding, self.top)
            if left[key] > 0:
                left[key] -= 1
            else:
                new.append(finding)
        return new

    def _new_names(self) -> dict[str, str]:
        return {old: new for new, old in self.old_paths.items() if old is not None and old != new}

    def _key(self, finding: Finding, top: Path) -> Key:
        """`top` is the repository, or nothing where the report path is relative to it already."""
        if top == Path():
            path = self._new_names().get(finding.document.path, finding.document.path)
        else:
            path = path_under(top, Path(os.path.realpath(finding.document.file)))
        return (path, finding.rule.code, of_words(finding), int(finding.severity))


def changed_lines(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The lines of `new` that are not in `old`, as ranges from 0, ends exclusive."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    matcher = SequenceMatcher(None, before, after, len(before) * len(after) > PRODUCT)
    return [
        (start + low, start + high)
        for tag, _, _, low, high in matcher.get_opcodes()
        if tag != "equal" and high > low
    ]


def since(revision: str, folder: Path) -> Since:
    """What changed in the repository of a folder since a revision. Raises SinceError."""
    try:
        top = Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    except SinceError as problem:
        raise SinceError(f"--since needs a git repository: {problem}") from None
    try:
        name = f"{revision}^{{commit}}"
        found = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except SinceError:
        raise SinceError(
            f"--since: there is no revision {revision!r} here; in CI, fetch it first"
            " (a shallow clone has only the newest commit)"
        ) from None
    commit = found.decode().strip()
    try:
        base = _git(top, "merge-base", commit, "HEAD").decode().strip()
    except SinceError:
        base = commit
    old_paths: dict[str, str | None] = {}
    deleted: set[str] = set()
    words = _git(top, "diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", base)
    fields = iter(words.split(b"\0"))
    for status in fields:
        if not status:
            break
        path = os.fsdecode(next(fields))
        if status[:1] in b"RC":
            old_paths[os.fsdecode(next(fields))] = path if status[:1] == b"R" else None
        elif status[:1] == b"D":
            deleted.add(path)
        else:
            old_paths[path] = None if status[:1] == b"A" else path
    others = _git(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    old_paths.update((os.fsdecode(path), None) for path in others if path)
    return Since(top, revision, base, old_paths, deleted)


@contextmanager
def old_tree(since: Since, keep: list[Path]) -> Iterator[Path]:
    """A temporary folder with the repository as it was at the base; gone afterwards.

    `keep` are files that git does not know and that are taken to have been there. Contents of large
    files that start no jobs are left out: only their being there counts.
    """
    from cfglint.files.discovery import is_candidate

    with tempfile.TemporaryDirectory(prefix="cfglint-") as name:
        tree = Path(os.path.realpath(name))
        (tree / ".git").mkdir()
        wanted: dict[str, list[Path]] = {}
        for row in _git(since.top, "ls-tree", "-r", "-z", "-l", since.base).split(b"\0"):
            if not row:
                continue
            facts, _, raw = row.partition(b"\t")
            mode, kind, blob, size = facts.decode().split()
            path = tree / os.fsdecode(raw)
            if kind != "blob" or not path.is_relative_to(tree) or ".." in path.parts:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if mode == "120000":
                continue  # links are not followed into the real tree
            if int(size) > SMALL and not is_candidate(path.name):
                path.touch()
            else:
                wanted.setdefault(blob, []).append(path)
        for blob, data in _blobs(since.top, {blob: blob for blob in wanted}):
            for path in wanted[blob]:
                path.write_bytes(data)
        for file in keep:
            target = tree / path_under(since.top, file)
            if target.is_relative_to(tree) and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                with suppress(OSError):  # one that may not be read stays unread
                    shutil.copyfile(file, target)
        yield tree


def _blobs(top: Path, names: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """What git keeps under names (`commit:path`, or a blob's number), under the values of `names`;
    many through one git process, those that are missing left out."""
    items = list(names.items())
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        data = b"".join(os.fsencode(name) + b"\n" for name, _ in batch)
        output = _git(top, "cat-file", "--batch", data=data)
        at = 0
        for _, value in batch:
            end = output.index(b"\n", at)
            facts = output[at:end].split()
            if facts[-1] == b"missing":
                at = end + 1
                continue
            size = int(facts[-1])
            yield value, output[end + 1 : end + 1 + size]
            at = end + size + 2
