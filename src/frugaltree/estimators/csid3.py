"""CS-ID3: squared gain over price."""

from __future__ import annotations

from frugaltree.estimators.eg2 import PricedC45Frame
from frugaltree.kernels.criteria import CSID3


class CSID3Classifier(PricedC45Frame):
    """CSID3: C4.5's frame with the criterion ΔI² / price.

    Sees prices of tests but not of errors. A free test that tells anything comes first.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    prices : {"context", "static"}, default="context"
        As in :class:`EG2Classifier`.
    cf, min_cases, min_samples_leaf, class_weight, collapse, prune, raise_subtrees, \
    expected_error, categorical_features, max_bins
        As in :class:`C45Classifier`.
    random_state, n_jobs, verbose
        Not used.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_, termination_
        As in :class:`C45Classifier`.

    References
    ----------
    M. Tan and J. Schlimmer, Cost-sensitive concept learning of sensor use in approach and
    recognition, Machine Learning Workshop 1989.

    Examples
    --------
    >>> from frugaltree import Costs, CSID3Classifier
    >>> X = [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]  # two tests that tell the same
    >>> CSID3Classifier(Costs([9, 4])).fit(X, [0, 0, 0, 1, 1, 1]).bill(X[:1])  # asks the cheaper
    array([4.])
    """

    _criterion = CSID3
