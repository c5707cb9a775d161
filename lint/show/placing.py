"""Findings at the places where a reader of a job looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.launch import Launch, Setting
from cfglint.rule import Finding
from cfglint.show.values import Fact
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.show.model import Job


def give_findings(made: list[Job], findings: list[Finding]) -> None:
    """Put every finding where a reader looks for it: on the job where it stands on what all nodes
    share, else at the node whose settings it stands on, else at the nodes of its file."""
    for finding in findings:
        exact = [
            (job, node)
            for job in made
            for node in job.nodes
            if any(_touches(s, finding) for s in _settings(node.launch))
        ]
        if not exact:
            exact = [
                (job, node)
                for job in made
                for node in job.nodes
                if finding.document in list(node.launch.documents())
                and _inside(node.launch, finding)
            ]
        for job, node in exact:
            if any(stands_on(finding, fact) for fact in job.facts):
                if finding not in job.findings:
                    job.findings.append(finding)
            else:
                node.findings.append(finding)


def stands_on(finding: Finding, fact: Fact) -> bool:
    """Whether a finding stands where a fact is written."""
    if fact.document is not finding.document or fact.span is None:
        return False
    return overlaps(fact.span, finding.span)


def _settings(launch: Launch) -> Iterator[Setting]:
    yield from launch.settings.values()
    yield from launch.env.values()


def _touches(setting: Setting, finding: Finding) -> bool:
    spans = [setting.span, *(s for s in (setting.key_span, setting.used_at) if s is not None)]
    return setting.document is finding.document and any(overlaps(s, finding.span) for s in spans)


def overlaps(one: Span, other: Span) -> bool:
    """Whether two spans of a document share a place."""
    return one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1)


def _inside(launch: Launch, finding: Finding) -> bool:
    """Whether a finding stands in a launch's own file in a place that is not another launch's."""
    if finding.document is not launch.document:
        return True
    others = [x for x in launch.document.launches if x.span != launch.span]
    spans = [launch.span]
    if launch.container is not None:
        spans.append(launch.container.span)
    return any(overlaps(s, finding.span) for s in spans) or not others
