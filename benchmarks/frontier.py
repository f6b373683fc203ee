"""The frontier of heart, pima and thyroid at expert prices: its time, and whether it is behind.

    python benchmarks/frontier.py [SECONDS [TABLE ...]]

A fit may take so many seconds (10). Printed are: how many trees the frontier has; the time that it
takes, cases held out included, as so many times that of one fit (at most five are wanted); whether
more tests always mean fewer errors by the estimate; how far the widest gap is from a proof; and at
how many of its points a fit of its own, at the price of the point and under the same setting,
finds a better tree: in the time that the frontier has spent on each point, and in the whole time
of one fit, which is many times that.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from time import perf_counter
from unittest import mock

from frugaltree import FrugalTreeClassifier, frontier
from frugaltree.datasets import load, load_costs
from frugaltree.engines.exact.pessimism import candidates
from frugaltree.tradeoff.searched import AFTERWARDS

TABLES = {"heart": 500, "pima": 400, "thyroid": 400}
"""The tables, and what an error costs by the price list."""

CLOSE = 1e-9


def separate_fit(learner, own, X, y, seconds):
    """Return what a fit at the price of a point costs by its objective, under the same setting."""
    settings = candidates(own.cf_, numeric=True)
    setting = next(one for one in settings if one.name == own.pessimism_)
    fit = FrugalTreeClassifier(**learner.get_params(deep=False)).set_params(costs=own.costs)
    # With one setting a search takes every better tree, however little it saves.
    fit.set_params(time_limit=seconds, pessimism=own.cf_, splits="rest")
    with mock.patch.object(FrugalTreeClassifier, "_pessimisms", return_value=[setting]):
        return fit.fit(X, y).objective_


def measure(name, seconds):
    """Print a row about a table."""
    X, y = load(name, return_X_y=True)
    costs = load_costs(name, errors=TABLES[name], delayed=False)
    learner = FrugalTreeClassifier(costs, time_limit=seconds, random_state=0)
    began = perf_counter()
    FrugalTreeClassifier(**learner.get_params(deep=False)).fit(X, y)
    one = perf_counter() - began
    began = perf_counter()
    found = frontier(learner, X, y)
    took = perf_counter() - began
    points = found.points
    rising = all(a.test_cost < b.test_cost and a.errors > b.errors for a, b in pairwise(points))
    behind = []
    for share in (AFTERWARDS / len(points), 1.0):
        worse = 0
        for point in points:
            fit = separate_fit(learner, point.estimator, X, y, share * one)
            worse += point.cost > fit * (1.0 + CLOSE)
        behind.append(f"{worse}/{len(points)}")
    gap = f"{100 * found.gap:.0f} %"
    print(
        f"{name:8s}{len(points):6d}{one:9.1f} s{took / one:8.2f}{'yes' if rising else 'NO':>10s}"
        f"{gap:>8s}{behind[0]:>12s}{behind[1]:>12s}",
        flush=True,
    )


def main():
    """Print a row for each table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    print("table   trees  one fit     times  monotone     gap  behind: same time  one fit's")
    for name in sys.argv[2:] or TABLES:
        measure(name, seconds)


if __name__ == "__main__":
    main()
