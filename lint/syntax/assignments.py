"""Assignments of a shell text that blanks cut in pieces (SYN009)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cfglint.model.document import Problem
from cfglint.model.fragment import Fragment

# Variables that jobs are started with; of others nobody knows what was meant.
_NAME = (
    r"(?:CUDA_VISIBLE_DEVICES|(?:T?NCCL|GLOO|TORCH|MASTER|NVIDIA|ASCEND|HIP|ROCR|PET)_[A-Z0-9_]+"
    r"|NNODES|NODE_RANK|NPROC_PER_NODE|WORLD_SIZE|RANK|FORCE_TORCHRUN|OMP_NUM_THREADS)"
)
_END = r"(?=[ \t]*(?:\\?$|[;&|#]))"
# An interface, a number, an address, a level: what can only be meant for a value.
_NO_PROGRAM = (
    r"\^?(?:(?:ib|eth|bond|em|hsn|tailscale|docker|mlx5_|lo(?=,))\w*|en[opsx]\d\w*|\d+"
    r"|INFO|WARN|TRACE)(?:[,.:][\w.:]+)*"
)
_CUT = re.compile(
    rf"^[ \t]*(?P<export>export[ \t]+)?(?P<name>{_NAME})(?:"
    # NAME=0, 1, 2
    rf"=(?P<list>\d+,(?:[ \t]+\d+,?)+)(?=[ \t;&|#\r\n]|\Z)"
    # NAME = value
    rf"|[ \t]+=[ \t]*(?P<value>[^\s=;&|#()\"']+){_END}"
    # export NAME= value
    rf"|=[ \t]+(?P<behind>(?P<quote>[\"']?)(?![A-Z_]+\s)[^\s=;&|#()\"'\\]+(?P=quote)){_END})",
    re.M,
)
# `mpirun -x NAME= value`, `docker run -e NAME= value`
_GIVEN = re.compile(
    rf"-(?<=[ \t]-)(?:x|e|-env)[ \t]+(?P<name>{_NAME})=[ \t]+(?P<value>{_NO_PROGRAM})(?=[ \t])"
)


def cut_assignments(fragment: Fragment) -> Iterator[Problem]:
    """The assignments whose value the shell does not take, or takes in part."""
    text = fragment.text
    yield from _given(fragment)
    for match in _CUT.finditer(text):
        name, export = match["name"], match["export"]
        listed, value, behind = match["list"], match["value"], match["behind"]
        if behind is not None and not export and not re.fullmatch(_NO_PROGRAM, behind.strip("\"'")):
            continue  # `NAME= command`: a variable that is empty for one command
        from cfglint.syntax.bash import surroundings

        where = surroundings(text)(match.start("name"))
        if where not in (("start", "heredoc", "") if export else ("start",)):
            continue  # quoted, or lines of another language in a here-document
        meant = re.sub(r"[ \t]+", "", listed) if listed else value or behind
        span = match.start("name"), match.end()
        written = f"{name}={meant.rstrip(',')}"
        detail: dict[str, Any] = {"text": written, "edit": fragment.edit(*span, written)}
        if listed is not None:
            given = listed.split(",")[0] + ","
            detail["cause"] = f"{name} becomes '{given}'; the shell takes the rest for " + (
                "names of variables." if export else "the command, which it does not find."
            )
            message = f"blanks end the value of {name} at '{given}'"
        elif value is not None:
            detail["cause"] = f"{name} stays as it was: " + (
                '"not a valid identifier".' if export else f'"{name}: command not found".'
            )
            message = f"blanks around the sign: this sets no {name}"
        else:
            detail["cause"] = (
                f"{name} becomes empty, and {behind} is taken for a variable's name."
                if export
                else f'{name} stays as it was: "{behind}: command not found".'
            )
            message = "a blank behind the sign: " + (
                f"{name} becomes empty" if export else f"this sets no {name}"
            )
        yield Problem("SYN009", message, fragment.span(*span), detail)


def _given(fragment: Fragment) -> Iterator[Problem]:
    """Variables that are given to the program of a wrapper."""
    text = fragment.text
    for match in _GIVEN.finditer(text) if "= " in text else ():
        from cfglint.syntax.bash import surroundings

        name, value = match["name"], match["value"]
        line = text.rfind("\n", 0, match.start()) + 1
        if "#" in text[line : match.start()] or surroundings(text)(match.start("name")) != "":
            continue  # a remark, or quoted
        cause = f"{name} becomes empty, and {value} is taken for the program, or the image."
        place = match.start("name"), match.end()
        edit = fragment.edit(*place, f"{name}={value}")
        detail = {"text": f"{name}={value}", "cause": cause, "edit": edit}
        message = f"a blank behind the sign: {name} becomes empty"
        yield Problem("SYN009", message, fragment.span(*place), detail)
