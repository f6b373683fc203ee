"""A tree in other forms answers and charges as the tree itself."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from tools.fuzz.judging import demand

TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE PRECISION", str: "VARCHAR"}
KEY = "the key of a case"

Rows = list[dict[str, Any]]


def check_exports(model: Any, rows: Rows, answers: list[Any], bills: list[float]) -> None:
    """Run a tree as Python, as SQL and as ONNX on cases without surprises for these.

    Parameters
    ----------
    model
        A fitted learner.
    rows
        Cases by the names of their columns: numbers, text or booleans, None where missing.
    answers, bills
        What ``predict`` and ``bill`` say of them.
    """
    want = list(zip(answers, bills, strict=True))
    check_python(model, rows, want)
    for connect in _databases():
        check_sql(model, rows, want, connect)
    check_onnx(model, rows, want)


def check_python(model: Any, rows: Rows, want: list[Any]) -> None:
    """Run the module."""
    from frugaltree.export import to_python

    module: dict[str, Any] = {}
    exec(compile(to_python(model), "exported.py", "exec"), module)
    got = [tuple(module["classify"](row)) for row in rows]
    demand(got == want, "the Python module answers and charges as the tree", *_differ(got, want))


def _databases() -> list[Any]:
    connects: list[Any] = [sqlite3.connect]
    try:
        import duckdb
    except ImportError:
        return connects
    return [*connects, lambda place: duckdb.connect(place, config={"threads": 1})]


def check_sql(model: Any, rows: Rows, want: list[Any], connect: Any) -> None:
    """Run the query in a database."""
    from frugaltree.export import to_sql

    names = list(rows[0])
    database = connect(":memory:")
    try:
        numeric = {one.name for one in model.tree_.columns if one.kind == "numeric"}
        kinds = [
            TYPES[float] if name in numeric else _sql_type([row[name] for row in rows])
            for name in names
        ]
        columns = ", ".join(f"{_quoted(n)} {k}" for n, k in zip(names, kinds, strict=True))
        database.execute(f"CREATE TABLE cases ({_quoted(KEY)} BIGINT, {columns})")
        marks = ", ".join("?" * (len(names) + 1))
        records = [[i, *row.values()] for i, row in enumerate(rows)]
        database.executemany(f"INSERT INTO cases VALUES ({marks})", records)
        found = database.execute(to_sql(model, key=KEY)).fetchall()
    finally:
        database.close()
    got = [tuple(row[-2:]) for row in sorted(found, key=lambda row: row[0])]
    demand(got == want, "the query answers and charges as the tree", *_differ(got, want))


def _sql_type(values: list[Any]) -> str:
    return next((TYPES[type(value)] for value in values if value is not None), "VARCHAR")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check_onnx(model: Any, rows: Rows, want: list[Any]) -> None:
    """Run the ONNX model; empty text stands for a missing value there."""
    try:
        import onnxruntime

        from frugaltree.export.onnx import input_names, to_onnx
    except ImportError:
        return
    columns = model.tree_.columns
    asked = [columns[a] for a in np.unique(model.tree_.nodes.test) if a >= 0] or [columns[0]]
    fed = {}
    for column, name in zip(asked, input_names(asked), strict=True):
        values = [row[column.name] for row in rows]
        if column.kind == "numeric":
            fed[name] = np.array([np.nan if v is None else v for v in values], float)
        else:
            fed[name] = np.array(["" if v is None else _as_text(v) for v in values], object)
        fed[name] = fed[name].reshape(-1, 1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(to_onnx(model), options)
    answers, bills, shares = session.run(None, fed)
    got = list(zip(answers.tolist(), bills.tolist(), strict=True))
    demand(got == want, "the ONNX model answers and charges as the tree", *_differ(got, want))
    demand(np.allclose(shares.sum(axis=1), 1.0), "the shares of the ONNX model sum to 1")


def _as_text(value: Any) -> str:
    """Return a category as the model spells it: 2.0 is "2"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _differ(got: list[Any], want: list[Any]) -> tuple[Any, ...]:
    pairs = zip(got, want, strict=False)
    return next((pair for pair in pairs if pair[0] != pair[1]), (len(got), len(want)))
