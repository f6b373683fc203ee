"""Decision trees that weigh the price of asking against the price of being wrong."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from frugaltree.estimators.notebook import show_with

__version__ = "0.1.0.dev0"

_HOMES = {
    "ACTClassifier": "estimators.act",
    "C45Classifier": "estimators.c45",
    "CSID3Classifier": "estimators.csid3",
    "Consultation": "consult",
    "Costs": "costs",
    "DTMCClassifier": "estimators.dtmc",
    "EG2Classifier": "estimators.eg2",
    "FrugalTreeClassifier": "estimators.frugal",
    "Group": "costs",
    "ICETClassifier": "estimators.icet",
    "ID3Classifier": "estimators.id3",
    "IDXClassifier": "estimators.idx",
    "LSID3Classifier": "estimators.lsid3",
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
    from frugaltree.estimators.act import ACTClassifier
    from frugaltree.estimators.c45 import C45Classifier
    from frugaltree.estimators.csid3 import CSID3Classifier
    from frugaltree.estimators.dtmc import DTMCClassifier
    from frugaltree.estimators.eg2 import EG2Classifier
    from frugaltree.estimators.frugal import FrugalTreeClassifier
    from frugaltree.estimators.icet import ICETClassifier
    from frugaltree.estimators.id3 import ID3Classifier
    from frugaltree.estimators.idx import IDXClassifier
    from frugaltree.estimators.lsid3 import LSID3Classifier
    from frugaltree.persist import load_model, save_model


def _show_page(estimator: Any) -> str:
    """Return the page of ``frugaltree report`` about a fitted learner, in a frame."""
    from frugaltree.report import framed

    return framed(estimator)


show_with(_show_page)


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
