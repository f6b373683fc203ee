"""What is out of the ordinary in a consultation, in sentences; consult.js has the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frugaltree.consult.guide import Fact, Guide
from frugaltree.kernels.sentinels import NONE
from frugaltree.messages import say
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
    return [say("note.no-place", test=column.name, value=_value(column, fact), order=order)]


def _value(column: Column, fact: Fact) -> str:
    """Return the value of a fact as text; a number is written as a reader's language has it."""
    return say("exact", value=fact.code) if column.kind == "numeric" else str(fact.value)


def on_range(guide: Guide, test: int, fact: Fact) -> list[str]:
    """Return that a number lies outside the range that its test had in training."""
    column = guide.tree.columns[test]
    if column.kind != "numeric" or fact.code != fact.code:
        return []
    outside = guide.say_outside(column.name, fact.code)
    return [] if outside is None else [say("note.outside", test=column.name, outside=outside)]


def on_branch(guide: Guide, node: int, fact: Fact) -> list[str]:
    """Return what a person should know about the way that a fact takes at a node."""
    tree, name = guide.tree, guide.column(node).name
    here = cases(float(tree.weights[node]))
    if fact.code != fact.code:
        if tree.fractional:
            return [say("note.every-branch", test=name, cases=here)]
        child = int(tree.ways[node])
        if child == NONE:
            return [say("note.ends", test=name, cases=here)]
        if tree.has_own_way(node):
            some = say("number", value=float(tree.weights[child]))
            return [say("note.own-way", test=name, some=some, cases=here)]
        answers = next(b for b, c in tree.branches(node) if c == child)
        way = tree.condition(node, answers)
        return [say("note.goes-on", test=name, condition=way, cases=here)]
    if guide.next_locations(node, fact):
        return []
    key = "note.never-seen" if fact.code < 0 else "note.not-seen-here"
    return [say(key, test=name, value=_value(guide.column(node), fact), cases=here)]


def on_smaller_order(names: Sequence[str], less: float, unit: str | None) -> str:
    """Return why a bill has become smaller.

    >>> on_smaller_order(["chol", "fbs"], 5.2, "CAD")
    'chol and fbs were ordered but are missing, so the order costs CAD 5.20 less.'
    """
    key = "note.smaller-order" if len(names) == 1 else "note.smaller-orders"
    return say(key, tests=say("both", texts=list(names)), saved=money(less, unit))


def on_own_answer(own: Any, instead: Any, reason: str, classes: Sequence[str]) -> list[str]:
    """Return that a person has had the last word.

    >>> on_own_answer("refer", "ill", "pale", ["ill", "well"])
    ['A person answered refer instead of ill: pale', "refer is not one of the model's answers, ill,
    well."]
    """
    key = "note.confirmed" if own == instead else "note.answered"
    named = {"own": str(own), "instead": str(instead), "reason": reason}
    notes: list[str] = [say(f"{key}-because" if reason else key, **named)]
    if str(own) not in classes:
        notes.append(say("note.no-answer", own=str(own), answers=", ".join(classes)))
    return notes
