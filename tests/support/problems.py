"""Random problems for hypothesis: small, full of ties, and awkward on purpose.

What should shrink is drawn from hypothesis: how many tests, which cases, how much noise, which
kind of price list. The rest comes from `random.Random`, which is much faster. Every column has a
generator of its own, so taking away a case or a test leaves the other columns as they were.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from reference.basics import Problem

PRICES = ("free", "equal", "whole", "mixed", "real")
"""Styles of price lists and, below, of error costs, the simplest first; frequent ones repeat."""
ERRORS = ("unit", "uniform", "uniform", "nonuniform", "nonuniform", "partly free", "none")
DYADIC = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5)
"""Fractions that add up without rounding, so that no comparison hangs on the last bit."""


@dataclass
class Column:
    """A test: its kind, the size of its domain, and a value for each prototype of a case."""

    kind: str
    domain: int
    values: list[float | None]


@st.composite
def problems(
    draw: st.DrawFn,
    max_cases: int = 14,
    max_tests: int = 5,
    missing: bool = False,
    whole_weights: bool = False,
    delays: bool = False,
    groups: bool = True,
    fractional_weights: bool = False,
    every_class: bool = False,
) -> Problem:
    """Draw a problem with mixed tests, prices and errors.

    Parameters
    ----------
    max_cases, max_tests
        Largest table. The smallest has one case and one test.
    missing
        Leave out some values; now and then all those of a test.
    whole_weights, fractional_weights
        Weigh the cases by small whole numbers, or by `DYADIC` fractions; else all weigh 1.
    delays
        Make some tests delayed.
    groups
        Put tests into up to three groups, with one discount for all members or one for each.
    every_class
        Drop the classes without a case, as a learner that reads labels does.
    """
    seed = draw(st.integers(0, 2**32 - 1))
    n_tests = draw(st.integers(1, max_tests))
    n_classes = draw(st.sampled_from((2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 1)))
    columns = make_columns(seed, n_tests, max_cases, missing)
    least = draw(st.sampled_from((1, (max_cases + 1) // 2, (3 * max_cases + 3) // 4)))
    picks = draw(st.lists(st.integers(0, max_cases - 1), min_size=least, max_size=max_cases))
    noise = draw(st.sampled_from((0, 0, 0.1, 0.3, 1)))
    concept = make_concept(seed, columns, n_classes)
    classes = make_noise(seed, [concept[i] for i in picks], n_classes, noise)
    if every_class:
        present = sorted(set(classes))
        classes = [present.index(c) for c in classes]
        n_classes = len(present)
    full = make_prices(seed, n_tests, draw(st.sampled_from(PRICES)))
    n_groups = draw(st.integers(0, 3)) if groups else 0
    return Problem(
        rows=[[column.values[i] for column in columns] for i in picks],
        classes=classes,
        weights=make_weights(seed, len(picks), whole_weights, fractional_weights),
        kinds=[column.kind for column in columns],
        domains=[column.domain for column in columns],
        n_classes=n_classes,
        full=full,
        groups=[make_group(Random(f"{seed} group {g}"), full) for g in range(n_groups)],
        delayed=make_delayed(seed, n_tests) if delays else set(),
        usable=make_usable(seed, n_tests),
        errors=make_errors(seed, n_classes, draw(st.sampled_from(ERRORS))),
        charge_missing=missing and Random(f"{seed} charge").random() < 0.3,
    )


def make_columns(seed: int, n_tests: int, n_values: int, missing: bool) -> list[Column]:
    """Return the tests; one in eight repeats the first, so that ties abound."""
    columns: list[Column] = []
    for a in range(n_tests):
        random = Random(f"{seed} column {a}")
        if columns and random.random() < 0.125:
            first = columns[0]
            columns.append(Column(first.kind, first.domain, list(first.values)))
            continue
        nominal = random.random() < 0.5
        columns.append(
            make_nominal(random, n_values) if nominal else make_numeric(random, n_values)
        )
        if missing:
            rate = random.choice((0.0, 0.1, 0.1, 0.3, 0.3, 1.0 if random.random() < 0.1 else 0.5))
            values = columns[-1].values
            columns[-1].values = [None if random.random() < rate else v for v in values]
    return columns


def make_nominal(random: Random, n_values: int) -> Column:
    """Return a test of two to six values, of which some may never occur."""
    domain = random.choice((2, 2, 2, 3, 3, 4, 6))
    seen = random.sample(range(domain), random.randint(1 if domain > 2 else 2, domain))
    return Column("nominal", domain, [float(random.choice(seen)) for _ in range(n_values)])


def make_numeric(random: Random, n_values: int) -> Column:
    """Return a test of few whole numbers, of many numbers, or of numbers too close to tell."""
    style = random.choice(("few", "few", "few", "many", "real", "close", "adjacent"))
    if style == "few":
        top = random.randint(1, 4)
        values = [float(random.randint(0, top)) for _ in range(n_values)]
    elif style == "many":
        values = [random.randint(-20, 20) / 2 for _ in range(n_values)]
    elif style == "real":
        values = [random.gauss(0, 10) for _ in range(n_values)]
    elif style == "close":
        values = [1 + random.choice((0, 4e-6, 1.5e-5, 1, 2)) for _ in range(n_values)]
    else:
        ladder = [1.0, math.nextafter(1.0, 2.0), 1.5, 2.0]
        values = [random.choice(ladder) for _ in range(n_values)]
    return Column("numeric", 0, list(values))


def make_concept(seed: int, columns: list[Column], n_classes: int) -> list[int]:
    """Return the class of each prototype: a random partition by up to three tests.

    Numbers count by the side of the median they fall on, so that there is something to learn.
    """
    random = Random(f"{seed} concept")
    relevant = random.sample(columns, min(len(columns), random.choice((0, 1, 2, 2, 2, 3, 3, 3))))
    codes = [code(column) for column in relevant]
    keys = [tuple(column[i] for column in codes) for i in range(len(columns[0].values))]
    cells = sorted(set(keys))
    random.shuffle(cells)
    return [cells.index(key) % n_classes for key in keys]


def code(column: Column) -> list[int]:
    """Return a small number for each value of a test, -1 for a missing one."""
    known = sorted(value for value in column.values if value is not None)
    if column.kind == "nominal":
        return [-1 if value is None else int(value) for value in column.values]
    return [
        -1 if value is None else int(value > known[len(known) // 2]) for value in column.values
    ]


def make_noise(seed: int, classes: list[int], n_classes: int, rate: float) -> list[int]:
    """Return the classes with a part of them replaced by random ones."""
    random = Random(f"{seed} noise")
    draws = [(random.random(), random.randrange(n_classes)) for _ in classes]
    return [
        other if chance < rate else c for c, (chance, other) in zip(classes, draws, strict=True)
    ]


def make_weights(seed: int, n_cases: int, whole: bool, fractional: bool) -> list[float]:
    """Return the weights of the cases."""
    random = Random(f"{seed} weights")
    if fractional:
        return [random.choice(DYADIC) for _ in range(n_cases)]
    if whole:
        return [float(random.choice((1, 1, 2, 3, 5))) for _ in range(n_cases)]
    return [1.0] * n_cases


def make_prices(seed: int, n_tests: int, style: str) -> list[float]:
    """Return the full prices: all 0, all equal, whole numbers, some of them 0, or real ones."""
    random = Random(f"{seed} prices")
    equal = float(random.randint(1, 10))
    choices: dict[str, Callable[[], float]] = {
        "free": lambda: 0.0,
        "equal": lambda: equal,
        "whole": lambda: float(random.randint(1, 4)),
        "mixed": lambda: float(random.choice((0, 0, 1, 5, 20, 20))),
        "real": lambda: random.uniform(1, 100),
    }
    return [choices[style]() for _ in range(n_tests)]


def make_group(random: Random, full: list[float]) -> dict[int, float]:
    """Return a group: one discount that no member's price undercuts, or each its own."""
    members = [a for a in range(len(full)) if random.random() < 0.5]
    if not members:
        members = [random.randrange(len(full))]
    part = random.choice((0.0, 0.5, 0.8, 1.0))
    if random.random() < 0.5:
        shared = part * min(full[a] for a in members)
        return dict.fromkeys(members, shared)
    return {a: full[a] * random.choice((0.0, 0.25, 0.8, 1.0)) for a in members}


def make_delayed(seed: int, n_tests: int) -> set[int]:
    """Return the delayed tests: about half of them, sometimes all or none."""
    random = Random(f"{seed} delayed")
    rate = random.choice((0.3, 0.5, 0.5, 0.7, 1.0))
    return {a for a in range(n_tests) if random.random() < rate}


def make_usable(seed: int, n_tests: int) -> set[int]:
    """Return the tests that may be asked: mostly all."""
    random = Random(f"{seed} usable")
    rate = random.choice((1.0, 1.0, 1.0, 1.0, 0.7))
    return {a for a in range(n_tests) if random.random() < rate}


def make_errors(seed: int, n_classes: int, style: str) -> list[list[float]]:
    """Return M[predicted][actual] with a diagonal of zeros."""
    random = Random(f"{seed} errors")
    uniform = float(random.choice((10, 50, 500, 5000)))
    choices: dict[str, Callable[[], float]] = {
        "unit": lambda: 1.0,
        "uniform": lambda: uniform,
        "nonuniform": lambda: float(random.choice((1, 10, 40, 300, 300))),
        "partly free": lambda: float(random.choice((0, 5, 100))),
        "none": lambda: 0.0,
    }
    draw = choices[style]
    return [[0.0 if p == a else draw() for a in range(n_classes)] for p in range(n_classes)]
