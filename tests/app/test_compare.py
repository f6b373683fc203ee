"""``frugaltree compare`` as people call it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import polars as pl
import pytest

from frugaltree import FrugalTreeClassifier
from frugaltree.app.cli import main
from frugaltree.app.tables import read_cases
from frugaltree.compare.learners import split_names
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import InvalidTable, MissingFile


def run(*args, cwd=None):
    command = [sys.executable, "-m", "frugaltree.app.cli", "compare", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    load("heart").write_csv(folder / "heart.csv")
    load_costs("heart", errors=500, delayed=False).to_toml(folder / "costs.toml")
    return folder


def call(files, *more, data="heart.csv", target="class", costs="costs.toml"):
    given = ("--target", target, "--costs", costs, "--jobs", 1)
    return run(data, *given, *more, cwd=files)


def test_a_table_on_the_terminal_and_a_picture(files):
    done = call(files, "--learners", "dtmc,eg2,c4.5", "--folds", 3, "--plot", "found.svg")
    assert done.returncode == 0, done.stderr
    for text in ("Cost per case in CAD", "DTMC", "EG2", "C4.5", "Folds won:lost", "cheapest"):
        assert text in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "found.svg" in done.stderr
    assert (files / "found.svg").read_text().count("<svg") == 1


def test_json_and_nothing_else_on_the_output(files):
    done = call(files, "-l", "dtmc,c4.5", "-k", 2, "--json", "--seed", 5, "--plot", "found.png")
    content = json.loads(done.stdout)
    assert content["seed"] == 5
    assert {one["learner"] for one in content["learners"]} == {"dtmc", "c4.5"}
    assert (files / "found.png").read_bytes().startswith(b"\x89PNG")
    again = json.loads(call(files, "-l", "dtmc,c4.5", "-k", 2, "--json", "--seed", 5).stdout)
    assert [one["total"] for one in again["scores"]] == [one["total"] for one in content["scores"]]


@pytest.mark.parametrize(
    ("more", "given", "said"),
    [
        ((), {"data": "hart.csv"}, "the table hart.csv does not exist"),
        ((), {"data": "."}, "is a folder, not a file"),
        ((), {"target": "clas"}, "Did you mean 'class'?"),
        ((), {"costs": "prices.toml"}, "the costs file prices.toml does not exist"),
        ((), {"target": "age"}, "costs.toml does not fit heart.csv: tests has a price for 'age'"),
        (("--learners", "akt"), {}, "Did you mean 'act'?"),
        (("--learners", ","), {}, "no learner to compare"),
        (("--folds", 150), {}, "'sick' has 137 of 297 cases, too few for 150 folds"),
        (("--plot", "found.pdf"), {}, "let the name end in .svg or .png"),
        (("--plot", "no/found.svg"), {}, "create it to save the picture"),
    ],
)
def test_mistakes_are_one_sentence(files, monkeypatch, capsys, more, given, said):
    names = {"data": "heart.csv", "target": "class", "costs": "costs.toml", **given}
    options = ("-t", names["target"], "-c", names["costs"], "-j", 1, *more)
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "argv", ["frugaltree", "compare", names["data"], *map(str, options)])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr()
    assert end.value.code == 1
    assert told.out == ""
    lines = [line for line in told.err.splitlines() if line.strip()]
    assert len(lines) == 1
    assert lines[0].startswith("Error: ")
    assert said in lines[0]


def test_our_own_learner_is_among_the_usual_ones(files, monkeypatch):
    from frugaltree import compare as package

    given = []

    def stopped(X, y, costs, names, **_):
        given.extend([X.schema, names])
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "compare", stopped)
    monkeypatch.chdir(files)
    told = ("heart.csv", "-t", "class", "-c", "costs.toml", "--time", "7s", "--nominal", "ca,age")
    monkeypatch.setattr(sys, "argv", ["frugaltree", "compare", *told])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    schema, names = given
    assert list(names) == ["frugal", "act", "icet", "dtmc", "eg2", "c4.5", "cart"]
    assert list(names.values()) == ["frugal(time_limit='7s')", *list(names)[1:]]
    assert (schema["age"], schema["chol"]) == (pl.String, pl.Int64)


def test_a_learner_with_a_limit_keeps_its_name(files):
    done = call(files, "-l", "frugal,dtmc", "-k", 2, "--time", "0.5s", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {one["learner"] for one in found["learners"]} == {"frugal", "dtmc"}


def test_one_interrupt_ends_all_fits(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    given = ("-c", "costs.toml", "-j", "1", "-l", "frugal", "--time", "100s", "-p", "none.svg")
    monkeypatch.setattr(sys, "argv", ["frugaltree", "compare", "heart.csv", "-t", "class", *given])
    before = signal.getsignal(signal.SIGINT)
    hurry, rounds = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)), []

    def begun(self, *given):
        if not rounds:
            hurry.start()
        rounds.append(self)
        return search(self, *given)

    search = FrugalTreeClassifier._rounds
    monkeypatch.setattr(FrugalTreeClassifier, "_rounds", begun)
    with pytest.raises(SystemExit) as end:
        main()
    hurry.join()
    assert len(rounds) == 1
    assert end.value.code == 130
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.strip() == "Stopped before all fits were done; nothing is written."
    assert not (files / "none.svg").exists()
    assert signal.getsignal(signal.SIGINT) is before


def test_wrong_use():
    assert run("heart.csv").returncode == 2
    assert run("heart.csv", "-t", "class", "-c", "costs.toml", "--folds", 1).returncode == 2


def test_a_hint_about_the_table_is_told_once(files):
    named = load("heart").with_row_index("patient")
    named.with_columns(pl.format("p{}", "patient").alias("patient")).write_csv(files / "named.csv")
    costs = (files / "costs.toml").read_text()
    (files / "named.toml").write_text("default_test_cost = 1\n" + costs)
    done = call(files, "-l", "dtmc", "-k", 2, data="named.csv", costs="named.toml")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Note: nominal column 'patient' has 297 values") == 1


# ----------------------------------------------------------------------------- reading


def test_text_is_nominal_and_numbers_are_numeric(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,class\n1,x,true,no\n2.5,y,false,yes\n?,,true,no\n")
    X, y = read_cases(path, "class")
    assert X.dtypes == [pl.Float64, pl.String, pl.Boolean]
    assert X.null_count().row(0) == (1, 1, 0)
    assert y.to_list() == ["no", "yes", "no"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(tmp_path, separator):
    path = tmp_path / "t.csv"
    path.write_text("a,class\n1,no\n2,yes\n".replace(",", separator))
    X, _ = read_cases(path, "class")
    assert X["a"].to_list() == [1, 2]


def test_a_file_with_a_mark_in_front(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,class\n1,no\n".encode("utf-8-sig"))
    assert read_cases(path, "class")[0].columns == ["a"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cannot be read as CSV"),
        (b"a,class\n1,no\n1,2,3\n", "cannot be read as CSV"),
        (b"a,class\n\x81\xfe,no\n", "cannot be read as CSV"),
        (b"a,class\n", "no cases"),
        (b"a,b\n1,2\n", "no column 'class'"),
    ],
)
def test_files_that_are_no_tables(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidTable, match=said) as caught:
        read_cases(path, "class")
    assert "\n" not in str(caught.value)


def test_a_missing_table(tmp_path):
    with pytest.raises(MissingFile, match="does not exist"):
        read_cases(tmp_path / "none.csv", "class")


def test_lists_of_learners():
    assert split_names("act,dtmc") == ["act", "dtmc"]
    assert split_names("icet(generations=2,seeded=False), act") == [
        "icet(generations=2,seeded=False)",
        "act",
    ]
    assert split_names(" , ") == []


def test_costs_lie_beside_the_table(tmp_path, files):
    table = tmp_path / "heart.csv"
    table.write_bytes((files / "heart.csv").read_bytes())
    alone = run(table, "--target", "class", "-l", "dtmc", "-k", 2, "-j", 1)
    assert alone.returncode == 1
    assert "heart.costs.toml with the costs of" in alone.stderr
    (tmp_path / "heart.costs.toml").write_bytes((files / "costs.toml").read_bytes())
    assert run(table, "--target", "class", "-l", "dtmc", "-k", 2, "-j", 1).returncode == 0


def test_a_library_that_is_not_installed(files):
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.argv[1:] = ['compare', 'heart.csv', "
        "'-t', 'class', '-c', 'costs.toml', '-l', 'dtmc', '-k', '2', '-j', '1', '-p', 'x.svg']; "
        "from frugaltree.app.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=files
    )
    assert done.returncode == 1
    assert "a picture needs matplotlib; pip install matplotlib brings it" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("args", [(), ("run", "--quick"), ("tables", "--help")])
def test_the_command_that_was_the_study_says_where_it_went(args, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["frugaltree", "paper", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "run 'python -m study' with the same options in a checkout" in capsys.readouterr().err
