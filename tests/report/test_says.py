"""What the page says of nodes is what the text of a tree says, at any prices."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from frugaltree import ACTClassifier, C45Classifier, Costs, DTMCClassifier, EG2Classifier
from frugaltree.datasets import load, load_costs
from frugaltree.engines.allowed_answers import all_allowed, cheapest_between
from frugaltree.tree.answers import costs_of_answers
from support.consulted import SAID, words_of

pytestmark = pytest.mark.xdist_group("browser")

MISS = {("healthy", "sick"): 1500, ("sick", "healthy"): 100}

MODELS = {
    "groups and delayed": ("heart", partial(ACTClassifier, random_state=0), {"errors": 3000}),
    "immediate": ("heart", DTMCClassifier, {"errors": MISS, "delayed": False}),
    "missing": ("hepatitis", DTMCClassifier, {"errors": 100}),
    "fractional": ("hepatitis", C45Classifier, {"errors": 100}),
}


def fitted(name):
    data, learner, prices = MODELS[name]
    return learner(load_costs(data, **prices)).fit(*load(data, return_X_y=True))


@pytest.mark.parametrize("name", MODELS)
def test_nodes_are_worded_as_in_python(open_page, name):
    model = fitted(name)
    tree, charges = model.tree_, model.tree_.charges(model._prices())
    said = open_page(model).evaluate(SAID)
    assert [(one["box"], one["line"]) for one in said] == words_of(model)
    conditions = {
        child: str(tree.condition(node, answers))
        for node in range(tree.n_nodes)
        for answers, child in tree.branches(node)
    }
    assert [one["condition"] for one in said[1:]] == [conditions[i] for i in sorted(conditions)]
    assert [one["bill"] for one in said] == pytest.approx(charges.bill.tolist())
    assert [one["charge"] for one in said] == pytest.approx(charges.charge.tolist())


def test_decisions_are_worded_as_in_python(open_page):
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    refer = Costs(
        dict(costs.tests),
        errors=500,
        decisions={"refer": 60, "treat": {"sick": -5, "healthy": 90}},
        unit="CAD",
        default_test_cost=1,
    )
    model = DTMCClassifier(refer).fit(X, y)
    said = open_page(model).evaluate(SAID)
    assert [(one["box"], one["line"]) for one in said] == words_of(model)
    assert any("refer" in one["line"] for one in said)


# ------------------------------------------------------------------------- other prices

MOVED = """(factors) => {
  const prices = new Prices(data.model, view, byId("prices"));
  for (const [key, factor] of Object.entries(factors)) prices.factors.set(key, factor);
  const guide = prices.altered(), { stops, ...found } = prices.judged(guide);
  return { ...found, stops: [...stops], labels: guide.labels };
}"""


@pytest.mark.parametrize("seed", range(6))
def test_other_prices_are_reckoned_as_in_python(open_page, seed):
    rng = np.random.default_rng(seed)
    model = fitted(["immediate", "missing"][seed % 2])
    tree, costs = model.tree_, model.costs
    names = [column.name for column in tree.columns]
    asked = sorted({int(t) for t in tree.nodes.test.tolist() if t >= 0})
    by_test = {t: float(10 ** rng.uniform(-1, 1)) for t in asked}
    by_class = [float(10 ** rng.uniform(-1, 1)) for _ in tree.classes]
    factors = {f"test {t}": f for t, f in by_test.items()}
    factors |= {f"class {c}": f for c, f in enumerate(by_class)}
    found = open_page(model).evaluate(MOVED, factors)

    prices = costs.prices(names)
    full = prices.full.copy()
    for test, factor in by_test.items():
        full[test] *= factor
    discount = np.minimum(prices.discount, full[:, None])
    charges = tree.charges(prices._replace(full=full, discount=discount))
    errors = costs_of_answers(tree, costs) * np.array(by_class)
    allowed = all_allowed(tree.n_nodes, len(errors))
    counts = tree.nodes.counts
    labels = cheapest_between(errors, counts, tree.first_decision, allowed)
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    n = tree.weights[0]
    assert found["labels"] == labels.tolist()
    assert found["tests"] == pytest.approx(
        sum(charges.bill[i] * tree.weights[i] for i in leaves) / n
    )
    wrong = sum(float(errors[labels[i]] @ counts[i]) for i in leaves) / n
    assert found["errors"] == pytest.approx(wrong)
    assert found["guess"] == pytest.approx(float((errors @ counts[0]).min()) / n)
    assert found["changed"] == sum(labels[i] != tree.labels[i] for i in leaves)


def test_sliders_mark_what_changes(open_page):
    page = open_page(fitted("immediate"))
    page.locator(".what-if summary").click()
    said = page.inner_text("#prices-said")
    assert page.locator("#tree .changed").count() == 0
    assert page.locator("#prices-reset").is_disabled()
    page.locator('[data-price="class 1"]').fill("-1")
    page.locator('[data-price="class 0"]').fill("1")
    assert "Answers that change: " in page.inner_text("#prices-said")
    changed = page.locator("#tree .answer.changed")
    assert changed.count() > 0
    assert "before: sick" in changed.first.get_attribute("aria-label")
    test = page.locator('[data-price^="test"]').first
    test.fill("1")
    assert "not worth asking" in page.locator("#tree .ask.changed").first.get_attribute(
        "aria-label"
    )
    bill = page.inner_text("#bill")
    page.locator("#prices-reset").click()
    assert page.inner_text("#prices-said") == said
    assert page.locator("#tree .changed").count() == 0
    assert page.inner_text("#bill") == bill


def test_a_learner_blind_to_errors_keeps_its_answers(open_page):
    X, y = load("heart", return_X_y=True)
    page = open_page(EG2Classifier(load_costs("heart", errors=500)).fit(X, y))
    found = page.evaluate(MOVED, {"class 0": 10.0})
    assert found["changed"] == 0
    page.locator(".what-if summary").click()
    assert "always answers the most frequent class" in page.inner_text("#prices")
