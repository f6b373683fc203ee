"""What the tests of persist share."""

from __future__ import annotations

import pytest

from frugaltree import (
    save_model,
)
from support.models import (
    document,
    small_model,
)


@pytest.fixture
def saved(tmp_path):
    save_model(small_model(), tmp_path / "model.json", data_digest="sha256:abc")
    return document(tmp_path)
