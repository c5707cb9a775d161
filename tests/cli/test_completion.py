"""The completion scripts, run by the shells themselves where they are installed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from cfglint.cli import commands, completion

KNOWN = [completion.describe(name) for name in commands()]


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def in_bash(*words: str) -> list[str]:
    script = (
        f"{completion.bash(KNOWN)}\n"
        f"COMP_WORDS=(cfglint {' '.join(repr(w) for w in words)}); COMP_CWORD={len(words)}\n"
        '_cfglint; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [shell("bash"), "--norc", "-euc", script], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def in_zsh(*words: str) -> list[str]:
    # compadd works in completion only; here it says what it was given.
    script = (
        "compdef() { :; }; _files() { print FILES; }\n"
        "compadd() { shift; print -l -- $@; }\n"
        f"{completion.zsh(KNOWN)}\n"
        f"words=(cfglint {' '.join(repr(w) for w in words)}); CURRENT={len(words) + 1}\n_cfglint\n"
    )
    done = subprocess.run([shell("zsh"), "-fc", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def in_fish(*words: str) -> list[str]:
    line = " ".join(["cfglint", *words])
    script = f"{completion.fish(KNOWN)}\ncomplete -C {line!r}\n"
    done = subprocess.run([shell("fish"), "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [row.split("\t")[0] for row in done.stdout.splitlines()]


SHELLS = pytest.mark.parametrize("complete", [in_bash, in_zsh, in_fish])


@SHELLS
def test_commands(complete) -> None:  # type: ignore[no-untyped-def]
    assert {"explain", "diagnose", "show", "rules"} <= set(complete(""))


@SHELLS
def test_options_of_the_default_command(complete) -> None:  # type: ignore[no-untyped-def]
    found = complete("configs", "--")
    assert {"--fix", "--unsafe-fixes", "--select", "--output-format"} <= set(found)
    assert "--ports" not in found


@SHELLS
def test_options_of_a_command(complete) -> None:  # type: ignore[no-untyped-def]
    found = complete("show", "--")
    assert "--ports" in found
    assert "--unsafe-fixes" not in found


@SHELLS
def test_rules(complete) -> None:  # type: ignore[no-untyped-def]
    assert {"PORT001", "port-hardcoded"} <= set(complete("explain", ""))
    assert {"PORT001", "port-hardcoded", "port"} <= set(complete("--select", ""))


@SHELLS
def test_formats(complete) -> None:  # type: ignore[no-untyped-def]
    assert {"sarif", "github", "json"} <= set(complete("--output-format", ""))
    assert set(complete("show", "--format", "")) == {"text", "json", "svg"}


def test_every_option_is_described() -> None:
    names = {command.name for command in KNOWN}
    assert names == set(commands())
    for command in KNOWN:
        assert command.help, command.name
        for option in command.options:
            assert option.help, f"{command.name} {option.names[0]} has no help"


def test_bash_prefix() -> None:
    assert in_bash("explain", "port-h") == ["port-hardcoded"]
    assert in_bash("--fail-on", "wa") == ["warning"]
    assert in_bash("dia") == ["diagnose"]
