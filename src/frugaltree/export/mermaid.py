"""A tree in the language of Mermaid, which Markdown pages draw."""

from __future__ import annotations

import re

from frugaltree.export.drawing import Arrow, Box, draw
from frugaltree.export.model import model_of
from frugaltree.protocols import Estimator

NAMED = {'"': "quot", "&": "amp", "<": "lt", ">": "gt"}
"""Characters that have a code in words; all others are coded by their number."""

CODED = re.compile(r"(?<!\d)\.|\.(?!\d)|[^\w ,=.]|[_ﬂ]")
"""Whatever Mermaid, its Markdown or its formulas may interpret.

That is all but letters, digits, blanks, commas, equals signs and decimal points. The ligature
begins Mermaid's own notation for entity codes.
"""


def to_mermaid(estimator: Estimator) -> str:
    """Return a tree as a flowchart in Mermaid.

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
        The flowchart. Mermaid draws up to 500 branches, unless its ``maxEdges`` is raised.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([7], unit="EUR")).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> print(to_mermaid(learner), end="")
    flowchart TD
      n0["asks x0, EUR 7"]
      n1("no<br/>2 cases, 100 #37;")
      n2("yes<br/>1 case, 100 #37;")
      n0 -->|"#lt;= 3"| n1
      n0 -->|"#gt; 3"| n2
    """
    model = model_of(estimator, as_learned=True)
    boxes, arrows = draw(model)
    lines = [
        "flowchart TD",
        *(f"  %% {note}" for note in model.notes()),
        *map(_node, boxes),
        *map(_link, arrows),
    ]
    return "\n".join(lines) + "\n"


def _node(box: Box) -> str:
    left, right = "[]" if box.asks else "()"
    return f'  {box.name}{left}"{"<br/>".join(map(_coded, box.lines))}"{right}'


def _link(arrow: Arrow) -> str:
    line = "-->" if arrow.taken else "-.->"
    return f'  {arrow.start} {line}|"{_coded(arrow.words)}"| {arrow.end}'


def _coded(text: str) -> str:
    """Return text of which Mermaid interprets nothing.

    >>> _coded('<b> "x" #1 costs 2.5')
    '#lt;b#gt; #quot;x#quot; #35;1 costs 2.5'
    """
    return CODED.sub(lambda found: f"#{NAMED.get(found[0], ord(found[0]))};", text)
