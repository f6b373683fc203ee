"""Tables to learn from, what their tests cost, and generators of hard concepts.

Twenty tables are shipped and five are generated, together the data of the study that frugaltree
implements. `names` lists them, `info` tells where each comes from, `load` loads one. Five medical
tables come with costs set by experts (`load_costs`); for any other table `assign_costs` draws
some as the study did.
"""

from frugaltree.datasets.assign import assign_costs
from frugaltree.datasets.catalogue import DataSet, info, names
from frugaltree.datasets.concepts import (
    make_multi_and_or,
    make_multi_xor,
    make_multiplexer,
    make_xor,
    make_xor_3d,
)
from frugaltree.datasets.expert import load_costs
from frugaltree.datasets.impute import impute_nearest
from frugaltree.datasets.tables import load

__all__ = [
    "DataSet",
    "assign_costs",
    "impute_nearest",
    "info",
    "load",
    "load_costs",
    "make_multi_and_or",
    "make_multi_xor",
    "make_multiplexer",
    "make_xor",
    "make_xor_3d",
    "names",
]
