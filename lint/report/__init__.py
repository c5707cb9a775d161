"""Findings as text and data: one module for each format, loaded when it is asked for.

A module has a function `render(report) -> str`; `text` has one for each of its two formats.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from cfglint.report.model import Report

# name -> (module, function, what it is for)
FORMATS = {
    "full": ("text", "full", "for people, with the source line"),
    "concise": ("text", "concise", "for people, one line a finding"),
    "json": ("json", "render", "for programs; a stable contract"),
    "sarif": ("sarif", "render", "for GitHub code scanning and editors"),
    "github": ("github", "render", "annotations of a GitHub workflow"),
    "gitlab": ("gitlab", "render", "GitLab Code Quality"),
    "junit": ("junit", "render", "test report of many CI systems"),
    "rdjson": ("rdjson", "render", "for reviewdog, with suggestions"),
}


def render(name: str, report: Report) -> str:
    """A report in a format of FORMATS."""
    if report.statistics:
        module, function = "statistics", "as_json" if name == "json" else "as_text"
    else:
        module, function, _ = FORMATS[name]
    make: Callable[[Report], str]
    make = getattr(importlib.import_module(f"cfglint.report.{module}"), function)
    return make(report)
