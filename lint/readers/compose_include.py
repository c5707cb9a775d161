"""What a Compose file's `include` names. Source: compose-spec 14-include."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.model.tree import Mapping, Node, Scalar, Sequence, target
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document

_REMOTE = ("://", "git@", "oci:", "github.com/")


@dataclass(frozen=True, slots=True)
class Include:
    """One entry: the file ("" where it is not known), what is merged over it, where its paths start
    ("" for its own folder), and the files that take the place of its `.env`.

    `known` is False where a part of it stands in a variable or on another machine.
    """

    path: str
    span: Span
    overrides: tuple[str, ...] = ()
    folder: str = ""
    env_files: tuple[str, ...] = ()
    known: bool = True


def includes(document: Document) -> list[Include]:
    """The entries of `include`, in order."""
    root = target(document.root) if document.root is not None else None
    listed = root.get("include") if isinstance(root, Mapping) else None
    found = []
    for item in map(target, listed.items if isinstance(listed, Sequence) else []):
        if isinstance(item, Mapping):
            paths, folder, env = (
                _texts(item.get(k)) for k in ("path", "project_directory", "env_file")
            )
        else:
            paths, folder, env = _texts(item), [], []
        every = [*paths, *folder, *env]
        known = bool(paths) and all(map(_is_local, every))
        first = paths[0] if paths and _is_local(paths[0]) else ""
        found.append(
            Include(
                first, item.span, tuple(filter(_is_local, paths[1:])),
                folder[0] if folder and _is_local(folder[0]) else "",
                tuple(filter(_is_local, env)), known,
            )
        )  # fmt: skip
    return found


def _texts(node: Node | None) -> list[str]:
    """The strings of a value that is one or a list of them."""
    items = node.items if isinstance(node, Sequence) else [node] if node is not None else []
    return [n.text for n in map(target, items) if isinstance(n, Scalar) and n.value is not None]


def _is_local(text: str) -> bool:
    return "$" not in text and not any(sign in text for sign in _REMOTE)
