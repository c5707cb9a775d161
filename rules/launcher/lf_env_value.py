"""A value that LLaMA-Factory's launcher does not take.

## What it flags

For `llamafactory-cli train`: `FORCE_TORCHRUN` set to `yes`, `on` or another word that is not
counted as yes (also in a `.env` file, as nothing else reads it); `NNODES` empty or `1:4`;
`MASTER_PORT`, `NODE_RANK` or `NPROC_PER_NODE` empty.

## Why it fails

`FORCE_TORCHRUN=yes` is no: on one GPU no torchrun is started. Empty variables are not "unset": they
reach torchrun as empty words or `int("")`.

    ValueError: invalid literal for int() with base 10: ''
    ValueError: invalid literal for int() with base 10: '1:4'
    torchrun: error: argument --master-port/--master_port: invalid int value

## Example

    FORCE_TORCHRUN=yes llamafactory-cli train lora.yaml

Repair: 1.

    FORCE_TORCHRUN=1 llamafactory-cli train lora.yaml
"""

from collections.abc import Iterator

from cfglint.programs import entrypoints
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="RUN014",
    name="lf-env-value",
    severity=ERROR,
    summary="a value that LLaMA-Factory's launcher does not take",
    fix="safe",
    symptoms=(
        r"invalid literal for int\(\) with base 10: '(?P<value>(?:\d+:\d+)?)'",
        r"argument --master-port/--master_port: invalid int value",
    ),
)
_NO = ("0", "false", "n", "no", "off", "")
_NUMBERS = ("NNODES", "NODE_RANK", "NPROC_PER_NODE", "MASTER_PORT")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The variables of a LLaMA-Factory launch."""
    program = launch.program
    # A file of variables whose program is not seen: FORCE_TORCHRUN is LLaMA-Factory's alone.
    is_file = launch.launcher == "env" and launch.document.kind == "dotenv"
    if "USE_V1" in launch.env:
        return
    if not is_file and (launch.launcher != "llamafactory" or program is None):
        return
    if program is not None and entrypoints.subcommand(program) != "train":
        return
    force = launch.env.get("FORCE_TORCHRUN")
    text = force.text if force is not None else None
    if force is not None and text and text.lower() not in _NO and not entrypoints.is_on(text):
        yield RULE.at(
            force,
            f"FORCE_TORCHRUN={text} is not taken for yes",
            cause="No torchrun is started where one GPU is visible.",
            help="Write FORCE_TORCHRUN=1.",
            fix=repair("write 1", force.write("1"), safe=True),
        )
    for name in _NUMBERS:
        variable = launch.env.get(name)
        if variable is None or variable.text is None:
            continue
        if is_file and (force is None or not variable.text):
            continue  # to be filled in
        if variable.text == "":
            yield RULE.at(
                variable,
                f"{name} is set to nothing, which is not the same as not set",
                cause="LLaMA-Factory passes the empty text on: invalid int value.",
                help="Leave the variable out.",
                fix=repair("leave it out", variable.remove(), safe=True),
            )
        elif name == "NNODES" and ":" in variable.text and "RDZV_ID" not in launch.env:
            yield RULE.at(
                variable,
                f"NNODES={variable.text} is a range, and LLaMA-Factory wants a number",
                cause=f"LLaMA-Factory stops: int() does not take '{variable.text}'.",
                help="Set RDZV_ID, MIN_NNODES and MAX_NNODES for an elastic job.",
            )
