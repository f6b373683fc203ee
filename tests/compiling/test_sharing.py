"""What is missing is compiled once, in sight, whoever else is at it; and some things need none."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numba
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, save_model
from frugaltree.datasets import load, load_costs
from support.child import TESTS, run_python

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

COUNT = """
from numba.core import event

class Compiled(event.Listener):
    n = 0
    def on_start(self, event):
        Compiled.n += 1
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
"""


def files_in(folder: Path) -> set[str]:
    """Return the names of what is kept in a folder."""
    kept = {path.name for path in folder.rglob("*") if path.is_file()}
    return {name for name in kept if not name.endswith((".lock", ".complete"))}


WARM_UP = """
import gc, sys, warnings
warnings.simplefilter("error")
sys.unraisablehook = lambda hook: print(hook.exc_value)
import frugaltree
print(frugaltree.warm_up(["dtmc"], n_jobs=int(sys.argv[1])))
gc.collect()
"""


@pytest.mark.slow
def test_a_warm_up_with_helpers_and_without(tmp_path):
    kept = []
    for jobs in ("1", "3"):
        folder = tmp_path / jobs
        cache = {"FRUGALTREE_CACHE_DIR": str(folder)}
        n = int(run_python(WARM_UP, jobs, **cache))
        kept.append(files_in(folder))
        assert n == len(kept[-1]) > 3
        assert int(run_python(WARM_UP, jobs, **cache)) == 0
        assert not list(folder.rglob("*.tmp"))
    assert kept[0] == kept[1]


FIRST_FIT = """
import logging, sys
import frugaltree
said = []
logging.getLogger("frugaltree").addHandler(type("H", (logging.Handler,), {
    "emit": lambda self, record: said.append(record.getMessage())})())
X = [[0.0], [1.0], [2.0], [3.0]] * 3
for _ in range(3):
    getattr(frugaltree, sys.argv[1])(random_state=0).fit(X, [0, 0, 1, 1] * 3)
print(*said, sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DTMCClassifier", "ICETClassifier"])
def test_a_first_fit_says_once_why_it_takes_long(tmp_path, name):
    cache = {"FRUGALTREE_CACHE_DIR": str(tmp_path)}
    (line,) = run_python(FIRST_FIT, name, **cache).splitlines()
    assert re.match(rf"Compiling \d+ kernels for {name}, once on this machine; ", line)
    assert "frugaltree warm-up" in line
    assert run_python(FIRST_FIT, name, **cache).strip() == ""


COMPILE = """
from frugaltree.compiling import record
from frugaltree.estimators.rehearsal import rehearsal_of
from frugaltree import EG2Classifier
one = next(one for one in record(rehearsal_of(EG2Classifier)[1]) if one.name == "grow_by_gain")
print("begins", flush=True)
one.kernel.compile(one.arguments)
print(len(one.kernel.stats.cache_misses), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_who_is_killed_while_compiling_holds_nobody_up(tmp_path):
    env = {**os.environ, "FRUGALTREE_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(TESTS)}
    killed = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", COMPILE], env=env, stdout=subprocess.PIPE, text=True
    )
    assert killed.stdout.readline() == "begins\n"
    time.sleep(0.5)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert files_in(tmp_path) == set()
    out = run_python(COMPILE, FRUGALTREE_CACHE_DIR=str(tmp_path))
    assert out.split() == ["begins", "1"]
    assert len(files_in(tmp_path)) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no terminal of its own")
def test_a_terminal_shows_a_bar_that_moves(tmp_path):
    import pty

    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "frugaltree", "warm-up", "--learners", "dtmc"]
    env = {**os.environ, "FRUGALTREE_CACHE_DIR": str(tmp_path), "TERM": "xterm", "COLUMNS": "90"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(command, env=env, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:  # Linux: whoever wrote has closed it
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0
    text = shown.decode()
    shares = [int(share) for share in re.findall(r"(\d+)%", text)]
    assert len(set(shares)) > 4
    assert shares == sorted(shares)
    assert "kernels compiled in" in text


# ------------------------------------------------------------------------------ other processes


def count_compiled(seed: int) -> int:
    """Return how many functions a fit in this process compiles."""
    names: dict[str, int] = {}
    exec(COUNT, names)  # what a child process runs, too
    X, y = load("iris", return_X_y=True)
    EG2Classifier(Costs(default_test_cost=1 + seed), random_state=seed).fit(X, y)
    return names["Compiled"].n


def test_processes_of_joblib_compile_nothing_again():
    EG2Classifier().fit([[0.0], [1.0]], [0, 1])
    with joblib.parallel_config("loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(count_compiled)(seed) for seed in range(4))
    assert found == [0] * 4


def test_workers_of_a_cluster_compile_nothing_again():
    distributed = pytest.importorskip("distributed")
    EG2Classifier().fit([[0.0], [1.0]], [0, 1])
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        assert client.gather(client.map(count_compiled, range(4))) == [0] * 4


# ------------------------------------------------------------------------------ no compiler

ANSWER = (
    COUNT
    + """
import json, sys
from pathlib import Path
import polars as pl
from frugaltree import Consultation, load_model
from frugaltree.export import FORMATS, export
from frugaltree.report import write_report
folder = Path(sys.argv[1])
out = {}
for path in sorted(folder.glob("*.model.json")):
    model = load_model(path)
    X = pl.read_parquet(folder / "cases.parquet")
    model.predict(X), model.predict_proba(X), model.bill(X), model.to_text()
    consultation = Consultation(model)
    consultation.cannot_measure()
    consultation.record(), consultation.answer, consultation.still_to_come
    write_report(model, folder / "page.html")
    for name in FORMATS:
        if name != "onnx" or not model.tree_.fractional:
            export(model, name)
    out[path.name] = Compiled.n
print(json.dumps(out))
"""
)


def test_predictions_consultations_exports_and_pages_need_no_compiler(tmp_path):
    pytest.importorskip("jinja2")
    X, y = load("hepatitis", return_X_y=True)
    costs = load_costs("hepatitis", errors=100)
    save_model(EG2Classifier(costs).fit(X, y), tmp_path / "eg2.model.json")
    frugal = FrugalTreeClassifier(costs, max_steps=200, random_state=0).fit(X, y)
    save_model(frugal, tmp_path / "frugal.model.json")
    X.write_parquet(tmp_path / "cases.parquet")
    empty = {"FRUGALTREE_CACHE_DIR": str(tmp_path / "empty")}
    found = json.loads(run_python(ANSWER, str(tmp_path), **empty))
    assert found == {"eg2.model.json": 0, "frugal.model.json": 0}
    for command in (["show"], ["export", "--format", "sql"], ["report"]):
        done = subprocess.run(
            [sys.executable, "-m", "frugaltree", command[0], str(tmp_path / "eg2.model.json"),
             *command[1:]],
            env={**os.environ, **empty}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Compiling" not in done.stderr
    assert not (tmp_path / "empty").exists()
