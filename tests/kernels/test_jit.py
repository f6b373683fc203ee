"""The habits of compiled code: warm starts, stale callees, read-only installs, JIT on and off."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import frugaltree
from support.child import run_python

PACKAGE = Path(frugaltree.__file__).parent

FIT = """
import json, numba
from frugaltree import (
    ACTClassifier, C45Classifier, Costs, CSID3Classifier, DTMCClassifier,
    EG2Classifier, Group, ID3Classifier, IDXClassifier, LSID3Classifier,
)
from frugaltree.datasets import load
from frugaltree.kernels.greedy.grow import grow_by_gain
from frugaltree.kernels.sampling.grow import grow_tree
from frugaltree.kernels.greedy.prune import prune_errors
sampling = (
    LSID3Classifier(n_samples=2),
    ACTClassifier(n_samples=2),
    ACTClassifier(n_samples=1, max_test_cost=7),
    ACTClassifier(n_samples=2, estimate="validation", split_points="quantile"),
    ACTClassifier(n_samples=1, lookahead_stop="reduction", expected_error="training", min_cases=2),
    ACTClassifier(n_samples=None, max_steps=3, schedule="iidt", prune_samples=False),
)
out = {}
for name, n in (("hepatitis", 40), ("tae", 60), ("iris", 30)):
    X, y = load(name, return_X_y=True)
    step = len(X) // n
    X, y = X[::step], y[::step]
    costs = Costs(default_test_cost=3, errors=50)
    first = X.columns[:3]
    tied = Costs(
        dict.fromkeys(first, 2), {"g": Group(first, cost=1)}, delayed=first[1:], errors=50,
        default_test_cost=3,
    )
    for learner in (
        EG2Classifier(), C45Classifier(), IDXClassifier(), CSID3Classifier(), ID3Classifier(),
        DTMCClassifier(), *sampling,
    ):
        for given in (costs, tied)[: 1 + (learner in sampling)]:
            fitted = learner.set_params(costs=given, random_state=0).fit(X, y)
            out[f"{name} {learner}"] = [
                fitted.to_text(), repr(fitted.expected_cost_), fitted.bill(X).tolist(),
                fitted.predict_proba(X).tolist(),
            ]
stats = [getattr(k, "stats", None) for k in (grow_by_gain, grow_tree, prune_errors)]
out["misses"] = sum(sum(s.cache_misses.values()) for s in stats if s)
print(json.dumps(out))
"""


SOLVE = """
import json
from frugaltree import Costs, FrugalTreeClassifier, Group
from frugaltree.datasets import load
out = {}
for name, n in (("hepatitis", 20), ("tae", 25)):
    X, y = load(name, return_X_y=True)
    X, y = X[:: len(X) // n], y[:: len(y) // n]
    first = X.columns[:3]
    tied = Costs(
        dict.fromkeys(first, 2), {"g": Group(first, cost=1)}, delayed=first[1:], errors=50,
        default_test_cost=3,
    )
    for given in (Costs(default_test_cost=3, errors=50), tied):
        for how in ({}, {"pessimism": "none", "max_depth": 2}):
            fitted = FrugalTreeClassifier(
                given, max_steps=40, time_limit=None, random_state=0, **how
            ).fit(X, y)
            out[f"{name} {fitted}"] = [
                fitted.to_text(), repr(fitted.expected_cost_), repr(fitted.lower_bound_)
            ]
print(json.dumps(out))
"""


def result(output: str) -> tuple[dict[str, object], int]:
    import json

    found = json.loads(output)
    return found, found.pop("misses")


FIRST = """
import json
from frugaltree import EG2Classifier
from frugaltree.datasets import load
from frugaltree.kernels.greedy.grow import grow_by_gain
from frugaltree.kernels.greedy.prune import prune_errors
X, y = load("iris", return_X_y=True)
fitted = EG2Classifier().fit(X, y)
misses = sum(sum(k.stats.cache_misses.values()) for k in (grow_by_gain, prune_errors))
print(json.dumps({"text": fitted.to_text(), "misses": misses}))
"""


@pytest.fixture(scope="module")
def compiled():
    """Return what fits give with the kernels that these tests have compiled anyway."""
    return result(run_python(FIT))[0]


@pytest.mark.slow
def test_a_second_process_starts_warm(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, misses = result(run_python(FIRST, **cache))
    assert misses >= 1
    second, misses = result(run_python(FIRST, **cache))
    assert misses == 0
    assert second == first


@pytest.mark.slow
def test_interpreted_kernels_give_the_same_trees(compiled):
    interpreted, _ = result(run_python(FIT, NUMBA_DISABLE_JIT="1"))
    assert interpreted == compiled


@pytest.mark.slow
def test_the_interpreted_solver_gives_the_same_trees():
    assert json.loads(run_python(SOLVE)) == json.loads(run_python(SOLVE, NUMBA_DISABLE_JIT="1"))


@pytest.mark.slow
def test_no_kernel_reads_or_writes_out_of_bounds(compiled, tmp_path):
    checked, _ = result(run_python(FIT, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)))
    assert checked == compiled


STALE = """
import numpy as np
from frugaltree.kernels.greedy.prune import collapse
from frugaltree.kernels.data.nodes import Nodes
nodes = Nodes.empty(1, 1, 2)
nodes.test[0] = -1
nodes.counts[0] = 3.0, 1.0
errors = np.zeros(1)
collapse(nodes, np.zeros(1, np.int64), np.zeros(1, np.uint8), errors)
print(errors[0], sum(collapse.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_an_edited_helper_in_another_file_is_compiled_anew(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "frugaltree", ignore=shutil.ignore_patterns("__pycache__"))
    env = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run_python(STALE, path=tmp_path, **env).split() == ["1.0", "0"]
    assert run_python(STALE, path=tmp_path, **env).split() == ["1.0", "1"]
    helper = tmp_path / "frugaltree" / "kernels" / "cost" / "leaf.py"
    text = helper.read_text()
    assert "if counts[c] > counts[best]:" in text
    helper.write_text(text.replace("if counts[c] > counts[best]:", "if counts[c] < counts[best]:"))
    assert run_python(STALE, path=tmp_path, **env).split() == ["3.0", "0"]


@pytest.mark.slow
def test_kernels_work_where_nothing_can_be_cached(tmp_path):
    """An install that cannot be written to, a home that cannot be written to."""
    shutil.copytree(PACKAGE, tmp_path / "frugaltree", ignore=shutil.ignore_patterns("__pycache__"))
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    for folder in [*(tmp_path / "frugaltree").rglob("*/")]:
        (folder / "__pycache__").write_text("likewise")
    code = STALE.replace("sum(collapse.stats.cache_hits.values())", "collapse._cache.cache_path")
    out = run_python(
        code,
        path=tmp_path,
        HOME=str(blocked),
        XDG_CACHE_HOME=str(blocked),
        NUMBA_CACHE_DIR="",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert out.startswith("1.0")
    assert "None" in out


def test_importing_the_package_loads_neither_numba_nor_scikit_learn():
    code = "import sys, frugaltree, frugaltree.costs, frugaltree.datasets, frugaltree.app.cli\n"
    code += "print([m for m in ('numba', 'sklearn', 'scipy', 'pandas') if m in sys.modules])"
    assert run_python(code).strip() == "[]"


def test_a_part_called_from_python_runs_interpreted():
    from frugaltree.kernels.cost.error_estimate import expected_error

    before = list(getattr(expected_error, "signatures", []))  # a kernel may have compiled it
    assert expected_error(2, 0, 0.25, np.int8(0)) == pytest.approx(1.0)
    assert list(getattr(expected_error, "signatures", [])) == before


def test_every_kernel_file_is_part_of_the_key(tmp_path):
    shutil.copytree(PACKAGE / "kernels", tmp_path, dirs_exist_ok=True)
    spec = importlib.util.spec_from_file_location("copied", tmp_path / "processor.py")
    processor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(processor)
    digests = {processor.sources_digest()}
    files = sorted(tmp_path.rglob("*.py"))
    assert {path.parent.name for path in files} >= {"data", "cost", "greedy", "sampling", "exact"}
    for path in files:
        path.write_text(path.read_text() + "\n")
        processor.sources_digest.cache_clear()
        digests.add(processor.sources_digest())
    assert len(digests) == len(files) + 1
