"""Speed of this version against another one, fit by fit in turns.

Each version runs in a process of its own, with the same fits to do: greedy learners, sampled
trees, and proofs. The two take turns at every single fit, so that whatever else the machine does
slows both alike, and read tables in one thread. Printed are the least processor times of each,
their ratio, new to old, and the geometric mean of the ratios; a ratio above 1.05 is marked.

    python benchmarks/versions.py --against 380895e [--repeats 7] [--only greedy sampling exact]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import exp, log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WORST = 1.05
KINDS = ("greedy", "sampling", "exact")
GREEDY = ("pima", "nursery", "krk", "thyroid", "mixed")
SAMPLED = {
    "multiplexer-20": 5,
    "car": 20,
    "nursery": 5,
    "krk": 5,
    "pima": 3,
    "thyroid": 3,
    "heart": 10,
}
"""Tables with how many trees are sampled for each branch."""

PROVEN = (
    "breast-cancer", "car", "flare", "krk", "monks-1", "monks-2", "multi-xor", "nursery",
    "tic-tac-toe", "titanic", "voting",
)  # fmt: skip
SHALLOW = ("iris", "wine", "bupa", "pima")
"""Numeric tables that are proven up to depth 3, pima up to depth 2."""


# ------------------------------------------------------------------------------ in a version


def mixed_table(n: int = 100_000) -> tuple[Any, Any]:
    """Ten numeric and ten nominal columns; the class hangs on a few of them, with noise."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    numbers, answers = rng.normal(size=(n, 10)), rng.integers(0, 6, size=(n, 10))
    signal = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + (answers[:, 0] > 2)
    signal -= answers[:, 1] == answers[:, 2]
    X = pl.DataFrame(
        {f"n{a}": numbers[:, a] for a in range(10)}
        | {f"c{a}": answers[:, a].astype(str) for a in range(10)}
    )
    return X, (signal + rng.normal(size=n) > 0.5).astype(int)


def fits(kinds: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the names of all fits with what does them; whatever it needs is read only once."""
    import frugaltree
    from frugaltree.datasets import assign_costs, load

    def problem(name: str, errors: float = 1000) -> tuple[Any, Any, Any]:
        X, y = mixed_table() if name == "mixed" else load(name, return_X_y=True)
        return X, y, assign_costs(X, y, 1, errors=errors)

    if "greedy" in kinds:
        for name in GREEDY:
            X, y, costs = problem(name)
            for learner in ("EG2", "C45", "DTMC"):
                made = getattr(frugaltree, f"{learner}Classifier")(costs)
                yield f"greedy {learner} {name}", lambda made=made, X=X, y=y: made.fit(X, y)
        X, y, costs = problem("heart")
        icet = frugaltree.ICETClassifier(costs, random_state=0, generations=5)
        yield "greedy ICET heart", lambda icet=icet, X=X, y=y: icet.fit(X, y)
    if "sampling" in kinds:
        for name, r in SAMPLED.items():
            X, y, costs = problem(name)
            act = frugaltree.ACTClassifier(costs, n_samples=r, random_state=0)
            yield f"sampling ACT({r}) {name}", lambda act=act, X=X, y=y: act.fit(X, y)
    if "exact" in kinds:
        how: dict[str, Any] = {"pessimism": "paper", "time_limit": None, "random_state": 0}
        for name in (*PROVEN, *SHALLOW):
            X, y, costs = problem(name)
            depth = {"pima": 2}.get(name, 3) if name in SHALLOW else None
            tree = frugaltree.FrugalTreeClassifier(costs, max_depth=depth, **how)
            yield f"exact {name}", lambda tree=tree, X=X, y=y: tree.fit(X, y)


def serve(kinds: list[str], source: str) -> None:
    """Time one fit for each line that comes in; the first answer names all fits."""
    warnings.simplefilter("ignore")
    import frugaltree

    if not Path(frugaltree.__file__).is_relative_to(source):
        raise SystemExit(f"frugaltree is that of {frugaltree.__file__}, not of {source}.")
    todo = dict(fits(kinds))
    for fit in todo.values():
        fit()
    print(json.dumps(list(todo)), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        todo[line.strip()]()
        print(time.process_time() - start, flush=True)


# ------------------------------------------------------------------------------ between versions


class Version:
    """A process that does fits with one version of the package."""

    def __init__(self, source: Path, kinds: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(source), "--only", *kinds],
            env={**os.environ, "PYTHONPATH": str(source), "POLARS_MAX_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def read(self) -> Any:
        """Return the next answer."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("One of the versions has failed; its message stands above.")
        return json.loads(line)

    def time(self, fit: str) -> float:
        """Return the seconds of processor time that a fit takes."""
        assert self.process.stdin is not None
        self.process.stdin.write(fit + "\n")
        self.process.stdin.flush()
        return float(self.read())


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Check a revision out next to this one; yield its sources."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            yield tree / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def compare(old: Path, kinds: list[str], repeats: int) -> None:
    """Print how long every fit takes in both versions."""
    versions = [Version(old, kinds), Version(ROOT / "src", kinds)]
    names, same = versions[0].read(), versions[1].read()
    if names != same:
        raise SystemExit("The two versions have different fits to do.")
    ratios: dict[str, float] = {}
    for name in names:
        times: list[list[float]] = [[], []]
        first = versions[0].time(name)
        for turn in range(repeats if first > 0.5 else 3 * repeats):
            for which in (0, 1) if turn % 2 else (1, 0):
                times[which].append(versions[which].time(name))
        before, now = map(min, times)
        ratios[name] = now / before
        mark = "  ABOVE" if ratios[name] > WORST else ""
        print(f"{name:32s} {1e3 * before:9.2f} ms {1e3 * now:9.2f} ms {now / before:6.3f}{mark}")
    for kind in kinds:
        logs = [log(ratio) for name, ratio in ratios.items() if name.startswith(kind)]
        print(f"{kind}: geometric mean {exp(sum(logs) / len(logs)):.3f}")
    print(f"worst ratio: {max(ratios.values()):.3f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", default="HEAD", help="a revision, or a folder of sources")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.only, args.serve)
    elif Path(args.against).is_dir():
        compare(Path(args.against).resolve(), args.only, args.repeats)
    else:
        with checked_out(args.against) as old:
            compare(old, args.only, args.repeats)


if __name__ == "__main__":
    main()
