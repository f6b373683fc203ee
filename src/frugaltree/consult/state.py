"""Where a consultation stands, and how each step leads to the next standing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np

from frugaltree.consult.guide import Fact, Facts, Guide, How, Location, Payment
from frugaltree.consult.notes import (
    on_branch,
    on_own_answer,
    on_range,
    on_smaller_order,
    on_value,
)
from frugaltree.consult.values import encode_value, find_test
from frugaltree.costs.path import PathPrices
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.sentinels import NONE
from frugaltree.table.values import plain, plain_category


class Override(NamedTuple):
    """A person's own answer: instead of the tree's, why, and when."""

    label: Any
    instead_of: Any
    reason: str
    at: str


class Charge(NamedTuple):
    """What was charged at a test, and for which tests."""

    test: int
    price: float
    tests: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class State:
    """Where a consultation stands; it never changes, each step makes a new one.

    ``done`` are nodes where the case has ended, ``pending`` those where something is still to be
    asked, the next one first. Only a missing value in a tree of the C4.5 family makes several.
    ``facts`` are all that is known, ``batches`` the same, step by step.
    """

    pending: tuple[Location, ...]
    path_prices: PathPrices
    done: tuple[Location, ...] = ()
    facts: Facts = field(default_factory=dict)
    batches: tuple[Facts, ...] = ()
    charges: tuple[Charge, ...] = ()
    bill: float = 0.0
    notes: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()
    stopped: bool = False

    @property
    def locations(self) -> tuple[Location, ...]:
        """All nodes where the case stands, in preorder."""
        return self.done + self.pending

    @property
    def is_open(self) -> bool:
        """Whether there is something to ask."""
        return bool(self.pending) and not self.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether a person has ended the consultation."""
        return self.stopped or bool(self.overrides)

    def with_facts(
        self,
        guide: Guide,
        given: Mapping[str, tuple[Any, How]],
        times: Mapping[str, str] | None = None,
    ) -> State:
        """Return where the case stands with more facts, all of them or none.

        ``times`` says when each was said; None means now.
        """
        facts: dict[int, Fact] = {}
        for name, (value, how) in given.items():
            test = find_test(name, guide.names)
            if test in self.facts:
                raise _given_before(name, self.facts[test])
            at = now() if times is None else times[name]
            facts[test] = Fact(value, encode_value(value, guide.tree.columns[test]), how, at)
        columns = guide.tree.columns
        for test, on in guide.never_taken({**self.facts, **facts}).items():
            said = facts.get(test, self.facts.get(test))
            if said is not None and said.how != "unmeasured":
                raise _cannot_be_taken(guide.names[test], on)
            if said is None:
                at = next(iter(facts.values())).at
                facts[test] = Fact(None, np.nan, "unmeasured", at)
        notes = [
            note
            for test, fact in facts.items()
            for note in on_value(columns[test], fact) + on_range(guide, test, fact)
        ]
        state = replace(
            self,
            facts={**self.facts, **facts},
            batches=(*self.batches, facts),
            notes=(*self.notes, *notes),
        )
        lost = [test for test, f in facts.items() if f.how == "unmeasured" and self.is_paid(test)]
        return _charge_again(guide, state, lost) if lost else advance(guide, state)

    def is_paid(self, test: int) -> bool:
        """Tell whether a test is paid for."""
        return self.path_prices.is_paid(test)

    def with_override(
        self, guide: Guide, label: Any, instead: Any, reason: str, at: str | None = None
    ) -> State:
        """Return the end that a person's own answer makes, now or at another time."""
        classes = {str(known): known for known in guide.tree.answer_names}
        own = classes.get(str(plain(label)), plain_category(label))
        notes = on_own_answer(own, instead, reason, list(classes))
        return replace(
            self,
            overrides=(*self.overrides, Override(own, instead, reason, at or now())),
            notes=(*self.notes, *notes),
        )


def _given_before(name: str, fact: Fact) -> FrugaltreeError:
    said = fact.how if fact.how == "unmeasured" else shortened(fact.value)
    return FrugaltreeError(f"{name} is {said} already; take that back with undo to change it.")


def _cannot_be_taken(name: str, on: str) -> FrugaltreeError:
    return FrugaltreeError(
        f"{name} cannot be taken for this value of {on}, by price_if of the costs; leave it out."
    )


def now() -> str:
    """Return the time in UTC, as ISO 8601 writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def start(guide: Guide) -> State:
    """Return where a case stands of which nothing is known."""
    return advance(guide, State((Location(0, 1.0),), PathPrices.at_start(guide.prices)))


def advance(guide: Guide, state: State) -> State:
    """Return where a case stands after going on as far as its facts lead."""
    may_begin = guide.open_condition(state.facts) == NONE
    if guide.tree.needed:
        prices = guide.prices_for(state.facts)
        state = replace(state, path_prices=state.path_prices._replace(prices=prices))
    while state.pending:
        node = state.pending[0].node
        fact = state.facts.get(guide.test(node))
        if guide.tree.is_leaf(node):
            state = replace(state, done=(*state.done, state.pending[0]), pending=state.pending[1:])
        elif fact is None or not may_begin:
            return state
        else:
            state = _charge(
                state, guide.test(node), guide.pay(node, state.facts, state.path_prices)
            )
            state = _move(guide, state, fact)
    return state


def _charge_again(guide: Guide, state: State, lost: list[int]) -> State:
    """Return where a case stands if it had been known before that ordered tests would fail."""
    again = start(guide)
    missing = {test: fact for test, fact in state.facts.items() if fact.how == "unmeasured"}
    for batch in (missing, *state.batches):
        again = advance(guide, replace(again, facts={**again.facts, **batch}))
    names = [guide.names[test] for test in lost]
    smaller = on_smaller_order(names, state.bill - again.bill, guide.unit)
    new = [note for note in again.notes if note not in state.notes]
    return replace(
        again, facts=state.facts, batches=state.batches, notes=(*state.notes, smaller, *new)
    )


def _charge(state: State, test: int, payment: Payment) -> State:
    if not payment.tests:
        return replace(state, path_prices=payment.path_prices)
    return replace(
        state,
        path_prices=payment.path_prices,
        charges=(*state.charges, Charge(test, payment.price, payment.tests)),
        bill=state.bill + payment.price,
    )


def _move(guide: Guide, state: State, fact: Fact) -> State:
    """Return the state after the first pending node has been left by a fact."""
    location, rest = state.pending[0], state.pending[1:]
    onward = guide.next_locations(location.node, fact)
    notes = (*state.notes, *on_branch(guide, location.node, fact))
    if not onward:
        return replace(state, done=(*state.done, location), pending=rest, notes=notes)
    below = tuple(Location(child, share * location.share) for child, share in onward)
    return replace(state, pending=below + rest, notes=notes)
