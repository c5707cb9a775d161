"""Which fixes are made, in which order, and which are dropped with their reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from cfglint import registry
from cfglint.fixing import fixer
from cfglint.fixing.fixer import Fixed, fix
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.project import Project
from cfglint.record import replace
from cfglint.rule import ERROR, WARNING, Finding, Rule, Severity, repair
from cfglint.session import Session
from cfglint.settings import Settings
from cfglint.syntax.editing import set_value
from tests.running import write

Check = Callable[[Document, Project], Iterator[Finding]]
ACC = "distributed_type: NO\nnum_processes: 1\n"


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put rules of the test's own in the place of all others."""
    made: list[registry.RuleModule] = []
    monkeypatch.setattr(registry, "needed", lambda kinds: iter(made))

    def add(code: str, check: Check, severity: Severity = WARNING) -> None:
        rule = Rule(code, code.lower(), severity, "a rule of a test")
        module = ModuleType(code)
        module.check_document = lambda document, project: (  # type: ignore[attr-defined]
            _with(rule, finding) for finding in check(document, project)
        )
        made.append(registry.RuleModule(rule, module, "test"))

    return add


def _with(rule: Rule, finding: Finding) -> Finding:
    finding.rule, finding.severity = rule, rule.severity
    return finding


ANY = Rule("T000", "t", WARNING, "replaced by the rule that asks")


def says(key: str, wanted: object, safe: bool = True, message: str = "") -> Check:
    """A rule that wants a key to have a value, and repairs it."""

    def check(document: Document, project: Project) -> Iterator[Finding]:
        node = document.root.get(key)
        if node is not None and node.value != wanted:
            one = repair(f"set {key}", set_value(document, node, wanted), safe=safe)
            yield ANY.at(
                node_problem(node), message or f"{key} is {node.text}", document=document, fix=one
            )

    return check


def node_problem(node: object) -> object:
    return node  # Rule.at only asks for a span


def run(tree: Path, unsafe: bool = False) -> Fixed:
    files = sorted(path for path in tree.iterdir() if path.is_file())
    session = Session(Settings(root=tree), files, tree, tree)
    return fix(session.lint(), session.lint, unsafe)


def test_safe_fixes_only(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, {"acc.yaml": ACC + "a: 1\nb: 1\n"})
    rules("T001", says("a", 2))
    rules("T002", says("b", 2, safe=False))
    fixed = run(tmp_path)
    assert list(fixed.texts.values()) == [(ACC + "a: 2\nb: 1\n").encode()]
    assert [f.rule.code for f in fixed.result.findings] == ["T002"]
    assert list(run(tmp_path, unsafe=True).texts.values()) == [(ACC + "a: 2\nb: 2\n").encode()]
    assert (tmp_path / "acc.yaml").read_text().endswith("a: 1\nb: 1\n")  # nothing is written here


def test_on_one_place_safe_goes_before_unsafe(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, {"acc.yaml": ACC + "a: 1\n"})
    rules("T001", says("a", 3, safe=False), ERROR)
    rules("T002", says("a", 3, safe=True))
    fixed = run(tmp_path, unsafe=True)
    assert [f.rule.code for f, _ in fixed.applied] == ["T002"]
    assert fixed.result.findings == []


def test_fixes_that_undo_each_other_are_not_made(
    tmp_path: Path, rules: Callable[..., None]
) -> None:
    write(tmp_path, {"acc.yaml": ACC + "a: 1\n"})
    rules("T001", says("a", 2))
    rules("T002", says("a", 1))
    fixed = run(tmp_path)
    first = dict(fixed.texts)
    for path, data in first.items():
        (tmp_path / path).write_bytes(data)
    assert run(tmp_path).texts == {}
    assert all(f.no_fix for f in fixed.result.findings)


def test_a_fix_that_does_not_help_is_dropped(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, {"acc.yaml": ACC + "a: 1\n"})

    def check(document: Document, project: Project) -> Iterator[Finding]:
        node = document.root.get("a")
        one = repair("try", set_value(document, node, node.value + 1), safe=True)
        yield ANY.at(node, f"{node.text} is wrong", document=document, fix=one)

    rules("T001", check)
    fixed = run(tmp_path)
    assert fixed.texts == {}
    (finding,) = fixed.result.findings
    assert (finding.fix, finding.no_fix) == (None, "the finding would still be there")


def test_a_fix_that_brings_an_error_elsewhere_is_dropped(
    tmp_path: Path, rules: Callable[..., None]
) -> None:
    """The other file is not even touched; the good fix beside it is made all the same."""
    write(tmp_path, {"one.yaml": ACC + "a: 1\nc: 1\n", "two.yaml": ACC + "b: 1\n"})

    def disagree(document: Document, project: Project) -> Iterator[Finding]:
        values = [d.root.get("a").value for d in project.documents if "a" in d.root]
        if "b" in document.root and values != [1]:
            yield ANY.at(document.root.get("b"), "they disagree", document=document)

    rules("T001", says("a", 2))
    rules("T002", disagree, ERROR)
    rules("T003", says("c", 2))
    fixed = run(tmp_path)
    assert fixed.texts == {"one.yaml": (ACC + "a: 1\nc: 2\n").encode()}
    (finding,) = fixed.result.findings
    assert finding.no_fix == "it would bring T002 t002"


def test_a_fix_that_fails_its_proof_says_why(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, {"acc.yaml": ACC + "x: &s {a: 1}\ny: *s\n"})

    def check(document: Document, project: Project) -> Iterator[Finding]:
        node = document.root.get("x").get("a")
        if node.value == 1:
            one = repair("try", set_value(document, node, 2), safe=True)
            yield ANY.at(node, "a is 1", document=document, fix=one)

    rules("T001", check)
    fixed = run(tmp_path)
    assert fixed.texts == {}
    assert "another way" in fixed.result.findings[0].no_fix


def test_many_fixes_at_one_place_take_one_run(tmp_path: Path, rules: Callable[..., None]) -> None:
    """Thirty keys to add behind the last one: each waits for the next round, none for a second run."""
    from cfglint.syntax.editing import insert_entry

    write(tmp_path, {"acc.yaml": ACC})

    def wants(name: str) -> Check:
        def check(document: Document, project: Project) -> Iterator[Finding]:
            if name not in document.root:
                one = repair("add", insert_entry(document, document.root, name, 1), safe=True)
                yield ANY.at(document.root, f"{name} is missing", document=document, fix=one)

        return check

    for number in range(30):
        rules(f"T{number:03}", wants(f"key{number}"))
    fixed = run(tmp_path)
    assert fixed.result.findings == []
    assert len(fixed.applied) == 30


def test_files_of_one_fix_make_a_group(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, dict.fromkeys(("p.yaml", "q.yaml", "r.yaml"), ACC + "a: 1\n"))

    def check(document: Document, project: Project) -> Iterator[Finding]:
        if document.path == "p.yaml" and document.root.get("a").value == 1:
            both = [d for d in project.documents if d.path in ("p.yaml", "q.yaml")]
            edits = [set_value(d, d.root.get("a"), 2) for d in both]
            yield ANY.at(
                document.root.get("a"),
                "a",
                document=document,
                fix=repair("both", *edits, safe=True),
            )

    def alone(document: Document, project: Project) -> Iterator[Finding]:
        if document.path == "r.yaml":
            yield from says("a", 2)(document, project)

    rules("T001", check)
    rules("T002", alone)
    assert run(tmp_path).groups() == [["p.yaml", "q.yaml"], ["r.yaml"]]


def test_a_rule_that_fails_leaves_the_others(tmp_path: Path, rules: Callable[..., None]) -> None:
    write(tmp_path, {"acc.yaml": ACC + "a: 1\n"})

    def broken(document: Document, project: Project) -> Iterator[Finding]:
        yield from says("a", 2)(document, project)
        raise RuntimeError("out of cheese")

    rules("T001", broken)
    rules("T002", says("num_processes", 2))
    session = Session(Settings(root=tmp_path), [tmp_path / "acc.yaml"], tmp_path, tmp_path)
    result = session.lint()
    assert result.crashed
    assert sorted(f.rule.code for f in result.findings) == ["META000", "T001", "T002"]
    (crash,) = [f for f in result.findings if f.rule.code == "META000"]
    assert "T001" in crash.message
    assert "out of cheese" in crash.message


HEAD = (
    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\nexport NCCL_SOCKET_IFNAME=ib0\n"
)


def test_a_text_is_made_readable_before_anything_else(tmp_path: Path) -> None:
    """What speaks of the first half of a command is repaired once the command is whole."""
    whole = (
        "torchrun --nnodes=2 --nproc_per_node=4 --node_rank={} \\{}\n  --master_addr=n1 train.py"
    )
    write(tmp_path, {"job.sbatch": HEAD + "srun " + whole.format("$SLURM_NODEID", " ") + "\n"})
    fixed = run(tmp_path, unsafe=True)
    mended = HEAD + 'srun bash -c "' + whole.format("\\$SLURM_NODEID", "") + '"\n'
    assert fixed.texts == {"job.sbatch": mended.encode()}
    assert {finding.rule.code for finding, _ in fixed.applied} == {"SYN007", "TOPO004"}


def test_an_error_that_becomes_visible_is_no_new_one(tmp_path: Path) -> None:
    """The option behind the program was there before; nobody could see it in half a command."""
    write(tmp_path, {"run.sh": "torchrun --nproc_per_node=2 \\ \n  --nnodes=1 t.py --standalone\n"})
    before = run(tmp_path).before.findings
    assert [f.rule.code for f in before if f.severity == ERROR] == ["SYN007"]
    applied = [finding.rule.code for finding, _ in run(tmp_path).applied]
    assert applied[:2] == ["SYN007", "RUN002"]


@pytest.mark.parametrize(("remark", "safe"), [("", True), ("// for 40 GB\n", False)])
def test_a_comment_is_never_taken_away_in_passing(tmp_path: Path, remark: str, safe: bool) -> None:
    acc = "distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config:\n"
    strict = '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}\n'
    files = {"ds.json": remark + strict.replace("}}", "},}")}
    write(tmp_path, {"acc.yaml": acc + "  deepspeed_config_file: ds.json\n", **files})
    assert run(tmp_path).texts == ({"ds.json": strict.encode()} if safe else {})
    assert run(tmp_path, unsafe=True).texts == {"ds.json": strict.encode()}


@pytest.mark.parametrize("written", ["5e-6", '"5e-6"', "1e-4", "'1e-4'", "1e+8"])
def test_a_title_shows_what_is_written(tmp_path: Path, written: str) -> None:
    recipe = "model_name_or_path: q\nstage: sft\ndo_train: true\ntemplate: qwen\ndataset: a\n"
    recipe += f"output_dir: o\nlearning_rate: {written}\n"
    write(tmp_path, {"sft.yaml": recipe, "requirements.txt": "llamafactory==0.9.1\n"})
    fixed = run(tmp_path)
    (title,) = {one.title for _, one in fixed.applied}
    value = fixed.texts["sft.yaml"].decode().splitlines()[-1].split(": ")[1]
    assert title in (f"write {value}", f"learning_rate: {value}")


def test_fixes_that_hold_together_are_proven_together(
    tmp_path: Path, rules: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is not read once for each of them; only a guilty one is looked for by halves."""
    keys = [f"k{number}" for number in range(16)]
    write(tmp_path, {"acc.yaml": ACC + "".join(f"{key}: 1\n" for key in keys)})
    for key in keys:
        rules(f"T1{key}", says(key, 2))
    proofs: list[int] = []
    real = fixer.check

    def check(document: Document, edits: Sequence[Edit]) -> str:
        proofs.append(len(edits))
        return real(document, edits)

    monkeypatch.setattr(fixer, "check", check)
    assert len(run(tmp_path).applied) == 16
    assert set(proofs) == {16}
    proofs.clear()
    rules("T2bad", lies("num_processes"))
    fixed = run(tmp_path)
    assert [reason for (_, code, _), reason in fixed.refused.items() if code == "T2bad"] == [
        "the data would change in another way than it declares"
    ]
    assert len(fixed.applied) == 16
    assert proofs.count(1) <= 4


def lies(key: str) -> Check:
    """A rule whose repair sets another value than it declares."""

    def check(document: Document, project: Project) -> Iterator[Finding]:
        node = document.root.get(key)
        edit = set_value(document, node, 7)
        assert edit is not None
        yield ANY.at(
            node,
            "it lies",
            document=document,
            fix=repair("lie", replace(edit, text="8"), safe=True),
        )

    return check
