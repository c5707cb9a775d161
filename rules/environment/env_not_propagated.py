"""A variable that the launcher does not carry to the other machines.

## What it flags

`GLOO_...`, `TP_SOCKET_IFNAME`, `HF_...`, `TORCH_NCCL_...` or `LD_LIBRARY_PATH` exported before a
`deepspeed` command whose hostfile names several hosts, and not in `.deepspeed_env`. Variables that
the launcher forwards (`NCCL...`, `PYTHON...`, `MV2...`, `UCX...`) are left alone; so is a script that
writes `.deepspeed_env` itself, or names another file (`DS_ENV_FILE`) that is not at hand.

Such variables, and `NCCL_...`, in the launcher pod of an MPIJob, where neither `-x` of its `mpirun`
names them nor the workers' template sets them.

## Why it fails

The launcher starts the other machines through ssh or pdsh, with a fresh environment. There the
variable is not set: Gloo takes another interface, the model is downloaded again, a library is not
found. Only rank 0's machine behaves as the script says. An MPIJob's launcher pod is no rank at all,
as a rule: no rank has the variable.

## Example

    === hostfile
    node-0 slots=8
    node-1 slots=8
    === run.sh
    export GLOO_SOCKET_IFNAME=eth0
    deepspeed --hostfile hostfile --master_addr node-0 train.py

Repair: a line in `.deepspeed_env`, which the launcher reads on the first machine and exports on
all.

    === .deepspeed_env
    GLOO_SOCKET_IFNAME=eth0

A job of Open MPI, whose repair is `-x NCCL_SOCKET_IFNAME` behind `mpirun`:

    === mpijob.yaml
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata:
      name: train
    spec:
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
                - name: launcher
                  image: train:1
                  env:
                    - name: NCCL_SOCKET_IFNAME
                      value: eth0
                  command: [mpirun, -np, "2", python, train.py]
        Worker:
          replicas: 2
          template:
            spec:
              containers:
                - name: worker
                  image: train:1

## When to ignore it

When the login shells of the machines, or the image for those who come by ssh, set it by themselves.

## References

- DeepSpeed, `launcher/runner.py`: EXPORT_ENVS, `.deepspeed_env`.
- Open MPI, mpirun(1), `-x`: of the environment only what is called OMPI_... goes along by itself.
"""

from collections.abc import Iterator

from cfglint.environment import carried
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="ENV005",
    name="env-not-propagated",
    severity=WARNING,
    summary="a variable that the launcher does not carry to the other machines",
    fix="unsafe",
    cause="The other machines are started with a fresh environment, in which it is not set.",
    help="Put it into .deepspeed_env, behind mpirun's -x, or into the workers' template.",
)
_NEEDED = ("GLOO_", "TP_SOCKET_IFNAME", "HF_", "TORCH_NCCL_", "LD_LIBRARY_PATH", "TRANSFORMERS_")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, (setting, edit) in launch.left_behind.items():
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} does not reach the workers: mpirun hands on what -x names",
            fix=repair(f"hand it on: -x {name}", edit),
        )
    if launch.launcher != "deepspeed" or _hosts(launch) < 2:
        return
    kept = carried.by_file(project, launch)
    if kept is None:
        return
    for name, setting in launch.env.items():
        if not name.startswith(_NEEDED) or name in kept.names or setting.document is kept.file:
            continue
        writer = kept.file.launches[0] if kept.file and kept.file.launches else None
        edit = writer.set_env(name, setting.text) if writer and setting.text else None
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} does not reach the other {_hosts(launch) - 1} hosts of the hostfile",
            fix=repair("add it to .deepspeed_env", edit),
            no_fix="" if edit else "there is no .deepspeed_env yet",
        )


def _hosts(launch: Launch) -> int:
    """How many hosts the launch's hostfile names, 0 where none is at hand."""
    for reference in launch.configs:
        if reference.role == "hostfile" and reference.document is not None:
            return len(getattr(reference.document.tree, "hosts", ()))
    return 0
