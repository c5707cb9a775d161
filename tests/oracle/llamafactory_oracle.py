"""What LLaMA-Factory itself does with a config file: accepted, or refused with which message.

Run by the Python of the oracle environment (see CONTRIBUTING), never by cfglint's own. Reads one
path a line on standard input and answers with one JSON object a line:

    {"file": ..., "verdict": "accept" | "reject", "stage": ..., "error": ..., "message": ...}

The first line of a file is a comment that names the command it is for: train, chat or export. The
real parser reads it as one of several processes of a job; then what the package does before it
needs a model: the choice of the stage, of the template, of attention and of quantisation, and the
look-up of the loggers. What depends on the machine is stubbed: devices, the process group, bf16,
and which optional packages are there. Each file is judged in a process of its own.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import inspect
import io
import json
import os
import sys
import types
from datetime import timedelta
from typing import Any

os.environ.update(
    CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", DS_ACCELERATOR="cpu",
    LLAMAFACTORY_VERBOSITY="ERROR", DISABLE_VERSION_CHECK="1", TOKENIZERS_PARALLELISM="false",
    OMP_NUM_THREADS="1",
)  # fmt: skip


class StartedError(Exception):
    """A stage would have begun now."""


def stub(name: str) -> None:
    """An empty module for an optional package that is not there."""
    try:
        __import__(name)
    except Exception:
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules[name] = module


def prepare() -> None:
    """Import everything once, and stub what depends on the machine."""
    stub("torchaudio")
    import llamafactory.extras.misc as misc
    import llamafactory.hparams.parser as parser
    import llamafactory.model.model_utils.quantization as quantization
    import llamafactory.train.tuner as tuner
    import torch
    import transformers.training_args as training

    def devices(self: Any) -> Any:
        timedelta(seconds=self.ddp_timeout)
        self._n_gpu = 1
        self.distributed_state = None
        return torch.device("cpu")

    base = training.TrainingArguments
    base._setup_devices = property(devices)  # type: ignore[method-assign, assignment]
    base.parallel_mode = property(lambda self: training.ParallelMode.DISTRIBUTED)  # type: ignore[method-assign, assignment]
    for module in (training, parser):
        for name in ("is_torch_bf16_gpu_available", "is_torch_tf32_available"):
            if hasattr(module, name):
                setattr(module, name, lambda *_: True)
    if hasattr(training, "enable_tf32"):
        training.enable_tf32 = lambda *_: None
    for module in (misc, parser, quantization):
        module.check_version = lambda *_, **__: None  # type: ignore[attr-defined]
    for name in [n for n in vars(tuner) if n.startswith("run_") and n != "run_exp"]:
        setattr(tuner, name, _started)


def _started(*_: Any, **__: Any) -> None:
    raise StartedError


def tokenizer() -> Any:
    """The smallest real tokenizer."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "</s>": 2}, unk_token="<unk>"))
    return PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def parse(path: str, command: str) -> Any:
    """What the command's parser makes of a file."""
    import llamafactory.hparams.parser as parser

    sys.argv = ["llamafactory-cli", path]
    if command == "train":
        if hasattr(parser, "read_args"):
            read = parser.read_args(None)
            if hasattr(parser, "get_ray_args"):
                parser.get_ray_args(read)
            return parser.get_train_args(read)
        return parser.get_train_args(None)
    return parser.get_infer_args(None)


def go_on(parsed: Any, command: str) -> None:
    """What comes after parsing, as far as it needs no model."""
    import llamafactory.train.tuner as tuner
    from llamafactory.data import get_template_and_fix_tokenizer
    from llamafactory.model.model_utils import attention, quantization

    model_args, data_args = parsed[0], parsed[1]
    training_args = parsed[2] if command == "train" else None
    if training_args is not None:
        from transformers.integrations.integration_utils import get_reporting_integration_callbacks

        tuner.get_train_args = lambda *_: parsed
        run = getattr(tuner, "_training_function", None)
        with contextlib.suppress(StartedError):
            if run is not None:
                run(config={"args": {}, "callbacks": []})
        get_reporting_integration_callbacks(training_args.report_to)
    elif command == "export":
        for condition, says in (
            (model_args.export_dir is None, "Please specify `export_dir` to save model."),
            (
                model_args.adapter_name_or_path is not None
                and model_args.export_quantization_bit is not None,
                "Please merge adapters before quantizing the model.",
            ),
        ):
            if condition:
                raise ValueError(says)
    get_template_and_fix_tokenizer(tokenizer(), data_args)
    config = types.SimpleNamespace(model_type="llama")
    attention.configure_attn_implementation(config, model_args)  # type: ignore[arg-type]
    given = {
        "config": config, "tokenizer": None, "model_args": model_args, "init_kwargs": {},
        "is_trainable": bool(training_args and training_args.do_train),
    }  # fmt: skip
    wanted = inspect.signature(quantization.configure_quantization).parameters
    if model_args.export_quantization_bit is None:
        quantization.configure_quantization(**{name: given[name] for name in wanted})


def judge(path: str) -> dict[str, Any]:
    """Parse one file, go on, and say how it ended."""
    with open(path, encoding="utf-8") as file:
        command = file.readline().strip("# \n")
    stage = "parse"
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            parsed = parse(path, command)
            stage = "late"
            go_on(parsed, command)
    except (ImportError, ModuleNotFoundError) as problem:
        return {"file": path, "verdict": "accept", "stage": stage, "message": f"needs {problem}"}
    except Exception as problem:
        if type(problem).__name__ == "PackageNotFoundError":
            return {"file": path, "verdict": "accept", "stage": stage, "message": "needs it"}
        return {
            "file": path, "verdict": "reject", "stage": stage, "error": type(problem).__name__,
            "message": " ".join(str(problem).split())[:300],
        }  # fmt: skip
    return {"file": path, "verdict": "accept", "stage": stage}


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the packages print does not belong to the answers
    prepare()
    for line in sys.stdin:
        path = line.strip()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as pipe:
                pipe.write(json.dumps(judge(path)))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        out.write((answer or json.dumps({"file": path, "verdict": "crash"})) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
