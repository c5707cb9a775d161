"""Paths of files that a text mentions."""

import time

from cfglint.files.names import by_endings, names, paths

TEXT = 'bash run/a.sh && "${HERE}/b.sh"; make -f ci/Makefile x.shell; ./jobs/start --now starter\n'


def test_suffixes_and_whole_names() -> None:
    endings = by_endings({".sh", "Makefile", "start"})
    assert paths(TEXT, endings) == {"run/a.sh", "/b.sh", "ci/Makefile", "./jobs/start"}
    assert names(TEXT, endings) == {"a.sh", "b.sh", "Makefile", "start"}


def test_one_sort_alone() -> None:
    assert names(TEXT, by_endings({".sh"})) == {"a.sh", "b.sh"}
    assert names(TEXT, by_endings({"Makefile"})) == {"Makefile"}


def test_a_thousand_names_cost_no_thousand_searches() -> None:
    text = "echo one two three four five six seven\n" * 2_000
    endings = by_endings({f"job_{i}" for i in range(1_000)})
    begin = time.process_time()
    assert names(text, endings) == set()
    assert time.process_time() - begin < 0.5  # 0.01 s; an alternation of all takes over 10
