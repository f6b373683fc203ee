"""Each lower bound against enumeration: it never exceeds the optimum, and a spoilt copy does.

Every check takes the bound that it checks. So a deliberately spoilt one, a little too large or
with a term dropped, is given to the same check, which must catch it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frugaltree import Costs, FrugalTreeClassifier
from frugaltree.kernels.cost import bounds
from frugaltree.kernels.cost.error_estimate import C45_ERROR, EXACT_ERROR, TRAINING_ERROR
from reference.basics import (
    START,
    Case,
    Problem,
    State,
    after,
    cheapest,
    count,
    everything,
    price,
    weigh,
)
from reference.c45_trees import expected_error
from reference.exact_trees import Options, Search, best_plan
from reference.expected_cost import leaf_cost
from reference.plain_trees import plain_splits
from support import bridge
from support.bound_problems import draw_confidence, draw_problem

N = max(1, int(os.environ.get("FRUGALTREE_EXAMPLES", "150")) * 2)
"""How many problems each check draws."""

CLOSE = 1e-9
FORMS = {C45_ERROR: "c45", EXACT_ERROR: "exact", TRAINING_ERROR: "training"}
Bound = Callable[..., float]


def exceeds(bound: float, optimum: float) -> bool:
    return bound > optimum + CLOSE * (1.0 + abs(optimum))


def spoilt(bound: Bound) -> Bound:
    """Return a bound that is a little too large."""
    return lambda *given: bound(*given) * 1.01 + 1e-6


# ------------------------------------------------------------------------------ errors


def splits_of(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the class counts of every leaf that some of the cases can make."""
    for leaf in product(*(range(n + 1) for n in counts)):
        if any(leaf):
            yield leaf


def least_by_leaves(counts: tuple[int, ...], cost_of: Callable[[list[int]], float]) -> float:
    """Return the least cost of any leaves for these cases: no tree can do better."""
    known = {leaf: cost_of(list(leaf)) for leaf in splits_of(counts)}

    @cache
    def best(left: tuple[int, ...]) -> float:
        if not any(left):
            return 0.0
        parts = (leaf for leaf in splits_of(left))
        return min(
            known[leaf] + best(tuple(n - k for n, k in zip(left, leaf, strict=True)))
            for leaf in parts
        )

    return best(counts)


def draw_counts(seed: int) -> tuple[tuple[int, ...], float, int]:
    """Return class counts, a confidence and a form of the expected error."""
    random = Random(f"{seed} counts")
    n_classes = random.choice((2, 2, 3))
    most = 5 if n_classes == 2 else 3
    counts = tuple(random.randint(0, most) for _ in range(n_classes))
    counts = counts if any(counts) else (1, *counts[1:])
    return counts, draw_confidence(random), random.choice((0, 0, 1))


def excess_of(n_classes: int, cf: float, form: int, size: int) -> np.ndarray:
    """Return the table of least excesses, empty for a form that it is no bound for."""
    table = np.zeros(size + 1 if form == C45_ERROR else 0)
    if table.size:
        bounds.excess_table.py_func(n_classes, cf, form, table)
    return table


def least_errors_never_exceed(bound: Bound, n: int = N) -> None:
    for seed in range(n):
        counts, cf, form = draw_counts(seed)
        m = sum(counts)

        def errors(leaf: list[int], cf: float = cf, form: int = form) -> float:
            return expected_error(sum(leaf), sum(leaf) - max(leaf), cf, FORMS[form])

        excess = excess_of(len(counts), cf, form, m)
        least = bound(excess, np.array(counts, float), m, expected_error(m, 0, cf, FORMS[form]))
        assert not exceeds(least, least_by_leaves(counts, errors)), seed


def error_cost_never_exceeds(bound: Bound, n: int = N) -> None:
    for seed in range(n):
        counts, cf, form = draw_counts(seed)
        random, m, k = Random(f"{seed} errors"), sum(counts), len(counts)
        form = random.choice((form, TRAINING_ERROR))
        equal = random.random() < 0.5
        penalties = [[0.0 if i == j else random.choice((1.0, 5.0, 30.0)) for j in range(k)]
                     for i in range(k)]  # fmt: skip
        if equal:
            penalties = [[7.0 * (i != j) for j in range(k)] for i in range(k)]

        def cost(leaf: list[int], p: Any = penalties, cf: float = cf, form: int = form) -> float:
            return leaf_cost(leaf, cheapest(leaf, p), p, cf, FORMS[form])

        objective = SimpleNamespace(
            form=form,
            excess=excess_of(k, cf, form, m) if equal else np.zeros(0),
            least_penalty=min(p for i in range(k) for j, p in enumerate(penalties[i]) if i != j),
        )
        pure = expected_error(m, 0, cf, FORMS[form])
        least = bound(objective, np.array(counts, float), m, pure)
        assert not exceeds(least, least_by_leaves(counts, cost)), seed


# ------------------------------------------------------------------------------ trees


def leaf_of(problem: Problem, options: Options, cases: list[Case]) -> float:
    return Search(problem, options).leaf(cases).cost


def least_errors_cost(problem: Problem, options: Options, cases: list[Case]) -> float:
    """Return the least cost of the errors of a tree, as the search bounds it."""
    penalties = [p for i, row in enumerate(problem.errors) for j, p in enumerate(row) if i != j]
    m, k = int(weigh(cases)), problem.n_classes
    excess = np.zeros(0)
    if penalties and min(penalties) == max(penalties):
        excess = excess_of(k, options.cf, C45_ERROR, m)
    objective = SimpleNamespace(
        form=C45_ERROR, excess=excess, least_penalty=min(penalties, default=0.0)
    )
    counts = np.array(count(problem, cases), float)
    pure = expected_error(m, 0, options.cf)
    return bounds.least_error_cost(objective, counts, m, pure)


def sure_price(problem: Problem, a: int, state: State) -> float:
    """Return what every case pays for a test, also those without a result."""
    some_lack = any(row[a] is None for row in problem.rows)
    return price(problem, a, state) if problem.charge_missing or not some_lack else 0.0


def trees_never_undercut(bound: Bound, n: int = N) -> None:
    for seed in range(n):
        problem, options = draw_problem(seed)
        cases = everything(problem)
        leaf, errors = leaf_of(problem, options, cases), least_errors_cost(problem, options, cases)
        least = min(sure_price(problem, a, START) for a in problem.usable)
        bounded = bound(leaf, errors, least, weigh(cases), options.flat)
        assert not exceeds(bounded, best_plan(problem, options).cost), seed


def draw_path(seed: int, problem: Problem) -> tuple[State, Any]:
    """Return what a path has paid, for the twin and for the kernels."""
    random, tests = Random(f"{seed} path"), sorted(problem.usable)
    state, paid = START, np.zeros(len(tests), np.int64)
    for a in random.sample(tests, random.randint(0, len(tests) - 1)):
        state, paid[a] = after(problem, a, state), 1
    opened = np.array([g in state.opened for g in range(len(problem.groups))], np.int64)
    return state, SimpleNamespace(paid=paid, opened=opened, ordered=np.zeros(1, np.int64))


def prices_never_undercut(bound: Bound, n: int = N) -> None:
    for seed in range(n):
        problem, _ = draw_problem(seed)
        state, path = draw_path(seed, problem)
        live = [a not in state.paid for a in range(len(problem.kinds))]
        tests = [SimpleNamespace(price=price(problem, a, state)) for a in range(len(live))]
        for a in np.flatnonzero(live):
            others = [b for b in np.flatnonzero(live) if b != a]
            before = min((tests[b].price for b in others), default=np.inf)
            given = bridge.prices_of(problem), path, np.array(live, np.uint8), tests, a, before
            below = after(problem, int(a), state)
            optimum = min((price(problem, int(b), below) for b in others), default=np.inf)
            assert not exceeds(bound(*given), optimum) or optimum == np.inf, seed


def neighbours_never_exceed(bound: Bound, n: int = N, outside: bool = False) -> None:
    """Check the bound of each threshold, by the best trees on either side of all of them.

    ``outside`` looks at the wrong ones: further right for the left side, and the other way.
    """
    for seed in range(n):
        problem, options = draw_problem(seed, "numeric", equal=True)
        search, cases = Search(problem, options), everything(problem)
        for a in range(len(problem.kinds)):
            splits = plain_splits(problem, cases, a) if problem.kinds[a] == "numeric" else []
            below, left, right = after(problem, a, START), [], []
            for split in splits:
                left.append(search.best(split.branches[0], below, np.inf, np.inf).cost)
                right.append(search.best(split.branches[1], below, np.inf, np.inf).cost)
            charge = price(problem, a, START) * weigh(cases) + options.flat
            for i in range(len(splits)):
                first, last = left[: i + 1], right[i:]
                if outside:
                    first, last = left[i:], right[: i + 1]
                bounded = bound(charge, charge, max(first), max(last))
                assert not exceeds(bounded, charge + left[i] + right[i]), seed


def most_added(problem: Problem, options: Options, share: float = 1.0) -> float:
    """Return the most that a case adds to what a tree costs: an error, and all tests."""
    error = max(problem.errors[0], default=0.0)
    added = bounds.most_errors_added(options.cf, C45_ERROR)
    return share * added * error + sum(problem.full[a] for a in problem.usable)


def sides_never_exceed(bound: Bound, n: int = N, share: float = 1.0) -> None:
    """Check the bound of either side of each threshold, by the best trees of any two others.

    ``share`` of what an error adds is taken into account.
    """
    for seed in range(n):
        problem, options = draw_problem(seed, "numeric", equal=True)
        search, cases = Search(problem, options), everything(problem)
        step = most_added(problem, options, share)
        for a in range(len(problem.kinds)):
            splits = plain_splits(problem, cases, a) if problem.kinds[a] == "numeric" else []
            below = after(problem, a, START)
            for side in (0, 1):
                parts = [split.branches[side] for split in splits]
                parts.sort(key=len)
                costs = [search.best(part, below, np.inf, np.inf).cost for part in parts]
                for i, j, k in combinations_with_replacement(range(len(parts)), 3):
                    apart = weigh(parts[k]) - weigh(parts[j])
                    bounded = bound(costs[i], costs[k], apart, step)
                    assert not exceeds(bounded, costs[j]), seed


def errors_never_add_more(bound: Bound, n: int = N) -> None:
    """Check the errors that a case more adds, at every size of a leaf up to 80 cases."""
    for cf in (bounds.LEAST_CONFIDENCE, 0.001, 0.03, 0.1, 0.25, 0.5, 0.7, 0.9999):
        table = errors_expected(cf, "c45", 80)
        added = [table[m + 1, s + 1] - table[m, s] for m in range(80) for s in range(m + 1)]
        assert not exceeds(max(added), bound(cf, C45_ERROR)), cf
    assert bound(0.25, TRAINING_ERROR) >= 1.0


def branches_never_undercut(bound: Bound, n: int = N) -> None:
    """Check what a branch costs at least, where some of the tests in it were looked at."""
    for seed in range(n):
        problem, options = draw_problem(seed)
        search, cases = Search(problem, options), everything(problem)
        m, random = weigh(cases), Random(f"{seed} looked at")
        prices = {a: sure_price(problem, a, START) for a in problem.usable}
        seen = {a for a in prices if random.random() < 0.5}
        leaf, least = leaf_of(problem, options, cases), min(prices.values())
        errors = least_errors_cost(problem, options, cases)
        known = bounds.bound_tree(leaf, errors, least, m, options.flat)
        best = leaf
        for split, charge in search.legal(cases, np.inf):
            if split.test in seen:
                best = min(best, search.asking(cases, split, charge, START, np.inf, np.inf).cost)
        other = min((p for a, p in prices.items() if a not in seen), default=np.inf)
        if best > known:
            bounded = known + bound(known, best, other, least, m)
            assert not exceeds(bounded, best_plan(problem, options).cost), seed


# ------------------------------------------------------------------------------ what they rest on


@cache
def errors_expected(cf: float, form: str, most: int) -> np.ndarray:
    """Return EE(m, s), infinite where more errors were seen than there are cases."""
    return np.array([[expected_error(m, s, cf, form) if 0 < m >= s else 0.0 if m == s else np.inf
                      for s in range(most + 1)] for m in range(most + 1)])  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values())
@pytest.mark.parametrize("cf", [bounds.LEAST_CONFIDENCE, 0.001, 0.03, 0.25, 0.5, 0.7, 0.9999])
def test_what_the_proofs_take_for_granted(cf: float, form: str) -> None:
    table = errors_expected(cf, form, 80 if form == "c45" else 25)
    close, pairs = 1e-9, [(m, s) for m in range(1, len(table)) for s in range(m)]
    assert all(table[m, s] <= table[m, s + 1] + close for m, s in pairs)
    assert (np.diff(table[:, 0], 2) <= close).all()  # concave
    assert all(table[m - 1, s] <= table[m, s + 1] + close for m, s in pairs)
    learner = FrugalTreeClassifier(
        pessimism="none" if form == "training" else cf,
        expected_error="c45" if form == "training" else form,
    )
    problem = learner._read([[1.0], [2.0]], [0, 1], None)
    (setting,) = learner._pessimisms(problem)
    if learner._objective(problem, setting).nested:
        assert all(table[m - 1, s] <= table[m, s] + close for m, s in pairs)
    else:
        assert form == "exact"
        assert cf > 0.5


@pytest.mark.parametrize("form", ["c45", "exact"])
def test_a_column_of_numbers_is_cut_at_best(form: str) -> None:
    """Free cuts of one column: by every way to cut it, at any confidence."""
    random = Random(form)
    for _ in range(40):
        cf, y = draw_confidence(random), [0, 1, *random.choices((0, 1), k=random.randint(0, 10))]
        best = [0.0]
        for end in range(1, len(y) + 1):
            wrong = [min(y[i:end].count(0), y[i:end].count(1)) for i in range(end)]
            best.append(min(best[i] + expected_error(end - i, wrong[i], cf, form)
                            for i in range(end)))  # fmt: skip
        learner = FrugalTreeClassifier(
            Costs([0], errors=10), pessimism=cf, expected_error=form, random_state=0
        ).fit([[x] for x in range(len(y))], y)
        assert learner.termination_ == "optimal"
        assert learner.expected_cost_ == pytest.approx(10 * best[-1] / len(y))


@pytest.mark.parametrize("pessimism", [1e-9, 0.00009, 0.0, 1.0])
def test_no_proof_at_a_confidence_for_which_bounds_do_not_hold(pessimism: float) -> None:
    """At 1e-9 C4.5 expects more errors of a leaf without one than of a leaf with one."""
    X, y = [[x] for x in range(1, 9)], [0, 1, 0, 0, 0, 0, 0, 1]
    learner = FrugalTreeClassifier(Costs([0], errors=10), pessimism=pessimism)
    with pytest.raises(ValueError, match=r"'pessimism'.* in the range \[0\.0001, 1\.0\)"):
        learner.fit(X, y)


# ------------------------------------------------------------------------------ tests

CHECKS: list[tuple[Callable[..., None], Bound]] = [
    (least_errors_never_exceed, bounds.least_errors),
    (error_cost_never_exceeds, bounds.least_error_cost),
    (trees_never_undercut, bounds.bound_tree),
    (prices_never_undercut, bounds.least_price_after),
    (neighbours_never_exceed, bounds.bound_by_neighbours),
    (sides_never_exceed, bounds.bound_side),
    (branches_never_undercut, bounds.raise_branch),
]
NAMES = [bound.__name__ for _, bound in CHECKS]


@pytest.mark.parametrize(("check", "bound"), CHECKS, ids=NAMES)
def test_it_never_exceeds_the_optimum(check: Callable[..., None], bound: Bound) -> None:
    check(bound)


@pytest.mark.parametrize(("check", "bound"), CHECKS, ids=NAMES)
def test_a_bound_a_little_too_large_is_caught(check: Callable[..., None], bound: Bound) -> None:
    with pytest.raises(AssertionError):
        check(spoilt(bound), 300)


def test_a_sum_in_place_of_the_larger_is_caught() -> None:
    def both(excess: np.ndarray, counts: np.ndarray, size: int, pure: float) -> float:
        return pure + bounds.least_errors(excess, counts, size, 0.0)

    with pytest.raises(AssertionError):
        least_errors_never_exceed(both, 300)


def test_the_mean_penalty_is_caught() -> None:
    def mean(objective: Any, counts: np.ndarray, m: int, pure: float) -> float:
        dearer = SimpleNamespace(**vars(objective) | {"least_penalty": 30.0})
        return bounds.least_error_cost(dearer, counts, m, pure)

    with pytest.raises(AssertionError):
        error_cost_never_exceeds(mean, 300)


def test_a_forgotten_leaf_is_caught() -> None:
    with pytest.raises(AssertionError):
        trees_never_undercut(lambda leaf, errors, price, m, flat: price * m + flat + errors, 300)


def test_a_forgotten_discount_is_caught() -> None:
    with pytest.raises(AssertionError):
        prices_never_undercut(lambda *given: given[-1], 300)


def test_neighbours_on_the_wrong_side_are_caught() -> None:
    with pytest.raises(AssertionError):
        neighbours_never_exceed(bounds.bound_by_neighbours, 300, outside=True)


def test_no_leaf_expects_more_errors_for_one_case_more() -> None:
    errors_never_add_more(bounds.most_errors_added)
    assert bounds.most_errors_added(0.25, EXACT_ERROR) == np.inf


@pytest.mark.parametrize("share", [0.9, 0.99])
def test_too_few_errors_added_are_caught(share: float) -> None:
    with pytest.raises(AssertionError):
        errors_never_add_more(lambda cf, form: share * bounds.most_errors_added(cf, form))


def test_a_step_too_small_is_caught() -> None:
    with pytest.raises(AssertionError):
        sides_never_exceed(bounds.bound_side, 300, share=0.3)


def test_forgotten_tests_are_caught() -> None:
    with pytest.raises(AssertionError):
        branches_never_undercut(lambda known, best, other, least, m: best - known, 300)
