"""Options that `docker run` does not have, and those that were plainly meant.

Its parser takes no abbreviations, and a hyphen in front of several letters for as many options.
Source: schemas/docker.json, from `docker run --help`; spf13/pflag.
"""

from __future__ import annotations

from functools import cache

from cfglint import schemas
from cfglint.spelling import near


@cache
def _known() -> frozenset[str]:
    return frozenset(f"--{name}" for name in schemas.read("docker")["options"])


@cache
def _alone() -> frozenset[str]:
    return _PODMAN_ALONE.union(f"--{name}" for name in schemas.read("docker")["alone"])


# Podman's own that take no value: podman-run(1).
_PODMAN_ALONE = frozenset(
    """
    --env-host --http-proxy --no-hosts --replace --rmi --rootfs --tls-verify --unsetenv-all
    """.split()  # noqa: SIM905 (a table)
)


def takes_value(name: str) -> bool | None:
    """Whether a long option takes a value, None for one that docker does not have."""
    return False if name in _alone() else True if name in _known() else None


def meant(name: str, podman: bool = False) -> str | None:
    """The option that is meant by one that docker does not have, None where it has it or none is
    near. Podman has options of its own: there only the hyphens are mended."""
    if not name.startswith("--"):
        return f"-{name}" if len(name) > 2 and f"-{name}" in _known() else None
    known = _known()
    if name in known:
        return None
    hyphens = name.replace("_", "-")
    if hyphens in known or podman:
        return hyphens if hyphens in known else None
    return near(name, tuple(known))
