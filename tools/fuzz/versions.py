"""What the package under test can do: another checkout may know less."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

CLASSES = ("ID3", "C45", "IDX", "CSID3", "EG2", "DTMC", "LSID3", "ICET", "ACT", "FrugalTree")
FRACTIONAL = ("C45", "IDX", "CSID3", "EG2", "ICET")
"""Learners that spread cases without a value over all branches."""

SEES_ERRORS = ("DTMC", "ICET", "ACT", "FrugalTree")
"""Learners whose answers look at the costs of errors."""


def learner(name: str, *args: Any, **parameters: Any) -> Any:
    """Return an untrained learner; parameters that this version does not know are left out."""
    import frugaltree

    kind = getattr(frugaltree, f"{name}Classifier")
    known = inspect.signature(kind).parameters
    return kind(*args, **{key: value for key, value in parameters.items() if key in known})


@cache
def missing_is_an_answer() -> bool:
    """Tell whether cases without a value form a branch of their own, and pay for it if wanted."""
    from frugaltree import Costs

    return "charge_missing" in inspect.signature(Costs).parameters


@cache
def total_is_one_order() -> bool:
    """Tell whether `Costs.total` says that another order of the tests can cost more."""
    from frugaltree import Costs

    return "another order" in (Costs.total.__doc__ or "")


def make_costs(*args: Any, **given: Any) -> Any:
    """Return costs; what this version does not know is left out."""
    from frugaltree import Costs

    known = inspect.signature(Costs).parameters
    return Costs(*args, **{key: value for key, value in given.items() if key in known})
