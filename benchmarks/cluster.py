"""A search on a Dask cluster of two workers against one: states per second, and the same tree.

    python benchmarks/cluster.py [--steps 600000] [--repeats 2]

Both clusters are on this machine and take turns, so close other programs first. Each search looks
at the same states, as steps are counted. In the last one, a worker is killed on the way. For
comparison, the same is searched without a cluster, in one thread.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from statistics import median
from threading import Timer
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from joblib import parallel_config
from rich.console import Console
from rich.table import Table

from frugaltree import Costs, FrugalTreeClassifier

console = Console(width=100)


class Problem(NamedTuple):
    """A labelled table with its prices."""

    X: Any
    y: Any
    costs: Costs


class Told(NamedTuple):
    """How a search went."""

    rate: float
    seconds: float
    tree: str
    objective: float
    bound: float


def multiplexer(n: int = 4000) -> Problem:
    """Return the 20-bit multiplexer, with a tenth of the answers wrong."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (n, 20))
    address = bits[:, :4] @ (2 ** np.arange(4))
    y = bits[np.arange(n), 4 + address] ^ (random.random(n) < 0.1)
    X = pd.DataFrame(bits.astype(str)).astype("category")
    return Problem(X, y, Costs(random.uniform(1, 10, 20).tolist(), errors=200))


def vehicle(n: int = 846) -> Problem:
    """Return 18 numeric tests of four overlapping classes."""
    random = np.random.default_rng(1)
    y = random.integers(0, 4, n)
    X = random.normal(size=(n, 18)) + random.normal(size=(4, 18))[y] * 0.6
    return Problem(X.round(2), y, Costs(random.uniform(1, 20, 18).tolist(), errors=200))


PROBLEMS = {"multiplexer-20": multiplexer, "18 numeric tests": vehicle}


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as workers,
        Client(workers) as client,
    ):
        yield client


def search(problem: Problem, client: Client | None, steps: int) -> Told:
    learner = FrugalTreeClassifier(
        problem.costs, pessimism="paper", max_steps=steps, random_state=0
    )
    with parallel_config("dask", client=client) if client else nullcontext():
        learner.fit(problem.X, problem.y)
    last = learner.history_[-1]
    return Told(
        rate=last.steps / last.seconds,
        seconds=last.seconds,
        tree=learner.to_text(),
        objective=learner.objective_,
        bound=learner.lower_bound_,
    )


def compare(name: str, steps: int, repeats: int, one: Client, two: Client) -> None:
    problem = PROBLEMS[name]()
    for client in (one, two):  # workers import the package and load kernels
        search(problem, client, 60_000)
    told: dict[str, list[Told]] = {"this process": [], "one worker": [], "two workers": []}
    for _ in range(repeats):
        for where, client in zip(told, (None, one, two), strict=True):
            told[where].append(search(problem, client, steps))
    victim = min(two.run(os.getpid).values())
    Timer(told["two workers"][-1].seconds / 2, os.kill, (victim, signal.SIGKILL)).start()
    told["two, one killed"] = [search(problem, two, steps)]
    table = Table("", "states/s", "seconds", "cost", "bound", title=f"{name}, {steps:,} states")
    for where, runs in told.items():
        figures = [median(getattr(run, field) for run in runs) for field in ("rate", "seconds")]
        table.add_row(
            where,
            f"{figures[0]:,.0f}",
            f"{figures[1]:.1f}",
            f"{runs[0].objective:.2f}",
            f"{runs[0].bound:.2f}",
        )
    console.print(table)
    ratios = [
        b.rate / a.rate for a, b in zip(told["one worker"], told["two workers"], strict=True)
    ]
    trees = {run.tree for where, runs in told.items() if where != "this process" for run in runs}
    console.print(
        f"two workers : one worker {median(ratios):.2f}, the same tree: {len(trees) == 1}, "
        f"killed {victim not in two.run(os.getpid).values()}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    args = parser.parse_args()
    console.print(f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    with cluster(1) as one, cluster(2) as two:
        for name in args.problems:
            compare(name, args.steps, args.repeats, one, two)


if __name__ == "__main__":
    main()
