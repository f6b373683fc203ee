"""Learning from numbers in bins: as from exact ones that were replaced by those of their bins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from frugaltree import Costs, EG2Classifier, load_model, save_model
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.table import ranking, read
from reference.bins import bins_of, representatives
from support.learners import C45_FAMILY, LEARNERS, seeded

COSTS = Costs([3, 1, 4, 2], errors=60)


def drawn(seed, n=120, missing=0.0):
    """Return a table of two numeric and two nominal tests, and classes that hang on both kinds."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal((n, 2))
    X = np.column_stack([numbers, rng.integers(0, 3, (n, 2))])
    y = (numbers[:, 0] > 0.3) ^ (X[:, 2] == 1) ^ (rng.random(n) < 0.1)
    X[:, :2][rng.random((n, 2)) < missing] = np.nan
    return X, y.astype(int), rng.integers(1, 4, n).astype(float)


def made(learner, **more):
    return seeded(learner)(COSTS, categorical_features=[2, 3], **more)


def in_bins(X, weights, most):
    """Return the table with each number replaced by the largest of its bin."""
    out = X.copy()
    for a in (0, 1):
        values = [None if v != v else v for v in X[:, a].tolist()]
        found = representatives(values, bins_of(values, weights.tolist(), most))
        out[:, a] = [np.nan if v is None else v for v in found]
    return out


def shape_of(tree):
    nodes = tree.nodes
    return nodes.test.tolist(), nodes.children.tolist(), nodes.counts.tolist(), tree.ways.tolist()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_enough_bins_change_nothing(learner, missing):
    X, y, _ = drawn(0, missing=missing)
    exact, binned = made(learner, max_bins=None).fit(X, y), made(learner, max_bins=120).fit(X, y)
    assert exact.to_text() == binned.to_text()
    assert exact.expected_cost_ == binned.expected_cost_


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("most", [2, 7])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_bins_are_exact_numbers_of_their_own(learner, most, missing):
    for seed in range(3):
        X, y, weights = drawn(seed, missing=missing)
        binned = made(learner, max_bins=most).fit(X, y, weights)
        replaced = in_bins(X, weights, most)
        exact = made(learner, max_bins=None).fit(replaced, y, weights)
        assert shape_of(binned.tree_) == shape_of(exact.tree_)
        assert binned.expected_cost_ == exact.expected_cost_
        if learner in C45_FAMILY:
            np.testing.assert_array_equal(
                binned.tree_.nodes.threshold, exact.tree_.nodes.threshold
            )
        # A raw number goes where its bin went.
        assert (binned.apply(X) == exact.apply(replaced)).all()
        assert (binned.apply(X) == binned.apply(replaced)).all()
        assert (binned.predict(X) == exact.predict(replaced)).all()


def test_a_threshold_within_a_bin_is_moved_below_it():
    numbers = np.array([0.0, 1.0, 2.0, 9.0, 10.0, 11.0, 12.0, 13.0])
    table = read(numbers.reshape(-1, 1), ["x"], max_bins=4)
    assert table.values.tolist() == [1.0, 9.0, 11.0, 13.0]
    cases = table.cases(np.zeros(8, np.int32), np.ones(8), 1)
    # Halfway from the first bin to the last, 7 lies in the second, which goes with its 9.
    assert place_cut(cases, 0, 0, 3, False) == (0, 1.5)
    # 6 lies between the second and the third.
    assert place_cut(cases, 0, 0, 2, False) == (0, 1.5)
    assert place_cut(cases, 0, 1, 3, False) == (1, 11.0)


def test_long_tables_are_binned_by_default():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((50_001, 1))
    y = (X[:, 0] > 0.3).astype(int)
    exact = EG2Classifier(max_bins=None).fit(X, y)
    assert (exact.predict(X) == y).all()
    assert (
        EG2Classifier().fit(X[:-1], y[:-1]).to_text()
        == EG2Classifier(max_bins=None).fit(X[:-1], y[:-1]).to_text()
    )
    wrong = (EG2Classifier().fit(X, y).predict(X) != y).mean()
    assert 0.0 < wrong < 1 / 254


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_codes_of_one_byte_give_the_same_tree(learner, missing, monkeypatch):
    X, y, weights = drawn(2, missing=missing)
    X[:, 2:][np.random.default_rng(1).random((120, 2)) < missing] = np.nan
    wide = made(learner, max_bins=9).fit(X, y, weights)
    monkeypatch.setattr(ranking, "EXACT_ROWS", 10)
    narrow = made(learner, max_bins=9)
    assert narrow._read(X, y, weights).cases.codes.dtype == np.uint8
    narrow.fit(X, y, weights)
    assert narrow.to_text() == wide.to_text()
    assert narrow.expected_cost_ == wide.expected_cost_
    assert shape_of(narrow.tree_) == shape_of(wide.tree_)


def test_a_column_of_many_values_widens_all_codes(monkeypatch):
    monkeypatch.setattr(ranking, "EXACT_ROWS", 10)
    X = np.column_stack([np.arange(600) % 300, np.arange(600) / 7])
    X[3] = np.nan
    table = read(X, ["a", "b"], [0], max_bins=255)
    assert table.codes.dtype == np.int32
    assert table.codes[:, 3].tolist() == [-1, -1]
    assert table.domain.tolist() == [300, 255]


@pytest.mark.parametrize("given", [0, 1, -3, 2.5, "many", True])
def test_what_is_no_number_of_bins(given):
    X, y, _ = drawn(0)
    with pytest.raises(
        InvalidParameterError, match=r"'max_bins' .* range \[2, inf\).*'auto'.*Got"
    ):
        EG2Classifier(max_bins=given).fit(X, y)


def test_a_number_of_bins_beyond_all_memory():
    X, y, _ = drawn(0)
    assert (
        EG2Classifier(max_bins=10**15).fit(X, y).to_text()
        == EG2Classifier(max_bins=None).fit(X, y).to_text()
    )


@pytest.mark.parametrize("max_bins", ["auto", 9, None])
def test_model_files_keep_the_number_of_bins(tmp_path, max_bins):
    X, y, _ = drawn(1)
    fitted = made(EG2Classifier, max_bins=max_bins).fit(X, y)
    save_model(fitted, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.max_bins == max_bins
    assert loaded.to_text() == fitted.to_text()
