"""Letting a shell on each node read what srun starts: `srun ... bash -c "..."`."""

from __future__ import annotations

import re

from cfglint.commands.background import breaks_off
from cfglint.commands.options import is_opaque
from cfglint.commands.wrappers import SRUN_SHORT, SRUN_VALUES
from cfglint.commands.wrapping import skip_options
from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.syntax.shell import Command
from cfglint.syntax.shell_nested import Nested
from cfglint.text import Span

_NAME = re.compile(r"\$\{?(\w+)\}?")


def read_there(command: Command, late: Setting) -> list[Edit] | None:
    """Edits after which each task of an srun command fills in a setting's variable itself.

    The batch shell goes on filling in every other variable of the command. None where the text
    cannot be put between double quotes as it is, or is not the whole command: one that breaks off.
    """
    words, fragment = command.words, command.script.fragment
    if isinstance(fragment, Nested) and not (fragment.takes_lines and fragment.quotes == ""):
        return None  # but for a here-document that stands as it is
    if breaks_off(command) or not words or words[0].text != "srun":
        return None
    source = late.document.source.text
    written = source[late.span.start : late.span.end]
    name = _NAME.search(written)
    inside = command.span.start <= late.span.start < command.span.end
    at = skip_options(words, 1, SRUN_SHORT, SRUN_VALUES, opaque=inside or late.used_at is not None)
    if name is None or not words[at : at + 1]:
        return None
    first = words[at]
    text = fragment.text[first.start : command.end]
    edits: list[Edit] = []
    if inside:
        quoted = _between_quotes(text, name[1], name[1])
    elif late.used_at is not None:
        used = _NAME.search(source[late.used_at.start : late.used_at.end])
        if used is None or written.strip('"') != name[0]:
            return None
        quoted = _between_quotes(text, used[1], name[1])
    else:  # in a variable that holds the command
        holder = _NAME.fullmatch(first.raw.strip('"'))
        start = late.span.start + name.start()
        if holder is None or not is_opaque(first) or f"{holder[1]}=" not in source[:start]:
            return None
        edits.append(Edit(late.document.path, Span(start, start + len(name[0])), f"\\{name[0]}"))
        quoted = _between_quotes(text, "", "")
    whole = fragment.edit(first.start, command.end, f'bash -c "{quoted}"') if quoted else None
    return [*edits, whole] if whole is not None else None


def _between_quotes(text: str, variable: str, late: str) -> str | None:
    """A command between double quotes, so that the shell there reads what this one would have
    read; in the place of a variable stands the one that is left to it."""
    if "$(" in text or "`" in text or "<<" in text or re.search(r"'[^']*[$\\][^']*'", text):
        return None
    text = re.sub(r"\\(?!\r?\n)", r"\\\\", text).replace('"', '\\"')
    if not variable:
        return text
    return re.sub(rf"\$(?:{variable}\b|\{{{variable}\}})", rf"\\${late}", text)
