"""What a sampling learner wants of the kernels."""

from __future__ import annotations

from typing import NamedTuple


class Plan(NamedTuple):
    """What a sampling learner wants, see the learners' parameters.

    Attributes
    ----------
    criterion, w, context
        The criterion of sampled trees, how much it heeds prices, and whether it sees them in
        context.
    min_cases, min_leaf, max_depth, levels
        Least weight of two branches of a split, and of every branch; most tests on a path; depth
        of sampled trees.
    budget
        The most that a case may be charged, infinite for no limit.
    reduction, quantile
        Whether a sampled tree stops where a test does not pay for itself at once; whether cuts
        are tried at quantiles.
    greedy
        Whether the first sample of each branch is greedy, not random.
    charged, count_leaves
        Whether prices count in the total; whether a leaf counts 1, as for the size of a tree.
    prune
        Whether sampled trees are pruned.
    delays
        Whether tests are delayed, so that whole subtrees are ordered at once.
    ruled
        Whether there are rules on which tests are asked before others.
    held_out
        Whether errors are estimated from cases held out.
    cf, form, multinomial
        The estimate of errors, see :func:`frugaltree.kernels.cost.leaf.leaf_cost`.
    uniform, least_penalty
        Whether all errors cost the same; what the cheapest one costs.
    case_weight
        The weight of one case.
    first_decision
        Answers from here on are no classes.
    """

    criterion: int
    w: float
    context: bool
    min_cases: float
    min_leaf: float
    max_depth: int
    levels: int
    budget: float
    reduction: bool
    quantile: bool
    greedy: bool
    charged: bool
    count_leaves: bool
    prune: bool
    delays: bool
    ruled: bool
    held_out: bool
    cf: float
    form: int
    multinomial: bool
    uniform: bool
    least_penalty: float
    case_weight: float
    first_decision: int
