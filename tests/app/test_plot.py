from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from frugaltree import ID3Classifier, save_model
from frugaltree.app.plot import run
from frugaltree.exceptions import FrugaltreeError

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """Save a tree of 700 answers."""
    path = tmp_path_factory.mktemp("models") / "deep.model.json"
    model = ID3Classifier().fit(np.arange(700).reshape(-1, 1), np.arange(700) % 2)
    save_model(model, path)
    return path, model.tree_.depth


def plot(model, out, depth=None, *, as_json=False):
    console = Console(file=io.StringIO(), width=200)
    run(console, model, "tree", depth, out, as_json=as_json)
    return console.file.getvalue()


def test_a_large_tree_is_drawn_as_deep_as_fits(deep, tmp_path):
    path, depth = deep
    said = plot(path, tmp_path / "tree.svg")
    assert "The picture is in" in said
    assert f" tests deep of {depth}; --depth draws more." in said
    assert plot(path, tmp_path / "tree.svg", 1).endswith(
        f"It is drawn 1 test deep of {depth}; --depth draws more.\n"
    )


def test_a_depth_beyond_what_can_be_drawn(deep, tmp_path):
    path, depth = deep
    with pytest.raises(FrugaltreeError, match="matplotlib draws 320 at most; draw fewer tests"):
        plot(path, tmp_path / "tree.png", depth)
    assert not (tmp_path / "tree.png").exists()


def test_numbers_are_of_the_whole_tree(deep, tmp_path, capsys):
    plot(deep[0], None, as_json=True)
    assert json.loads(capsys.readouterr().out)["rows"] == 700
