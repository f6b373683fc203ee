"""The commands costs and fit."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, load_model, report
from frugaltree.app.fit import say_cost
from frugaltree.app.tables import read_cases
from frugaltree.datasets import load
from frugaltree.persist import read_model
from frugaltree.report.search import SearchOutcome, say_outcome
from frugaltree.strategies import expected_costs
from support.commands import one_sentence


def test_prices_to_start_from_are_valid_and_complete(call, tmp_path):
    out = tmp_path / "p.toml"
    code, _, err = call("costs", "init", "heart.csv", "-t", "class", "-o", out)
    assert code == 0, err
    X, y = load("heart", return_X_y=True)
    costs = Costs.from_toml(out)
    assert list(costs.tests) == X.columns
    assert costs.matrix(sorted(set(y))).tolist() == [[0, 100], [100, 0]]
    assert "age = 1 # numeric, 29 to 77" in out.read_text()
    assert "Edit it, then: frugaltree fit heart.csv --target class" in err


def test_a_missed_case_may_cost_more(call, tmp_path):
    out = tmp_path / "p.toml"
    args = ("costs", "init", "heart.csv", "-t", "class", "-o", out)
    assert call(*args, "--case", "sick", "--worth", 5)[0] == 0
    assert Costs.from_toml(out).error_cost("healthy", "sick") == 500
    assert Costs.from_toml(out).error_cost("sick", "healthy") == 100


def typed(folder, out, *answers):
    """Return what ``costs init`` says in a terminal in which somebody types."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "frugaltree", "costs", "init", "heart.csv", "-t", "class"]
    process = subprocess.Popen(
        [*command, "-o", str(out)], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    said = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # so Linux tells that nobody is at the other end
            more = b""
        if not more:
            break
        said += more
    os.close(ours)
    assert process.wait(60) == 0, said.decode()
    return said.decode()


def test_a_terminal_asks_what_a_missed_case_is_worth(folder, tmp_path):
    out = tmp_path / "p.toml"
    said = typed(folder, out, "sick", "5")
    assert "Which one must not be missed, healthy or sick" in said
    assert "How many false alarms is one missed case worth" in said
    costs = Costs.from_toml(out)
    assert costs.error_cost("healthy", "sick") == 500
    assert costs.error_cost("sick", "healthy") == 100


def test_who_just_presses_enter_gets_the_usual_prices(folder, tmp_path):
    out = tmp_path / "p.toml"
    typed(folder, out, "", "")
    assert Costs.from_toml(out).matrix(["healthy", "sick"]).tolist() == [[0, 100], [100, 0]]


def test_columns_may_have_commas_and_quotes_in_their_names(call, tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "m.json"
    lines = ['"age, ""years""",kind,ill', *["40,1,no", "50,2,yes", "60,1,yes"] * 5]
    table.write_text("\n".join(lines))
    costs = tmp_path / "t.costs.toml"
    assert call("costs", "init", table, "-t", "ill", "-o", costs)[0] == 0
    given = ("-t", "ill", "-c", costs, "-l", "eg2", "-o", out, "--nominal")
    code, _, err = call("fit", table, *given, '"age, ""years""",kind')
    assert code == 0, err
    names = {column.name: column.kind for column in load_model(out).tree_.columns}
    assert names == {'age, "years"': "nominal", "kind": "nominal"}
    code, printed, err = call("predict", out, table, "--keep", '"age, ""years"""')
    assert code == 0, err
    assert printed.splitlines()[0].startswith('"age, ""years"""')


def test_prices_are_never_written_over(call, folder):
    before = (folder / "heart.costs.toml").read_bytes()
    for command in ("init", "assign"):
        code, _, err = call("costs", command, "heart.csv", "-t", "class")
        assert code == 1
        assert "exists already" in one_sentence(err)
    assert (folder / "heart.costs.toml").read_bytes() == before


def test_many_classes_have_a_matrix(call, tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "t.costs.toml"
    table.write_text("a,class\n" + "".join(f"{i},c{i % 7}\n" for i in range(14)))
    code, _, err = call("costs", "init", table, "-t", "class")
    assert code == 0, err
    assert len(tomllib.loads(out.read_text())["errors"]["matrix"]) == 7
    assert Costs.from_toml(out).error_cost("c1", "c6") == 100


def test_very_many_classes_have_one_price(call, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "p.toml"
    path.write_text("a,class\n" + "".join(f"{i % 3},c{i % 60}\n" for i in range(120)))
    code, _, err = call("costs", "init", path, "-t", "class", "-o", out)
    assert code == 0, err
    assert Costs.from_toml(out).errors == 100


def test_names_that_are_no_bare_keys(call, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a b,x.y,<script>,it's,class\n1,2,3,4,no\n2,3,4,5,yes\n")
    assert call("costs", "init", table, "-t", "class")[0] == 0
    costs = Costs.from_toml(tmp_path / "t.costs.toml")
    assert list(costs.tests) == ["a b", "x.y", "<script>", "it's"]


def test_prices_are_checked(call):
    given = ("heart.costs.toml", "--data", "heart.csv", "-t", "class")
    code, out, _ = call("costs", "check", *given)
    assert code == 0
    assert "all tests together: 323.97" in out
    assert "unit: CAD" in out
    found = json.loads(call("costs", "check", *given, "--json")[1])
    assert found["tests"] == 13
    code, _, err = call("costs", "check", "heart.costs.toml", "-d", "heart.csv", "-t", "age")
    assert code == 1
    assert "does not fit heart.csv" in one_sentence(err)


def test_prices_are_drawn_as_in_the_paper(call, tmp_path):
    out = tmp_path / "p.toml"
    args = ("costs", "assign", "heart.csv", "-t", "class", "--seed", 3, "-o", out, "--json")
    code, printed, err = call(*args)
    assert code == 0, err
    assert json.loads(printed)["tests"] == 13
    assert all(0 < price <= 100 for price in Costs.from_toml(out).tests.values())


def test_a_model_is_learned_saved_and_summed_up(call, tmp_path):
    out = tmp_path / "m.json"
    code, printed, err = call(
        "fit", "heart.csv", "-t", "class", "--time", "1s", "--depth", 2, "-o", out
    )
    assert code == 0, err
    model = load_model(out)
    assert model.to_text().splitlines()[0] in printed
    for text in (
        "always answer",
        "EG2, which looks",
        "DTMC, which",
        "ask everything",
        "The search",
    ):
        assert text in printed
    assert "297 cases, 2 classes, columns: 6 numeric (age" in err
    provenance = json.loads(out.read_text())["provenance"]
    assert provenance["data_digest"].startswith("sha256:")


@pytest.mark.parametrize("learner", ["act", "dtmc", "eg2", "c4.5", "id3", "idx", "csid3", "lsid3"])
def test_every_learner(call, tmp_path, learner):
    out = tmp_path / "m.json"
    args = ("fit", "heart.csv", "-t", "class", "-l", learner, "-o", out, "--json", "--seed", 3)
    code, printed, err = call(*args)
    assert code == 0, err
    found = json.loads(printed)
    model = load_model(out)
    assert found["learner"] == type(model).__name__
    mine = next(one for one in found["strategies"] if one["name"] == "this tree")
    X, y = read_cases(Path("heart.csv"), "class")
    assert mine["total"] == pytest.approx(model.total_cost(X, y))


@pytest.mark.parametrize("learner", ["dtmc", "eg2"])
def test_both_figures_of_what_to_expect_are_one(call, tmp_path, learner):
    out = tmp_path / "m.json"
    code, printed, err = call("fit", "heart.csv", "-t", "class", "-l", learner, "-o", out)
    assert code == 0, err
    mine = next(line for line in printed.splitlines() if line.startswith("this tree"))
    assert f"A new case is estimated to cost CAD {mine.split()[-1]}, CAD" in printed
    assert "no cases were kept aside to check that" in printed
    assert "without the value" not in printed
    found = next(one for one in read_model(out).strategies if one.name == "this tree")
    assert f"{found.expected:.2f}" == mine.split()[-1]


def test_one_figure_is_told_of_new_cases():
    X, y = [[0], [1], [1]] * 9, [0, 1, 0] * 9
    model = FrugalTreeClassifier(Costs([1], errors=50), pessimism="none").fit(X, y)
    estimated = f"A new case is estimated to cost {sum(expected_costs(model)):.2f}, "
    assert say_cost(model).startswith(estimated)
    model = FrugalTreeClassifier(Costs([1], errors=50), max_steps=500, random_state=0).fit(X, y)
    told = model.forecast_
    between = f"(95 %: {told.low:.2f} to {told.high:.2f})"
    said = f"A new case costs {told.cost:.2f} {between} by cases kept"
    assert say_cost(model).startswith(said)


def test_what_the_bound_belongs_to(call, tmp_path):
    given = ("fit", "heart.csv", "-t", "class", "--time", "1s", "--depth", 2, "--json")
    code, printed, err = call(*given, "-o", tmp_path / "m.json")
    assert code == 0, err
    found = json.loads(printed)
    assert found["objective"] == load_model(tmp_path / "m.json").objective_
    assert found["lower_bound"] <= found["objective"] * (1 + 1e-9)


def test_who_stops_the_comparing_has_the_model(call, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "compare_with_baselines", stopped)
    out = tmp_path / "m.json"
    code, printed, err = call("fit", "heart.csv", "-t", "class", "-l", "eg2", "-o", out)
    assert code == 130
    assert printed == ""
    assert f"Stopped while comparing with other learners; the model is saved in {out}." in err
    assert load_model(out).tree_.n_leaves > 1


def test_an_interrupted_search_in_words():
    outcome = SearchOutcome("interrupted", 2.0, 2.0, 1.0, 0.5)
    assert say_outcome(outcome) == (
        "The search was interrupted; a longer one may find a cheaper tree."
    )
    close = SearchOutcome("interrupted", 2.0, 2.0, 1.9, 0.05)
    assert say_outcome(close).endswith("no tree costs less by more than 5.0 %.")


@pytest.mark.parametrize("suffix", [".tsv", ".parquet", ".arff"])
def test_other_formats_give_the_same_tree(call, tmp_path, suffix):
    table, path = load("heart"), tmp_path / f"heart{suffix}"
    if suffix == ".tsv":
        table.write_csv(path, separator="\t")
    elif suffix == ".parquet":
        table.write_parquet(path)
    else:
        path.write_text(as_arff(table))
    out = tmp_path / "m.json"
    given = ("-t", "class", "-c", "heart.costs.toml", "-l", "eg2", "-o", out, "--json")
    code, _, err = call("fit", path, *given)
    assert code == 0, err
    X, y = load("heart", return_X_y=True)
    if suffix != ".parquet":
        X, y = read_cases(Path("heart.csv"), "class")
    ours = EG2Classifier(Costs.from_toml("heart.costs.toml")).fit(X, y)
    assert load_model(out).to_text() == ours.to_text()
    code, printed, err = call("predict", out, path)
    assert code == 0, err
    found = [row["answer"] for row in csv.DictReader(printed.splitlines())]
    assert found == ours.predict(X).tolist()


def as_arff(table):
    lines = ["@relation heart"]
    for name in table.columns:
        if table[name].dtype.is_numeric() or name == "ca":
            lines.append(f"@attribute {name} numeric")
        else:
            values = ",".join(f"'{v}'" for v in table[name].unique().cast(str).to_list())
            lines.append(f"@attribute {name} {{{values}}}")
    table = table.with_columns(pl.col("ca").cast(pl.String).cast(pl.Int64))
    rows = [",".join(f"'{v}'" if isinstance(v, str) else str(v) for v in r) for r in table.rows()]
    return "\n".join([*lines, "@data", *rows]) + "\n"


def test_kinds_can_be_told(call, tmp_path):
    out = tmp_path / "m.json"
    given = ("-t", "class", "-l", "eg2", "-o", out, "--json")
    code, _, err = call("fit", "heart.csv", *given, "--nominal", "ca")
    assert code == 0, err
    kinds = {column.name: column.kind for column in load_model(out).tree_.columns}
    assert (kinds["ca"], kinds["age"]) == ("nominal", "numeric")
    code, printed, err = call("predict", out, "heart.csv")
    assert code == 0, err
    assert len(printed.splitlines()) == 298
    code, _, err = call("fit", "heart.csv", *given, "--numeric", "sex")
    assert code == 1
    assert "--numeric names 'sex', which holds 'male'" in one_sentence(err)


@pytest.mark.parametrize("odd", [["x"], b"\xff"], ids=["lists", "bytes"])
@pytest.mark.parametrize("how", [("costs", "init"), ("fit", "--nominal"), ("fit", "--numeric")])
def test_columns_that_are_no_tests_are_refused(call, tmp_path, odd, how):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"^a$": [odd, None, odd], "y": ["p", "q", "p"]}).write_parquet(path)
    (tmp_path / "t.costs.toml").write_text("")
    command, option = how
    given = (option, path) if command == "costs" else (path, option, "^a$")
    code, _, err = call(command, *given, "-t", "y", "-o", tmp_path / "out")
    assert code == 1
    assert "column '^a$' holds " in one_sentence(err)
    assert not (tmp_path / "out").exists()


def test_an_interrupted_fit_saves_its_tree(folder, tmp_path):
    out = tmp_path / "m.json"
    command = [sys.executable, "-m", "frugaltree", "fit", "heart.csv", "-t", "class"]
    child = subprocess.Popen(
        [*command, "--time", "300s", "-o", out],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    line = child.stderr.readline()
    assert "297 cases" in line
    time.sleep(3)
    os.kill(child.pid, signal.SIGINT)
    printed, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "interrupted" in printed
    assert load_model(out).termination_ == "interrupted"


def test_a_price_list_to_start_from_never_asks_for_names_and_holds_none(call, tmp_path):
    lines = [f"NAME-{i},{'ab'[i % 2]},{'ny'[i % 2]}" for i in range(30)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["patient,kind,class", *lines]) + "\n")
    assert call("costs", "init", table, "-t", "class")[0] == 0
    text = (tmp_path / "t.costs.toml").read_text()
    assert 'never_ask = ["patient"] ' in text
    assert "NAME-" not in text
    assert "nominal: a, b" in text


def test_where_no_test_pays_it_is_said_plainly(call, tmp_path):
    table, prices, model = (tmp_path / name for name in ("t.csv", "costs.toml", "m.json"))
    table.write_text("a,class\n" + "".join(f"{i % 7},{'yn'[i % 2]}\n" for i in range(60)))
    prices.write_text(
        "[tests]\na = 50\n\n[errors]\nclasses = ['n', 'y']\nmatrix = [[0, 1], [1, 0]]\n"
    )
    _, shown, _ = call("fit", table, "-t", "class", "--costs", prices, "-o", model, "--time", "1s")
    assert "No test pays for itself on these cases: the answer is always n." in shown
    page = tmp_path / "page.html"
    call("report", model, "-o", page)
    assert "No test pays for itself on these cases" in page.read_text("utf-8")


@pytest.mark.parametrize("learner", ["act", "frugal"])
def test_a_case_is_charged_no_more_than_is_said(call, tmp_path, learner):
    out = tmp_path / "m.json"
    args = ("fit", "heart.csv", "-t", "class", "-l", learner, "--depth", 2, "-o", out)
    code, _, err = call(*args, "--max-test-cost", 9.5)
    assert code == 0, err
    model = load_model(out)
    assert model.max_test_cost == 9.5
    bills = model.bill(pl.read_csv("heart.csv").drop("class"))
    assert 0 < bills.max() <= 9.5


def test_what_is_no_budget_is_refused(call):
    args = ("fit", "heart.csv", "-t", "class", "--max-test-cost")
    for text in ("-1", "much", "nan"):
        code, _, err = call(*args, text)
        assert code == 2
        assert "max-test-cost" in err or "max_test_cost" in err
    code, _, err = call(*args, 3, "-l", "eg2")
    assert code == 1
    assert "eg2 does not take --max-test-cost" in one_sentence(err)
