"""Random small problems, whose optimum is known or must not change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.drawing import chance
from tools.fuzz.exports import check_exports
from tools.fuzz.invariants import (
    check_answers,
    check_consultation,
    check_fitted,
    check_kept,
    close,
)
from tools.fuzz.judging import demand
from tools.fuzz.versions import (
    CLASSES,
    FRACTIONAL,
    SEES_ERRORS,
    learner,
    make_costs,
    missing_is_an_answer,
)

MOST_CASES, MOST_TESTS = 12, 5
ENUMERATED = 4
"""Up to so many tests the slow twin looks at every tree."""


def run(random: Random, folder: Path) -> str:
    """Learn a small problem, proven or not, and hold the result against the invariants."""
    bare = chance(random, 0.25)
    problem = draw_bare(random) if bare else draw_rich(random)
    X, y, weights = as_frame(problem), np.array(problem.classes), np.array(problem.weights)
    if len(set(problem.classes)) < 2:
        name = random.choice(CLASSES)
        model = learner(name, costs_of(problem), random_state=0).fit(X, y, weights)
        check_fitted(model, X, y, weights)
        return "one class"
    options = draw_options(random, tiny=0.5 if bare else 0.1)
    model = fit_frugal(problem, options, seed=random.randrange(100))
    check_all(model, problem, X, y, weights, random, folder)
    if model.termination_ == "optimal":
        check_optimum(model, problem, options, random)
    name = random.choice(CLASSES[:-1])
    other = fit_other(name, problem, options, random)
    check_all(other, problem, X, y, weights, random, folder)
    if model.termination_ == "optimal":
        check_not_undercut(model, other, name, problem, options)
    return model.termination_


def check_all(
    model: Any, problem: Any, X: Any, y: Any, weights: Any, random: Random, folder: Path
) -> None:
    """Check a learner on its own cases and on new ones, in its file and in its other forms."""
    check_fitted(model, X, y, weights)
    check_kept(model, X, folder)
    gaps = 0.3 if chance(random, 0.5) and not model.tree_.fractional else 0.0
    new = draw_rows(random, problem, gaps)
    rows = [
        {
            f"a{a}": _stated(problem, a, value)
            for a, value in enumerate(row)
        }
        for row in new
    ]  # fmt: skip
    table = as_frame(replace(problem, rows=new))
    answers, bills = check_answers(model, table)
    if chance(random, 0.5):
        check_exports(model, rows, answers.tolist(), bills.tolist())
    if chance(random, 0.3):
        check_consultation(model, rows, random)


# ------------------------------------------------------------------------------- drawing


def draw_bare(random: Random) -> Any:
    """Return numbers that are all different, each case once, for tests that are nearly free.

    There is much to choose among, and little evidence for any choice.
    """
    from reference.basics import Problem

    n, n_tests = random.randint(4, MOST_CASES), random.choice((1, 1, 2))
    columns = [random.sample(range(1, n + 1), n) for _ in range(n_tests)]
    columns[0].sort()
    rare = random.choice((0.15, 0.3, 0.5))
    classes = [int(chance(random, rare)) for _ in range(n)]
    error = float(random.choice((1, 10, 100)))
    return Problem(
        rows=[[float(column[i]) for column in columns] for i in range(n)],
        classes=classes if 0 < sum(classes) < n else [0] * n,
        weights=[1.0] * n,
        kinds=["numeric"] * n_tests,
        domains=[0] * n_tests,
        n_classes=2 if 0 < sum(classes) < n else 1,
        full=[random.choice((0.0, 0.0, 0.01, 1.0)) for _ in range(n_tests)],
        groups=[],
        delayed=set(),
        usable=set(range(n_tests)),
        errors=[[0.0, error], [error, 0.0]] if 0 < sum(classes) < n else [[0.0]],
    )


def draw_rich(random: Random) -> Any:
    """Return a problem with mixed tests, gaps, groups, weights and delays, that mostly pays."""
    from reference.basics import Problem
    from support.problems import (
        PRICES,
        make_columns,
        make_concept,
        make_delayed,
        make_errors,
        make_group,
        make_noise,
        make_prices,
        make_usable,
        make_weights,
    )

    seed = random.randrange(2**32)
    n_tests = random.randint(1, MOST_TESTS)
    gaps = chance(random, 0.4)
    columns = make_columns(seed, n_tests, MOST_CASES, missing=gaps)
    n_classes = random.choice((2, 2, 2, 3, 4))
    n_cases = random.choice((2, 5, 8, MOST_CASES, MOST_CASES))
    picks = random.choices(range(MOST_CASES), k=n_cases)
    if chance(random, 0.6):
        picks = list(range(n_cases))
    noise = random.choice((0, 0.1, 0.3, 1))
    concept = make_concept(seed, columns, n_classes)
    classes = make_noise(seed, [concept[i] for i in picks], n_classes, noise)
    present = sorted(set(classes))
    copies, dear = random.choice((1, 1, 20, 200)), random.choice((1.0, 1.0, 30.0, 900.0))
    style = random.choice(("uniform", "uniform", "nonuniform", "partly free", "unit"))
    full = make_prices(seed, n_tests, random.choice(PRICES))
    scale = random.choice((1.0,) * 8 + (1e-300, 1e-12, 1e12, 1e130))
    groups = [make_group(Random(f"{seed} group {g}"), full) for g in range(random.randint(0, 3))]
    errors = make_errors(seed, len(present), style)
    return Problem(
        rows=[[column.values[i] for column in columns] for i in picks],
        classes=[present.index(c) for c in classes],
        weights=[copies * weight for weight in make_weights(seed, n_cases, True, False)],
        kinds=[column.kind for column in columns],
        domains=[column.domain for column in columns],
        n_classes=len(present),
        full=[price * scale for price in full],
        groups=[{a: off * scale for a, off in group.items()} for group in groups],
        delayed=make_delayed(seed, n_tests) if chance(random, 0.2) else set(),
        usable=make_usable(seed, n_tests),
        errors=[[dear * scale * error for error in row] for row in errors],
        charge_missing=gaps and missing_is_an_answer() and chance(random, 0.3),
    )


def draw_options(random: Random, tiny: float) -> Any:
    """Return how errors are estimated and which trees are allowed.

    ``tiny`` is how often the confidence is one that hardly anybody would ask for.
    """
    from reference.exact_trees import Options

    least, most = (-12.0, -4.0) if chance(random, tiny) else (-4.0, -0.01)
    return Options(
        cf=10.0 ** random.uniform(least, most),
        form=random.choice(("c45", "c45", "c45", "exact", "training")),
        max_depth=random.choice((None, None, None, 0, 1, 2)),
        min_cases=random.choice((1, 1, 1, 2, 30)),
    )


def draw_rows(random: Random, problem: Any, gaps: float) -> list[list[float | None]]:
    """Return new cases, with values of the table, some missing."""
    columns = list(zip(*problem.rows, strict=True))
    rows: list[list[float | None]] = []
    for _ in range(8):
        row = [random.choice(column) for column in columns]
        if gaps == 0.0:
            known = [[v for v in column if v is not None] or [0.0] for column in columns]
            row = [random.choice(column) for column in known]
        rows.append([None if chance(random, gaps) else value for value in row])
    return rows


def _stated(problem: Any, a: int, value: float | None) -> Any:
    if value is None:
        return None
    return f"v{int(value)}" if problem.kinds[a] == "nominal" else float(value)


def as_frame(problem: Any) -> Any:
    """Return the cases as a user would state them."""
    import pandas as pd

    columns = {}
    for a, kind in enumerate(problem.kinds):
        values = [row[a] for row in problem.rows]
        if kind == "nominal":
            codes = [-1 if value is None else int(value) for value in values]
            domain = [f"v{v}" for v in range(problem.domains[a])]
            columns[f"a{a}"] = pd.Categorical.from_codes(codes, domain)
        else:
            columns[f"a{a}"] = np.array([np.nan if v is None else v for v in values])
    return pd.DataFrame(columns)


def costs_of(problem: Any) -> Any:
    """Return the costs as a user would state them."""
    from frugaltree import Group

    return make_costs(
        {f"a{a}": price for a, price in enumerate(problem.full)},
        {
            f"g{g}": Group({f"a{a}": off for a, off in discounts.items()})
            for g, discounts in enumerate(problem.groups)
        },
        delayed=[f"a{a}" for a in sorted(problem.delayed)],
        unavailable=[f"a{a}" for a in range(len(problem.kinds)) if a not in problem.usable],
        errors=problem.errors,
        charge_missing=problem.charge_missing,
    )


# ------------------------------------------------------------------------------- fitting


def fit_frugal(problem: Any, options: Any, **how: Any) -> Any:
    """Return the exact learner, searching by these options and by nothing else."""
    pessimism: dict[str, Any] = {"pessimism": options.cf, "expected_error": options.form}
    if options.form == "training":
        pessimism = {"pessimism": "none"}
    seed = how.pop("seed", 0)
    model = learner(
        "FrugalTree",
        costs_of(problem),
        **pessimism,
        splits="values",
        max_depth=options.max_depth,
        min_cases=options.min_cases,
        random_state=seed,
        **{"time_limit": 10} | how,
    )
    return model.fit(as_frame(problem), np.array(problem.classes), np.array(problem.weights))


def fit_other(name: str, problem: Any, options: Any, random: Random) -> Any:
    """Return another learner, whose trees are judged by the same estimate."""
    more: dict[str, Any] = {"n_samples": random.choice((0, 1, 3))}
    if name == "ICET":
        more = {"generations": 2, "population": 4}
    model = learner(
        name,
        costs_of(problem),
        cf=options.cf,
        expected_error=options.form,
        random_state=random.randrange(100),
        **more,
    )
    return model.fit(as_frame(problem), np.array(problem.classes), np.array(problem.weights))


# --------------------------------------------------------------------------- proven trees


def check_not_undercut(model: Any, other: Any, name: str, problem: Any, options: Any) -> None:
    """Check that no other learner's tree is cheaper than the proven one by the same estimate."""
    uniform = len({e for p, row in enumerate(problem.errors) for a, e in enumerate(row) if p != a})
    gaps = any(value is None for row in problem.rows for value in row)
    limited = options.max_depth is not None or options.min_cases > 1
    same_answers = name in SEES_ERRORS or uniform == 1
    if limited or not same_answers or (gaps and name in FRACTIONAL):
        return
    demand(
        other.expected_cost_ >= model.expected_cost_ * (1 - 1e-9),
        "no other learner's tree is cheaper than a proven one",
        name,
        other.expected_cost_,
        model.expected_cost_,
    )


def check_optimum(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check a proven cost against every tree, or against the same problem stated otherwise."""
    checks = [check_rows_in_other_order, check_columns_in_other_order, check_copies, check_scale]
    gaps = any(value is None for row in problem.rows for value in row)
    if missing_is_an_answer() or not gaps:
        checks += [check_enumerated] * 4
    random.choice(checks)(model, problem, options, random)


def _same_cost(model: Any, got: Any, rule: str, scale: float = 1.0) -> None:
    if got.termination_ == "optimal":
        want = model.expected_cost_ * scale
        demand(close(got.expected_cost_, want), rule, got.expected_cost_, want)


def check_enumerated(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check that no tree is cheaper, by looking at all of them."""
    from reference.exact_trees import best_cost

    if len(problem.kinds) > ENUMERATED or len(problem.delayed) > 2:
        return
    cost = best_cost(problem, options)
    demand(
        close(model.expected_cost_, cost) or abs(model.expected_cost_ - cost) < 1e-9 * cost,
        "a proven tree costs what the best of all trees costs",
        model.expected_cost_,
        cost,
    )


def check_rows_in_other_order(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check that the order of the cases does not matter."""
    order = random.sample(range(len(problem.rows)), len(problem.rows))
    other = replace(
        problem,
        rows=[problem.rows[i] for i in order],
        classes=[problem.classes[i] for i in order],
        weights=[problem.weights[i] for i in order],
    )
    _same_cost(model, fit_frugal(other, options), "the order of cases does not change the optimum")


def check_columns_in_other_order(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check that the order of the tests does not matter."""
    order = random.sample(range(len(problem.kinds)), len(problem.kinds))
    place = {a: i for i, a in enumerate(order)}
    other = replace(
        problem,
        rows=[[row[a] for a in order] for row in problem.rows],
        kinds=[problem.kinds[a] for a in order],
        domains=[problem.domains[a] for a in order],
        full=[problem.full[a] for a in order],
        groups=[{place[a]: off for a, off in group.items()} for group in problem.groups],
        delayed={place[a] for a in problem.delayed},
        usable={place[a] for a in problem.usable},
    )
    _same_cost(model, fit_frugal(other, options), "the order of tests does not change the optimum")


def check_copies(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check that a case of weight 2 is two cases."""
    twice = replace(
        problem, rows=problem.rows * 2, classes=problem.classes * 2, weights=problem.weights * 2
    )
    heavy = replace(problem, weights=[2 * weight for weight in problem.weights])
    one, two = fit_frugal(twice, options), fit_frugal(heavy, options)
    if one.termination_ == "optimal":
        _same_cost(one, two, "two equal cases are one of weight 2")


def check_scale(model: Any, problem: Any, options: Any, random: Random) -> None:
    """Check that a proven cost is in the unit of the costs."""
    scale = random.choice((0.5, 3.0, 1024.0, 1e-3))
    other = replace(
        problem,
        full=[price * scale for price in problem.full],
        groups=[{a: off * scale for a, off in group.items()} for group in problem.groups],
        errors=[[error * scale for error in row] for row in problem.errors],
    )
    _same_cost(model, fit_frugal(other, options), "the optimum scales with the costs", scale)
