"""The tree as learned: immutable flat arrays, and the ways cases take through them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.route import SpreadBuffers, spread_cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE
from frugaltree.messages import Phrase, say
from frugaltree.table import Column
from frugaltree.tree.bills import bills_of
from frugaltree.tree.charges import Charges, Step
from frugaltree.tree.charging import charges_of_tree, steps_of
from frugaltree.tree.frame import tree_frame
from frugaltree.tree.routing import Ways, find_nodes, heaviest_ways, with_own_way
from frugaltree.tree.shrinkage import probabilities_of

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.costs import Costs

Floats = npt.NDArray[np.float64]

MOST_TOLD = 3
"""Up to so many values that share a branch are told one by one."""

FEW = 200
"""So many cases are spread over branches interpreted, rather than wait for a compiler."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree in flat arrays, nodes in preorder.

    Attributes
    ----------
    columns : tuple of Column
        The tests, as they were at fit.
    classes : tuple
        The class labels.
    nodes : Nodes
        ``test`` (-1 for a leaf), ``threshold``, ``first``, ``children``, ``parent`` and
        ``counts`` (training cases of each class), ``lacking`` (1 where these have no value of
        the test above). A branch that no training case took has no child: a case that comes
        there gets the node's own answer. Values that share a branch have the same child.
    labels : int32[node]
        The answer at each node, as a position in ``answer_names``.
    ways : int64[node]
        Where a case goes on that has no value of a node's test: to the branch of the training
        cases that had none, else to that of the children by which it costs least; -1 where it
        ends, with the node's own answer.
    fractional : bool
        Whether a case with a missing value goes down all branches, in proportion (C4.5); who can
        follow only one takes that of most training cases.
    shrinkage : float
        How strongly probabilities lean on the nodes above, see :mod:`~frugaltree.tree.shrinkage`.
    answer_names : tuple
        What a leaf may say: the classes and then the decisions, or decisions only. Nothing given
        means the classes.
    needed : tuple
        The columns that prices depend on beside those asked.
    mix : float64[node, level], or None
        Where prices depend on other tests, the share of the training cases that pay for a node's
        test on each level, see :class:`~frugaltree.kernels.cost.prices.Conditions`.
    mean_errors : float64[answer, class] or None
        What answers cost the training cases on average, where these had costs of their own.
    """

    columns: tuple[Column, ...]
    classes: tuple[Any, ...]
    nodes: Nodes
    labels: npt.NDArray[np.int32]
    ways: Ways
    fractional: bool = False
    shrinkage: float = 0.0
    answer_names: tuple[Any, ...] = ()
    needed: tuple[int, ...] = ()
    mix: Floats | None = None
    mean_errors: Floats | None = None

    def __post_init__(self) -> None:
        if not self.answer_names:
            object.__setattr__(self, "answer_names", self.classes)
        for array in (*self.nodes, self.labels, self.ways):
            array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        missing = {"answer_names": (), "needed": (), "mix": None, "mean_errors": None}
        self.__dict__.update(missing | state)
        self.__post_init__()

    def __repr__(self) -> str:
        return f"Tree({self.n_leaves} leaves, depth {self.depth}, {len(self.classes)} classes)"

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, leaves included."""
        return int(self.nodes.test.size)

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return int((self.nodes.test == NONE).sum())

    @cached_property
    def depths(self) -> npt.NDArray[np.int32]:
        """How many tests stand above each node."""
        depths = np.zeros(self.n_nodes, np.int32)
        for node, parent in enumerate(self.nodes.parent.tolist()):
            if parent != NONE:
                depths[node] = depths[parent] + 1
        return depths

    @property
    def depth(self) -> int:
        """How many tests the longest path has."""
        return int(self.depths.max())

    @property
    def asked_tests(self) -> list[int]:
        """The positions of the tests that the tree asks, in order."""
        return sorted({test for test in self.nodes.test.tolist() if test >= 0})

    @property
    def read_tests(self) -> list[int]:
        """The positions of the tests that the tree asks, or that what it charges depends on."""
        return sorted({*self.asked_tests, *self.needed})

    @cached_property
    def weights(self) -> Floats:
        """How many training cases reached each node."""
        return np.asarray(self.nodes.counts.sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """Class shares among the training cases of each node."""
        return np.asarray(self.nodes.counts / self.weights[:, None])

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each class, for new cases that end at each node."""
        labels = self.labels
        if self.has_decisions:  # then the largest class counts
            is_class = labels < self.first_decision
            labels = np.where(is_class, labels, largest_classes(self.nodes.counts))
        return probabilities_of(self.nodes, labels, self.shrinkage)

    @property
    def has_decisions(self) -> bool:
        """Whether there are answers that are no classes."""
        return self.answer_names != self.classes

    @property
    def first_decision(self) -> int:
        """From which label on answers are no classes: 0, or as many as there are classes."""
        n = len(self.classes)
        return n if self.answer_names[:n] == self.classes else 0

    def answer_at(self, node: int) -> Any:
        """Return what a node answers: a class or a decision."""
        return self.answer_names[self.labels[node]]

    @cached_property
    def layout(self) -> tuple[Any, ...]:
        """Writable arrays in the order that the kernels take: nodes, domain, nominal."""
        nodes = Nodes(*(np.array(array) for array in self.nodes))
        domain = np.array([len(column.categories) for column in self.columns], np.int64)
        nominal = np.array([column.is_nominal for column in self.columns], np.uint8)
        return nodes, domain, nominal

    def is_leaf(self, node: int) -> bool:
        """Tell whether nothing is asked at a node."""
        return bool(self.nodes.test[node] == NONE)

    def slots(self, node: int) -> list[tuple[int, int]]:
        """Return (answer, child) for every answer to a node's test that has a branch.

        Answers are the positions of values; to a numeric test 0, at most the threshold, and 1.
        """
        if self.is_leaf(node):
            return []
        first = int(self.nodes.first[node])
        column = self.columns[self.nodes.test[node]]
        width = len(column.categories) if column.is_nominal else 2
        children = self.nodes.children[first : first + width].tolist()
        return [(answer, child) for answer, child in enumerate(children) if child != NONE]

    def branches(self, node: int) -> list[tuple[tuple[int, ...], int]]:
        """Return (answers, child) for every branch of a node; values may share one.

        The branch of training cases that had no value, where there is one, has no answers.
        """
        answers: dict[int, list[int]] = {}
        for answer, child in self.slots(node):
            answers.setdefault(child, []).append(answer)
        if self.has_own_way(node):
            answers[int(self.ways[node])] = []
        return [(tuple(answers[child]), child) for child in sorted(answers)]

    def has_own_way(self, node: int) -> bool:
        """Tell whether a node has a branch for cases without a value of its test."""
        way = self.ways[node]
        return bool(way != NONE and self.nodes.lacking[way])

    def possible(self, node: int) -> list[int]:
        """Return the answers to a node's test that a case may give, by what was asked above."""
        test, column = self.nodes.test[node], self.columns[self.nodes.test[node]]
        found = list(range(len(column.categories) if column.is_nominal else 2))
        while (above := int(self.nodes.parent[node])) != NONE:
            if column.is_nominal and self.nodes.test[above] == test:
                found = [answer for answer, child in self.slots(above) if child == node]
                break
            node = above
        return found

    def has_gap(self, node: int) -> bool:
        """Tell whether a value that a case may have leads nowhere, so that the case ends there."""
        taken = {answer for answer, _ in self.slots(node)}
        return any(answer not in taken for answer in self.possible(node))

    def walk(self) -> Iterator[tuple[int, int]]:
        """Yield (node, depth) from the root down, in the order of their numbers."""
        yield from enumerate(self.depths.tolist())

    def condition(self, node: int, answers: Sequence[int]) -> Phrase:
        """Return what a branch stands for: ``age <= 54``, ``sex = male``, ``hue = red or blue``.

        Of many values those are told that it does not stand for: ``hue other than red``.
        """
        column = self.columns[self.nodes.test[node]]
        if not answers:
            return say("condition.missing", test=column.name)
        if column.is_nominal:
            if len(answers) > MOST_TOLD:
                others = sorted(set(self.possible(node)) - set(answers))
                if 0 < len(others) < len(answers):
                    told = say("either", texts=[column.describe(code) for code in others])
                    return say("condition.other", test=column.name, values=told)
            told = say("either", texts=[column.describe(code) for code in answers])
            return say("condition.is", test=column.name, values=told)
        key = "condition.below" if answers[0] == 0 else "condition.above"
        threshold = float(self.nodes.threshold[node])
        if column.kind == "ordinal":
            return say(key, test=column.name, value=column.describe(np.floor(threshold)))
        return say(key, test=column.name, value=say("short", value=threshold))

    def find(self, X: Floats) -> npt.NDArray[np.int32]:
        """Return the node where each encoded case ends, following the ways of missing values."""
        nodes, domain, nominal = self.layout
        return find_nodes(X, nodes, domain, nominal, self.ways)

    def prices(self, costs: Costs) -> Prices:
        """Return the prices of a list over the columns of the tree."""
        return costs.prices_of(self.columns, self.asked_tests)

    def bills(self, X: Floats, prices: Prices) -> Floats:
        """Return what the tests of each encoded case cost; not for a fractional tree."""
        return bills_of(self.layout[0], X, self.find(X), prices)

    def answers(
        self, X: Floats, prices: Prices, *, shrunk: bool = False
    ) -> tuple[Floats, Floats, npt.NDArray[np.uint8]]:
        """Return class shares, bills and the tests paid for of cases with unknown values.

        Every branch of an unknown value is followed, as C4.5 does; shrunk shares are likely ones.
        """
        work = SpreadBuffers.empty(len(X), len(self.classes), self.n_nodes, prices)
        spread = spread_cases.run_at_hand if len(X) <= FEW else spread_cases
        nodes, domain, nominal = self.layout
        if shrunk:  # as many cases at each node, of other classes
            nodes = nodes._replace(counts=self.probabilities * self.weights[:, None])
        spread(X, nodes, domain, nominal, prices, work)
        return work.shares, work.bills, work.usage

    def charges(self, prices: Prices) -> Charges:
        """Return what each node charges under a price list."""
        return charges_of_tree(self, prices)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values that JSON can hold, one list entry for each node.

        A leaf has no test; a branch that no training case took has no child. The ranks in ``cut``
        belong to the training table and are left out.

        Examples
        --------
        >>> from frugaltree import ID3Classifier
        >>> tree = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"]).tree_.to_dict()
        >>> tree["test"], tree["threshold"], tree["children"], tree["missing"]
        ([0, None, None], [3.0, None, None], [[1, 2], [], []], [None, None, None])
        >>> tree["counts"], tree["labels"]
        ([[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [0, 0, 1])
        """
        test = [None if a == NONE else a for a in self.nodes.test.tolist()]
        slots = [None if child == NONE else child for child in self.nodes.children.tolist()]
        width = [len(c.categories) if c.is_nominal else 2 for c in self.columns]
        return {
            "columns": [
                {"name": c.name, "kind": c.kind, "categories": list(c.categories)}
                for c in self.columns
            ],
            "classes": list(self.classes),
            **({"answers": list(self.answer_names)} if self.has_decisions else {}),
            **(
                {} if self.mix is None else {"needed": list(self.needed), "mix": self.mix.tolist()}
            ),
            "fractional": self.fractional,
            "shrinkage": self.shrinkage,
            "test": test,
            "threshold": [None if t != t else t for t in self.nodes.threshold.tolist()],
            "children": [
                [] if a is None else slots[first : first + width[a]]
                for a, first in zip(test, self.nodes.first.tolist(), strict=True)
            ],
            "missing": [
                None if way == NONE or self.fractional else way for way in self.ways.tolist()
            ],
            "counts": self.nodes.counts.tolist(),
            "labels": self.labels.tolist(),
            **({} if self.mean_errors is None else {"mean_errors": self.mean_errors.tolist()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """Return the tree that :meth:`to_dict` has described.

        Nothing is checked here: :func:`~frugaltree.persist.load_model` checks what comes from a
        file. One of version 1 does not say where cases go that lack a value: it is where most
        training cases went. Nor does it shrink shares.

        Examples
        --------
        >>> from frugaltree import ID3Classifier
        >>> tree = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"]).tree_
        >>> Tree.from_dict(tree.to_dict())
        Tree(2 leaves, depth 1, 2 classes)
        """
        missing = data.get("missing", [None] * len(data["test"]))
        slots = [
            (node, NONE if child is None else child)
            for node, children in enumerate(data["children"])
            for child in with_own_way(children, missing[node])
        ]
        width = np.array([len(children) + (len(children) > 0) for children in data["children"]])
        nodes = Nodes.empty(width.size, len(slots), len(data["classes"]))
        nodes.test[:] = [NONE if a is None else a for a in data["test"]]
        nodes.cut[:] = NONE
        nodes.threshold[:] = [np.nan if t is None else t for t in data["threshold"]]
        nodes.first[:] = np.where(width > 0, np.cumsum(width) - width, 0)
        nodes.counts[:] = data["counts"]
        nodes.children[:] = [child for _, child in slots]
        nodes.parent[:] = NONE
        nodes.lacking[:] = 0
        for node, child in slots:
            if child != NONE:
                nodes.parent[child] = node
                nodes.lacking[child] = child not in data["children"][node]
        if data["fractional"] or "missing" not in data:
            ways = heaviest_ways(nodes)
        else:
            ways = np.array([NONE if way is None else way for way in missing], np.int64)
        columns = [Column(c["name"], c["kind"], tuple(c["categories"])) for c in data["columns"]]
        return cls(
            columns=forget_unasked(columns, nodes, data.get("needed", ())),
            classes=tuple(data["classes"]),
            nodes=nodes,
            labels=np.array(data["labels"], np.int32),
            ways=ways,
            fractional=data["fractional"],
            shrinkage=float(data.get("shrinkage", 0.0)),
            answer_names=tuple(data.get("answers", ())),
            needed=tuple(data.get("needed", ())),
            mix=np.array(data["mix"], np.float64) if "mix" in data else None,
            mean_errors=np.array(data["mean_errors"], float) if "mean_errors" in data else None,
        )

    def to_frame(self, prices: Prices | None = None) -> pl.DataFrame:
        """Return the tree as a table, a row for each node; :mod:`~frugaltree.tree.frame`.

        Charges need ``prices``, as ``Costs.prices`` gives them; a learner's ``to_frame`` takes
        its own.
        """
        return tree_frame(self, prices)

    def path(self, x: Sequence[float], prices: Prices) -> list[Step]:
        """Return the steps of one encoded case, each with its price.

        Below a delayed test everything has been ordered already and costs nothing.
        """
        return steps_of(self, np.array([x], np.float64), prices)


def forget_unasked(
    columns: Sequence[Column], nodes: Nodes, needed: Sequence[int] = ()
) -> tuple[Column, ...]:
    """Return the columns without the values of those that no node asks, and no price needs.

    They may be names or numbers of persons, which no file about the tree has a need for.
    """
    asked = {*nodes.test.tolist(), *needed}
    return tuple(
        column if test in asked else replace(column, categories=())
        for test, column in enumerate(columns)
    )


def largest_classes(counts: Floats) -> npt.NDArray[np.int32]:
    """Return the largest class of each row, the first of several.

    >>> largest_classes(np.array([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]])).tolist()
    [1, 0]
    """
    most = counts.max(axis=1, keepdims=True)
    return np.asarray((counts >= most * (1.0 - TOLERANCE)).argmax(axis=1), np.int32)
