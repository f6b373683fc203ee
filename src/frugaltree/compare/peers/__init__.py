"""Learners of other libraries, tuned and charged by the same rules as ours.

Each peer is a library of its own, given what it can use of the costs: `STreeDPeer` the optimal
tree of a few levels, `LightGBMPeer` boosted trees that pay for values on demand, `CARTPeer` the
usual tree with the cheapest answers. The rules are the same for all:

* one setting is tuned, among `CANDIDATES` values from the simplest model to the largest, by
  stratified cross-validation of the total cost with `INNER_FOLDS` folds inside the training part
  (at most `TUNING_CASES` cases of it, drawn once);
* a test is paid once per case, however many thresholds or trees ask for it; a group's overhead
  is charged with its first member; a delayed test orders all that could follow it. The bill is
  that of the tests asked, in the order in which they are;
* thresholds, categories and settings come from the training part alone.

These numbers, and the time limit of STreeD, are chosen so that the study takes about an hour of
one core: a fit, tuning included, takes 0.05 to 0.6 s (CART), 0.05 to 1.1 s (STreeD) and 0.1 to
3 s (LightGBM), krk taking the longest. The time limit counts seconds of the clock, so that a slow
or busy machine may give STreeD other trees; everything else depends on the seed alone.
"""

from frugaltree.compare.peers.base import CANDIDATES, INNER_FOLDS, TUNING_CASES, Peer
from frugaltree.compare.peers.cart import CARTPeer
from frugaltree.compare.peers.lightgbm import LightGBMPeer
from frugaltree.compare.peers.streed import STreeDPeer

__all__ = [
    "CANDIDATES",
    "INNER_FOLDS",
    "TUNING_CASES",
    "CARTPeer",
    "LightGBMPeer",
    "Peer",
    "STreeDPeer",
]
