"""Whether a search looks at all cases or at samples of them, and how large these are."""

from __future__ import annotations

from collections.abc import Sequence

from frugaltree.engines.cells import count_kinds
from frugaltree.engines.exact.search import is_soon_expanded
from frugaltree.engines.problem import Problem
from frugaltree.kernels.exact.objective import Objective

SAMPLE_ROWS, WHOLE_ROWS = 10_000, 50_000
"""Cases of a sample; up to how many all are looked at where that is soon done."""


def find_sample_size(
    problem: Problem, objectives: Sequence[Objective], wanted: int | str | None
) -> int | None:
    """Return how many cases a sample has, None where the search looks at all of them.

    Parameters
    ----------
    problem
        What to learn.
    objectives
        The settings of the search.
    wanted
        The size that the user wants, "auto" or None for no samples.
    """
    if wanted is None:
        return None
    size = most = SAMPLE_ROWS if isinstance(wanted, str) else int(wanted)
    if isinstance(wanted, str) and is_soon_proven(problem, objectives):
        most = WHOLE_ROWS
    return size if count_kinds(problem, most) > most else None


def is_soon_proven(problem: Problem, objectives: Sequence[Objective]) -> bool:
    """Tell whether all tests are nominal, or trees so shallow that all are soon looked at."""
    n = problem.cases.classes.size
    shallow = all(is_soon_expanded(problem, one, n) for one in objectives)
    return shallow or bool(problem.cases.nominal.all())
