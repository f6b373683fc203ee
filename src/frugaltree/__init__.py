"""Decision trees that weigh the price of asking against the price of being wrong."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from frugaltree._registry import BY_CLASS
from frugaltree._version import __version__ as __version__

_HOMES = {
    "Batches": "batches",
    "Consultation": "consult",
    "Costs": "costs",
    "Group": "costs",
    "Repertoire": "estimators.repertoire",
    "Waiting": "costs.waiting",
    "frontier": "tradeoff",
    "load_model": "persist",
    "save_model": "persist",
    "warm_up": "warming",
    **{name: f"estimators.{learner.module}" for name, learner in BY_CLASS.items()},
}
"""Where each public name is defined."""

_MODULES = ("datasets", "exceptions", "metrics", "plots")
"""Public modules; ``export`` and ``report``, with more to install, can be reached as well."""

__all__ = sorted([*_HOMES, *_MODULES, "__version__"])

if TYPE_CHECKING:
    from frugaltree import datasets as datasets
    from frugaltree import exceptions as exceptions
    from frugaltree import metrics as metrics
    from frugaltree import plots as plots
    from frugaltree.batches import Batches as Batches
    from frugaltree.consult import Consultation as Consultation
    from frugaltree.costs import Costs as Costs
    from frugaltree.costs import Group as Group
    from frugaltree.costs.waiting import Waiting as Waiting
    from frugaltree.estimators.act import ACTClassifier as ACTClassifier
    from frugaltree.estimators.c45 import C45Classifier as C45Classifier
    from frugaltree.estimators.csid3 import CSID3Classifier as CSID3Classifier
    from frugaltree.estimators.dtmc import DTMCClassifier as DTMCClassifier
    from frugaltree.estimators.eg2 import EG2Classifier as EG2Classifier
    from frugaltree.estimators.frugal import FrugalTreeClassifier as FrugalTreeClassifier
    from frugaltree.estimators.icet import ICETClassifier as ICETClassifier
    from frugaltree.estimators.id3 import ID3Classifier as ID3Classifier
    from frugaltree.estimators.idx import IDXClassifier as IDXClassifier
    from frugaltree.estimators.lsid3 import LSID3Classifier as LSID3Classifier
    from frugaltree.estimators.repertoire import Repertoire as Repertoire
    from frugaltree.persist import load_model as load_model
    from frugaltree.persist import save_model as save_model
    from frugaltree.tradeoff import frontier as frontier
    from frugaltree.warming import warm_up as warm_up


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; scikit-learn alone takes two seconds."""
    if name in (*_MODULES, "export", "report"):
        return import_module(f"frugaltree.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'frugaltree' has no attribute {name!r}")
    value = getattr(import_module(f"frugaltree.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
