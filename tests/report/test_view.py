"""The look of the page in a real browser: where the tree stands, on screens, paper and phones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from frugaltree import ACTClassifier, Costs, DTMCClassifier, EG2Classifier, FrugalTreeClassifier
from frugaltree.datasets import load, load_costs

pytestmark = pytest.mark.xdist_group("browser")

PHONE = 375

IN_VIEW = """(node) => {
  const box = document.querySelector(`[data-node="${node}"] .frame`)?.getBoundingClientRect();
  const tree = document.getElementById("tree").getBoundingClientRect();
  return box !== undefined && box.left >= tree.left && box.right <= tree.right
    && box.top >= tree.top && box.bottom <= tree.bottom;
}"""

FOCUSED = "Number(document.activeElement.dataset.node)"


@pytest.fixture(scope="module")
def heart():
    X, y = load("heart", return_X_y=True)
    return DTMCClassifier(load_costs("heart", errors=500, delayed=False)).fit(X, y)


@pytest.fixture(scope="module")
def large():
    X, y = load("krk", return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:14_000]
    return EG2Classifier(Costs(dict.fromkeys(X.columns, 1.0), errors=100)).fit(X[rows], y[rows])


def wordy(*values, labels=("a", "b")):
    """Return a tree of one test that tells values apart."""
    X = pl.DataFrame({"t": list(values) * 10})
    return EG2Classifier(Costs({"t": 1}, errors=100)).fit(X, list(labels) * 10)


# ------------------------------------------------------------------------------- in view


@pytest.mark.parametrize("width", [1280, 768, PHONE])
def test_a_large_tree_opens_at_its_root(open_page, large, width):
    page = open_page(large, width=width)
    assert page.evaluate(IN_VIEW, 0)
    assert page.evaluate("view.places.size") > 5


def test_the_tree_follows_a_case(open_page, large):
    page = open_page(large, width=PHONE)
    while page.evaluate("caseView.consultation.isOpen"):
        if page.locator("#value").count():
            page.fill("#value", "5")
            page.press("#value", "Enter")
        else:
            page.locator("#consultation .choices button").first.click()
        node = page.evaluate("view.current")
        assert page.evaluate("view.path.has(view.current)")
        assert page.evaluate(IN_VIEW, node)
    assert large.tree_.is_leaf(node)


# -------------------------------------------------------------------------------- search


def test_every_hit_can_be_reached(open_page, large):
    page = open_page(large)
    page.fill("#search", "five")
    n = page.evaluate("view.hits.length")
    assert 10 < n < 200
    assert page.locator("#hits").inner_text() == f"1 of {n}"
    page.get_by_role("button", name="previous found").click()
    assert page.locator("#hits").inner_text() == f"{n} of {n}"
    page.press("#search", "Enter")
    seen = set()
    for _ in range(n):
        node = page.evaluate("view.current")
        seen.add(node)
        assert page.evaluate(IN_VIEW, node)
        assert page.locator(".box.hit").get_attribute("data-node") == str(node)
        page.get_by_role("button", name="next found").click()
    assert len(seen) == n
    page.fill("#search", "no such word")
    assert page.locator("#hits").inner_text() == "none found"
    assert page.get_by_role("button", name="next found").is_disabled()


# ----------------------------------------------------------------------------- keyboard


def test_one_stop_for_tab_and_arrows_for_the_rest(open_page, heart):
    page = open_page(heart)
    tree = heart.tree_
    assert page.locator('#tree [tabindex="0"]').count() == 1
    page.locator("#smaller").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == 0
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == 1
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED) == 2
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(FOCUSED) == 0
    page.keyboard.press("ArrowLeft")
    root = page.locator('[data-node="0"]')
    assert root.get_attribute("aria-expanded") == "false"
    assert page.evaluate(FOCUSED) == 0
    page.keyboard.press("ArrowRight")
    assert root.get_attribute("aria-expanded") == "true"
    assert page.evaluate(FOCUSED) == 0
    page.keyboard.press("End")
    assert page.evaluate(FOCUSED) == tree.n_nodes - 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED) == tree.nodes.parent[tree.n_nodes - 1]
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert root.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Tab")
    assert page.locator("#tree :focus").count() == 0


def test_readers_hear_where_they_are(open_page, heart):
    page = open_page(heart)
    boxes = page.locator('#tree [role="treeitem"]')
    told = boxes.evaluate_all(
        """(all) => all.map((one) => ({
          node: Number(one.dataset.node), name: one.getAttribute("aria-label"),
          text: one.textContent.trim().replace(/\\s+/g, " "),
          level: Number(one.getAttribute("aria-level")),
          place: [one.getAttribute("aria-posinset"), one.getAttribute("aria-setsize")].map(Number),
        }))"""
    )
    assert [one["node"] for one in told] == list(range(heart.tree_.n_nodes))
    for one in told:
        assert one["text"] in one["name"]
    parent = heart.tree_.nodes.parent.tolist()
    for one in told[1:]:
        beside = [child for _, child in heart.tree_.branches(parent[one["node"]])]
        assert one["level"] == told[parent[one["node"]]]["level"] + 1
        assert one["place"] == [beside.index(one["node"]) + 1, len(beside)]
    assert page.locator("th:empty").count() == 0
    for region in page.locator(".scroll").all():
        assert region.get_attribute("role") == "region"
        assert region.get_attribute("aria-label")
        assert region.get_attribute("tabindex") == "0"


# --------------------------------------------------------------------------------- texts


def test_long_names_are_told_apart_and_told_in_full(open_page):
    values = ("the first of two quite long values", "the second of two quite long values")
    labels = ("building windows, float processed", "building windows, not so processed")
    page = open_page(wordy(*values, labels=labels))
    for node, (value, label) in enumerate(zip(values, labels, strict=True), start=1):
        lines = page.locator(f'[data-node="{node}"] .title').all_text_contents()
        assert len(lines) == 2
        assert " ".join(map(str.strip, lines)) == label
        page.locator(f'[data-node="{node}"]').click()
        details = page.locator("#details").inner_text()
        assert value in details
        assert label in details
    branch = page.locator(".branch").all_text_contents()
    assert " ".join(branch) == " ".join(values)
    longest = " ".join(["word"] * 50)
    page = open_page(wordy(longest, "x"))
    assert page.locator(".branch", has_text="…").count() == 1
    page.locator('[data-node="1"]').click()
    assert longest in page.locator("#details").inner_text()


OVERLAPS = """() => {
  const rect = (one) => one.getBoundingClientRect();
  const rects = (kind) => [...document.querySelectorAll(kind)].map(rect);
  const frames = rects(".frame");
  return rects(".branch").filter((a) => frames.some((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
}"""


def test_texts_of_branches_stay_clear_of_boxes(open_page, heart):
    assert open_page(heart).evaluate(OVERLAPS) == 0


def test_eight_classes_do_not_look_alike(open_page):
    names = [f"v{i:02}" for i in range(20)]
    page = open_page(wordy(*names, labels=names))
    look = """(all) => all.map((one) => { const style = getComputedStyle(one);
      return style.stroke + style.strokeDasharray; })"""
    assert len(set(page.locator(".answer .frame").evaluate_all(look))) == 20
    assert page.locator("h1").inner_text() == "Which of 20 classes?"
    own = page.locator('[data-node="1"] .frame').evaluate("(one) => getComputedStyle(one).stroke")
    page.get_by_role("button", name="v00", exact=True).click()
    on_way = page.locator('.onway[data-node="1"]')
    stroke = "(one) => getComputedStyle(one).stroke"
    assert on_way.locator(".frame").evaluate(stroke) == own
    assert on_way.locator(".ring").evaluate(stroke) not in (own, "none")


# --------------------------------------------------------------------------------- paper


def test_a_large_tree_is_printed_in_part_and_says_so(open_page, large):
    page = open_page(large)
    page.evaluate("view.openAll(); view.zoom(1.25)")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = page.locator("#tree li").count()
    assert 20 < shown <= 200
    n = large.tree_.n_nodes
    assert f"{n - shown:,} of {n:,} nodes are left out" in page.locator("#details").inner_text()
    more = page.locator("#tree").inner_text()
    assert "nodes more" in more
    assert not page.locator(".tools, .screen").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("[view.places.size, view.scale]") == [n, 1.25]
    assert page.locator("#tree .box").count() > 0


def test_what_was_opened_is_printed_too(open_page, large):
    page = open_page(large)
    last = large.tree_.n_nodes - 1
    page.evaluate("(node) => { view.reveal(node); view.draw(); }", last)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    condition = page.evaluate("(node) => view.conditions[node]", last)
    assert page.locator("#tree li").last.inner_text().startswith(condition)


def test_a_small_tree_is_printed_whole(open_page, heart):
    page = open_page(heart)
    page.evaluate("view.closeAll()")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#tree .box, #tree li").count() == heart.tree_.n_nodes
    assert page.locator("#details").inner_text() == ""
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#tree .box").count() == 1


def test_paper_takes_few_pages(open_page, large):
    page = open_page(large)
    page.evaluate("view.openAll()")
    assert 2 <= page.pdf(format="A4").count(b"/Type /Page\n") <= 10


# ------------------------------------------------------------------------ phones and charts


def test_a_phone_shows_every_column(open_page, heart):
    X, y = load("heart", return_X_y=True)
    page = open_page(heart, X, y, width=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    for region in page.locator(".scroll").all():
        assert region.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    top = "(one) => one.getBoundingClientRect().top"
    tops = [page.locator(one).evaluate(top) for one in (".figures", "#tree", "#consult")]
    assert tops == sorted(tops)
    cell = page.locator('td[data-head="price, CAD"]').first
    assert "CAD" not in cell.inner_text()
    small = """(all) => all.map((one) => { const svg = one.ownerSVGElement;
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      return parseFloat(getComputedStyle(one).fontSize) * scale; })"""
    assert min(page.locator(".chart text").evaluate_all(small)) >= 11


def test_charts_have_round_ticks_units_and_a_legend(open_page, heart):
    page = open_page(heart)
    texts = page.locator("#sensitivity text").all_text_contents()
    assert "expected cost per case, CAD" in texts
    assert {"0.1", "0.2", "0.5", "1", "2", "5", "10"} <= set(texts)
    ticks = page.evaluate("[ticks(15, 2411, true, 8), ticks(0, 132, false, 8)]")
    assert ticks[0] == [20, 50, 100, 200, 500, 1000, 2000]
    assert ticks[1] == [0, 20, 40, 60, 80, 100, 120]
    for span in ([3, 3.5], [0.02, 0.021], [1, 1e9]):
        assert 2 <= len(page.evaluate("([a, b]) => ticks(a, b, true, 8)", span)) <= 10
    assert page.locator("#sensitivity .key li").count() == 3
    assert page.locator("#sensitivity .key li path.curve").count() == 3


def test_a_leaf_alone_has_a_page_too(open_page):
    page = open_page(EG2Classifier().fit([[1.0], [1.0]], ["a", "b"]))
    assert page.locator(".box").count() == 1
    assert page.locator("#details").inner_text().startswith("answers a")


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const probe = document.body.appendChild(document.createElement("i"));
  const of = (name) => {
    probe.style.color = `var(--${name})`;
    return light(getComputedStyle(probe).color);
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const inks = ["ink", "soft", "way", ..."0123456".split("").map((i) => `c${i}`)];
  const grounds = ["page", "card", "mark"];
  return Math.min(...inks.flatMap((ink) => grounds.map((on) => ratio(of(ink), of(on)))));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_colours_can_be_read(open_page, heart, scheme):
    page = open_page(heart)
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate(CONTRAST) >= 4.5


# --------------------------------------------------------------------------------- words


def test_settings_and_proofs_are_put_in_words(open_page):
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    model = FrugalTreeClassifier(costs, max_steps=300, random_state=0).fit(X, y)
    page = open_page(model)
    assert not page.locator("#history").is_visible()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    body = page.locator("body").inner_text()
    assert "gap" not in page.locator(".figures").inner_text()
    assert "a longer one may find a cheaper tree" in body
    section = page.locator("details", has=page.locator("#tuning-title"))
    assert section.locator("tr.this th").inner_text().endswith("(chosen)")
    assert "must save the cost of 2 errors more than it costs and" in section.inner_text()
    assert "share a cost" in body
    act = ACTClassifier(costs, n_samples=1, w="grid", random_state=0).fit(X, y)
    page = open_page(act)
    page.locator("#tuning-title").click()
    assert "w is how much prices are heeded" in page.locator("body").inner_text()
