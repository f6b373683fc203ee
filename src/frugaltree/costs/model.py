"""Costs: the price of every test, and of every wrong answer."""

from __future__ import annotations

import datetime
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs.answers import AnswerCosts
from frugaltree.costs.arrays import (
    check_together,
    find_columns,
    is_mixed,
    price_arrays,
    warn_of_odd_discounts,
)
from frugaltree.costs.checks import (
    Label,
    Test,
    check_classes,
    check_flag,
    check_price,
    check_prices,
    check_tests,
    check_text,
)
from frugaltree.costs.conditions import PriceIf, check_price_if
from frugaltree.costs.decisions import (
    Decisions,
    check_alone,
    check_decisions,
    largest_error,
    mean_error,
)
from frugaltree.costs.errors import (
    ErrorCosts,
    check_errors,
    check_frequencies,
    classes_of,
)
from frugaltree.costs.formulas import confidence_factor, weight_of_costs
from frugaltree.costs.group import Group, check_groups
from frugaltree.costs.house_rules import Requires, check_requires
from frugaltree.costs.panels import check_panels
from frugaltree.costs.text import costs_text
from frugaltree.costs.waiting import Waiting, check_waiting, with_waits

if TYPE_CHECKING:
    from frugaltree.costs.by_condition import TableColumn
    from frugaltree.kernels.cost.prices import Prices

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, init=False, repr=False)
class Costs(AnswerCosts):
    """What tests and errors cost.

    Parameters
    ----------
    tests
        Price of each test: a mapping from its name (or position) to a number, or a sequence of
        numbers by position. None: every test is free.
    groups
        Tests that share an overhead, under names of your choice; see `Group`.
    delayed
        Tests whose results come later: reaching one orders, and charges, every test below it.
        What a group takes off several tests of an order is paid once, the largest of it.
    errors
        None: every error costs 1. A number: every error costs that much. A matrix
        M[predicted][actual], ordered by ``classes`` or, without them, by the table's sorted
        classes. Or a mapping from every pair (predicted, actual) to its cost.
    classes
        All classes that may occur; a fit uses those that it meets.
    decisions
        Answers that are no classes, such as ``{"refer": 60}``: what each costs, whatever the
        class, or by class, as a mapping or a list in the order of the classes. By class a cost
        may be negative, a gain. Where some have costs by class and there are no ``errors``, only
        decisions are answered; else classes and decisions.
    default_test_cost
        Price of each test that ``tests`` leaves out; with None a missing price is an error.
    known
        Tests whose values are at hand when a case arrives: free, in no group, immediate.
    unavailable
        Tests that cannot be taken here: never used.
    never_ask
        Tests never to split on, although reports show them. Like ``known`` and ``unavailable``
        tests they need no price.
    first
        Tests asked before all others, in this order: a path asks nothing else, and no test of
        them twice, before all of them were asked. It may end anywhere, also before the first
        one. A test that has the same answer for all training cases of a path is passed over there.
    requires
        By test, the tests of which each must be asked above it on the path, whatever the answer:
        ``{"mri": ["xray"]}``. What is ``known`` counts as asked.
    together
        Panels, lists of tests bought as one: asking any of them charges all of the panel at that
        moment, and the others are free from then on. What is ``known`` or ``unavailable`` is not
        bought with them. Where no test asked has a result, nothing is charged.
    charge_missing
        Whether a test is charged, and opens its groups, even where it gives no result.
    price_if
        Prices that depend on the value of a known test, or of one that is then asked above, as
        if under ``requires``, such as
        ``{"xray": {"shift": {"night": 80}}, "ct": {"pregnant": {"yes": None}}}``; of a number by
        spans, ``{"<= 6": 80, "> 60": 40}``. With None the test cannot be taken then. Other values,
        and cases that lack one, have the price under ``tests``.
    waiting
        What waiting for results costs, see `Waiting`; it is part of every price then.
    unit, source, date
        Of the prices, for people to read.

    Examples
    --------
    >>> costs = Costs(
    ...     tests={"age": 1, "chol": 5.17, "fbs": 3.10},
    ...     groups={"blood": Group(["chol", "fbs"], cost=2.10)},
    ...     errors={("healthy", "sick"): 1000, ("sick", "healthy"): 200},
    ... )
    >>> round(costs.total(), 2)  # 1 + 5.17 + 3.10, and 2.10 once
    11.37
    >>> costs.error_cost(predicted="healthy", actual="sick")
    1000.0
    """

    tests: dict[Test, float] | None
    groups: dict[str, Group]
    delayed: tuple[Test, ...]
    errors: ErrorCosts | None
    classes: tuple[Label, ...] | None
    decisions: Decisions | None
    default_test_cost: float | None
    known: tuple[Test, ...]
    unavailable: tuple[Test, ...]
    never_ask: tuple[Test, ...]
    first: tuple[Test, ...]
    requires: Requires
    together: tuple[tuple[Test, ...], ...]
    charge_missing: bool
    price_if: PriceIf
    waiting: Waiting | None
    unit: str | None
    source: str | None
    date: str | None

    def __init__(
        self,
        tests: Mapping[Any, float] | Sequence[float] | npt.NDArray[Any] | None = None,
        groups: Mapping[str, Group] | None = None,
        delayed: Iterable[Test] = (),
        errors: float
        | Sequence[Sequence[float]]
        | npt.NDArray[Any]
        | Mapping[tuple[Any, Any], float]
        | None = None,
        *,
        classes: Iterable[Any] | None = None,
        decisions: Mapping[str, Any] | None = None,
        default_test_cost: float | None = None,
        known: Iterable[Test] = (),
        unavailable: Iterable[Test] = (),
        never_ask: Iterable[Test] = (),
        first: Iterable[Test] = (),
        requires: Mapping[Any, Iterable[Test]] | None = None,
        together: Iterable[Iterable[Test]] = (),
        charge_missing: bool = False,
        price_if: Mapping[Any, Mapping[Any, Mapping[Any, float | None]]] | None = None,
        waiting: Waiting | Mapping[str, Any] | None = None,
        unit: str | None = None,
        source: str | None = None,
        date: str | datetime.date | None = None,
    ) -> None:
        labels = None if classes is None else check_classes(classes)
        wrong = check_errors(errors, labels)
        by_order = len(wrong) if isinstance(wrong, tuple) else None
        decided = check_decisions(decisions, classes_of(wrong, labels), by_order)
        check_alone(wrong, decided)
        default = default_test_cost
        if default is not None:
            default = check_price(default, "default_test_cost")
        self._set(
            tests=None if tests is None else check_prices(tests, "tests", "the price of test"),
            groups=check_groups(groups),
            delayed=check_tests(delayed, "delayed"),
            errors=wrong,
            classes=labels,
            decisions=decided,
            default_test_cost=default,
            known=check_tests(known, "known"),
            unavailable=check_tests(unavailable, "unavailable"),
            never_ask=check_tests(never_ask, "never_ask"),
            first=check_tests(first, "first"),
            requires=check_requires(requires),
            together=check_panels(together),
            charge_missing=check_flag(charge_missing, "charge_missing"),
            price_if=check_price_if(price_if),
            waiting=check_waiting(waiting),
            unit=check_text(unit, "unit"),
            source=check_text(source, "source"),
            date=date.isoformat() if isinstance(date, datetime.date) else check_text(date, "date"),
        )
        check_together(self)

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def resolve(self, names: Sequence[str], classes: Sequence[Any]) -> tuple[Prices, Matrix]:
        """Return what a table needs: the prices of its columns, the costs of all answers.

        The latter are those of :meth:`answer_costs`: of errors and, if given, of decisions.

        Parameters
        ----------
        names
            The table's columns, in order.
        classes
            The classes that occur in it, in order.

        Examples
        --------
        >>> costs = Costs({"a": 1, "b": 5}, {"g": Group(["a", "b"], cost=2)}, errors=9)
        >>> prices, M = costs.resolve(["b", "a"], ["no", "yes"])
        >>> prices.full, prices.discount[:, 0]
        (array([7., 3.]), array([2., 2.]))
        >>> M
        array([[0., 9.],
               [9., 0.]])
        """
        return self.prices(names), self.answer_costs(classes)

    def prices(self, names: Sequence[str] | None = None) -> Prices:
        """Return the prices under ``tests`` as arrays over the columns ``names``.

        Without ``names`` the columns are the tests in the order in which this list names them.
        What is said in ``price_if`` needs the values of a table: :meth:`prices_of` knows it.
        """
        from frugaltree.kernels.cost.ask_rules import AskRules
        from frugaltree.kernels.cost.prices import Prices

        names = None if names is None else [str(name) for name in names]
        arrays = price_arrays(self, names)
        if is_mixed(self):
            warn_of_odd_discounts(self, names, arrays, stacklevel=2)
        if self.waiting is not None:
            arrays = with_waits(arrays, self, find_columns(self, names), names)
        return Prices(*arrays[:-1], AskRules(*arrays.rules))

    def prices_of(
        self, columns: Sequence[TableColumn], tests: Container[int] | None = None
    ) -> Prices:
        """Return the prices as arrays over the columns of a table, with those of ``price_if``.

        With ``tests``, prices of others do not depend on anything.
        """
        from frugaltree.costs.by_condition import conditions_of

        prices = self.prices([column.name for column in columns])
        if not self.price_if:
            return prices
        return prices._replace(conditions=conditions_of(self, prices.full, columns, tests))

    def total(self, names: Sequence[str] | None = None) -> float:
        """Return TC, the price of taking every test once in the order of ``tests``.

        Columns that ``tests`` does not name come after those it names. Known tests are free;
        unavailable tests and those never to ask are left out. What ``price_if`` says does not
        change it.

        Where the discounts of a group differ, the order decides: the member that comes first pays
        its full price. So this is the bill of one order, the one that the paper's standard cost
        goes by, and a tree that asks in another order can charge more; see `dearest_total`.

        >>> Costs({"a": 20, "b": 15}, {"g": Group({"a": 12, "b": 9})}).total()  # 20 + (15 - 9)
        26.0
        >>> Costs({"b": 15, "a": 20}, {"g": Group({"a": 12, "b": 9})}).total()  # 15 + (20 - 12)
        23.0
        """
        from frugaltree.kernels.cost.prices import context_price, take

        prices = self.prices(names)
        paid = np.zeros(prices.full.size, dtype=np.uint8)
        opened = np.zeros(prices.discount.shape[1], dtype=np.uint8)
        columns = find_columns(self, names)
        listed = [columns[key] for key in self.tests or ()]
        bill = 0.0
        for a in dict.fromkeys([*listed, *range(paid.size)]):
            if prices.usable[a]:
                # The kernel `charge` would compile these two; a few numbers are not worth it.
                bill += float(context_price.py_func(prices, a, paid, opened))
                take.py_func(prices, a, paid, opened)
        return bill

    def dearest_total(self, names: Sequence[str] | None = None) -> float:
        """Return what no case can be charged more than, in whatever order its tests are taken.

        It is the bill of all tests in the dearest order. Where tests are delayed, or more than
        ten hang together by groups, it is what ordering them all at once costs, which no order of
        taking them exceeds. A price that depends on another test is taken at its dearest.

        >>> costs = Costs({"b": 15, "a": 20}, {"g": Group({"a": 12, "b": 9})})
        >>> costs.total(), costs.dearest_total()  # 15 + (20 - 12), and 20 + (15 - 9)
        (23.0, 26.0)
        """
        from frugaltree.costs.by_condition import dearest_of
        from frugaltree.costs.dearest import dearest_bill

        prices = self.prices(names)
        return dearest_bill(prices._replace(full=dearest_of(self, prices.full, names)))

    def ratio(
        self, names: Sequence[str] | None = None, classes: Sequence[Any] | None = None
    ) -> float:
        """Return the paper's x: the mean cost of an error over the cost of all tests.

        Infinite when the tests are free. Decisions beside classes do not change it; of decisions
        alone it is what one costs more than the best for a class, where it does.

        >>> Costs({"a": 100, "b": 200}, errors=500).ratio()  # 500 / 300
        1.6666666666666667
        """
        total = self.total(names)
        if self.decides_only:
            mean = mean_error(self.answer_costs(classes), 0)
        else:
            M = self._whole_matrix() if classes is None else self.matrix(classes)
            mean = float(M.sum()) / max(M.size - len(M), 1)
        return mean / total if total > 0 else math.inf

    def w(
        self,
        names: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        *,
        cap: float | None = None,
    ) -> float:
        """Return how much ACT's samples heed test costs; see `weight_of_costs`.

        >>> round(Costs([100, 200], errors=500).w(), 5)  # 0.5 + exp(-500 / 300)
        0.68888
        """
        return weight_of_costs(self.ratio(names, classes), cap=cap)

    def cf(
        self, names: Sequence[str] | None = None, classes: Sequence[Any] | None = None
    ) -> float:
        """Return how pessimistic ACT's error estimate is; see `confidence_factor`.

        >>> round(Costs([100, 200], errors=500).cf(), 5)  # 0.3 - 0.1 / (1 + 500 / 300)
        0.2625
        """
        return confidence_factor(self.ratio(names, classes))

    def standard_cost(
        self,
        frequencies: Mapping[Any, float] | Sequence[float] | npt.NDArray[Any],
        names: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> float:
        """Return the cost that 100 % stands for: TC + min(1 - f) * max M (Turney 1995).

        Decisions beside classes do not change it. Of decisions alone, M is what each costs more
        than the best for a class.

        Parameters
        ----------
        frequencies
            Share of each class, by label or in the order of ``classes``.
        names
            The table's columns.
        classes
            The classes that ``frequencies`` is about.

        Examples
        --------
        >>> Costs({"a": 224}, errors=1000).standard_cost({"unacc": 0.7, "acc": 0.3})
        524.0
        """
        labels = self._known_classes() if classes is None else classes
        shares = check_frequencies(frequencies, labels)
        if self.decides_only:
            dearest = largest_error(self.answer_costs(labels), 0)
        else:
            dearest = float(self._whole_matrix().max())
        return self.total(names) + (1 - max(shares)) * dearest

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Costs:
        """Return the costs in a TOML file, written by hand or by `to_toml`."""
        from frugaltree.costs.toml import read

        return read(path)

    def to_toml(self, path: str | PathLike[str] | None = None) -> str:
        """Return these costs as TOML, and write them to ``path`` if given.

        A file that exists already is replaced at once, never half written.

        >>> print(Costs({"age": 1, "chol": 5.17}, errors=100).to_toml())
        errors = 100
        <BLANKLINE>
        [tests]
        age = 1
        chol = 5.17
        <BLANKLINE>
        """
        from frugaltree.costs.toml import write

        return write(self, path)

    def __repr__(self) -> str:
        return costs_text({field.name: getattr(self, field.name) for field in fields(self)})
