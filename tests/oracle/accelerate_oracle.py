"""What accelerate itself does with a config file: accepted, or refused with which message.

Run by the Python of the oracle environment (see CONTRIBUTING), never by cfglint's own. Reads one
path a line on standard input and answers with one JSON object a line:

    {"file": ..., "verdict": "accept" | "reject", "stage": ..., "error": ..., "message": ...}

It calls accelerate's own `launch_command` on the file, up to the point where a process would be
started, and then builds the `Accelerator()` of a training script as rank 0 in the environment that
the launcher made. What a machine without GPUs and peers cannot answer is stubbed: every port is
free, every library (FP8, Megatron, mpirun) is there, the process group is torch's "fake" one, and
there are eight GPUs. A missing library or network is never a refusal, and a DeepSpeed file that is
not there is replaced by a plain one (which folder it is looked up in, only the launch knows). Each
file is judged in a process of its own, forked from one that has imported everything.

Beyond accelerate's code, one judgement is its own: a launch of zero processes is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import types
from typing import Any

KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "DS_ACCELERATOR": "cpu",
    "DS_ENV_FILE": os.devnull,
    "TRANSFORMERS_VERBOSITY": "error",
    "PYTHONWARNINGS": "ignore",
}


class StartedError(Exception):
    """The launcher would have started a process now."""


def prepare() -> None:
    """Import everything once, and stub what depends on the machine."""
    for name in list(os.environ):
        if name not in KEPT:
            del os.environ[name]
    os.environ.update(QUIET, HF_HOME=tempfile.mkdtemp())
    import accelerate.accelerator
    import accelerate.commands.launch
    import accelerate.state
    import accelerate.utils.dataclasses
    import accelerate.utils.launch
    import deepspeed  # noqa: F401
    import torch.distributed.run  # noqa: F401
    import transformers.integrations  # noqa: F401
    from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: F401

    modules = [
        accelerate.accelerator,
        accelerate.commands.launch,
        accelerate.state,
        accelerate.utils.dataclasses,
        accelerate.utils.launch,
    ]
    libraries = ("fp8", "transformer_engine", "msamp", "megatron_lm", "deepspeed")
    yes = ["check_cuda_p2p_ib_support", "check_cuda_fp8_capability", "is_bf16_available"]
    yes += ["is_cuda_available", *(f"is_{library}_available" for library in libraries)]
    for module in modules:
        for name in yes:
            if hasattr(module, name):
                setattr(module, name, lambda *a, **k: True)
    launch = accelerate.utils.launch
    launch.is_port_in_use = port_is_free
    launch.which = lambda name: f"/usr/bin/{name}" if name == "mpirun" else None
    launch.subprocess = types.SimpleNamespace(check_output=lambda *a, **k: b"mpirun (Open MPI) 5.0")


def port_is_free(port: Any = None) -> bool:
    """False, after the refusals of the real probe: a port must be an int that fits 16 bits."""
    import socket

    if port is not None:
        with socket.socket() as probe:
            probe.settimeout(0.05)
            probe.connect_ex(("localhost", port))
    return False


def launched(path: str) -> dict[str, Any]:
    """Run `accelerate launch --config_file PATH train.py` up to the start of a process."""
    import accelerate.commands.launch as launch
    import torch.distributed.run as torchrun
    from torch.distributed.elastic.rendezvous import RendezvousParameters
    from torch.distributed.elastic.rendezvous.static_tcp_rendezvous import create_rdzv_handler

    seen: dict[str, Any] = {}

    def elastic(config: Any, entrypoint: Any) -> Any:
        seen.update(config=config, env=dict(os.environ), launcher="torchrun")
        raise StartedError

    def popen(cmd: list[str], env: dict[str, str], **_: Any) -> Any:
        wrong = [x for x in (*cmd, *env.values()) if not isinstance(x, str)]
        if wrong:
            raise TypeError(f"expected str, bytes or os.PathLike object, not {type(wrong[0])}")
        seen.update(env=env, launcher="deepspeed" if cmd[0] == "deepspeed" else "process")
        raise StartedError

    torchrun.elastic_launch = elastic
    launch.subprocess = types.SimpleNamespace(Popen=popen, CalledProcessError=OSError)
    parser = launch.launch_command_parser()
    args = parser.parse_args(["--config_file", path, "train.py"])
    with contextlib.suppress(StartedError):
        launch.launch_command(args)
    config = seen.get("config")
    if config is not None:
        if config.nproc_per_node < 1:
            raise AssertionError("nproc_per_node is 0: nothing would run")
        parameters = RendezvousParameters(
            backend=config.rdzv_backend,
            endpoint=config.rdzv_endpoint,
            run_id=config.run_id or "none",
            min_nodes=config.min_nodes,
            max_nodes=config.max_nodes,
            local_addr=config.local_addr,
            **config.rdzv_configs,
        )
        if config.rdzv_backend == "static":
            create_rdzv_handler(parameters)
        seen["world"] = config.nproc_per_node * config.max_nodes
        seen["local"] = config.nproc_per_node
    elif seen["launcher"] == "deepspeed":
        seen["world"] = args.num_processes
        seen["local"] = max(1, args.num_processes // args.num_machines)
    return seen


def accelerator(seen: dict[str, Any]) -> None:
    """The `Accelerator()` of a script that was started so."""
    import torch
    from accelerate import Accelerator

    os.environ.clear()
    os.environ.update(seen["env"])
    deepspeed_file = os.environ.get("ACCELERATE_DEEPSPEED_CONFIG_FILE", "none")
    if deepspeed_file not in ("", "none") and not os.path.exists(deepspeed_file):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as stub:
            plain = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}
            json.dump(plain, stub)
        os.environ["ACCELERATE_DEEPSPEED_CONFIG_FILE"] = stub.name
    world = seen.get("world", 1)
    if seen["launcher"] != "process":
        import deepspeed.comm
        import torch.distributed as dist
        from torch.testing._internal.distributed.fake_pg import FakeStore

        os.environ.update(RANK="0", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="1")
        os.environ.update(WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(seen["local"]))
        dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=world)
        deepspeed.comm.is_initialized = lambda: True
        deepspeed.comm.init_distributed = lambda *a, **k: None
    if os.environ.get("ACCELERATE_USE_CPU", "false").lower() not in ("true", "1"):
        for name, answer in {
            "is_available": True,
            "device_count": 8,
            "current_device": 0,
            "set_device": None,
            "is_bf16_supported": True,
            "get_device_capability": (9, 0),
            "get_device_name": "GPU",
        }.items():
            setattr(torch.cuda, name, lambda *a, answer=answer, **k: answer)
    Accelerator()


def judge(path: str) -> dict[str, Any]:
    """The verdict on one file."""
    import io
    import warnings

    warnings.simplefilter("ignore")
    stage = "launch"
    answer: dict[str, Any] = {"file": path, "verdict": "accept"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            os.chdir(os.path.dirname(path))
            seen = launched(path)
            stage = "accelerator"
            accelerator(seen)
        except ImportError as problem:
            answer["needs"] = str(problem)[:200]
        except (SystemExit, Exception) as problem:  # the verdict is whatever it raises
            answer.update(verdict="reject", error=type(problem).__name__)
            answer["message"] = str(problem)[:300]
    answer["stage"] = stage
    return answer


def main() -> None:
    prepare()
    for line in sys.stdin:
        path = os.path.abspath(line.rstrip("\n"))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            answer = judge(path)
            with os.fdopen(writer, "w") as out:
                out.write(json.dumps(answer))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as back:
            text = back.read()
        os.waitpid(child, 0)
        print(text or json.dumps({"file": path, "verdict": "crash"}), flush=True)


if __name__ == "__main__":
    main()
