"""A bill as amounts that are added up in one order, wherever a case is charged.

Sums of floats hang on the order of their amounts. A bill is that of the path before an order, from
the root down, and then the price of the order, added up on its own: first what groups share, in
their order, then the tests' own prices, in theirs
(:func:`~frugaltree.kernels.cost.prices.price_of_order`). Exports charge in the same steps, so that
their bills are those of the tree to the last bit.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple

Tests = tuple[int, ...]
Amounts = list[tuple[float, Tests]]


def added_up(amounts: Iterable[float]) -> float:
    """Return the sum of amounts, one added after the other.

    From Python 3.12 on, ``sum`` makes up for rounding, which no kernel and no database does.

    >>> added_up([0.1] * 10)
    0.9999999999999999
    """
    total = 0.0
    for amount in amounts:
        total += amount
    return total


class Due(NamedTuple):
    """What is charged once in an order: the largest share of a test that has a value.

    Attributes
    ----------
    place
        Its place among the amounts of the order.
    shares
        The shares, the largest first, each with the tests that have it; the last may have none:
        that is charged at least, whatever is missing.
    """

    place: int
    shares: tuple[tuple[float, Tests], ...]

    @property
    def is_sure(self) -> bool:
        """Whether it hangs on no value."""
        return not self.shares[0][1]

    def amount(self, tests: Container[int]) -> float:
        """Return what is charged if these tests are ordered and give a result.

        >>> due = Due(0, ((5.0, (2,)), (3.0, (0, 1))))
        >>> due.amount({1, 2}), due.amount({0}), due.amount({4})
        (5.0, 3.0, 0.0)
        """
        for share, payers in self.shares:
            if not payers or any(test in tests for test in payers):
                return share
        return 0.0

    def settled(self, known: frozenset[int], lacking: frozenset[int]) -> Due:
        """Return the same where these tests are known to have a value, and those to lack it.

        >>> due = Due(0, ((5.0, (2,)), (3.0, (0, 1))))
        >>> due.settled(frozenset({0}), frozenset()).shares
        ((5.0, (2,)), (3.0, ()))
        >>> due.settled(frozenset(), frozenset({0, 2})).shares
        ((3.0, (1,)),)
        """
        left: Amounts = []
        for share, tests in self.shares:
            if not tests or known.intersection(tests):
                left.append((share, ()))
                break
            if payers := tuple(test for test in tests if test not in lacking):
                left.append((share, payers))
        return Due(self.place, tuple(left))

    def steps(self) -> Amounts:
        """Return the shares, the smallest first, each with the tests that all lack if none is due.

        >>> Due(0, ((5.0, (2,)), (3.0, (0, 1)))).steps()
        [(3.0, (0, 1, 2)), (5.0, (2,))]
        """
        steps: Amounts = []
        payers: Tests = ()
        for share, tests in self.shares:
            payers = tuple(sorted(payers + tests))
            steps.insert(0, (share, payers if tests else ()))
        return steps


class Bill(NamedTuple):
    """What a case is charged: an amount, and what is due on top of it for an order."""

    amount: float
    dues: tuple[Due, ...] = ()

    def settled(self, known: frozenset[int], lacking: frozenset[int]) -> Bill:
        """Return the same where these tests are known to have a value, and those to lack it.

        What is due becomes part of the amount when nothing is open: what is added up on its own
        must stay so.

        >>> bill = Bill(1.0, (Due(0, ((3.0, (0, 1)),)), Due(1, ((6.0, (0,)),))))
        >>> bill.settled(frozenset({1}), frozenset())
        Bill(amount=1.0, dues=(Due(place=0, shares=((3.0, ()),)), Due(place=1, shares=((6.0, (0,)),))))
        >>> bill.settled(frozenset({1}), frozenset({0}))
        Bill(amount=4.0, dues=())
        """  # noqa: E501 - the second line is one value
        dues = tuple(due for due in (d.settled(known, lacking) for d in self.dues) if due.shares)
        if all(due.is_sure for due in dues):
            return Bill(self.amount + added_up(due.shares[0][0] for due in dues))
        return Bill(self.amount, dues)

    def hangs_on(self, test: int) -> bool:
        """Tell whether it matters for what is due whether a test has a value."""
        return any(test in tests for due in self.dues for _, tests in due.shares)

    def in_parts(self) -> tuple[float, Amounts]:
        """Return what is sure, and amounts on top of it, each due unless all of some tests lack.

        This is for people: other sums of the parts may differ in their last bits.

        >>> Bill(1.0, (Due(0, ((5.0, (2,)), (3.0, (0,)))), Due(1, ((6.0, ()),)))).in_parts()
        (7.0, [(3.0, (0, 2)), (2.0, (2,))])
        """
        sure, parts = self.amount, []
        for due in self.dues:
            lower = 0.0
            for share, tests in due.steps():
                if tests:
                    parts.append((share - lower, tests))
                else:
                    sure += share
                lower = share
        return sure, parts
