"""`cfglint completion SHELL`: a script that completes commands, options, rules and files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Annotated

import typer

from cfglint.cli import DEFAULT, UsageError, commands
from cfglint.record import dataclass

SHELLS = ("bash", "zsh", "fish")
RULE_OPTIONS = ("--select", "--extend-select", "--ignore")
RULE_COMMANDS = ("explain",)
EPILOG = (
    'bash: eval "$(cfglint completion bash)" in ~/.bashrc.'
    ' zsh: eval "$(cfglint completion zsh)" in ~/.zshrc, after compinit.'
    " fish: cfglint completion fish > ~/.config/fish/completions/cfglint.fish"
)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command: its spellings, its help, and for one with a value the words that it
    can be (none: a file or free text)."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A command, what it is for, its options, and words its arguments can be besides files."""

    name: str
    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()


def run(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the completion script for a shell."""
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}; known are {', '.join(SHELLS)}")
    known = [describe(name) for name in commands()]
    print({"bash": bash, "zsh": zsh, "fish": fish}[shell](known), end="")


def describe(name: str) -> Command:
    """A command as its own definition says."""
    module = importlib.import_module(f"cfglint.cli.{name.replace('-', '_')}")
    app = typer.Typer(add_completion=False)
    app.command()(module.run)
    command = typer.main.get_command(app)
    options = []
    for parameter in command.params:
        names = [*parameter.opts, *parameter.secondary_opts]
        if names and names[0].startswith("-"):
            takes = not getattr(parameter, "is_flag", False)
            values = _values(module, name, names) if takes else ()
            text = str(getattr(parameter, "help", "") or "")
            options.append(Option(tuple(names), text, takes, values))
    words = tuple(_rules()) if name in RULE_COMMANDS else getattr(module, "WORDS", ())
    if name == "completion":
        words = SHELLS
    lead = (command.help or "").strip().split("\n\n")[0]
    return Command(name, " ".join(lead.split()), tuple(options), tuple(words))


def _values(module: object, command: str, names: list[str]) -> tuple[str, ...]:
    """The words that an option's value can be."""
    if names[0] in RULE_OPTIONS:
        return tuple(_rules())
    if names[0] == "--fail-on":
        from cfglint.cli._running import FAIL_ON

        return FAIL_ON
    if names[0] in ("--output-format", "--format"):
        if command == DEFAULT:
            from cfglint.report import FORMATS

            return tuple(FORMATS)
        return tuple(getattr(module, "FORMATS", ("text", "json")))
    return ()


def _rules() -> list[str]:
    from cfglint.registry import known_words

    return known_words()


# -- bash --------------------------------------------------------------------------------------


def bash(known: list[Command]) -> str:
    """A function for `complete -F`."""
    lines = [
        "_cfglint() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" before="" command=check words=""',
        '  (( COMP_CWORD > 0 )) && before="${COMP_WORDS[COMP_CWORD-1]}"',
        "  COMPREPLY=()",
        '  if (( COMP_CWORD > 1 )); then case "${COMP_WORDS[1]}" in',
        f"    {'|'.join(c.name for c in known)}) command=${{COMP_WORDS[1]}} ;;",
        "  esac; fi",
        '  case "$command $before" in',
        *_value_cases(known, '    {0}) COMPREPLY=($(compgen -W "{1}" -- "$current")); return ;;'),
        "  esac",
        '  case "$command $current" in',
        *_bash_words(known),
        "  esac",
        "  if [[ $current == -* || -n $words ]]; then",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "  fi",
        "  if (( COMP_CWORD == 1 )); then"
        f' COMPREPLY+=($(compgen -W "{" ".join(c.name for c in known)}" -- "$current")); fi',
        "}",
        "complete -o default -o bashdefault -F _cfglint cfglint",
    ]
    return "\n".join(lines) + "\n"


def _value_cases(known: list[Command], form: str) -> Iterator[str]:
    """A `case` branch for each option that takes one of some words."""
    for command in known:
        for option in command.options:
            if option.values:
                spelled = "|".join(f'"{command.name} {name}"' for name in option.names)
                yield form.format(spelled, " ".join(option.values))


def _bash_words(known: list[Command]) -> Iterator[str]:
    for command in known:
        names = " ".join(name for option in command.options for name in option.names)
        yield f'    "{command.name} -"*) words="{names} --help" ;;'
        if command.words:
            yield f'    "{command.name} "*) words="{" ".join(command.words)}" ;;'


# -- zsh ---------------------------------------------------------------------------------------


def zsh(known: list[Command]) -> str:
    """A function for `compdef`."""
    lines = [
        "#compdef cfglint",
        "_cfglint() {",
        "  local command=check",
        "  if (( CURRENT > 2 )); then case $words[2] in",
        f"    {'|'.join(c.name for c in known)}) command=$words[2] ;;",
        "  esac; fi",
        '  case "$command $words[CURRENT-1]" in',
        *_value_cases(known, "    {0}) compadd -- {1}; return ;;"),
        "  esac",
        "  if [[ $words[CURRENT] == -* ]]; then case $command in",
        *(
            f"    {c.name}) compadd -- {' '.join(n for o in c.options for n in o.names)} --help ;;"
            for c in known
        ),
        "  esac; return; fi",
        f"  (( CURRENT == 2 )) && compadd -- {' '.join(c.name for c in known)}",
        "  case $command in",
        *(f"    {c.name}) compadd -- {' '.join(c.words)}; return ;;" for c in known if c.words),
        "  esac",
        "  _files",
        "}",
        # Sourced by eval, or put into a folder of $fpath.
        'if [[ $funcstack[1] == _cfglint ]]; then _cfglint "$@"; else compdef _cfglint cfglint; fi',
    ]
    return "\n".join(lines) + "\n"


# -- fish --------------------------------------------------------------------------------------


def fish(known: list[Command]) -> str:
    """`complete` lines with descriptions."""
    names = " ".join(command.name for command in known)
    lines = [
        f"set -l commands {names}",
        *(
            f"complete -c cfglint -n __fish_is_first_token -a {c.name} -d {_quoted(c.help)}"
            for c in known
        ),
    ]
    for command in known:
        if command.name == DEFAULT:
            where = (
                f'"not __fish_seen_subcommand_from {names}; or __fish_seen_subcommand_from check"'
            )
        else:
            where = f'"__fish_seen_subcommand_from {command.name}"'
        for option in command.options:
            spelled = " ".join(
                f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names
            )
            value = " -r" if option.takes_value else ""
            if option.values:
                value = f" -x -a {_quoted(' '.join(option.values))}"
            lines.append(
                f"complete -c cfglint -n {where} {spelled}{value} -d {_quoted(option.help)}"
            )
        if command.words:
            lines.append(f"complete -c cfglint -n {where} -f -a {_quoted(' '.join(command.words))}")
    return "\n".join(lines[1:]) + "\n"


def _quoted(text: str) -> str:
    first = text.split(". ")[0].rstrip(".")
    return "'" + first.replace("\\", "\\\\").replace("'", "\\'") + "'"
