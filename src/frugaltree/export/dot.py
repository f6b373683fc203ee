"""A tree in the language of Graphviz."""

from __future__ import annotations

from frugaltree.export.drawing import Arrow, Box, draw
from frugaltree.export.model import model_of
from frugaltree.protocols import Estimator


def to_dot(estimator: Estimator) -> str:
    r"""Return a tree as a diagram in DOT, for Graphviz.

    Questions are boxes with the price charged there, answers are rounded ones with the training
    cases that came to them and the share of these for which they are right. All names and values
    are plain text, whatever they hold.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.

    Returns
    -------
    str
        The diagram: ``dot -Tsvg tree.dot -o tree.svg`` draws it.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([7], unit="EUR")).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> print(to_dot(learner), end="")
    digraph tree {
      node [shape=box, fontname="sans-serif"];
      edge [fontname="sans-serif"];
      n0 [label="asks x0, EUR 7"];
      n1 [label="no\n2 cases, 100 %", style=rounded];
      n2 [label="yes\n1 case, 100 %", style=rounded];
      n0 -> n1 [label="<= 3"];
      n0 -> n2 [label="> 3"];
    }
    """
    model = model_of(estimator, as_learned=True)
    boxes, arrows = draw(model)
    lines = [
        *(f"// {note}" for note in model.notes()),
        "digraph tree {",
        '  node [shape=box, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
        *map(_node, boxes),
        *map(_edge, arrows),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(box: Box) -> str:
    style = "" if box.asks else ", style=rounded"
    return f"  {box.name} [label={_quoted(*box.lines)}{style}];"


def _edge(arrow: Arrow) -> str:
    style = "" if arrow.taken else ", style=dashed"
    return f"  {arrow.start} -> {arrow.end} [label={_quoted(arrow.words)}{style}];"


def _quoted(*lines: str) -> str:
    r"""Return lines as one label of which Graphviz interprets nothing.

    A backslash would begin an escape such as ``\N``, the name of the node, and an ampersand an
    entity of HTML.

    >>> print(_quoted(r'say "\N"', "R&amp;D"))
    "say \"\\N\"\nR&amp;amp;D"
    """
    plain = (
        line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines
    )
    return '"' + "\\n".join(plain) + '"'
