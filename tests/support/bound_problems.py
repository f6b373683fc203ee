"""Small problems that bounds are checked on: every tree for them can be looked at."""

from __future__ import annotations

from random import Random

from frugaltree.kernels.cost.bounds import LEAST_CONFIDENCE
from reference.basics import Problem
from reference.exact_trees import Options
from support.problems import (
    PRICES,
    make_columns,
    make_concept,
    make_errors,
    make_group,
    make_noise,
    make_prices,
)


def draw_confidence(random: Random) -> float:
    """Return a confidence of the expected error, from all that are accepted."""
    usual = random.choice((LEAST_CONFIDENCE, 0.01, 0.1, 0.25, 0.4))
    return random.choice((usual, LEAST_CONFIDENCE ** random.uniform(0.001, 1.0)))


def draw_problem(seed: int, kinds: str = "mixed", equal: bool = False) -> tuple[Problem, Options]:
    """Return a small problem and what its trees cost."""
    random = Random(f"{seed} problem")
    n_tests, n_classes = random.randint(1, 4), random.choice((2, 2, 3))
    n = random.randint(2, 7)
    columns = make_columns(seed, n_tests, n, missing=kinds == "mixed" and random.random() < 0.3)
    if kinds != "mixed":
        columns = [c for c in columns if c.kind == kinds] or columns
    concept = make_noise(seed, make_concept(seed, columns, n_classes), n_classes, 0.2)
    present = sorted(set(concept))
    full = make_prices(seed, len(columns), random.choice(PRICES))
    groups = [make_group(Random(f"{seed} {g}"), full) for g in range(random.randint(0, 2))]
    style = "uniform" if equal else random.choice(("uniform", "nonuniform", "partly free"))
    dear = random.choice((1.0, 30.0, 900.0))
    problem = Problem(
        rows=[[column.values[i] for column in columns] for i in range(n)],
        classes=[present.index(c) for c in concept],
        weights=[float(random.choice((1, 1, 3, 20))) for _ in range(n)],
        kinds=[column.kind for column in columns],
        domains=[column.domain for column in columns],
        n_classes=len(present),
        full=full,
        groups=groups,
        delayed=set(),
        usable=set(range(len(columns))),
        errors=[[dear * e for e in row] for row in make_errors(seed, len(present), style)],
    )
    flat = random.choice((0.0, 0.0, 2.0))
    return problem, Options(cf=draw_confidence(random), flat=flat)
