"""Repertoires on the command line."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars as pl
import pytest

from frugaltree import load_model
from support.commands import one_sentence


@pytest.fixture(scope="module")
def model(folder):
    """Return the model file of a repertoire, learned by the command."""
    from frugaltree.app.budgets import run_fit

    reading = {"nominal": (), "numeric": (), "drop": (), "sheet": None}
    options = {"learner": "frugal", "n_jobs": None, "random_state": 0}
    path = folder / "budgets.model.json"
    code = run_fit(
        folder / "heart.csv", "class", None, "0,1,60", options, reading, out=path, as_json=False
    )
    assert code == 0
    return path


def test_fit_predict_consult_show_and_plot(call, model, tmp_path):
    fitted = load_model(model)
    X = pl.read_csv("heart.csv").drop("class")
    assert fitted.budgets_.tolist() == [0, 1, 60]
    code, printed, err = call("predict", model, "heart.csv", "--budget", 1)
    assert code == 0, err
    rows = list(csv.DictReader(printed.splitlines()))
    assert [row["answer"] for row in rows] == fitted.predict(X, 1).tolist()
    bills = np.array([float(row["bill"]) for row in rows])
    np.testing.assert_allclose(bills, fitted.bill(X, budget=1))
    assert bills.max() == 1
    code, printed, err = call("predict", model, "heart.csv", "--budget", 0.5)
    assert {row["bill"] for row in csv.DictReader(printed.splitlines())} == {"0.0"}
    code, printed, err = call("show", model)
    assert code == 0, err
    assert fitted.overview().splitlines()[1] in printed
    code, printed, err = call("plot", model, "--what", "budgets", "--json")
    assert code == 0, err
    assert json.loads(printed)["budgets"] == [0, 1, 60]
    code, _, err = call("plot", model, "--what", "budgets", "-o", tmp_path / "b.svg")
    assert code == 0, err
    assert (tmp_path / "b.svg").exists()


def test_mistakes(call, model):
    code, _, err = call("predict", "eg2.model.json", "heart.csv", "--budget", 10)
    assert code == 1
    assert "--budget is for a repertoire, but eg2.model.json has one tree" in one_sentence(err)
    code, _, err = call("predict", model, "heart.csv", "--budget", "nan")
    assert (code, "'nan' is no amount; write such as 12.50" in err) == (2, True)
    code, _, err = call("consult", model, "--budget", -1)
    assert (code, "'-1' is less than 0; give 0 or more." in err) == (2, True)
    code, _, err = call("fit", "heart.csv", "-t", "class", "--budgets", "5,ten")
    assert "--budgets has 'ten', which is no number" in one_sentence(err)
    code, _, err = call("fit", "heart.csv", "-t", "class", "--budgets", "5,1")
    assert "budgets must increase, but 1 comes after 5" in one_sentence(err)
    code, _, err = call("fit", "heart.csv", "-t", "class", "--budgets", "5", "-l", "dtmc")
    assert "a DTMCClassifier has no max_test_cost" in one_sentence(err)
    code, _, err = call("plot", "eg2.model.json", "--what", "budgets", "--json")
    assert "a EG2Classifier has one tree, whatever the budget" in one_sentence(err)
