"""Tests that become cheaper once one of them has been taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from reprlib import repr as shortened

from frugaltree.costs.checks import Test, check_price, check_prices, check_tests
from frugaltree.exceptions import InvalidCosts


@dataclass(frozen=True, init=False, repr=False)
class Group:
    """Tests that share an overhead, such as drawing blood.

    Parameters
    ----------
    tests
        The members, by name or position, when they share one ``cost``; or a mapping from each
        member to its own discount, when they do not.
    cost
        Charged once per case, with the first member taken, on top of that member's own price.

    Examples
    --------
    Drawing blood costs 2.10, whichever of the two tests asks for it first:

    >>> Group(["chol", "fbs"], cost=2.10)
    Group(['chol', 'fbs'], cost=2.1)

    After any member has paid its full price, another one costs that much less:

    >>> Group({"a": 12.0, "b": 9.5}).discounts
    {'a': 12.0, 'b': 9.5}
    """

    tests: tuple[Test, ...] | dict[Test, float]
    cost: float | None

    def __init__(
        self, tests: Mapping[Test, float] | Iterable[Test], cost: float | None = None
    ) -> None:
        if cost is not None:
            cost = check_price(cost, "the shared cost of a group")
        object.__setattr__(self, "tests", _check_members(tests, cost))
        object.__setattr__(self, "cost", cost)

    @property
    def members(self) -> tuple[Test, ...]:
        """The tests of this group."""
        return tuple(self.tests)

    @property
    def shared(self) -> float:
        """What the first member pays on top of its own price."""
        return 0 if self.cost is None else self.cost

    @property
    def discounts(self) -> dict[Test, float]:
        """What each member saves once the group is open."""
        if isinstance(self.tests, dict):
            return dict(self.tests)
        return dict.fromkeys(self.tests, self.shared)

    def __repr__(self) -> str:
        if isinstance(self.tests, dict):
            return f"Group({self.tests!r})"
        return f"Group({list(self.tests)!r}, cost={self.cost!r})"


def _check_members(tests: object, cost: object) -> tuple[Test, ...] | dict[Test, float]:
    """Return the members in the one form that goes with ``cost``."""
    members: tuple[Test, ...] | dict[Test, float]
    if hasattr(tests, "items"):
        members = check_prices(tests, "a group", "the discount of test")
    else:
        members = check_tests(tests, "a group")
    if not members:
        raise InvalidCosts(f"a group needs at least one test, but got {tests!r}; name its tests.")
    if isinstance(members, dict) and cost is not None:
        raise InvalidCosts(
            f"a group has either one shared cost or a discount for each test, but got both "
            f"cost={cost!r} and {members!r}; drop one of the two."
        )
    if isinstance(members, tuple) and cost is None:
        raise InvalidCosts(
            f"the group of {list(members)!r} has no cost; add what its tests share, as in "
            f"Group({list(members)!r}, cost=2.10), or map each test to its own discount."
        )
    return members


def check_groups(groups: object) -> dict[str, Group]:
    """Return the groups by name."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise InvalidCosts(
            f"groups must map a name to each Group, but is {shortened(groups)}; "
            "write groups={'blood': Group(['chol', 'fbs'], cost=2.10)}."
        )
    for name, group in groups.items():
        if not isinstance(name, str):
            raise InvalidCosts(f"a group is named by text, but got {name!r}; put it in quotes.")
        if not isinstance(group, Group):
            raise InvalidCosts(
                f"group {name!r} must be a Group, but is {shortened(group)}; "
                "write Group([...], cost=...)."
            )
    return {str(name): group for name, group in groups.items()}
