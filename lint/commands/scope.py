"""Where a command runs: the environment, the container and the wrappers around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import ConfigRef, Container, Network, Setting
from cfglint.record import dataclass, field, replace

if TYPE_CHECKING:
    from cfglint.model.launch import Launch
    from cfglint.syntax.shell_words import ShellWord


@dataclass(slots=True)
class Scope:
    """What surrounds a command.

    `env` are the variables that the process gets. `evaluated`: "once" where one host expands the
    command for all nodes, "node" where every node does. `interpolation` is set where compose goes
    over the text before a shell does: the variables compose sees (`$$` is then one `$`).
    `complete` False says that something around the command is not seen (`why`).
    """

    document: Document
    env: Mapping[str, Setting] = field(default_factory=dict)
    network: Network = field(default_factory=lambda: Network("machine"))
    container: Container | None = None
    evaluated: str = "node"
    wrappers: tuple[str, ...] = ()
    background: bool = False
    detached: bool = False  # it runs on by itself: tmux, docker run -d
    many: bool = False  # several at a time: xargs -P, parallel
    tasks: int | None = None
    nodes: Setting | None = None
    tasks_per_node: Setting | None = None
    # #SBATCH nodes, tasks_per_node; what mpirun says of its ranks.
    allocation: Mapping[str, Setting] = field(default_factory=dict)
    host: str = ""
    mpi_job: bool = False  # what mpirun starts is a job's rank, whatever program it is
    env_files: tuple[ConfigRef, ...] = ()
    interpolation: Mapping[str, Setting] | None = None
    complete: bool = True
    why: str = ""
    label: str = ""
    # Takes in the scripts that a container starts without any variable of a job.
    scripts: list[Launch] | None = None
    env_writer: Callable[[str, str], Edit | None] | None = None
    depth: int = 0  # shells inside shells
    arguments: Sequence[ShellWord] | None = None  # `$1` ... of the script that is read
    # The bodies that a file of this path can have, where a script writes it by here-documents.
    written: Callable[[ShellWord], list[ShellWord]] | None = None

    def inside(self, wrapper: str, **changes: Any) -> Scope:
        """The scope of a command that a wrapper starts."""
        return replace(self, wrappers=(*self.wrappers, wrapper), **changes)

    def with_env(self, variables: Mapping[str, Setting]) -> Scope:
        """The scope with more variables in the environment."""
        from cfglint.commands.environment import Layered

        return replace(self, env=Layered(variables, self.env)) if variables else self
