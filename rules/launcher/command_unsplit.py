"""A whole command line as one item of a list, which is taken for a program's name.

## What it flags

A list that holds a command line in the program's place: the first item of a container's `command`
in Kubernetes, of a Compose `entrypoint` or of a Dockerfile's `ENTRYPOINT`; and a shell's `-c` with
its script in one item (`["bash", "-c torchrun ..."]`).

A Dockerfile's `CMD` and a Compose `command` may be a script for the shell that is the image's
entrypoint, and are left alone, as are `args` behind `["bash", "-c"]`.

## Why it fails

No shell reads a list: its first item is the name of a program, blanks included.

    exec: "torchrun --nproc_per_node=8 train.py": executable file not found in $PATH
    exec: "/usr/bin/python train.py": stat /usr/bin/python train.py: no such file or directory
    bash: - : invalid option

## Example

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: ["torchrun --standalone train.py"]

Repair: an item for each word.

    apiVersion: v1
    kind: Pod
    metadata: {name: bert}
    spec:
      containers:
      - name: main
        image: registry.local/train:1
        command: ["torchrun", "--standalone", "train.py"]

## References

- Kubernetes: define a command and arguments for a container. Docker: exec form of ENTRYPOINT.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, Word, repair

RULE = Rule(
    code="RUN017",
    name="command-unsplit",
    severity=ERROR,
    summary="a whole command line as one item of a list",
    fix="safe",
    unsafe_too=True,
    kinds=("kubernetes", "compose", "dockerfile"),
    symptoms=(
        r'exec: \\?"(?P<value>[^"\s]+ [^"]+)\\?": executable file not found in \$PATH',
        r'exec: \\?"(?P<value>[^"\s]+ [^"]+)\\?": stat .*no such file or directory',
        r"(?:bash|sh): - : invalid option",
    ),
    cause="No shell reads a list: the item is taken for the name of one program.",
    help='An item for each word, or ["bash", "-c", "..."] for a shell to read it.',
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for word in document.unsplit:
        yield _finding(document, word)


def _finding(document: Document, word: Word) -> Finding:
    text = " ".join((word.text or word.raw).split())
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    is_script = text.startswith("-")
    what = "one word of the shell's" if is_script else "taken for the name of one program"
    edits = word.split()
    # bash may not be there; the plain words are what was meant.
    safe = edits is not None and edits[0].text.strip("\"'") != "bash"
    return RULE.finding(
        document,
        word.span,
        f"{shown!r} is {what}",
        cause="The shell stops: invalid option." if is_script else None,
        fix=repair("make it an item for each word", edits, safe=safe),
    )
