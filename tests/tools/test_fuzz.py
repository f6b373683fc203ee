"""The harness for hostile input runs, tells crashes and hangs, and catches a spoilt learner."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from frugaltree import FrugalTreeClassifier
from frugaltree.exceptions import FrugaltreeError
from tools.fuzz import judging, runner, worker
from tools.fuzz.report import Report

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", [kind for kind in worker.KINDS if kind != "kills"])
def test_each_kind_runs(kind):
    outcomes = [worker.run_input(kind, seed) for seed in range(3)]
    assert [one for one in outcomes if one["outcome"] == "finding"] == []
    assert all(one["what"] for one in outcomes)


@pytest.mark.slow
def test_kills_run():
    assert worker.run_input("kills", 0)["outcome"] == "done"


def test_an_input_is_drawn_by_kind_and_seed_alone():
    first, again = (worker.run_input("price_lists", seed) for seed in (7, 7))
    assert (first["outcome"], first["kind"]) == (again["outcome"], again["kind"])


def test_a_spoilt_learner_is_caught(monkeypatch):
    """A bound above the cost, as a wrong proof has it."""
    keep = FrugalTreeClassifier._keep_snapshot

    def spoilt(self, problem, snapshot, history):
        keep(self, problem, snapshot, history)
        self.lower_bound_ = self.objective_ * 1.5 + 1.0

    monkeypatch.setattr(FrugalTreeClassifier, "_keep_snapshot", spoilt)
    told = [worker.run_input("problems", seed)["what"] for seed in range(5)]
    assert any("no objective is below its bound" in what for what in told)


def test_a_spoilt_bill_is_caught(monkeypatch):
    bill = FrugalTreeClassifier.bill
    monkeypatch.setattr(
        FrugalTreeClassifier, "bill", lambda self, X, *more: bill(self, X, *more) + 1.0
    )
    told = [worker.run_input("problems", seed)["what"] for seed in range(5)]
    assert any("bill" in what or "charged" in what for what in told)


def test_what_is_a_refusal():
    def raised(error):
        try:
            raise error
        except BaseException as caught:
            return caught

    assert judging.is_refusal(raised(FrugaltreeError("say what is wrong.")))
    assert not judging.is_refusal(raised(FrugaltreeError("")))
    assert not judging.is_refusal(raised(ValueError("not ours")))
    assert not judging.is_refusal(raised(KeyError("x")))


@pytest.fixture
def spoilt_kinds(tmp_path):
    """Return a worker whose inputs end the process, or never end."""
    package = tmp_path / "spoilt"
    package.mkdir()
    (package / "sitecustomize.py").write_text(
        "import sys, types\n"
        "module = types.ModuleType('tools.fuzz.tables')\n"
        "def run(random, folder):\n"
        "    import os, signal, time\n"
        "    os.kill(os.getpid(), signal.SIGSEGV) if random.random() < 0.5 else time.sleep(60)\n"
        "module.run = run\n"
        "sys.modules['tools.fuzz.tables'] = module\n"
    )
    one = runner.Worker(package, patience=2.0)
    yield one
    one.close()


def test_a_crash_and_a_hang_belong_to_their_inputs(spoilt_kinds):
    began = time.monotonic()
    told = [spoilt_kinds.run("tables", seed) for seed in range(4)]
    assert time.monotonic() - began < 60
    assert [one["seed"] for one in told] == [0, 1, 2, 3]
    assert {one["outcome"] for one in told} == {"finding"}
    assert {one["what"] for one in told} == {
        "Crash: the process ended with SIGSEGV",
        "Hang: no answer in 2 s",
    }


def test_a_report_groups_what_was_found(tmp_path):
    report = Report(3, tmp_path / "found.jsonl")
    for seed in range(3):
        report.add(
            {
                "kind": "tables",
                "seed": seed,
                "outcome": "finding",
                "what": f"KeyError: '{seed}' (x.py:3 f)",
                "seconds": 0.5,
            }
        )
    report.add({"kind": "kills", "seed": 0, "outcome": "done", "what": "fine", "seconds": 2.0})
    assert "| tables | 3 | 0 | 0 | 3 | 2 |" in report.markdown()
    assert "0, 1, 2 (3 in all)" in report.markdown()
    assert len((tmp_path / "found.jsonl").read_text().splitlines()) == 3


def test_kept_inputs_come_first():
    kept = list(runner.read_corpus())
    entries = json.loads((ROOT / "tools" / "fuzz" / "corpus.json").read_text())
    assert len(kept) == len(entries)
    deal = runner.Deal(list(worker.KINDS), 0, kept[:1])
    assert deal.draw() == kept[0] if kept else True
    assert {deal.draw()[0] for _ in worker.KINDS} == set(worker.KINDS)
