"""The problems of the study: names, folds, error costs, files."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from frugaltree import Costs
from frugaltree.datasets import assign_costs, info, load, names
from frugaltree.exceptions import FrugaltreeError
from study import problems
from study.problems import Problem


def test_there_are_as_many_as_in_the_paper():
    assert len(problems.list_main_problems()) == 105
    assert len(problems.list_random_problems()) == 100
    assert len(problems.list_curve_problems()) == 16
    every = [problem.name for problem in problems.list_all_problems()]
    assert len(every) == len(set(every))
    assert all(Problem.named(name).name == name for name in every)


def test_folds_are_the_same_under_every_price_list_and_cover_the_table():
    one, other = Problem("glass", "1").folds(), Problem("glass", "random-3").folds()
    for (train, test), (train_2, test_2) in zip(one, other, strict=True):
        assert np.array_equal(train, train_2)
        assert np.array_equal(test, test_2)
    assert sorted(np.concatenate([test for _, test in one])) == list(range(214))


def test_folds_are_stratified():
    _, y = Problem("pima", "1").table()
    for _, test in Problem("pima", "1").folds():
        assert y[test].value_counts()["count"].max() in (50, 51)


def test_turney_set_thirds_aside():
    (train, test), *others = Problem("bupa", "turney").folds()
    assert (len(train), len(test), len(others)) == (230, 115, 9)
    assert Problem("bupa", "turney").costs().delayed
    assert not Problem("bupa", "expert").costs().delayed


def test_draws_are_those_of_assign_costs():
    X, y = load("car", return_X_y=True)
    assert Problem("car", "3").costs("500") == assign_costs(X, y, 3, errors=500)
    random = assign_costs(X, y, 3, informative=False, errors=500)
    assert Problem("car", "random-3").costs("500") == random


def test_gaps_are_filled():
    assert all(Problem(data, "1").table()[0].null_count().sum_horizontal().item() == 0
               for data in names())  # fmt: skip


def test_breast_cancer_with_twenty_tests():
    X, y = Problem(problems.WIDENED, "1").table()
    assert X.width == 20
    assert X.columns[:9] == list(info("breast-cancer").tests)
    again, _ = problems.load_table.__wrapped__(problems.WIDENED)
    assert X.equals(again)
    assert len(y) == info("breast-cancer").rows


def test_levels_of_table_3():
    assert problems.list_nonuniform_levels(5000) == [
        "5000:40000", "5000:20000", "5000:10000", "5000", "10000:5000", "20000:5000", "40000:5000"
    ]  # fmt: skip


def test_the_odd_class_is_in_the_first_half():
    matrix = Costs(errors=problems.parse_level("1:8", "abc")).matrix(["a", "b", "c"])
    assert matrix.tolist() == [[0, 1, 8], [1, 0, 8], [1, 1, 0]]


@pytest.mark.parametrize("name", ["", "many", "1:2:3", "-5", "inf", "5:"])
def test_levels_that_are_none(name):
    with pytest.raises(FrugaltreeError, match="no level of error costs"):
        problems.parse_level(name, "ab")


@pytest.mark.parametrize("name", ["car", "car/9", "cars/1", "car/expert", ""])
def test_problems_that_are_none(name):
    with pytest.raises(FrugaltreeError, match="there is no problem"):
        Problem.named(name)


def test_a_problem_is_written_and_read_again(tmp_path):
    problem = Problem.named("heart/expert")
    table, prices = problem.write(tmp_path, "500:4000")
    X, y = problem.table()
    read = pl.read_csv(table)
    assert read.columns == [*X.columns, "class"]
    assert read["class"].to_list() == y.to_list()
    assert Costs.from_toml(prices) == problem.costs("500:4000")
    with pytest.raises(FrugaltreeError, match="there is no folder"):
        problem.write(tmp_path / "none", "500")
