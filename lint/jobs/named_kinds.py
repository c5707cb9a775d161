"""Files whose own text does not tell that they are configs, and the launchers' commands that do.

`llamafactory-cli train c.yaml` makes c.yaml a config of LLaMA-Factory where it has no mark of one
(no model_name_or_path, say) and nothing in it speaks against that. Whether the command's file was
asked for makes no difference: for a given file it is looked for in the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.files.adopting import adopt, may_be_config
from cfglint.files.mentions import is_named
from cfglint.jobs.linking import resolve, search_users
from cfglint.programs import entrypoints

if TYPE_CHECKING:
    from cfglint.model.launch import ConfigRef, Launch
    from cfglint.project import Project


def settle(project: Project) -> None:
    """Give the files that commands name as configs the kind that these say."""
    for document in list(project.documents):
        if document.given and may_be_config(document) and is_named(project, document):
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
