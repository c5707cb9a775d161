"""What surrounds a command or an assignment of a shell text, and what that means for both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfglint.syntax.shell_words import ShellWord


class Context:
    """What surrounds a command: "file", "branch" of an if or case, "loop", "subshell", "function",
    "pipe" (a part of a pipeline), "after" (right of && or ||), "job" (`&` follows).

    `group` tells the if or case statement a branch belongs to, `branch` which one it is;
    `exhaustive` that one of its branches is always taken. `name` is a function's or a loop's
    variable. `condition` is the text that decides (of the whole if, the case word, the left side).
    """

    __slots__ = (
        "branch",
        "condition",
        "depth",
        "end",
        "exhaustive",
        "group",
        "kind",
        "name",
        "parent",
        "values",
    )

    def __init__(
        self,
        kind: str,
        parent: Context | None = None,
        group: int = 0,
        branch: int = 0,
        exhaustive: bool = False,
        name: str = "",
        condition: str = "",
        values: tuple[ShellWord, ...] = (),
        end: int = 0,
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.group = group
        self.branch = branch
        self.exhaustive = exhaustive
        self.name = name
        self.condition = condition
        self.values = values
        self.end = end

    def chain(self) -> Iterator[Context]:
        """This context and those around it, innermost first."""
        context: Context | None = self
        while context is not None:
            yield context
            context = context.parent

    def inside(self, kind: str) -> Context | None:
        """The innermost surrounding context of a kind."""
        context: Context | None = self  # written out: asked of every command
        while context is not None and context.kind != kind:
            context = context.parent
        return context

    def common(self, other: Context) -> Context | None:
        """The innermost context that is around both; None for those of two scripts."""
        one: Context | None = self
        two: Context | None = other
        while one is not two and one is not None and two is not None:
            if one.depth < two.depth:
                two = two.parent
            else:
                one = one.parent
        return one if one is two else None

    def is_job_below(self, around: Context) -> bool:
        """Whether `&` sets this context, or one between it and a surrounding one, going."""
        context: Context | None = self
        while context is not None and context is not around:
            if context.kind == "job":
                return True
            context = context.parent
        return False

    def shares_loop(self, other: Context) -> bool:
        """Whether a loop holds both, so that a later line of it speaks of the next turn."""
        if self.inside("loop") is None:
            return False
        common = self.common(other)
        return common is not None and common.inside("loop") is not None

    def relation(self, used: Context) -> str:
        """Whether what is assigned here counts where it is used: "sure", "maybe", "apart"."""
        if self.kind == "file":
            return "sure"  # what the file itself says holds everywhere in it
        around = {id(c) for c in used.chain()}
        steps: list[Context] = []
        common: Context | None = None
        for context in self.chain():
            if id(context) in around:
                common = context
                break
            steps.append(context)
        kinds = {step.kind for step in steps}
        if not kinds.isdisjoint(("subshell", "pipe", "job")):
            return "apart"
        if steps and steps[-1].kind == "branch":
            for context in used.chain():
                if context is common:
                    break
                if context.kind == "branch" and context.group == steps[-1].group:
                    return "apart"
        return "sure" if kinds.isdisjoint(("function", "branch", "loop", "after")) else "maybe"
