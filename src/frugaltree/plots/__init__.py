"""Pictures of fitted estimators, drawn with matplotlib (``pip install 'frugaltree[plot]'``).

Each picture has two halves: a function that returns its numbers, and one that draws them.
"""

from frugaltree.plots.anytime import Anytime, anytime, anytime_numbers, draw_anytime
from frugaltree.plots.budgets import Budgets, budgets, budgets_numbers, draw_budgets
from frugaltree.plots.frontier import (
    FrontierNumbers,
    draw_frontier,
    frontier,
    frontier_numbers,
)
from frugaltree.plots.sensitivity import (
    Sensitivity,
    draw_sensitivity,
    sensitivity,
    sensitivity_numbers,
)
from frugaltree.plots.size import fitting_depth
from frugaltree.plots.spending import Spending, draw_spending, spending, spending_numbers
from frugaltree.plots.tree import Drawing, draw_tree, tree, tree_numbers

__all__ = [
    "Anytime",
    "Budgets",
    "Drawing",
    "FrontierNumbers",
    "Sensitivity",
    "Spending",
    "anytime",
    "anytime_numbers",
    "budgets",
    "budgets_numbers",
    "draw_anytime",
    "draw_budgets",
    "draw_frontier",
    "draw_sensitivity",
    "draw_spending",
    "draw_tree",
    "fitting_depth",
    "frontier",
    "frontier_numbers",
    "sensitivity",
    "sensitivity_numbers",
    "spending",
    "spending_numbers",
    "tree",
    "tree_numbers",
]
