"""What a command's reference says a file is, where the file's own text does not tell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cfglint.files import kind_words, kinds, loading, templates
from cfglint.model.tree import Mapping, target
from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import ConfigRef

# A host and what stands beside it, a comment, or nothing.
_HOST_LINE = lazy(r"\s*(?:#.*|[\w.:@-]+(?:\s+[\w.:=-]+){0,3}(?:\s*#.*)?)?\s*")
ROLES = ("accelerate", "deepspeed", "llamafactory")
_DEEPSPEED = kind_words.DEEPSPEED | kind_words.DEEPSPEED_WEAK | kind_words.DEEPSPEED_OWN
_LARGEST = 100_000  # characters; a longer file is data
# A key of one of the three at the file's top. Only such a file is looked for in others.
_SIGN = lazy(
    r"^(?:\s*\{)?\s{0,8}[\"']?(?:stage|do_train|finetuning_type|template|cutoff_len|lora_\w+"
    r"|model_name_or_path|per_device_train_batch_size|num_processes|num_machines|machine_rank"
    r"|main_process_\w+|mixed_precision|use_cpu|fsdp_config|deepspeed_config|zero_optimization"
    r"|train_(?:micro_)?batch_size\w*|gradient_accumulation_steps|fp16|bf16|optimizer)[\"']?\s*:",
)


def adopt(document: Document, reference: ConfigRef) -> bool:
    """Take a document for what a command's reference says it is; whether its content allows it."""
    if reference.role == "hostfile":
        return _adopt_hostfile(document, reference)
    if reference.role not in ROLES or reference.movable:
        return False
    if document.outer is None and not may_be_config(document):
        return False
    name, text = document.file.name, document.source.text
    if templates.is_named(name):
        return False
    syntax = kinds.syntax_of(name, text)
    if syntax != "json" and (syntax != "yaml" or reference.role == "deepspeed"):
        return False
    tree = loading.parse(document.source, syntax)
    root = target(tree.roots[0]) if len(tree.roots) == 1 else None
    if tree.problems or not isinstance(root, Mapping):
        return False
    if not _allows(reference.role, set(root.names())):
        return False
    if templates.is_filled_in(text, syntax, tree, reference.role):
        return False
    document.kind = reference.role
    document.reason = f"a command of {reference.role} names it as its config"
    document.tree = tree
    loading.read(document)
    return True


def _adopt_hostfile(document: Document, reference: ConfigRef) -> bool:
    """Take a list of hosts for the hostfile that a command of deepspeed says it is."""
    text = document.source.text
    if document.kind is not None or reference.movable or not document.readable:
        return False
    if len(text) > _LARGEST or not all(map(_HOST_LINE.fullmatch, text.splitlines())):
        return False
    document.kind = "hostfile"
    document.reason = "a command of deepspeed names it as its hostfile"
    loading.read(document)
    return True


def may_be_config(document: Document) -> bool:
    """Whether a file of no kind has a key of a config, and only then is worth a search."""
    text = document.source.text
    return (
        document.kind is None
        and document.readable
        and os.path.splitext(document.file.name)[1].lower() in (".yaml", ".yml", ".json")
        and len(text) <= _LARGEST
        and any(_SIGN.match(line) for line in text.splitlines())
    )


def _allows(kind: str, keys: set[str]) -> bool:
    """Whether a file with these keys can be a config of a kind."""
    if kind == "accelerate":
        return kinds.is_mostly(kind, keys)
    if kind == "deepspeed":  # what stands at the top: its optimizers' parameters are anybody's
        return 2 * len(keys & _DEEPSPEED) >= len(keys)
    from cfglint.releases.data import load

    known = keys & (load("llamafactory").names | load("transformers").names)
    return 2 * len(known) >= len(keys) and not keys & kind_words.FOREIGN_TO_LLAMAFACTORY
