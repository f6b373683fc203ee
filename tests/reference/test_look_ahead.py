"""Looking three tests ahead, checked by hand."""

from __future__ import annotations

from itertools import product

from reference.basics import Problem
from reference.exact_trees import Options
from reference.look_ahead import Choice, Look

TRAINING = Options(form="training")


def parity(prices: list[float]) -> Problem:
    """Return the parity of the signs of three numbers, each of four values."""
    rows = [list(map(float, row)) for row in product((-2, -1, 1, 2), repeat=3)]
    return Problem(
        rows=list(rows),
        classes=[int((row[0] > 0) ^ (row[1] > 0) ^ (row[2] > 0)) for row in rows],
        weights=[1.0] * len(rows),
        kinds=["numeric"] * 3,
        domains=[0] * 3,
        n_classes=2,
        full=prices,
        groups=[],
        delayed=set(),
        usable={0, 1, 2},
        errors=[[0, 20], [20, 0]],
    )


def test_parity_is_seen_three_tests_ahead() -> None:
    """All 64 cases pay for all three tests, and none is an error; without, half of them are."""
    look = Look(parity([1.0, 2.0, 3.0]), TRAINING)
    assert look.leaf(look.cases) == 32 * 20.0
    assert look.best(goal=640.0) == Choice(test=0, low=32.0, cost=64 * 6.0)


def test_a_goal_that_is_met_is_not_undercut() -> None:
    assert Look(parity([1.0, 2.0, 3.0]), TRAINING).best(goal=384.0) is None


def test_thresholds_part_the_cases_evenly() -> None:
    look = Look(parity([0.0, 0.0, 0.0]), TRAINING, wanted=1)
    assert [len(split.branches[0]) for split in look.few[0]] == [32]
    assert look.best(goal=320.0) == Choice(test=0, low=32.0, cost=0.0)


def test_the_best_threshold_is_found_between_those_looked_at() -> None:
    """Of 100 numbers the first 55 are of one class; quarters lie at 25, 50 and 75.

    At 50, five of them are errors of 20 each, and a split is charged 1.
    """
    problem = parity([0.0, 0.0, 0.0])
    problem.rows = [[float(i)] for i in range(100)]
    problem.classes = [int(i >= 55) for i in range(100)]
    problem.weights, problem.kinds, problem.domains = [1.0] * 100, ["numeric"], [0]
    problem.full, problem.usable = [0.0], {0}
    look = Look(problem, Options(form="training", flat=1.0))
    assert look.better(0, None, goal=900.0) == Choice(test=0, low=50.0, cost=101.0)
    assert look.best(goal=900.0) == Choice(test=0, low=55.0, cost=1.0)
