"""`cfglint settings [FILE]`: what is in force, and where each value came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cfglint.cli import UsageError
from cfglint.cli._paths import path as as_path

if TYPE_CHECKING:
    from cfglint.cli._running import Run
    from cfglint.model.document import Document
    from cfglint.settings import Settings

Row = tuple[str, Any, str]  # key, value, origin


def run(
    path: Annotated[
        Path | None,
        typer.Argument(help="A file or folder; the current folder without any.", parser=as_path),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings file to use.", parser=as_path, metavar="PATH")
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Use no settings file.")] = False,
    output_format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """Show the settings in force for a file, each with the place it comes from.

    For a single file also its kind, the rules that are on, and the versions it is held against.
    """
    from cfglint.cli._running import Options, prepare, settings_for
    from cfglint.settings import shown

    if output_format not in ("text", "json"):
        raise UsageError(f"unknown output format {output_format!r}; known are text, json")
    target = path or Path()
    if not target.exists():
        raise UsageError(f"no such file or folder: {target}")
    if target.is_file():
        prepared = prepare(Options(paths=(target,), config=config, isolated=isolated), gated=False)
        settings = prepared.settings
        rows = [*_rows(settings), *_of_file(prepared)]
    else:
        settings = settings_for((target,), config, isolated)
        rows = _rows(settings)
    source = shown(settings.source) if settings.source else None
    if output_format == "json":
        data = {
            "source": source,
            "settings": {key: {"value": _plain(v), "from": o} for key, v, o in rows},
        }
        print(json.dumps(data, indent=1, ensure_ascii=False))
        return
    print(f"Settings for {target}: {source or 'no settings file, all defaults'}\n")
    width = max(len(key) for key, _, _ in rows)
    values = [_text(value) for _, value, _ in rows]
    column = min(40, max(map(len, values)))
    for (key, _, origin), value in zip(rows, values, strict=True):
        print(f"{key:{width}}  {value:{column}}  {origin}".rstrip())


def _rows(settings: Settings) -> list[Row]:
    """Every key with its value; tables by entry."""
    from cfglint.settingkeys import KEYS, SITE
    from cfglint.settings import shown

    rows: list[Row] = []

    def origin(key: str, default: str = "default") -> str:
        place = settings.origins.get(key, default)
        file, _, line = place.rpartition(":")
        return f"{shown(Path(file))}:{line}" if file and line.isdigit() else place

    for key, entry in KEYS.items():
        if key in ("extend", "extend-select", "extend-ignore", "extend-exclude"):
            if key in settings.origins:
                rows.append((key, getattr(settings, key.replace("-", "_"), "..."), origin(key)))
        elif key == "site":
            for name in SITE:
                value = getattr(settings.site, name.replace("-", "_"))
                rows.append((f"site.{name}", value, origin(f"site.{name}")))
        elif key == "job":
            rows.extend(
                (f"job[{number}]", job.files + job.every_node, origin("job"))
                for number, job in enumerate(settings.jobs)
            )
        elif entry.merge == "table":
            table = getattr(settings, key.replace("-", "_"))
            rows.extend((f"{key}.{n}", one, origin(f"{key}.{n}")) for n, one in table.items())
        else:
            value = getattr(settings, key.replace("-", "_"))
            if key == "select" and not value:
                value = "all rules"
            rows.append((key, value, origin(key)))
    return rows


def _of_file(prepared: Run) -> list[Row]:
    """What else holds for a single file."""
    from cfglint import registry
    from cfglint.engine import is_selected

    settings = prepared.settings
    result = prepared.session.lint()
    document = next(d for d in result.project.documents if d.given)
    rows: list[Row] = [("kind", document.kind or "unknown", document.reason or "no mark of a kind")]
    rows += _versions(prepared, document, result.project)
    ignores = result.file_ignores.globs(document) if result.file_ignores else []
    chosen = (settings.select, settings.extend_select, settings.ignore)
    modules = registry.everything()
    on = [m for m in modules if is_selected(m, *chosen)]
    quiet = [g for g in ignores for m in on if m.selected(settings.per_file_ignores[g])]
    rows.append(("rules on", len(on) - len(quiet), f"of {len(modules)}"))
    rows.extend(
        ("ignored here", ", ".join(settings.per_file_ignores[glob]), f"per-file-ignores {glob!r}")
        for glob in ignores
    )
    return rows


def _versions(prepared: Run, document: Document, project: Any) -> list[Row]:
    from cfglint.settingkeys import PACKAGES

    ask = getattr(project, "versions", None)
    if ask is None or document.kind is None:
        return []
    rows: list[Row] = []
    for package in PACKAGES:
        try:
            version = ask(document, package)
        except KeyError:
            continue
        if version is not None and version.number:
            rows.append((f"version of {package}", version.number, version.source))
    return rows


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def _text(value: Any) -> str:
    if value in (None, "", ()):
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    from cfglint.settings import shown

    return shown(value) if isinstance(value, Path) else str(value)
