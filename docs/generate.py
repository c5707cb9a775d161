"""Write what is made from the program itself: docs/rules/ and the README's table of rules, the
output of commands that pages show, and pictures.

A page shows a real run in a block marked `console` whose first line changes into a folder of
docs/samples; what follows each `$ cfglint ...` is written anew.

python -m docs.generate           write what is stale
python -m docs.generate --check   write nothing; exit code 1 when something is stale
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from cfglint import registry
from cfglint.explain import pages
from cfglint.registry import RuleModule

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "docs" / "rules"
README = ROOT / "README.md"
PICTURES = {"docs/samples/two-nodes.svg": ("docs/samples/two-nodes", "show --format svg")}
BEGIN = "<!-- rules: made by `python -m docs.generate` -->"
END = "<!-- end of rules -->"


def wanted() -> dict[Path, str]:
    """Every generated file with the text it must have."""
    modules = registry.everything()
    made = {RULES / f"{m.rule.name}.md": page(m) for m in modules}
    made[RULES / "README.md"] = index(modules)
    for path in [README, *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if path == README and BEGIN in text:
            text = with_table(text, table(modules, "docs/rules/"))
        if text:
            made[path] = CONSOLE.sub(with_output, text)
    for name, (folder, command) in PICTURES.items():
        made[ROOT / name] = output(ROOT / folder, command)
    return made


CONSOLE = re.compile(r"```console\n\$ cd (?P<folder>docs/samples/\S+)\n(?P<rest>.*?)```", re.S)


def with_output(match: re.Match[str]) -> str:
    """A console block with the output of its commands as it is now."""
    lines = [f"$ cd {match['folder']}"]
    for line in match["rest"].splitlines():
        if line.startswith("$ cfglint "):
            shown = output(ROOT / match["folder"], line.removeprefix("$ cfglint "))
            lines += [line, shown.rstrip("\n")]
    return "```console\n" + "\n".join(lines) + "\n```"


@cache
def output(folder: Path, command: str) -> str:
    """What a command prints, in a folder, on a terminal without colour."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI", "FORCE_"))}
    done = subprocess.run(
        [sys.executable, "-m", "cfglint", *shlex.split(command)],
        cwd=folder, env={**env, "NO_COLOR": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode == 2:
        raise SystemExit(f"cfglint {command}: {done.stderr}")
    return done.stdout


def page(module: RuleModule) -> str:
    """A rule's page."""
    rule = module.rule
    facts = [
        f"**{rule.severity.label}**",
        f"{rule.fixes} fix" if rule.fix else "no automatic fix",
        f"since {rule.since}",
        f"family [{module.family}](README.md#{module.family})",
    ]
    parts = [f"# {rule.name} ({rule.code})", ", ".join(facts), pages.markdown(module.page).rstrip()]
    if rule.symptoms:
        from cfglint.explain.symptoms import readable

        seen = dict.fromkeys(readable(source) for source in rule.symptoms)
        shown = "\n".join(f"- {_code(text)}" for text in seen)
        parts.append(f"## Messages by which `cfglint diagnose` knows it\n\n{shown}")
    parts.append(
        f"---\n\nSilence it on one line with `# cfglint: ignore[{rule.name}]`. This page is the"
        f" docstring of [`{_source(module)}`](../../{_source(module)})."
    )
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    ticks = "``" if "`" in text else "`"
    return f"{ticks} {text} {ticks}" if ticks == "``" else f"`{text}`"


def _source(module: RuleModule) -> str:
    return f"rules/{module.family}/{module.module.__name__.rsplit('.', 1)[-1]}.py"


def index(modules: tuple[RuleModule, ...]) -> str:
    """The list of pages, by family."""
    parts = [
        "# The rules",
        "`cfglint explain CODE` prints a page on the terminal. Severity: an **error** fails"
        " whatever the machine; a **warning** fails under conditions that the files leave open,"
        " or a setting has no effect; **info** is advice.",
    ]
    for family in registry.families():
        own = tuple(m for m in modules if m.family == family)
        if own:
            parts.append(f"## {family}\n\n{table(own, '')}")
    return "\n\n".join(parts) + "\n"


def table(modules: tuple[RuleModule, ...], prefix: str) -> str:
    """A Markdown table of rules; `prefix` leads to the folder of their pages."""
    rows = ["| code | name | severity | fix | what it finds |", "|---|---|---|---|---|"]
    for module in modules:
        rule = module.rule
        summary = rule.summary.replace("|", "\\|").replace("<", "&lt;")
        rows.append(
            f"| {rule.code} | [{rule.name}]({prefix}{rule.name}.md) | {rule.severity.label} |"
            f" {rule.fixes} | {summary} |"
        )
    return "\n".join(rows)


def with_table(text: str, rows: str) -> str:
    """The README with what stands between its two markers replaced."""
    head, _, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise SystemExit(f"README.md: {BEGIN} has no {END} after it")
    return f"{head}{BEGIN}\n\n{rows}\n\n{END}{tail}"


def stale() -> list[Path]:
    """The files that are not as they must be, with pages of rules that are gone."""
    made = wanted()
    wrong = [
        path
        for path, text in made.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    return wrong + [path for path in RULES.glob("*.md") if path not in made]


def main() -> int:
    wrong = stale()
    if "--check" in sys.argv[1:]:
        for path in wrong:
            print(f"stale: {path.relative_to(ROOT)}; run python -m docs.generate")
        return 1 if wrong else 0
    made = wanted()
    RULES.mkdir(exist_ok=True)
    for path in wrong:
        if path in made:
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
