"""What errors a tree is expected to make, and at what cost (section 3.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES, CostClasses
from frugaltree.kernels.cost.error_estimate import (
    C45_ERROR,
    EXACT_ERROR,
    NO_DECISIONS,
    TRAINING_ERROR,
    LeafEstimate,
)
from frugaltree.kernels.cost.prune import leaf_costs
from frugaltree.kernels.data.nodes import Nodes

Floats = npt.NDArray[np.float64]

ERROR_FORMS = {"c45": C45_ERROR, "exact": EXACT_ERROR, "training": TRAINING_ERROR}
"""Forms of the expected error: C4.5's, the exact binomial limit, the errors seen."""


def name_of_form(code: int) -> str:
    """Return the name of a form of the expected error."""
    return next(name for name, known in ERROR_FORMS.items() if known == code)


def costs_as_leaves(
    nodes: Nodes,
    errors: Floats,
    labels: npt.NDArray[np.int32],
    cf: float,
    form: str,
    penalty: str = "laplace",
    first_decision: int = NO_DECISIONS,
    classes: CostClasses = NO_COST_CLASSES,
) -> Floats:
    """Return the expected cost of errors of every node, were it a leaf, over all its cases."""
    out = np.empty(nodes.test.size)
    estimate = LeafEstimate(
        cf=float(cf),
        form=ERROR_FORMS[form],
        multinomial=penalty == "multinomial",
        first_decision=first_decision,
    )
    leaf_costs(nodes.counts, errors, labels, estimate, classes, out)
    return out
