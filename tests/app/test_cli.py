from __future__ import annotations

import json
import subprocess
import sys

import pytest

from frugaltree import load_model
from frugaltree.datasets import info, load


def run(*args, cwd=None):
    command = [sys.executable, "-m", "frugaltree.app.cli", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_help_lists_the_commands():
    done = run("--help")
    assert done.returncode == 0
    for command in ("demo", "datasets"):
        assert command in done.stdout


def test_version():
    from frugaltree import __version__

    assert run("--version").stdout.strip() == f"frugaltree {__version__}"


def test_the_demonstration_shows_and_saves_a_tree(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for text in ("asks cp, CAD 1", "always answer healthy", "ask everything", "heart.model.json"):
        assert text in done.stdout
    model = load_model(tmp_path / "heart.model.json")
    X, y = load("heart", return_X_y=True)
    assert model.total_cost(X, y) < 0.6 * model.forecast_.guess
    assert model.to_text().splitlines()[0] in done.stdout


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    done = run("demo", "--out", str(tmp_path / "no" / "model.json"))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "does not exist" in done.stderr


def test_data_sets_as_text_and_json():
    listed = run("datasets")
    assert "hepatitis" in listed.stdout
    found = json.loads(run("datasets", "--json").stdout)
    assert len(found) == 25
    one = json.loads(run("datasets", "heart", "--json").stdout)
    assert one["rows"] == 297
    assert run("datasets", "heart").stdout.strip() == str(info("heart"))


@pytest.mark.parametrize(
    ("args", "code"), [(("datasets", "hart"), 1), (("nonsense",), 2), (("demo", "--fast"), 2)]
)
def test_mistakes(args, code):
    done = run(*args)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    if code == 1:
        assert "Did you mean 'heart'?" in done.stderr
