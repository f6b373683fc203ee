"""The flowchart is read back line by line, and holds nothing that Mermaid could interpret."""

from __future__ import annotations

import html
import re

import pandas as pd
import pytest

from frugaltree import ID3Classifier
from frugaltree.export import to_mermaid
from frugaltree.export.drawing import draw
from frugaltree.export.model import model_of
from support import odd_trees as trees

NODE = re.compile(r'  (n\d+o?)(?:\["([^"]*)"\]|\("([^"]*)"\))')
LINK = re.compile(r'  (n\d+) (?:-->|-\.->)\|"([^"]*)"\| (n\d+o?)')
SAFE = re.compile(r"(?:[^\W_]|[ ,=]|(?<=\d)\.(?=\d)|#\w+;)*")


def shown(label):
    """Return the lines that Mermaid shows for a label."""
    lines = label.split("<br/>")
    assert all(SAFE.fullmatch(line) for line in lines)
    return tuple(html.unescape(re.sub(r"#(\d+);", r"&#\1;", coded(line))) for line in lines)


def coded(line):
    return re.sub(r"#([a-z]+);", r"&\1;", line)


@pytest.mark.parametrize("name", [*trees.SMALL, "krk"])
def test_boxes_and_arrows_are_read_back(name):
    estimator = trees.get(name).estimator
    head, *lines = to_mermaid(estimator).split("\n")[:-1]
    assert head == "flowchart TD"
    lines = [line for line in lines if not line.startswith("  %% ")]
    boxes, arrows = draw(model_of(estimator, as_learned=True))
    nodes = [NODE.fullmatch(line) for line in lines[: len(boxes)]]
    assert [(n[1], shown(n[2] or n[3])) for n in nodes] == [(b.name, b.lines) for b in boxes]
    links = [LINK.fullmatch(line) for line in lines[len(boxes) :]]
    assert [(n[1], n[3], *shown(n[2])) for n in links] == [
        (arrow.start, arrow.end, arrow.words) for arrow in arrows
    ]


def test_hostile_names_stay_text():
    X = pd.DataFrame({trees.SCRIPT: ["`x`", "%%{init}%%"]})
    assert to_mermaid(ID3Classifier().fit(X, ['"]; click', "$$#lt;$$"])) == (
        "flowchart TD\n"
        '  n0["asks #lt;script#gt;alert#40;1#41;#lt;#47;script#gt;"]\n'
        '  n1("#36;#36;#35;lt#59;#36;#36;<br/>1 case, 100 #37;")\n'
        '  n2("#quot;#93;#59; click<br/>1 case, 100 #37;")\n'
        '  n0 -->|"= #37;#37;#123;init#125;#37;#37;"| n1\n'
        '  n0 -->|"= #96;x#96;"| n2\n'
    )


def test_only_the_c45_family_says_that_it_needs_complete_cases():
    assert "  %% Exact for cases without" in to_mermaid(trees.get("heart-EG2").estimator)
    assert "%%" not in to_mermaid(trees.get("heart-ACT").estimator)
