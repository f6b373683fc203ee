"""Trees from elsewhere cut back to where they keep the rules of the house."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.ask_rules import AskRules, may_ask
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

Rows = npt.NDArray[np.int32]


def cut_to_rules(
    rules: AskRules, nodes: Nodes, cases: Cases, rows_of: Callable[[int], Rows]
) -> None:
    """Make leaves, in place, of the nodes of a tree in preorder that ask against the rules.

    What is cut off stands where it did, and is asked no more. ``rows_of`` returns the cases of a
    node; the first columns of ``cases`` are those of the tests.
    """
    n_tests = max(rules.requires.shape[0], int(rules.first.max(initial=-1)) + 1)
    n_tests = max(n_tests, int(rules.about.max(initial=-1)) + 1)
    asked = {0: np.zeros(n_tests, np.int64)}
    for node in range(nodes.test.size):
        test, parent = int(nodes.test[node]), int(nodes.parent[node])
        if parent != NONE:
            if nodes.test[parent] == NONE:
                continue  # it was cut off
            asked[node] = asked[parent].copy()
            asked[node][rules.about[nodes.test[parent]]] += 1
        if test != NONE:
            live = np.zeros(n_tests, np.uint8)
            for one in rules.first[asked[node][rules.first] == 0].tolist():
                live[one] = varies(cases, one, rows_of(node))
            if not may_ask(rules, asked[node], live, test):
                nodes.test[node : end_of(nodes, node)] = NONE


def varies(cases: Cases, test: int, rows: Rows) -> bool:
    """Tell whether some cases have different values of a test.

    To have none is a value of a nominal test, not of a numeric one.
    """
    codes = cases.codes[test, rows]
    return bool(np.unique(codes[codes != cases.missing]).size > 1)
