"""Columns that are left out by --drop: no tests, no prices, and no values in any file."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from frugaltree import Costs, load_model
from support.commands import one_sentence

N = 60
UNASKED = ("PATIENT-", "WARD-")


@pytest.fixture
def table(tmp_path):
    """Return a table with an identifier, a column that tells all, and one that tells something."""
    ill = [i % 3 == 0 for i in range(N)]
    path = tmp_path / "t.csv"
    pl.DataFrame(
        {
            "case no": [f"PATIENT-{i:03}" for i in range(N)],
            "number": range(1, N + 1),
            "ward": ["WARD-I" if one else "WARD-W" for one in ill],
            "crp": ["high" if one or i % 7 == 0 else "low" for i, one in enumerate(ill)],
            "fever": ["yes", "no"] * (N // 2),
            "class": ["ill" if one else "well" for one in ill],
        }
    ).write_csv(path)
    return path


DROP = ("--drop", "case no", "--drop", "number", "--drop", "ward")


def assert_silent(*paths):
    for path in paths:
        content = path.read_bytes()
        assert not [value for value in UNASKED if value.encode() in content], path


@pytest.mark.parametrize("learner", ["c4.5", "dtmc"])
def test_a_dropped_column_is_in_no_file(call, table, learner):
    folder = table.parent
    costs, model, page = folder / "t.costs.toml", folder / "m.json", folder / "m.html"
    code, _, err = call("costs", "init", table, "-t", "class", *DROP)
    assert code == 0, err
    assert "Note:" not in err
    assert "2 tests and 2 classes are priced" in err
    assert err.rstrip().endswith(f"--target class {DROP[0]} 'case no' {' '.join(DROP[2:])}")
    assert list(Costs.from_toml(costs).tests) == ["crp", "fever"]
    assert "# never_ask = [] " in costs.read_text()
    given = ("fit", table, "-t", "class", "-l", learner, "-o", model)
    code, _, err = call(*given, *DROP)
    assert code == 0, err
    assert "Note:" not in err
    assert "columns: 2 nominal (crp, fever)" in err
    assert [column.name for column in load_model(model).tree_.columns] == ["crp", "fever"]
    again = ("-d", table, "-t", "class", "--folds", 2)
    assert call("report", model, "-o", page, *again)[0] == 0
    answers = folder / "answers.csv"
    assert call("predict", model, table, "-o", answers)[0] == 0
    assert_silent(costs, model, page, answers)
    assert call("predict", model, table, "-k", "case no")[1].count("PATIENT-") == N
    few = folder / "few.csv"  # which has nothing that was dropped
    pl.read_csv(table).select("crp", "fever", "class").write_csv(few)
    assert call("predict", model, few)[1] == answers.read_text()
    assert call("report", model, "-o", page, "-d", few, "-t", "class")[0] == 0


def test_prices_of_what_is_dropped_do_not_matter(call, table):
    folder = table.parent
    prices = folder / "prices.toml"
    prices.write_text(
        'errors = 50\ndelayed = ["number"]\nknown = ["ward"]\nnever_ask = ["case no"]\n'
        "[tests]\ncrp = 1\nfever = 1\nnumber = 3\n"
        '[groups.a]\ncost = 1\ntests = ["number", "ward"]\n'
        "[groups.b.discounts]\nnumber = 1\ncrp = 0.5\n"
    )
    model = folder / "m.json"
    given = (table, "-t", "class", "-c", prices)
    code, _, err = call("fit", *given, "-l", "dtmc", "-o", model, *DROP)
    assert code == 0, err
    costs = load_model(model).costs
    assert costs.tests == {"crp": 1, "fever": 1}
    assert {name: group.members for name, group in costs.groups.items()} == {"b": ("crp",)}
    assert (costs.delayed, costs.known, costs.never_ask) == ((), (), ())
    code, printed, err = call("compare", *given, "-l", "dtmc", "-k", 2, "-j", 1, "--json", *DROP)
    assert code == 0, err
    assert json.loads(printed)
    code, printed, err = call("costs", "check", prices, "-d", table, "-t", "class", *DROP)
    assert code == 0, err
    assert "tests: 2" in printed


def test_names_are_told_of_with_what_leaves_them_out(call, table):
    prices = table.with_suffix(".costs.toml")
    prices.write_text("default_test_cost = 1\nerrors = 100\n")
    given = ("fit", table, "-t", "class", "-l", "dtmc", "-o", table.with_suffix(".json"))
    code, _, err = call(*given)
    assert code == 0
    assert err.count("leave it out with --drop 'case no', or") == 1
    assert err.count("leave it out with --drop number, or") == 1
    assert "--drop" not in call(*given, "--drop", "case no", "--drop", "number")[2]


def test_a_price_list_to_start_from_never_asks_for_names(call, table):
    code, _, err = call("costs", "init", table, "-t", "class")
    prices = table.with_suffix(".costs.toml")
    assert code == 0
    assert (
        "Note: nominal column 'case no' has 60 values in 60 cases, as an identifier would; it is "
        f"under never_ask in {prices}, so that no tree asks it; take it out there, and give it a "
        "price, if it is a test." in err
    )
    assert "each once, as an identifier would; it is under never_ask" in err
    assert "3 tests and 2 classes are priced" in err
    costs = Costs.from_toml(prices)
    assert costs.never_ask == ("case no", "number")
    assert list(costs.tests) == ["ward", "crp", "fever"]
    model = table.with_suffix(".json")
    code, _, err = call("fit", table, "-t", "class", "-l", "dtmc", "-o", model)
    assert code == 0
    assert "Note:" not in err
    assert "columns: 3 nominal (ward, crp, fever), 2 never asked (case no, number)" in err
    code, printed, err = call("costs", "check", prices, "-d", table, "-t", "class")
    assert (code, err, printed.splitlines()[0]) == (0, "", "tests: 3")


@pytest.mark.parametrize(
    "command", [("fit",), ("compare",), ("costs", "init"), ("costs", "assign")]
)
@pytest.mark.parametrize(
    ("drop", "said"),
    [
        (["case nr"], "--drop names 'case nr', but .* has no such column; .* mean 'case no'"),
        (["class"], "--drop names 'class', which is the column to predict; leave it out"),
        (["case no", "number", "ward", "crp", "fever"], "no column but 'class' and those dropped"),
    ],
)
def test_mistakes_are_one_sentence(call, table, command, drop, said):
    table.with_suffix(".costs.toml").write_text("errors = 1\ndefault_test_cost = 1\n")
    more = [word for name in drop for word in ("--drop", name)]
    code, _, err = call(*command, table, "-t", "class", *more)
    assert code == 1
    assert re.search(said, one_sentence(err))


def test_without_a_price_list_the_proposal_drops_the_same(call, table):
    code, _, err = call("fit", table, "-t", "class", "--drop", "case no")
    assert code == 1
    assert f"costs init {table} --target class --drop 'case no'' write one" in one_sentence(err)


def test_dropped_columns_of_parquet(call, table):
    data = table.with_suffix(".parquet")
    pl.read_csv(table).write_parquet(data)
    code, _, err = call("costs", "init", data, "-t", "class", *DROP)
    assert code == 0, err
    assert list(Costs.from_toml(data.with_suffix(".costs.toml")).tests) == ["crp", "fever"]
