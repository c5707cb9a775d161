"""Any text under any file name is linted without an exception, and fixing twice is fixing once."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfglint.files import discovery
from cfglint.files.loading import from_bytes
from cfglint.fixing.fixer import fix
from cfglint.result import Result
from cfglint.session import Session
from cfglint.settings import Settings

NAMES = (
    "acc.yaml", "ds_config.json", "train.yml", "compose.yaml", "Dockerfile", "run.sh", "job.sbatch", ".env",
    ".deepspeed_env", "hostfile", "Makefile", "justfile", "pod.yaml", "a.ipynb", "dataset_info.json",
    ".github/workflows/ci.yml",
)  # fmt: skip
# Pieces of which faulty configs are made.
PIECES = (
    "distributed_type: MULTI_GPU\n", "num_machines: 2\n", "num_processes: ", "main_process_ip: ",
    "main_process_port: ", "machine_rank: ", "deepspeed_config:\n  ", "model_name_or_path: a\nstage: sft\n",
    "services:\n  a:\n    ", "image: b\n    ", "environment:\n      ", "ports:\n      - ", "command: ",
    "network_mode: ", "apiVersion: v1\nkind: Pod\nspec:\n  ", "containers:\n  - ", "FROM a\n", "ENV ", "RUN ",
    "CMD ", "ARG A\n", '["torchrun", "t.py"]', "torchrun ", "--nnodes=2 ", "--node_rank $R ",
    "--master_port 29500 ", "--rdzv_endpoint=h:1 ", "--nproc_per_node ", "accelerate launch ", "deepspeed ",
    "--config_file acc.yaml ", "docker run ", "srun ", "-p 29500:29500 ", "train.py\n", "export ",
    "MASTER_ADDR=", "MASTER_PORT=", "NCCL_SOCKET_IFNAME=", "HF_TOKEN=", "$", "${", "}", "$(", ")", "`", '"',
    "'", "\\\n", "\\", "<<EOF\n", "EOF\n", "if x; then\n", "fi\n", "for i in 1 2; do\n", "done\n", "& ", "| ",
    '{"zero_optimization": {"stage": 3}, ', '"train_batch_size": ', '"fp16": {"enabled": true}, ', "}\n",
    "#SBATCH --nodes=2\n", "#!/bin/bash\n", "worker-1 slots=8\n", "# cfglint: ignore[PORT001]\n", "29500",
    "10.0.0.1", "localhost", "null", "auto", "~", "&a ", "*a", "<<: *a\n", "- ", ": ", "? ", "|\n", ">\n",
    "\n", "\n  ", "\n    ", " ", "\t", ",", "[", "]", "{", "#", "\r\n", "\r", "\u2028", "\x85", "\ufeff",
    "\x00", "\x1b", "\U0001f680", "!!int ", "%", "---\n", "...\n", "0x", "1e5", "-1", "99999999999999999999",
)  # fmt: skip
TEXT = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(max_size=80),
    st.text(alphabet=":-{}[]\"' \n\t#&*!|>%@`,?$\\ab1", max_size=60),
)


@settings(max_examples=400, deadline=None)
@given(name=st.sampled_from(NAMES), data=st.one_of(TEXT.map(lambda t: t.encode("utf-8", "replace")),
                                                   st.binary(max_size=60)))  # fmt: skip
def test_any_bytes_become_a_document(name: str, data: bytes) -> None:
    document = from_bytes(data, name, Path(name))
    assert all(problem.code != "META000" for problem in document.problems), document.problems
    length = len(document.source.text)
    for problem in document.problems:
        assert 0 <= problem.span.start <= problem.span.end <= length


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(files=st.dictionaries(st.sampled_from(NAMES), TEXT, min_size=1, max_size=3))
def test_any_texts_are_linted_and_fixed(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(text.encode("utf-8", "replace"))
        session = Session(Settings(root=tree), list(discovery.find([tree], root=tree)), tree, tree)
        first = session.lint()
        check(first)
        fixed = fix(first, session.lint, unsafe=True)
        check(fixed.result)
        for path, data in fixed.texts.items():
            (tree / path).write_bytes(data)
        again = fix(session.lint(), session.lint, unsafe=True)
        assert again.texts == {}


def check(result: Result) -> None:
    """No rule failed, and every finding, edit and related place lies in its file."""
    assert not result.crashed, [f.message for f in result.findings if f.rule.code == "META000"]
    sources = {d.path: d.source for d in result.project.documents}
    for finding in result.findings:
        length = len(finding.document.source.text)
        assert 0 <= finding.span.start <= finding.span.end <= length, finding
        for related in finding.related:
            assert 0 <= related.span.start <= related.span.end <= len(related.document.source.text)
        for edit in finding.fix.edits if finding.fix else ():
            assert 0 <= edit.span.start <= edit.span.end <= len(sources[edit.path].text)
