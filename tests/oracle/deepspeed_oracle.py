"""What DeepSpeed says of a config: its loader, then its engine with a toy model for one step.

Runs in the environment that environment.sh makes. Reads paths from stdin, a line each, and writes a
line of JSON for each: {"file", "verdict": "accept" | "reject" | "crash", "stage", "error",
"message"}. One rank, gloo, no GPU; each file in a process of its own. DeepSpeed's compiled
operators are not built: a file that reaches one has passed everything that stands before it, and is
accepted at the stage "operator".
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import sys
from typing import Any

SECONDS = 40


class NotBuiltError(BaseException):
    """A compiled operator was called."""


class Operator:
    """Stands for a compiled operator: it can be loaded, and not used."""

    def __getattr__(self, name: str) -> Any:
        raise NotBuiltError(name)


def prepare() -> None:
    """Import what every file needs, once."""
    os.environ.update(DS_ACCELERATOR="cpu", RANK="0", LOCAL_RANK="0", WORLD_SIZE="1")
    logging.disable(logging.CRITICAL)
    import torch
    from deepspeed.runtime import config
    from deepspeed.runtime.zero.muon import muon_optimizer  # noqa: F401

    torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])  # imports torch._dynamo
    backend: Any = sys.modules["deepspeed.comm.torch"]
    backend.build_shm_op = lambda: None  # one rank needs none
    builder: Any = sys.modules["deepspeed.ops.op_builder.builder"]
    builder.OpBuilder.jit_load = lambda self, verbose=True: Operator()
    config.dist.get_rank = lambda *a, **k: 0
    config.dist.get_world_size = lambda *a, **k: 1


def load(path: str) -> Any:
    """DeepSpeed's own reading of the file."""
    from deepspeed.runtime.config import DeepSpeedConfig

    return DeepSpeedConfig(path)


def step(path: str) -> None:
    """deepspeed.initialize with a model of two layers, and one optimizer step."""
    import socket

    import deepspeed
    import torch

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]))
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 2))
    made = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=path)
    engine = made[0]
    dtype = next(engine.module.parameters()).dtype
    for _ in range(engine.gradient_accumulation_steps()):
        inputs = torch.randn(engine.train_micro_batch_size_per_gpu(), 8).to(dtype)
        engine.backward(engine(inputs).float().pow(2).mean())
        engine.step()


def judge(path: str) -> dict[str, Any]:
    """The verdict on one file."""
    answer: dict[str, Any] = {"file": path, "verdict": "accept", "stage": "load"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            load(path)
            answer["stage"] = "engine"
            step(path)
        except NotBuiltError:
            answer["stage"] = "operator"
        except ImportError as problem:
            answer["needs"] = str(problem)[:200]
        except (SystemExit, Exception) as problem:  # the verdict is whatever it raises
            answer.update(verdict="reject", error=type(problem).__name__)
            answer["message"] = str(problem)[:300]
    return answer


def main() -> None:
    prepare()
    for line in sys.stdin:
        path = os.path.abspath(line.rstrip("\n"))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            signal.alarm(SECONDS)
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
