"""What a run of the rules comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.project import Project
from cfglint.record import dataclass, field
from cfglint.registry import RuleModule
from cfglint.rule import Finding

if TYPE_CHECKING:
    from cfglint.adoption.suppressions import FileIgnores


@dataclass(slots=True)
class Result:
    """What a run found. `crashed` says that a rule raised (the others still reported).

    `modules` are the rules that ran. What comments, the baseline or `--since` keep back
    is in `suppressed`, `baselined` and counted in `elsewhere`.
    """

    project: Project
    findings: list[Finding]
    suppressed: list[Finding] = field(default_factory=list)
    crashed: bool = False
    modules: tuple[RuleModule, ...] = ()
    file_ignores: FileIgnores | None = None
    baselined: list[Finding] = field(default_factory=list)
    elsewhere: int = 0  # findings left out because they lie outside of what changed

    @property
    def rules(self) -> frozenset[str]:
        """The codes of the rules that ran."""
        return frozenset(module.rule.code for module in self.modules)
