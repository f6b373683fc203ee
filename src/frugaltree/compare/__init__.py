"""The protocol of the study on a table of one's own, to find the cheapest learner for it.

Every learner is trained and charged on the same stratified folds, and costs are compared fold by
fold, for they rise and fall together. Two words of caution: folds share training cases, for
which the corrected test allows; and the best of several is so partly by luck, for which nothing
does.
"""

from frugaltree.compare.comparison import Comparison, Pair, Standing
from frugaltree.compare.learners import DEFAULT_LEARNERS, LEARNERS
from frugaltree.compare.running import compare

__all__ = ["DEFAULT_LEARNERS", "LEARNERS", "Comparison", "Pair", "Standing", "compare"]
