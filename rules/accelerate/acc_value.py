"""A value of the wrong type, or none of those that accelerate takes.

## What it flags

A value that the launch of this file looks at and that accelerate refuses (error), or takes for
something else than it says (warning). Values that this launch does not look at are left alone: a
`machine_rank` on one machine, FSDP's keys under DeepSpeed.

## Why it fails

accelerate checks nothing when it loads the file; the value meets the code that needs it:

    ValueError: 'multi_gpu' is not a valid DistributedType
    AttributeError: 'bool' object has no attribute 'lower'        (mixed_precision)
    AttributeError: 'int' object has no attribute 'split'         (gpu_ids)
    TypeError: 'str' object cannot be interpreted as an integer   (main_process_port)
    ValueError: Unknown mixed_precision mode: fp32. Choose between ['no', 'fp8', 'fp16', 'bf16'].
    ValueError: invalid truth value cpu                           (fsdp_offload_params)

## Example

    distributed_type: multi_gpu
    num_processes: 2
    gpu_ids: [0, 1]
    main_process_port: '29511'

Repair: the exact spelling, the comma list as a string, the port as a number.

    distributed_type: MULTI_GPU
    num_processes: 2
    gpu_ids: '0,1'
    main_process_port: 29511

## When to ignore it

When every launch overrides the value on the command line.

## References

accelerate, utils/launch.py: `prepare_multi_gpu_env`, `prepare_deepspeed_cmd_env`; the plugins in
utils/dataclasses.py.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.accelerate.faults import wrong_values
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC002",
    name="acc-value",
    severity=ERROR,
    summary="a value of the wrong type, or none of those that accelerate takes",
    fix="safe",
    unsafe_too=True,
    kinds=("accelerate",),
    symptoms=(
        r"'(?P<value>\w+)' is not a valid (DistributedType|ComputeEnvironment)",
        r"Unknown mixed_precision mode: (?P<value>\w*)",
        r"Unknown dynamo backend: (?P<value>\w*)",
        r"Invalid auto wrap policy: (?P<value>\w*)",
        r"'(bool|list|int)' object has no attribute '(lower|upper|split)'",
        r"'(str|float)' object cannot be interpreted as an integer",
        r"invalid truth value (?P<value>\w*)",
        r"is not a valid ShardingStrategy",
        r"Could not find the transformer layer class",
    ),
    yields_to=("SYN006",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The wrong values that matter to this launch, at the values."""
    config = config_of(document, project)
    for objection in wrong_values(config, project) if config else ():
        yield objection.finding(RULE, document)
