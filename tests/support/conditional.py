"""Random problems in which prices depend on what is known of a case."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from reference.basics import PriceIf, Problem
from support.exact import worth_asking


@st.composite
def conditional(draw: st.DrawFn, max_cases: int = 12, max_tests: int = 5) -> Problem:
    """Draw a problem in which prices of some tests depend on one that is known, or asked above.

    A known one may never be asked; now and then some cases cannot take a test.
    """
    problem = draw(worth_asking(max_cases, max_tests).filter(lambda drawn: len(drawn.kinds) > 1))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    tests = list(range(len(problem.kinds)))
    known = set(random.sample(tests, random.choice((1, 1, 2)))) - {tests[-1]} or {0}
    problem = replace(
        problem,
        known=known,
        full=[0.0 if a in known else price for a, price in enumerate(problem.full)],
        groups=[
            {a: off for a, off in group.items() if a not in known} for group in problem.groups
        ],
    )
    problem.groups = [group for group in problem.groups if group]
    priced = [a for a in tests if a not in known and random.random() < 0.6] or [tests[-1]]
    price_if = {a: make_price_if(random, problem, a, random.choice(sorted(known))) for a in priced}
    bought = [b for b in tests if b not in known and b not in priced and b in problem.usable]
    requires = {}
    for a in priced:
        if bought and random.random() < 0.5:
            price_if[a] = make_price_if(random, problem, a, random.choice(bought))
            requires[a] = {price_if[a].on}
    return replace(problem, price_if=price_if, requires=requires)


def make_price_if(random: Random, problem: Problem, a: int, on: int) -> PriceIf:
    """Return the prices of a test by values of another: more, less, nothing or never."""

    def cost() -> float | None:
        factor = random.choice((0.0, 0.5, 1.0, 3.0, 10.0, None))
        added = random.choice((0.0, 0.0, 7.0))
        if factor is None and problem.charge_missing:
            factor = 2.0
        return None if factor is None else factor * problem.full[a] + added

    if problem.kinds[on] == "nominal":
        return PriceIf(on, {v: cost() for v in range(problem.domains[on]) if random.random() < 0.7}
                       or {0: cost()})  # fmt: skip
    values = sorted({row[on] for row in problem.rows if row[on] is not None}) or [0.0]
    low, high = sorted(random.choices(values, k=2))
    spans = [(-math.inf, low, cost())]
    if low < high and random.random() < 0.5:
        spans.append((low, high, cost()))
    if random.random() < 0.5:
        spans.append((high, math.inf, cost()))
    return PriceIf(on, {}, spans)
