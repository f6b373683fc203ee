"""The page about a model: what it says, and that whatever users wrote stays text."""

from __future__ import annotations

import json
import re
from html import escape

import numpy as np
import polars as pl
import pytest

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
)
from frugaltree.datasets import load, load_costs
from frugaltree.estimators import notebook
from frugaltree.report import compare_with_baselines, content_of, render, summarize, write_report
from frugaltree.report.measure import cross_validate
from frugaltree.report.page import SCRIPTS, as_script
from frugaltree.strategies import THIS

pytest.importorskip("jinja2")

NASTY = [
    "</script><script>alert(1)</script>",
    '"); DROP TABLE x; --',
    "<b>&amp;{{ 7 * 7 }}",
    "]]>",
]


@pytest.fixture(scope="module")
def heart():
    return load("heart", return_X_y=True)


@pytest.fixture(scope="module")
def model(heart):
    costs = load_costs("heart", errors=500)
    return ACTClassifier(costs, random_state=0).fit(*heart)


def data_in(page):
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def test_the_page_holds_the_model(model):
    page = render(content_of(model))
    data = data_in(page)["model"]
    tree = model.tree_.to_dict()
    assert data["test"] == tree["test"]
    assert data["children"] == tree["children"]
    assert data["counts"] == tree["counts"]
    assert "healthy or sick?" in page
    assert "CAD" in page


def test_nothing_is_fetched(model):
    page = render(content_of(model))
    assert "default-src 'none'" in page
    for outside in ("http://", "https://", "//cdn", " src=", "@import", "url("):
        assert outside not in page.replace("http://www.w3.org/2000/svg", "")


def test_errors_are_counted_on_other_cases(model, heart):
    found = content_of(model, *heart)["measured"]
    assert found["cases"] == "297"
    sick = next(one for one in found["classes"] if one["class"] == "sick")
    X, y = heart
    right = sum(a == b == "sick" for a, b in zip(model.predict(X), y, strict=True))
    assert sick["sensitivity"].endswith(f"{right} of {(y == 'sick').sum()}")
    assert "Right:" in render(content_of(model, *heart))


def test_errors_are_cross_validated(heart):
    X, y = heart
    eg2 = EG2Classifier(load_costs("heart", errors=500)).fit(X, y)
    answers, bills = cross_validate(eg2, X, y, 5)[THIS]
    assert np.mean(answers == y.to_numpy()) < np.mean(eg2.predict(X) == y.to_numpy())
    assert bills.min() > 0
    found = content_of(eg2, X, y, folds=5)["measured"]
    assert found["accuracy"].endswith(f"{np.sum(answers == y.to_numpy())} of 297")


@pytest.mark.parametrize("learner", [C45Classifier, EG2Classifier])
def test_learners_without_a_search(learner, heart):
    page = render(content_of(learner(load_costs("heart", errors=500)).fit(*heart)))
    assert "How the tree was found" not in page
    assert "gap to the best" not in page


def test_a_search_says_what_it_proved(heart):
    X, y = heart
    frugal = FrugalTreeClassifier(load_costs("heart", errors=500, delayed=False), max_steps=300)
    content = content_of(frugal.fit(X, y))
    assert content["history"]["bounds"] is not None
    assert "ended by its number of steps" in content["search"]
    assert content["search"].endswith("a longer one may find a cheaper tree.")
    assert not any("gap" in (text or "") for text in content["headline"].values())
    small = FrugalTreeClassifier(Costs([1], errors=50), pessimism="paper").fit(
        [[0], [1]] * 9, [0, 1] * 9
    )
    assert "not prove it the best" in content_of(small)["search"]


def test_the_most_honest_cost_comes_first(model, heart):
    first = content_of(model)["headline"]
    assert first["what"] == "per new case, by a cautious estimate of errors"
    assert first["more"] is None
    found = content_of(model, *heart)
    first = found["headline"]
    assert first["figure"].endswith(" less")
    assert first["what"].startswith("per case than deciding without tests (95 %: ")
    assert first["more"].startswith(f"{found['measured']['total']} per new case (95 %: ")
    assert first["more"].endswith(", by 297 other cases")
    assert any("no tree had seen" in line for line in found["about"])


def test_one_forecast_stands_at_the_top(heart):
    X, y = heart
    costs = load_costs("heart", errors=500, delayed=False)
    frugal = FrugalTreeClassifier(costs, max_steps=300, random_state=0).fit(X, y)
    first = content_of(frugal)["headline"]
    assert first["figure"] == f"CAD {frugal.forecast_.saving:.2f} less"
    assert first["more"].startswith(f"CAD {frugal.forecast_.cost:.2f} per new case")
    assert "CAD" not in first["facts"]


def test_many_classes_are_counted_in_the_heading():
    names = [f"class {i}" for i in range(24)]
    model = EG2Classifier(Costs([1])).fit([[i] for i in range(24)], names)
    page = render(content_of(model))
    assert re.search("<h1><span [^>]*>Which of 24 classes\\?</span></h1>", page)
    assert "class 0 · class 1 · class 10" in page


def test_a_leaf_alone_and_no_costs():
    leaf = EG2Classifier().fit([[1.0], [1.0]], ["a", "b"])
    assert "The tree asks nothing" in render(content_of(leaf))


def test_up_to_which_price_a_test_is_worth_it():
    X = pl.DataFrame({"t": ["x", "y"] * 50})
    model = EG2Classifier(Costs({"t": 4}, errors=100)).fit(X, ["a", "b"] * 50)
    [one] = content_of(model)["prices"]
    assert one["here"]
    limit = float(one["between"].removeprefix("up to "))
    again = EG2Classifier(Costs({"t": limit}, errors=100)).fit(X, ["a", "b"] * 50)
    [other] = content_of(again)["prices"]
    # Prices enter the estimate's confidence too, so the limit moves a little with the price.
    assert float(other["between"].removeprefix("up to ")) == pytest.approx(limit, rel=0.05)


def test_a_page_tells_of_strategies_and_of_tests_that_only_they_ask():
    X, y = load("heart", return_X_y=True)
    model = DTMCClassifier(load_costs("heart", errors=500, delayed=False)).fit(X, y)
    plain = content_of(model)
    assert plain["strategies"] == []
    found = content_of(model, strategies=compare_with_baselines(model, X, y))
    ways = [one["name"] for one in found["strategies"]]
    assert ways[0] == "always answer healthy"
    assert ways[-2:] == ["this tree", "ask everything, never err"]
    assert not any(way.startswith("DTMC") for way in ways)
    more = {one["test"] for one in found["prices"]} - {one["test"] for one in plain["prices"]}
    unasked = {name for name, share in model.test_usage_.items() if share == 0}
    assert more
    assert more <= unasked
    page = render(found)
    assert "Beside other ways to answer" in page
    assert "EG2, which looks at prices only" in page
    assert "Beside other ways" not in render(plain)


def test_baselines_are_learned_on_the_same_folds():
    X, y = load("heart", return_X_y=True)
    model = EG2Classifier(load_costs("heart", errors=500)).fit(X, y)
    found = content_of(model, X, y, folds=3)
    others = {one["name"]: one for one in found["measured"]["savings"]}
    assert set(others) == {
        "C4.5, which looks at no costs",
        "DTMC, which looks one test ahead",
        "the cheapest answer, no tests",
    }
    assert others["the cheapest answer, no tests"]["tests"] == "CAD 0.00"
    [guess] = content_of(model, X, y)["measured"]["savings"]
    saved, error = map(float, guess["saved"].split(" ± "))
    per_case = np.where(np.array(y) == "healthy", 0.0, 500.0)
    wrong = np.where(model.predict(X) == np.array(y), 0.0, 500.0)
    difference = per_case - model.bill(X) - wrong
    assert saved == pytest.approx(difference.mean(), abs=0.01)
    assert error == pytest.approx(difference.std(ddof=1) / len(y) ** 0.5, abs=0.01)


def test_a_page_leaves_the_learner_as_it_was(heart):
    X, y = heart
    model = EG2Classifier(load_costs("heart", errors=500)).fit(X, y)
    before = dict(vars(model))
    summary = summarize(model, X, y, folds=3)
    assert vars(model) == before
    assert [one.name for one in summary.strategies][-2] == THIS
    assert summary.measured.forecast.cost >= summary.measured.bill > 0
    assert summary.search is None
    assert summary.history == []


def test_names_stay_text(tmp_path):
    X = pl.DataFrame(dict.fromkeys(NASTY, NASTY[:2] * 4))
    y = NASTY[2:] * 4
    costs = Costs(dict.fromkeys(NASTY, 1.0), errors=100, unit="<i>EUR", source=NASTY[0])
    model = EG2Classifier(costs).fit(X, y)
    write_report(model, tmp_path / "page.html", X, y, title=NASTY[0])
    page = (tmp_path / "page.html").read_text()
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts == [
        '<script id="data" type="application/json">',
        *["<script>"] * (len(SCRIPTS) + 1),
    ]
    assert "<b>" not in page
    assert "alert(1)</script>" not in page
    assert data_in(page)["model"]["columns"][0]["name"] == NASTY[0]
    assert "{{ 7 * 7 }}" in page


def test_json_between_tags():
    text = as_script({"a": "<!--</script>&", "b": [1.5, None]})
    assert "<" not in text
    assert json.loads(text) == {"a": "<!--</script>&", "b": [1.5, None]}


def test_a_notebook_shows_the_tree_at_once(model, monkeypatch):
    html = model._repr_html_()
    tree = html[: html.index("sk-")]
    assert model._repr_mimebundle_()["text/html"].startswith(tree)
    assert "sk-estimator" in html
    assert "<iframe" not in html
    assert "<script" not in html.partition("sk-")[0]
    assert tree.count("<li>") >= model.tree_.n_nodes
    assert tree.count("<details open>") + tree.count("<details>") == (
        model.tree_.n_nodes - model.tree_.n_leaves
    )
    assert len(tree) < 300 * model.tree_.n_nodes + 1000
    for line in model.to_text().splitlines():
        asked = line.rpartition("asks ")[2]
        assert escape(asked) in tree or "asks " not in line
    assert f"at most {model.tree_.depth} tests" in tree
    assert "frugaltree" not in EG2Classifier()._repr_html_().partition("sk-")[0]
    monkeypatch.setattr(notebook, "MOST_NODES", 1)
    assert f"shown to depth {notebook.SHOWN_DEPTH}" in model._repr_html_()


def test_a_notebook_escapes_names(monkeypatch):
    X = pl.DataFrame({NASTY[0]: NASTY[:2] * 4})
    model = EG2Classifier(Costs({NASTY[0]: 1.0}, errors=100)).fit(X, NASTY[2:] * 4)
    assert "alert(1)</script>" not in model._repr_html_()
    assert escape(f"asks {NASTY[0]}") in model._repr_html_()
    monkeypatch.setattr(notebook, "MOST_NODES", 1)
    assert "alert(1)</script>" not in model._repr_html_()
