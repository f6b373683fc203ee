"""Files of version 1 keep the rule that they were made with, and say so."""

from __future__ import annotations

import json

import numpy as np
import pytest

from frugaltree import C45Classifier, Costs, ID3Classifier, load_model, save_model


def as_version_1(learner, path):
    """Write a model as version 1 had it."""
    save_model(learner, path)
    saved = json.loads(path.read_text("utf-8"))
    saved["version"] = 1
    for key in ("missing", "shrinkage"):
        del saved["tree"][key]
    path.write_text(json.dumps(saved), "utf-8")
    return path


def test_a_missing_value_goes_on_as_most_did_and_is_charged(tmp_path):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ["a", "b", "b", "b", "b"]
    learner = ID3Classifier(Costs([3, 5], errors=10)).fit(X, y)
    path = as_version_1(learner, tmp_path / "old.json")
    with pytest.warns(UserWarning, match="before missing values had a rule of their own"):
        old = load_model(path)
    nan = np.nan
    assert old.predict(X).tolist() == learner.predict(X).tolist()
    assert old.bill(X).tolist() == learner.bill(X).tolist()
    root = int(old.tree_.nodes.test[0])
    row = [nan if a == root else 1.0 for a in (0, 1)]
    assert old.bill([row]).tolist() == [[3.0, 5.0][root]]
    assert learner.bill([[nan, nan]]).tolist() == [0.0]
    assert old.bill([[nan, nan]])[0] > 0
    assert old.costs.charge_missing
    np.testing.assert_array_equal(old.predict_proba(X), learner.tree_.shares[learner.apply(X)])


def test_saved_again_it_keeps_its_rule(tmp_path):
    X, y = [[0], [0], [1]], ["a", "a", "b"]
    path = as_version_1(ID3Classifier(Costs([3])).fit(X, y), tmp_path / "old.json")
    with pytest.warns(UserWarning, match="rule of their own"):
        old = load_model(path)
    save_model(old, tmp_path / "new.json")
    new = load_model(tmp_path / "new.json")
    unknown = [[np.nan]]
    assert new.predict(unknown).tolist() == old.predict(unknown).tolist() == ["a"]
    assert new.bill(unknown).tolist() == old.bill(unknown).tolist() == [3.0]


def test_the_c45_family_has_the_same_rule_in_both(tmp_path, recwarn):
    learner = C45Classifier(Costs([3])).fit([[0]] * 4 + [[1]] * 4, ["a"] * 4 + ["b"] * 4)
    old = load_model(as_version_1(learner, tmp_path / "old.json"))
    assert old.bill([[np.nan]]).tolist() == learner.bill([[np.nan]]).tolist()
    assert not [one for one in recwarn if "rule of their own" in str(one.message)]
