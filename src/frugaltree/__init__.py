"""Decision trees that weigh the price of asking against the price of being wrong."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "ACTClassifier": "learners.act",
    "C45Classifier": "learners.c45",
    "CSID3Classifier": "learners.csid3",
    "Consultation": "consult",
    "Costs": "costs",
    "DTMCClassifier": "learners.dtmc",
    "EG2Classifier": "learners.eg2",
    "FrugalTreeClassifier": "learners.frugal",
    "Group": "costs",
    "ICETClassifier": "learners.icet",
    "ID3Classifier": "learners.id3",
    "IDXClassifier": "learners.idx",
    "LSID3Classifier": "learners.lsid3",
    "load_model": "persist",
    "save_model": "persist",
}
_MODULES = ("datasets", "exceptions", "export", "metrics", "plots", "report")

__all__ = [
    "ACTClassifier",
    "C45Classifier",
    "CSID3Classifier",
    "Consultation",
    "Costs",
    "DTMCClassifier",
    "EG2Classifier",
    "FrugalTreeClassifier",
    "Group",
    "ICETClassifier",
    "ID3Classifier",
    "IDXClassifier",
    "LSID3Classifier",
    "__version__",
    "datasets",
    "exceptions",
    "load_model",
    "metrics",
    "plots",
    "save_model",
]

if TYPE_CHECKING:
    from frugaltree import datasets, exceptions, metrics, plots
    from frugaltree.consult import Consultation
    from frugaltree.costs import Costs, Group
    from frugaltree.learners.act import ACTClassifier
    from frugaltree.learners.c45 import C45Classifier
    from frugaltree.learners.csid3 import CSID3Classifier
    from frugaltree.learners.dtmc import DTMCClassifier
    from frugaltree.learners.eg2 import EG2Classifier
    from frugaltree.learners.frugal import FrugalTreeClassifier
    from frugaltree.learners.icet import ICETClassifier
    from frugaltree.learners.id3 import ID3Classifier
    from frugaltree.learners.idx import IDXClassifier
    from frugaltree.learners.lsid3 import LSID3Classifier
    from frugaltree.persist import load_model, save_model


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; scikit-learn alone takes two seconds."""
    if name in _MODULES:
        return import_module(f"frugaltree.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'frugaltree' has no attribute {name!r}")
    value = getattr(import_module(f"frugaltree.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
