"""``frugaltree costs``, ``fit``, ``predict`` and ``show`` as people call them."""

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

import numpy as np
import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, load_model, report, save_model
from frugaltree.app.cli import main
from frugaltree.app.fit import say_expected_cost
from frugaltree.app.tables import read_cases
from frugaltree.datasets import load, load_costs
from frugaltree.persist import read_model
from frugaltree.report.search import SearchOutcome, say_outcome
from frugaltree.strategies import expected_costs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table, its prices, and a model."""
    folder = tmp_path_factory.mktemp("fit")
    load("heart").write_csv(folder / "heart.csv")
    costs = load_costs("heart", errors=500, delayed=False)
    costs.to_toml(folder / "heart.costs.toml")
    X, y = load("heart", return_X_y=True)
    save_model(EG2Classifier(costs).fit(X, y), folder / "eg2.model.json")
    return folder


@pytest.fixture
def call(folder, monkeypatch, capfd):
    """Return what runs the command line in the folder: (exit code, output, messages)."""
    monkeypatch.chdir(folder)

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["frugaltree", *map(str, args)])
        with pytest.raises(SystemExit) as end:
            main()
        told = capfd.readouterr()
        return end.value.code or 0, told.out, told.err

    return run


def one_sentence(err):
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1, err
    assert lines[0].startswith("Error: ")
    return lines[0]


# ------------------------------------------------------------------------------ costs


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


# ------------------------------------------------------------------------------ fit


def test_a_model_is_learned_saved_and_summed_up(call, tmp_path):
    out = tmp_path / "m.json"
    code, printed, err = call(
        "fit", "heart.csv", "-t", "class", "--time", "1s", "--depth", 2, "-o", out
    )
    assert code == 0, err
    model = load_model(out)
    assert model.to_text().splitlines()[0] in printed
    for text in ("always answer", "EG2, blind", "DTMC, one step", "ask everything", "The search"):
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
    assert f"Expected of new cases, each: CAD {mine.split()[-1]} = CAD" in printed
    assert "without the value" not in printed
    found = next(one for one in read_model(out).strategies if one.name == "this tree")
    assert f"{found.expected:.2f}" == mine.split()[-1]


def test_a_search_that_goes_by_another_estimate_says_so():
    model = FrugalTreeClassifier(Costs([1], errors=50), pessimism="none")
    model.fit([[0], [1], [1]] * 9, [0, 1, 0] * 9)
    lines = say_expected_cost(model, None, has_bound=True)
    assert lines[0].startswith(f"Expected of new cases, each: {sum(expected_costs(model)):.2f} = ")
    assert lines[1] == f"By the estimate that the search has chosen: {model.expected_cost_:.2f}."


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
    said = say_outcome(outcome, None)
    assert said.startswith("The search was interrupted: this tree is expected")
    assert said.endswith("no tree less than 1.00 (gap 50.0 %).")
    short = say_outcome(outcome, None, with_gap=False)
    assert short.endswith("less than 1.00; whether a cheaper one exists is not proven.")


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


# ------------------------------------------------------------------------------ predict, show


def test_answers_and_bills(call, folder, tmp_path):
    model = load_model(folder / "eg2.model.json")
    X, y = load("heart", return_X_y=True)
    code, printed, _ = call("predict", "eg2.model.json", "heart.csv")
    rows = list(csv.DictReader(printed.splitlines()))
    assert code == 0
    assert [row["answer"] for row in rows] == model.predict(X).tolist()
    np.testing.assert_allclose([float(row["bill"]) for row in rows], model.bill(X))
    out = tmp_path / "answers.csv"
    more = ("-t", "class", "-k", "age,sex", "--shares", "-o", out, "--json")
    code, printed, err = call("predict", "eg2.model.json", "heart.csv", *more)
    assert code == 0, err
    found = pl.read_csv(out)
    assert found.columns == ["age", "sex", "answer", "bill", "share of healthy", "share of sick"]
    assert found["age"].to_list() == X["age"].to_list()
    np.testing.assert_allclose(found["share of sick"], model.predict_proba(X)[:, 1])
    told = json.loads(printed)
    assert told["total"] == pytest.approx(model.total_cost(X, y))
    assert told["accuracy"] == pytest.approx(np.mean(model.predict(X) == y.to_numpy()))


def test_a_column_is_kept_once(call):
    code, printed, err = call("predict", "eg2.model.json", "heart.csv", "-k", "age,sex,age")
    assert code == 0, err
    assert printed.splitlines()[0] == "age,sex,answer,bill"
    # Without shares, nothing else is called so.
    code, _, err = call("predict", "eg2.model.json", "heart.csv", "-k", "share of sick")
    assert "has no such column" in one_sentence(err)


def test_values_that_were_never_seen_are_told_of(call, tmp_path):
    lines = Path("heart.csv").read_text().splitlines()
    lines[4] = lines[4].replace("atypical angina", '"angina, atypical"')
    (tmp_path / "t.csv").write_text("\n".join(lines))
    given = ("predict", "eg2.model.json", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    code, printed, err = call(*given, "--json")
    assert code == 0, err
    assert (
        "Note: 1 case has a value of 'cp' that was never seen at fit, such as 'angina, at" in err
    )
    assert json.loads(printed)["unseen"]["cp"] == 1
    code, printed, err = call("predict", "eg2.model.json", "heart.csv", "-o", tmp_path / "o.csv")
    assert "Note:" not in err


def test_a_table_goes_from_fit_to_predict_as_it_was_written(call, tmp_path):
    lines = ["sep=;", "zip; dose ;stage;class", *["01067;0,5;1.0;01", "20095;1,25;2.0;02"] * 12]
    table, out = tmp_path / "a b [red].csv", tmp_path / "m.json"
    table.write_text("\r\n".join([*lines, "", ";;;", "20095;n/a;2.0;02"]))
    costs = tmp_path / "c.toml"
    assert call("costs", "init", table, "-t", "class", "-o", costs)[0] == 0
    given = ("fit", table, "-t", "class", "-c", costs, "-l", "eg2", "-o", out)
    code, printed, err = call(*given, "--nominal", "stage")
    assert code == 0, err
    assert "25 cases, 2 classes, columns: 1 numeric (dose), 2 nominal (zip, stage)" in err
    assert "Note: column 'zip' is nominal, for it holds numbers that begin with a zero" in err
    assert "Note: column 'dose' is numeric, and 'n/a' counts as missing in 1 of its cases" in err
    assert "A case without the value of a test goes down every branch." in printed
    columns = {column.name: column.categories for column in load_model(out).tree_.columns}
    assert columns == {"zip": ("01067", "20095"), "dose": (), "stage": ("1.0", "2.0")}
    answers = ("predict", out, table, "-t", "class", "-o", tmp_path / "o.csv", "--json")
    code, printed, err = call(*answers)
    assert code == 0, err
    told = json.loads(printed)
    assert (told["cases"], told["accuracy"], told["unseen"]) == (25, 1.0, {})
    assert "Note:" not in err


def test_a_long_table_is_read_in_pieces(call, tmp_path, monkeypatch):
    from frugaltree.app import predict

    monkeypatch.setattr(predict, "PIECE", 100)
    long = pl.concat([load("heart")] * 5)
    long.write_csv(tmp_path / "long.csv")
    code, printed, err = call("predict", "eg2.model.json", tmp_path / "long.csv")
    assert code == 0, err
    rows = list(csv.DictReader(printed.splitlines()))
    model = load_model("eg2.model.json")
    assert [row["answer"] for row in rows] == model.predict(long.drop("class")).tolist()


def test_truths_of_any_type_are_counted(call, tmp_path):
    for labels in ([False, True], [0, 1], ["no", "yes"]):
        X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [True, False, True, False]})
        y = [labels[0], labels[0], labels[1], labels[1]]
        model = EG2Classifier(Costs({"a": 1, "b": 1}, errors=10)).fit(X, y)
        save_model(model, tmp_path / "m.json")
        X.with_columns(pl.Series("y", y)).write_csv(tmp_path / "t.csv")
        given = (tmp_path / "m.json", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "o.csv")
        code, printed, err = call("predict", *given, "--json")
        assert code == 0, err
        assert json.loads(printed)["accuracy"] == np.mean(model.predict(X) == np.array(y))


def test_a_tree_is_shown(call, folder):
    model = load_model(folder / "eg2.model.json")
    code, printed, _ = call("show", "eg2.model.json", "--depth", 1)
    assert code == 0
    assert printed.startswith(model.to_text(max_depth=1))
    found = json.loads(call("show", "eg2.model.json", "--json")[1])
    assert found["leaves"] == model.tree_.n_leaves
    assert found["tree"]["test"] == model.tree_.to_dict()["test"]


# ------------------------------------------------------------------------------ mistakes

FIT = ("fit", "heart.csv", "-t", "class", "-l", "eg2")
PREDICT = ("predict", "eg2.model.json")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("fit", "hart.csv", "-t", "class"), "the table hart.csv does not exist"),
        (("fit", ".", "-t", "class"), "is a folder, not a file"),
        (("fit", "heart.csv", "-t", "clas"), "Did you mean 'class'?"),
        (("fit", "empty.csv", "-t", "class"), "cannot be read as CSV"),
        (("fit", "latin.csv", "-t", "class"), "cannot be read as CSV"),
        (("fit", "one.csv", "-t", "class"), "all cases of one.csv have 'class' = 'no'"),
        (("fit", "gap.csv", "-t", "class"), "1 case of gap.csv has no 'class'"),
        (("fit", "alone.csv", "-t", "class"), "has no column but 'class'"),
        (("fit", "bad.parquet", "-t", "class"), "cannot be read as Parquet"),
        (("fit", "bad.arff", "-t", "class"), "cannot be read as ARFF"),
        ((*FIT, "-c", "prices.toml"), "the costs file prices.toml does not exist"),
        ((*FIT, "-c", "few.toml"), "few.toml does not fit heart.csv"),
        ((*FIT, "--nominal", "agee"), "Did you mean 'age'?"),
        ((*FIT, "-o", "no/model.json"), "does not exist; create it"),
        ((*FIT, "-o", "."), "is a folder; add a file name"),
        ((*FIT, "--time", "3s"), "eg2 does not take --time"),
        (("fit", "heart.csv", "-t", "class", "-l", "egg2"), "Did you mean 'eg2'?"),
        (("fit", "heart.csv", "-t", "class", "--time", "soon"), "soon"),
        ((*PREDICT, "hart.csv"), "the table hart.csv does not exist"),
        ((*PREDICT, "one.csv"), "one.csv has no column 'age', which the model knows"),
        ((*PREDICT, "text.csv"), "cannot be read as the table that the model was learned from"),
        ((*PREDICT, "heart.csv", "-t", "clas"), "Did you mean 'class'?"),
        ((*PREDICT, "untold.csv", "-t", "class"), "untold.csv has cases without 'class'"),
        ((*PREDICT, "heart.csv", "-k", "agee"), "--keep names 'agee', but heart.csv has no such"),
        ((*PREDICT, "heart.csv", "-k", "bill"), "--keep names 'bill', which is what a column of"),
        (
            (*PREDICT, "heart.csv", "-k", "share of sick", "--shares"),
            "--keep names 'share of sick'",
        ),
        ((*PREDICT, "heart.csv", "-o", "no/a.csv"), "does not exist; create it"),
        ((*PREDICT, "heart.csv", "--json"), "--json needs --out"),
        ((*PREDICT, "short.csv"), "no cases"),
        (("predict", "half.json", "heart.csv"), "half.json"),
        (("show", "none.json"), "the model file none.json does not exist"),
        (("show", "half.json"), "half.json"),
        (("costs", "check", "none.toml"), "does not exist"),
        (("costs", "check", "heart.costs.toml", "-d", "heart.csv"), "--data needs --target"),
        (("costs", "init", "one.csv", "-t", "class"), "all cases of one.csv"),
        (("costs", "init", "tiny.csv", "-t", "class", "--worth", "2"), "--worth needs --case"),
        (("costs", "init", "tiny.csv", "-t", "class", "--case", "maybe"), "choose one"),
    ],
)
def test_mistakes_are_one_sentence(call, folder, args, said):
    (folder / "empty.csv").write_bytes(b"")
    (folder / "latin.csv").write_bytes(b"a,class\n\xff\xfe,no\n")
    (folder / "one.csv").write_text("a,class\n1,no\n2,no\n")
    (folder / "tiny.csv").write_text("a,class\n1,no\n2,yes\n")
    (folder / "gap.csv").write_text("a,class\n1,no\n2,\n3,yes\n")
    (folder / "alone.csv").write_text("class\nno\nyes\n")
    (folder / "bad.parquet").write_bytes(b"PAR1 nonsense")
    (folder / "bad.arff").write_text("@relation x\n@attribute a string\n@data\nx\n")
    (folder / "few.toml").write_text("errors = 9\ntests = {age = 1}\n")
    whole = (folder / "eg2.model.json").read_text()
    (folder / "half.json").write_text(whole[: len(whole) // 2])
    heart = (folder / "heart.csv").read_text().splitlines()
    (folder / "short.csv").write_text(heart[0] + "\n")
    (folder / "untold.csv").write_text(f"{heart[0]}\n{heart[1].rpartition(',')[0]},?\n")
    (folder / "text.csv").write_text(f"{heart[0]}\n{heart[1].replace('63', 'old', 1)}\n")
    before = set(os.listdir(folder))
    code, out, err = call(*args)
    assert code == 1, (out, err)
    assert said in one_sentence(err[err.index("Error: ") :])
    assert "Traceback" not in err
    assert set(os.listdir(folder)) == before


def test_a_failed_command_keeps_the_file_that_was_there(call, tmp_path):
    out = tmp_path / "answers.csv"
    out.write_text("precious")
    assert call("predict", "eg2.model.json", "text.csv", "-o", out)[0] == 1
    assert call(*FIT, "-c", "few.toml", "-o", out)[0] == 1
    assert out.read_text() == "precious"
    assert os.listdir(tmp_path) == ["answers.csv"]


# ------------------------------------------------------------------------------ plot


@pytest.mark.parametrize("what", ["tree", "spending", "sensitivity"])
def test_a_picture(call, tmp_path, what):
    out = tmp_path / "found.svg"
    code, _, err = call("plot", "eg2.model.json", "-w", what, "-o", out)
    assert code == 0, err
    assert out.read_text().count("<svg") == 1
    assert json.loads(call("plot", "eg2.model.json", "-w", what, "--json")[1])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("eg2.model.json", "-w", "tree2"), "Did you mean 'tree'?"),
        (("eg2.model.json", "-w", "anytime"), "has no history_"),
        (("eg2.model.json", "-o", "tree.pdf"), "let the name end in .svg or .png"),
        (("none.json",), "the model file none.json does not exist"),
    ],
)
def test_pictures_that_cannot_be(call, args, said):
    code, _, err = call("plot", *args)
    assert code == 1
    assert said in one_sentence(err)


# ------------------------------------------------------------------------------ report, export


def test_a_page(call, tmp_path):
    pytest.importorskip("jinja2")
    out = tmp_path / "page.html"
    code, _, err = call(
        "report", "eg2.model.json", "-d", "heart.csv", "-t", "class", "--title", "A <b>", "-o", out
    )
    assert code == 0, err
    page = out.read_text()
    assert "A &lt;b&gt;" in page
    assert "On 297 other cases" in page
    given = ("report", "eg2.model.json", "-d", "heart.csv", "-t", "class", "-o", out, "--json")
    code, printed, err = call(*given, "--folds", 3)
    assert code == 0, err
    assert json.loads(printed) == {"page": str(out)}
    assert "Cross-validated on 297 cases" in out.read_text()


def test_the_training_cases_are_no_other_cases(call, tmp_path):
    pytest.importorskip("jinja2")
    out = tmp_path / "m.json"
    assert call(*FIT, "-o", out)[0] == 0
    given = ("report", out, "-d", "heart.csv", "-t", "class", "-o", tmp_path / "page.html")
    code, _, err = call(*given)
    assert code == 1
    assert "heart.csv is the table that" in one_sentence(err)
    assert "--folds 10" in err
    assert not (tmp_path / "page.html").exists()
    assert call(*given, "--folds", 2)[0] == 0


def test_folds_are_counted_and_warnings_are_notes(call, tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    from rich.status import Status

    named = load("heart").with_row_index("patient")
    named = named.with_columns(pl.format("p{}", "patient").alias("patient"))
    named.write_csv(tmp_path / "named.csv")
    X = named.drop("class")
    costs = Costs(dict.fromkeys(X.columns, 1), errors=100)
    with pytest.warns(UserWarning, match="identifier"):
        model = EG2Classifier(costs).fit(X, named["class"])
    save_model(model, tmp_path / "m.json")
    shown = []
    monkeypatch.setattr(Status, "update", lambda _, text: shown.append(text))
    given = ("-d", tmp_path / "named.csv", "-t", "class", "-o", tmp_path / "p.html")
    code, _, err = call("report", tmp_path / "m.json", *given, "--folds", 3)
    assert code == 0, err
    assert list(dict.fromkeys(shown)) == [f"Learning anew, fold {i} of 3" for i in (1, 2, 3)]
    assert "Note: nominal column 'patient'" in err
    assert "UserWarning" not in err


def test_other_forms(call, folder, tmp_path):
    from frugaltree.export import FORMATS, export

    model = load_model(folder / "eg2.model.json")
    for form, (_, suffix) in FORMATS.items():
        out = tmp_path / f"tree{suffix}"
        code, _, err = call("export", "eg2.model.json", "-f", form, "-o", out)
        assert code == 0, err
        made = export(model, form)
        assert out.read_bytes() == (made if isinstance(made, bytes) else made.encode())
    told = json.loads(call("export", "eg2.model.json", "-f", "rules", "--json")[1])
    assert told == {"format": "rules", "text": export(model, "rules")}
    assert call("export", "eg2.model.json", "-f", "rules")[1].count("IF ") > 10


def test_a_case_at_the_terminal(folder, tmp_path):
    command = [sys.executable, "-m", "frugaltree", "consult", "eg2.model.json", "--json"]
    done = subprocess.run(
        [*command, "--known", "cp=asymptomatic"],
        input="s\n\n",
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bill"] == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("report", "none.json"), "the model file none.json does not exist"),
        (("report", "eg2.model.json", "-d", "heart.csv"), "--data needs --target"),
        (("report", "eg2.model.json", "-d", "none.csv", "-t", "class"), "no cases"),
        (("report", "eg2.model.json", "--folds", "3"), "--folds needs --data"),
        (
            ("report", "eg2.model.json", "-d", "heart.csv", "-t", "class", "--folds", "200"),
            "class 'sick' has 137 cases, too few for 200 folds",
        ),
        (("report", "eg2.model.json", "-d", "hart.csv", "-t", "class"), "hart.csv does not exist"),
        (("report", "eg2.model.json", "-o", "no/page.html"), "does not exist; create it"),
        (("export", "eg2.model.json", "-f", "sqll"), "sql"),
        (("export", "eg2.model.json", "-f", "onnx"), "name a file with --out"),
        (("export", "none.json"), "the model file none.json does not exist"),
        (("consult", "none.json"), "the model file none.json does not exist"),
        (("consult", "eg2.model.json", "--known", "agee=3"), "Did you mean 'age'?"),
    ],
)
def test_pages_and_forms_that_cannot_be(call, folder, args, said):
    header = (folder / "heart.csv").read_text().partition("\n")[0]
    (folder / "none.csv").write_text(f"{header}\n")
    code, _, err = call(*args)
    assert code == 1
    assert said in one_sentence(err[err.index("Error: ") :])
