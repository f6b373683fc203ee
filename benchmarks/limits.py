"""How well a search keeps to its limits: the clock, Ctrl-C, memory.

    python benchmarks/limits.py

One search is let grow until its table of states has taken a gigabyte. From there it goes on again
and again: for a short time, to see by how much it exceeds it, and until Ctrl-C, to see how soon
it ends. Another search, in a process of its own, may take a quarter of a gigabyte; what counts is
by how much the process grows.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np

from frugaltree import Costs, FrugalTreeClassifier
from frugaltree.anytime import stop as ctrl_c

GB, LIMIT = 2**30, 250_000_000
TIMES = 20


def problem():
    """Return cases of which a search does not soon come to an end, and their costs.

    Thirty bits, of which three tell the class, but for one case in five.
    """
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 30))
    y = X[:, :3].sum(axis=1) % 2 ^ (rng.random(1000) < 0.2)
    return X, y, Costs([5.0] * 30, errors=1000)


def searched(**how):
    """Return an estimator that goes on whenever it is fitted, and what it is fitted to."""
    X, y, costs = problem()
    frugal = FrugalTreeClassifier(
        costs,
        pessimism="paper",
        warm_start=True,
        random_state=0,
        time_limit=5,
        categorical_features=list(range(X.shape[1])),
        **how,
    )
    return frugal, X, y


def table_of(frugal):
    """Return the bytes of the table of states."""
    return frugal._session_.search._workers.first.states.words.nbytes


def at_a_gigabyte():
    """Print how late a search with a large table ends when its time is over, and at Ctrl-C."""
    frugal, X, y = searched(memory_limit=2 * GB)
    frugal.fit(X, y)
    while table_of(frugal) < GB:
        frugal.fit(X, y)
    late = []
    for seconds in np.random.default_rng(0).uniform(0.2, 1.5, TIMES):
        frugal.set_params(time_limit=seconds)
        began = perf_counter()
        frugal.fit(X, y)
        late.append(perf_counter() - began - seconds)
    print(f"table of states                    {table_of(frugal) / GB:8.2f} GB")
    print(f"time limit exceeded, worst of {TIMES}   {max(late):8.3f} s   (bar 0.2)")
    frugal.set_params(time_limit=None)
    late = []
    for seconds in np.random.default_rng(1).uniform(0.2, 1.5, TIMES):
        ctrl_c._last_interrupt = -np.inf
        sent = []

        def send(sent=sent):
            sent.append(perf_counter())
            signal.raise_signal(signal.SIGINT)

        threading.Timer(seconds, send).start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frugal.fit(X, y)
        late.append(perf_counter() - sent[0])
        assert frugal.termination_ == "interrupted"
    print(f"Ctrl-C to the end, worst of {TIMES}     {max(late):8.3f} s   (bar 0.5)")


def peak():
    """Return the most memory that this process has taken, in bytes.

    On Linux, where what `resource` tells includes the process that started this one.
    """
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(line)


def within_memory():
    """Print how much memory a search takes that is in need of more."""
    short, X, y = searched(max_steps=10)
    short.fit(X, y)
    frugal, X, y = searched(memory_limit=LIMIT)
    before = peak()
    for _ in range(6):
        frugal.fit(X, y)
    states = frugal._session_.search._workers.first.states
    full = float(np.mean(states.words[:, 6] != 0))
    took, most = peak() - before, 1.1 * LIMIT / 1e6
    print(f"memory limit                       {LIMIT / 1e6:8.0f} MB")
    print(f"table of states                    {table_of(frugal) / 1e6:8.0f} MB, {full:.0%} full")
    print(f"growth of the process              {took / 1e6:8.0f} MB  (bar {most:.0f})")


if __name__ == "__main__":
    if "memory" in sys.argv[1:]:
        within_memory()
    else:
        at_a_gigabyte()
        sys.stdout.flush()
        subprocess.run([sys.executable, __file__, "memory"], check=True)
