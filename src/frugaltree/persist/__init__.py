"""Model files: a learned tree, its prices and its provenance in one JSON document.

Version 1 is described by the schema that :func:`read_schema` returns. Loading looks at values
only: nothing in a file is ever executed, and a learner is found in the fixed table
:data:`~frugaltree.persist.fields.LEARNERS`.
"""

from frugaltree.persist.read import SavedModel, load_model, read_model
from frugaltree.persist.schema import read_schema
from frugaltree.persist.write import save_model

__all__ = ["SavedModel", "load_model", "read_model", "read_schema", "save_model"]
