"""Words of simple commands: what is found without the grammar is what the grammar finds."""

from __future__ import annotations

from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.syntax import simple_words
from cfglint.syntax.shell import parse
from cfglint.text import SourceText

PIECES = ("a", "--x", "=", "1", "/p.q", "%", "+", "^", "@", ":", ",", "é", "~", "$A", "${B}", "$1",
          "'q w'", "''", '"d $C e"', '""', '"$@"', "{", "[", "*", "#", ";", "A=", "\\ ", "<")  # fmt: skip
WORDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
BLANKS = st.sampled_from((" ", "  ", "\t", " \\\n", " \\\n  "))


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(WORDS, BLANKS), max_size=5), WORDS)
def test_both_ways_lead_to_the_same_words(pairs: list[tuple[str, str]], last: str) -> None:
    text = "".join(word + blank for word, blank in pairs) + last
    script = parse(Fragment("x.sh", text), Document("x.sh", Path("x.sh"), SourceText(text)))
    simple = [(c, simple_words.ranges(text, c.start, c.end)) for c in script.commands]
    assume(any(found is not None for _, found in simple))
    for command, found in simple:
        if found is not None:
            by_grammar = [(word.start, word.end) for word in command.read_nodes()]
            assert by_grammar == found, text
