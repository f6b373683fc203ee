from __future__ import annotations

import copy
import datetime
import math
import pickle
import subprocess
import sys
import tomllib
import warnings
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree.costs import Costs, Group, confidence_factor, weight_of_costs
from frugaltree.costs.toml import as_data, parse
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, MissingFile

NAMES = ["age", "chol", "fbs", "thal"]


@pytest.fixture
def heart() -> Costs:
    return Costs(
        tests={"age": 1, "chol": 5.17, "fbs": 3.10, "thal": 1.00},
        groups={"blood": Group(["chol", "fbs"], cost=2.10)},
        delayed=["chol", "fbs"],
        errors={("healthy", "sick"): 1000, ("sick", "healthy"): 200},
    )


def complaint(*args, **kwargs) -> str:
    with pytest.raises(InvalidCosts) as caught:
        Costs(*args, **kwargs)
    return str(caught.value)


def unresolved(costs: Costs, names=("age", "chol"), classes=("healthy", "sick")) -> str:
    with pytest.raises(InvalidCosts) as caught:
        costs.resolve(names, classes)
    return str(caught.value)


# Group


def test_group_of_one_shared_cost():
    group = Group(["chol", "fbs"], cost=2.10)
    assert group.members == ("chol", "fbs")
    assert group.shared == 2.10
    assert group.discounts == {"chol": 2.10, "fbs": 2.10}


def test_group_of_own_discounts():
    group = Group({"a": 12.0, "b": 9.5})
    assert group.members == ("a", "b")
    assert group.shared == 0
    assert group.discounts == {"a": 12.0, "b": 9.5}


@pytest.mark.parametrize("group", [Group(["a", 1], cost=2), Group({"a": 12.0, 3: 9.5})])
def test_group_is_a_value(group):
    assert eval(repr(group)) == group
    assert pickle.loads(pickle.dumps(group)) == group
    assert copy.deepcopy(group) == group
    with pytest.raises(FrozenInstanceError):
        group.cost = 3


def test_group_keeps_its_own_copy():
    discounts = {"a": 1.0}
    group = Group(discounts)
    discounts["b"] = -1
    assert group == Group({"a": 1.0})


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([], 2), "a group needs at least one test, but got []; name its tests."),
        (({},), "a group needs at least one test, but got {}; name its tests."),
        (
            (["a", "b"],),
            "the group of ['a', 'b'] has no cost; add what its tests share, as in "
            "Group(['a', 'b'], cost=2.10), or map each test to its own discount.",
        ),
        (
            ({"a": 1}, 2),
            "a group has either one shared cost or a discount for each test, but got both cost=2 "
            "and {'a': 1}; drop one of the two.",
        ),
        (
            ("chol", 2),
            "a group must be a list of tests, but is 'chol'; write a list such as ['chol'].",
        ),
        ((["a", "a"], 2), "a group names 'a' twice; name each test once."),
        (
            (["a"], -2),
            "the shared cost of a group must be a finite number, 0 or more, but is -2; "
            "write a plain number such as 5.17.",
        ),
        (
            ({"a": math.nan},),
            "the discount of test 'a' must be a finite number, 0 or more, but is nan; "
            "write a plain number such as 5.17.",
        ),
    ],
)
def test_group_complaints(args, message):
    with pytest.raises(InvalidCosts) as caught:
        Group(*args)
    assert str(caught.value) == message


# Costs as a value


def test_import_is_light():
    code = (
        "import sys, frugaltree.costs as c; c.Costs({'a': 1}, {'g': c.Group(['a'], cost=1)});"
        "print([m for m in ('numba', 'sklearn', 'scipy', 'tomlkit') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_total_compiles_nothing(heart):
    from frugaltree.kernels.cost.prices import charge, context_price, take

    before = [len(getattr(k, "signatures", ())) for k in (charge, context_price, take)]
    heart.total()
    heart.resolve(NAMES, ["healthy", "sick"])
    after = [len(getattr(k, "signatures", ())) for k in (charge, context_price, take)]
    assert before == after


def test_costs_are_a_value(heart):
    assert pickle.loads(pickle.dumps(heart)) == heart
    assert copy.deepcopy(heart) == heart
    assert heart != replace(heart, errors=5)
    with pytest.raises(FrozenInstanceError):
        heart.errors = 3


def test_costs_survive_clone(heart):
    base = pytest.importorskip("sklearn.base")

    class Estimator(base.BaseEstimator):
        def __init__(self, costs=None):
            self.costs = costs

    assert base.clone(Estimator(heart)).costs == heart


def test_costs_keep_their_own_copy():
    tests, delayed, errors = {"a": 1}, ["a"], np.array([[0, 1], [2, 0]])
    costs = Costs(tests, delayed=delayed, errors=errors)
    tests["a"] = -1
    delayed.append("b")
    errors[0, 1] = -1
    assert costs == Costs({"a": 1}, delayed=["a"], errors=[[0, 1], [2, 0]])


def test_short_repr():
    assert repr(Costs()) == "Costs()"
    assert repr(Costs({})) == "Costs(tests={})"
    assert repr(Costs([1, 2.5], errors=0)) == "Costs(tests={0: 1, 1: 2.5}, errors=0)"


def test_long_repr(heart):
    assert repr(heart) == (
        "Costs(\n"
        "    tests={'age': 1, 'chol': 5.17, 'fbs': 3.1, 'thal': 1.0},\n"
        "    groups={'blood': Group(['chol', 'fbs'], cost=2.1)},\n"
        "    delayed=['chol', 'fbs'],\n"
        "    errors={('healthy', 'sick'): 1000, ('sick', 'healthy'): 200},\n"
        ")"
    )


def test_very_long_repr_evaluates_back():
    names = [f"test number {i}" for i in range(40)]
    costs = Costs(
        dict.fromkeys(names, 1.5),
        delayed=names,
        errors=np.arange(400).reshape(20, 20) * (1 - np.eye(20)),
        source="a very long story\nabout where these prices come from " * 5,
    )
    assert eval(repr(costs)) == costs
    assert max(len(line) for line in repr(costs).splitlines()) < 100


@pytest.mark.parametrize(
    "price", [3, np.int32(3), np.float32(3), Decimal("3"), Fraction(3), np.float64(3)]
)
def test_prices_of_any_number_type(price):
    costs = Costs({"a": price}, {"g": Group(["a"], cost=price)}, errors=price)
    assert costs == Costs({"a": 3}, {"g": Group(["a"], cost=3)}, errors=3)
    assert {type(costs.tests["a"]), type(costs.errors)} <= {int, float}


def test_numpy_names_and_labels_become_plain():
    costs = Costs({np.str_("a"): 1}, errors={(np.int64(0), np.int64(1)): 5, (1, 0): 2})
    assert repr(costs) == "Costs(tests={'a': 1}, errors={(0, 1): 5, (1, 0): 2})"
    assert repr(Costs([1], delayed=np.array([0]))) == "Costs(tests={0: 1}, delayed=[0])"


def test_sets_have_a_fixed_order():
    assert Costs(known={"b", "c", "a"}).known == ("a", "b", "c")


def test_prices_from_a_data_frame_column():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series({"a": 1.0, "b": 2.0})
    assert Costs(column) == Costs({"a": 1.0, "b": 2.0})
    assert Group(column) == Group({"a": 1.0, "b": 2.0})
    shares = pandas.Series(["sick", "healthy", "sick", "sick"]).value_counts(normalize=True)
    assert Costs([5], errors=100).standard_cost(shares) == 30


def test_date_may_be_a_date():
    assert Costs(date=datetime.date(1992, 5, 1)).date == "1992-05-01"


# Complaints that need no table


BAD_PRICES = [-1, math.nan, math.inf, "5.17", True, None, np.True_, 10**400, [1], Decimal("sNaN")]


@pytest.mark.parametrize("price", BAD_PRICES)
def test_bad_prices(price):
    assert complaint({"chol": price}).startswith(
        "the price of test 'chol' must be a finite number, 0 or more, but is "
    )
    if price is not None:
        assert complaint({}, default_test_cost=price).startswith("default_test_cost must be a ")


def test_bad_price_whole_sentence():
    assert complaint({"chol": "5.17"}) == (
        "the price of test 'chol' must be a finite number, 0 or more, but is '5.17'; "
        "write a plain number such as 5.17."
    )


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"tests": 5},
            "tests must map each test to a number or list the numbers by position, but is 5; "
            "write a mapping such as {'age': 1, 'chol': 5.17}.",
        ),
        (
            {"tests": np.array(5)},
            "tests must map each test to a number or list the numbers by position, but is "
            "array(5); write a mapping such as {'age': 1, 'chol': 5.17}.",
        ),
        (
            {"tests": {-1: 5}},
            "tests names -1 as a test; give the name of a column, or its position counted from 0.",
        ),
        (
            {"tests": {True: 5}},
            "tests names True as a test; give the name of a column, or its position counted "
            "from 0.",
        ),
        (
            {"tests": {"chol": 5}, "groups": {"blood": Group(["chol", "fbs"], cost=2)}},
            "group 'blood' names 'fbs', which has no price; add it to tests or correct the name.",
        ),
        (
            {"tests": {"chol": 5}, "groups": {"blood": Group({"choll": 2})}},
            "group 'blood' names 'choll', which has no price; add it to tests or correct "
            "the name. Did you mean 'chol'?",
        ),
        (
            {"tests": {"chol": 5}, "delayed": ["choll"]},
            "delayed names 'choll', which has no price; add it to tests or correct the "
            "name. Did you mean 'chol'?",
        ),
        (
            {"tests": [5, 6], "delayed": [2]},
            "delayed names position 2, which has no price; add it to tests or correct the name.",
        ),
        (
            {"groups": [Group(["a"], cost=1)]},
            "groups must map a name to each Group, but is [Group(['a'], cost=1)]; "
            "write groups={'blood': Group(['chol', 'fbs'], cost=2.10)}.",
        ),
        (
            {"groups": {"blood": ["chol"]}},
            "group 'blood' must be a Group, but is ['chol']; write Group([...], cost=...).",
        ),
        (
            {"groups": {1: Group(["a"], cost=1)}},
            "a group is named by text, but got 1; put it in quotes.",
        ),
        (
            {"delayed": "chol"},
            "delayed must be a list of tests, but is 'chol'; write a list such as ['chol'].",
        ),
        (
            {"known": 5},
            "known must be a list of tests, but is 5; write a list such as ['age', 'chol'].",
        ),
        ({"never_ask": ["a", "a"]}, "never_ask names 'a' twice; name each test once."),
        (
            {"known": ["a"], "unavailable": ["a"]},
            "test 'a' is both known and unavailable; keep it in one of the two.",
        ),
        ({"unit": 5}, "unit must be text, but is 5; put it in quotes."),
        ({"source": 5}, "source must be text, but is 5; put it in quotes."),
        ({"date": 1992}, "date must be text, but is 1992; put it in quotes."),
        ({"classes": ["a", "b", "a"]}, "classes names 'a' twice; name each class once."),
        (
            {"classes": "ab"},
            "classes must be a list of class labels, but is 'ab'; write a list such as "
            "['healthy', 'sick'].",
        ),
        (
            {"classes": []},
            "classes must be a list of class labels, but is []; write a list such as "
            "['healthy', 'sick'].",
        ),
        (
            {"classes": [["a"], "b"]},
            "a class label must be a bool, int or str, but is ['a']; convert the labels.",
        ),
    ],
)
def test_complaints_about_tests_and_classes(kwargs, message):
    assert complaint(**kwargs) == message


SHAPE = "one row and one column for each class, but has"
HOW = "write errors[predicted][actual]."


@pytest.mark.parametrize(
    ("errors", "classes", "message"),
    [
        (
            -5,
            None,
            "the cost of an error must be a finite number, 0 or more, but is -5; "
            "write a plain number such as 5.17.",
        ),
        (
            [[0, 1], [1, 0], [1, 1]],
            None,
            f"the error matrix must be square, {SHAPE} 3 rows of 2 numbers; {HOW}",
        ),
        (
            [[0, 1], [1]],
            None,
            f"the error matrix must be square, {SHAPE} 2 rows of 1 or 2 numbers; {HOW}",
        ),
        ([], None, f"the error matrix must be square, {SHAPE} 0 rows of no numbers; {HOW}"),
        (
            [1, 2],
            None,
            f"the error matrix must be square, {SHAPE} 2 rows of 1 numbers; {HOW}",
        ),
        (
            np.zeros((2, 2)),
            ["a", "b", "c"],
            f"the error matrix must be 3 by 3, {SHAPE} 2 rows of 2 numbers; {HOW}",
        ),
        (
            [[0, 1], [1, 2]],
            None,
            "predicting class 1 for 1 is no error, but costs 2; write 0 on the diagonal.",
        ),
        (
            [[3, 1], [1, 0]],
            ["healthy", "sick"],
            "predicting class 'healthy' for 'healthy' is no error, but costs 3; "
            "write 0 on the diagonal.",
        ),
        (
            [[0, -1], [1, 0]],
            ["healthy", "sick"],
            "the cost of predicting class 'healthy' for 'sick' must be a finite number, 0 or "
            "more, but is -1; write a plain number such as 5.17.",
        ),
        (
            {("a", "a"): 1},
            None,
            "predicting class 'a' for 'a' is no error, but costs 1; write 0 on the diagonal.",
        ),
        (
            {"ab": 1},
            None,
            "errors has the key 'ab', which is not a pair of classes; write (predicted, actual).",
        ),
        (
            {},
            None,
            "errors is empty; give the cost of every pair (predicted, actual), one number for all "
            "errors, or None for 1 each.",
        ),
        (
            {("healthy", "sick"): 5},
            None,
            "errors has no cost for predicting 'sick' when the class is 'healthy'; "
            "add ('sick', 'healthy'), with 0 if it does no harm.",
        ),
        (
            {("a", "b"): 5, ("b", "a"): 5},
            ["a", "b", "c"],
            "errors has no cost for predicting 'a' when the class is 'c' (and 3 more pairs); "
            "add ('a', 'c'), with 0 if it does no harm.",
        ),
        (
            {("healthy", "sik"): 5, ("sik", "healthy"): 5},
            ["healthy", "sick"],
            "errors names the class 'sik', but classes has only ['healthy', 'sick']; correct the "
            "name or add it to classes. Did you mean 'sick'?",
        ),
    ],
)
def test_complaints_about_errors(errors, classes, message):
    assert complaint(errors=errors, classes=classes) == message


# Complaints that need a table


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (
            Costs({"age": 1, "choll": 5}),
            "tests has a price for 'choll', but the table has no such column; correct the name or "
            "drop it. Did you mean 'chol'?",
        ),
        (
            Costs({"age": 1}),
            "test 'chol' has no price; add it to tests, or give default_test_cost for all that "
            "tests leaves out.",
        ),
        (
            Costs({}),
            "test 'age' has no price; add it to tests, or give default_test_cost for all that "
            "tests leaves out.",
        ),
        (
            Costs([1]),
            "test 'chol' has no price; add it to tests, or give default_test_cost for all that "
            "tests leaves out.",
        ),
        (
            Costs([1, 2, 3]),
            "tests has a price for position 2, but the table has 2 columns; give a position "
            "from 0 to 1.",
        ),
        (
            Costs(groups={"blood": Group(["chol", "fbs"], cost=2)}),
            "group 'blood' names 'fbs', but the table has no such column; correct the "
            "name or drop it.",
        ),
        (
            Costs({"age": 1, 0: 2}, default_test_cost=1),
            "tests gives two prices to one column, as 'age' and as 0; keep one of them.",
        ),
        (
            Costs({"age": 1, "chol": 1}, {"blood": Group(["chol", 1], cost=2)}),
            "group 'blood' names the column 'chol' twice, by name and by position; name each test "
            "once.",
        ),
        (
            Costs({"age": 1, "chol": 1}, errors={("a", "b"): 1, ("b", "a"): 1}),
            "class 'healthy' has no error costs, which are given for ['a', 'b']; add it to the "
            "costs or correct the label.",
        ),
        (
            Costs(errors=5, classes=["healthy", "sicc"]),
            "class 'sick' has no error costs, which are given for ['healthy', 'sicc']; add it to "
            "the costs or correct the label. Did you mean 'sicc'?",
        ),
        (
            Costs(errors=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
            "the error matrix has 3 classes, but the table has 2: ['healthy', 'sick']; name the "
            "classes of the matrix with classes=[...].",
        ),
    ],
)
def test_complaints_about_the_table(costs, message):
    assert unresolved(costs) == message


@pytest.mark.parametrize("place", ["delayed", "known", "unavailable", "never_ask"])
def test_lists_name_columns(place):
    assert unresolved(Costs(**{place: ["agee"]})) == (
        f"{place} names 'agee', but the table has no such column; correct the name or "
        "drop it. Did you mean 'age'?"
    )


def test_names_need_a_data_frame():
    assert unresolved(Costs({"age": 1, "chol": 2}), names=["x0", "x1"]) == (
        "tests has a price for 'age', but the table has no column names; pass a data frame, or "
        "give tests by position."
    )


def test_names_and_positions_need_a_table():
    costs = Costs({"age": 1, "chol": 2}, {"g": Group([0, 1], cost=3)})
    assert costs.total(["age", "chol"]) == 6
    with pytest.raises(InvalidCosts) as caught:
        costs.total()
    assert str(caught.value) == (
        "the costs name some tests by name and some by position, which only a table can bring "
        "together; pass the names of its columns."
    )


# Odd discounts


def test_discount_above_another_price_warns():
    with pytest.warns(UserWarning, match="group 'g'") as record:
        Costs({"a": 20, "b": 10}, {"g": Group({"a": 12, "b": 9})})
    assert [str(w.message) for w in record] == [
        "group 'g': the discount of 'a' (12) is larger than the full price of 'b' (10), so taking "
        "both costs less than taking 'a' alone; check the two numbers."
    ]
    assert record[0].filename == __file__


def test_discount_above_own_price_warns_and_floors_at_zero():
    with pytest.warns(UserWarning, match="group 'g'") as record:
        costs = Costs({"a": 5, "b": 10}, {"g": Group({"a": 7, "b": 2})})
    assert [str(w.message) for w in record] == [
        "group 'g': the discount of 'a' (7) is larger than its own full price (5), so it becomes "
        "free; check the two numbers."
    ]
    assert costs.total() == 5 + 8
    with pytest.warns(UserWarning, match="becomes free"):
        assert replace(costs, tests={"b": 10, "a": 5}).total() == 10


@pytest.mark.parametrize("place", ["known", "unavailable", "never_ask"])
def test_tests_nobody_pays_for_do_not_warn(place):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Costs({"a": 20, "b": 10}, {"g": Group({"a": 12, "b": 9})}, **{place: ["b"]})


def test_odd_discounts_show_up_with_the_table():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        costs = Costs({"a": 20, "b": 10}, {"g": Group({0: 12, 1: 9})})
    with pytest.warns(UserWarning, match="the discount of 'a' .12. is larger than the full price"):
        costs.prices(["a", "b"])


# Arrays


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
    for array in (*prices, M):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    dtypes = [array.dtype for array in (*prices, M)]
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
        for ref, got in zip(by_name.prices(names), costs.prices(names), strict=True):
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


# Errors


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


# Formulas


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


# Random price lists


prices = st.one_of(st.integers(0, 1000), st.floats(0, 1000))
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


# TOML


HAND_WRITTEN = """\
delayed = ["chol", "fbs"]
[tests]
age = 1
chol = 5.17
fbs = 3.10
thal = 1.00
[groups.blood]
cost = 2.10
tests = ["chol", "fbs"]
[[errors]]
predicted = "healthy"
actual = "sick"
cost = 1000
[[errors]]
predicted = "sick"
actual = "healthy"
cost = 200
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "costs.toml"


def test_hand_written_file(heart, file):
    file.write_text(HAND_WRITTEN, encoding="utf-8")
    assert Costs.from_toml(file) == Costs.from_toml(str(file)) == heart


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("", Costs()),
        ("errors = 100", Costs(errors=100)),
        ("tests = [1, 2.5]", Costs([1, 2.5])),
        ("[[tests]]\ntest = 3\ncost = 1", Costs({3: 1})),
        ("errors = [[0, 1], [2, 0]]", Costs(errors=[[0, 1], [2, 0]])),
        ("[errors]\nmatrix = [[0, 1], [2, 0]]", Costs(errors=[[0, 1], [2, 0]])),
        (
            "[errors]\nclasses = [true, false]\nmatrix = [[0, 1], [2, 0]]",
            Costs(errors=[[0, 1], [2, 0]], classes=[True, False]),
        ),
        (
            "classes = [0, 1]\n[errors]\nclasses = [0, 1]\nmatrix = [[0, 1], [2, 0]]",
            Costs(errors=[[0, 1], [2, 0]], classes=[0, 1]),
        ),
        (
            "tests = {a = 20, b = 15}\n[groups.g.discounts]\na = 12.0\nb = 9.5",
            Costs({"a": 20, "b": 15}, {"g": Group({"a": 12.0, "b": 9.5})}),
        ),
        ("date = 1992-05-01\nunit = 'CAD'", Costs(date="1992-05-01", unit="CAD")),
        ("default_test_cost = 1\nknown = ['a']", Costs(default_test_cost=1, known=["a"])),
        ("\ufefferrors = 3\r\nunit = 'EUR'\r\n", Costs(errors=3, unit="EUR")),
    ],
)
def test_readable_files(file, text, costs):
    file.write_bytes(text.encode())
    assert Costs.from_toml(file) == costs


def test_written_file(heart, file):
    said = {"unit": "CAD", "date": "1992", "source": "fee\nschedule"}
    costs = replace(heart, errors=[[0, 9], [4, 0]], classes=[1, 2], **said)
    assert (
        costs.to_toml(file)
        == file.read_text(encoding="utf-8")
        == (
            "# Prices in CAD\n"
            "# Prices as of 1992\n"
            "# Source: fee schedule\n"
            'unit = "CAD"\n'
            'source = "fee\\nschedule"\n'
            'date = "1992"\n'
            'delayed = ["chol", "fbs"]\n'
            "\n"
            "[tests]\n"
            "age = 1\n"
            "chol = 5.17\n"
            "fbs = 3.1\n"
            "thal = 1.0\n"
            "\n"
            "[groups.blood]\n"
            "cost = 2.1\n"
            'tests = ["chol", "fbs"]\n'
            "\n"
            "[errors]\n"
            "classes = [1, 2]\n"
            "matrix = [\n"
            "    [0, 9],\n"
            "    [4, 0],\n"
            "]\n"
        )
    )
    assert Costs.from_toml(file) == costs


def test_writing_replaces_the_file_and_leaves_nothing_behind(heart, file):
    file.write_text("old")
    heart.to_toml(file)
    assert [path.name for path in file.parent.iterdir()] == ["costs.toml"]
    assert Costs.from_toml(file) == heart


def test_a_failed_write_keeps_the_old_file(heart, file, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    file.write_text("old")
    monkeypatch.setattr("frugaltree.costs.toml.os.replace", fail)
    with pytest.raises(FrugaltreeError, match="disk full"):
        heart.to_toml(file)
    assert [path.name for path in file.parent.iterdir()] == ["costs.toml"]
    assert file.read_text() == "old"


def test_missing_files(heart, tmp_path):
    path = tmp_path / "nowhere" / "costs.toml"
    with pytest.raises(MissingFile) as caught:
        Costs.from_toml(path)
    assert str(caught.value) == f"the costs file {path} does not exist; check the path."
    with pytest.raises(MissingFile) as caught:
        Costs.from_toml(tmp_path)
    assert str(caught.value) == (
        f"the costs file {tmp_path} is a folder, not a file; check the path."
    )
    with pytest.raises(MissingFile) as caught:
        heart.to_toml(path)
    assert str(caught.value) == (
        f"the folder {path.parent} does not exist; create it to save the costs in it."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "delayd = ['a']",
            "the file has the unknown key 'delayd'; use unit, source, date, default_test_cost, "
            "delayed, known, unavailable, never_ask, classes, tests, groups, errors. Did you mean "
            "'delayed'?",
        ),
        (
            "[tests]\nchol = -1",
            "the price of test 'chol' must be a finite number, 0 or more, but is -1; write a "
            "plain number such as 5.17.",
        ),
        ("groups = 5", "groups must be tables such as [groups.blood], but is 5."),
        (
            "[groups]\nblood = ['a']",
            "group 'blood' must be a table with cost and tests, but is ['a']; write "
            "[groups.blood].",
        ),
        (
            "[groups.blood]\ncosts = 1\ntests = ['a']",
            "group 'blood' has the unknown key 'costs'; use cost, tests, discounts. Did you mean "
            "'cost'?",
        ),
        ("[groups.blood]\ntests = ['a']", "group 'blood' lacks the key 'cost'; add it."),
        (
            "[groups.blood]\ncost = 1\ntests = []",
            "group 'blood': a group needs at least one test, but got []; name its tests.",
        ),
        (
            "[groups.blood]\ncost = 1\ndiscounts = {a = 1}",
            "group 'blood' has discounts beside cost or tests; keep discounts alone, or cost and "
            "tests.",
        ),
        (
            "[groups.blood]\ndiscounts = 5",
            "discounts of group 'blood' must map each test to a number or list the numbers by "
            "position, but is 5; write a mapping such as {'age': 1, 'chol': 5.17}.",
        ),
        (
            "[[errors]]\npredicted = 'a'\ncost = 1",
            "an entry of errors lacks the key 'actual'; add it.",
        ),
        (
            "[[errors]]\npredicted = 'a'\nactuel = 'b'\ncost = 1",
            "an entry of errors has the unknown key 'actuel'; use predicted, actual, cost. Did "
            "you mean 'actual'?",
        ),
        (
            "[[errors]]\npredicted = 'a'\nactual = 'b'\ncost = 1\n" * 2,
            "errors has two entries for ('a', 'b'); keep one of them.",
        ),
        (
            "[[tests]]\ntest = 0\ncost = 1\n" * 2,
            "tests has two entries for 0; keep one of them.",
        ),
        (
            "[errors]\nclasses = ['a']",
            "errors lacks the key 'matrix'; add it, or write [[errors]] entries.",
        ),
        (
            "[errors]\nmatrx = [[0]]",
            "errors has the unknown key 'matrx'; use classes, matrix. Did you mean 'matrix'?",
        ),
        (
            "classes = ['a', 'b']\n[errors]\nclasses = ['b', 'a']\nmatrix = [[0, 1], [2, 0]]",
            "classes is ['a', 'b'] at the top but ['b', 'a'] beside the matrix; keep one of them.",
        ),
    ],
)
def test_complaints_about_a_file(file, text, message):
    file.write_text(text)
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == f"{file}: {message}"


def test_not_toml(file):
    file.write_text("[tests]\nage 1\n")
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == (
        f"{file} is not valid TOML: Expected '=' after a key in a key/value pair (at line 2, "
        "column 5); correct that line."
    )
    file.write_bytes(b"unit = '\xff'")
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == f"{file} is not UTF-8 text; save it in that encoding."
