"""Rules of the house: tests asked before others, and what contradicts them."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as shortened
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import Test, check_test, check_tests
from frugaltree.costs.waiting import SINGLE
from frugaltree.exceptions import InvalidCosts

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs

Requires: TypeAlias = dict[Test, tuple[Test, ...]]
"""By test, the tests that must be asked above it."""


class RuleArrays(NamedTuple):
    """The fields of `frugaltree.kernels.cost.ask_rules.AskRules`, which would import Numba."""

    first: npt.NDArray[np.int64]
    requires: npt.NDArray[np.uint8]
    about: npt.NDArray[np.int64]


def check_requires(requires: object) -> Requires:
    """Return, by test, the tests that it requires.

    >>> check_requires({"mri": ["xray"]})
    {'mri': ('xray',)}
    >>> check_requires({"mri": "xray"})
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: requires of 'mri' must be a list of tests, but is 'xray';
    write a list such as ['xray'].
    """
    if requires is None:
        return {}
    if not isinstance(requires, Mapping):
        raise InvalidCosts(
            f"requires must map a test to the tests asked above it, but is {shortened(requires)}; "
            "write requires={'mri': ['xray']}."
        )
    found = {}
    for key, needed in requires.items():
        test = check_test(key, "requires")
        listed = check_tests(needed, f"requires of {test!r}")
        if listed:
            found[test] = listed
    return found


def all_requires(costs: Costs) -> Requires:
    """Return what ``requires`` says, and that a test comes after what its price depends on.

    >>> from frugaltree import Costs
    >>> costs = Costs({"mri": 9, "xray": 4}, price_if={"mri": {"xray": {"clear": 5}}})
    >>> all_requires(costs)
    {'mri': ('xray',)}
    """
    found = dict(costs.requires)
    for test, table in costs.price_if.items():
        needed = found.get(test, ())
        more = (on for on in table if on not in costs.known and on not in needed)
        if added := tuple(more):
            found[test] = (*needed, *added)
    return found


def check_house_rules(costs: Costs) -> None:
    """Refuse rules that contradict each other, or ask what may not be asked."""
    _check_delays(costs)
    _check_waiting(costs)
    for place, tests in (("first", costs.first), ("requires", _needed(costs.requires))):
        for banned in ("unavailable", "never_ask"):
            for test in tests:
                if test in getattr(costs, banned):
                    raise InvalidCosts(
                        f"{place} wants {test!r} asked, which is under {banned}; drop it from one "
                        "of the two."
                    )
    requires = all_requires(costs)
    _check_circles(requires)
    for i, test in enumerate(costs.first):
        for needed in requires.get(test, ()):
            if needed not in (*costs.first[:i], *costs.known):
                raise InvalidCosts(
                    f"first asks {test!r} before {needed!r}, which requires says it needs; put "
                    f"{needed!r} ahead of {test!r} in first, or drop one of the two rules."
                )


def _check_delays(costs: Costs) -> None:
    for place in ("first", "requires"):
        if costs.delayed and getattr(costs, place):
            raise InvalidCosts(
                f"the costs have {place} and the delayed test {costs.delayed[0]!r}, which do not "
                "go together; drop one of the two."
            )


def _check_waiting(costs: Costs) -> None:
    if costs.waiting is None:
        return
    if costs.together:
        raise InvalidCosts(
            f"the costs have the panel {list(costs.together[0])!r} under together, and waiting, "
            "which do not go together; drop one of the two."
        )
    if costs.waiting.strategy == SINGLE and (costs.first or costs.requires):
        raise InvalidCosts(
            f"the costs have {'first' if costs.first else 'requires'}, but wait for a {SINGLE}, "
            "in which no test comes before another; drop one of the two."
        )


def _needed(requires: Requires) -> list[Test]:
    return [test for tests in requires.values() for test in tests]


def _check_circles(requires: Requires) -> None:
    """Refuse tests that wait for each other, or for themselves."""
    for start in requires:
        path: list[Test] = [start]
        if circle := _circle(requires, path):
            raise InvalidCosts(
                f"requires goes in a circle, {' needs '.join(repr(test) for test in circle)}; "
                "drop one of these."
            )


def _circle(requires: Requires, path: list[Test]) -> list[Test]:
    """Return the tests of a circle that leads back to the first of a path, none if there is none.

    >>> _circle({"a": ("b",), "b": ("c", "a")}, ["a"])
    ['a', 'b', 'a']
    """
    for test in requires.get(path[-1], ()):
        if test == path[0]:
            return [*path, test]
        if test not in path and (found := _circle(requires, [*path, test])):
            return found
    return []


def rule_arrays(costs: Costs, columns: Mapping[Test, int], n_tests: int) -> RuleArrays:
    """Return the rules as arrays over the columns; what is known is not waited for."""
    rules = all_requires(costs)
    requires = np.zeros((n_tests, n_tests) if rules else (0, 0), np.uint8)
    at_hand = {columns[test] for test in costs.known}
    for test, needed in rules.items():
        for other in needed:
            if columns[other] not in at_hand:
                requires[columns[test], columns[other]] = 1
    first = np.array([columns[test] for test in costs.first], np.int64)
    return RuleArrays(first, requires, np.arange(n_tests))
