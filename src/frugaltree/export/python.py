"""A tree as a Python module that needs nothing but Python."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import Any

import numpy as np

from frugaltree.exceptions import FrugaltreeError
from frugaltree.export.model import INSTEAD, Model, model_of
from frugaltree.kernels.sentinels import NONE
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.table.values import plain

UNSEEN = -1
"""Stands for a value that no training case had, here and in the module."""

HEAD = '''"""A decision tree: classify(case) returns its answer and what its tests cost."""
'''

BODY = '''

def classify(case):
    """Return the answer for a case and the bill for its tests.

    A case maps names of columns to values; one that is None, NaN or absent is missing. A value
    that no training case had gets the answer of the cases so far.
    """
    answer, bill, dues, column, threshold, children, missing = NODES[0]
    while column is not None:
        code = _code(column, case.get(column))
        if code is None:
            child = missing
        elif threshold is None:
            child = children.get(code)
        else:
            child = children[0 if code <= threshold else 1]
        if child is None:
            break
        answer, bill, dues, column, threshold, children, missing = NODES[child]
    order = 0.0
    for shares in dues:
        for amount, columns in shares:
            if not columns or any(_code(c, case.get(c)) is not None for c in columns):
                order += amount
                break
    return answer, bill + order


def _code(column, value):
    """Return a value as a number, None where it is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if column in CODES:
        code = _place(CODES[column], value)
        return None if code == UNSEEN and column in ORDINAL else code
    if isinstance(value, (str, bytes)) or abs(float(value)) == float("inf"):
        raise ValueError(f"column {column!r} needs a finite number, but the case has {value!r}")
    return float(value)


def _place(codes, value):
    """Return the place of a value among the categories; "1" and 1 read alike."""
    try:
        number = value if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = str(value)
    if isinstance(number, str):
        return codes.get(str(number), UNSEEN)
    text = str(int(number)) if number.is_integer() else repr(number)
    return codes.get(number, codes.get(text, UNSEEN))
'''


def to_python(estimator: Estimator) -> str:
    """Return a tree as a Python module with a function ``classify(case)``.

    The function takes a mapping from names of columns to values, as they were in the table, and
    returns the answer and the bill: the same as ``predict`` and ``bill``. A value that is None,
    NaN or absent is missing. The module imports nothing.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.

    Returns
    -------
    str
        The module. For a learner of the C4.5 family it is exact for cases without missing values,
        and says so.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([7])).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> module = {}
    >>> exec(to_python(learner), module)
    >>> module["classify"]({"x0": 3.5})
    ('yes', 7.0)
    """
    model = model_of(estimator)
    asked = [model.tree.columns[test] for test in model.asked]
    coded = [column for column in asked if column.kind != "numeric"]
    ordinal = [_code_of(column.name) for column in coded if column.kind == "ordinal"]
    lines = [
        *(f"# {note}" for note in model.notes(INSTEAD)),
        "",
        f"UNSEEN = {UNSEEN}",
        "CODES = {",
        *(f"    {_code_of(column.name)}: {_codes(column)}," for column in coded),
        "}",
        f"ORDINAL = [{', '.join(ordinal)}]",
        "NODES = [",
        "    # answer, bill, what is due on top of it (of each list the first amount of which a",
        "    # column is not missing, or that names none), column, threshold, children, where a",
        "    # missing value goes on",
        *(f"    {_node(model, node)}," for node in range(model.tree.n_nodes)),
        "]",
    ]
    return HEAD + "\n".join(lines) + "\n" + BODY


def _codes(column: Column) -> str:
    """Return the places of a column's categories, by number where they are numbers, and by text.

    >>> _codes(Column("smoker", "nominal", (False, True)))
    "{0.0: 0, 'False': 0, 1.0: 1, 'True': 1}"
    """
    codes: dict[float | str, int] = {}
    for code, category in enumerate(column.categories):
        if column.holds_numbers:
            codes.setdefault(float(category), code)
        codes.setdefault(str(plain(category)), code)
    return repr(codes)


def _node(model: Model, node: int) -> str:
    """Return a node as it stands in the module."""
    tree = model.tree
    bill = model.bills[node]
    dues = [f"[{', '.join(_share(model, *share) for share in due.shares)}]" for due in bill.dues]
    answer = _code_of(tree.answer_at(node))
    end = f"{answer}, {bill.amount!r}, [{', '.join(dues)}]"
    if tree.is_leaf(node):
        return f"({end}, None, None, None, None)"
    column, children = tree.columns[tree.nodes.test[node]], dict(tree.slots(node))
    threshold = None if column.is_nominal else float(tree.nodes.threshold[node])
    if node in model.others:
        children[UNSEEN] = model.others[node]
    below = children if column.is_nominal else (children.get(0), children.get(1))
    way = None if tree.ways[node] == NONE else int(tree.ways[node])
    return f"({end}, {_code_of(column.name)}, {threshold!r}, {below!r}, {way!r})"


def _share(model: Model, amount: float, tests: tuple[int, ...]) -> str:
    """Return an amount and the columns of which one must have a value."""
    names = [_code_of(model.tree.columns[test].name) for test in tests]
    return f"({amount!r}, [{', '.join(names)}])"


def _code_of(value: Any) -> str:
    """Return a label or name as Python writes it.

    >>> _code_of(np.str_("ill")), _code_of(np.int8(3)), _code_of(True)
    ("'ill'", '3', 'True')
    """
    value = value.item() if isinstance(value, np.generic) else value
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind.__repr__(value)
    raise FrugaltreeError(
        f"the class {shortened(value)} is a {type(value).__name__}, which cannot be written as "
        "code; fit with classes that are text, whole numbers or booleans."
    )
