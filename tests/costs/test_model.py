"""The price list as a value, and what it says of mistakes."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
import subprocess
import sys
import warnings
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from frugaltree.costs import Costs, Group
from frugaltree.exceptions import InvalidCosts
from support.price_lists import NAMES


def complaint(*args, **kwargs) -> str:
    with pytest.raises(InvalidCosts) as caught:
        Costs(*args, **kwargs)
    return str(caught.value)


def unresolved(costs: Costs, names=("age", "chol"), classes=("healthy", "sick")) -> str:
    with pytest.raises(InvalidCosts) as caught:
        costs.resolve(names, classes)
    return str(caught.value)


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
        "tests has a price for 'age', but the table has no column names; pass a data frame (a "
        "pipeline keeps its names after set_output(transform='pandas')), or give tests by "
        "position."
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


def test_a_class_has_a_name():
    with pytest.raises(InvalidCosts, match="classes has a missing value, nan"):
        Costs(errors=[[0, 1], [1, 0]], classes=["no", float("nan")])
    with pytest.raises(InvalidCosts, match="classes has an infinite number"):
        Costs(errors=[[0, 1], [1, 0]], classes=["no", float("-inf")])
