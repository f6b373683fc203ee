"""Which kernels a piece of work needs, and how much there is to compile in each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numba.core.dispatcher import Dispatcher

from frugaltree.kernels.jit import Arguments, recording

OPTIMIZING = 1
"""What optimising a kernel takes, in proportion to what its parts take before."""


class Needed(NamedTuple):
    """A kernel with the types of its arguments.

    It is named, so that it can be handed to another process.
    """

    module: str
    name: str
    arguments: Arguments

    @property
    def kernel(self) -> Any:
        """The kernel itself."""
        return getattr(import_module(self.module), self.name)

    @property
    def is_missing(self) -> bool:
        """Whether there is no machine code for it."""
        return not self.kernel.is_at_hand(self.arguments)

    @property
    def work(self) -> int:
        """How much there is to compile, in bytes of Python's own code."""
        return (1 + OPTIMIZING) * sum(size_of(part) for part in parts_of(self.kernel))


def record(run: Callable[[], Any]) -> list[Needed]:
    """Return the kernels that ``run`` calls; it is done with interpreted ones."""
    with recording() as calls, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        run()
    return [
        Needed(kernel.py_func.__module__, kernel.py_func.__name__, arguments)
        for kernel, arguments in calls
    ]


def size_of(part: Any) -> int:
    """Return the size of a function in bytes of Python's own code."""
    return len(part.py_func.__code__.co_code)


def parts_of(kernel: Any, seen: set[Any] | None = None) -> Iterator[Any]:
    """Yield a kernel and the parts that it uses, each once."""
    seen = set() if seen is None else seen
    seen.add(kernel)
    yield kernel
    function = kernel.py_func
    for name in function.__code__.co_names:
        part = function.__globals__.get(name)
        if isinstance(part, Dispatcher) and part not in seen:
            yield from parts_of(part, seen)
