"""Costs of each case: proven trees against enumeration, and leaves and bounds against the twin."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from frugaltree import FrugalTreeClassifier
from frugaltree.engines.cost_classes import cost_table, mean_errors, penalties_by_cost_class
from frugaltree.kernels.cost.error_estimate import (
    C45_ERROR,
    EXACT_ERROR,
    NO_DECISIONS,
    TRAINING_ERROR,
    LeafEstimate,
)
from frugaltree.kernels.cost.leaf import cheapest_label, leaf_cost
from reference.basics import Problem
from reference.c45_trees import expected_error
from reference.costs_of_cases import cheapest_for, leaf_cost_for
from reference.exact_trees import Options, best_cost, tree_cost
from reference.expected_cost import leaf_cost as leaf_cost_by_class
from support import bridge
from support.bound_problems import draw_problem
from support.given import as_given

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
]

N = max(1, int(os.environ.get("FRUGALTREE_EXAMPLES", "150")))
FORMS = {"c45": C45_ERROR, "exact": EXACT_ERROR, "training": TRAINING_ERROR}

AMOUNTS = (0.0, 0.5, 1.0, 1.0, 3.0, 20.0)


def draw(seed: int) -> tuple[Problem, Options, Any]:
    """Return a small problem whose cases have costs of their own, and what ``fit`` is given.

    An amount, what each answer costs (right ones, too, now and then), or a matrix for each case.
    """
    problem, options = draw_problem(seed)
    random = Random(f"{seed} costs of cases")
    form = random.choice(("c45", "c45", "exact", "training"))
    penalty = random.choice(("laplace", "laplace", "multinomial"))
    options = replace(options, flat=0.0, form=form, penalty=penalty)
    k, n = problem.n_classes, len(problem.rows)
    way = random.choice(("amount", "amount", "answers", "matrix"))
    if way == "amount":
        given = [random.choice(AMOUNTS) for _ in range(n)]
        costs = [
            [amount * row[c] for row in problem.errors]
            for amount, c in zip(given, problem.classes, strict=True)
        ]
        return replace(problem, case_costs=costs), options, given
    dear, right = random.choice((1.0, 30.0, 900.0)), random.choice((0.0, 0.0, 0.1, 2.0))
    matrices = [
        [
            [dear * random.choice(AMOUNTS) * (right if p == a else 1.0) for a in range(k)]
            for p in range(k)
        ]
        for _ in range(n)
    ]
    costs = [
        [row[c] for row in matrix] for matrix, c in zip(matrices, problem.classes, strict=True)
    ]
    return (
        replace(problem, case_costs=costs),
        options,
        costs if way == "answers" and k > 1 else matrices,
    )


def fitted(seed: int, **how: Any) -> tuple[FrugalTreeClassifier, Problem, Options]:
    """Return a learner that has searched a problem by its options."""
    problem, options, given = draw(seed)
    table, weights = as_given(problem)
    learner = FrugalTreeClassifier(
        table.costs,
        pessimism="none" if options.form == "training" else options.cf,
        expected_error="c45" if options.form == "training" else options.form,
        penalty=options.penalty,
        random_state=0,
        **{"time_limit": None} | how,
    )
    learner.fit(table.X, table.y, sample_weight=weights, error_costs=given)
    return learner, problem, options


def same(cost: float) -> Any:
    return pytest.approx(cost, rel=1e-9, abs=1e-9)


def test_proven_trees_are_the_best_of_all() -> None:
    split = 0
    for seed in range(N):
        learner, problem, options = fitted(seed)
        optimum = best_cost(problem, options)
        assert learner.termination_ == "optimal", seed
        assert learner.expected_cost_ == same(optimum), seed
        assert learner.lower_bound_ == same(optimum), seed
        tree = bridge.as_dict(learner.tree_.nodes, learner.tree_.labels, bridge.table_of(problem))
        assert learner.expected_cost_ == same(tree_cost(tree, problem, options)), seed
        counts = np.bincount(problem.classes, problem.weights, problem.n_classes)
        np.testing.assert_array_equal(learner.tree_.nodes.counts[0], counts)
        split += learner.tree_.n_leaves > 1
    assert N < 100 or split > 0.1 * N


def test_a_search_that_ends_early_has_a_bound() -> None:
    for seed in range(min(N, 50)):
        learner, problem, options = fitted(seed, max_steps=1)
        optimum = best_cost(problem, options)
        assert learner.lower_bound_ <= optimum + 1e-9 * (1.0 + abs(optimum)), seed
        assert learner.objective_ >= optimum - 1e-9 * (1.0 + abs(optimum)), seed


def leaves(seed: int) -> Any:
    """Yield, for each answer to some cases, what the twin and the kernel say it costs."""
    problem, options, _ = draw(seed)
    random = Random(f"{seed} leaf")
    codes, weights = np.array(problem.classes), np.array(problem.weights)
    table = cost_table(np.array(problem.case_costs), codes, weights, problem.n_classes)
    here = [i for i in range(len(codes)) if random.random() < 0.6] or [0]
    counts = np.bincount(table.codes[here], weights[here], table.errors.shape[1])
    cases = [(i, weights[i]) for i in here]
    multinomial = options.penalty == "multinomial"
    estimate = LeafEstimate(options.cf, FORMS[options.form], multinomial, 1.0, NO_DECISIONS)
    sure = sum(w * min(problem.case_costs[i]) for i, w in cases)
    label = cheapest_label(table.errors, counts, NO_DECISIONS, table.classes.class_of)
    assert label == cheapest_for(problem, cases), seed
    for answer in range(problem.n_classes):
        how = options.cf, options.form, options.penalty
        ref = leaf_cost_for(problem, cases, answer, *how) - sure
        got = leaf_cost(table.errors, counts, answer, estimate, table.classes)
        yield problem, options, table, counts, ref, got


def test_the_cost_of_a_leaf_is_that_of_the_twin() -> None:
    for seed in range(4 * N):
        for _, _, _, _, ref, got in leaves(seed):
            assert got == pytest.approx(ref, rel=1e-9, abs=1e-7), seed


def least_penalty_never_exceeds(share: float) -> None:
    """Check that no leaf costs less than EE(m, 0) at the least penalty, whatever it answers."""
    for seed in range(4 * N):
        for _, options, table, counts, ref, _ in leaves(seed):
            if options.form != "training":
                least = penalties_by_cost_class(
                    table.errors, table.classes, mean_errors(table)
                ).least
                none = expected_error(counts.sum(), 0, options.cf, options.form)
                assert share * least * none <= ref + 1e-7 * (1.0 + ref), seed


def test_no_leaf_costs_less_than_the_least_penalty() -> None:
    least_penalty_never_exceeds(1.0)


def test_a_penalty_a_little_too_large_is_caught() -> None:
    with pytest.raises(AssertionError):
        least_penalty_never_exceeds(1.01)


def test_equal_rows_are_estimated_as_costs_by_class_are() -> None:
    """In the limit of equal rows the estimate is the one without costs of each case."""
    for seed in range(4 * N):
        problem, options = draw_problem(seed)
        costs = [[row[c] for row in problem.errors] for c in problem.classes]
        own = replace(problem, case_costs=costs)
        cases = [(i, w) for i, w in enumerate(problem.weights) if (seed + i) % 3]
        counts = [sum(w for i, w in cases if problem.classes[i] == c)
                  for c in range(problem.n_classes)]  # fmt: skip
        for penalty in ("laplace", "multinomial"):
            for answer in range(problem.n_classes if cases else 0):
                ref = leaf_cost_by_class(
                    counts, answer, problem.errors, options.cf, penalty=penalty
                )
                got = leaf_cost_for(own, cases, answer, options.cf, penalty=penalty)
                assert got == pytest.approx(ref, rel=1e-12, abs=1e-12), seed


def test_an_amount_of_one_learns_what_no_amount_does() -> None:
    for seed in range(min(N, 40)):
        problem, _, _ = draw(seed)
        table, weights = as_given(problem)
        how = {"pessimism": 0.1, "random_state": 0, "time_limit": None}
        without = FrugalTreeClassifier(table.costs, **how).fit(table.X, table.y, weights)
        ones = np.ones(len(table.y))
        learner = FrugalTreeClassifier(table.costs, **how)
        learner.fit(table.X, table.y, weights, error_costs=ones)
        assert learner.expected_cost_ == without.expected_cost_
        assert learner.tree_.to_frame(learner._prices()).equals(
            without.tree_.to_frame(without._prices())
        )
