"""Under which conditions a case comes to a node of a tree, or ends there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from frugaltree.export.model import Model
from frugaltree.kernels.sentinels import NONE


class Span(NamedTuple):
    """A value above ``low`` and not above ``high``, where these are given.

    Of an ordinal column the position of its category is meant. ``missing`` tells whether a case
    without a value goes there, too.
    """

    test: int
    low: float | None
    high: float | None
    missing: bool


class Values(NamedTuple):
    """One of these values of a nominal column; ``missing`` as in a span."""

    test: int
    codes: tuple[int, ...]
    missing: bool


class Others(NamedTuple):
    """A known value of a nominal column other than those that have a branch."""

    test: int
    codes: tuple[int, ...]
    missing: bool


class Missing(NamedTuple):
    """No value."""

    test: int


Condition = Span | Values | Others | Missing
Conditions = tuple[Condition, ...]


class Visit(NamedTuple):
    """A node on a walk through a tree.

    Attributes
    ----------
    node
        The node.
    conditions
        What holds of the cases that come here; a numeric column has one span.
    ends
        Whether they end here: at a leaf, or because their value has no branch.
    """

    node: int
    conditions: Conditions
    ends: bool


def branch_conditions(model: Model, node: int) -> list[tuple[Condition, int | None]]:
    """Return the conditions of a node's branches, each with the child, None where cases end.

    Together they cover every case: a nominal test has, last, one for values without a branch. A
    missing value goes along with one of them, or has a branch of its own before.

    >>> from frugaltree import ID3Classifier
    >>> from frugaltree.export.model import model_of
    >>> learner = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> for branch in branch_conditions(model_of(learner), 0):
    ...     print(branch)
    (Span(test=0, low=None, high=3.0, missing=False), 1)
    (Span(test=0, low=3.0, high=None, missing=False), 2)
    (Missing(test=0), None)
    """
    tree, way = model.tree, int(model.tree.ways[node])
    test, children = int(tree.nodes.test[node]), dict(tree.slots(node))
    found: list[tuple[Condition, int | None]]
    if tree.columns[test].is_nominal:
        found = [
            (Values(test, codes, child == way), child)
            for codes, child in tree.branches(node)
            if codes
        ]
        if tree.has_own_way(node):
            found.append((Missing(test), way))
        onward = model.others.get(node)
        return [*found, (Others(test, tuple(children), way == NONE), onward)]
    low, high, cut = children.get(0), children.get(1), float(tree.nodes.threshold[node])
    found = [
        (Span(test, None, cut, low == way), low),
        (Span(test, cut, None, high == way), high),
    ]
    if way == NONE or tree.has_own_way(node):
        found.append((Missing(test), None if way == NONE else way))
    return found


def add_condition(conditions: Conditions, new: Condition) -> Conditions:
    """Return conditions with one more; spans of one column become one, and so do values.

    >>> conditions = Span(0, None, 9.0, True), Values(1, (0,), False)
    >>> add_condition(conditions, Span(0, 5.0, None, False))
    (Span(test=0, low=5.0, high=9.0, missing=False), Values(test=1, codes=(0,), missing=False))
    """
    for place, old in enumerate(conditions):
        both = _both(old, new)
        if both is not None:
            return (*conditions[:place], both, *conditions[place + 1 :])
    return (*conditions, new)


def _both(a: Condition, b: Condition) -> Condition | None:
    """Return what holds where two conditions on a column hold, None if that takes both."""
    if a.test != b.test or isinstance(a, Missing) or isinstance(b, Missing):
        return None
    if isinstance(a, Values) and isinstance(b, Values):
        codes = tuple(code for code in b.codes if code in a.codes)
        return Values(a.test, codes, a.missing and b.missing)
    if isinstance(a, Values) and isinstance(b, Others):
        return Values(a.test, tuple(code for code in a.codes if code not in b.codes), False)
    if not isinstance(a, Span) or not isinstance(b, Span):
        return None
    lows = [span.low for span in (a, b) if span.low is not None]
    highs = [span.high for span in (a, b) if span.high is not None]
    return Span(a.test, max(lows, default=None), min(highs, default=None), a.missing and b.missing)


def walk(model: Model) -> Iterator[Visit]:
    """Yield every node, and every place where cases can end, from the root down.

    Examples
    --------
    >>> from frugaltree import ID3Classifier
    >>> from frugaltree.export.model import model_of
    >>> learner = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    >>> for visit in walk(model_of(learner)):
    ...     print(visit.node, visit.ends, *visit.conditions)
    0 False
    1 True Values(test=0, codes=(0,), missing=False)
    2 True Values(test=0, codes=(1,), missing=False)
    0 True Others(test=0, codes=(0, 1), missing=True)
    """
    stack = [Visit(0, (), model.tree.is_leaf(0))]
    while stack:
        visit = stack.pop()
        yield visit
        if visit.ends:
            continue
        for condition, child in reversed(branch_conditions(model, visit.node)):
            node = visit.node if child is None else child
            ends = child is None or model.tree.is_leaf(child)
            conditions = add_condition(visit.conditions, condition)
            if all(not isinstance(one, Values) or one.codes for one in conditions):
                stack.append(Visit(node, conditions, ends))
