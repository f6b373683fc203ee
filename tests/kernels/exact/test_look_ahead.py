"""Looking three tests ahead: what is queued, against enumeration, and what it is good for."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import coded
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.search import LOOKED_CUTS, Search
from frugaltree.kernels.exact import search as kernels
from frugaltree.kernels.exact.actions import asked_test
from frugaltree.kernels.exact.look_ahead import FAR, FEWEST, NEAR
from frugaltree.kernels.jit import recording
from reference.basics import Problem
from reference.exact_trees import Options
from reference.look_ahead import Look
from support import bridge
from support.examples import EXAMPLES, many
from support.problems import make_group, make_noise

fewer = settings(many, max_examples=max(1, EXAMPLES // 10))
"""The slow twin is slow, and the kernel runs interpreted."""


def draw_problem(seed: int) -> tuple[Problem, Options]:
    """Return a parity of numbers and bits, with a little noise, and how it is judged."""
    random = Random(f"{seed} ahead")
    n, n_tests = random.randint(6, 24), random.randint(1, 3)
    kinds = [random.choice(("numeric", "numeric", "nominal")) for _ in range(n_tests)]
    levels = [2 if kind == "nominal" else random.choice((3, 10, 1000)) for kind in kinds]
    rows: list[Any] = [[float(random.randrange(k)) for k in levels] for _ in range(n)]
    concept = [sum(x >= k / 2 for x, k in zip(row, levels, strict=True)) % 2 for row in rows]
    n_classes = random.choice((2, 2, 3))
    full = [float(random.choice((0, 1, 5, 20))) for _ in kinds]
    error = random.choice((30.0, 200.0))
    errors = [[error * (i != j) for j in range(n_classes)] for i in range(n_classes)]
    if random.random() < 0.3:
        errors[0][1] *= 2
    problem = Problem(
        rows=rows,
        classes=make_noise(seed, concept, n_classes, random.choice((0, 0.1))),
        weights=[float(random.choice((1, 1, 3))) for _ in rows],
        kinds=kinds,
        domains=[2 if kind == "nominal" else 0 for kind in kinds],
        n_classes=n_classes,
        full=full,
        groups=[make_group(random, full) for _ in range(random.randint(0, 2))],
        delayed=set(),
        usable=set(range(n_tests)),
        errors=errors,
    )
    charges = {"flat": random.choice((0.0, 2.0)), "per_log_cut": random.choice((0.0, 1.0))}
    return problem, Options(cf=random.choice((0.1, 0.25)), **charges)


def search_of(problem: Problem, options: Options) -> Search:
    ours = bridge.problem_of(problem, fractional=False)
    pessimism = Pessimism("", options.cf, split=options.flat, log_cut=options.per_log_cut)
    objective = make_objective(ours, pessimism)
    objective = objective._replace(flat=options.flat, per_log_cut=options.per_log_cut)
    return Search(ours, coded(ours)[0], objective, Stop(), memory=2**20)


class Spy:
    """Takes the place of the kernel's part, and notes what it has made of the first state."""

    def __init__(self) -> None:
        self._look = kernels.look_ahead
        self.found: dict[str, Any] | None = None

    def __call__(self, solver: Any, f: int) -> None:
        frame = solver.stack.frames[f]
        goal, paid = min(frame.upper, frame.cap), solver.context.path.paid.copy()
        kinds = int(frame.stop - frame.start)
        self._look(solver, f)
        assert (solver.context.path.paid == paid).all()
        solver.stop[0] = 1  # what the branches do is not looked at
        if self.found is None:
            first = solver.queue[frame.queue]
            self.found = {"goal": float(goal), "kinds": kinds, "ahead": int(frame.ahead)}
            self.found |= {"cost": float(first.rank), "test": int(asked_test(first.action))}
            self.found |= {"low": float(first.low), "queued": int(frame.queued)}


def look(problem: Problem, options: Options) -> dict[str, Any] | None:
    """Return what the kernel has found for all cases, None if it did not look."""
    search, spy = search_of(problem, options), Spy()
    with recording(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "look_ahead", spy)
        search.look_ahead()
    return spy.found


@fewer
@given(st.integers(0, 2**32 - 1))
def test_it_is_the_best_first_test_of_all_trees_of_three_levels(seed: int) -> None:
    problem, options = draw_problem(seed)
    got = look(problem, options)
    if got is None or got["kinds"] < FEWEST:
        assert got is None or not got["ahead"]
        return
    ref = Look(problem, options, LOOKED_CUTS).best(FAR * got["goal"])
    if ref is None or ref.cost >= NEAR * got["goal"]:
        assert not got["ahead"]
        return
    assert got["ahead"]
    if got["queued"]:  # its bound may rule it out
        assert got["cost"] == pytest.approx(ref.cost, rel=1e-9)
        assert (got["test"], got["low"]) == (ref.test, ref.low)


def parity(seed: int, n: int) -> Problem:
    """Return the parity of the signs of three numbers among six."""
    points = np.random.default_rng(seed).uniform(-1, 1, (n, 6))
    return Problem(
        rows=points.tolist(),
        classes=(points[:, :3].prod(axis=1) > 0).astype(int).tolist(),
        weights=[1.0] * n,
        kinds=["numeric"] * 6,
        domains=[0] * 6,
        n_classes=2,
        full=[1.0] * 6,
        groups=[],
        delayed=set(),
        usable=set(range(6)),
        errors=[[0.0, 100.0], [100.0, 0.0]],
    )


@pytest.mark.parametrize(("n", "most"), [(200, 13.0), (3000, 4.0)])
def test_parity_needs_no_luck(n: int, most: float) -> None:
    """Greedy trees and samples begin anywhere; of 3000 cases only some are looked at.

    Each case pays 3 for its tests; the rest is what 8 leaves and 7 splits are expected to cost.
    """
    sampled, ahead = [], []
    for seed in range(4):
        search = search_of(parity(seed, n), Options(per_log_cut=25.0))
        search.grow_greedily()
        search.sample()
        sampled.append(search.upper / n)
        search.look_ahead()
        ahead.append(search.upper / n)
        assert search.saved_ahead == pytest.approx(1.0 - ahead[-1] / sampled[-1])
        assert search.tree()[1] == pytest.approx(search.upper)
    assert max(ahead) < most < np.mean(sampled) / 1.5


def test_where_a_tree_is_good_there_is_little_to_do() -> None:
    """One test tells the class: the tree stays, at no more work than a few samples."""
    points = np.random.default_rng(0).uniform(-1, 1, (200, 6))
    problem = parity(0, 200)
    problem.rows, problem.classes = points.tolist(), (points[:, 0] > 0).astype(int).tolist()
    search = search_of(problem, Options())
    search.grow_greedily()
    cost, work = search.upper, search.work
    search.look_ahead()
    assert search.upper == cost
    assert search.work - work < 100 * 200 * 6


@pytest.mark.parametrize("seed", [37, 121, 295, 482])
@pytest.mark.parametrize("bounded", [False, True])
def test_a_sample_after_another_search_knows_what_its_tree_costs(seed: int, bounded: bool) -> None:
    """The best threshold known at a state may be none that the sample would try."""
    problem, options = draw_problem(seed)
    search = search_of(problem, options)
    search.grow_greedily()
    if not search.proven:
        search.look_ahead()
    if bounded and not search.proven:
        search.branch_and_bound(effort=2000)
    for number in range(3):
        if not search.proven:
            search.sample(number)
    assert search.tree()[1] == pytest.approx(search.upper)
