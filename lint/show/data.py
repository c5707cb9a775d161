"""The jobs and the port register as JSON, version 1."""

from __future__ import annotations

import json
from typing import Any

from cfglint.model.document import Document
from cfglint.report.json import finding_data
from cfglint.report.model import Report, place
from cfglint.show.model import Job, Node
from cfglint.show.ports import Entry, Register
from cfglint.show.values import Fact
from cfglint.text import Span


def jobs_as_json(made: list[Job], report: Report) -> str:
    """Every job: its size, the rendezvous, its nodes, and the findings in place."""
    return _dump({"version": 1, "jobs": [_job(job, report) for job in made]})


def ports_as_json(register: Register, report: Report) -> str:
    """Every use of a port, clashes marked."""
    rows = [
        {
            "port": entry.number,
            "text": report.text(entry.port),
            "host": report.text(entry.host),
            "use": entry.use,
            "job": entry.job.number,
            "title": report.text(entry.job.title),
            **_place(report, entry.document, entry.span),
            "mark": entry.mark or None,
            "with": _with(entry, report),
        }
        for entry in register.entries
    ]
    return _dump({"version": 1, "ports": rows, "clashes": register.clashes})


def _with(entry: Entry, report: Report) -> dict[str, Any] | None:
    """The other use that an entry's mark speaks of."""
    other = entry.other
    if other is None:
        return None
    return {"job": other.job.number, **_place(report, other.document, other.span)}


def _place(report: Report, document: Document, span: Span) -> dict[str, Any]:
    spot = place(document, span)
    return {"path": report.text(spot.path), "line": spot.line}


def _dump(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _job(job: Job, report: Report) -> dict[str, Any]:
    return {
        "job": job.number,
        "title": report.text(job.title),
        "machines": job.machines,
        "world_size": job.world,
        "facts": [_fact(fact, report) for fact in job.facts],
        "nodes": [_node(node, report) for node in job.nodes],
        "findings": [finding_data(report, f) for f in job.findings],
    }


def _node(node: Node, report: Report) -> dict[str, Any]:
    return {
        "name": report.text(node.name),
        "rank": node.rank,
        "processes_per_node": node.per_node,
        "launcher": node.launch.launcher,
        "network": node.launch.network.mode,
        **_place(report, node.launch.document, node.launch.span),
        "facts": [_fact(fact, report) for fact in node.facts],
        "findings": [finding_data(report, f) for f in node.findings],
    }


def _fact(fact: Fact, report: Report) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": fact.name,
        "value": report.text(fact.value) if fact.state != "absent" else None,
        "state": fact.state,
        "path": None,
        "line": None,
    }
    if fact.document is not None and fact.span is not None:
        data.update(_place(report, fact.document, fact.span))
    if fact.note:
        data["note"] = fact.note
    return data
