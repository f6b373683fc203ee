"""What is out of the ordinary in a consultation, in sentences; consult.js has the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frugaltree.consult.guide import Fact, Guide
from frugaltree.kernels.sentinels import NONE
from frugaltree.table import Column
from frugaltree.tree.text import cases, money


def on_value(column: Column, fact: Fact) -> list[str]:
    """Return what is odd about an ordinal value that has no place in the order.

    >>> stage = Column("stage", "ordinal", ("I", "II"))
    >>> on_value(stage, Fact("IV", float("nan"), "told", "now"))
    ['stage = IV has no place in the order I, II; it counts as missing.']
    """
    if fact.how == "unmeasured" or fact.code == fact.code or not column.categories:
        return []
    order = ", ".join(column.describe(code) for code in range(len(column.categories)))
    odd = f"{column.name} = {fact.value} has no place in the order {order}; it counts as missing."
    return [odd]


def on_range(guide: Guide, test: int, fact: Fact) -> list[str]:
    """Return that a number lies outside the range that its test had in training."""
    column = guide.tree.columns[test]
    if column.kind != "numeric" or fact.code != fact.code:
        return []
    outside = guide.say_outside(column.name, fact.code)
    return [] if outside is None else [f"{column.name}: {outside}."]


def on_branch(guide: Guide, node: int, fact: Fact) -> list[str]:
    """Return what a person should know about the way that a fact takes at a node."""
    tree, name = guide.tree, guide.column(node).name
    here = cases(float(tree.weights[node]))
    if fact.code != fact.code:
        if tree.fractional:
            return [
                f"{name} is missing, so every branch is followed, by its share of the {here} that "
                "came this far."
            ]
        child = int(tree.ways[node])
        if child == NONE:
            return [f"{name} is missing, so the answer is that of the {here} that came this far."]
        if tree.has_own_way(node):
            some = cases(float(tree.weights[child])).split()[0]
            return [f"{name} is missing, as for {some} of the {here} that came this far."]
        answers = next(b for b, c in tree.branches(node) if c == child)
        way = tree.condition(node, answers)
        return [
            f"{name} is missing, so the case goes on as if {way}, which costs least for the "
            f"{here} that came this far."
        ]
    if guide.next_locations(node, fact):
        return []
    where = "at training" if fact.code < 0 else "by the cases that came this far"
    return [
        f"{name} = {fact.value} was never seen {where}, so the answer is that of the {here} that "
        "came this far."
    ]


def on_smaller_order(names: Sequence[str], less: float, unit: str | None) -> str:
    """Return why a bill has become smaller.

    >>> on_smaller_order(["chol", "fbs"], 5.2, "CAD")
    'chol and fbs were ordered but are missing, so the order costs CAD 5.20 less.'
    """
    were, are = ("was", "is") if len(names) == 1 else ("were", "are")
    saved = money(less, unit)
    return (
        f"{' and '.join(names)} {were} ordered but {are} missing, so the order costs {saved} less."
    )


def on_own_answer(own: Any, instead: Any, reason: str, classes: Sequence[str]) -> list[str]:
    """Return that a person has had the last word.

    >>> on_own_answer("refer", "ill", "pale", ["ill", "well"])
    ['A person answered refer instead of ill: pale', "refer is not one of the model's answers, ill,
    well."]
    """
    said = f"confirmed {own}" if own == instead else f"answered {own} instead of {instead}"
    notes = [f"A person {said}{f': {reason}' if reason else '.'}"]
    if str(own) not in classes:
        notes.append(f"{own} is not one of the model's answers, {', '.join(classes)}.")
    return notes
