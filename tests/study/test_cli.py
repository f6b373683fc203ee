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
from study.results import Results
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


@pytest.mark.parametrize(
    ("args", "said"),
    [
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
