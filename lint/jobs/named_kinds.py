"""Files whose own text does not tell that they are configs, and the launchers' commands that do.

`llamafactory-cli train c.yaml` makes c.yaml a config of LLaMA-Factory where it has no mark of one
(no model_name_or_path, say) and nothing in it speaks against that. Whether the command's file was
asked for makes no difference: for a given file it is looked for in the tree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cfglint.files import kind_words, kinds, loading, templates
from cfglint.files.mentions import is_named
from cfglint.jobs.linking import resolve, search_users
from cfglint.model.tree import Mapping, target
from cfglint.patterns import lazy
from cfglint.programs import entrypoints

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import ConfigRef, Launch
    from cfglint.project import Project

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


def settle(project: Project) -> None:
    """Give the files that commands name as configs the kind that these say."""
    for document in list(project.documents):
        if document.given and _may_be_config(document) and is_named(project, document):
            search_users(project, document)
    for document in list(project.documents):
        for launch in document.launches:
            for reference in launch.configs:
                named = reference.document
                if named is None or named.kind is not None or not _is_sure(launch, reference):
                    continue
                if adopt(named, reference):
                    for own in named.launches:
                        resolve(project, own)


def adopt(document: Document, reference: ConfigRef) -> bool:
    """Take a document for what a command's reference says it is; whether its content allows it."""
    if reference.role == "hostfile":
        return _adopt_hostfile(document, reference)
    if reference.role not in ROLES or reference.movable or not _may_be_config(document):
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


def _may_be_config(document: Document) -> bool:
    text = document.source.text
    return (
        document.kind is None
        and document.readable
        and os.path.splitext(document.file.name)[1].lower() in (".yaml", ".yml", ".json")
        and len(text) <= _LARGEST
        and any(_SIGN.match(line) for line in text.splitlines())
    )


def _is_sure(launch: Launch, reference: ConfigRef) -> bool:
    """Whether a reference can only mean this: `train.py c.yaml` may be anybody's program."""
    if reference.role == "hostfile":
        return launch.launcher == "deepspeed"  # mpirun's list has another grammar
    if reference.role != "llamafactory" or launch.launcher == "llamafactory":
        return True
    program = launch.program
    return program is not None and (
        entrypoints.is_llamafactory_command(program)
        or program.text == "llamafactory.launcher"
        or program.text.endswith("llamafactory/launcher.py")
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
