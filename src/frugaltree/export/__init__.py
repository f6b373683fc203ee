"""A learned tree in other languages: diagrams, rules, and code that gives the same answers.

Each function takes a fitted learner, from ``fit`` or :func:`~frugaltree.persist.load_model`, and
returns text, or the bytes of a file. The code charges the same bills, too; whatever was in the
training table can be no more than text in any of it.
"""

from frugaltree.export.dot import to_dot
from frugaltree.export.formats import FORMATS, Format, export
from frugaltree.export.mermaid import to_mermaid
from frugaltree.export.onnx import to_onnx
from frugaltree.export.python import to_python
from frugaltree.export.rules import to_rules
from frugaltree.export.sql import to_sql

__all__ = [
    "FORMATS",
    "Format",
    "export",
    "to_dot",
    "to_mermaid",
    "to_onnx",
    "to_python",
    "to_rules",
    "to_sql",
]
