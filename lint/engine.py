"""Running the rules over a project: findings, one for each fault, suppressions applied."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from cfglint import registry
from cfglint.adoption import suppressions
from cfglint.adoption.suppressions import Comments, FileIgnores
from cfglint.files import embedded
from cfglint.model.document import Document
from cfglint.project import Project
from cfglint.record import replace
from cfglint.registry import RuleModule
from cfglint.result import Result
from cfglint.rule import Finding, Related, Severity
from cfglint.text import Span

Check = Callable[..., Iterable[Finding]]
CRASHED = "META000"  # what cfglint itself failed at


def run(project: Project) -> Result:
    """Every finding in the given files of a project, sorted by path, place and code."""
    documents = list(embedded.every(project.documents))
    kinds = {kind for d in documents for kind in (d.kind, d.holds) if kind is not None}
    modules = list(registry.needed(kinds)) if kinds else []
    settings = project.settings
    chosen = (settings.select, settings.extend_select, settings.ignore)
    modules = [m for m in modules if is_selected(m, *chosen)]
    failed = any(p.code == CRASHED for d in project.documents for p in d.problems)
    result = Result(project, [], crashed=failed)
    found = _unique([*_unloaded(result), *_collect(project, modules, result)])
    found = _without_redundant(found)
    if settings.severity:
        _overrule(found, settings.severity, modules)
    result.modules = tuple(modules)
    result.file_ignores = ignores = FileIgnores(settings)
    folders = {m.rule.code: m.family for m in modules}
    given = [d for d in project.documents if d.given and d.kind]
    comments = {
        d.path: Comments([s for one in (d, *d.inner) for s in suppressions.find(one)])
        for d in given
    }
    kept: list[Finding] = []
    for finding in found:
        folder = folders.get(finding.rule.code, "")
        own = comments.get(finding.document.path)
        silenced = False
        if own is not None and own.all:
            line = finding.document.source.position(finding.span.start)[0]
            silenced = own.silence(line, finding, folder)
        silenced = ignores.silences(finding, folder) or silenced
        (result.suppressed if silenced else kept).append(finding)
    checked = [s for group in comments.values() for s in group.all]
    for module in modules:
        hook = module.hook("check_suppressions")
        if hook and checked:
            _ask(hook, [(checked, checked[0].document)], module, result, kept)
    kept.sort(key=lambda finding: finding.order)
    result.findings = kept
    return result


def is_selected(
    module: RuleModule, select: Iterable[str], extend: Iterable[str], ignore: Iterable[str]
) -> bool:
    """Whether the settings leave a rule on. A selector that is more exact wins over `ignore`."""
    chosen = list(select) or ["ALL"]
    on = module.selected(chosen) or module.selected(extend)
    if not on or not module.selected(ignore):
        return on
    rule = module.rule

    def exact(words: Iterable[str]) -> bool:
        return any(s.upper() == rule.code or s == rule.name for s in words)

    return exact([*chosen, *extend]) and not exact(ignore)


def _collect(project: Project, modules: list[RuleModule], result: Result) -> list[Finding]:
    """What every rule says of the project, its files and its launches."""
    found: list[Finding] = []
    every = embedded.every(project.documents)
    judged = [d for d in every if d.kind is not None and d.kind != "template"]
    by_kind: dict[str, list[tuple[Document, Document]]] = {}
    unread: dict[str, list[tuple[Document, Document]]] = {}
    for document in judged:
        table = by_kind if document.readable else unread
        table.setdefault(document.kind or "", []).append((document, document))
    launches = [(launch, launch.document) for launch in project.launches]
    for module in modules:
        ask = partial(_ask, module=module, result=result, found=found)
        check = module.hook("check_project")
        if check and project.documents:
            ask(lambda subject, _, check=check: check(subject), [(project, project.documents[0])])
        check = module.hook("check_document")
        if check:
            for kind in module.rule.kinds or by_kind:
                ask(check, by_kind.get(kind, ()))
            if module.rule.unreadable:
                for kind in module.rule.kinds or unread:
                    ask(check, unread.get(kind, ()))
        check = module.hook("check_launch")
        if check:
            ask(check, launches)
    return found


def _ask(
    check: Check,
    subjects: Sequence[tuple[object, Document]],
    module: RuleModule,
    result: Result,
    found: list[Finding],
) -> None:
    """Add the findings on each subject; an exception in the rule becomes a finding of its own."""
    project = result.project
    for subject, document in subjects:
        try:
            for finding in check(subject, project):
                shown = _where_given(finding, project)
                if shown is not None:
                    found.append(shown)
        except Exception as problem:
            found.append(_crash(problem, module, document))
            result.crashed = True


def _unloaded(result: Result) -> Iterator[Finding]:
    """A finding, at the first file, for each wanted rule whose module cannot be imported."""
    settings = result.project.settings
    first = next((d for d in result.project.documents if d.given), None)
    for broken in registry.broken() if first else ():
        wanted = broken.selected(settings.select or ["ALL"])
        if first and wanted and not broken.selected(settings.ignore):
            from cfglint.rules.meta.rule_crashed import RULE

            result.crashed = True
            yield RULE.finding(first, Span(0, 0), str(broken))


def _where_given(finding: Finding, project: Project) -> Finding | None:
    """The finding as the given files have it; None for one that concerns other files only.

    Where the nodes of a job disagree and only one node's file is given, it stands in that file;
    where a file starts a script with what does not fit it, and the script is not given, in the
    file that starts it.
    """
    if finding.document.outer is not None:
        fix = finding.fix if not finding.no_fix else None
        finding.fix, refused = embedded.outward(finding.document, fix)
        finding.no_fix = finding.no_fix or refused
        finding.document = finding.document.outer  # the same place, on disk
    if finding.document.given:
        return finding
    mine = next((r for r in finding.related if r.document.given), None)
    if mine is None:
        return None
    if _of_one_job(project, mine.document, finding.document):
        other = "the other node"
    elif _starts(project, mine.document, finding.document):
        other = "the script that it starts"
    else:
        return None
    path = finding.document.path
    line = finding.document.source.position(finding.span.start)[0]
    return replace(
        finding,
        document=mine.document,
        span=mine.span,
        message=f"{path}:{line}: {finding.message}",
        fix=None,
        no_fix=f"{path} is not among the files given",
        related=(Related(finding.document, finding.span, other),),
    )


def _starts(project: Project, caller: Document, script: Document) -> bool:
    """Whether a file starts a script that launches a job."""
    if script.kind not in ("script", "slurm"):
        return False
    return any(x.started_in is caller and script in x.documents() for x in project.launches)


def _of_one_job(project: Project, one: Document, other: Document) -> bool:
    """Whether two files are those of different nodes of one job."""
    for job in project.jobs():
        places = [list(launch.documents()) for launch in job]
        if any(one in mine and other not in mine for mine in places):
            return any(other in theirs for theirs in places)
    return False


def _crash(problem: Exception, module: RuleModule, document: Document) -> Finding:
    from cfglint.rules.meta.rule_crashed import RULE

    last = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    return RULE.finding(
        document,
        Span(0, 0),
        f"rule {module.rule.code} {module.rule.name} failed on this file:"
        f" {type(problem).__name__}: {problem} ({where})",
    )


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for one rule at one place; the graver wins. Faults of cfglint are all told."""
    best: dict[tuple[str, str, Span, str], Finding] = {}
    for finding in findings:
        own = finding.message if finding.rule.code == CRASHED else ""
        key = (finding.rule.code, finding.document.path, finding.span, own)
        old = best.get(key)
        if old is None or finding.severity > old.severity:
            best[key] = finding
    return list(best.values())


def _without_redundant(findings: list[Finding]) -> list[Finding]:
    """Leave out findings that a more specific rule makes on the same words."""
    places: dict[tuple[str, str], list[Span]] = {}
    for finding in findings:
        places.setdefault((finding.document.path, finding.rule.code), []).append(finding.span)

    def redundant(finding: Finding) -> bool:
        return any(
            span.start <= finding.span.end and finding.span.start <= span.end
            for code in finding.rule.yields_to
            for span in places.get((finding.document.path, code), ())
        )

    return [f for f in findings if not (f.rule.yields_to and redundant(f))]


def _overrule(findings: list[Finding], table: dict[str, str], modules: list[RuleModule]) -> None:
    """Give findings the severity that the settings name; the most exact selector wins."""
    chosen: dict[str, Severity] = {}
    for module in modules:
        rule = module.rule
        meant = [s for s in table if module.selected([s])]
        if meant:
            best = max(meant, key=lambda s: (s.lower() == rule.name, _exactness(s, rule.code)))
            chosen[rule.code] = Severity[table[best].upper()]
    for finding in findings:
        finding.severity = chosen.get(finding.rule.code, finding.severity)


def _exactness(selector: str, code: str) -> int:
    if selector.upper() == "ALL":
        return 0
    return 1 + len(selector) if code.startswith(selector.upper()) else 1
