"""What LSID3 and ACT want of the sampling kernels."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from frugaltree.engines.estimate import ERROR_FORMS
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.criteria import EG2
from frugaltree.kernels.sampling.plan import Plan

NO_LIMIT = 2**40
"""A depth that no tree reaches."""


def make_plan(
    problem: Problem,
    *,
    criterion: int = EG2,
    count_leaves: bool = False,
    w: float = 1.0,
    cf: float = 0.25,
    expected_error: str = "c45",
    penalty: str = "laplace",
    prices: str = "context",
    prune_samples: bool = True,
    split_points: str = "gain",
    lookahead_stop: int | str | None = None,
    max_depth: int | None = None,
    min_cases: int = 1,
    min_leaf: float = 0.0,
    max_test_cost: float | None = None,
    validation: bool = False,
) -> Plan:
    """Return the plan of a search, see :class:`frugaltree.ACTClassifier`.

    ``count_leaves`` counts leaves instead of costs and samples nothing but random trees (LSID3).
    """
    penalties = problem.penalties
    budget = np.inf if max_test_cost is None else float(max_test_cost)
    charged = not count_leaves and max_test_cost is None
    asked = problem.prices.delayed & problem.prices.usable
    return Plan(
        criterion=criterion,
        w=float(w),
        context=prices == "context",
        min_cases=problem.weight_of(max(float(min_cases), min_leaf)),
        min_leaf=min_leaf * problem.case_weight,
        max_depth=NO_LIMIT if max_depth is None else int(max_depth),
        levels=int(lookahead_stop) if isinstance(lookahead_stop, Integral) else NO_LIMIT,
        budget=budget,
        reduction=lookahead_stop == "reduction",
        quantile=split_points == "quantile",
        greedy=not count_leaves,
        charged=charged,
        count_leaves=count_leaves,
        prune=prune_samples and not count_leaves,
        delays=bool(charged and asked.any()),
        ruled=bool(has_rules(problem.prices.rules)),
        held_out=validation,
        cf=float(cf),
        form=ERROR_FORMS[expected_error],
        multinomial=penalty == "multinomial",
        uniform=penalties.equal,
        least_penalty=penalties.least,
        case_weight=problem.case_weight,
        first_decision=problem.first_decision,
    )
