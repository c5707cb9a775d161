"""The words of a pod's container: what its `command` and `args` run.

Kubernetes replaces `$(NAME)` in them where NAME is a variable of the container, and nothing else;
`$NAME` there is envsubst's or a shell's.
Source: Kubernetes API reference, Container.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Variables

from cfglint.model.document import Document
from cfglint.model.launch import Setting
from cfglint.model.tree import Mapping, Node, Scalar, Sequence, target
from cfglint.model.values import Literal, Value, Variable
from cfglint.readers.kubernetes_env import REFERENCE, Shared
from cfglint.syntax.editing import ListItem
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.yaml_text import fragment

_MAX_DEPTH = 24  # an anchor within itself


def words(
    document: Document,
    container: Mapping,
    known: Variables[str, Setting],
    given: frozenset[str] = frozenset(),
) -> list[ShellWord]:
    """The words of a container's command and args; none where the image says what runs: args alone
    are all of the command only where they begin with a program that an image's entrypoint could do
    nothing with but run it. `given` are the variables that a controller adds to the container's
    own."""
    found: list[ShellWord] = []
    own = _Own(document, known, given)
    for key in ("command", "args"):
        listed = container.get(key)
        if key == "args" and not found and not _names_a_program(listed):
            return []
        if not isinstance(listed, Sequence):
            continue
        for item in listed.items:
            node = target(item)
            word = _word(document, node, known, own) if isinstance(node, Scalar) else None
            if word is None:
                return []
            word.fragment.item = ListItem(document, listed, item)
            found.append(word)
    return found


# What nobody gives an entrypoint that is a program of its own.
_RUN_BY_ENTRYPOINTS = re.compile(
    r"(?:/\S*/)?(?:torchrun|accelerate|deepspeed|llamafactory-cli|python[\d.]*|bash|sh)"
)


def _names_a_program(listed: Node | None) -> bool:
    """Whether args begin with a program, and are more than its name."""
    if not isinstance(listed, Sequence) or len(listed.items) < 2:
        return False
    first = target(listed.items[0])
    return isinstance(first, Scalar) and _RUN_BY_ENTRYPOINTS.fullmatch(first.text) is not None


class _Own:
    """Which of the names behind a `$`, where no shell reads it, are the container's and no one
    else's: whoever runs envsubst over the file first uses it for more than them."""

    def __init__(
        self, document: Document, known: Variables[str, Setting], given: frozenset[str]
    ) -> None:
        self.document = document
        self.known = known
        self.given = given
        self.is_filled: bool | None = None

    def __contains__(self, name: str) -> bool:
        return self._holds(name) and not self._is_filled()

    def _holds(self, name: str) -> bool:
        return name in self.given or name in self.known or name in _IN_PODS

    def _is_filled(self) -> bool:
        if self.is_filled is None:
            self.is_filled = any(self._outer(root, False, 0) for root in self.document.roots)
        return self.is_filled

    def _outer(self, node: Node, is_command: bool, depth: int) -> bool:
        """Whether a `$NAME` that no container has stands in a node, outside of scripts."""
        node = target(node)
        if depth > _MAX_DEPTH:
            return True
        if isinstance(node, Scalar):
            if is_command and re.search(r"\s", node.text):
                return False
            names = (m[2] for m in REFERENCE.finditer(node.text) if m[2])
            return any(not (is_command and self._holds(name)) for name in names)
        if isinstance(node, Sequence):
            return any(self._outer(item, is_command, depth + 1) for item in node.items)
        if not isinstance(node, Mapping):
            return False
        return any(
            self._outer(entry.value, is_command or name in ("command", "args"), depth + 1)
            for name, entry in node.index.items()
        )


# What the training operator adds to the containers of a PyTorchJob.
OF_PYTORCHJOBS = frozenset(
    (
        "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
        "PET_NODE_RANK", "PET_NNODES", "PET_NPROC_PER_NODE",
    )
)  # fmt: skip
# What only controllers and their pods know: those of Jobs, of LeaderWorkerSets, of Volcano.
_IN_PODS = frozenset(
    (
        "JOB_COMPLETION_INDEX", "LWS_WORKER_INDEX", "LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE",
        "VC_TASK_INDEX",
    )
)  # fmt: skip


def _word(
    document: Document, node: Scalar, known: Variables[str, Setting], own: _Own
) -> ShellWord | None:
    written = fragment(document, node)
    if written is None:
        return None
    inner = Shared(document, node, written)
    text, parts, at = node.text, [], 0
    for match in REFERENCE.finditer(text):
        name = match[1]
        if name is None or name not in known:
            continue  # left for a shell, or for envsubst
        if match.start() > at:
            parts.append(Part(Literal(text[at : match.start()]), at, match.start()))
        setting = known[name]
        sources = (setting,)
        parts.append(Part(setting.value, match.start(), match.end(), known=True, sources=sources))
        at = match.end()
    if at < len(text) or not parts:
        parts.append(Part(Literal(text[at:]), at, len(text)))
    if len(parts) == 1 and not re.search(r"\s", text) and "$" in text and not parts[0].known:
        # One word that no shell reads: `$GPUS` in it is what envsubst fills in.
        parts = _filled_later(text, own)
    return ShellWord(inner, document, tuple(parts), 0, len(text), False, False)


def _filled_later(text: str, own: _Own) -> list[Part]:
    parts: list[Part] = []
    at = 0
    for match in REFERENCE.finditer(text):
        if match.start() > at:
            parts.append(Part(Literal(text[at : match.start()]), at, match.start()))
        # controllers and webhooks give pods variables that no line of the manifest shows
        injected = match[1] if match[1] and match[1].isupper() else None
        name = match[2] or injected
        stays = name is None or (match[2] is not None and name in own)
        value: Value = Literal(match.group()) if stays or name is None else Variable(name)
        parts.append(Part(value, match.start(), match.end(), known=True))
        at = match.end()
    if at < len(text):
        parts.append(Part(Literal(text[at:]), at, len(text)))
    return parts
