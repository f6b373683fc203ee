"""A finished tree whose tests are ordered one at a time, all at once, or in several batches."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from frugaltree.batches.planner import Cases, Planner
from frugaltree.costs import Costs
from frugaltree.costs.checks import Test
from frugaltree.costs.conditions import refuse_price_if
from frugaltree.costs.waiting import SEVERAL, STRATEGIES, Waiting, check_strategy, refuse_panels
from frugaltree.estimators.answers import in_pieces
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.sentinels import NONE
from frugaltree.metrics import check_costs
from frugaltree.tree.bills import path_to

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]


class Charged(NamedTuple):
    """What orders cost a case: its tests, its waiting, the minutes that takes, and how many."""

    tests: float = 0.0
    waiting: float = 0.0
    minutes: float = 0.0
    orders: float = 0.0


class Known(NamedTuple):
    """What is known of a case without an order: tests, and the nodes that it can come to."""

    tests: frozenset[int]
    nodes: frozenset[int]


class Batches:
    """Tests of a finished tree ordered in batches: what cases are charged, and what to order now.

    Parameters
    ----------
    model
        A fitted learner of frugaltree.
    costs
        Prices of tests; None are the model's own.
    round_trip
        What each order costs, whatever is in it.
    minutes
        How long each test takes, by name or position; an order takes as long as its slowest test.
    waiting
        What a case pays for each minute: a number, or a list of ``(up to, price)`` that only
        grows, such as ``[(60, 0.1), (None, 0.5)]``, of all minutes of the case. Where neither this
        nor ``round_trip`` nor ``minutes`` is given, they are those of the costs.
    strategy
        ``"sequential"``: one test at a time, in the tree's order. ``"single batch"``: all tests
        that may still be needed, where the first one is. ``"several batches"``: whatever costs
        least at each moment; :mod:`~frugaltree.batches.planner` has the proof. The first word will
        do.
    cases
        Cases to plan for. None are those that the tree was learned from, by its own counts: those
        of a leaf lack the values that its path tells, and no others.

    Examples
    --------
    The second test is needed by every second case. Ordered one at a time, the two cost 4 and half
    of 6, and a round trip of 3 is paid once or twice; all at once 10 and one round trip:

    >>> from frugaltree import Batches, Costs, ID3Classifier
    >>> X, y = [[0, 0], [0, 9], [9, 0], [9, 9]], ["a", "a", "b", "c"]
    >>> model = ID3Classifier(Costs([4, 6])).fit(X, y)
    >>> for strategy in ("sequential", "single batch", "several batches"):
    ...     batches = Batches(model, round_trip=3, strategy=strategy)
    ...     batches.expected_cost, batches.bill(X).tolist()
    (11.5, [7.0, 7.0, 16.0, 16.0])
    (13.0, [13.0, 13.0, 13.0, 13.0])
    (11.5, [7.0, 7.0, 16.0, 16.0])

    With a round trip of 8 it is better to order both at once:

    >>> dear = Batches(model, round_trip=8)
    >>> dear.orders, dear.expected_cost
    ({0: ('x0', 'x1')}, 18.0)
    """

    def __init__(
        self,
        model: CostSensitiveTree,
        costs: Costs | None = None,
        *,
        round_trip: float = 0,
        minutes: Mapping[Test, float] | Sequence[float] | None = None,
        waiting: float | Sequence[tuple[float | None, float]] = 0,
        strategy: str = SEVERAL,
        cases: Any = None,
    ) -> None:
        self.model = _checked(model)
        costs = (self.model.costs or Costs()) if costs is None else check_costs(costs)
        refuse_panels(costs)
        refuse_price_if(costs, "orders in batches")
        given = Waiting(round_trip, minutes, waiting)  # type: ignore[arg-type]
        if given == Waiting() and costs.waiting is not None:
            given = costs.waiting
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of discounts: said before
            self.costs = replace(costs, waiting=None)
        self.waiting = given
        self.strategy = check_strategy(strategy)
        tree = self.model.tree_
        names = [column.name for column in tree.columns]
        at_hand = [names.index(key) if key in names else int(key) for key in costs.known]
        self._prices = self.costs.prices(names)
        kinds = self._trained_cases() if cases is None else _counted(*self._kinds(cases))
        self._at_hand = frozenset(at_hand)
        self.planner = Planner(tree, self._prices, given, self._at_hand, kinds)
        self._minutes = given.minutes_of(names, self.planner.tests)
        self._planners: dict[Known, Planner] = {}

    # --------------------------------------------------------------------- plans

    @cached_property
    def _plan(self) -> dict[int, Any]:
        return self.planner.plan(self.strategy)

    @property
    def orders(self) -> dict[int, tuple[str, ...]]:
        """The tests that are ordered, by the node where that is done."""
        names = self.model.tree_.columns
        return {
            node: tuple(names[test].name for test in self._in_order(move.tests, node))
            for node, move in sorted(self._plan.items())
        }

    def plan(self) -> pl.DataFrame:
        """Return a table of all orders, one row for each.

        The columns are ``node``, ``where`` (what has led there), ``cases`` (the share of the cases
        that an order is placed for there), ``orders`` (the tests, that of the node first),
        ``price`` (of the tests), ``waiting`` (what the round trip and the minutes cost) and
        ``minutes``, these three for a case that lacks no value.

        Examples
        --------
        >>> from frugaltree import Batches, Costs, ID3Classifier
        >>> X, y = [[0, 0], [0, 9], [9, 0], [9, 9]], ["a", "a", "b", "c"]
        >>> model = ID3Classifier(Costs([4, 6])).fit(X, y)
        >>> Batches(model, round_trip=3).plan().rows()
        [(0, '', 1.0, ['x0'], 4.0, 3.0, 0.0), (2, 'x0 > 4.5', 0.5, ['x1'], 6.0, 3.0, 0.0)]
        """
        import polars as pl

        whole = sum(self.planner.here[0].values()) or 1.0
        rows = []
        for node, tests in self.orders.items():
            waited = sum(
                self.planner.prices.minutes(self._plan[above].tests)
                for above in path_to(self.model.tree_.nodes, node)[:-1]
                if above in self._plan
            )
            price, waiting, minutes = self.planner.charge(self._plan[node], 0, waited)
            share = sum(self.planner.here[node].values()) / whole
            rows.append((node, self._where(node), share, list(tests), price, waiting, minutes))
        kinds: dict[str, Any] = {
            "node": pl.Int64,
            "where": pl.String,
            "cases": pl.Float64,
            "orders": pl.List(pl.String),
            "price": pl.Float64,
            "waiting": pl.Float64,
            "minutes": pl.Float64,
        }
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def _in_order(self, tests: int, node: int) -> list[int]:
        """Return the tests of a set, as the tree asks them from a node on."""
        wanted = self.planner.prices.tests_in(tests)
        asked = self.model.tree_.nodes.test[node : self.planner.ends[node]].tolist()
        return [test for test in dict.fromkeys(asked) if test in wanted]

    def _where(self, node: int) -> str:
        """Return what has led to a node."""
        tree, said = self.model.tree_, []
        for child in path_to(tree.nodes, node)[1:]:
            parent = int(tree.nodes.parent[child])
            answers = next(answers for answers, at in tree.branches(parent) if at == child)
            said.append(tree.condition(parent, answers))
        return ", ".join(said)

    def order_now(
        self, node: int, ordered: frozenset[int], known: Known, waited: float
    ) -> frozenset[int]:
        """Return the tests to order for one case at a node; none if its test is at hand.

        Parameters
        ----------
        node
            The node.
        ordered
            Tests that were ordered before, by their positions.
        known
            What is known without an order: the tests, and the nodes that the case can come to.
        waited
            How many minutes the case has waited.
        """
        planner = self._planner_for(known)
        before = planner.as_bits(ordered)
        if not planner.bits[node] & ~before:
            return frozenset()
        return planner.prices.tests_in(planner.now(self.strategy, node, before, waited))

    def wait_for(self, tests: Iterable[int], waited: float) -> tuple[float, float]:
        """Return what waiting for an order costs a case, round trip included, and its minutes."""
        minutes = max(self._minutes[test] for test in tests)
        more = self.waiting.charge(waited + minutes) - self.waiting.charge(waited)
        return self.waiting.round_trip + more, minutes

    def _planner_for(self, known: Known) -> Planner:
        """Return the planner for a case of which something is known: for cases like it."""
        if not known.tests:
            return self.planner
        if known not in self._planners:
            planner = self.planner
            cases = [one for one in planner.cases if one.end in known.nodes]
            at_hand = self._at_hand | known.tests
            self._planners = {
                known: Planner(
                    planner.tree,
                    self._prices,
                    self.waiting,
                    at_hand=at_hand,
                    cases=cases,
                    reached=known.nodes,
                )
            }
        return self._planners[known]

    # --------------------------------------------------------------------- costs

    @in_pieces
    def bill(self, X: Any) -> Floats:
        """Return what each case is charged, for tests and for waiting."""
        charged = self._charged(X)
        return charged[:, 0] + charged[:, 1]

    @in_pieces
    def minutes(self, X: Any) -> Floats:
        """Return how many minutes each case waits in all."""
        return self._charged(X)[:, 2]

    @in_pieces
    def n_orders(self, X: Any) -> npt.NDArray[np.int64]:
        """Return how many orders are placed for each case."""
        return self._charged(X)[:, 3].astype(np.int64)

    @property
    def expected_cost(self) -> float:
        """What the cases planned for are charged on average, for tests and for waiting."""
        mean, _ = self._mean(self._plan)
        return mean.tests + mean.waiting

    @property
    def expected_minutes(self) -> float:
        """How many minutes the cases planned for wait on average."""
        return self._mean(self._plan)[0].minutes

    def with_strategy(self, strategy: str) -> Batches:
        """Return the same tree, costs and cases with another strategy."""
        other = object.__new__(Batches)
        other.__dict__.update(self.__dict__, strategy=check_strategy(strategy))
        other.__dict__.pop("_plan", None)
        return other

    def compare(self) -> pl.DataFrame:
        """Return a table of the three strategies, means over the cases planned for.

        The columns are ``strategy``, ``orders`` (how many), ``tests`` (what they cost),
        ``waiting`` (what round trips and minutes cost), ``total`` (of these two), ``minutes``, and
        ``longest`` (the most minutes of a case).

        Examples
        --------
        >>> from frugaltree import Batches, Costs, ID3Classifier
        >>> X, y = [[0, 0], [0, 9], [9, 0], [9, 9]], ["a", "a", "b", "c"]
        >>> model = ID3Classifier(Costs([4, 6])).fit(X, y)
        >>> for row in Batches(model, round_trip=3, minutes=[10, 30]).compare().rows():
        ...     print(*row)
        sequential 1.5 7.0 4.5 11.5 25.0 40.0
        single batch 1.0 10.0 3.0 13.0 30.0 30.0
        several batches 1.5 7.0 4.5 11.5 25.0 40.0
        """
        import polars as pl

        rows = []
        for strategy in STRATEGIES:
            mean, longest = self._mean(self.planner.plan(strategy))
            total = mean.tests + mean.waiting
            costs = (mean.orders, mean.tests, mean.waiting, total, mean.minutes, longest)
            rows.append((strategy, *costs))
        names = ["strategy", "orders", "tests", "waiting", "total", "minutes", "longest"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def _mean(self, plan: dict[int, Any]) -> tuple[Charged, float]:
        """Return what the cases planned for are charged on average, and the longest they wait."""
        planner, total, longest = self.planner, np.zeros(4), 0.0
        for cases in planner.cases:
            charged = self._follow(plan, cases.end, planner.as_bits(cases.lacking))
            total += cases.weight * np.array(charged)
            longest = max(longest, charged.minutes)
        whole = sum(cases.weight for cases in planner.cases)
        return Charged(*(total / whole).tolist()), longest

    def _follow(self, plan: dict[int, Any], end: int, lacking: int) -> Charged:
        """Return what a case is charged that ends at a node and lacks some values."""
        total = Charged()
        for node in path_to(self.model.tree_.nodes, end):
            if node not in plan or self.planner.ends_without(node, end, lacking):
                continue
            price, waiting, minutes = self.planner.charge(plan[node], lacking, total.minutes)
            total = Charged(
                tests=total.tests + price,
                waiting=total.waiting + waiting,
                minutes=total.minutes + minutes,
                orders=total.orders + bool(plan[node].tests & ~lacking),
            )
        return total

    def _charged(self, X: Any) -> Floats:
        """Return the fields of `Charged` for each case of a table."""
        kinds, which = self._kinds(X)
        plan = self._plan
        rows = [self._follow(plan, end, self.planner.as_bits(lacking)) for end, lacking in kinds]
        return np.array(rows, np.float64).reshape(-1, 4)[which]

    # --------------------------------------------------------------------- cases

    def _kinds(self, X: Any) -> tuple[list[tuple[int, frozenset[int]]], npt.NDArray[np.intp]]:
        """Return where cases end and what they lack, each kind once, and which kind each is."""
        values, tree = self.model._encoded(X), self.model.tree_
        asked = tree.asked_tests
        lacks = np.isnan(values[:, asked])
        if tree.fractional and lacks.any():
            test = tree.columns[asked[int(lacks.any(axis=0).argmax())]].name
            raise FrugaltreeError(
                f"a case lacks a value of {test!r}, and {type(self.model).__name__} would follow "
                "every branch, so that its orders have no one way to go by; give cases without "
                "missing values, or take a learner such as FrugalTreeClassifier."
            )
        if self._prices.charge_missing:
            lacks[:] = False
        ends = tree.find(values)
        rows, which = np.unique(np.column_stack([ends, lacks]), axis=0, return_inverse=True)
        kinds = [
            (int(row[0]), frozenset(asked[i] for i in np.flatnonzero(row[1:]))) for row in rows
        ]
        return kinds, which.ravel()

    def _trained_cases(self) -> list[Cases]:
        """Return the cases that the tree was learned from, as far as it tells of them."""
        tree, found = self.model.tree_, []
        for leaf in range(tree.n_nodes):
            if not tree.is_leaf(leaf):
                continue
            path = path_to(tree.nodes, leaf)
            lacking = []
            if not self._prices.charge_missing:
                above = [int(tree.nodes.parent[at]) for at in path if _lacks(tree, at)]
                lacking = [int(tree.nodes.test[node]) for node in above]
            found.append(Cases(leaf, frozenset(lacking), float(tree.weights[leaf])))
        return found

    def __repr__(self) -> str:
        return f"<Batches: {self.strategy}, {len(self._plan)} places to order>"


def _lacks(tree: Any, node: int) -> bool:
    return bool(tree.nodes.parent[node] != NONE and tree.nodes.lacking[node])


def _counted(kinds: list[tuple[int, frozenset[int]]], which: npt.NDArray[np.intp]) -> list[Cases]:
    counts = np.bincount(which, minlength=len(kinds)).tolist()
    return [Cases(*kind, float(n)) for kind, n in zip(kinds, counts, strict=True)]


def _checked(model: Any) -> CostSensitiveTree:
    if not isinstance(model, CostSensitiveTree):
        raise FrugaltreeError(
            f"batches are planned for a fitted learner of frugaltree, but got {shortened(model)}; "
            "of a repertoire, pass what for_budget returns."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise FrugaltreeError(
            f"this {type(model).__name__} has learned nothing yet; call fit first."
        ) from None
    costs = model.costs
    if costs is not None and (costs.first or costs.requires):
        raise FrugaltreeError(
            f"the model's costs have {'first' if costs.first else 'requires'}, by which tests "
            "come one after the other, but a batch orders them at once; learn one without that "
            "rule."
        )
    return model
