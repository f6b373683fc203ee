"""Tests against errors: the trees that are best somewhere as errors grow from free to very dear.

:mod:`~frugaltree.tradeoff.hull` says which trees these are and where each takes over,
:mod:`~frugaltree.tradeoff.walk` at which prices to look for more of them. What learns trees there
is :mod:`~frugaltree.tradeoff.searched` for FrugalTree, whose search goes on from price to price,
and :mod:`~frugaltree.tradeoff.fitted` for all others. :mod:`~frugaltree.tradeoff.held_out` tells
what the points cost on cases that their trees have not seen.
"""

from frugaltree.tradeoff.held_out import HeldOut, Interval
from frugaltree.tradeoff.make import frontier
from frugaltree.tradeoff.points import Frontier, Point

__all__ = ["Frontier", "HeldOut", "Interval", "Point", "frontier"]
