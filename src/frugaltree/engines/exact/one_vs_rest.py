"""Tests of one value against the rest, beside a branch for each value of a nominal test.

A test of many values spreads the cases thin, and most of its branches may be alike. To set one
value apart takes nothing new from the search: "is it red?" is a test of its own with two results.
Who has paid for one such test knows the value, and so the results of all others about it: they are
a group in which all but the first are free. The tree found is translated back afterwards: the
values of the rest share a branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES, Nodes, lacking_branch
from frugaltree.kernels.sentinels import NONE

FEWEST_VALUES, MOST_VALUES = 3, 64
"""A test of fewer values has no rest to speak of, one of more is rather a name than a test."""

MOST_RESULTS = 2**24
"""Most results of added tests, over all cases; a search keeps some of them as bits."""


@dataclass(frozen=True)
class ValueTests:
    """The tests of a problem, then those of one of their values against the rest.

    Attributes
    ----------
    test
        Which test of the problem each one is about.
    value
        Which value it sets apart; NONE stands for the test itself.
    width
        How many results each test of the problem has.
    lacking
        Of which tests the last result is to have none.
    """

    test: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]
    width: npt.NDArray[np.int64]
    lacking: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, many: Sequence[int] = ()) -> ValueTests:
        """Return the tests, and one more for each value of these of them."""
        cases = problem.cases
        tests = [(a, NONE) for a in range(cases.domain.size)]
        pairs = [(a, v) for a in many for v in _values(cases, a)]
        test, value = np.ascontiguousarray(np.array(tests + pairs, np.int64).T)
        width = np.where(cases.nominal == 1, cases.domain, NUMERIC_BRANCHES)
        return cls(test, value, width, cases.lacking == 1)

    @classmethod
    def all_of(cls, problem: Problem, n_cases: int | None = None) -> ValueTests:
        """Return the tests, and all that are worth adding, about tests of few values first.

        Where tests are delayed, and so ordered together, or prices depend on others, none are
        added. A search that looks at
        samples keeps results of ``n_cases`` only.
        """
        cases, usable = problem.cases, problem.prices.usable == 1
        if (problem.prices.delayed[usable] == 1).any() or problem.has_conditions:
            return cls.of(problem)
        nominal = np.flatnonzero((cases.nominal == 1) & usable)
        number = {a: len(_values(cases, a)) for a in nominal.tolist()}
        fit = [a for a in number if FEWEST_VALUES <= number[a] <= MOST_VALUES]
        many = sorted(fit, key=number.__getitem__)
        size = (n_cases or cases.classes.size) * (1.0 + cases.domain[nominal].max(initial=0) / 16)
        total = np.cumsum([number[a] * size for a in many])
        return cls.of(problem, [a for a, n in zip(many, total, strict=True) if n <= MOST_RESULTS])

    @property
    def n_added(self) -> int:
        """How many tests there are beside those of the problem."""
        return int((self.value != NONE).sum())

    def extend(self, problem: Problem) -> Problem:
        """Return the problem with the added tests as tests of its own."""
        if not self.n_added:
            return problem
        cases, limit = problem.cases, problem.tests_limit
        codes = cases.codes[self.test]
        about, lacking = self.value != NONE, cases.lacking[self.test]
        last = np.where(lacking == 1, cases.domain[self.test] - 1, NONE)
        other = (codes != self.value[:, None]).astype(codes.dtype) + (codes == last[:, None])
        codes = np.where(about[:, None], other, codes).astype(np.int32)
        return replace(
            problem,
            cases=cases._replace(
                codes=np.ascontiguousarray(codes),
                nominal=cases.nominal[self.test],
                domain=np.where(about, 2 + lacking, cases.domain[self.test]),
                lacking=lacking,
                start=cases.start[self.test],
            ),
            prices=self._extend_prices(problem.prices),
            tests_limit=limit and limit._replace(counted=self._extend_prices(limit.counted)),
            directions=self._directions(problem),
        )

    def _extend_prices(self, prices: Prices) -> Prices:
        """Return a price list with the added tests; who pays for one knows the others about it."""
        member = self.test[:, None] == np.unique(self.test[self.value != NONE])
        full = prices.full[self.test]
        return prices._replace(
            full=full,
            discount=np.hstack([prices.discount[self.test], member * full[:, None]]),
            member=np.hstack([prices.member[self.test], member.astype(np.uint8)]),
            delayed=prices.delayed[self.test],
            usable=prices.usable[self.test],
            rules=prices.rules._replace(about=self.test),
        )

    def _directions(self, problem: Problem) -> npt.NDArray[np.int8] | None:
        """Return how answers follow each test; those that are added are about nominal ones."""
        return None if problem.directions is None else problem.directions[self.test]

    def translate(self, nodes: Nodes) -> Nodes:
        """Return a tree in terms of the problem's own tests.

        Values that cannot occur have no branch.
        """
        if not self.n_added:
            return nodes
        about = np.where(nodes.test == NONE, NONE, self.value[nodes.test])
        test = np.where(nodes.test == NONE, NONE, self.test[nodes.test])
        width = np.where(test == NONE, 0, self.width[test])
        first = np.where(test == NONE, 0, np.cumsum(width) - width)
        children = np.full(width.sum(), NONE, np.int64)
        for node in np.flatnonzero(test != NONE).tolist():
            old, slots = nodes.first[node], slice(first[node], first[node] + width[node])
            if about[node] == NONE:
                children[slots] = nodes.children[old : old + width[node]]
            else:
                children[slots] = nodes.children[old + 1]
                children[slots.start + about[node]] = nodes.children[old]
                if self.lacking[test[node]]:
                    children[slots.stop - 1] = nodes.children[old + 2]
                children[slots][~self._possible(node, test, first, nodes.parent, children)] = NONE
        return nodes._replace(test=test, first=first, children=children)

    def _possible(
        self,
        node: int,
        test: npt.NDArray[np.int64],
        first: npt.NDArray[np.int64],
        parent: npt.NDArray[np.int64],
        children: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.bool_]:
        """Tell which values of its test a case at a node may have, by the tests above it."""
        a, width = test[node], self.width[test[node]]
        possible, below, above = np.ones(width, np.bool_), node, parent[node]
        while above != NONE:
            if test[above] == a:
                possible &= children[first[above] : first[above] + width] == below
            below, above = above, parent[above]
        return possible


def _values(cases: Cases, a: int) -> list[int]:
    """Return the values of a nominal test that occur; to have none is not among them."""
    missing = lacking_branch(cases, a)
    present = np.flatnonzero(np.bincount(cases.codes[a], minlength=int(cases.domain[a])))
    return [int(code) for code in present if code != missing]
