"""``python -m study`` as people use it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from study.cli import main
from study.columns import SCHEMA, write_page
from study.results import Results, read_packed
from study.runner import run_units
from study.units import Unit

CHECKOUT = Path(__file__).parents[2]


def run(*args, cwd):
    command = [sys.executable, "-m", "study", *map(str, args)]
    found = os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": found}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, check=False, env=environment
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return a results file with DTMC on two folds of one problem."""
    path = tmp_path_factory.mktemp("results") / "study.sqlite"
    levels = ("100", "500", "1000", "5000", "10000")
    units = [Unit("dtmc", "iris", "1", level, fold) for level in levels for fold in (0, 1)]
    with Results(path, create=True) as file:
        run_units(units, file, n_jobs=1)
    return path


def test_a_problem_is_written(tmp_path):
    done = run("problem", "iris/2", "--errors", "500:4000", "--out", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["iris-2.costs.toml", "iris-2.csv"]


def test_all_problems_are_listed(tmp_path):
    join_words = run("problems", cwd=tmp_path).stdout.split()
    assert "heart/expert" in join_words
    assert "car/random-1" in join_words


def test_status_and_tables(results, tmp_path):
    told = run("status", "--quick", "--results", results, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "main" in told.stdout
    printed = run("tables", "table-1", "--quick", "--results", results, cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert "DTMC" in printed.stdout
    out = tmp_path / "out"
    written = run("tables", "--quick", "--results", results, "--out", out, cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    table = json.loads((out / "table-1.json").read_text())
    assert table["numbers"]
    assert "Table 1" in (out / "tables.md").read_text()
    assert (out / "figure-10.svg").read_text().lstrip().startswith("<?xml")


def test_claims_tell_what_is_not_known(results, tmp_path):
    told = run("claims", "--quick", "--results", results, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "?   what the paper says of figure-13" in told.stdout
    missing = "complete on no problem: C4.5, LSID3, IDX, CSID3, EG2, ICET and ACT); `python -m "
    assert f"{missing}study run table-1` runs what is missing" in told.stdout


def test_packed_results_are_read_wherever_results_are(results, tmp_path):
    packed = tmp_path / "results.parquet"
    with Results(results) as file:
        file.pack(packed)
    (tmp_path / "other name").write_bytes(packed.read_bytes())
    for command in (("status",), ("tables", "table-1"), ("claims",)):
        ref, *got = (
            run(*command, "--quick", "--results", path, cwd=tmp_path).stdout
            for path in (results, packed, tmp_path / "other name")
        )
        assert ref
        assert got == [ref, ref]


def test_a_run_leaves_packed_results_as_they_are(results, tmp_path):
    packed = tmp_path / "results.parquet"
    with Results(results) as file:
        file.pack(packed)
        n_before = len(file)
    before = packed.read_bytes()
    part = ("run", "table-1", "--quick", "--problem", "iris/1", "--learner", "dtmc,c4.5")
    done = run(*part, "--jobs", 1, "--results", packed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{n_before} outcomes taken up" in done.stderr
    assert "2 fits done." in done.stderr  # C4.5 on two folds; DTMC's were packed
    again = run(*part, "--jobs", 1, "-r", packed, "--into", "more.sqlite", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert packed.read_bytes() == before
    with Results(tmp_path / "results.sqlite") as one, Results(tmp_path / "more.sqlite") as two:
        assert set(one.done()) == set(two.done())
        assert len(one) > n_before


LEARNER = """
from sklearn.tree import DecisionTreeClassifier


class Small(DecisionTreeClassifier):
    pass
"""


def test_a_learner_of_one_s_own_is_run_and_shown(tmp_path):
    (tmp_path / "own_trees.py").write_text(LEARNER)
    name = "own_trees:Small(max_depth=2)"
    part = ("run", "table-1", "--quick", "--problem", "iris/1")
    for learner in (name, "dtmc"):
        done = run(*part, "--learner", learner, "--jobs", 1, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    shown = run("tables", "table-1", "--quick", cwd=tmp_path).stdout
    assert "own_trees" not in shown
    (tmp_path / "own_trees.py").rename(tmp_path / "elsewhere.py")
    assert run("claims", "--quick", cwd=tmp_path).returncode == 0  # nothing is imported for it
    (tmp_path / "elsewhere.py").rename(tmp_path / "own_trees.py")
    shown = run("tables", "table-1", "--quick", "--learner", name, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "own_trees:Small (max_depth=2)" in shown.stdout


def test_columns_are_those_of_the_results_and_of_the_page(tmp_path):
    printed = run("columns", cwd=tmp_path).stdout
    page = (CHECKOUT / "docs" / "study" / "columns.md").read_text("utf-8")
    assert page == write_page()
    assert page.endswith(printed)
    packed = read_packed(CHECKOUT / "docs" / "study" / "results.parquet")
    assert packed.schema == SCHEMA
    assert [line.split("|")[1].strip() for line in printed.splitlines()[2:]] == packed.columns


def test_the_claims_in_print_are_those_of_the_packed_results():
    told = run("claims", "--results", CHECKOUT / "docs/study/results.parquet", cwd=CHECKOUT)
    assert told.stdout == (CHECKOUT / "docs" / "study" / "claims.txt").read_text("utf-8")


def test_a_library_that_is_not_installed(tmp_path):
    code = (
        "import sys; sys.modules['filelock'] = None; sys.argv[1:] = ['run', 'turney', '--quick']; "
        f"sys.path.insert(0, {str(CHECKOUT)!r}); from study.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert (
        "this needs filelock, which is not installed; 'pip install --group study'" in done.stderr
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("run", "--problem", "hart/expert"), "Did you mean 'heart/expert'"),
        (("run", "--learner", "akt"), "Did you mean 'act'"),
        (("run", "--learner", "act(speed=3)"), "ACT does not take"),
        (("run", "--learner", "nowhere:Tree"), "there is no module 'nowhere'"),
        (("run", "turney", "--problem", "car/1"), "no experiment among turney has car/1"),
        (("tables", "--learner", "akt"), "Did you mean 'act'"),
        (("run", "--into", "x.sqlite"), "study.sqlite is not packed"),
        (("run", "-r", "none.parquet"), "no file none.parquet with packed results"),
        (("claims", "-r", "none.parquet"), "no file none.parquet with packed results"),
        (("run", "table-9"), "Did you mean"),
        (("run", "table-1", "--backend", "cloud"), "no backend 'cloud'"),
        (("run", "table-1", "--scheduler", "tcp://x:1"), "take no scheduler"),
        (("tables", "--results", "none.sqlite"), "no results file none.sqlite"),
        (("tables", "tabel-1"), "Did you mean 'table-1'"),
        (("status", "--results", "other.sqlite"), "has format 99"),
        (("problem", "hart/expert"), "Did you mean 'heart/expert'"),
        (("problem", "car/1", "--errors", "many"), "no level of error costs"),
        (("problem", "car/1", "--out", "nowhere"), "no folder nowhere"),
    ],
)
def test_bad_input_is_one_sentence(args, said, results, tmp_path, monkeypatch, capsys):
    (tmp_path / "study.sqlite").write_bytes(results.read_bytes())
    Results(tmp_path / "other.sqlite", create=True).close()
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("PRAGMA user_version=99")
    before = (tmp_path / "study.sqlite").read_bytes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["study", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert said in capsys.readouterr().err
    assert (tmp_path / "study.sqlite").read_bytes() == before
