"""From the problems of the naive twins to those of the kernels, and back with the tree."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from frugaltree.costs.panels import PricedGroups, with_panels
from frugaltree.costs.regrets import regrets_of
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.table import Column, Table
from reference import basics


def prices_of(problem: basics.Problem) -> Prices:
    tests, groups = len(problem.kinds), len(problem.groups)
    discount = np.zeros((tests, groups))
    member = np.zeros((tests, groups), np.uint8)
    for g, group in enumerate(problem.groups):
        for a, off in group.items():
            discount[a, g] = off
            member[a, g] = 1
    panels = [sorted(panel & problem.usable) for panel in problem.together]
    return Prices(
        *with_panels(
            PricedGroups(np.array(problem.full, float), discount, member),
            [panel for panel in panels if len(panel) > 1],
            [f"a{a}" for a in range(tests)],
        ),
        np.array([a in problem.delayed for a in range(tests)], np.uint8),
        np.array([a in problem.usable for a in range(tests)], np.uint8),
        problem.charge_missing,
        rules_of(problem),
    )


def rules_of(problem: basics.Problem) -> AskRules:
    tests = len(problem.kinds)
    requires = np.zeros((tests, tests) if problem.requires else (0, 0), np.uint8)
    for a, needed in problem.requires.items():
        requires[a, sorted(needed)] = 1
    return AskRules(np.array(problem.first, np.int64), requires, np.arange(tests))


def table_of(problem: basics.Problem) -> Table:
    columns, rows, distinct = [], [], []
    for a, kind in enumerate(problem.kinds):
        values = [row[a] for row in problem.rows]
        if kind == "nominal":
            columns.append(Column(f"a{a}", "nominal", tuple(range(problem.domains[a]))))
            rows.append([-1 if v is None else int(v) for v in values])
            distinct.append([])
        else:
            found = sorted({v for v in values if v is not None})
            columns.append(Column(f"a{a}", "numeric"))
            rows.append([-1 if v is None else found.index(v) for v in values])
            distinct.append(found)
    sizes = [len(d) for d in distinct]
    domain = [
        problem.domains[a] if kind == "nominal" else sizes[a]
        for a, kind in enumerate(problem.kinds)
    ]
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    values = np.array([v for d in distinct for v in d], float)
    return Table(
        columns=tuple(columns),
        codes=np.array(rows, np.int32).reshape(len(columns), len(problem.rows)),
        domain=np.array(domain, np.int64),
        start=start,
        values=values,
        floors=values,
    )


def problem_of(problem: basics.Problem, *, fractional: bool) -> Problem:
    table = table_of(problem)
    cases = table.cases(
        np.array(problem.classes, np.int32),
        np.array(problem.weights, float),
        problem.n_classes,
        fractional=fractional,
    )
    classes = np.arange(problem.n_classes)
    coded = Problem(table, cases, prices_of(problem), np.array(problem.errors, float), classes)
    if problem.first_decision is None:
        return coded
    regrets, base = regrets_of(coded.errors)
    return replace(coded, errors=regrets, base=base, first_decision=problem.first_decision)


def encoded(problem: basics.Problem) -> np.ndarray:
    rows = [[np.nan if v is None else float(v) for v in row] for row in problem.rows]
    return np.array(rows, float)


def as_dict(nodes: Nodes, labels: np.ndarray, table: Table, node: int = 0) -> dict[str, Any]:
    test = int(nodes.test[node])
    out: dict[str, Any] = {
        "counts": nodes.counts[node].tolist(),
        "label": int(labels[node]),
        "test": None,
        "threshold": None,
        "children": [],
    }
    if test == NONE:
        return out
    nominal = table.columns[test].is_nominal
    out["test"] = test
    out["threshold"] = None if nominal else float(nodes.threshold[node])
    first = int(nodes.first[node])
    width = int(table.domain[test]) if nominal else 2
    slots = nodes.children[first : first + width].tolist()
    own = np.flatnonzero((nodes.parent == node) & (nodes.lacking == 1)).tolist()
    for child in [*slots, *(own or [NONE])]:
        out["children"].append(None if child == NONE else as_dict(nodes, labels, table, child))
    out["lacks"] = True
    return out


def assert_same(
    got: dict[str, Any] | None, ref: dict[str, Any] | None, where: str = "root"
) -> None:
    """Compare two trees node by node; counts up to rounding."""
    assert (got is None) == (ref is None), where
    if got is None or ref is None:
        return
    assert got["test"] == ref["test"], (where, got, ref)
    assert got["threshold"] == ref["threshold"], where
    assert got["label"] == ref["label"], where
    np.testing.assert_allclose(got["counts"], ref["counts"], rtol=1e-9, atol=1e-9, err_msg=where)
    pairs = zip_longest(got["children"], ref["children"])  # C4.5 has no branch for no value
    for b, (mine, theirs) in enumerate(pairs):
        assert_same(mine, theirs, f"{where}/{got['test']}:{b}")
