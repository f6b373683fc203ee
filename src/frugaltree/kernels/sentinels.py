"""Numbers with a meaning of their own, shared by all kernels."""

from __future__ import annotations

NONE = -1
"""No test, no child, no cut."""


FULL = -1
"""Status of a kernel that ran out of the room it was given."""


MISSING = -1
"""Code of a missing value."""
