"""The price list: what each test costs, and what each wrong answer costs."""

from __future__ import annotations

from frugaltree.costs.formulas import confidence_factor, weight_of_costs
from frugaltree.costs.group import Group
from frugaltree.costs.model import Costs

__all__ = ["Costs", "Group", "confidence_factor", "weight_of_costs"]
