"""A table of every library, and every learner, for tests that ask for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from frugaltree import warm_up
from support.learners import LEARNERS, seeded
from support.tables import LIBRARIES


def pytest_configure(config: pytest.Config) -> None:
    """Compile all kernels before several workers set out to do so."""
    if not hasattr(config, "workerinput") and config.getoption("numprocesses", None):
        warm_up()


@pytest.fixture(params=LIBRARIES)
def make_table(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Turn named lists, None where a value is missing, into a table of each library."""
    return LIBRARIES[request.param]


@pytest.fixture(params=LEARNERS, ids=lambda learner: learner.__name__)
def learner(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return seeded(request.param)
