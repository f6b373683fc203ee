"""A table of every library, and every learner, for tests that ask for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from frugaltree.kernels.jit import folder_digest
from support.learners import LEARNERS, seeded
from support.tables import LIBRARIES
from support.warm_up import compile_kernels


def pytest_configure(config: pytest.Config) -> None:
    """Compile all kernels before several workers set out to do so."""
    is_worker = hasattr(config, "workerinput")
    if not is_worker and config.getoption("numprocesses", None):
        stamp = folder_digest()
        if config.cache is not None and config.cache.get("frugaltree/compiled", "") != stamp:
            print("Compiling kernels ...", flush=True)
            compile_kernels(str(config.rootpath / "tests"))
            config.cache.set("frugaltree/compiled", stamp)


@pytest.fixture(params=LIBRARIES)
def make_table(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Turn named lists, None where a value is missing, into a table of each library."""
    return LIBRARIES[request.param]


@pytest.fixture(params=LEARNERS, ids=lambda learner: learner.__name__)
def learner(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return seeded(request.param)
