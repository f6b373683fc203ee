from __future__ import annotations

from typing import Any

import pytest

from frugaltree.anytime import Stop
from frugaltree.engines.incumbent import Incumbent


def trees(*names: str) -> list[Any]:
    """Return what stands for trees; the incumbent does not look into them."""
    return list(names)


def test_a_tree_is_taken_only_if_it_is_cheaper_by_more_than_rounding() -> None:
    first, same, better = trees("first", "same", "better")
    incumbent = Incumbent(Stop())
    assert incumbent.offer(first, 10.0, "greedy tree")
    assert not incumbent.offer(same, 10.0 * (1 - 1e-12), "r = 1")
    assert (incumbent.nodes, incumbent.source) == (first, "greedy tree")
    assert incumbent.offer(better, 9.9, "r = 2")
    assert (incumbent.nodes, incumbent.cost, incumbent.source) == (better, 9.9, "r = 2")


def test_the_tree_that_is_kept_may_be_another_form_of_the_one_found() -> None:
    incumbent = Incumbent(Stop(), finish=lambda nodes: [nodes, "finished"])  # type: ignore
    incumbent.take(*trees("found"), 3.0, "greedy tree")
    assert (incumbent.found, incumbent.nodes) == ("found", ["found", "finished"])


def test_trees_may_be_compared_by_something_else_than_their_cost() -> None:
    incumbent = Incumbent(Stop())
    incumbent.take(*trees("EG2"), 10.0, "EG2", score=float("inf"))
    assert incumbent.is_beaten_by(500.0)
    incumbent.take(*trees("bred"), 12.0, "generation 1", score=500.0)
    assert not incumbent.is_beaten_by(500.0)
    assert incumbent.cost == 12.0


def test_bounds_only_rise_and_never_exceed_the_cost() -> None:
    incumbent = Incumbent(Stop(), weight=4.0)
    incumbent.take(*trees("first"), 40.0, "greedy tree")
    seen = []
    for bound in (8.0, 6.0, 30.0, 55.0):
        incumbent.raise_bound(bound)
        seen.append(incumbent.snapshot("branch and bound", 1, improved=False).progress.bound)
    assert seen == [2.0, 2.0, 7.5, 10.0]


def test_where_the_search_stands() -> None:
    incumbent = Incumbent(Stop(), weight=2.0, fitted={"w_": 1.0})
    incumbent.take(*trees("first"), 9.0, "greedy tree")
    first = incumbent.snapshot("greedy tree", 7, improved=False)
    second = incumbent.snapshot("r = 1, 40%", 9, improved=False, share=0.4)
    assert (first.nodes, first.fitted) == ("first", {"w_": 1.0})
    assert (first.progress.cost, first.progress.bound, first.progress.steps) == (4.5, None, 7)
    assert first.progress.improved  # the first tree is better than none
    assert not second.progress.improved
    assert (second.progress.round, second.progress.rounds) == (2, 5)
    assert 0.0 <= first.progress.seconds <= second.progress.seconds


@pytest.mark.parametrize(("rounds", "shown"), [(None, None), (6, 6)])
def test_a_known_number_of_rounds(rounds: int | None, shown: int | None) -> None:
    incumbent = Incumbent(Stop(), rounds=rounds)
    incumbent.take(*trees("first"), 9.0, "EG2")
    assert incumbent.snapshot("EG2", 1, improved=True).progress.rounds == shown


def test_costs_by_another_estimate() -> None:
    incumbent = Incumbent(Stop())
    incumbent.take(*trees("first"), 9.0, "greedy tree")
    incumbent.forget_cost()
    assert incumbent.nodes == "first"  # there is always a tree
    assert incumbent.offer(*trees("dearer"), 20.0, "greedy tree")
