"""A tree as a query: every row of a table with its answer and its bill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from reprlib import repr as shortened

import numpy as np

from frugaltree.costs.bill import Bill, Due
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export.conditions import (
    Condition,
    Conditions,
    Missing,
    Others,
    Span,
    Values,
    branch_conditions,
    walk,
)
from frugaltree.export.model import INSTEAD, Model, model_of
from frugaltree.export.sql_words import ALIAS, category, column_name, identifier, literal, number
from frugaltree.protocols import Estimator
from frugaltree.table import Column

DEEPEST = 10
"""How many CASE expressions stand in one another; SQLite before 3.46 takes 15 at most."""


def to_sql(estimator: Estimator, table: str = "cases", key: str | None = None) -> str:
    """Return a tree as a query that gives every row its answer and its bill.

    It is standard SQL, and runs in SQLite and DuckDB. The columns must hold what they held when
    the tree was learned: numbers, text, or booleans (in SQLite 0 and 1). A missing value is NULL.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.
    table
        The table's name.
    key
        The column that tells rows apart, to be returned with them; None returns all columns.

    Returns
    -------
    str
        The query. Its last two columns are ``answer`` and ``bill``. For a learner of the C4.5
        family it is exact for rows without missing values, and says so.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([7])).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> print(to_sql(learner, key="id"), end="")
    SELECT
      c."id",
      CASE
        WHEN c."x0" > 3.0e0 THEN 'yes'
        ELSE 'no'
      END AS answer,
      CASE
        WHEN c."x0" <= 3.0e0 THEN 7.0e0
        WHEN c."x0" > 3.0e0 THEN 7.0e0
        ELSE 0.0e0
      END AS bill
    FROM "cases" AS c;
    """
    for what, name in (("table", table), ("key", "any" if key is None else key)):
        if not isinstance(name, str) or not name:
            raise FrugaltreeError(
                f"{what} must be a name, but is {shortened(name)}; give it as text."
            )
    model = model_of(estimator)
    labels = [literal(label) for label in model.tree.answer_names]
    answers = _Outcome(model, [labels[label] for label in model.tree.labels.tolist()])
    bills = _Outcome(model, [_bill(model, bill) for bill in model.bills])
    lines = [
        *(f"-- {note}" for note in model.notes(INSTEAD)),
        "SELECT",
        f"  {ALIAS}.{'*' if key is None else identifier(key)},",
        f"  {answers.expression()} AS answer,",
        f"  {bills.expression()} AS bill",
        f"FROM {identifier(table)} AS {ALIAS};",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Outcome:
    """Something that each node decides, and the expression for it."""

    model: Model
    texts: list[str]

    @cached_property
    def settled(self) -> list[str | None]:
        """What each subtree decides, None where it depends on what is asked there."""
        settled: list[str | None] = list(self.texts)
        for node in range(self.model.tree.n_nodes - 1, -1, -1):
            if not self.model.tree.is_leaf(node):
                ends = {
                    self.texts[node] if child is None else settled[child]
                    for _, child in branch_conditions(self.model, node)
                }
                settled[node] = ends.pop() if len(ends) == 1 else None
        return settled

    def expression(self) -> str:
        """Return the expression: the tree, or pieces of a tree that is too deep for one.

        A piece that hangs on another stands before it, so that it is asked first.
        """
        pieces = [
            (visit.node, visit.conditions)
            for visit in walk(self.model)
            if not visit.ends and self.is_cut(visit.node) and visit.node != 0
        ]
        if not pieces:
            return self.piece(0, 1)
        whens = [
            f"WHEN {_all_of(self.model, conditions)} THEN {self.piece(node, 2)}"
            for node, conditions in reversed(pieces)
        ]
        return _case([*whens, f"ELSE {self.piece(0, 2)}"], 1)

    def is_cut(self, node: int) -> bool:
        """Tell whether a piece of the tree begins at a node."""
        return self.settled[node] is None and self.model.tree.depths[node] % DEEPEST == 0

    def piece(self, node: int, indent: int) -> str:
        """Return the expression for the nodes from one on down, to where other pieces begin."""
        known = self.settled[node]
        if known is not None:
            return known
        whens, rest = [], self.texts[node]
        branches = branch_conditions(self.model, node)
        ordered = not self.model.tree.columns[branches[0][0].test].is_nominal
        for step, child in branches:
            text = self.texts[node] if child is None else self.below(child, indent + 1)
            comes_last = isinstance(step, Others) or (
                ordered and (isinstance(step, Missing) or step.missing)
            )
            if comes_last:
                rest = text  # NULL fulfils no condition, and so comes here, too
            else:
                whens.append((_condition(self.model, step), text))
        lines = [f"WHEN {condition} THEN {text}" for condition, text in whens if text != rest]
        return _case([*lines, f"ELSE {rest}"], indent) if lines else rest

    def below(self, child: int, indent: int) -> str:
        """Return the expression for a child; nothing comes to one whose piece stands before."""
        return "NULL" if self.is_cut(child) else self.piece(child, indent)


def _bill(model: Model, bill: Bill) -> str:
    """Return the expression for a bill: an amount, and what is due, which is added up first."""
    if not bill.dues:
        return number(bill.amount)
    return f"{number(bill.amount)} + ({' + '.join(_due(model, due) for due in bill.dues)})"


def _due(model: Model, due: Due) -> str:
    """Return the expression for what is due: the largest share that is not missing."""
    whens, rest = [], "0"
    for share, tests in due.steps():
        if tests:
            missing = " AND ".join(_condition(model, Missing(test)) for test in tests)
            whens.append(f"WHEN {missing} THEN {rest}")
        rest = number(share)
    return f"CASE {' '.join(whens)} ELSE {rest} END" if whens else rest


def _case(lines: Iterable[str], indent: int) -> str:
    lead = "\n" + "  " * indent
    return f"CASE{''.join(f'{lead}  {line}' for line in lines)}{lead}END"


def _all_of(model: Model, conditions: Conditions) -> str:
    return " AND ".join(_condition(model, condition) for condition in conditions)


def _condition(model: Model, condition: Condition) -> str:
    """Return when a condition holds, with NULL where missing values go there, too."""
    column = model.tree.columns[condition.test]
    name = column_name(column)
    if isinstance(condition, Missing):
        codes = range(len(column.categories))
        if column.kind == "ordinal":
            return f"({name} NOT IN ({_values(column, codes)}) OR {name} IS NULL)"
        return f"{name} IS NULL"
    if isinstance(condition, Others):
        text = f"{name} NOT IN ({_values(column, condition.codes)})"
        return f"({text} OR {name} IS NULL)" if condition.missing else text
    if isinstance(condition, Values):
        text = f"{name} IN ({_values(column, condition.codes)})"
        if len(condition.codes) == 1:
            text = f"{name} = {_values(column, condition.codes)}"
    elif column.categories:
        return _in_order(model, condition)
    else:
        ends = ((">", condition.low), ("<=", condition.high))
        text = " AND ".join(f"{name} {sign} {number(x)}" for sign, x in ends if x is not None)
    return f"({text} OR {name} IS NULL)" if condition.missing else text


def _in_order(model: Model, span: Span) -> str:
    """Return when an ordinal value is in a span; one without a place in the order is missing."""
    column = model.tree.columns[span.test]
    name = column_name(column)
    low = -np.inf if span.low is None else span.low
    high = np.inf if span.high is None else span.high
    inside = [code for code in range(len(column.categories)) if low < code <= high]
    if not span.missing:
        return f"{name} IN ({_values(column, inside)})" if inside else "1 = 0"
    outside = [code for code in range(len(column.categories)) if code not in inside]
    return (
        f"({name} NOT IN ({_values(column, outside)}) OR {name} IS NULL)" if outside else "1 = 1"
    )


def _values(column: Column, codes: Iterable[int]) -> str:
    return ", ".join(category(column, code) for code in codes)
