"""Where a requirement holds: the environment marker behind its `;`.

A marker is asked for every Python that trains today on Linux; what it says of Windows, of macOS or
of an extra that nobody asked for does not hold in any of them.
Source: packaging's `Marker` (the PyPA's dependency specifiers), by which pip and uv decide.
"""

from __future__ import annotations

from functools import cache

from cfglint.patterns import lazy

_PYTHONS = range(8, 16)  # 3.8, the oldest that described releases run on, and up
_MACHINES = ("x86_64", "aarch64")
# Of the kernel at hand: no file tells.
_UNKNOWN = lazy(r"platform[._]release|platform[._]version")


@cache
def holds(marker: str) -> tuple[bool, bool]:
    """Whether a marker holds in some of the environments, and whether it does in all of them.

    One that cannot be read, or that asks for what no file tells, holds in none.
    """
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison

    try:
        read = Marker(marker)
        if _UNKNOWN.search(marker):
            return False, False
        answers = [read.evaluate(dict(one)) for one in _environments()]
    except (InvalidMarker, UndefinedComparison, ValueError, KeyError):
        return False, False
    return any(answers), all(answers)


@cache
def _environments() -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "implementation_name": "cpython", "implementation_version": f"3.{minor}.{patch}",
            "os_name": "posix", "platform_machine": machine, "platform_system": "Linux",
            "platform_python_implementation": "CPython", "python_version": f"3.{minor}",
            "python_full_version": f"3.{minor}.{patch}", "sys_platform": "linux", "extra": "",
        }
        for minor in _PYTHONS
        for patch in (0, 20)
        for machine in _MACHINES
    )  # fmt: skip
