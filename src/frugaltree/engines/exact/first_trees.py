"""The trees that a search begins with: what EG2 and DTMC grow, a good tree soon at every size."""

from __future__ import annotations

from collections.abc import Iterator

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cost_classes import counted_by_class, uncounted
from frugaltree.engines.greedy import cut_by_threshold, grow, prune_by_errors, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.kernels.criteria import EG2, GAIN
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules

EG2_CASES, EG2_CONFIDENCE = 2.0, 0.25
"""EG2's own settings: the least number of cases of two branches, the confidence of pruning."""


def grow_first_trees(
    problem: Problem, stop: Stop, *, min_cases: float, min_leaf: float
) -> Iterator[tuple[str, Nodes]]:
    """Yield what EG2 and DTMC grow, each under its name; EG2's also as it prunes it itself.

    Where values are missing, they are an answer of their own, as in the search, and cases without
    them are not spread over branches.

    Parameters
    ----------
    problem
        What to learn.
    stop
        Asked to stop, the nodes not yet split stay leaves.
    min_cases, min_leaf
        The least weight of two branches of a split, and of all.
    """
    complete, one = not problem.cases.lacking.any(), problem.case_weight
    problem, least = problem.in_cases(), min_leaf / one
    rules = Rules(
        criterion=EG2,
        w=1.0,
        min_cases=max(min_cases / one, EG2_CASES),
        c45=complete,
        context=True,
        smooth=False,
        min_leaf=least,
    )
    told = counted_by_class(problem)
    nodes = grow(told, rules, stop=stop)
    if stop.requested:
        yield "EG2", uncounted(to_preorder(nodes, problem.cases), problem)
        return
    pruned = prune_by_errors(
        told,
        nodes if complete else cut_by_threshold(problem, nodes),
        EG2_CONFIDENCE,
        "c45",
        raising=least == 0.0,
        whole=not complete,
    )
    yield "EG2", uncounted(to_preorder(nodes, problem.cases), problem)
    yield "EG2, pruned", uncounted(pruned, problem)
    rules = rules._replace(criterion=GAIN, min_cases=least, c45=False)
    yield "DTMC", to_preorder(grow(problem, rules, reduce=True, stop=stop), problem.cases)
