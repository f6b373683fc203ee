"""The commands predict, show, plot, report, export and consult, and mistakes in all of them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, load_model, save_model
from frugaltree.datasets import load
from support.commands import one_sentence


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


def test_only_the_columns_that_are_asked_are_needed(call, folder, tmp_path):
    tree = load_model(folder / "eg2.model.json").tree_
    asked = [tree.columns[test].name for test in tree.asked_tests]
    assert len(asked) < len(tree.columns)
    table = pl.read_csv(folder / "heart.csv", infer_schema=False)
    table.select(*asked, "class").write_csv(tmp_path / "few.csv")
    table.select(*asked[1:], "class").write_csv(tmp_path / "fewer.csv")
    few = ("predict", "eg2.model.json", tmp_path / "few.csv", "-t", "class", "--shares")
    code, printed, err = call(*few)
    assert code == 0, err
    assert printed == call("predict", "eg2.model.json", "heart.csv", "-t", "class", "--shares")[1]
    code, _, err = call("predict", "eg2.model.json", tmp_path / "fewer.csv")
    assert code != 0
    assert f"has no column {asked[0]!r}, which the tree asks; add it, empty" in one_sentence(err)
    page = tmp_path / "page.html"
    code, _, err = call(
        "report", "eg2.model.json", "-o", page, "-d", tmp_path / "few.csv", "-t", "class"
    )
    assert code == 0, err


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


def test_values_out_of_range_are_told_of(call, tmp_path):
    X = pl.read_csv("heart.csv")
    model = load_model("eg2.model.json")
    name, (least, greatest) = next(iter(model.test_ranges_.items()))
    assert (least, greatest) == (X[name].min(), X[name].max())
    odd = [greatest + 1, least - 1, greatest * 10, None, least, greatest]
    column = pl.Series(name, odd + X[name].to_list()[6:], dtype=pl.Float64)
    X.with_columns(column).write_csv(tmp_path / "t.csv")
    given = ("predict", "eg2.model.json", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    code, printed, err = call(*given, "--json")
    assert code == 0, err
    said = f"Note: 3 cases have {name} outside {least:g} to {greatest:g}, as seen in training"
    assert said in err
    assert json.loads(printed)["outside"] == {name: 3}


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
    assert columns == {"zip": ("01067", "20095"), "dose": (), "stage": ()}  # zip alone is asked
    table.write_text(table.read_text().replace(";;;\n", ""))  # which would have no class
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


FIT = ("fit", "heart.csv", "-t", "class", "-l", "eg2")


PREDICT = ("predict", "eg2.model.json")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("fit", "hart.csv", "-t", "class"), "the table hart.csv does not exist"),
        (("fit", ".", "-t", "class"), "bad.parquet cannot be read as Parquet"),
        (("fit", "heart.csv", "-t", "clas"), "Did you mean 'class'?"),
        (("fit", "empty.csv", "-t", "class"), "cannot be read as CSV"),
        (("fit", "garbled.csv", "-t", "class"), "cannot be read as CSV"),
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
        ((*PREDICT, "one.csv"), "one.csv has no column 'age', which the tree asks"),
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
    (folder / "garbled.csv").write_bytes(b"a,class\n\x81\xfe,no\n")
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


def test_columns_whose_names_look_like_patterns_go_all_the_way(call, folder):
    lines = [f"{i % 5},{'xy'[i % 2]},{i % 3},{'uv'[i % 2]},{'ny'[i % 2]}" for i in range(30)]
    (folder / "odd.csv").write_text("\n".join(["b,^b$,^[$,*,^t$", *lines]) + "\n")
    model = folder / "odd.model.json"
    for args in (
        ("costs", "init", "odd.csv", "--target", "^t$"),
        ("costs", "check", "odd.costs.toml", "--data", "odd.csv", "--target", "^t$"),
        ("fit", "odd.csv", "--target", "^t$", "--learner", "c4.5", "--out", model),
        ("predict", model, "odd.csv", "--target", "^t$", "--keep", "*", "--out", "odd.out.csv"),
        ("report", model, "--data", "odd.csv", "--target", "^t$", "--folds", "2"),
    ):
        code, _, told = call(*args)
        assert code == 0, (args, told)
    answers = pl.read_csv(folder / "odd.out.csv")
    assert answers["answer"].to_list() == list("ny") * 15
    assert answers.columns == ["*", "answer", "bill"]
