"""What may be said of monotone tests, what is refused, and what keeps it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from frugaltree import (
    ACTClassifier,
    Costs,
    DTMCClassifier,
    FrugalTreeClassifier,
    Repertoire,
    load_model,
    save_model,
)
from frugaltree.app.fit import make_learner
from frugaltree.exceptions import FrugaltreeError
from frugaltree.persist import read_schema
from frugaltree.report.summary import rules_of

AGES = {20: 1, 40: 7, 60: 4, 80: 9}
"""How many of ten are ill."""


def people() -> tuple[pd.DataFrame, list[str]]:
    ages = [age for age in AGES for _ in range(10)]
    state = [s for n in AGES.values() for s in ["ill"] * n + ["well"] * (10 - n)]
    return pd.DataFrame({"age": ages, "sex": pd.Categorical(["f", "m"] * 20)}), state


def answers(monotone: Any, **how: Any) -> list[str]:
    X, y = people()
    learner = DTMCClassifier(Costs([1, 1], errors=100, **how), monotone=monotone).fit(X, y)
    return [str(one) for one in learner.predict(X.iloc[[0, 10, 20, 30]])]


def test_answers_follow_the_order_of_the_classes() -> None:
    """Sorted, ill comes before well, so more are ill with age where answers come earlier.

    Against that, one answer for all is the cheapest.
    """
    rising, same = ["well", "ill", "ill", "ill"], ["ill"] * 4
    assert answers(None) == answers({}) == answers({"age": 0}) == rising
    assert answers({"age": -1}) == rising
    assert answers({"age": 1}) == same
    assert answers({"age": 1}, classes=["well", "ill"]) == rising
    assert answers({"age": -1}, classes=["well", "ill"]) == same
    for given in ({0: 1}, [1, 0], np.array([1.0, 0.0])):
        assert answers(given, classes=["well", "ill"]) == rising


REFUSED = [
    ({"sex": 1}, "monotone names 'sex', a nominal test, whose values have no order; leave it out"),
    ({"aeg": 1}, "monotone names 'aeg', which is no test of this table.*Did you mean 'age'"),
    ({7: 1}, "monotone names 7, which is no test of this table"),
    ({"age": 2}, "monotone is 2 for 'age', but must be 1 .* -1 .* or 0"),
    ({"age": True}, "monotone is True for 'age', but must be 1"),
    ({"age": 0.5}, "monotone is 0.5 for 'age', but must be 1"),
    ([1], "monotone has 1 directions for 2 tests; give one for each"),
    ([1, 0, 0], "monotone has 3 directions for 2 tests; give one for each"),
]


@pytest.mark.parametrize(("monotone", "sentence"), REFUSED)
def test_what_is_refused_is_said_in_a_sentence(monotone: Any, sentence: str) -> None:
    X, y = people()
    with pytest.raises(FrugaltreeError, match=sentence):
        DTMCClassifier(monotone=monotone).fit(X, y)


def test_decisions_have_no_place_in_the_order() -> None:
    X, y = people()
    costs = Costs(errors=100, decisions={"refer": 30})
    with pytest.raises(FrugaltreeError, match=r"monotone .* decisions .refer., which have no"):
        DTMCClassifier(costs, monotone={"age": 1}).fit(X, y)
    with pytest.raises(FrugaltreeError, match="max_leaves is 2, but with monotone"):
        FrugalTreeClassifier(max_leaves=2, monotone={"age": 1}).fit(X, y)
    with pytest.raises(FrugaltreeError, match="interruptible=True"):
        Repertoire(
            Costs([1, 1]), estimator=ACTClassifier(monotone={"age": 1}), interruptible=True
        ).fit(X, y)


@pytest.mark.parametrize("monotone", [{"age": -1}, {0: -1}, [-1, 0], np.array([-1, 0])])
def test_model_files_and_pages_know_it(monotone: Any, tmp_path: Path) -> None:
    X, y = people()
    learner = DTMCClassifier(Costs([1, 1], errors=100), monotone=monotone).fit(X, y)
    path = tmp_path / "model.json"
    save_model(learner, path)
    document = json.loads(path.read_text("utf-8"))
    pytest.importorskip("jsonschema").Draft202012Validator(read_schema()).validate(document)
    again = load_model(path)
    assert document["version"] == 4
    np.testing.assert_array_equal(again.predict(X), learner.predict(X))
    said = "In the order ill, well, answers never come later as age rises."
    assert [str(one) for one in rules_of(again)] == [said]
    assert rules_of(again) == rules_of(learner)
    document["parameters"]["monotone"] = [["age", 3]]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FrugaltreeError, match=r"parameters.monotone\[0\]"):
        load_model(path)


def test_other_model_files_are_as_before(tmp_path: Path) -> None:
    X, y = people()
    learner = DTMCClassifier(Costs([1, 1], errors=100)).fit(X, y)
    save_model(learner, tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert document["version"] == 2
    assert "monotone" not in document["parameters"]
    assert rules_of(learner) == []


def test_the_command_line_takes_it() -> None:
    options = {"monotone": ["age=+1", "a=b=-1"]}
    learner = make_learner("dtmc", None, options, quiet=True)
    assert learner.monotone == {"age": 1, "a=b": -1}
    with pytest.raises(FrugaltreeError, match="--monotone is 'age', but must name a test and"):
        make_learner("dtmc", None, {"monotone": ["age"]}, quiet=True)
    with pytest.raises(FrugaltreeError, match="eg2 does not take --monotone"):
        make_learner("eg2", None, {"monotone": ["age=1"]}, quiet=True)
