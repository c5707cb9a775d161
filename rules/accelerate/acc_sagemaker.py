"""A SageMaker config that `accelerate launch` cannot start.

## What it flags

`compute_environment: AMAZON_SAGEMAKER` with accelerate 1.10 or newer, or with `distributed_type:
'NO'` since 0.34. A warning where the version is not known.

## Why it fails

    AttributeError: 'SageMakerConfig' object has no attribute 'parallelism_config'
    ValueError: The config file at sm.yaml had unknown keys (['num_processes']), please try ...

The first since 1.10: the launcher asks every config for `parallelism_config`. The second since
0.34: for `'NO'` it adds a `num_processes` that a SageMaker config does not have.

## Example

    === sm.yaml
    compute_environment: AMAZON_SAGEMAKER
    distributed_type: DATA_PARALLEL
    ec2_instance_type: ml.p3.16xlarge
    iam_role_name: training
    === requirements.txt
    accelerate==1.12.0

Repair: a release that still launches them.

    === sm.yaml
    compute_environment: AMAZON_SAGEMAKER
    distributed_type: DATA_PARALLEL
    ec2_instance_type: ml.p3.16xlarge
    iam_role_name: training
    === requirements.txt
    accelerate==1.9.0

## When to ignore it

When the job is started by SageMaker's own tools, not by `accelerate launch`.

## References

huggingface/accelerate#3837, #1078, #2744; accelerate, commands/launch.py:
`_validate_launch_command`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule

RULE = Rule(
    code="ACC015",
    name="acc-sagemaker",
    severity=ERROR,
    summary="a SageMaker config that accelerate launch cannot start",
    kinds=("accelerate",),
    symptoms=(
        r"'SageMakerConfig' object has no attribute 'parallelism_config'",
        r"had unknown keys \(\['num_processes'\]\)",
    ),
    yields_to=("ACC001", "ACC002"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The compute environment that is broken, at its value."""
    config = config_of(document, project)
    if config is None or not config.is_sagemaker or config.version.number is None:
        return
    if not config.version.before("1.10.0"):
        cause = "'SageMakerConfig' object has no attribute 'parallelism_config'"
    elif config.value("", "distributed_type") == "NO" and not config.version.before("0.34.0"):
        cause = "had unknown keys (['num_processes'])"
    else:
        return
    yield RULE.finding(
        document,
        config.root.index["compute_environment"].value.span,
        f"{config.version.title} cannot launch a SageMaker config",
        severity=ERROR if config.version.pinned else WARNING,
        cause=f'accelerate launch ends with "{cause}" ({config.version}).',
        help="Use accelerate 1.9 or older, or start the job with SageMaker's own tools.",
    )
