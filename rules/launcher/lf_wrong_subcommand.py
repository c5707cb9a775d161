"""A LLaMA-Factory YAML given to a sub-command that it is not for.

## What it flags

A training or prediction YAML (`do_train`, `do_predict`, `output_dir`, `learning_rate` ...) given to
`export`, `chat`, `webchat`, `api` or `eval`, and an export or evaluation YAML (`export_dir`, or
`task` and `save_dir`, and nothing to train on) given to `train`.

## Why it fails

Each sub-command has keys of its own and refuses the others:

    ValueError: Some specified arguments are not used by the HfArgumentParser: ['--do_train', ...]
    ValueError: Some keys are not used by the HfArgumentParser: ['do_train', 'learning_rate', ...]

## Example

    === merge.sh
    llamafactory-cli export lora.yaml
    === lora.yaml
    model_name_or_path: Qwen/Qwen3-0.6B
    stage: sft
    do_train: true
    finetuning_type: lora
    dataset: alpaca
    template: qwen3
    output_dir: out

Repair: a YAML for this sub-command.

    === merge.sh
    llamafactory-cli export merge.yaml
    === merge.yaml
    model_name_or_path: Qwen/Qwen3-0.6B
    adapter_name_or_path: out
    template: qwen3
    export_dir: merged
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import form_of
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Mapping, Related, Rule

RULE = Rule(
    code="RUN007",
    name="lf-wrong-subcommand",
    severity=ERROR,
    summary="a LLaMA-Factory YAML given to a sub-command that refuses it",
    symptoms=(
        r"Some (?:specified arguments|keys) are not used by the HfArgumentParser",
        r"the following arguments are required: --output_dir",
    ),
)
# Keys that only training takes.
_TRAINING = (
    "do_train", "output_dir", "num_train_epochs", "learning_rate", "per_device_train_batch_size",
    "gradient_accumulation_steps", "lr_scheduler_type", "warmup_ratio", "save_steps", "do_predict",
    "predict_with_generate",
)  # fmt: skip
# What a config is for that is not for training, and the keys that show it.
_FORMS = {
    "export": ("export", ("export_dir",)),
    "eval": ("evaluation", ("task",)),
    "infer": ("chat or serving", ("infer_backend", "adapter_name_or_path", "model_name_or_path")),
}
_OTHERS = ("export", "chat", "webchat", "api", "eval")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A command and the YAML it names."""
    program = launch.program
    if program is None or launch.launcher != "llamafactory" or not program.args:
        return
    command = program.args[0].text
    if "ALLOW_EXTRA_ARGS" in launch.env or "USE_V1" in launch.env:
        return
    for reference in launch.configs:
        document = reference.document
        if reference.role != "llamafactory" or document is None or document.kind != "llamafactory":
            continue
        root = document.root
        if not isinstance(root, Mapping):
            continue
        training = [key for key in _TRAINING if key in root]
        message = None
        if command in _OTHERS and training:
            message = (
                f"{command} refuses {reference.path}: {', '.join(training[:3])} are for training"
            )
            cause = "The program stops: some keys are not used by the HfArgumentParser."
            key = root.entry(training[0])
        elif command == "train" and len(program.args) == 2:
            keys = set(root.names())
            form = _FORMS.get(form_of(keys))
            if form is None or keys & {"dataset", "eval_dataset", "output_dir", "stage"}:
                continue
            purpose, names = form
            key = next((entry for name in names if (entry := root.entry(name))), None)
            message = f"{reference.path} is for {purpose}: it names neither dataset nor output_dir"
            cause = "The program stops, or (with a recent transformers) ends without training."
        if message is None or key is None:
            continue
        yield RULE.finding(
            launch.document,
            program.args[0].span,
            message,
            cause=cause,
            help=f"Give {command} a YAML of its own.",
            related=[Related(document, key.span, "a key that it refuses")],
        )
