"""Which known word a misspelt one was meant to be."""

from __future__ import annotations

from functools import lru_cache

CURLY = "\u201c\u201d\u201e\u201f\u2018\u2019"  # what a word processor makes of quotes


def near(word: str, known: list[str] | tuple[str, ...] | set[str]) -> str | None:
    """The one known word that `word` is a likely misspelling of, None where none or two are.

    Damerau-Levenshtein distance of at most 2 (1 for words of up to 4 letters), and clearly nearer
    than the next candidate; case and `-`/`_` count as no difference.
    """
    folded, letters = _fold(word)
    limit = 1 if len(folded) <= 4 else 2
    scored: list[tuple[int, str]] = []
    for one in set(known):
        text, others = _fold(one)
        # An edit changes at most one letter into another, two of the letters that differ.
        if (letters ^ others).bit_count() <= 2 * limit:
            distance = _distance(folded, text, limit + 1)
            if distance <= limit:
                scored.append((distance, one))
    scored.sort()
    if not scored or (len(scored) > 1 and scored[1][0] == scored[0][0]):
        return None
    return scored[0][1]


@lru_cache(maxsize=4096)
def _fold(word: str) -> tuple[str, int]:
    """A word without case and `-`/`_`, and the set of its letters as bits."""
    text = word.lower().replace("-", "_")
    letters = 0
    for letter in text:
        letters |= 1 << (ord(letter) & 63)
    return text, letters


def _distance(a: str, b: str, limit: int) -> int:
    if abs(len(a) - len(b)) >= limit:
        return limit
    before: list[int] = []
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) >= limit:
            return limit
        before, previous = previous, row
    return previous[-1]
