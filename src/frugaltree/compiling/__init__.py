"""Compiling kernels once, in several processes, in sight.

A learner needs a dozen kernels. Which ones, and for what types of arguments, is found out by
learning a tiny problem with interpreted kernels (:func:`record`). What has no machine code yet is
then compiled by this process and helpers, the largest first, each taking what nobody else is
at (:func:`compile_missing`).
"""

from frugaltree.compiling.needed import Needed, record
from frugaltree.compiling.sharing import compile_missing, prepare, prepared_on_demand

__all__ = ["Needed", "compile_missing", "prepare", "prepared_on_demand", "record"]
