"""Launch scripts that neither an ending nor a first line `#!` gives away.

`bash train` runs them as well. What looks like one may be a README, a log or a list of notes with a
command in it: each line of the beginning must be one that a shell script has, and one of them must
start a job.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.patterns import lazy

HEAD = 4096  # bytes at the beginning of a file that are looked at
LAUNCHERS = (
    "torchrun", "accelerate", "deepspeed", "llamafactory-cli", "torch.distributed", "srun",
    "mpirun", "mpiexec", "horovodrun",
)  # fmt: skip
_SET = r"[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?="
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|\$\([^()]*\)|`[^`]*`|[^\s\"'`;&|()])*"
_AROUND = (
    r"(?:(?:export|nohup|env|time|exec|command|sudo|numactl|taskset|timeout|stdbuf|nsys|ncu)"
    r"(?:[ \t]+-[^\s]*)*[ \t]+)"
)
_LAUNCH = lazy(
    rf"(?:{_SET}{_VALUE}[ \t]+|{_AROUND})*(?:torchrun|accelerate[ \t]+launch|deepspeed"
    r"|horovodrun|mpirun|mpiexec|srun|llamafactory-cli"
    r"|python[\d.]*[ \t]+(?:-\w[ \t]+)*-m[ \t]+(?:torch\.distributed|accelerate\.commands)\.\w+)"
    r"[ \t]+[-\w.$\"'{/]"
)
# What a line of a script begins with. A word of English that is a command too (`time`, `set`) is
# followed by what no sentence has: see `_PROSE`.
_LINE = lazy(
    rf"(?:{_SET}|(?:{_SET}{_VALUE}[ \t]+)*(?:export|declare|local|readonly|unset|set|shopt|ulimit"
    r"|umask|source|\.|cd|pushd|popd|echo|printf|read|mkdir|rm|cp|mv|ln|ls|cat|tee|sed|awk|grep"
    r"|head|tail|date|hostname|pwd|which|sleep|wait|exit|trap|eval|exec|nohup|env|time|timeout|sudo"
    r"|numactl|taskset|module|ml|conda|mamba|micromamba|pip3?|uv|git|wget|curl|nvidia-smi|ip|ray"
    r"|scontrol|srun|sbatch|squeue|torchrun|accelerate|deepspeed|horovodrun|mpirun|mpiexec"
    r"|llamafactory-cli|swift|python[\d.]*|bash|sh|ssh|pdsh|docker|podman|singularity|apptainer"
    r"|pkill|kill|chmod|touch|true|\./[\w./-]+|/[\w./-]+)(?=[ \t;&|<>]|$)"
    r"|(?:if|elif|while|until)[ \t]+[\[(!\w]|(?:then|else|fi|do|done|esac)\b"
    r"|for[ \t]+(?:\w+[ \t]+in\b|\(\()|case[ \t]+\S+[ \t]+in\b|[\w*|.\"-]+\)|;;"
    r"|(?:function[ \t]+)?[\w-]+[ \t]*\([ \t]*\)|[{}()]|\[\[?[ \t]|\(\()"
)
_PROSE = lazy(
    r"(?!echo|printf)[a-z]+[ \t]+(?:the|a|an|it|this|that|you|your|we|is|are|with|and|on)\b"
)


def is_launch_script(text: str) -> bool:
    """Whether a text, or the beginning of one, reads like a shell script that starts a job."""
    if not any(word in text for word in LAUNCHERS) or "\0" in text:
        return False
    launches = False
    functions: set[str] = set()
    for line in _lines(text):
        named = _FUNCTION.match(line)
        if named is not None:
            functions.add(named[1])
        if line.split(None, 1)[0] in functions:
            continue
        if _LINE.match(line) is None or _PROSE.match(line) is not None:
            return False
        launches = launches or _LAUNCH.match(line) is not None
    return launches


def _lines(text: str) -> Iterator[str]:
    """The commands of a text, line by line: continued ones joined, without comments, the items of
    arrays and the bodies of here-documents."""
    pending, closing = "", ""
    for raw in text.lstrip("\ufeff").splitlines():
        line = raw.strip()
        if closing:
            closing = "" if line.endswith(closing) else closing
            continue
        if pending:
            line = pending + line
        if line.endswith("\\"):
            pending = line[:-1] + " "
            continue
        pending = ""
        if not line or line.startswith("#"):
            continue
        yield line
        opened = _OPENS.search(line)
        if opened is not None:
            closing = opened["word"] or ")"


_FUNCTION = lazy(r"(?:function[ \t]+)?([\w-]+)[ \t]*\([ \t]*\)")
_OPENS = lazy(r"<<-?[ \t]*['\"]?(?P<word>\w+)['\"]?|^[A-Za-z_]\w*\+?=\([^()]*$")
