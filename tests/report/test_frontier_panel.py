"""The panel of a frontier in a real browser: its slider, its trees, on paper and phones."""

from __future__ import annotations

import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, frontier
from frugaltree.datasets import load, load_costs
from frugaltree.report.content import content_of
from frugaltree.report.page import render
from frugaltree.tree.text import money, percent

pytestmark = pytest.mark.xdist_group("browser")

PHONE = 375


@pytest.fixture(scope="module")
def found():
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    learner = FrugalTreeClassifier(
        costs, max_steps=200, max_depth=2, pessimism="paper", random_state=0
    )
    return frontier(learner, X, y, folds=3)


@pytest.fixture
def page(open_page, found):
    return open_page(found.at(500).estimator, frontier=found)


def check_point(page, found, number):
    """Check that the panel shows a point: its prices, its figures and its tree."""
    point = found.points[number]
    prices = f"{money(point.price_from)} to {money(point.price_to, 'CAD')}"
    assert page.locator("#price-text").inner_text() == prices
    assert page.locator("#price").get_attribute("aria-valuetext") == prices
    assert page.locator("#price").input_value() == str(number)
    said = page.locator("#point").inner_text().replace("\u00a0", " ")
    told = point.held_out
    for figure in (
        money(told.test_cost.value, "CAD"),
        f"{money(told.test_cost.low)} to {money(told.test_cost.high)}",
        percent(told.error_rate.value),
        f"{percent(told.sensitivity.low)} to {percent(told.sensitivity.high)}",
        percent(told.specificity.value),
    ):
        assert figure in said
    assert ("saved by one more CAD" in said) == (number > 0)
    boxes = page.locator("#point-tree > div:not([hidden]) .box")
    assert boxes.count() == point.estimator.tree_.n_nodes
    root = boxes.first.locator(".title").first.text_content().strip()
    tree = point.estimator.tree_
    first = (
        tree.classes[tree.labels[0]]
        if tree.is_leaf(0)
        else f"{tree.columns[tree.nodes.test[0]].name}?"
    )
    assert root == first
    assert page.locator("#points .dot.now").count() == 1


def test_the_slider_moves_along_the_trees(page, found):
    n = len(found.points)
    own = found.points.index(found.at(500))
    assert n > 2
    check_point(page, found, own)
    slider = page.locator("#price")
    assert slider.get_attribute("max") == str(n - 1)
    slider.focus()
    page.keyboard.press("Home")
    check_point(page, found, 0)
    for number in range(1, n):
        page.keyboard.press("ArrowRight")
        check_point(page, found, number)
    page.keyboard.press("ArrowRight")
    check_point(page, found, n - 1)
    page.get_by_role("button", name="as in the price list").click()
    check_point(page, found, own)
    assert page.locator("#points .dot").count() == n
    far = page.locator(
        "#points .dot", has=page.locator(f"title:text('{found.points[-1].price_to:,.2f}')")
    )
    far.click()
    check_point(page, found, n - 1)


def test_a_mouse_moves_it_too(page, found):
    page.locator("#price").scroll_into_view_if_needed()
    box = page.locator("#price").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    check_point(page, found, len(found.points) - 1)


def test_a_tree_keeps_what_was_opened_in_it(page, found):
    n = len(found.points)
    page.locator("#price").fill(str(n - 1))
    root = page.locator("#point-tree > div:not([hidden]) [data-node='0']")
    root.click()
    assert root.get_attribute("aria-expanded") == "false"
    page.locator("#price").fill("0")
    assert page.locator("#point-tree > div:not([hidden])").count() == 1
    page.locator("#price").fill(str(n - 1))
    assert root.get_attribute("aria-expanded") == "false"
    assert page.locator("#tree [data-node='0']").get_attribute("aria-expanded") == "true"


def test_all_points_stand_in_a_table_and_on_paper(page, found):
    rows = page.locator("#frontier tbody tr")
    assert rows.count() == len(found.points)
    assert not rows.first.is_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rows.first.is_visible()
    assert not page.locator("#price").is_visible()
    assert not page.locator("#point-tree").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not rows.first.is_visible()
    page.locator("#frontier summary").click()
    assert rows.first.is_visible()


def test_a_phone_shows_all_of_it(open_page, found):
    page = open_page(found.at(500).estimator, frontier=found, width=PHONE)
    page.locator("#frontier summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    slider = page.locator("#price").bounding_box()
    assert slider["x"] >= 0
    assert slider["x"] + slider["width"] <= PHONE
    assert slider["height"] >= 24  # for a finger


def test_only_a_page_with_a_frontier_has_the_panel(open_page, found):
    model = found.at(500).estimator
    page = open_page(model)
    assert page.locator("#frontier, #price").count() == 0
    assert "FrontierView" not in render(content_of(model))


def test_names_stay_text_in_the_panel(open_page):
    nasty = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>"]
    X = pl.DataFrame({nasty[0]: ([nasty[1]] * 10 + ["b"] * 10), "other": ["c", "d"] * 10})
    y = [nasty[0]] * 10 + [nasty[1]] * 10
    costs = Costs({nasty[0]: 1.0, "other": 1.0}, errors=100, unit="<u>")
    learner = FrugalTreeClassifier(costs, pessimism="none", time_limit=None, random_state=0)
    found = frontier(learner, X, y, folds=2)
    page = open_page(found.at(100).estimator, frontier=found)
    assert nasty[0] in page.locator("#point-details span:not([hidden])").text_content()
    assert nasty[0] in page.locator("#point").inner_text()
    assert page.locator("img, #frontier script").count() == 0


def test_one_tree_at_all_prices_needs_no_slider(open_page):
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    found = frontier(EG2Classifier(costs), X, y, folds=0)
    page = open_page(found.points[0].estimator, frontier=found)
    assert page.locator("#price").count() == 0
    assert page.locator("#point-tree .box").count() > 5
    assert "One tree is the best at every price" in page.locator("#frontier").inner_text()
