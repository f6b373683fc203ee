"""Rules of the house in a price list: what they say, and the sentence for those that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frugaltree import Costs, Group
from frugaltree.costs.leave_out import leave_out
from frugaltree.exceptions import InvalidCosts

PRICES = {"age": 1, "xray": 20, "mri": 50, "ct": 30}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"requires": {"mri": ["xry"]}}, "requires names 'xry', which has no price; add it to "),
        (
            {"requires": {"mri": ["xray"], "xray": ["ct"], "ct": ["mri"]}},
            "requires goes in a circle, 'mri' needs 'xray' needs 'ct' needs 'mri'; drop one",
        ),
        ({"requires": {"mri": ["mri"]}}, "requires goes in a circle, 'mri' needs 'mri'; drop"),
        (
            {"requires": {"mri": ["xray"]}, "unavailable": ["xray"]},
            "requires wants 'xray' asked, which is under unavailable; drop it from one of the two",
        ),
        (
            {"first": ["xray"], "never_ask": ["xray"]},
            "first wants 'xray' asked, which is under never_ask; drop it from one of the two",
        ),
        (
            {"first": ["mri"], "requires": {"mri": ["xray"]}},
            "first asks 'mri' before 'xray', which requires says it needs; put 'xray' ahead of",
        ),
        (
            {"first": ["agee"]},
            "first names 'agee', which has no price; add it to tests or correct",
        ),
        ({"first": "age"}, "first must be a list of tests, but is 'age'; write a list such as"),
        ({"requires": ["mri"]}, "requires must map a test to the tests asked above it, but is"),
        ({"first": ["age"], "delayed": ["ct"]}, "the costs have first and the delayed test 'ct'"),
        ({"together": [["xray"]]}, "together has the panel ['xray'] of one test, which is bought"),
        ({"together": [["xray", "ct"], ["ct", "mri"]]}, "together has 'ct' in two panels; keep"),
        ({"together": ["xray", "ct"]}, "together must list panels, but names the test 'xray'"),
        ({"together": [["xray", "ctt"]]}, "together names 'ctt', which has no price; add it to"),
    ],
    ids=str,
)
def test_complaints(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidCosts) as caught:
        Costs(PRICES, **rules)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "costs",
    [
        Costs(PRICES, first=["age", "xray"], requires={"mri": ["xray", "ct"]}),
        Costs(PRICES, together=[["xray", "ct"]], errors=9),
        Costs([1, 2, 3], requires={2: [0]}, together=[[0, 1]]),
    ],
    ids=str,
)
def test_files_hold_them(costs: Costs, tmp_path: Any) -> None:
    costs.to_toml(tmp_path / "costs.toml")
    assert Costs.from_toml(tmp_path / "costs.toml") == costs == eval(repr(costs))


def test_what_is_left_out_has_no_rules() -> None:
    costs = Costs(
        PRICES, first=["age", "xray"], requires={"mri": ["xray"]}, together=[["xray", "ct"]]
    )
    left = leave_out(costs, ["xray"])
    assert (left.first, left.requires, left.together) == (("age",), {}, ())


def test_what_is_known_counts_as_asked_and_is_not_bought() -> None:
    costs = Costs(
        PRICES, requires={"mri": ["xray"]}, together=[["xray", "ct", "mri"]], known=["xray"]
    )
    prices = costs.prices(list(PRICES))
    assert not prices.rules.requires.any()
    np.testing.assert_array_equal(prices.full, [1, 0, 80, 80])


def test_a_panel_opens_the_groups_of_its_tests_and_is_cheaper_where_they_are_open() -> None:
    costs = Costs(
        {"a": 3, "b": 4, "c": 5, "d": 2},
        {"blood": Group(["a", "b", "c"], cost=2)},
        together=[["a", "b"]],
    )
    prices = costs.prices(["a", "b", "c", "d"])
    np.testing.assert_array_equal(prices.full, [9, 9, 7, 2])
    np.testing.assert_array_equal(prices.discount, [[2, 9], [2, 9], [2, 0], [0, 0]])
    assert costs.total() == costs.dearest_total() == 16
