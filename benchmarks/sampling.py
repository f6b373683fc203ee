"""Speed of the sampling learners: one sampled tree, ACT as a whole, and how soon it stops.

Six figures, each with a bar that it should not miss; rivals alternate within one run, and
medians are shown. Whatever compiles does so before anything is measured.

    python benchmarks/sampling.py [--repeats 5] [--only trees threads krk samples tests stop]
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.tree import DecisionTreeClassifier

from frugaltree import ACTClassifier
from frugaltree.datasets import assign_costs, load, make_xor, make_xor_3d
from frugaltree.engines.sampling.plan import make_plan
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels.cost.path_state import start_path
from frugaltree.kernels.jit import OPTIONS
from frugaltree.kernels.sampling.cache import RowRange, SetCache, forget_sets
from frugaltree.kernels.sampling.sample import sample_tree
from frugaltree.kernels.sampling.split_set import find_set_of, hash_rows
from frugaltree.kernels.sampling.workspace import Workspace
from frugaltree.kernels.sentinels import FULL

TREES = ("multiplexer-20", "car", "nursery", "krk", "pima", "thyroid", "heart")
LARGE = {"multiplexer-20": 50, "nursery": 200, "krk": 50, "pima": 50, "thyroid": 20}
"""Samples with which a fit takes long enough for two threads to matter."""

N_TREES = 100
DEEP = 2**40
COUNT = 10**8
QUIET = 1.8
"""Both cores are free if two threads count this much faster than one."""

SMALL = 8 * 2**20
"""Bytes of a cache that is emptied before every sample."""

console = Console(width=100)


class Bar(NamedTuple):
    """A figure and the bar that it should not miss: at most, or at least, so much."""

    what: str
    figure: float
    bar: float
    least: bool = False
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.figure >= self.bar if self.least else self.figure <= self.bar

    def __str__(self) -> str:
        sign, verdict = ">=" if self.least else "<=", "OK" if self.met else "MISSED"
        return f"{verdict:6s} {self.what}: {self.figure:.3g}{self.unit} ({sign} {self.bar:g})"


def priced(X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return a table with costs drawn as the study did, an error costing 1000."""
    return X, y, assign_costs(X, y, 1, errors=1000)


def study(name: str) -> tuple[Any, Any, Any]:
    return priced(*load(name, return_X_y=True))


def seconds(action: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    action()
    return clock() - start


def turns(actions: Sequence[Callable[[], Any]], repeats: int) -> np.ndarray:
    """Return the times of actions that take turns, all of them run once before."""
    for action in actions:
        action()
    return np.array([[seconds(action) for action in actions] for _ in range(repeats)])


def medians(actions: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    return np.median(turns(actions, repeats), axis=0).tolist()


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the slope of log time on log size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


# ------------------------------------------------------------------------------ sampled trees


@numba.njit(**OPTIONS)
def sampled(work, order, n, seed, emptied):
    """Sample trees for all cases; return how often the cache was full, -1 if it is too small."""
    n_full, last, j, e = 0, -1, 0, np.int64(FULL)
    start_path(work.prices, work.sets.plan, work.path)
    while j < n:
        if emptied or e == FULL:
            forget_sets(work.sets.cache)
            n_rows = np.int64(order.size)
            cases = RowRange(order, np.int64(0), n_rows, n_rows)
            hash0, hash1 = hash_rows(work.sets.table, cases)
            e = find_set_of(work.sets, cases, hash0, hash1)
        cost = sample_tree(work, e, np.uint64(seed + j), False, np.int64(DEEP), np.inf)
        if cost != FULL:
            j += 1
            continue
        if last == j:
            return -1
        n_full += 1
        last = j
        e = np.int64(FULL)
    return n_full


def draw(work: Workspace, order: np.ndarray, n: int, seed: int, *, emptied: bool) -> None:
    if sampled(work, order, n, seed, emptied) < 0:
        raise RuntimeError("the cache of sets is too small for a sampled tree.")


def against_cart(name: str, repeats: int) -> tuple[float, float, float]:
    """Return seconds for a CART fit, and per tree sampled with memory kept and emptied.

    All in one thread, so its own clock tells, whatever else the machine does.
    """
    X, y, costs = study(name)
    problem = ACTClassifier(costs)._read(X, y, None)
    names, classes = problem.table.names, problem.classes.tolist()
    plan = make_plan(problem, w=costs.w(names, classes), cf=costs.cf(names, classes))
    search = SamplingSearch(problem, plan)
    codes = np.ascontiguousarray(problem.cases.codes.T, np.float32)
    order = np.arange(search.table.classes.size, dtype=np.int32)
    small = search._make_workspace()
    emptied_cache = SetCache.empty(search.table, SMALL)
    small = small._replace(sets=small.sets._replace(cache=emptied_cache))
    few = N_TREES // 10
    times = []
    for i in range(repeats + 1):
        fresh = search._make_workspace()
        actions = (
            lambda: DecisionTreeClassifier().fit(codes, problem.cases.classes),
            partial(draw, fresh, order, N_TREES, i * N_TREES, emptied=False),
            partial(draw, small, order, few, i * N_TREES, emptied=True),
        )
        times.append([seconds(action, time.thread_time) for action in actions])
    cart, kept, emptied = np.median(times[1:], axis=0).tolist()
    return cart, kept / N_TREES, emptied / few


def trees(repeats: int) -> list[Bar]:
    shown = Table(
        "one sampled tree", "CART", "ours", "ours / CART", "no memory", "no memory / CART"
    )
    ratios = []
    for name in TREES:
        cart, kept, emptied = against_cart(name, 2 * repeats)
        ratios.append((kept / cart, emptied / cart))
        shown.add_row(
            name,
            f"{1000 * cart:.2f} ms",
            f"{1000 * kept:.3f} ms",
            f"{kept / cart:.3f}",
            f"{1000 * emptied:.3f} ms",
            f"{emptied / cart:.3f}",
        )
    kept, emptied = np.exp(np.log(ratios).mean(axis=0)).tolist()
    shown.add_row("geometric mean", "", "", f"{kept:.3f}", "", f"{emptied:.3f}")
    console.print(shown)
    return [Bar("one sampled tree / CART", kept, 0.1)]


# ------------------------------------------------------------------------------ whole fits


def fitted(table: tuple[Any, Any, Any], r: int, n_jobs: int | None = 1) -> ACTClassifier:
    X, y, costs = table
    return ACTClassifier(costs, n_samples=r, random_state=0, n_jobs=n_jobs).fit(X, y)


@numba.njit(nogil=True)
def spin(n):
    x = np.uint64(1)
    for _ in range(n):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    return x


def both_cores(pool: ThreadPoolExecutor) -> None:
    for done in [pool.submit(spin, COUNT) for _ in range(2)]:
        done.result()


def two_threads(name: str, r: int, repeats: int) -> tuple[list[float], float, int]:
    """Return seconds of a fit by one thread and by two.

    Then how many trees per second two sample, as a multiple of what one does, and in how many
    turns both cores were there to be used; other turns count only if there is no such.
    """
    table, found = study(name), {}

    def fit(n_jobs: int) -> None:
        found[n_jobs] = fitted(table, r, n_jobs)

    with ThreadPoolExecutor(2) as pool:
        actions = (
            partial(fit, 1),
            partial(both_cores, pool),
            partial(fit, 2),
            partial(spin, COUNT),
        )
        times = turns(actions, repeats)
    if found[1].to_text() != found[2].to_text():
        raise RuntimeError(f"one thread and two learn different trees of {name}.")
    quiet = 2 * times[:, 3] / times[:, 1] >= QUIET
    one, _, two, _ = np.median(times[quiet] if quiet.any() else times, axis=0).tolist()
    samples = {n_jobs: act.history_[-1].samples for n_jobs, act in found.items()}
    return [one, two], (samples[2] / two) / (samples[1] / one), int(quiet.sum())


def threads(repeats: int) -> list[Bar]:
    shown = Table("two threads / one", "r", "one", "two", "samples/s", "fits/s", "quiet turns")
    rates = []
    for name, r in LARGE.items():
        (one, two), rate, quiet = two_threads(name, r, repeats)
        rates.append((rate, one / two))
        seconds = (f"{took:.2f} s" for took in (one, two))
        gains = (f"{gain:.2f}" for gain in rates[-1])
        shown.add_row(name, str(r), *seconds, *gains, f"{quiet} of {repeats}")
    samples, fits = np.exp(np.log(rates).mean(axis=0)).tolist()
    shown.add_row("geometric mean", "", "", "", f"{samples:.2f}", f"{fits:.2f}")
    console.print(shown)
    return [Bar("samples per second, two threads / one", samples, 1.7, least=True)]


def krk(repeats: int) -> list[Bar]:
    times = turns([partial(fitted, study("krk"), 5, 2)], min(repeats, 3))
    return [Bar("ACT(5) of krk, 28,056 x 6, two threads", np.median(times), 15.0, unit=" s")]


def samples(repeats: int) -> list[Bar]:
    """See how time grows with the sample."""
    sizes = (1, 2, 4, 8, 16, 32)
    shown = Table("time against r", *map(str, sizes), "exponent")
    bars = []
    for name in ("tic-tac-toe", "heart"):
        table = study(name)
        times = medians([partial(fitted, table, r) for r in sizes], repeats)
        bars.append(Bar(f"exponent of r, {name}", exponent(sizes, times), 1.0))
        shown.add_row(name, *(f"{took:.3f} s" for took in times), f"{bars[-1].figure:.2f}")
    console.print(shown)
    return bars


def tests(repeats: int) -> list[Bar]:
    """See how time grows with the number of tests, the cases being the same."""
    sizes = (5, 10, 20, 40)
    shown = Table("time against tests", *map(str, sizes), "exponent")
    bars = []
    makers = {
        "bits": partial(make_xor, 500, 3, 37, 0),
        "numbers": partial(make_xor_3d, 200, 37, 0),
    }
    for name, make in makers.items():
        X, y = make()
        tables = [priced(X[:, :n], y) for n in sizes]
        times = medians([partial(fitted, table, 5) for table in tables], repeats)
        bars.append(Bar(f"exponent of the number of tests, {name}", exponent(sizes, times), 3.0))
        shown.add_row(name, *(f"{took:.3f} s" for took in times), f"{bars[-1].figure:.2f}")
    console.print(shown)
    return bars


# ------------------------------------------------------------------------------ stopping

INTERRUPTED = """
import sys, time, warnings
sys.path.insert(0, {folder!r})
from sampling import ACTClassifier, study
warnings.simplefilter("ignore")
X, y, costs = study("krk")
act = ACTClassifier(costs, n_samples={r}, random_state=0, n_jobs={n_jobs})
ACTClassifier(costs, random_state=0, n_jobs={n_jobs}).fit(X, y)
print("ready", flush=True)
act.fit(X, y)
returned = time.monotonic()
assert act.termination_ == "interrupted" and set(act.predict(X)) <= set(act.classes_)
print(returned)
"""


def interrupted(after: float, n_jobs: int) -> float:
    """Return how long after Ctrl-C, sent to a process, its fit returned."""
    folder = __file__.rpartition("/")[0] or "."
    code = INTERRUPTED.format(folder=folder, r=100_000, n_jobs=n_jobs)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as one:
        one.stdout.readline()
        time.sleep(after)
        sent = time.monotonic()
        one.send_signal(signal.SIGINT)
        returned = float(one.stdout.read())
    return returned - sent


def overshoot(table: tuple[Any, Any, Any], limit: float, **options: Any) -> float:
    X, y, costs = table
    act = ACTClassifier(costs, n_samples=None, time_limit=limit, random_state=0, **options)
    return seconds(lambda: act.fit(X, y)) - limit


def stop(repeats: int) -> list[Bar]:
    """See by how much fits outlast their time limit, and Ctrl-C."""
    limits = (0.5, 1.0, 2.0)
    ways = {
        "one thread": {},
        "two": {"n_jobs": 2},
        "iidt": {"schedule": "iidt"},
        "grid": {"w": "grid", "cf": "grid"},
    }
    shown = Table("outlasts", *(f"{limit} s, {way}" for way in ways for limit in limits))
    over = []
    for name in ("krk", "nursery", "heart"):
        table = study(name)
        fitted(table, 5, 2)
        over.append([overshoot(table, x, **way) for way in ways.values() for x in limits])
        shown.add_row(name, *(f"{took:.3f} s" for took in over[-1]))
    console.print(shown)
    shown = Table("Ctrl-C after", "one thread", "two threads")
    late = []
    for after in (0.2, 1.0, 3.0):
        late.append([interrupted(after, n) for n in (1, 2)])
        shown.add_row(f"{after} s", *(f"{took:.3f} s" for took in late[-1]))
    console.print(shown)
    return [
        Bar("largest overshoot of a time limit", float(np.max(over)), 0.2, unit=" s"),
        Bar("longest time until Ctrl-C returned", float(np.max(late)), 0.5, unit=" s"),
    ]


FIGURES: dict[str, Callable[[int], list[Bar]]] = {
    "trees": trees,
    "threads": threads,
    "krk": krk,
    "samples": samples,
    "tests": tests,
    "stop": stop,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=list(FIGURES))
    args = parser.parse_args()
    bars = [bar for name in args.only for bar in FIGURES[name](args.repeats)]
    for bar in bars:
        print(bar)
    sys.exit(not all(bar.met for bar in bars))


if __name__ == "__main__":
    main()
