"""A tree as text: what is asked, at what price, and what the answers are worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE
from frugaltree.messages import Phrase, say
from frugaltree.tree.charges import Charges
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

MOST_SHARES = 3
"""How many other classes an answer names; the rest is summed up."""

MOST_ORDERED = 3
"""Up to so many tests of an order are named in a box."""

ORDERED, PAID = "already ordered", "already paid"
"""Why nothing is charged for a test."""

WIDEST = 40
"""Conditions of one test are brought to the same width, up to this."""


def tree_text(
    tree: Tree,
    prices: Prices | None = None,
    *,
    unit: str | None = None,
    max_depth: int | None = None,
    errors: Floats | None = None,
) -> str:
    """Return a tree as text, a line for each branch.

    A test shows what is charged for it there: less where its group is open already, nothing where
    it was paid further up. A delayed test shows everything that it orders. An answer shows how
    many training cases came to it, and for what share of them it is right. One that is not the
    most frequent class says why it is the cheaper answer.

    Parameters
    ----------
    tree
        The tree.
    prices
        Prices of its tests, as ``Costs.prices`` gives them; None leaves prices out.
    unit
        What the prices are in, such as ``"CAD"``.
    max_depth
        How many tests below the first to show; None shows all.
    errors
        What each error costs, as ``Costs.matrix`` gives it; None leaves reasons out.

    Examples
    --------
    Those with a fever are asked whether they cough, too:

    >>> import polars as pl
    >>> from frugaltree import Costs, ID3Classifier
    >>> cough = ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"]
    >>> X = pl.DataFrame({"fever": [36, 36, 37, 37, 39, 39, 39, 39], "cough": cough})
    >>> y = ["well", "well", "well", "well", "well", "well", "ill", "ill"]
    >>> costs = Costs({"fever": 2, "cough": 0.5}, unit="EUR")
    >>> tree = ID3Classifier(costs).fit(X, y).tree_
    >>> print(tree_text(tree, costs.prices(X.columns), unit=costs.unit))
    asks fever, EUR 2.00
    ├─ fever <= 38: well  4 cases, 100 %
    └─ fever > 38:  asks cough, EUR 0.50
       ├─ cough = no:  well  2 cases, 100 %
       └─ cough = yes: ill  2 cases, 100 %

    Where a miss is dear, few are enough:

    >>> from frugaltree import DTMCClassifier
    >>> costs = Costs([1], errors={("well", "ill"): 60, ("ill", "well"): 3})
    >>> dtmc = DTMCClassifier(costs).fit([[0]] * 20, ["well"] * 18 + ["ill"] * 2)
    >>> print(tree_text(dtmc.tree_, errors=costs.matrix(["ill", "well"])))
    10 % of 20 are ill; answer ill, because a miss costs 20 times as much
    """
    if max_depth is not None and (not isinstance(max_depth, int | np.integer) or max_depth < 0):
        raise FrugaltreeError(
            f"max_depth must be a whole number, 0 or more, but is {shortened(max_depth)}; leave "
            "it out to show all."
        )
    view = View(tree, charges_of(tree, prices), unit, max_depth, errors)
    lines = []
    stack: list[tuple[str, str, str, int | None]] = [("", "", view.says(0), 0)]
    while stack:
        lead, indent, text, node = stack.pop()
        lines.append(lead + text)
        below = [] if node is None else view.below(node)
        for place, (line, child) in enumerate(reversed(below)):
            branch, trunk = ("├─ ", "│  ") if place else ("└─ ", "   ")
            stack.append((indent + branch, indent + trunk, line, child))
    return "\n".join(lines)


def money(amount: float, unit: str | None = None, decimals: int = 2) -> Phrase:
    """Return an amount as people write it: a currency stands in front, a plain word behind.

    >>> money(1102.9, "CAD"), money(5, "minutes", 0), money(0.004)
    ('CAD 1,102.90', '5 minutes', '0.004')
    """
    return say("money", amount=amount, unit=unit, decimals=decimals)


def percent(share: float) -> Phrase:
    """Return a share in per cent, 0 and 100 only where it is exactly that.

    >>> percent(0.954), percent(0.999), percent(0.001), percent(1.0)
    ('95 %', '>99 %', '<1 %', '100 %')
    """
    return say("percent", share=share)


def say_bare_leaf(tree: Tree) -> str | None:
    """Return that a tree asks nothing, None if it asks.

    >>> from frugaltree import Costs, DTMCClassifier
    >>> say_bare_leaf(DTMCClassifier(Costs([50], errors=10)).fit([[0], [1], [1]], [0, 1, 1]).tree_)
    'No test pays for itself on these cases: the answer is always 1.'
    """
    if not tree.is_leaf(0):
        return None
    return say("about.bare", answer=on_one_line(str(tree.answer_at(0))))


def cases(weight: float) -> Phrase:
    """Return a number of cases, which are parted where values are missing.

    >>> cases(1), cases(1303), cases(2.25)
    ('1 case', '1,303 cases', '2.2 cases')
    """
    return say("cases", weight=weight)


def charges_of(tree: Tree, prices: Prices | None) -> Charges | None:
    """Return what is charged at each node; nothing where all tests are free and immediate."""
    if prices is None or not (prices.full.any() or prices.delayed.any()):
        return None
    return tree.charges(prices)


def on_one_line(text: str) -> str:
    """Return text whose line breaks and other invisible characters are spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Verdict(NamedTuple):
    """The words for an answer.

    Attributes
    ----------
    answer
        The class, or the decision.
    evidence
        How many training cases there are, and for what share of them a class is right.
    others
        The shares of the other classes, where there are several; of a decision, of all.
    reason
        Why the answer is not the most frequent class; None where it is, empty where the costs of
        errors do not say.
    is_decision
        Whether the answer is no class.
    """

    answer: str
    evidence: str
    others: str
    reason: str | None
    is_decision: bool = False

    @property
    def line(self) -> str:
        """All of it, on one line."""
        if self.reason is None:
            return f"{self.answer}  {self.evidence}{self.others}"
        because = f", because {self.reason}" if self.reason else ""
        if self.is_decision:
            return f"{self.answer}  {self.evidence}{self.others}{because}"
        return f"{self.evidence} are {self.answer}{self.others}; answer {self.answer}{because}"

    @property
    def in_box(self) -> str:
        """What a box says below the answer."""
        evidence = f"{self.evidence}{self.others}" if self.is_decision else self.evidence
        return f"{evidence}; {self.reason}" if self.reason else evidence


def reason_for(
    label: int, shares: Floats, errors: Floats, classes: tuple[Any, ...], unit: str | None = None
) -> str | None:
    """Return why a class is answered that is not the most frequent one; None where it is.

    Parameters
    ----------
    label
        The answer, as a position among the classes.
    shares
        The share of each class.
    errors
        What each error costs, as ``Costs.matrix`` gives it.
    classes, unit
        What the classes are called, and what costs are in.

    Returns
    -------
    str or None
        Empty where the answer is not the cheaper one by these costs.

    Examples
    --------
    >>> errors = np.array([[0.0, 3.0], [60.0, 0.0]])
    >>> reason_for(0, np.array([0.05, 0.95]), errors, ("ill", "well"))
    'a miss costs 20 times as much'
    >>> errors = np.array([[0.0, 1.0, 9.0], [2.0, 0.0, 2.0], [9.0, 1.0, 0.0]])
    >>> reason_for(1, np.array([0.5, 0.0, 0.5]), errors, ("low", "normal", "high"), "EUR")
    'its errors cost EUR 2.00 a case, those of low EUR 4.50'
    """
    if shares[label] >= shares.max() * (1.0 - TOLERANCE):
        return None
    most, expected = int(shares.argmax()), errors @ shares
    if not expected[label] < expected[most]:
        return ""
    if len(classes) == 2:
        miss, alarm = float(errors[most, label]), float(errors[label, most])
        if alarm == 0.0:
            return say("reason.only-miss")
        times = miss / alarm
        return say("reason.times", times=say("times" if times >= 10 else "rough", value=times))
    own, cost = (money(float(expected[c]), unit) for c in (label, most))
    return say("reason.errors", own=own, other=on_one_line(str(classes[most])), cost=cost)


@dataclass(frozen=True)
class View:
    """The words for each node of a tree."""

    tree: Tree
    charges: Charges | None
    unit: str | None
    max_depth: int | None
    errors: Floats | None = None

    @cached_property
    def sizes(self) -> list[int]:
        """How many nodes each subtree has."""
        sizes = [1] * self.tree.n_nodes
        for node in range(self.tree.n_nodes - 1, 0, -1):
            sizes[self.tree.nodes.parent[node]] += sizes[node]
        return sizes

    @cached_property
    def decimals(self) -> int:
        """Whole prices need no decimals."""
        if self.charges is None:
            return 0
        by = self.charges.by
        amounts = [c for node, c in enumerate(self.charges.charge.tolist()) if node not in by]
        amounts += [price for _, prices in by.values() for price in prices]
        return 2 if any(amount % 1 for amount in amounts) else 0

    def below(self, node: int) -> list[tuple[str, int | None]]:
        """Return the lines beneath a node, with the child that each leads to."""
        if self.tree.is_leaf(node):
            return []
        if self.max_depth is not None and self.tree.depths[node] >= self.max_depth:
            more = self.sizes[node] - 1
            return [(f"… {more:,} {'node' if more == 1 else 'nodes'} more", None)]
        rows: list[tuple[str, str, int | None]] = [
            (on_one_line(self.tree.condition(node, answers)), self.says(child), child)
            for answers, child in self.tree.branches(node)
        ]
        if self.tree.has_gap(node):
            rows.append(("other values", f"{self.answer(node)} (the node's own answer)", None))
        width = min(max(len(condition) for condition, _, _ in rows) + 1, WIDEST)
        return [(f"{condition + ':':<{width}} {text}", child) for condition, text, child in rows]

    def says(self, node: int) -> str:
        """Return what a node asks or answers."""
        return self.verdict(node).line if self.tree.is_leaf(node) else self.question(node)

    def question(self, node: int) -> str:
        """Return what is asked at a node, at the price charged there."""
        what, price = self.asking(node)
        if price in (ORDERED, PAID):
            return f"{what} ({price})"
        return f"{what}, {price}" if price else what

    def asking(self, node: int) -> tuple[str, str]:
        """Return what is asked at a node, and its price or why there is none."""
        test = int(self.tree.nodes.test[node])
        name = self.name(test)
        again = " again" if test in self.above(node) else ""
        if self.charges is None:
            return f"asks {name}{again}", ""
        owner, price = int(self.charges.owner[node]), self.price_at(node)
        if owner == node:
            ordered = self.ordered(node)
            results = "result" if len(ordered) == 1 else "results"
            return f"orders {' + '.join(ordered)} now", f"{price}, {results} later"
        if owner != NONE:
            return f"reads {name}", PAID if test in self.above(owner) else ORDERED
        return (f"asks {name} again", PAID) if again else (f"asks {name}", price)

    def in_box(self, node: int) -> str:
        """Return what a box says below the name of a test: its price, or why there is none.

        Of a large order only the first test is named.
        """
        ordered = self.ordered(node) if self.orders(node) else []
        if len(ordered) < 2:
            return self.asking(node)[1] or "free"
        assert self.charges is not None
        few = len(ordered) <= MOST_ORDERED
        named = ordered if few else [ordered[0], f"{len(ordered) - 1} more"]
        return f"orders {' + '.join(named)} now, {self.price(float(self.charges.charge[node]))}"

    def orders(self, node: int) -> bool:
        """Tell whether a node's test is delayed, and orders what is asked below it."""
        return self.charges is not None and self.charges.owner[node] == node

    def price_at(self, node: int) -> str:
        """Return what is charged at a node, in words: ``price 40 or 80 by shift``."""
        assert self.charges is not None
        on, paid = self.charges.by.get(node, ("", ()))
        if len(paid) < 2:
            return self.price(paid[0] if paid else float(self.charges.charge[node]))
        amounts = [money(amount, self.unit, self.decimals) for amount in paid]
        few = amounts if len(amounts) <= MOST_SHARES else [amounts[0], amounts[-1]]
        joined = f"{', '.join(few[:-1])} or {few[-1]}" if few is amounts else " to ".join(few)
        text = f"{joined} by {on_one_line(on)}"
        return text if self.unit else f"price {text}"

    def price(self, amount: float) -> str:
        """Return what is charged at a node, in words."""
        if amount == 0:
            return "free"
        text = money(amount, self.unit, self.decimals)
        return text if self.unit else f"price {text}"

    def name(self, test: int) -> str:
        """Return the name of a test."""
        return on_one_line(self.tree.columns[test].name)

    def above(self, node: int) -> set[int]:
        """Return the tests on the way to a node."""
        tests = set()
        while (node := int(self.tree.nodes.parent[node])) != NONE:
            tests.add(int(self.tree.nodes.test[node]))
        return tests

    def ordered(self, node: int) -> list[str]:
        """Return the tests that a delayed one orders: all beneath it not paid for yet."""
        subtree = self.tree.nodes.test[node : node + self.sizes[node]].tolist()
        settled = self.above(node) | {NONE}
        return [self.name(test) for test in dict.fromkeys(subtree) if test not in settled]

    def answer(self, node: int) -> str:
        """Return what a node answers."""
        return on_one_line(str(self.tree.answer_at(node)))

    def verdict(self, node: int) -> Verdict:
        """Return a node's answer, its cases, and its class shares."""
        label, number = int(self.tree.labels[node]), cases(float(self.tree.weights[node]))
        shares = self.tree.shares[node]
        if label >= self.tree.first_decision:
            return self.decision(node, label, number)
        is_most = shares[label] >= shares.max() * (1.0 - TOLERANCE)
        reason = None if is_most else ""
        if self.errors is not None:
            reason = reason_for(label, shares, self.errors, self.tree.classes, self.unit)
        share = percent(float(shares[label]))
        evidence = f"{number}, {share}" if is_most else f"{share} of {number.split()[0]}"
        others = self.others(node, label) if len(self.tree.classes) > 2 else []
        listed = f" ({', '.join(others)})" if others else ""
        return Verdict(self.answer(node), evidence, listed, reason)

    def decision(self, node: int, label: int, number: str) -> Verdict:
        """Return a node's decision, its cases, and all class shares."""
        tree, reason = self.tree, ""
        if self.errors is not None:
            from frugaltree.tree.reasons import reason_for_decision

            names = tree.answer_names
            reason = reason_for_decision(label, tree.shares[node], self.errors, names, self.unit)
        listed = f" ({', '.join(self.others(node, label))})"
        return Verdict(self.answer(node), number, listed, reason, is_decision=True)

    def others(self, node: int, label: int) -> list[str]:
        """Return the shares of a leaf's other classes, largest first, the last ones summed."""
        shares = self.tree.shares[node]
        left_out = label if label < self.tree.first_decision else NONE
        order = [
            c for c in np.argsort(-shares, kind="stable").tolist() if shares[c] and c != left_out
        ]
        named = [
            f"{on_one_line(str(self.tree.classes[c]))} {percent(float(shares[c]))}"
            for c in order[:MOST_SHARES]
        ]
        rest = float(shares[order[MOST_SHARES:]].sum())
        return [*named, f"{len(order) - MOST_SHARES} more {percent(rest)}"] if rest else named
