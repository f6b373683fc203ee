"""The diagram is read as Graphviz reads it: the same boxes and arrows, all text only text."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pandas as pd
import pydot
import pytest

from frugaltree import ID3Classifier
from frugaltree.export import to_dot
from frugaltree.export.drawing import draw
from frugaltree.export.model import model_of
from support import odd_trees as trees


def shown(label):
    """Return the lines that Graphviz shows for a quoted label."""
    assert re.fullmatch(r'"(?:[^"\\]|\\.)*"', label)
    assert "\n" not in label
    text = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), label[1:-1])
    return tuple(html.unescape(line) for line in text.split("\n"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")
@pytest.mark.parametrize("name", ["hepatitis-EG2", "mixed-ACT", "nasty-EG2", "leaf"])
def test_boxes_and_arrows_are_read_back(name):
    estimator = trees.get(name).estimator
    (graph,) = pydot.graph_from_dot_data(to_dot(estimator))
    boxes, arrows = draw(model_of(estimator, as_learned=True))
    nodes = [node for node in graph.get_nodes() if node.get_name() not in ("node", "edge")]
    assert [(n.get_name(), shown(n.get_label())) for n in nodes] == [
        (box.name, box.lines) for box in boxes
    ]
    assert [
        (edge.get_source(), edge.get_destination(), *shown(edge.get_label()))
        for edge in graph.get_edges()
    ] == [(arrow.start, arrow.end, arrow.words) for arrow in arrows]


@pytest.mark.parametrize("name", ["krk", "chain"])
def test_large_trees_have_a_line_for_each_box_and_arrow(name):
    estimator = trees.get(name).estimator
    boxes, arrows = draw(model_of(estimator, as_learned=True))
    text = to_dot(estimator)
    assert text.count("[label=") == len(boxes) + len(arrows)
    assert len(boxes) == len(arrows) + 1 >= estimator.tree_.n_nodes


def test_hostile_names_stay_text():
    X = pd.DataFrame({'\\N" ]; x [label=<<b>y</b>>': ["\\", '"']})
    text = to_dot(ID3Classifier().fit(X, ["&lt;", "a\nb\\l"]))
    assert r'n0 [label="asks \\N\" ]; x [label=<<b>y</b>>"];' in text
    assert r'n0 -> n1 [label="= \""];' in text
    assert r'n0 -> n2 [label="= \\"];' in text
    assert r'n1 [label="a\\nb\\l\n1 case, 100 %", style=rounded];' in text
    assert r'n2 [label="&amp;lt;\n1 case, 100 %", style=rounded];' in text


def test_branches_that_no_case_took_share_a_box():
    colours = pd.Categorical(["red", "red", "blue"], categories=["red", "green", "blue"])
    text = to_dot(ID3Classifier().fit(pd.DataFrame({"colour": colours}), ["a", "a", "b"]))
    assert r'n0o [label="a\n(the node' + "'s own answer)" in text
    assert 'n0 -> n0o [label="other values", style=dashed];' in text


def test_prices_stand_in_the_questions():
    text = to_dot(trees.get("heart-EG2").estimator)
    assert "CAD" in text
    assert "// Exact for cases without missing values" in text
    assert "//" not in to_dot(trees.get("heart-ACT").estimator)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it():
    text = to_dot(trees.get("nasty-EG2").estimator)
    drawn = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True)
    assert not drawn.stderr
    assert b"<script" not in drawn.stdout
