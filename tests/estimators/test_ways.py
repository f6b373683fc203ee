"""What scikit-learn's trees tell about themselves, too: logarithms, nodes, ways, tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError

from frugaltree import C45Classifier, Costs, ID3Classifier
from support.tables import as_pandas, mixed_columns

PRICED = Costs([1, 7, 3, 2, 4], errors=80)


def fit_mixed(learner, *, missing=True):
    columns, y = mixed_columns(missing=missing)
    X = as_pandas(columns, ["stage"])
    return learner(PRICED).fit(X, y), X, y


def test_logarithms_of_shares(learner):
    fitted, X, _ = fit_mixed(learner)
    with np.errstate(all="raise"):
        logarithms = fitted.predict_log_proba(X)
    assert np.exp(logarithms) == pytest.approx(fitted.predict_proba(X))


def test_a_case_ends_where_its_answer_is(learner):
    fitted, X, _ = fit_mixed(learner, missing=False)
    ends = fitted.apply(X)
    assert ends.dtype == np.int64
    assert (fitted.classes_[fitted.tree_.labels[ends]] == fitted.predict(X)).all()
    assert (fitted.tree_.probabilities[ends] == fitted.predict_proba(X)).all()


def test_a_way_leads_from_the_root_to_the_end(learner):
    fitted, X, _ = fit_mixed(learner)
    ways, ends = fitted.decision_path(X), fitted.apply(X)
    assert issparse(ways)
    assert ways.format == "csr"
    assert ways.shape == (len(X), fitted.tree_.n_nodes)
    fractional = fitted.tree_.fractional
    for case, end in enumerate(ends.tolist()):
        passed = ways[case].indices.tolist()
        way = [end]
        while way[0] != 0:
            way.insert(0, int(fitted.tree_.nodes.parent[way[0]]))
        spread = fractional and X.iloc[[case]].isna().any(axis=None)
        assert set(way) <= set(passed) if spread else way == passed


def test_c45_passes_every_branch_of_a_missing_value():
    tree = C45Classifier(prune=False, min_cases=1).fit([[1], [2], [4], [5]] * 5, [0, 0, 1, 1] * 5)
    assert tree.decision_path([[np.nan], [1]]).toarray().tolist() == [[1, 1, 1], [1, 1, 0]]
    assert tree.apply([[np.nan]]).tolist() == [1]


def test_a_value_never_seen_ends_at_the_node_that_asks():
    X = pl.DataFrame({"hue": ["red", "red", "blue", "blue"]})
    tree = ID3Classifier().fit(X, ["no", "no", "yes", "yes"])
    green = pl.DataFrame({"hue": ["green"]})
    assert tree.apply(green).tolist() == [0]
    assert tree.decision_path(green).toarray().tolist() == [[1, 0, 0]]


def test_size(learner):
    fitted, *_ = fit_mixed(learner)
    assert fitted.get_depth() == fitted.tree_.depth
    assert fitted.get_n_leaves() == fitted.tree_.n_leaves


def test_table_of_nodes(learner):
    fitted, X, _ = fit_mixed(learner, missing=False)
    frame = fitted.to_frame()
    assert frame["node"].to_list() == [*range(fitted.tree_.n_nodes)]
    assert frame["n_cases"][0] == len(X)
    assert frame.filter("is_leaf").height == fitted.get_n_leaves()
    assert frame["depth"].max() == fitted.get_depth()
    assert frame.filter("is_leaf")["test"].null_count() == fitted.get_n_leaves()
    assert frame["branch"].null_count() == 1
    mean = (frame["charge"] * frame["n_cases"]).sum() / len(X)
    assert mean == pytest.approx(fitted.expected_test_cost_)
    assert set(frame["answer"]) <= set(fitted.classes_)
    assert frame.drop("charge").equals(fitted.tree_.to_frame().drop("charge"))
    assert fitted.tree_.to_frame()["charge"].null_count() == frame.height


def test_table_of_one_leaf():
    with pytest.warns(UserWarning, match="one class"):
        leaf = ID3Classifier().fit([[1], [2]], [True, True])
    assert leaf.to_frame().rows() == [(0, 0, None, None, None, None, 0.0, 2.0, True, 1.0, True)]


@pytest.mark.parametrize("name", ["predict_log_proba", "apply", "decision_path"])
def test_nothing_before_fit(learner, name):
    with pytest.raises(NotFittedError):
        getattr(learner(), name)([[1]])


@pytest.mark.parametrize("name", ["get_depth", "get_n_leaves", "to_frame"])
def test_no_size_before_fit(learner, name):
    with pytest.raises(NotFittedError):
        getattr(learner(), name)()
