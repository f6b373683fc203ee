"""What to ask next, at what price, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from frugaltree.consult.ahead import look_ahead
from frugaltree.consult.evidence import answer_at
from frugaltree.consult.guide import Guide, if_measured
from frugaltree.consult.state import State
from frugaltree.kernels.sentinels import NONE
from frugaltree.table import Kind
from frugaltree.tree.text import money


class Why(NamedTuple):
    """What asking is worth, on average over the training cases that came this far.

    Attributes
    ----------
    stopping
        The expected cost of errors if one stops here.
    tests
        What tests cost from here on if one goes on, this one among them.
    errors
        The expected cost of errors if one goes on.
    """

    stopping: float
    tests: float
    errors: float

    @property
    def going_on(self) -> float:
        """What going on costs, tests and errors."""
        return self.tests + self.errors

    @property
    def saving(self) -> float:
        """What going on saves against stopping here; below 0 it costs more than stopping."""
        return self.stopping - self.going_on


@dataclass(frozen=True)
class Question:
    """What to ask next.

    Attributes
    ----------
    test
        The name of the test.
    kind
        ``"numeric"``, ``"nominal"`` or ``"ordinal"``.
    values
        The values of a nominal or ordinal test, in their order; none of a numeric one.
    thresholds
        Where a numeric test is cut from here on, the cut at hand first: up to it the case goes
        one way, above it the other. Of an ordinal test, the last values of the lower side.
    price
        What answering is charged now: less where a group is open, nothing for what is paid.
    full_price
        What the test alone costs where none of its groups is open.
    unit
        What the prices are in.
    delayed
        Whether the result comes later, so that everything that may be needed is ordered now.
    orders
        The tests that the price is for: this one, and those ordered along with it.
    is_paid
        Whether the test is paid for already, so that its result is only to be read.
    why
        What asking is worth; None where a missing value leaves several branches possible, for
        then nobody has counted it.
    """

    test: str
    kind: Kind
    values: tuple[Any, ...]
    thresholds: tuple[Any, ...]
    price: float
    full_price: float
    unit: str | None
    delayed: bool
    orders: tuple[str, ...]
    is_paid: bool
    why: Why | None

    @property
    def threshold(self) -> Any:
        """The cut at hand of a numeric or ordinal test, None of a nominal one."""
        return self.thresholds[0] if self.thresholds else None

    @property
    def ordered_along(self) -> tuple[str, ...]:
        """The other tests that are ordered, and charged, along with this one."""
        return tuple(name for name in self.orders if name != self.test)

    def __str__(self) -> str:
        price = money(self.price, self.unit)
        if self.ordered_along:
            return f"orders {' + '.join(self.orders)}, {price}"
        if self.is_paid:
            return f"reads {self.test} (already paid)"
        return f"asks {self.test}, {price if self.price else 'free'}"


def question_of(guide: Guide, state: State) -> Question | None:
    """Return what to ask a case next, None at its end."""
    if not state.is_open:
        return None
    location = state.pending[0]
    if guide.open_condition(state.facts) != NONE:
        return _condition(guide, guide.open_condition(state.facts))
    column, test = guide.column(location.node), guide.test(location.node)
    payment = guide.pay(location.node, state.facts, state.path_prices)
    is_delayed = bool(guide.prices.delayed[test]) and bool(payment.tests)
    return Question(
        test=column.name,
        kind=column.kind,
        values=tuple(column.categories),
        thresholds=_thresholds(guide, state, location.node),
        price=payment.price,
        full_price=float(state.path_prices.prices.full[test]),
        unit=guide.unit,
        delayed=is_delayed,
        orders=tuple(guide.names[t] for t in payment.tests),
        is_paid=state.is_paid(test),
        why=_why(guide, state),
    )


def _condition(guide: Guide, test: int) -> Question:
    """Return the question for a value that is known, and that prices depend on."""
    column = guide.tree.columns[test]
    return Question(
        test=column.name,
        kind=column.kind,
        values=tuple(column.categories),
        thresholds=(),
        price=0.0,
        full_price=0.0,
        unit=guide.unit,
        delayed=False,
        orders=(),
        is_paid=False,
        why=None,
    )


def _thresholds(guide: Guide, state: State, node: int) -> tuple[Any, ...]:
    """Return the cuts of a node's test that a case can still meet."""
    column = guide.column(node)
    if column.is_nominal:
        return ()
    cuts = [
        float(guide.tree.nodes.threshold[below])
        for below in guide.reachable_nodes(node, state.facts)
        if guide.test(below) == guide.test(node)
    ]
    if column.kind == "ordinal":
        return tuple(column.categories[int(cut)] for cut in dict.fromkeys(cuts))
    return tuple(dict.fromkeys(cuts))


def _why(guide: Guide, state: State) -> Why | None:
    """Return what asking is worth where nothing that is missing matters to the case.

    Nor is it told before all is said that prices depend on.
    """
    if not guide.is_priced(state.facts):
        return None
    known = {test: fact for test, fact in state.facts.items() if if_measured(fact)}
    missing = state.facts.keys() - known.keys()
    if missing and any(guide.test(node) in missing for node in guide.reachable_nodes(0, known)):
        return None
    ahead = look_ahead(guide, state.pending[0], state.facts, state.path_prices)
    return Why(answer_at(guide, state.facts, state.locations).cost, ahead.tests, ahead.errors)
