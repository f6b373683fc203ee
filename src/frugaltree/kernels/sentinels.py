"""Numbers with a meaning of their own, shared by all kernels."""

from __future__ import annotations

NONE = -1
"""No test, no child, no cut."""


FULL = -1
"""Status of a kernel whose buffers were too small."""


MISSING = -1
"""Code of a missing value."""
