"""The slow and obvious twin of prices that depend on the value of another test."""

from __future__ import annotations

from dataclasses import replace

from reference.basics import Case, Problem, State, price


def price_for(problem: Problem, a: int, i: int, state: State) -> float | None:
    """Return what test ``a`` costs case ``i``, None if it cannot be taken.

    At night an X-ray costs 80, otherwise 40; whoever does not say when pays the same 40. Drawing
    a ticket, which is shared, takes 10 off either. A CT is not for who is pregnant.

    >>> from reference.basics import PriceIf
    >>> told = Problem(
    ...     rows=[[0, None, None], [1, None, None], [None, None, None]], classes=[0, 1, 1],
    ...     weights=[1, 1, 1], kinds=["nominal"] * 3, domains=[2] * 3, n_classes=2,
    ...     full=[0, 40, 100], groups=[{1: 10}], delayed=set(), usable={0, 1, 2},
    ...     errors=[[0, 1], [1, 0]],
    ...     price_if={1: PriceIf(0, {1: 80}), 2: PriceIf(0, {1: None})},
    ... )
    >>> nothing, ticket = State(), State(opened=frozenset({0}))
    >>> [price_for(told, 1, i, nothing) for i in range(3)]
    [40.0, 80.0, 40.0]
    >>> [price_for(told, 1, i, ticket) for i in range(3)]
    [30.0, 70.0, 30.0]
    >>> [price_for(told, 2, i, nothing) for i in range(3)]
    [100.0, None, 100.0]
    """
    if a not in problem.price_if:
        return price(problem, a, state)
    own = own_price(problem, a, problem.rows[i][problem.price_if[a].on])
    return None if own is None else at_price(problem, a, own, state)


def own_price(problem: Problem, a: int, value: float | None) -> float | None:
    """Return the full price of a test for a value of its condition.

    >>> from reference.basics import PriceIf
    >>> spans = PriceIf(0, {}, [(float("-inf"), 6.0, 80.0), (60.0, float("inf"), None)])
    >>> told = Problem([], [], [], [], [], 2, [0, 40], [], set(), set(), [], price_if={1: spans})
    >>> [own_price(told, 1, value) for value in (6.0, 6.5, 61.0, None)]
    [80.0, 40, None, 40]
    """
    given = problem.price_if[a]
    if value is None:
        return problem.full[a]
    for low, high, cost in given.spans:
        if low < value <= high:
            return cost
    return given.values.get(value, problem.full[a])


def at_price(problem: Problem, a: int, own: float, state: State) -> float:
    """Return what a test costs at another full price."""
    full = [own if b == a else cost for b, cost in enumerate(problem.full)]
    return price(replace(problem, full=full), a, state)


def dearest(problem: Problem, a: int, state: State) -> float:
    """Return the most that a test may cost."""
    if a not in problem.price_if:
        return price(problem, a, state)
    given = problem.price_if[a]
    owns = [problem.full[a], *given.values.values(), *(cost for *_, cost in given.spans)]
    return max(at_price(problem, a, own, state) for own in owns if own is not None)


def can_take(problem: Problem, cases: list[Case], a: int) -> bool:
    """Tell whether all cases can take a test."""
    return all(price_for(problem, a, i, State()) is not None for i, _ in cases)


def charged(problem: Problem, cases: list[Case], a: int, state: State) -> float:
    """Return what the cases that come to a test pay for it, over all of them."""
    total = 0.0
    for i, weight in cases:
        if problem.charge_missing or problem.rows[i][a] is not None:
            total += weight * (price_for(problem, a, i, state) or 0.0)
    return total
