from __future__ import annotations

from importlib.resources import as_file, files

import pytest

from frugaltree.costs import Costs
from frugaltree.datasets import info, load, load_costs
from frugaltree.exceptions import FrugaltreeError

EXPERT = ["bupa", "heart", "hepatitis", "pima", "thyroid"]

# Full and discounted prices of the tests that cost more than 1, and what is delayed.
PRICES = {
    "bupa": {
        "mcv": (7.27, 5.17), "alkphos": (7.27, 5.17), "sgpt": (7.27, 5.17), "sgot": (7.27, 5.17),
        "gammagt": (9.86, 7.76),
    },
    "heart": {
        "chol": (7.27, 5.17), "fbs": (5.20, 3.10), "restecg": (15.50, 15.50),
        "thalach": (102.90, 1.0), "exang": (87.30, 1.0), "oldpeak": (87.30, 1.0),
        "slope": (87.30, 1.0), "ca": (100.90, 100.90), "thal": (102.90, 1.0),
    },
    "hepatitis": {
        "bilirubin": (7.27, 5.17), "alk_phosphate": (7.27, 5.17), "sgot": (7.27, 5.17),
        "albumin": (7.27, 5.17), "protime": (8.30, 6.20),
    },
    "pima": {"glucose": (17.61, 15.51), "insulin": (22.78, 20.68)},
    "thyroid": {
        "TSH": (22.78, 20.68), "T3": (11.41, 9.31), "TT4": (14.51, 12.41), "T4U": (11.41, 9.31),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", EXPERT)
def test_full_and_discounted_prices(name: str) -> None:
    costs = load_costs(name)
    assert costs.tests is not None
    for test in info(name).tests:
        shared = [group.shared for group in costs.groups.values() if test in group.members]
        full, discounted = PRICES[name].get(test, (1.0, 1.0))
        assert costs.tests[test] == discounted
        assert costs.tests[test] + sum(shared) == pytest.approx(full)


@pytest.mark.parametrize("name", EXPERT)
def test_the_delayed_tests_are_those_that_cost_more_than_asking(name: str) -> None:
    assert set(load_costs(name).delayed) == set(PRICES[name])
    assert load_costs(name, delayed=False).delayed == ()


@pytest.mark.parametrize("name", EXPERT)
def test_names_are_those_of_the_table(name: str) -> None:
    X, _ = load(name, return_X_y=True)
    prices, errors = load_costs(name, errors=500).resolve(X.columns, info(name).classes)
    assert len(prices.full) == X.width
    assert errors.max() == 500


@pytest.mark.parametrize("name", EXPERT)
def test_the_standing_is_told(name: str) -> None:
    costs = load_costs(name)
    assert costs.source is not None
    assert str(info(name).costs_standing) in costs.source
    assert (costs.unit, costs.date) == ("CAD", "1992")


@pytest.mark.parametrize("name", EXPERT)
def test_the_shipped_file_is_a_users_file(name: str) -> None:
    with as_file(files("frugaltree.datasets") / "data" / f"{name}.costs.toml") as path:
        assert Costs.from_toml(path) == load_costs(name)


def test_errors_are_passed_on() -> None:
    pairs = {("healthy", "sick"): 1000, ("sick", "healthy"): 200}
    assert load_costs("heart").errors is None
    assert load_costs("heart", errors=1000).errors == 1000
    assert load_costs("heart", errors=pairs).error_cost("healthy", "sick") == 1000


def test_taking_every_heart_test() -> None:
    # Four questions at 1, blood 2.10 + 5.17 + 3.10, ECG 15.50, thallium 101.90 + 2,
    # exercise ECG 86.30 + 3, fluoroscopy 100.90.
    assert load_costs("heart").total() == pytest.approx(323.97)


def test_other_tables_have_no_expert_costs() -> None:
    with pytest.raises(FrugaltreeError) as error:
        load_costs("iris")
    assert str(error.value) == (
        "data set 'iris' has no expert costs, which only 'bupa', 'heart', 'hepatitis', 'pima', "
        "'thyroid' have; assign_costs(X, y) draws some for any table."
    )
    with pytest.raises(FrugaltreeError, match="Did you mean 'heart'"):
        load_costs("hearth")
