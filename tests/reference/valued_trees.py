"""The slow and obvious truth about pruning a given tree by what a search minimises.

Every pruning is looked at from the root down: each node is a leaf or, where the search would be
allowed this split, what its children are at their cheapest. No tests are delayed.
"""

from __future__ import annotations

from reference.basics import (
    START,
    Case,
    Node,
    Problem,
    State,
    cheapest,
    count,
    everything,
    is_leaf,
    price,
    state_in,
)
from reference.basics import leaf as leaf_of
from reference.exact_trees import Options, legal_splits, n_cuts
from reference.expected_cost import leaf_cost
from reference.plain_trees import Split, asking, paying, plain_split, with_last

Valued = tuple[float, Node]


def cheapest_pruning(tree: Node, problem: Problem, options: Options) -> Valued:
    """Return the least cost, over all cases, of a pruning of a tree; and the pruning.

    Of the parity of two tests, 8 cases in all, the first is worth nothing without the second.

    >>> from reference.exact_trees import best_tree
    >>> from reference.sampled_trees import PARITY
    >>> tree = best_tree(PARITY, Options(form="training"))
    >>> cost, pruned = cheapest_pruning(tree, PARITY, Options(form="training", flat=8.0))
    >>> cost / 8
    23.0
    >>> cost, pruned = cheapest_pruning(tree, PARITY, Options(form="training", max_depth=1))
    >>> cost / 8, pruned["test"]
    (500.0, None)
    """
    depth = options.max_depth if options.max_depth is not None else 10**9
    return prune_node(tree, problem, options, everything(problem), START, depth)


def prune_node(
    node: Node, problem: Problem, options: Options, cases: list[Case], state: State, depth: int
) -> Valued:
    """Return the least cost of a pruning of a subtree for some cases, a leaf if it is as cheap."""
    counts, errors = count(problem, cases), problem.errors
    first = problem.first_decision
    label = cheapest(counts, errors, first)
    as_leaf = leaf_cost(counts, label, errors, options.cf, options.form, options.penalty, first)
    bare = leaf_of(counts, label)
    split = allowed_split(node, problem, options, cases) if depth > 0 else None
    if split is None:
        return as_leaf, bare
    cost = price(problem, split.test, state) * paying(problem, split)
    cuts = n_cuts(problem, legal_splits(problem, cases, split.test, at_any_leaf(options)))
    cost += options.split_charge(cuts)
    children: list[Node | None] = []
    for (branch, is_last), child in zip(with_last(split.branches), node["children"], strict=True):
        if not branch:
            children.append(None)
            continue
        below = state_in(problem, split.test, state, is_last)
        part, pruned = prune_node(child or bare, problem, options, branch, below, depth - 1)
        cost += part
        children.append(pruned)
    if as_leaf <= cost * (1 + 1e-12):
        return as_leaf, bare
    return cost, bare | asking(split, children)


def allowed_split(
    node: Node, problem: Problem, options: Options, cases: list[Case]
) -> Split | None:
    """Return how a node splits some cases, None where the search would not be allowed to."""
    if is_leaf(node):
        return None
    split = plain_split(problem, cases, node["test"], node["threshold"])
    legal = legal_splits(problem, cases, node["test"], options)
    same = [one for one in legal if one.branches == split.branches]
    return split if same else None


def at_any_leaf(options: Options) -> Options:
    """Return the options by which cuts are counted: the least branch does not matter there."""
    return Options(min_cases=options.min_cases)
