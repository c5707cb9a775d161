"""A fault is found, and mended, in whatever file starts the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint import registry
from cfglint.fixing.fixer import fix
from cfglint.record import replace
from tests.carriers import CARRIERS
from tests.lintcases import session
from tests.running import write

NODES = "torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 "
MASTER = "--master_addr=10.0.0.1 --master_port=25000 train.py"
KEY = {"WANDB_API_KEY": "".join(f"{n:x}" for n in range(16)) * 2 + "01234567"}
RANKS = {"MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "25000", "WORLD_SIZE": "2", "RANK": "2"}
PODS = ("pod", "pod, shell")  # whose controller gives the ranks
# An image may add the program; what runs elsewhere is not seen whole.
NO_PROGRAM = (
    "ssh", "docker run", "docker run bash -c", "image, shell form", "image, exec form",
    "compose, string", "compose, list", "compose, shell", *PODS,
)  # fmt: skip

# The rule, a command and its variables, the carriers in which it is no fault or cannot be seen.
FAULTS: list[tuple[str, str, dict[str, str], tuple[str, ...]]] = [
    ("PORT004", NODES + MASTER.replace("25000", "70000"), {}, ()),
    ("ADDR003", NODES + MASTER.replace("10.0.0.1", "172.17.0.2"), {}, ()),
    ("NET005", NODES + MASTER, {"GLOO_SOCKET_IFNAME": "^docker0"}, ()),
    ("TOPO008", "torchrun --standalone --nnodes=2 --nproc_per_node=8 train.py", {}, ()),
    ("RUN001", "torchrun --nproc_per_node=8 -m llamafactory.cli train c.yaml", {}, ()),
    ("RUN002", "torchrun train.py --nproc_per_node=8", {}, ()),
    ("RUN018", "torchrun --nproc_per_node=8", {}, NO_PROGRAM),
    ("TOPO002", "python train.py", RANKS, PODS),
    ("RUN008", "deepspeed --num_gpus 4 train.py", {"CUDA_VISIBLE_DEVICES": "0,1"}, ()),
    ("ENV001", NODES + MASTER, {"NCCL_SOCKET_IFNAM": "eth0"}, ()),
    ("ACC005", "accelerate launch --same_network true train.py", {}, ()),
    ("SEC001", NODES + MASTER, KEY, ()),
]  # fmt: skip
WHERE = [
    pytest.param(*fault[:3], carrier, id=f"{fault[0]}-{carrier}")
    for fault in FAULTS
    for carrier in CARRIERS
    if carrier not in fault[3]
]
# Another machine gets none of the caller's variables.
NO_REPAIR = {("SEC001", "ssh")}
# Without one to mend it: which address, port or device is meant cannot be told.
HAS_REPAIR = ("NET005", "RUN001", "RUN002", "RUN008", "ENV001", "ACC005", "SEC001")


@pytest.mark.parametrize(("code", "command", "variables", "carrier"), WHERE)
def test_a_fault_is_found_and_mended_in_every_carrier(
    tmp_path: Path, code: str, command: str, variables: dict[str, str], carrier: str
) -> None:
    write(tmp_path, {"train.py": "", **CARRIERS[carrier](command, variables)})
    one = session(tmp_path)
    one.settings = replace(one.settings, select=(code,))
    found = one.lint()
    assert [finding.rule.code for finding in found.findings] == [code]
    if code in HAS_REPAIR and (code, carrier) not in NO_REPAIR:
        fixed = fix(found, one.lint, True)
        assert fixed.refused == {}
        assert fixed.texts.keys() == CARRIERS[carrier](command, variables).keys()
        assert fixed.result.findings == []


@pytest.mark.parametrize("carrier", CARRIERS)
def test_no_family_is_left_out(
    tmp_path: Path, carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules that a kind is asked are all that have something to say of it."""
    for number, (_, command, variables, _) in enumerate(FAULTS):
        folder = tmp_path / str(number)
        write(folder, CARRIERS[carrier](command, variables))
        usual = [(f.rule.code, f.span) for f in session(folder).lint().findings]
        with monkeypatch.context() as patch:
            patch.setattr(registry, "needed", lambda kinds: iter(registry.everything()))
            every = [(f.rule.code, f.span) for f in session(folder).lint().findings]
        assert usual == every
