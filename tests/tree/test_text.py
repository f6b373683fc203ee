"""The text view: every branch a line, every price as charged, however odd the tree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from frugaltree import C45Classifier, Costs, DTMCClassifier, EG2Classifier, Group, ID3Classifier
from frugaltree.consult.consultation import Consultation
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export.dot import to_dot
from frugaltree.export.rules import to_rules
from frugaltree.tree.text import View, cases, charges_of, money, percent, tree_text
from frugaltree.tree.tree import Tree


def text_of(learner, max_depth=None):
    costs = learner.costs or Costs()
    prices = costs.prices([column.name for column in learner.tree_.columns])
    return tree_text(learner.tree_, prices, unit=costs.unit, max_depth=max_depth)


@pytest.fixture(scope="module")
def heart():
    return load("heart", return_X_y=True)


def fever(**options):
    """Eight cases: a fever and a cough together mean ill."""
    X = pd.DataFrame(
        {
            "fever": [36, 36, 37, 37, 39, 39, 39, 39],
            "cough": ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"],
        }
    )
    y = ["well", "well", "well", "well", "well", "well", "ill", "ill"]
    return ID3Classifier(Costs({"fever": 2, "cough": 3}, **options)).fit(X, y)


def test_a_line_for_each_branch_with_whole_prices():
    assert text_of(fever()) == (
        "asks fever, price 2\n"
        "├─ fever <= 38: well  4 cases, 100 %\n"
        "└─ fever > 38:  asks cough, price 3\n"
        "   ├─ cough = no:  well  2 cases, 100 %\n"
        "   └─ cough = yes: ill  2 cases, 100 %"
    )


def test_group_members_show_what_is_charged_there():
    text = text_of(fever(groups={"visit": Group(["fever", "cough"], cost=2.5)}, unit="CAD"))
    assert text.startswith("asks fever, CAD 4.50\n")
    assert "asks cough, CAD 3.00\n" in text


def test_delayed_test_shows_its_whole_order():
    lines = text_of(fever(delayed=["fever"], unit="CAD")).split("\n")
    assert lines[0] == "orders fever + cough now, CAD 5, results later"
    assert lines[2] == "└─ fever > 38:  reads cough (already ordered)"
    lines = text_of(fever(delayed=["cough"], unit="CAD")).split("\n")
    assert lines[2] == "└─ fever > 38:  orders cough now, CAD 3, result later"


def test_what_was_paid_before_an_order_is_not_ordered():
    X = [[a, b] for a in (0, 1, 2) for b in (0, 1)]
    model = ID3Classifier(Costs([1, 1], delayed=[1])).fit(X, [0, 0, 1, 0, 2, 2])
    model.tree_ = Tree.from_dict(
        {
            **model.tree_.to_dict(),
            "test": [0, None, 1, 0, None, None, None],
            "threshold": [0.5, None, 0.5, 1.5, None, None, None],
            "children": [[1, 2], [], [3, 6], [4, 5], [], [], []],
            "counts": [
                [3, 1, 2],
                [2, 0, 0],
                [1, 1, 2],
                [0, 1, 1],
                [0, 1, 0],
                [0, 0, 1],
                [1, 0, 1],
            ],
            "labels": [0, 0, 2, 1, 1, 2, 0],
        }
    )
    lines = text_of(model).split("\n")
    assert lines[2].endswith("orders x1 now, price 1, result later")
    assert lines[3].endswith("reads x0 (already paid)")


def test_in_a_box_an_order_names_three_tests_at_most():
    X, y = load("heart", return_X_y=True)
    learner = EG2Classifier(load_costs("heart", errors=1000)).fit(X, y)
    prices = learner.costs.prices(X.columns)
    view = View(learner.tree_, charges_of(learner.tree_, prices), "CAD", None)
    said = {view.in_box(n) for n in range(learner.tree_.n_nodes) if not learner.tree_.is_leaf(n)}
    assert "orders fbs + 3 more now, CAD 113.17" in said
    assert {"CAD 1.00", "already ordered"} <= said
    small = fever(delayed=["fever"], unit="CAD")
    charges = charges_of(small.tree_, small.costs.prices(["fever", "cough"]))
    boxes = View(small.tree_, charges, "CAD", None)
    assert [boxes.in_box(n) for n in (0, 2)] == [
        "orders fever + cough now, CAD 5",
        "already ordered",
    ]
    assert View(small.tree_, None, None, None).in_box(0) == "free"


def test_known_test_is_free():
    text = text_of(fever(known=["fever"]))
    assert text.startswith("asks fever, free\n")
    assert "asks cough, price 3" in text


def test_without_prices_none_are_shown():
    tree = fever().tree_
    for prices in (None, Costs().prices(["fever", "cough"])):
        text = tree_text(tree, prices)
        assert text.startswith("asks fever\n")
        assert "free" not in text


def test_test_asked_twice_is_paid_once():
    X, y = [[1], [2], [3]], ["a", "b", "a"]
    learner = ID3Classifier(Costs([7])).fit(X, y)
    assert "asks x0 again (already paid)" in text_of(learner)
    assert "asks x0 again\n" in tree_text(learner.tree_)


def test_single_leaf():
    learner = DTMCClassifier(Costs([50], errors=1)).fit([[0], [1], [1]], ["a", "a", "b"])
    assert text_of(learner) == "a  3 cases, 67 %"


def test_untaken_branches_are_summed_up():
    colours = pd.Categorical(["red", "red", "blue"], categories=["red", "green", "blue", "pink"])
    X = pd.DataFrame({"colour": colours})
    assert text_of(ID3Classifier().fit(X, ["a", "a", "b"])) == (
        "asks colour\n"
        "├─ colour = red:  a  2 cases, 100 %\n"
        "├─ colour = blue: b  1 case, 100 %\n"
        "└─ other values:  a (the node's own answer)"
    )


def test_ordinal_branches_name_categories():
    sizes = pd.Categorical(["S", "M", "L"], categories=["S", "M", "L"], ordered=True)
    text = text_of(ID3Classifier().fit(pd.DataFrame({"size": sizes}), ["a", "a", "b"]))
    assert "├─ size <= M: a  2 cases, 100 %" in text
    assert "└─ size > M:  b  1 case, 100 %" in text


def test_shares_of_many_classes_are_compact():
    y = list("aaaaabbbccdef")
    learner = DTMCClassifier(Costs([999])).fit([[0]] * 13, y)
    assert text_of(learner) == "a  13 cases, 38 % (b 23 %, c 15 %, d 8 %, 2 more 15 %)"


def leaf_of(errors, y):
    """Return a single leaf, whose tests are too dear to be asked."""
    return DTMCClassifier(Costs([999999], errors=errors, unit="EUR")).fit([[0]] * len(y), y)


def test_a_rarer_class_says_why_it_is_answered():
    y = ["benign"] * 127 + ["malignant"] * 7
    errors = {("benign", "malignant"): 40000, ("malignant", "benign"): 2000}
    learner = leaf_of(errors, y)
    reason = "a miss costs 20 times as much"
    said = f"5 % of 134 are malignant; answer malignant, because {reason}"
    assert learner.to_text() == said
    assert to_rules(learner) == f"ALWAYS malignant (5 % of 134; {reason}; bill EUR 0)\n"
    assert f'"malignant\\n5 % of 134; {reason}"' in to_dot(learner)
    answer = Consultation(learner).answer
    assert str(answer).startswith(f"malignant, because {reason}, 5 % of 134 cases (95 %")


@pytest.mark.parametrize(
    ("miss", "alarm", "reason"),
    [
        (15, 10, "a miss costs 1.5 times as much"),
        (12345, 10, "a miss costs 1,234 times as much"),
        (5, 0, "only a miss costs anything"),
    ],
)
def test_how_much_more_a_miss_costs(miss, alarm, reason):
    errors = {("a", "b"): miss, ("b", "a"): alarm}
    assert leaf_of(errors, list("aaabbaabba") + ["b"] * 1).to_text().startswith("45 % of 11 are b")
    assert leaf_of(errors, list("aaabbaabbab")).to_text().endswith(f"because {reason}")


def test_a_class_between_others_says_what_it_saves():
    order = ["low", "normal", "high"]
    errors = {(p, a): 2 ** abs(order.index(p) - order.index(a)) for p in order for a in order}
    errors = {
        pair: 9 if cost == 4 else cost for pair, cost in errors.items() if pair[0] != pair[1]
    }
    learner = leaf_of(errors, ["low"] * 5 + ["high"] * 5 + ["normal"])
    assert learner.to_text() == (
        "9 % of 11 are normal (high 45 %, low 45 %); answer normal, because its errors cost "
        "EUR 1.82 a case, those of high EUR 4.27"
    )


def test_without_costs_of_errors_no_reason_is_given():
    errors = {("a", "b"): 90, ("b", "a"): 1}
    text = tree_text(leaf_of(errors, list("aaab")).tree_)
    assert text == "25 % of 4 are b; answer b"


def test_missing_values_make_broken_counts():
    X = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [np.nan]]
    learner = C45Classifier(prune=False).fit(X, ["a", "a", "a", "b", "b", "b", "b"])
    assert "a  3.5 cases, 86 %" in text_of(learner)


def test_names_and_values_with_line_breaks_stay_on_a_line():
    X = pd.DataFrame({"a\nb": ["u\tv", "w\x1b[31m"]})
    lines = text_of(ID3Classifier().fit(X, ["n\no", "yes"])).split("\n")
    assert lines == [
        r"asks a\nb",
        r"├─ a\nb = u\tv:      n\no  1 case, 100 %",
        r"└─ a\nb = w\x1b[31m: yes  1 case, 100 %",
    ]


def test_max_depth_counts_what_is_cut_off():
    learner = fever()
    assert text_of(learner, max_depth=0) == "asks fever, price 2\n└─ … 4 nodes more"
    assert text_of(learner, max_depth=1).endswith(
        "└─ fever > 38:  asks cough, price 3\n   └─ … 2 nodes more"
    )
    assert text_of(learner, max_depth=2) == text_of(learner)
    for depth, given in [(-1, "-1"), ("a", "'a'"), (1.5, "1.5")]:
        with pytest.raises(FrugaltreeError, match=f"whole number, 0 or more, but is {given}; "):
            learner.to_text(max_depth=depth)


def test_large_and_deep_trees():
    rng = np.random.default_rng(0)
    learner = ID3Classifier().fit(rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000))
    tree = learner.tree_
    text = text_of(learner, max_depth=3)
    assert len(text.split("\n")) < 32
    cut = [
        int(line.split("… ")[1].split()[0].replace(",", ""))
        for line in text.split("\n")
        if "…" in line
    ]
    shown = len(text.split("\n")) - len(cut)
    assert shown + sum(cut) == tree.n_nodes
    assert len(text_of(learner).split("\n")) == tree.n_nodes
    n = 2500  # alternating classes make a tree deeper than Python's stack
    chain = ID3Classifier().fit(np.arange(n).reshape(-1, 1), np.arange(n) % 2).tree_
    assert len(tree_text(chain).split("\n")) == chain.n_nodes


def test_heart_with_experts_prices(heart):
    X, y = heart
    text = text_of(EG2Classifier(load_costs("heart", errors=1000, delayed=False)).fit(X, y))
    lines = text.split("\n")
    assert lines[0] == "asks cp, CAD 1.00"
    assert "│  └─ sex = male:   asks restecg, CAD 15.50" in lines
    assert "│     └─ other values:             healthy (the node's own answer)" in lines
    # Drawing blood, 2.10, is paid with the first of two tests: fbs 3.10 + 2.10, then chol 5.17.
    assert any(line.endswith("asks fbs, CAD 5.20") for line in lines)
    assert any(line.endswith("asks chol, CAD 5.17") for line in lines)
    assert any(line.endswith("asks chol, CAD 7.27") for line in lines)


def test_heart_with_delays(heart):
    X, y = heart
    learner = EG2Classifier(load_costs("heart", errors=1000)).fit(X, y)
    text = text_of(learner)
    assert "orders fbs + restecg + exang + chol now, CAD 113.17, results later" in text
    assert len(text.split("\n")) == learner.tree_.n_nodes + text.count("other values")


@pytest.mark.parametrize(
    ("amount", "unit", "ref"),
    [
        (3, None, "3.00"),
        (1234.5, "€", "€ 1,234.50"),
        (2, "hours", "2.00 hours"),
        (0, "CAD", "CAD 0.00"),
    ],
)
def test_money(amount, unit, ref):
    assert money(amount, unit) == ref


def test_shares_and_counts_do_not_round_to_certainty():
    assert [percent(s) for s in (0, 0.0001, 0.5, 0.9999, 1)] == [
        "0 %",
        "<1 %",
        "50 %",
        ">99 %",
        "100 %",
    ]
    assert [cases(w) for w in (1, 0.96, 12, 0.5)] == ["1 case", "1 case", "12 cases", "0.5 cases"]
