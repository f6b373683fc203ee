"""Processes that are killed or interrupted while they search or write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.drawing import chance
from tools.fuzz.invariants import check_fitted
from tools.fuzz.judging import demand
from tools.fuzz.versions import learner

LONGEST = 40.0
"""Seconds after which a process ends by itself, should nobody be left to kill it."""

EARLY = 4.0
"""Seconds within which a search must have written its first checkpoint."""

HEAD = f"""
import faulthandler, json, sys, warnings
faulthandler.dump_traceback_later({LONGEST}, exit=True)
warnings.simplefilter("ignore")
given = json.loads(sys.argv[1])
"""

SEARCH = (
    HEAD
    + """
from tools.fuzz.kills import hard_search
model, X, y = hard_search(given)
from sklearn.base import clone
clone(model).set_params(checkpoint=None, max_steps=2, time_limit=5).fit(X, y)
print("begun", flush=True)
model.fit(X, y)
print("ended", model.termination_, flush=True)
"""
)

WRITE = (
    HEAD
    + """
from frugaltree import load_model, save_model
model = load_model("old.model.json")
other = load_model("new.model.json")
model.predict([[0, 0, 0]])
print("begun", flush=True)
while True:
    if given["what"] == "model":
        save_model(model, "out.file"); save_model(other, "out.file")
    elif given["what"] == "costs":
        model.costs.to_toml("out.file"); other.costs.to_toml("out.file")
    else:
        from frugaltree import Consultation
        Consultation(model).save_record("out.file")
"""
)

COMMAND = (
    HEAD
    + """
import sys
sys.argv = ["frugaltree", *given["args"]]
from frugaltree.app.cli import main
print("begun", flush=True)
main()
"""
)


def run(random: Random, folder: Path) -> str:
    """Start a process, end it at a random moment, and look at what it has left."""
    return random.choice((run_search, run_search, run_write, run_command))(random, folder)


# ------------------------------------------------------------------------------ processes


def start(code: str, given: dict[str, Any], folder: Path) -> subprocess.Popen[str]:
    """Start Python in a folder; it says when it has begun."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([*sys.path[:2], root, os.environ.get("PYTHONPATH", "")])
    with (folder / "stderr").open("w") as err:
        return subprocess.Popen(
            [sys.executable, "-c", code, json.dumps(given)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            stderr=err,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )


def end(process: subprocess.Popen[str], delay: float, sign: int) -> int:
    """Wait until a process has begun, then a while, and send it a signal; return its code."""
    assert process.stdout is not None
    try:
        begun = any(line.startswith("begun") for line in process.stdout)
        if not begun:
            demand(False, "a process begins", process.wait(timeout=20))
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(sign)
        process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        demand(False, "a process that is interrupted ends")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    code = int(process.returncode)
    usual = (0, 1, 130, -sign)  # 1 where Python itself is interrupted, as while it imports
    demand(code in usual, "a process ends by itself, or by the signal that it was sent", code)
    return code


def check_words(folder: Path, sign: int) -> None:
    """Check that a process that was interrupted has printed no traceback of its own."""
    told = (folder / "stderr").read_text(errors="replace")
    wrong = "Traceback" in told and "KeyboardInterrupt" not in told
    demand(not wrong, "a process that was ended has no error of its own", told[-300:])


# ------------------------------------------------------------------------------- searches


def hard_search(given: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return a learner whose search takes long, cases and classes."""
    import numpy as np

    from tools.fuzz.versions import make_costs

    rng = np.random.default_rng(given["seed"])
    X = rng.integers(0, 2, (given["cases"], 14)).astype(float)
    place = (X[:, 0] * 4 + X[:, 1] * 2 + X[:, 2]).astype(int)
    y = X[np.arange(len(X)), 3 + place].astype(int)
    costs = make_costs([1 + a % 3 for a in range(14)], errors=500)
    parameters = {key: value for key, value in given.items() if key not in ("seed", "cases")}
    return learner("FrugalTree", costs, random_state=0, **parameters), X, y


def run_search(random: Random, folder: Path) -> str:
    """End a search that keeps a checkpoint; the next goes on from there."""
    auto = chance(random, 0.5)
    given = {
        "seed": random.randrange(100),
        "cases": random.choice((1500, 3000) if auto else (200, 600)),
        "pessimism": "auto" if auto else "paper",
        "time_limit": 30 if auto else 8,
        "checkpoint_interval": random.choice((0.0, 0.2, 0.5)),
        "checkpoint": "search.checkpoint",
    }
    sign = random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT))
    delay = EARLY if auto and chance(random, 0.6) else random.uniform(0.0, 2.0)
    process = start(SEARCH, given, folder)
    end(process, delay, sign)
    check_words(folder, sign)
    path = folder / "search.checkpoint"
    if delay >= EARLY:
        demand(path.exists(), "a search keeps a checkpoint from its first tree on", delay)
    before = path.read_bytes() if path.exists() else None
    more = {**given, "checkpoint": str(path), "time_limit": 0.5}
    model, X, y = hard_search(more)
    model.fit(X, y)
    check_fitted(model, X, y)
    left = [file.name for file in folder.iterdir() if file.name.endswith(".tmp")]
    demand(not left or before is None, "the next search removes what was left", left)
    return f"{'SIGKILL' if sign == signal.SIGKILL else 'SIGINT'} search"


# -------------------------------------------------------------------------------- writing


def write_models(folder: Path) -> None:
    """Write two models, of different length."""
    from frugaltree import save_model
    from tools.fuzz.versions import make_costs

    X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 3
    for name, y in (("old", [a ^ b for a, b, _ in X]), ("new", [a for a, _, _ in X])):
        model = learner("ID3", make_costs([1, 2, 3], errors=50)).fit(X, y)
        save_model(model, folder / f"{name}.model.json")


def run_write(random: Random, folder: Path) -> str:
    """End a process that writes a file again and again: it is whole."""
    from frugaltree import Costs, load_model

    write_models(folder)
    what = random.choice(("model", "model", "costs", "record"))
    process = start(WRITE, {"what": what}, folder)
    end(process, random.uniform(0.0, 0.5), signal.SIGKILL)
    check_words(folder, signal.SIGKILL)
    path = folder / "out.file"
    if path.exists():
        if what == "model":
            load_model(path)
        elif what == "costs":
            Costs.from_toml(path)
        else:
            json.loads(path.read_text("utf-8"))
    return f"writing {what}"


def run_command(random: Random, folder: Path) -> str:
    """End a command that writes over a file: the old one is there, or the new one."""
    from frugaltree import load_model

    write_models(folder)
    table = "a,b,c,y\n" + "".join(
        ",".join(random.choice(values) for values in ("012345", "xyz", "01", "01")) + "\n"
        for _ in range(4000)
    )
    (folder / "t.csv").write_text(table)
    (folder / "t.costs.toml").write_text("errors = 50\n[tests]\na = 1\nb = 2\nc = 3\n")
    old = (folder / "old.model.json").read_bytes()
    (folder / "out.json").write_bytes(old)
    args = ["fit", "t.csv", "--target", "y", "--learner", random.choice(("eg2", "dtmc", "frugal"))]
    args += ["--out", "out.json"]
    if args[5] == "frugal":
        args += ["--time", "2s", "--checkpoint", "fit.checkpoint"]
    process = start(COMMAND, {"args": args}, folder)
    sign = random.choice((signal.SIGKILL, signal.SIGINT))
    code = end(process, random.uniform(0.0, 4.0), sign)
    check_words(folder, sign)
    if sign == signal.SIGINT:
        demand(code in (0, 130, -2), "a command that is interrupted says so", code)
    demand((folder / "out.json").exists(), "no file is lost")
    if (folder / "out.json").read_bytes() != old:
        load_model(folder / "out.json")
    return "command"
