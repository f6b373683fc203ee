"""Whether the columns and nodes of a model file are one sound tree."""

from __future__ import annotations

import math
from reprlib import repr as shortened
from typing import Any

from frugaltree.persist.check import (
    Defect,
    check_keys,
    expect,
    is_amount,
    is_number,
    is_value,
    is_whole,
    read_list,
)

KINDS = ("numeric", "nominal", "ordinal")


def check_columns(columns: Any) -> None:
    """Check every column, and that their names differ."""
    for i, column in enumerate(read_list(columns, "columns")):
        _check_column(column, f"columns[{i}]")
    names = [column["name"] for column in columns]
    expect(bool(names), "columns", "one column or more", columns)
    expect(len(set(names)) == len(names), "columns", "distinct by name", names)


def _check_column(column: Any, where: str) -> None:
    check_keys(column, where, ("name", "kind", "categories"))
    name, kind = column["name"], column["kind"]
    expect(isinstance(name, str), f"{where}.name", "text", name)
    expect(kind in KINDS, f"{where}.kind", f"one of {', '.join(KINDS)}", kind)
    categories = read_list(column["categories"], f"{where}.categories")
    for i, value in enumerate(categories):
        wanted = "text, a finite number or a boolean"
        expect(is_value(value), f"{where}.categories[{i}]", wanted, value)
    distinct = len({(type(value), value) for value in categories}) == len(categories)
    expect(distinct, f"{where}.categories", "distinct values", categories)
    is_bare = kind != "numeric" or not categories
    expect(is_bare, f"{where}.categories", "empty for a numeric column", categories)


def check_tree(
    tree: Any, columns: list[Any], n_classes: int, fractional: bool, version: int
) -> None:
    """Check every node, and that the nodes are one tree in preorder."""
    if version == 1 and isinstance(tree, dict) and isinstance(tree.get("test"), list):
        tree = {**tree, "missing": [None] * len(tree["test"]), "shrinkage": 0.0}
    lists = ("test", "threshold", "children", "missing", "counts", "labels")
    since = {"answers": 3, "mean_errors": 4, "needed": 4, "mix": 4}
    optional = [name for name, first in since.items() if version >= first and not fractional]
    check_keys(tree, "tree", ("fractional", "shrinkage", *lists), optional=optional)
    n_answers = _check_answers(tree["answers"]) if "answers" in tree else n_classes
    if "mean_errors" in tree:
        _check_mean_errors(tree["mean_errors"], n_answers, n_classes)
    strength = tree["shrinkage"]
    expect(is_amount(strength), "tree.shrinkage", "a finite number, 0 or more", strength)
    got = tree["fractional"]
    expect(got is fractional, "tree.fractional", f"{fractional} for this learner", got)
    n_nodes = len(read_list(tree["test"], "tree.test"))
    expect(n_nodes > 0, "tree.test", "one node or more", tree["test"])
    rows = [read_list(tree[name], f"tree.{name}", n_nodes) for name in lists]
    for node, (test, threshold, children, missing, counts, label) in enumerate(
        zip(*rows, strict=True)
    ):
        is_test = test is None or (is_whole(test) and 0 <= test < len(columns))
        expect(is_test, f"tree.test[{node}]", "null or the position of a column", test)
        column = None if test is None else columns[test]
        _check_threshold(threshold, column, f"tree.threshold[{node}]")
        _check_children(children, column, f"tree.children[{node}]")
        no_way = column is None or fractional
        fits = missing is None or (is_whole(missing) and not no_way)
        wanted = "null" if no_way else "null or a node"
        expect(fits, f"tree.missing[{node}]", wanted, missing)
        _check_counts(counts, n_classes, f"tree.counts[{node}]")
        is_label = is_whole(label) and 0 <= label < n_answers
        what = "a class" if n_answers == n_classes else "an answer"
        expect(is_label, f"tree.labels[{node}]", f"the position of {what}", label)
    _check_mix(tree, len(columns), n_nodes)
    nominal = [test is not None and columns[test]["kind"] == "nominal" for test in tree["test"]]
    shared = [is_nominal and not fractional for is_nominal in nominal]
    below = zip(tree["children"], tree["missing"], shared, strict=True)
    _check_preorder([_branches(children, missing, shared=may) for children, missing, may in below])


def _check_mix(tree: Any, n_columns: int, n_nodes: int) -> None:
    """Check what prices depend on beside tests, and how many cases paid each of them."""
    expect(("needed" in tree) == ("mix" in tree), "tree", "one with both needed and mix", tree)
    if "mix" not in tree:
        return
    needed = read_list(tree["needed"], "tree.needed")
    fits = all(is_whole(test) and 0 <= test < n_columns for test in needed)
    fits = fits and sorted(set(needed)) == needed != []
    expect(fits, "tree.needed", "ascending positions of columns, at least one", needed)
    rows = read_list(tree["mix"], "tree.mix", n_nodes)
    for node, shares in enumerate(rows):
        where = f"tree.mix[{node}]"
        width = len(read_list(shares, where, len(rows[0]) if isinstance(rows[0], list) else 1))
        good = width > 0 and all(is_amount(share) and share <= 1 + 1e-9 for share in shares)
        expect(good, where, "shares from 0 to 1", shares)


def _check_answers(answers: Any) -> int:
    """Check what leaves may say; return how many answers there are."""
    for i, answer in enumerate(read_list(answers, "tree.answers")):
        wanted = "text, a finite number or a boolean"
        expect(is_value(answer), f"tree.answers[{i}]", wanted, answer)
    distinct = bool(answers) and len({(type(one), one) for one in answers}) == len(answers)
    expect(distinct, "tree.answers", "one or more distinct answers", answers)
    return len(answers)


def _check_mean_errors(errors: Any, n_answers: int, n_classes: int) -> None:
    """Check what answers cost on average, by class."""
    for i, row in enumerate(read_list(errors, "tree.mean_errors", n_answers)):
        for cost in read_list(row, f"tree.mean_errors[{i}]", n_classes):
            wanted = "finite numbers, 0 or more"
            expect(is_amount(cost), f"tree.mean_errors[{i}]", wanted, cost)


def _check_threshold(threshold: Any, column: Any, where: str) -> None:
    if column is None or column["kind"] == "nominal":
        expect(threshold is None, where, "null, for nothing is cut there", threshold)
        return
    expect(is_number(threshold), where, "a finite number", threshold)
    last = len(column["categories"]) - 1
    in_order = column["kind"] == "numeric" or 0 <= threshold <= last
    expect(in_order, where, f"between 0 and {last}, the ends of its column", threshold)


def _check_children(children: Any, column: Any, where: str) -> None:
    width = 0
    if column is not None:
        width = len(column["categories"]) if column["kind"] == "nominal" else 2
    read_list(children, where, width)
    for child in children:
        expect(child is None or is_whole(child), where, "a list of nodes and nulls", children)
    has_child = column is None or any(child is not None for child in children)
    expect(has_child, where, "a list with a child, for a test is asked there", children)


def _check_counts(counts: Any, n_classes: int, where: str) -> None:
    read_list(counts, where, n_classes)
    for i, count in enumerate(counts):
        expect(is_amount(count), f"{where}[{i}]", "a finite number, 0 or more", count)
    expect(0 < sum(counts) < math.inf, where, "the counts of at least one case", counts)


def _branches(children: list[int | None], missing: int | None, *, shared: bool) -> list[int]:
    """Return the children of a node from left to right; where values may share one, by number.

    The branch of the cases without a value, if they have one of their own, is the last.
    """
    found = [child for child in children if child is not None]
    found = sorted(set(found)) if shared else found
    return found if missing is None or missing in found else [*found, missing]


def _check_preorder(children: list[list[int]]) -> None:
    """Check that a walk from the root, left to right, meets node 0, 1, 2, ... and all of them.

    So each node but the root has exactly one parent, which stands before it.
    """
    stack, met = [0], 0
    while stack:
        node = stack.pop()
        if node != met or node >= len(children):
            raise Defect(
                f"tree.children leads to node {shortened(node)} where node {met} of "
                f"{len(children)} must come next"
            )
        stack += reversed(children[node])
        met += 1
    expect(met == len(children), "tree.children", f"a tree of {len(children)} nodes", met)
