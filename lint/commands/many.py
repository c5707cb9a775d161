"""xargs and GNU parallel: one command for each argument, several at a time.

Sources: xargs(1), parallel(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cfglint.commands.options import is_opaque
from cfglint.commands.scope import Scope
from cfglint.commands.wrapping import Inner, option, skip_options
from cfglint.model.values import Literal, Unknown
from cfglint.record import replace
from cfglint.syntax.shell_words import Part, ShellWord, sliced

_XARGS = frozenset(
    ("--max-procs", "--max-args", "--arg-file", "--delimiter", "--max-chars", "--process-slot-var")
)
_PARALLEL = frozenset(
    ("--jobs", "--arg-file", "--joblog", "--results", "--max-args", "--delay", "--tmpdir",
     "--timeout", "--colsep", "--retries", "--env", "--workdir", "--halt", "--load", "--memfree")
)  # fmt: skip
_PLACE = re.compile(r"(?<!\$)\{[^{}\s,]*\}")  # `{}`, `{1}`, `{.}`
_INPUTS = (":::", "::::", ":::+", "::::+")


def xargs(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`... | xargs -P 4 -I{} torchrun ... {}`."""
    at = skip_options(words, 1, "InPLsadE", _XARGS)
    jobs = _text(option(words[1:at], "-P", "--max-procs"))
    name = _text(option(words[1:at], "-I", "--replace")) or "{}"
    if _counts_with(words[at:], re.escape(name)):
        return None
    rest = _filled(words[at:], re.compile(re.escape(name)))
    return Inner(rest, scope.inside("xargs", many=scope.many or jobs not in ("", "1")))


def parallel(words: Sequence[ShellWord], scope: Scope) -> Inner | None:
    """`parallel -j 4 torchrun ... {} ::: 1 2 3`, or the command as one word; as many at a time as
    the machine has cores, where it does not say."""
    at = skip_options(words, 1, "jaNnCISd", _PARALLEL)
    options = [word.prefix() for word in words[1:at]]
    if any(option.startswith(("-S", "--sshlogin", "--slf")) for option in options):
        return None  # on machines of a list
    if _counts_with(words[at:], _PLACE.pattern):
        return None
    end = next((i for i, w in enumerate(words) if i >= at and w.text in _INPUTS), len(words))
    jobs = option(words[1:at], "-j", "--jobs")
    inside = scope.inside("parallel", many=jobs is None or jobs.text not in (None, "1"))
    rest = _filled(words[at:end], _PLACE)
    if len(rest) == 1 and not is_opaque(rest[0]):
        return Inner((), inside, rest[0])
    return Inner(rest, inside)


def _counts_with(words: Sequence[ShellWord], place: str) -> bool:
    """Whether arithmetic takes an argument, which no shell's grammar knows before it is put in."""
    inside = re.compile(rf"\$\(\([^)]*{place}")
    return any(inside.search(word.raw) for word in words)


def _filled(words: Sequence[ShellWord], places: re.Pattern[str]) -> list[ShellWord]:
    """The words of the command, with nothing known of where an argument is put in."""

    def parts(part: Part) -> Iterator[Part]:
        value = part.value
        if part.known or not isinstance(value, Literal) or places.search(value.text) is None:
            yield part
            return
        if part.end - part.start != len(value.text):
            yield replace(part, value=Unknown(value.text), known=True)
            return
        at = 0
        for match in places.finditer(value.text):
            if match.start() > at:
                yield sliced(part, at, match.start())
            yield replace(sliced(part, *match.span()), value=Unknown(match.group()), known=True)
            at = match.end()
        if at < len(value.text):
            yield sliced(part, at, len(value.text))

    return [
        word.of(tuple(new for part in word.parts for new in parts(part)), word.start, word.end)
        for word in words
    ]


def _text(word: ShellWord | None) -> str:
    """What an option says, "" where it is not given or not known."""
    return word.text or "" if word is not None else ""
