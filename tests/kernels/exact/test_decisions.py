"""Answers that are no classes: proven trees against enumeration, and bounds against all leaves."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from frugaltree import FrugalTreeClassifier
from frugaltree.costs.regrets import penalties_of, regrets_of
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES
from frugaltree.kernels.cost.error_estimate import (
    C45_ERROR,
    EXACT_ERROR,
    TRAINING_ERROR,
    LeafEstimate,
)
from frugaltree.kernels.cost.leaf import cheapest_label, leaf_cost
from reference import expected_cost
from reference.basics import Problem, cheapest
from reference.c45_trees import expected_error
from reference.exact_trees import Options, best_cost, tree_cost
from support import bridge
from support.bound_problems import draw_confidence, draw_problem
from support.given import as_given

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
]

N = max(1, int(os.environ.get("FRUGALTREE_EXAMPLES", "150")) * 2)
FORMS = {"c45": C45_ERROR, "exact": EXACT_ERROR, "training": TRAINING_ERROR}


def draw_decisions(random: Random, errors: list[list[float]]) -> tuple[list[list[float]], int]:
    """Return a table of answers by class, and where its decisions begin.

    Some cost the same whatever the class, some are best for several classes, some gain.
    """
    k, dear = len(errors), max(map(max, errors), default=1.0) or 1.0
    gains, only = random.random() < 0.5, random.random() < 0.4
    rows = []
    for _ in range(random.randint(2 if only else 1, 3)):
        if random.random() < 0.4:
            rows.append([dear * random.choice((0.02, 0.1, 0.3, 0.3, 0.6))] * k)
        else:
            least = -0.5 if gains else 0.0
            rows.append([dear * random.choice((least, 0.0, 0.05, 0.2, 1.0)) for _ in range(k)])
    if only:
        rows[0][0] += dear  # a list of costs that are the same is one by class all the same
        return rows, 0
    return errors + rows, k


def draw(seed: int) -> tuple[Problem, Options]:
    """Return a small problem with decisions."""
    problem, options = draw_problem(seed)
    random = Random(f"{seed} decisions")
    table, first = draw_decisions(random, problem.errors)
    form = random.choice(("c45", "c45", "exact", "training"))
    penalty = random.choice(("laplace", "laplace", "multinomial"))
    options = replace(options, flat=0.0, form=form, penalty=penalty)
    return replace(problem, errors=table, first_decision=first), options


def fitted(problem: Problem, options: Options, **how: Any) -> FrugalTreeClassifier:
    """Return a learner that has searched by these options."""
    table, weights = as_given(problem)
    learner = FrugalTreeClassifier(
        table.costs,
        pessimism="none" if options.form == "training" else options.cf,
        expected_error="c45" if options.form == "training" else options.form,
        penalty=options.penalty,
        random_state=0,
        **{"time_limit": None} | how,
    )
    return learner.fit(table.X, table.y, sample_weight=weights)


def same(cost: float) -> Any:
    return pytest.approx(cost, rel=1e-9, abs=1e-9)


def check_optimum(seed: int) -> bool:
    """Check a proven tree against every tree there is; tell whether it answers a decision."""
    problem, options = draw(seed)
    learner = fitted(problem, options)
    assert learner.termination_ == "optimal", seed
    optimum = best_cost(problem, options)
    assert learner.expected_cost_ == same(optimum), seed
    assert learner.lower_bound_ == same(optimum), seed
    tree = bridge.as_dict(learner.tree_.nodes, learner.tree_.labels, bridge.table_of(problem))
    assert learner.expected_cost_ == same(tree_cost(tree, problem, options)), seed
    return bool((learner.tree_.labels >= learner.tree_.first_decision).any())


def test_proven_trees_are_the_best_of_all() -> None:
    decided = [check_optimum(seed) for seed in range(N)]
    assert N < 100 or sum(decided) > 0.3 * N


def test_a_search_that_ends_early_has_a_bound() -> None:
    for seed in range(min(N, 100)):
        problem, options = draw(seed)
        learner = fitted(problem, options, max_steps=1)
        optimum = best_cost(problem, options)
        assert learner.lower_bound_ <= optimum + 1e-9 * (1.0 + abs(optimum)), seed
        assert learner.objective_ >= optimum - 1e-9 * (1.0 + abs(optimum)), seed
        assert 0.0 <= learner.gap_ <= 1.0


def test_the_cost_of_a_leaf_is_that_of_the_twin() -> None:
    for seed in range(4 * N):
        random = Random(f"{seed} leaf")
        k = random.choice((1, 2, 3, 4))
        errors = [[0.0 if i == j else random.choice((0.0, 5.0, 70.0)) for j in range(k)]
                  for i in range(k)]  # fmt: skip
        table, first = draw_decisions(random, errors)
        counts = [float(random.choice((0, 1, 3, 40))) for _ in range(k)]
        counts[0] += 1.0
        cf, form = draw_confidence(random), random.choice(list(FORMS))
        penalty = random.choice(("laplace", "multinomial"))
        regrets, base = regrets_of(np.array(table))
        label = cheapest_label(regrets, np.array(counts), first, NO_COST_CLASSES.class_of)
        assert label == cheapest(counts, table, first), seed
        estimate = LeafEstimate(cf, FORMS[form], penalty == "multinomial", 1.0, first)
        for answer in range(len(table)):
            got = (
                leaf_cost(regrets, np.array(counts), answer, estimate, NO_COST_CLASSES)
                + base @ counts
            )
            ref = expected_cost.leaf_cost(counts, answer, table, cf, form, penalty, first)
            assert got == pytest.approx(ref, rel=1e-9, abs=1e-7), (seed, answer)


def least_penalty_never_exceeds(share: float = 1.0) -> None:
    """Check that no leaf costs less than EE(m, 0) at the least penalty, whatever it answers."""
    for seed in range(4 * N):
        random = Random(f"{seed} bound")
        k = random.choice((1, 2, 3))
        errors = [[0.0 if i == j else random.choice((0.0, 5.0, 70.0)) for j in range(k)]
                  for i in range(k)]  # fmt: skip
        table, first = draw_decisions(random, errors)
        counts = [float(random.choice((0, 0, 1, 2, 30))) for _ in range(k)]
        counts[0] += 1.0
        cf, form = draw_confidence(random), random.choice(("c45", "exact"))
        penalty = random.choice(("laplace", "multinomial"))
        regrets, base = regrets_of(np.array(table))
        least = share * penalties_of(regrets, base, first).least
        sure = float(base @ counts)
        for answer in range(len(table)):
            cost = expected_cost.leaf_cost(counts, answer, table, cf, form, penalty, first) - sure
            bound = least * expected_error(sum(counts), 0, cf, form)
            assert bound <= cost + 1e-7 * (1.0 + cost), (seed, answer)


def test_no_leaf_costs_less_than_the_least_penalty() -> None:
    least_penalty_never_exceeds()


def test_a_penalty_a_little_too_large_is_caught() -> None:
    with pytest.raises(AssertionError):
        least_penalty_never_exceeds(1.01)


def test_cases_of_one_class_need_no_test() -> None:
    """Without the least cost of each class taken off, two leaves could cost less than one.

    A decision that costs 10 for one class and 100 for the other, and 0 for a third, is charged
    by what other classes cost, the more so the fewer cases there are.
    """
    table = [[0.0, 10.0, 100.0], [20.0, 300.0, 150.0]]
    regrets, base = regrets_of(np.array(table))
    estimate = LeafEstimate(0.25, C45_ERROR, False, 1.0, 0)
    pure = [
        leaf_cost(regrets, np.array([0.0, 0.0, m]), 0, estimate, NO_COST_CLASSES)
        for m in (1.0, 2.0, 3.0, 4.0)
    ]
    assert base.tolist() == [0.0, 10.0, 100.0]
    assert all(2 * pure[0] >= one for one in pure[:2])
    assert pure[0] + pure[2] >= pure[3]
    unshifted = [
        leaf_cost(np.array(table), np.array([0.0, 0.0, m]), 0, estimate, NO_COST_CLASSES)
        for m in (1.0, 2.0)
    ]
    assert unshifted == pytest.approx([70.0, 155.0])
    assert 2 * unshifted[0] < unshifted[1]
