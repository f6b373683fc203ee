"""Where the exact search does not see prices that depend on other tests."""

from __future__ import annotations

from frugaltree.engines.problem import Problem
from frugaltree.exceptions import FrugaltreeError


def refuse_elsewhere(problem: Problem, splits: str, size: int | None, cluster: object) -> None:
    """Refuse such prices on samples of a large table, on a cluster, and for values apart."""
    if not problem.has_conditions:
        return
    if splits == "rest":
        raise FrugaltreeError(
            "splits='rest' is not built for prices that depend on other tests (price_if); give "
            "splits='values'."
        )
    if size is not None or cluster is not None:
        where = "samples of a table this large" if size is not None else "a Dask cluster"
        raise FrugaltreeError(
            "prices that depend on other tests (price_if) are searched with all cases on one "
            f"machine, but this search would be on {where}; give fewer cases, or sample_rows=None "
            "and no cluster."
        )
