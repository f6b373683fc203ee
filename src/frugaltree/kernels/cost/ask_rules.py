"""Rules of the house: which tests may be asked at a node, by what was asked above it.

A test that ``requires`` others may be asked once each of them was asked further up. The tests that
come ``first`` are asked before all others, in their order, each once before the next; one that
has the same answer for all cases of a node is passed over there. A path may end anywhere.

To ask counts, whether or not there was a result. So a case that lacks a value, and pays nothing,
has been asked.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from frugaltree.kernels.jit import atom, part


class AskRules(NamedTuple):
    """Which tests are asked before others.

    Attributes
    ----------
    first : int64[i]
        The tests asked before all others, in this order.
    requires : uint8[test, test]
        1 where the first may be asked only below the second; empty where there is no such rule.
    about : int64[a]
        Of each column, the test that it is about; itself, but for tests of one value.
    """

    first: np.ndarray
    requires: np.ndarray
    about: np.ndarray

    @classmethod
    def none(cls, n_tests: int) -> Self:
        """Return no rules for so many tests."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 0), np.uint8), np.arange(n_tests))

    def at(self, asked: np.ndarray) -> Self:
        """Return the rules that are left where some tests, given by 1, were asked already.

        >>> rules = AskRules(np.array([2, 0]), np.eye(3, k=1, dtype=np.uint8), np.arange(3))
        >>> left = rules.at(np.array([0, 0, 1]))
        >>> left.first, left.requires[1].tolist()
        (array([0]), [0, 0, 0])
        """
        asked = np.asarray(asked) > 0
        requires = np.array(self.requires)
        if requires.size:
            requires[:, asked] = 0
            requires[asked] = 0
        return self._replace(first=self.first[~asked[self.first]], requires=requires)


@atom
def has_rules(rules):
    """Tell whether there are any rules."""
    return rules.first.size > 0 or rules.requires.size > 0


@atom
def requires_more(rules, asked, test):
    """Tell whether a test requires one that was not asked yet."""
    if rules.requires.size > 0 and not asked[test]:
        for b in range(rules.requires.shape[1]):
            if rules.requires[test, b] and not asked[b]:
                return True
    return False


@atom
def comes_first(rules, asked, live):
    """Return the test that must be asked before all others now, -1 if there is none.

    ``live`` has 1 for the tests of which the cases have different values.
    """
    for i in range(rules.first.size):
        test = rules.first[i]
        if not asked[test] and live[test]:
            return test
    return np.int64(-1)


@part
def may_ask(rules, asked, live, a):
    """Tell whether the rules let a test be asked at a node.

    ``asked`` counts how often each test was asked above, ``live`` is as in :func:`comes_first`.
    """
    test = rules.about[a]
    first = comes_first(rules, asked, live)
    return (first < 0 or first == test) and not requires_more(rules, asked, test)


@part
def rules_bind(rules, asked, live):
    """Tell whether some live test may not be asked yet; if none, no rule matters further down."""
    for a in range(live.size):
        if live[a] and not may_ask(rules, asked, live, np.int64(a)):
            return True
    return False


@part
def list_asked(rules, nodes, node, asked):
    """Count how often each test was asked above a node."""
    for a in range(asked.size):
        asked[a] = 0
    parent = nodes.parent[node]
    while parent >= 0:
        asked[rules.about[nodes.test[parent]]] += 1
        parent = nodes.parent[parent]
