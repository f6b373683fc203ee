"""How long a new machine, a new process and a new model take to answer for the first time.

Each figure is the least of some fresh processes. Cold: no machine code is kept yet. Warm: that of
the process before. Wheel: the newest one in dist/ (``make wheel`` builds it), in an environment of
its own, nothing kept. Of fits, the time beyond a second fit in the same process is printed;
imports are measured apart, and scikit-learn's own left out.

    python benchmarks/start.py [--repeats 3] [--only import fit predict demo] [--learners act eg2]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from frugaltree._registry import LEARNERS

ROOT = Path(__file__).parents[1]
KINDS = ("import", "fit", "predict", "demo")

IMPORT = """
import json, time
start = time.perf_counter()
import frugaltree
print(json.dumps({"import frugaltree": time.perf_counter() - start}))
"""

FIT = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import sklearn.tree
start = time.perf_counter()
import numpy as np
import frugaltree
from numba.core import event
learner = getattr(frugaltree, sys.argv[1])(random_state=0)
imported = time.perf_counter()
compiled = []
event.register("numba:compile", type("Compiled", (event.Listener,), {
    "on_start": lambda self, event: compiled.append(1), "on_end": lambda self, event: None})())
rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4)).round(1)
y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] * X[:, 2] > 0)
if "max_steps" in learner.get_params():
    learner.set_params(max_steps=5)
if "time_limit" in learner.get_params():
    learner.set_params(time_limit=None)
times = []
for _ in range(2):
    begun = time.perf_counter()
    learner.fit(X, y)
    times.append(time.perf_counter() - begun)
print(json.dumps({"import": imported - start, "fit": times[0] - times[1],
                  "compiled": len(compiled)}))
"""

PREDICT = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import sklearn.tree
start = time.perf_counter()
from frugaltree import load_model
model = load_model(sys.argv[1])
case = [json.loads(sys.argv[2])]
model.predict(case), model.bill(case)
print(json.dumps({"load, predict, bill": time.perf_counter() - start}))
"""

SAVE = """
import sys
import numpy as np
from frugaltree import Costs, EG2Classifier, save_model
X = np.random.default_rng(0).normal(size=(150, 4)).round(1)
save_model(EG2Classifier(Costs([1, 2, 3, 4])).fit(X, (X[:, 0] > 0).astype(int)), sys.argv[1])
"""


def run(python: str, cache: str | None, code: str, *args: str) -> Any:
    """Return what a fresh process prints."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if cache is not None:
        env["FRUGALTREE_CACHE_DIR"] = cache
    command = [python, "-W", "ignore", "-c", code, *args]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout) if done.stdout else None


def least(results: list[dict[str, float]]) -> dict[str, float]:
    """Return the least of each figure."""
    return {name: min(result[name] for result in results) for name in results[0]}


def measure(python: str, repeats: int, code: str, *args: str) -> tuple[Any, Any]:
    """Return figures with nothing kept, and with what the process before has kept."""
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run(python, cache, code, *args))
            warm.append(run(python, cache, code, *args))
    return least(cold), least(warm)


def install_wheel(folder: str) -> str | None:
    """Return the Python of an environment with the newest wheel, None if there is none."""
    wheels = sorted((ROOT / "dist").glob("*-cp*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        return None
    venv.create(folder, with_pip=True)
    python = Path(folder, "Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheels[-1])], check=True)
    return str(python)


def show(what: str, *figures: float | None) -> None:
    """Print a line of the table."""
    cells = ["        -" if figure is None else f"{figure:7.2f} s" for figure in figures]
    print(f"{what:34s} {' '.join(cells)}", flush=True)


def compare(args: argparse.Namespace, wheel: str | None) -> None:
    """Print all figures."""
    here, repeats = sys.executable, args.repeats

    def both(code: str, *more: str) -> tuple[Any, Any, Any]:
        cold, warm = measure(here, repeats, code, *more)
        shipped = measure(wheel, repeats, code, *more)[0] if wheel else {}
        return cold, warm, shipped

    print(f"{'':34s} {'cold':>9s} {'warm':>9s} {'wheel':>9s}")
    if "import" in args.only:
        show("import frugaltree", *(one.get("import frugaltree") for one in both(IMPORT)))
    if "fit" in args.only:
        for key in args.learners:
            found = both(FIT, LEARNERS[key].class_name)
            show(f"{LEARNERS[key].title}: import", *(one.get("import") for one in found))
            show(f"{LEARNERS[key].title}: first fit", *(one.get("fit") for one in found))
            compiled = [one.get("compiled") for one in found]
            print(f"{'':4s}functions compiled: {compiled}")
    if "predict" in args.only:
        with tempfile.TemporaryDirectory() as folder:
            model = str(Path(folder, "a.model.json"))
            run(here, None, SAVE, model)
            found = both(PREDICT, model, "[0.1, 0.2, 0.3, 0.4]")
            show("load, predict, bill", *(one.get("load, predict, bill") for one in found))
    if "demo" in args.only:
        demo = """
import json, subprocess, sys, tempfile, time
with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "frugaltree", "demo"], cwd=folder, check=True,
                   capture_output=True)
    print(json.dumps({"demo": time.perf_counter() - start}))
"""
        args.repeats = repeats = 1
        show("frugaltree demo, 10 s of search", *(one.get("demo") for one in both(demo)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = install_wheel(folder)
        if wheel is None:
            print("No wheel in dist/; make wheel builds one.")
        compare(args, wheel)


if __name__ == "__main__":
    main()
