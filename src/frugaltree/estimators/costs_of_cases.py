"""Costs of each case, as learners take them and are scored by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.costs.of_cases import costs_of_cases
from frugaltree.engines.exact.sample_size import find_sample_size
from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from frugaltree.engines.problem import Problem
    from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def check_takes_costs(learner: Any, error_costs: Any) -> None:
    """Refuse costs of each case where a learner does not look at what errors cost."""
    if error_costs is not None and not learner._looks_at_errors:
        raise FrugaltreeError(
            f"{type(learner).__name__} does not learn from error_costs; fit it without them and "
            "score it by them, or take FrugalTreeClassifier, ACTClassifier or DTMCClassifier."
        )


def check_can_search(problem: Problem, sample_rows: int | None, cluster: object = None) -> None:
    """Refuse costs of each case where a search looks at samples of the cases, or is spread out."""
    if problem.mean_errors is None:
        return
    if sample_rows is not None:
        raise FrugaltreeError(
            "error_costs cannot be learned from on samples, and of "
            f"{problem.cases.classes.size} rows {sample_rows} would be drawn at a time; give "
            "sample_rows=None, or fewer rows."
        )
    if cluster is not None:
        raise FrugaltreeError(
            "error_costs cannot be learned from on a Dask cluster yet; fit outside of its "
            "parallel_config, or without error_costs."
        )


def checked_sample_size(
    problem: Problem, objectives: Any, sample_rows: int | str | None, cluster: object
) -> int | None:
    """Return how many cases a sample of a large table has, see :func:`find_sample_size`."""
    size = find_sample_size(problem, objectives, sample_rows)
    check_can_search(problem, size, cluster)
    return size


def why_no_bound(tree: Tree) -> str:
    """Return why a search has no bound."""
    if tree.mean_errors is not None:
        return "cases of similar costs were put together for the search"
    return "tests were judged on samples of the cases"


def read_costs(
    error_costs: Any,
    costs: Costs | None,
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.integer[Any]],
) -> Floats | None:
    """Return what each answer costs for each case, None where cases have no costs of their own."""
    if error_costs is None:
        return None
    return costs_of_cases(error_costs, costs or Costs(), classes.tolist(), codes)
