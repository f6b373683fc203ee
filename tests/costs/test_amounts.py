"""Amounts with a comma or a currency, in price lists and as options."""

from __future__ import annotations

import pytest

from frugaltree import Costs
from frugaltree.costs.amounts import Amount, amount_in
from frugaltree.exceptions import InvalidCosts


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("12,50", 12.5, None),
        ("12.50", 12.5, None),
        ("EUR 5", 5, "EUR"),
        ("5 €", 5, "EUR"),
        ("€5", 5, "EUR"),
        ("5 Euro", 5, "EUR"),
        ("1.234,56 €", 1234.56, "EUR"),
        ("$1,234.56", 1234.56, "$"),
        ("CHF 1'234.50", 1234.5, "CHF"),
        ("1 234,5 EUR", 1234.5, "EUR"),
        ("1.234.567", 1234567, None),
        ("12 Min.", 12, "Min"),
        ("0,125", 0.125, None),
    ],
)
def test_what_is_understood(text, number, currency):
    found = amount_in(text)
    assert found == Amount(number, currency)
    assert isinstance(found.number, type(number))


@pytest.mark.parametrize(
    "text", ["", "EUR", "cheap", "5 5", "1,5,6", "1..5", "3 USD EUR", "1.23,4,5", "1e3", "²"]
)
def test_what_is_no_amount(text):
    assert amount_in(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,234", "'1,234' can mean 1234 or 1.234; write it as one of these"),
        ("EUR 12,500", "can mean 12500 or 12.500"),
        ("12.500 €", "can mean 12500 or 12.500"),
    ],
)
def test_what_can_mean_two_amounts(text, said):
    with pytest.raises(InvalidCosts, match=said):
        amount_in(text)


LIST = """
# Preise
default_test_cost = 0,50
[tests]
Röntgen Thorax = 12,50 €  # je Aufnahme
"CRP mg/l" = "EUR 3,20"
age = 1

[groups.blood]
cost = 2,10 EUR
tests = ["CRP mg/l", "age"]
[groups.two.discounts]
age = "0,5"

[[errors]]
predicted = "1"
actual = "2,5"
cost = "500 €"
[[errors]]
predicted = "2,5"
actual = "1"
cost = 1.000,00 EUR
[decisions]
refer = 60 €
"""


def test_a_price_list_with_commas_and_currencies(tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text(LIST, "utf-8")
    costs = Costs.from_toml(path)
    assert costs.tests == {"Röntgen Thorax": 12.5, "CRP mg/l": 3.2, "age": 1}
    assert costs.errors == {("1", "2,5"): 500, ("2,5", "1"): 1000}
    assert (costs.unit, costs.default_test_cost, costs.decisions) == ("EUR", 0.5, {"refer": 60})
    assert costs.groups["blood"].cost == 2.1
    assert Costs.from_toml(_written(costs, tmp_path)) == costs


def _written(costs, folder):
    path = folder / "again.toml"
    costs.to_toml(path)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tests]\na = 1,234\n", "tests.a: '1,234' can mean 1234 or 1.234"),
        ("[tests]\na = 5 EUR\nb = CHF 5\n", "tests.b is in CHF, but other amounts are in EUR"),
        ('unit = "USD"\n[tests]\na = 5 €\n', "tests.a is in EUR, but other amounts are in USD"),
        (
            "[tests]\na = 12 5x\n",
            r"at line 2, column 8\), which is 'a = 12 5x'; correct that line",
        ),
        ('[tests]\na = "cheap"\n', "cheap"),
        ("[tests]\na = -5 €\n", "-5"),
    ],
)
def test_what_is_refused_is_one_sentence(tmp_path, text, said):
    path = tmp_path / "costs.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidCosts, match=said) as caught:
        Costs.from_toml(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_units_that_are_the_same_by_another_name(tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text('unit = "€"\n[tests]\na = 5 EUR\nb = "3 €"\n', "utf-8")
    assert Costs.from_toml(path).tests == {"a": 5, "b": 3}
