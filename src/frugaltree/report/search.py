"""What a search has proven of its tree, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass

from frugaltree.protocols import BoundedEstimator, Estimator
from frugaltree.tree.text import money

SAME = 1e-9
"""Costs that differ by less than this share are the same."""


@dataclass(frozen=True)
class SearchOutcome:
    """How a search with a bound ended.

    Attributes
    ----------
    termination
        Why it ended.
    objective
        What was minimised, per case: the expected cost, and what splits are charged.
    expected_cost
        What a case is expected to cost.
    lower_bound
        No tree has a lower objective.
    gap
        How far the tree can be from the best, as a share of its objective.
    """

    termination: str
    objective: float
    expected_cost: float
    lower_bound: float
    gap: float

    @property
    def is_charged(self) -> bool:
        """Whether the objective counts charges for splits beside the expected cost."""
        return abs(self.objective - self.expected_cost) > SAME * abs(self.objective)


def outcome_of(estimator: Estimator) -> SearchOutcome | None:
    """Return how a learner's search ended, None where it knows no bound."""
    if not isinstance(estimator, BoundedEstimator):
        return None
    return SearchOutcome(
        termination=estimator.termination_,
        objective=estimator.objective_,
        expected_cost=estimator.expected_cost_,
        lower_bound=estimator.lower_bound_,
        gap=estimator.gap_,
    )


def say_outcome(outcome: SearchOutcome, unit: str | None, *, with_gap: bool = True) -> str:
    """Return what a search has proven of its tree, in a sentence.

    How far off a bound is says little of a tree; ``with_gap=False`` leaves that out.

    >>> outcome = SearchOutcome("time_limit", 50.0, 50.0, 40.0, 0.2)
    >>> say_outcome(outcome, None)
    'The search ended by time limit: this tree is expected to cost 50.00, and no tree less than
    40.00 (gap 20.0 %).'
    >>> say_outcome(SearchOutcome("completed", 50.0, 50.0, 0.0, 1.0), None)
    'The search is complete: this tree is expected to cost 50.00; nothing is proven of what others
    cost at least.'
    """
    if outcome.termination == "optimal":
        return (
            "The search has proven this tree optimal for this estimate on these cases; that does "
            "not prove it the best for new ones."
        )
    measure = ", counting charges for splits" if outcome.is_charged else ""
    cost, bound = money(outcome.objective, unit), money(outcome.lower_bound, unit)
    ended = outcome.termination.replace("_", " ")
    endings = {"interrupted": "was interrupted", "completed": "is complete"}
    how = endings.get(ended, f"ended by {ended}")
    if outcome.lower_bound <= 0.0 < outcome.objective:
        return (
            f"The search {how}: this tree is expected to cost {cost}{measure}; nothing is proven "
            "of what others cost at least."
        )
    if ended == "completed":
        return (
            f"The search is complete: by this estimate the cheapest tree costs {bound}{measure}, "
            f"this one {cost}. So small a saving is mostly chance, so the tree that a few samples "
            "have found is kept."
        )
    proven = f"The search {how}: this tree is expected to cost {cost}{measure}, and no tree less"
    if with_gap:
        return f"{proven} than {bound} (gap {100 * outcome.gap:.1f} %)."
    return f"{proven} than {bound}; whether a cheaper one exists is not proven."
