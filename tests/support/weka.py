"""Weka's J48 as a witness: hand it a table, and read the tree it prints.

J48 runs in a Java machine of its own, one call a tree. Our trees are drawn here in Weka's way, so
that two trees are the same where their drawings are: tests, thresholds, answers, cases, errors.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from math import floor
from pathlib import Path
from typing import NamedTuple

import polars as pl

from frugaltree import C45Classifier
from frugaltree.tree.tree import Tree

JARS = ("/usr/share/java/weka.jar", "/usr/share/weka/weka.jar", "/usr/share/weka/lib/weka.jar")
"""Where distributions put Weka; the environment variable WEKA_JAR comes first."""


class Drawing(NamedTuple):
    """A tree on paper: a line for each branch, and what it gets wrong on its training cases."""

    lines: list[str]
    leaves: int
    errors: int


def find_jar() -> str | None:
    """Return the path of Weka's jar, None if there is none."""
    given = os.environ.get("WEKA_JAR")
    return next((jar for jar in ([given] if given else JARS) if Path(jar).is_file()), None)


def what_is_missing() -> str:
    """Return what keeps J48 from running, nothing if it can run."""
    if shutil.which("java") is None:
        return "J48 needs Java: install a Java runtime."
    if find_jar() is None:
        return "J48 is not here: install Weka, or let WEKA_JAR be the path of its jar."
    return ""


# ------------------------------------------------------------------------------- Weka's side


def quoted(word: str) -> str:
    r"""Return a name or value as ARFF spells it.

    >>> quoted("it's")
    "'it\\'s'"
    """
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_arff(path: Path, X: pl.DataFrame, y: pl.Series) -> None:
    """Write a table as ARFF, values in the order of their Enum and classes in sorted order."""
    head = ["@relation cases"]
    head += [f"@attribute {quoted(name)} {domain(kind)}" for name, kind in X.schema.items()]
    head += [f"@attribute {quoted(y.name)} {domain(pl.Enum(sorted(set(y))))}", "@data"]
    rows = zip(*(map(cell, column) for column in [*X, y]), strict=True)
    path.write_text("\n".join([*head, *map(",".join, rows), ""]), encoding="utf-8")


def domain(kind: pl.DataType) -> str:
    """Return what an attribute may hold: the values of an Enum, else any number."""
    if isinstance(kind, pl.Enum):
        return "{" + ",".join(map(quoted, kind.categories)) + "}"
    return "numeric"


def cell(value: str | float | None) -> str:
    """Return one value as ARFF spells it."""
    if value is None:
        return "?"
    return quoted(value) if isinstance(value, str) else repr(value)


def j48(arff: Path, *options: str) -> Drawing:
    """Return the tree that J48 learns from a table under these options."""
    command = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", str(find_jar())]
    command += ["weka.classifiers.trees.J48", "-t", str(arff), "-no-cv", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    text = run.stdout
    tree = re.search(r"^-{3,}\n\n?(.*?)\n\nNumber of Leaves\s*:\s*(\d+)", text, re.M | re.S)
    errors = re.search(r"^Incorrectly Classified Instances\s+(\d+)", text, re.M)
    if tree is None or errors is None:
        raise RuntimeError(f"J48 drew no tree: {run.stderr or text}")
    lines = [line for line in tree[1].splitlines() if line.strip()]
    return Drawing(lines, int(tree[2]), int(errors[1]))


# -------------------------------------------------------------------------------- our side


def draw(learner: C45Classifier, X: pl.DataFrame, y: pl.Series) -> Drawing:
    """Return a learned tree as Weka would draw it."""
    lines = list(drawn(learner.tree_, 0, 0)) or [answer(learner.tree_, 0)]
    errors = int((learner.predict(X) != y.to_numpy()).sum())
    return Drawing(lines, sum(line.endswith(")") for line in lines), errors)


def drawn(tree: Tree, node: int, depth: int) -> Iterator[str]:
    """Yield a line for every branch beneath a node; one that no case took is an empty leaf."""
    if tree.is_leaf(node):
        return
    children = dict(tree.slots(node))
    for branch in range(width(tree, node)):
        line = "|   " * depth + condition(tree, node, branch)
        child = children.get(branch)
        if child is None:
            yield f"{line}: {tree.classes[tree.labels[node]]} (0.0)"
        elif tree.is_leaf(child):
            yield line + answer(tree, child)
        else:
            yield line
            yield from drawn(tree, child, depth + 1)


def width(tree: Tree, node: int) -> int:
    """Return how many branches the test of a node has."""
    column = tree.columns[tree.nodes.test[node]]
    return len(column.categories) if column.is_nominal else 2


def condition(tree: Tree, node: int, branch: int) -> str:
    """Return what a branch stands for, a threshold with up to six decimals as in Weka."""
    column = tree.columns[tree.nodes.test[node]]
    if column.is_nominal:
        return f"{column.name} = {column.describe(branch)}"
    threshold = f"{tree.nodes.threshold[node]:.6f}".rstrip("0").rstrip(".")
    return f"{column.name} {'>' if branch else '<='} {threshold}"


def answer(tree: Tree, leaf: int) -> str:
    """Return the answer of a leaf with its cases and, if any, its errors."""
    label, cases = tree.labels[leaf], float(tree.weights[leaf])
    wrong = cases - float(tree.nodes.counts[leaf, label])
    errors = f"/{rounded(wrong)}" if wrong > 1e-6 else ""
    return f": {tree.classes[label]} ({rounded(cases)}{errors})"


def rounded(x: float) -> float:
    """Return a number with two decimals, halves up, as Java rounds.

    >>> rounded(0.125)
    0.13
    """
    return floor(100 * x + 0.5) / 100
