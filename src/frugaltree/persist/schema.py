"""The JSON Schema of model files."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from frugaltree._registry import BY_CLASS


def read_schema() -> dict[str, Any]:
    """Return the schema of model files, for any validator of JSON Schema.

    The file ``model.schema.json`` says what a learner's name is; which names there are is filled
    in here, from the table of learners.

    >>> read_schema()["properties"]["learner"]["enum"][:2]
    ['ACTClassifier', 'C45Classifier']
    """
    text = files("frugaltree.persist").joinpath("model.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    schema["properties"]["learner"]["enum"] = sorted(BY_CLASS)
    return schema
