"""Decisions in a price list: what they mean, in Python and in files, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs
from frugaltree.exceptions import InvalidCosts

ERRORS = {("ill", "well"): 100, ("well", "ill"): 400}
TABLE = {
    "treat": {"ill": -50, "well": 30},
    "watch": {"ill": 200, "well": 0},
    "refer": 60,
}

BAD = {
    "empty": ({}, "decisions is empty"),
    "a list": (["refer"], "decisions must map each decision to its cost, but is"),
    "a number": (60, "decisions must map each decision to its cost, but is 60"),
    "no cost": ({"refer": None}, "decision 'refer' has no cost"),
    "no costs": ({"refer": {}}, "decision 'refer' has no cost; give one for each class"),
    "no list": ({"refer": []}, "decision 'refer' has no cost; give one for each class"),
    "no name": ({"": 60}, "decisions names '', which is no text"),
    "a numbered one": ({3: 60}, "decisions names 3, which is no text"),
    "text": ({"refer": "dear"}, "the cost of decision 'refer' must be a finite number"),
    "a flag": ({"refer": True}, "the cost of decision 'refer' must be a finite number"),
    "nan": ({"refer": float("nan")}, "'refer' must be a finite number, 0 or more, but is nan"),
    "inf": ({"refer": float("inf")}, "'refer' must be a finite number, 0 or more, but is inf"),
    "minus inf": ({"refer": -np.inf}, "'refer' must be a finite number, 0 or more, but is -inf"),
    "a gain": ({"refer": -5}, r"is -5; a gain is given by class, as in \{'refer': \{'ill': -5"),
    "nan by class": (
        {"watch": {"ill": float("nan"), "well": 0}},
        "'watch' for class 'ill' must be a finite number, but is nan",
    ),
    "inf by class": (
        {"watch": {"ill": -np.inf, "well": 0}},
        "must be a finite number, but is -inf",
    ),
    "huge and negative": ({"refer": -(10**400)}, "a gain is given by class"),
    "huge for all": ({"refer": 10**400}, "must be a finite number, 0 or more, but is 1000"),
    "too large": (
        {"watch": {"ill": -1e200, "well": 0}},
        "'ill' is -1e.200, too large to be added",
    ),
    "huge": ({"watch": {"ill": 10**400, "well": 0}}, "too large to be added"),
    "a class left out": ({"watch": {"ill": 200}}, "'watch' has no cost for class 'well'; add it"),
    "an odd class": (
        {"watch": {"ill": 2, "well": 0, "wel": 1}},
        "names the class 'wel', but the classes are .* Did you mean 'well'",
    ),
    "the name of a class": ({"ill": 60}, "the decision 'ill' has the name of a class"),
    "short": ({"watch": [1, 2, 3]}, "'watch' has 3 costs for 2 classes"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_decisions_get_one_sentence(name: str) -> None:
    given, said = BAD[name]
    with pytest.raises(InvalidCosts, match=said) as found:
        Costs(errors=ERRORS, decisions=given)
    assert "\n" not in str(found.value)
    assert str(found.value).count(". ") <= 1  # but for a name that may be meant


def test_classes_that_only_the_table_knows() -> None:
    costs = Costs(errors=5, decisions={"ill": 60})
    with pytest.raises(InvalidCosts, match="the decision 'ill' has the name of a class"):
        costs.resolve([], ["ill", "well"])
    costs = Costs(decisions={"treat": [0, 1], "watch": [1, 0]})
    with pytest.raises(InvalidCosts, match="list of a decision's costs has 2 classes, but the ta"):
        costs.resolve([], ["a", "b", "c"])
    with pytest.raises(InvalidCosts, match="class 'c' has no error costs"):
        Costs(decisions=TABLE).resolve([], ["ill", "c"])
    with pytest.raises(
        InvalidCosts, match="'watch' has costs for 1 classes, but the error matrix"
    ):
        Costs(errors=[[0, 1], [1, 0]], decisions={"watch": {"ill": 3}})


def test_one_answer_leaves_nothing_to_decide() -> None:
    with pytest.raises(InvalidCosts, match="'watch' is the only answer there is"):
        Costs(decisions={"watch": {"ill": 200, "well": 0}})


def test_tables_of_decisions_disagree() -> None:
    with pytest.raises(InvalidCosts, match="'watch' has no cost for class 'well'"):
        Costs(decisions={"treat": {"ill": 0, "well": 5}, "watch": {"ill": 3}})
    with pytest.raises(InvalidCosts, match="'watch' has 1 costs for 2 classes"):
        Costs(decisions={"treat": [0, 5], "watch": [3]})


def test_what_is_answered() -> None:
    beside, alone = Costs(errors=ERRORS, decisions={"refer": 60}), Costs(decisions=TABLE)
    assert beside.answers() == ("ill", "well", "refer")
    assert alone.answers() == ("treat", "watch", "refer")
    assert not beside.decides_only
    assert alone.decides_only
    assert Costs(decisions={"refer": 0.5}).answers([0, 1]) == (0, 1, "refer")  # errors cost 1
    assert beside.answer_costs(["well", "ill"]).tolist() == [[0, 400], [100, 0], [60, 60]]
    assert alone.answer_costs(["well", "ill"]).tolist() == [[30, -50], [0, 200], [60, 60]]
    assert alone.error_cost("treat", "ill") == -50
    assert beside.error_cost("refer", "ill") == 60
    assert beside.error_cost("well", "ill") == 400
    with pytest.raises(InvalidCosts, match="decisions only, no errors between classes"):
        alone.matrix()
    with pytest.raises(InvalidCosts, match="the answer 'ill' has no cost"):
        alone.error_cost("ill", "well")


def test_a_referral_changes_no_yardstick() -> None:
    plain = Costs([10, 14], errors=ERRORS)
    more = Costs([10, 14], errors=ERRORS, decisions={"refer": 7})
    assert more.ratio() == plain.ratio()
    assert (more.w(), more.cf()) == (plain.w(), plain.cf())
    shares = {"ill": 0.25, "well": 0.75}
    assert more.standard_cost(shares) == plain.standard_cost(shares)
    assert more.matrix().tolist() == plain.matrix().tolist()


def test_decisions_alone_are_judged_by_regrets() -> None:
    """Of the ill, watch and refer cost 250 and 110 more than treat; of the well 30 and 60."""
    costs = Costs([10], decisions=TABLE)
    assert costs.ratio() == (250 + 110 + 30 + 60) / 4 / 10
    assert costs.standard_cost({"ill": 0.25, "well": 0.75}) == 10 + 0.25 * 250
    same = Costs([10], decisions={"a": {0: 0, 1: 4}, "b": {0: 9, 1: 0}})
    assert same.ratio() == Costs([10], errors=[[0, 4], [9, 0]]).ratio(classes=[0, 1])


LISTS = {
    "beside": Costs({"a": 1}, errors=ERRORS, decisions={"refer": 60}),
    "alone": Costs(decisions=TABLE),
    "in another order": Costs(decisions={"refer": 60, **TABLE}),
    "numbered classes": Costs(decisions={"treat": {1: -5, 0: 30}, "watch": {1: 9, 0: 0}}),
    "by order": Costs(decisions={"treat": [0, 50.5], "refer": 9}),
    "a matrix": Costs(errors=[[0, 4], [9, 0]], classes=["x", "y"], decisions={"z": [1, -2]}),
    "number": Costs(errors=7, decisions={"refer": 3, "watch": {"x": 2, "y": 1}, "last": 5}),
}


@pytest.mark.parametrize("name", LISTS)
def test_files_keep_decisions_and_their_order(name: str, tmp_path) -> None:
    costs, path = LISTS[name], tmp_path / "costs.toml"
    costs.to_toml(path)
    again = Costs.from_toml(path)
    assert again == costs
    assert list(again.decisions) == list(costs.decisions)
    assert eval(repr(costs)).decisions == costs.decisions


FILES = {
    "twice": (
        '[[decisions]]\ndecision = "a"\ncost = 1\n' * 2,
        "decisions has two entries for 'a'",
    ),
    "twice by class": (
        '[[decisions]]\ndecision = "a"\nactual = 1\ncost = 1\n' * 2,
        "decisions has two entries for 'a'",
    ),
    "both": (
        '[[decisions]]\ndecision = "a"\ncost = 1\n'
        '[[decisions]]\ndecision = "a"\nactual = 1\ncost = 1\n',
        "decisions has two entries for 'a'",
    ),
    "no cost": ('[[decisions]]\ndecision = "a"\n', "an entry of decisions lacks the key 'cost'"),
    "unknown": (
        '[[decisions]]\ndecision = "a"\ncosts = 1\n',
        "unknown key 'costs'.* Did you mean 'cost'",
    ),
    "misspelt": ("decision = {refer = 60}", "unknown key 'decision'.* Did you mean 'decisions'"),
    "nan": ("decisions = {refer = nan}", "must be a finite number, 0 or more, but is nan"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_get_one_sentence(name: str, tmp_path) -> None:
    text, said = FILES[name]
    path = tmp_path / "costs.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidCosts, match=said):
        Costs.from_toml(path)


def test_by_order_numbers_the_classes() -> None:
    costs = Costs(errors=ERRORS, decisions={"watch": {"well": 5, "ill": 90}, "refer": 60})
    numbered = costs.by_order()
    assert numbered.decisions == {"watch": (90.0, 5.0), "refer": 60}
    assert numbered.answer_costs([0, 1]).tolist() == costs.answer_costs(["ill", "well"]).tolist()
    assert Costs(decisions=TABLE).by_order().answer_costs([0, 1])[0].tolist() == [-50, 30]


def test_tables_lie_in_memory_row_by_row() -> None:
    """Kernels are compiled for that alone."""
    costs = Costs(decisions={"treat": {"ill": 1, "well": 9}, "watch": {"ill": 5, "well": 0}})
    assert costs.answer_costs(["well", "ill"]).flags.c_contiguous
    assert costs.answer_costs(["well", "ill"], ["watch", "treat"]).flags.c_contiguous
