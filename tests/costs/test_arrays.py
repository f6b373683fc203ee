"""Price lists as the arrays that kernels read, and the formulas over them."""

from __future__ import annotations

import math
import pickle
import tomllib
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree.costs import Costs, Group, confidence_factor, weight_of_costs
from frugaltree.costs.toml import as_data, parse
from frugaltree.exceptions import InvalidCosts
from support.price_lists import NAMES, prices


def test_resolve(heart):
    prices, M = heart.resolve(["fbs", "age", "thal", "chol"], ["healthy", "sick"])
    np.testing.assert_allclose(prices.full, [5.20, 1, 1, 7.27])
    np.testing.assert_allclose(prices.discount[:, 0], [2.10, 0, 0, 2.10])
    np.testing.assert_array_equal(prices.member[:, 0], [1, 0, 0, 1])
    np.testing.assert_array_equal(prices.delayed, [1, 0, 0, 1])
    np.testing.assert_array_equal(prices.usable, [1, 1, 1, 1])
    np.testing.assert_array_equal(M, [[0, 1000], [200, 0]])


@pytest.mark.parametrize("costs", [Costs(), Costs([1, 2], {"g": Group([0], cost=1)}, known=[1])])
def test_arrays_suit_the_kernels(costs):
    prices, M = costs.resolve(["a", "b"], ["no", "yes"])
    *arrays, charge_missing, rules, conditions = prices
    for array in (*arrays, M):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert charge_missing is False
    assert [array.dtype for array in rules] == [np.int64, np.uint8, np.int64]
    assert [array.dtype for array in conditions] == [np.float64, np.int64, np.int64, np.float64]
    dtypes = [array.dtype for array in (*arrays, M)]
    assert dtypes == [np.float64, np.float64, np.uint8, np.uint8, np.uint8, np.float64]
    assert prices.discount.shape == prices.member.shape == (2, len(costs.groups))


def test_no_costs_are_free_tests_and_unit_errors():
    prices, M = Costs().resolve(["a", "b"], [0, 1, 2])
    np.testing.assert_array_equal(prices.full, [0, 0])
    np.testing.assert_array_equal(M, 1 - np.eye(3))


def test_free_tests_may_share_a_cost():
    costs = Costs(groups={"ecg": Group(["rate", "slope"], cost=30)})
    np.testing.assert_array_equal(costs.prices(["age", "rate", "slope"]).full, [0, 30, 30])
    assert costs.total() == costs.total(["age", "rate", "slope"]) == 30


def test_several_groups_add_up():
    groups = {"blood": Group(["a", "b"], cost=2), "visit": Group(["b", "c"], cost=5)}
    costs = Costs({"a": 1, "b": 10, "c": 100}, groups)
    np.testing.assert_array_equal(costs.prices(["a", "b", "c"]).full, [3, 17, 105])
    assert costs.total() == 3 + 15 + 100


def test_positions_are_columns():
    names = ["a", "b", "c"]
    sequence = Costs([1, 2, 3], {"g": Group([0, 2], cost=5)}, delayed=[1])
    mapping = Costs({2: 3, 0: 1, 1: 2}, {"g": Group([0, 2], cost=5)}, delayed=[1])
    by_name = Costs({"a": 1, "b": 2, "c": 3}, {"g": Group(["a", "c"], cost=5)}, delayed=["b"])
    for costs in (sequence, mapping):
        for ref, got in zip(by_name.prices(names)[:6], costs.prices(names)[:6], strict=True):
            np.testing.assert_array_equal(ref, got)


def test_default_price():
    costs = Costs({"a": 5}, default_test_cost=2, never_ask=["c"])
    np.testing.assert_array_equal(costs.prices(["b", "a", "c"]).full, [2, 5, 2])
    assert costs.total(["b", "a", "c"]) == 7


def test_known_tests_are_free_and_open_nothing():
    costs = Costs(
        {"a": 1, "b": 2}, {"g": Group(["a", "b"], cost=10)}, delayed=["a", "b"], known=["a"]
    )
    prices = costs.prices(["a", "b"])
    np.testing.assert_array_equal(prices.full, [0, 12])
    np.testing.assert_array_equal(prices.discount[:, 0], [0, 10])
    np.testing.assert_array_equal(prices.member[:, 0], [0, 1])
    np.testing.assert_array_equal(prices.delayed, [0, 1])
    assert costs.total() == 12


def test_tests_nobody_pays_for_need_no_price():
    costs = Costs({"a": 1}, known=["k"], unavailable=["u"], never_ask=["n"])
    prices = costs.prices(["n", "a", "k", "u"])
    np.testing.assert_array_equal(prices.full, [0, 1, 0, 0])
    np.testing.assert_array_equal(prices.usable, [0, 1, 1, 0])
    assert costs.total(["n", "a", "k", "u"]) == costs.total() == 1


def test_matrix_follows_declared_classes():
    costs = Costs(errors=[[0, 1, 2], [3, 0, 4], [5, 6, 0]], classes=["c", "a", "b"])
    np.testing.assert_array_equal(costs.matrix(), [[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    np.testing.assert_array_equal(costs.matrix(["a", "c"]), [[0, 3], [1, 0]])
    assert costs.error_classes(["a", "b"]) == ("c", "a", "b")
    assert costs.error_cost("a", "b") == 4


def test_matrix_follows_sorted_classes_of_the_table():
    costs = Costs(errors=[[0, 1], [2, 0]])
    np.testing.assert_array_equal(costs.matrix(), [[0, 1], [2, 0]])
    np.testing.assert_array_equal(costs.matrix(["no", "yes"]), [[0, 1], [2, 0]])
    np.testing.assert_array_equal(costs.matrix(["yes", "no"]), [[0, 2], [1, 0]])
    assert costs.error_classes(["yes", "no"]) == ("no", "yes")
    assert costs.error_cost("yes", "no") == 2


def test_pairs_are_the_whole_matrix(heart):
    np.testing.assert_array_equal(heart.matrix(), [[0, 1000], [200, 0]])
    np.testing.assert_array_equal(heart.matrix(["sick"]), [[0]])
    assert heart.error_classes(["sick"]) == ("healthy", "sick")
    assert heart.error_cost("sick", "healthy") == 200
    assert heart.error_cost("sick", "sick") == 0


def test_one_number_for_all_errors():
    costs = Costs(errors=7)
    assert costs.error_classes(np.array([2, 1])) == (2, 1)
    assert costs.error_cost("a", "b") == 7
    assert costs.error_cost("a", "a") == 0
    np.testing.assert_array_equal(costs.matrix([True, False]), [[0, 7], [7, 0]])
    np.testing.assert_array_equal(replace(costs, classes=[1, 2]).matrix(), [[0, 7], [7, 0]])


def test_classes_must_come_from_somewhere():
    with pytest.raises(InvalidCosts) as caught:
        Costs(errors=7).matrix()
    assert str(caught.value) == (
        "these costs do not say what the classes are; pass them, or make the costs with "
        "classes=[...]."
    )


@pytest.mark.parametrize(
    ("labels", "whole"),
    [
        (np.array([0, 1]), (0, 1, 2)),
        (np.array(["0", "1"]), ("0", "1", "2")),
        ([1, 0], (0, 1, 2)),
    ],
)
@pytest.mark.parametrize("declared", [[0, 1, 2], ["0", "1", "2"]])
def test_labels_match_by_their_text(labels, whole, declared):
    costs = Costs(errors=[[0, 1, 2], [3, 0, 4], [5, 6, 0]], classes=declared)
    assert costs.error_classes(labels) == whole
    assert costs.matrix(labels)[list(labels).index(whole[1]), list(labels).index(whole[0])] == 3
    np.testing.assert_array_equal(costs.matrix(whole), costs.matrix())


def test_bool_labels_match_text():
    costs = Costs(errors={("False", "True"): 9, ("True", "False"): 4})
    np.testing.assert_array_equal(costs.matrix(np.array([False, True])), [[0, 9], [4, 0]])
    assert costs.error_classes([True]) == (False, True)


def test_labels_of_other_types_stay():
    assert Costs(errors=1, classes=[1, "two"]).error_classes([1]) == (1, "two")
    assert Costs(errors=1, classes=[1, 2]).error_classes([1.0]) == (1, 2)
    assert Costs(errors={(1, "a"): 1, ("a", 1): 1}).error_classes() == (1, "a")


@pytest.mark.parametrize(
    ("mc", "w", "cf"),
    [
        (100, 1.21653, 0.22500),
        (500, 0.68888, 0.26250),
        (1000, 0.53567, 0.27692),
        (5000, 0.50000, 0.29434),
        (10000, 0.50000, 0.29709),
    ],
)
def test_weight_and_confidence(mc, w, cf):
    costs = Costs([100, 150, 50], errors=mc)
    assert costs.ratio() == costs.ratio(["a", "b", "c"], [0, 1, 2]) == mc / 300
    assert costs.w() == pytest.approx(w, abs=5e-6)
    assert costs.cf() == pytest.approx(cf, abs=5e-6)
    assert costs.w(cap=1) == min(costs.w(), 1)


@given(st.floats(0, 1e6))
def test_confidence_is_the_papers_formula(x):
    assert confidence_factor(x) == pytest.approx(0.2 + 0.05 * (1 + (x - 1) / (x + 1)))
    assert 0.5 <= weight_of_costs(x) <= 1.5


@pytest.mark.parametrize("errors", [None, 0, 100])
def test_free_tests(errors):
    costs = Costs(errors=errors)
    assert costs.ratio(["a"], [0, 1]) == math.inf
    assert costs.w(["a"], [0, 1]) == 0.5
    assert costs.cf(["a"], [0, 1]) == 0.3


def test_mean_error_is_over_the_classes_of_the_fit(heart):
    assert heart.ratio() == pytest.approx(600 / 12.37)
    assert heart.ratio(NAMES, ["sick"]) == 0  # one class: no error is possible
    three = Costs([10], errors=[[0, 1, 2], [3, 0, 4], [5, 6, 0]], classes=["a", "b", "c"])
    assert three.ratio() == pytest.approx(21 / 6 / 10)
    assert three.ratio(["x"], ["b", "c"]) == pytest.approx(10 / 2 / 10)


def test_standard_cost(heart):
    car = Costs([224], errors=1000)
    assert car.standard_cost([0.7002, 0.2222, 0.0776]) == pytest.approx(523.8)
    assert heart.standard_cost({"sick": 0.25, "healthy": 0.75}) == pytest.approx(12.37 + 250)
    ref = heart.standard_cost(np.array([0.75, 0.25]), NAMES, ["healthy", "sick"])
    assert ref == heart.standard_cost([0.75, 0.25])
    assert Costs().standard_cost([1.0]) == 0


@pytest.mark.parametrize(
    ("frequencies", "message"),
    [
        (
            [75, 25],
            "the frequencies of the classes must add up to 1, but add up to 100; divide counts by "
            "their sum.",
        ),
        ([0.5, 0.25, 0.25], "there are 3 frequencies for 2 classes, ['healthy', 'sick']; give one "
         "for each."),
        (
            {"helthy": 1},
            "class 'helthy' has no error costs, which are given for ['healthy', 'sick']; add it "
            "to the costs or correct the label. Did you mean 'healthy'?",
        ),
        (
            [1.5, -0.5],
            "the frequency of a class must be a finite number, 0 or more, but is -0.5; write a "
            "plain number such as 5.17.",
        ),
    ],
)  # fmt: skip
def test_complaints_about_frequencies(heart, frequencies, message):
    with pytest.raises(InvalidCosts) as caught:
        heart.standard_cost(frequencies)
    assert str(caught.value) == message


texts = st.text(max_size=8)


@st.composite
def price_lists(draw, keys=None):
    """Draw costs by name or by position, with groups of both forms."""
    keys = draw(
        st.one_of(
            st.lists(texts, min_size=1, max_size=6, unique=True),
            st.integers(1, 6).map(lambda n: list(range(n))),
        )
        if keys is None
        else st.just(keys)
    )
    some = st.lists(st.sampled_from(keys), unique=True)
    members = st.lists(st.sampled_from(keys), min_size=1, unique=True)
    groups = st.one_of(
        st.builds(Group, members, prices),
        st.builds(Group, st.dictionaries(st.sampled_from(keys), prices, min_size=1)),
    )
    known = draw(some)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Costs(
            draw(st.one_of(st.none(), st.fixed_dictionaries(dict.fromkeys(keys, prices)))),
            draw(st.dictionaries(texts, groups, max_size=3)),
            draw(some),
            known=known,
            unavailable=[key for key in draw(some) if key not in known],
            never_ask=draw(some),
            default_test_cost=draw(st.one_of(st.none(), prices)),
            unit=draw(st.one_of(st.none(), texts)),
            source=draw(st.one_of(st.none(), texts)),
            date=draw(st.one_of(st.none(), texts)),
            **draw(error_costs()),
        )


@st.composite
def error_costs(draw):
    """Draw errors and classes in each of their forms."""
    labels = draw(
        st.one_of(
            st.lists(texts, min_size=1, max_size=4, unique=True),
            st.lists(st.integers(), min_size=1, max_size=4, unique=True),
            st.just([True, False]),
        )
    )
    matrix = [[0 if i == j else draw(prices) for j in labels] for i in labels]
    pairs = {
        (i, j): cost
        for i, row in zip(labels, matrix, strict=True)
        for j, cost in zip(labels, row, strict=True)
    }
    errors = draw(st.one_of(st.none(), prices, st.just(matrix), st.just(pairs)))
    return {"errors": errors, "classes": draw(st.sampled_from([None, labels]))}


@settings(deadline=None)  # the first example imports Numba or tomlkit
@given(price_lists())
def test_repr_and_pickle_round_trip(costs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert eval(repr(costs)) == costs
    assert pickle.loads(pickle.dumps(costs)) == costs


@settings(deadline=None)  # the first example imports Numba or tomlkit
@given(price_lists())
def test_toml_round_trip(costs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        got = parse(tomllib.loads(costs.to_toml()))
    assert got == costs
    assert repr(got) == repr(costs)  # the order of tests and the types of numbers, too
    assert tomllib.loads(costs.to_toml()) == as_data(costs)


def naive_price(costs: Costs, key, taken: list) -> float:
    """Return the price of a test by the sentence in the design, word for word."""
    if key in taken or key in costs.known:
        return 0.0
    price = costs.default_test_cost or 0.0
    price = (costs.tests or {}).get(key, price)
    for group in costs.groups.values():
        if key in group.members:
            is_open = any(t in group.members and t not in costs.known for t in taken)
            if is_open and group.cost is None:
                price -= group.tests[key]
            elif not is_open and group.cost is not None:
                price += group.cost
    return max(price, 0.0)


LETTERS = list("abcd")


@settings(deadline=None)  # the first example imports Numba or tomlkit
@given(price_lists(keys=LETTERS), st.permutations(LETTERS), st.permutations(LETTERS))
def test_resolve_agrees_with_the_definition(costs, names, order):
    from frugaltree.kernels.cost.prices import context_price, take

    got = costs.prices(names)
    paid, opened = np.zeros(4, np.uint8), np.zeros(len(costs.groups), np.uint8)
    for i, key in enumerate(order):
        a = names.index(key)
        ref = naive_price(costs, key, order[:i])
        assert context_price.py_func(got, a, paid, opened) == pytest.approx(ref, abs=1e-9)
        take.py_func(got, a, paid, opened)
    askable = [key for key in costs.tests or names if key not in costs.unavailable]
    askable = [key for key in askable if key not in costs.never_ask]
    ref = sum(naive_price(costs, key, askable[:i]) for i, key in enumerate(askable))
    assert costs.total(names) == pytest.approx(ref, abs=1e-9)


@settings(deadline=None)  # the first example imports Numba or tomlkit
@given(price_lists(keys=LETTERS), st.permutations(LETTERS))
def test_a_discount_never_raises_the_bill(costs, order):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        costs = replace(costs, tests={key: (costs.tests or {}).get(key, 0) for key in order})
    full, usable = costs.prices(order).full, costs.prices(order).usable
    assert 0 <= costs.total(order) <= full[usable == 1].sum() + 1e-9
