"""A tree as rules in plain text, one for each place where cases end."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from frugaltree.costs.bill import Bill
from frugaltree.export.conditions import Condition, Missing, Others, Values, Visit, walk
from frugaltree.export.model import Model, model_of
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.table.values import plain
from frugaltree.tree.text import money, on_one_line

PLAIN = re.compile(r"[\w.%/+-]+(?: [\w.%/+-]+)*")
"""Names and values that a reader cannot mistake for a part of the rule."""

WORDS = {"ALWAYS", "IF", "AND", "THEN", "NOT", "IN", "OR", "MISSING", "UNLESS"}
"""What a rule itself is made of; a name that holds such a word is quoted."""


def to_rules(estimator: Estimator) -> str:
    """Return a tree as rules in plain text, of which exactly one holds for each case.

    Each tells its answer and, in brackets, how many training cases it holds for, for what share
    of them it is right, and what the tests of such a case cost in all. A rule whose last
    condition is ``not in`` answers values that no training case had there, by the answer of the
    cases so far.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.

    Returns
    -------
    str
        The rules, one in each line. Names and values that could be mistaken for something else
        are in double quotes, with backslashes as in Python.

    Examples
    --------
    >>> import polars as pl
    >>> from frugaltree import Costs, ID3Classifier
    >>> cough = ["no", "yes", "no", "yes", "yes"]
    >>> X = pl.DataFrame({"fever": [36, 37, 39, 39, 39], "cough": cough})
    >>> y = ["well", "well", "well", "ill", "ill"]
    >>> costs = Costs({"fever": 2, "cough": 0.5}, unit="EUR")
    >>> print(to_rules(ID3Classifier(costs).fit(X, y)), end="")
    IF cough = no THEN well (2 cases, 100 %; bill EUR 0.50)
    IF cough = yes AND fever <= 38 THEN well (1 case, 100 %; bill EUR 2.50)
    IF cough = yes AND fever > 38 THEN ill (2 cases, 100 %; bill EUR 2.50)
    IF cough = yes AND fever missing THEN ill (3 cases, 67 %; bill EUR 0.50)
    IF cough missing THEN well (5 cases, 60 %; bill EUR 0.00)
    IF cough not in (no, yes) THEN well (the node's own answer; bill EUR 0.50)
    """
    model = model_of(estimator)
    rules = [_rule(model, visit) for visit in walk(model) if visit.ends]
    return "\n".join([*(f"# {note}" for note in model.notes()), *rules]) + "\n"


def _rule(model: Model, visit: Visit) -> str:
    """Return the rule for the cases that end at a place."""
    tree, node = model.tree, visit.node
    answer = _quoted(str(plain(tree.answer_at(node))))
    worth = "the node's own answer"
    if tree.is_leaf(node):
        worth = model.view.verdict(model.origins[node]).in_box
    if model.is_priced:
        worth += f"; bill {_bill(model, model.bills[node])}"
    conditions = " AND ".join(_condition(model, condition) for condition in visit.conditions)
    return f"{f'IF {conditions} THEN' if conditions else 'ALWAYS'} {answer} ({worth})"


def _bill(model: Model, bill: Bill) -> str:
    """Return a bill in words, with what is due on top of it."""
    decimals = model.view.decimals
    sure, parts = bill.in_parts()
    text = on_one_line(money(sure, model.view.unit, decimals))
    for amount, tests in parts:
        names = " and ".join(_quoted(model.tree.columns[test].name) for test in tests)
        text += f" + {money(amount, None, decimals)} unless {names} missing"
    return text


def _condition(model: Model, condition: Condition) -> str:
    """Return a condition in words."""
    column = model.tree.columns[condition.test]
    name = _quoted(column.name)
    if isinstance(condition, Missing):
        return f"{name} missing"
    if isinstance(condition, Others):
        text = f"{name} not in ({_values(column, condition.codes)})"
        return f"{text} (or missing)" if condition.missing else text
    if isinstance(condition, Values):
        text = f"{name} in ({_values(column, condition.codes)})"
        if len(condition.codes) == 1:
            text = f"{name} = {_values(column, condition.codes)}"
    else:
        text = _between(name, _bound(column, condition.low), _bound(column, condition.high))
    # The C4.5 family takes a missing value down every branch, so that no rule is its own.
    return f"{text} (or missing)" if condition.missing and not model.tree.fractional else text


def _between(name: str, low: str | None, high: str | None) -> str:
    if low is None:
        return f"{name} <= {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} <= {high}"


def _bound(column: Column, cut: float | None) -> str | None:
    """Return an end of a span, with all its digits."""
    if cut is None:
        return None
    return _category(column, int(np.floor(cut))) if column.categories else str(plain(cut))


def _values(column: Column, codes: Iterable[int]) -> str:
    return ", ".join(_category(column, code) for code in codes)


def _category(column: Column, code: int) -> str:
    return _quoted(str(plain(column.categories[code])))


def _quoted(text: str) -> str:
    r"""Return text in quotes, unless it cannot be mistaken for anything but a name or value.

    >>> print(_quoted("typical angina"), _quoted("IF so"), _quoted('"\n'))
    typical angina "IF so" "\"\n"
    """
    if PLAIN.fullmatch(text) and text.isprintable() and not WORDS & set(text.upper().split()):
        return text
    return '"' + on_one_line(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
