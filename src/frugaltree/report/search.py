"""What a search has proven of its tree, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass

from frugaltree.anytime.wording import WORTH_TELLING
from frugaltree.messages import Phrase, say
from frugaltree.protocols import BoundedEstimator, Estimator
from frugaltree.tree.text import percent


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


def say_outcome(outcome: SearchOutcome) -> Phrase:
    """Return what a search has proven of its tree, in a sentence.

    A bound that is far off says little of a tree, so it is left to the log. Where not all cases
    were searched, there is none.

    >>> say_outcome(SearchOutcome("time_limit", 50.0, 50.0, 48.0, 0.04))
    'The search ended by its time limit: by its estimate no tree costs less by more than 4.0 %.'
    >>> say_outcome(SearchOutcome("time_limit", 50.0, 50.0, 10.0, 0.8))
    'The search ended by its time limit; a longer one may find a cheaper tree.'
    >>> say_outcome(SearchOutcome("completed", 50.0, 50.0, 0.0, 1.0))
    'The search on samples of the cases is complete; a cheaper tree may exist.'
    """
    if outcome.termination == "optimal":
        return say("search.optimal")
    if outcome.termination == "completed" and outcome.lower_bound <= 0.0 < outcome.objective:
        return say("search.samples")
    if outcome.termination == "completed":
        return say("search.completed", gap=percent(outcome.gap))
    how = say(f"search.by-{outcome.termination}")
    if outcome.gap > WORTH_TELLING:
        return say("search.open", how=how)
    return say("search.gap", how=how, gap=say("percent.fine", share=outcome.gap))
