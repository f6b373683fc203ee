"""What the tests of app share."""

from __future__ import annotations

import sys

import pytest

from frugaltree import EG2Classifier, save_model
from frugaltree.app.cli import main
from frugaltree.datasets import load, load_costs


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
