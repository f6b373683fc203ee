"""The wheel with machine code, in an empty environment: nothing is compiled, nobody waits.

``make test-wheel`` builds the wheel and runs these tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from frugaltree._registry import BY_CLASS
from support.child import run_python

WHEEL = os.environ.get("FRUGALTREE_WHEEL")
pytestmark = pytest.mark.skipif(not WHEEL, reason="make test-wheel builds the wheel for it")

LONGER = 1.5
"""So many seconds the first fit ever may take longer than the second."""

WATCH = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import sklearn.tree
from numba.core import event
import frugaltree

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
"""
"""Takes note of all that is compiled."""

FIT = (
    WATCH
    + """
from frugaltree.datasets import load
from frugaltree.kernels.code_store import shipped_folder
name = sys.argv[1]
options = {"FrugalTreeClassifier": {"max_steps": 300, "time_limit": None}}.get(name, {})
learner = getattr(frugaltree, name)(random_state=0, **options)
X, y = load("iris", return_X_y=True)
seconds = []
for _ in range(2):
    start = time.perf_counter()
    learner.fit(X, y)
    seconds.append(time.perf_counter() - start)
print(json.dumps({
    "first": seconds[0], "second": seconds[1], "compiled": Compiled.names,
    "shipped": shipped_folder() is not None, "place": frugaltree.__file__,
    "tree": [learner.to_text(), repr(learner.expected_cost_), learner.bill(X).tolist()],
}))
"""
)


class Environment:
    """An environment in which only the wheel is installed, and nothing can be written."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.home = folder / "home"
        self.package = next(folder.rglob("site-packages")) / "frugaltree"
        pip = [str(self.python), "-m", "pip", "install", "--quiet", str(WHEEL)]
        subprocess.run(pip, check=True, capture_output=True)
        # Root may write to any folder, but not where a file stands in place of one.
        self.home.touch()
        shutil.rmtree(self.package / "kernels" / "__pycache__")
        (self.package / "kernels" / "__pycache__").touch()
        for path in [self.package, *self.package.rglob("*/")]:
            path.chmod(0o555)

    def run(self, code: str, *args: str, path: Path | None = None) -> tuple[dict[str, Any], str]:
        """Return what code prints, as JSON, and what is said beside it."""
        told = {"PYTHONPATH": str(path)} if path else {}
        done = subprocess.run(
            [str(self.python), "-c", code, *args],
            capture_output=True,
            text=True,
            cwd=self.home.parent,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], **told},
            timeout=500,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Environment:
    return Environment(tmp_path_factory.mktemp("empty"))


def compiled_here(name: str) -> dict[str, Any]:
    return json.loads(run_python(FIT, name))


@pytest.mark.parametrize("name", BY_CLASS)
def test_the_first_fit_ever(environment, name):
    found, said = environment.run(FIT, name)
    assert Path(found["place"]).is_relative_to(environment.package)
    assert found["compiled"] == []
    assert said == ""
    print(f"{name}: first {found['first']:.2f} s, second {found['second']:.2f} s")
    assert found["first"] - found["second"] <= LONGER
    assert found["tree"] == compiled_here(name)["tree"]


def test_the_demonstration_without_anything_else_installed(environment, tmp_path):
    done = subprocess.run(
        [str(environment.python), "-m", "frugaltree", "demo"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Compiling" not in done.stderr
    assert "pip install 'frugaltree[report]'" in done.stdout
    assert (tmp_path / "heart.model.json").exists()


LONG = (
    WATCH
    + """
import numpy as np
name = sys.argv[1]
options = {"FrugalTreeClassifier": {"time_limit": 2}, "ICETClassifier": {"generations": 1}}
rng = np.random.default_rng(0)
X, y = rng.integers(0, 3, (60_000, 4)), rng.integers(0, 2, 60_000)
X[:, 3] *= y
learner = getattr(frugaltree, name)(random_state=0, **options.get(name, {})).fit(X, y)
print(json.dumps({"compiled": Compiled.names, "leaves": int(learner.get_n_leaves())}))
"""
)


@pytest.mark.parametrize("name", BY_CLASS)
def test_a_long_table(environment, name):
    found, said = environment.run(LONG, name)
    assert found["compiled"] == []
    assert said == ""
    assert found["leaves"] > 1


PRETEND = (
    "import frugaltree.kernels.processor as processor\nprocessor.features_here = lambda: {}\n"
)


def test_a_processor_without_the_features_compiles(environment):
    found, said = environment.run(PRETEND + FIT, "EG2Classifier")
    assert not found["shipped"]
    assert "grow_by_gain" in found["compiled"]
    assert said.count("Compiling") == 1
    assert len(said.strip().splitlines()) == 1
    assert found["tree"] == compiled_here("EG2Classifier")["tree"]


OLDER = """
import frugaltree.kernels.processor as processor
processor.features_here = lambda: processor.X86_64_V2
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="there is one level")
def test_an_older_processor_gets_code_of_its_own(environment):
    found, _ = environment.run(OLDER + FIT, "ACTClassifier")
    assert found["shipped"]
    assert found["compiled"] == []
    assert found["tree"] == compiled_here("ACTClassifier")["tree"]


def test_another_version_of_numba_never_runs_it(environment):
    code = "import numba\nnumba.__version__ = '0.0.1'\n" + FIT
    found, _ = environment.run(code, "ID3Classifier")
    assert not found["shipped"]
    assert "grow_by_gain" in found["compiled"]


def test_changed_sources_never_run_it(environment, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(environment.package, changed / "frugaltree")
    for path in [changed, *changed.rglob("*/")]:
        path.chmod(0o755)
    source = changed / "frugaltree" / "kernels" / "ties.py"
    source.write_text(source.read_text() + "\n")
    found, _ = environment.run(FIT, "ID3Classifier", path=changed)
    assert Path(found["place"]).is_relative_to(changed)
    assert not found["shipped"]
    assert "grow_by_gain" in found["compiled"]
