"""What is still to come: the tests and errors below a node, by the training cases there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from frugaltree.consult.guide import Facts, Guide, Location, Payment
from frugaltree.costs.path import PathPrices


class CostsAhead(NamedTuple):
    """What a case may expect from a node on.

    Attributes
    ----------
    least, most
        What can still be charged for tests.
    tests, errors
        What tests and errors cost on average.
    """

    least: float
    most: float
    tests: float
    errors: float

    def after(self, price: float) -> CostsAhead:
        """Return the same with a price paid before."""
        return CostsAhead(self.least + price, self.most + price, self.tests + price, self.errors)


def look_ahead(
    guide: Guide, location: Location, facts: Facts, path_prices: PathPrices
) -> CostsAhead:
    """Return what a case with these facts may expect from a node on.

    Every value that is still open is taken to be measured and to be one that was seen at training.
    """
    order = list(guide.reachable_nodes(location.node, facts))
    payments: dict[int, Payment] = {}
    before = {location.node: path_prices}
    for node in order:
        above = payments.get(int(guide.tree.nodes.parent[node]))
        if above is not None and above.without is not None and not guide.pays_above(node):
            above = above.without
            before[node] = above.path_prices
            payments[node] = guide.pay(node, facts, before[node])
            continue
        if above is not None and above.is_order:
            payments[node] = above._replace(price=0.0, tests=())
            continue
        if above is not None:
            parent = int(guide.tree.nodes.parent[node])
            before[node] = above.path_prices if guide.pays_above(node) else before[parent]
        payments[node] = guide.pay(node, facts, before[node])
    found: dict[int, CostsAhead] = {}
    for node in reversed(order):
        fact = facts.get(guide.test(node))
        onward = guide.next_locations(node, fact)
        price = payments[node].price
        if not onward:
            found[node] = CostsAhead(price, price, price, guide.error_cost(node))
            continue
        below = [
            (found[child].after(_paid_by(guide, payments[node], child)), share)
            for child, share in onward
        ]
        least, most = _bounds([ahead for ahead, _ in below], all_paid=fact is not None)
        found[node] = CostsAhead(
            min(price, least) if fact is None and guide.tree.has_gap(node) else least,
            most,
            sum(share * ahead.tests for ahead, share in below),
            sum(share * ahead.errors for ahead, share in below),
        )
    return found[location.node]


def _paid_by(guide: Guide, payment: Payment, child: int) -> float:
    """Return what those who go on to a child have paid at its parent."""
    if payment.is_order or guide.pays_above(child):
        return payment.price
    return 0.0 if payment.without is None else payment.without.price


def still_to_come(
    guide: Guide, locations: Sequence[Location], facts: Facts, path_prices: PathPrices
) -> tuple[float, float]:
    """Return the least and the most that can still be charged to a case at these nodes.

    Several nodes may share tests and groups; then these are bounds.
    """
    ahead = [look_ahead(guide, location, facts, path_prices) for location in locations]
    return _bounds(ahead, all_paid=True)


def _bounds(ahead: list[CostsAhead], *, all_paid: bool) -> tuple[float, float]:
    """Return the least and the most of one way among several, or of all of them together."""
    if not ahead:
        return 0.0, 0.0
    least, most = [a.least for a in ahead], [a.most for a in ahead]
    return (max(least), sum(most)) if all_paid else (min(least), max(most))
