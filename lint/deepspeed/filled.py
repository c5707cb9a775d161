"""Whether a Python program of the tree completes a DeepSpeed config before DeepSpeed gets it.

Source: Lightning, strategies/deepspeed.py: `_format_batch_size_and_grad_accum_config`, which takes
the micro batch size from the data loader where the config has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

_LIGHTNING = lazy(rb"lightning[\s\S]*\bDeepSpeed(?:Strategy|Plugin)\(")
_SETS = lazy(rb"\[\s*[\"']train_(?:micro_)?batch_size(?:_per_gpu)?[\"']\s*\]\s*=(?!=)")


def gets_batch_sizes(document: Document, project: Project) -> bool:
    """Whether a program that names the config, or lies beside or above it, gives a config its batch
    sizes: one of Lightning's, or one that writes the keys itself."""
    from cfglint.files.mentions import content, files, naming

    folder = document.file.absolute().parent
    around = {folder, *folder.parents}
    near = (path for path in files(project) if path.absolute().parent in around)
    for path in (*near, *naming(project, document.file.name)):
        if path.suffix == ".py":
            text = content(project, path)
            if _SETS.search(text) or (b"DeepSpeed" in text and _LIGHTNING.search(text)):
                return True
    return False
