"""What the checks of a form asked of the files so far: what answers alike comes out alike.

A check is a decision tree: what it asks next depends on the answers so far, and on nothing else.
Each evaluation adds its path to the tree, and no path is evaluated twice. All checks of a form are
walked at once: where a file stands in every one of them is a state, and an answer leads from state
to state. Most files answer nearly everything as those before them did, at the cost of a look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from cfglint.releases.checks import Checks, Failure, covers
from cfglint.releases.data import Release

ABSENT = object()  # the answer of a key that the file does not have: its default
MANY = 8  # answers to a question that may be better asked later, or not remembered
HASHABLE = frozenset((bool, int, float, type(None)))


Point: TypeAlias = "Question | Failure | None"  # of a decision tree; None: the check holds


class Step:
    """A check. `next` has (for None) the start of its decision tree once one file was asked."""

    def __init__(self, number: int, check: dict[str, Any], release: Release) -> None:
        self.number = number
        self.check = check
        self.release = release
        self.next: dict[Any, Point] = {}


class Question:
    """What a check asks at one point: a key, or a fact about the run ("&" and its name).

    `next` has for each answer the next question, or how the check comes out.
    """

    __slots__ = ("name", "next", "step")

    def __init__(self, step: Step, name: str) -> None:
        self.step = step
        self.name = name
        self.next: dict[Any, Point] = {}


class State:
    """Where a file stands: the questions that are left, of which `name` is asked now (at the end
    ""), and the checks that failed, by their number."""

    def __init__(self, left: tuple[Question, ...], failed: dict[int, Failure]) -> None:
        self.name = _steadiest(left)
        self.left = left
        self.failed = failed
        self.next: dict[Any, State] = {}


class Plan:
    """The checks of a form, and what they asked of the files so far."""

    def __init__(
        self, release: Release, form: str, base: Release | None, default: Callable[[str], Any]
    ) -> None:
        """`default` answers as in Checks."""
        found = [
            (check, source)
            for source in (base, release)
            if source is not None
            for check in source.package.raw["checks"]
            if form in check.get("forms", (form,)) and covers(source, check)
        ]
        self.steps = [Step(number, *one) for number, one in enumerate(found)]
        self._states: dict[tuple[int, ...], State] = {}
        self._starts: dict[frozenset[str], State | None] = {}

    def failures(self, checks: Checks) -> Iterator[Failure]:
        """The checks that fail with the values of a file, in order."""
        walk = _Walk(checks)
        keys = frozenset(checks.given)
        if keys not in self._starts:  # what comes once needs no states
            self._starts[keys] = None
            outcomes = map(walk.outcome, self.steps)
            yield from (outcome for outcome in outcomes if outcome is not None)
            return
        state = self._starts[keys]
        if state is None:
            state = self._starts[keys] = self._start(walk)
        failed, answers = state.failed, walk.answers
        while state.name:
            answer = answers.get(state.name)
            if answer is None:
                answer = walk.answer(state.name)
            after = state.next.get(answer)
            if after is None and len(state.next) < MANY:
                after = state.next[answer] = self._after(state, answer, walk)
            elif after is None and _steadiest(state.left) != state.name:
                state.name, state.next = _steadiest(state.left), {}
                continue
            elif after is None:  # files answer what is left each in its own way
                left = {question.step.number: question.step for question in state.left}
                own = {number: walk.judge(step) for number, step in left.items()}
                failed = failed | {n: failure for n, failure in own.items() if failure is not None}
                break
            state, failed = after, after.failed
        for number in sorted(failed):
            yield failed[number]

    def _start(self, walk: _Walk) -> State:
        """Where a file stands when it has answered for the keys that it does not have."""
        ends: list[tuple[Step, Point]] = []
        for step in self.steps:
            at = walk.start(step)
            while isinstance(at, Question) and walk.answer(at.name) is ABSENT:
                at = walk.follow(at, ABSENT)
            ends.append((step, at))
        return self._state(ends, {})

    def _after(self, state: State, answer: Any, walk: _Walk) -> State:
        ends = [(q.step, walk.follow(q, answer) if q.name == state.name else q) for q in state.left]
        return self._state(ends, state.failed)

    def _state(self, ends: list[tuple[Step, Point]], failed: dict[int, Failure]) -> State:
        left = tuple(end for _, end in ends if isinstance(end, Question))
        failed = failed | {s.number: end for s, end in ends if isinstance(end, Failure)}
        key = (*map(id, left), -1, *map(id, failed.values()))  # all of them live as long as this
        if key not in self._states:
            self._states[key] = State(left, failed)
        return self._states[key]


def _steadiest(left: tuple[Question, ...]) -> str:
    """The question to ask now: that of the fewest answers. One that each file answers in its own
    way (output_dir) comes when little else is left."""
    return min(left, key=lambda question: len(question.next)).name if left else ""


class _Walk:
    """One file's way through the checks."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self.answers: dict[str, Any] = {
            key: value if value.__class__ is str else _comparable(value)
            for key, value in checks.given.items()
        }

    def answer(self, question: str) -> Any:
        """The file's answer to a question, in a form that can be looked up."""
        if question in self.answers:
            return self.answers[question]
        if question[0] != "&":
            return ABSENT
        answer = self.answers[question] = self._checks.context(question[1:])
        return answer

    def judge(self, step: Step) -> Failure | None:
        """How a check comes out for this file, evaluated anew."""
        return self._checks.outcome(step.check, step.release)

    def outcome(self, step: Step) -> Failure | None:
        """How a check comes out for this file, by what others answered as far as that goes."""
        at = self.start(step)
        while isinstance(at, Question):
            at = self.follow(at, self.answer(at.name))
        return at

    def start(self, step: Step) -> Point:
        """Where the decision tree of a check starts."""
        if None not in step.next:
            self._evaluate(step)
        return step.next[None]

    def follow(self, question: Question, answer: Any) -> Point:
        """Where an answer of this file leads."""
        if answer not in question.next:
            self._evaluate(question.step)
        return question.next[answer]

    def _evaluate(self, step: Step) -> None:
        """Add the path of this file to a check's decision tree."""
        outcome = self.judge(step)
        table, answer = step.next, None
        for name in self._checks.asked:
            if answer not in table:
                table[answer] = Question(step, name)
            question = table[answer]
            assert isinstance(question, Question)
            table, answer = question.next, self.answer(name)
        table[answer] = outcome


def _comparable(value: Any) -> tuple[type, Any]:
    """A value that is no text as a key of a table, where 1, 1.0 and True are three."""
    kind = type(value)
    return (kind, value if kind in HASHABLE else repr(value))
