"""The last two tests where one is numeric: the optimum, by enumeration and the general search."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree import Costs, FrugalTreeClassifier, Group
from frugaltree.engines.exact import threads as workers
from frugaltree.kernels.exact.cut_buffers import CutBuffers
from reference.basics import Problem
from reference.exact_trees import Options, best_cost, tree_cost
from support import bridge
from support.examples import EXAMPLES, many
from support.given import as_given
from support.problems import make_group, make_noise

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
]
fewer = settings(many, max_examples=max(1, EXAMPLES // 2))


class Counting(FrugalTreeClassifier):
    """Tells in ``states_`` how many states were expanded."""

    @property
    def states_(self) -> int:
        """The work done by the end of the search."""
        return self.history_[-1].steps


def no_room(table: Any) -> CutBuffers:
    """Return buffers for no cases, so that the general search goes on."""
    return CutBuffers.empty(table._replace(usable=np.zeros_like(table.usable)))


# ------------------------------------------------------------------------------ enumeration


def draw_problem(seed: int) -> tuple[Problem, Options]:
    """Return a small problem of numeric and nominal tests that help in pairs, and its limits."""
    random = Random(f"{seed} cuts")
    n, n_tests = random.randint(3, 14), random.randint(1, 4)
    kinds = [random.choice(("numeric", "numeric", "nominal")) for _ in range(n_tests)]
    levels = [random.choice((2, 3, 5, 20)) for _ in kinds]
    rows = [[float(random.randrange(k)) for k in levels] for _ in range(n)]
    n_classes = random.choice((2, 2, 3, 4))
    concept = [int(sum(x > k / 3 for x, k in zip(row, levels, strict=True))) for row in rows]
    classes = make_noise(seed, [c % n_classes for c in concept], n_classes, 0.2)
    present = sorted(set(classes))
    full = [float(random.choice((0, 0, 1, 5, 20))) for _ in kinds]
    error = random.choice((1.0, 30.0, 200.0))
    problem = Problem(
        rows=rows,
        classes=[present.index(c) for c in classes],
        weights=[float(random.choice((1, 1, 3, 20))) for _ in rows],
        kinds=kinds,
        domains=[k if kind == "nominal" else 0 for k, kind in zip(levels, kinds, strict=True)],
        n_classes=len(present),
        full=full,
        groups=[make_group(random, full) for _ in range(random.randint(0, 2))],
        delayed=set(),
        usable=set(range(n_tests)),
        errors=[[error * (i != j) for j in present] for i in present],
    )
    form = random.choice(("c45", "c45", "training", "exact"))
    cf = random.choice((0.001, 0.1, 0.25, 0.4))
    return problem, Options(cf=cf, form=form, max_depth=random.choice((2, 2, 3)))


def fitted(problem: Problem, options: Options) -> Counting:
    (X, y, costs), weights = as_given(problem)
    pessimism: dict[str, Any] = {"pessimism": options.cf, "expected_error": options.form}
    if options.form == "training":
        pessimism = {"pessimism": "none"}
    learner = Counting(costs, **pessimism, max_depth=options.max_depth, random_state=0)
    return learner.fit(X, y, sample_weight=weights)


@fewer
@given(st.integers(0, 2**32 - 1))
def test_it_is_the_optimum(seed: int) -> None:
    problem, options = draw_problem(seed)
    got, ref = fitted(problem, options), best_cost(problem, options)
    assert got.termination_ == "optimal"
    assert got.expected_cost_ == pytest.approx(ref, rel=1e-9, abs=1e-9)
    tree = bridge.as_dict(got.tree_.nodes, got.tree_.labels, bridge.table_of(problem))
    assert tree_cost(tree, problem, options) == pytest.approx(ref, rel=1e-9, abs=1e-9)


@fewer
@given(st.integers(0, 2**32 - 1))
def test_delayed_tests_are_left_to_the_general_search(seed: int) -> None:
    problem, options = draw_problem(seed)
    problem = replace(problem, delayed={seed % len(problem.kinds)})
    ref = best_cost(problem, options)
    assert fitted(problem, options).expected_cost_ == pytest.approx(ref, rel=1e-9, abs=1e-9)


# ------------------------------------------------------------------------------ general search


def table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, Costs, dict[str, Any]]:
    """Return values, classes, weights, costs and limits of a larger table."""
    rng = np.random.default_rng(seed)
    n, n_tests, n_classes = rng.integers(2, 90), rng.integers(1, 5), rng.integers(2, 5)
    levels = rng.choice([2, 4, 30, 1000], n_tests)
    X = rng.integers(0, levels, (n, n_tests)).astype(float)
    z = (X / levels > 0.5).sum(axis=1) + (X[:, 0] > levels[0] / 4)
    y = (z + (rng.random(n) < 0.15)).astype(int) % n_classes
    weights = rng.integers(1, 4, n) if rng.random() < 0.3 else np.ones(n, int)
    prices = rng.choice([0.0, 0.0, 3.0, 25.0], n_tests)
    members = [rng.permutation(n_tests)[:2].tolist() for _ in range(rng.integers(0, 3))]
    groups = {f"{g}": Group({a: prices[a] / 2 for a in pair}) for g, pair in enumerate(members)}
    costs = Costs(prices.tolist(), groups, errors=float(rng.choice([1.0, 100.0, 1000.0])))
    nominal = [a for a in range(n_tests) if levels[a] < 10 and rng.random() < 0.5]
    how: dict[str, Any] = {
        "categorical_features": nominal,
        "max_depth": int(rng.integers(2, 5)),
        "pessimism": ["paper", "none", 0.1, 0.4][rng.integers(4)],
        "n_jobs": int(rng.integers(1, 3)),
    }
    return X, y, weights, costs, how


@settings(many, max_examples=max(1, EXAMPLES // 5))
@given(st.integers(0, 2**32 - 1))
def test_the_general_search_finds_the_same(seed: int) -> None:
    X, y, weights, costs, how = table(seed)
    learner = Counting(costs, max_steps=30_000, random_state=0, **how)
    got = learner.fit(X, y, sample_weight=weights)
    found, bound, ended = got.expected_cost_, got.lower_bound_, got.termination_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "CutBuffers", SimpleNamespace(empty=no_room))
        plain = learner.fit(X, y, sample_weight=weights)
    if ended == plain.termination_ == "optimal":
        assert found == pytest.approx(plain.expected_cost_, rel=1e-9, abs=1e-9)
    assert bound <= plain.expected_cost_ * (1 + 1e-9)
    assert plain.lower_bound_ <= found * (1 + 1e-9)
