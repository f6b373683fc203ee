"""When two gains or costs count as equal."""

from __future__ import annotations

from frugaltree.kernels.jit import part

NOISE = 1e-10
"""A gain (in bits) at or below this is rounding, hence zero."""


TOLERANCE = 1e-9
"""A candidate wins only by more than this share of the best so far."""


@part
def beats(value, best):
    """Tell whether ``value`` is greater than ``best`` by more than rounding."""
    return value > best + (TOLERANCE * best if best > 0.0 else -TOLERANCE * best)
