"""Any table in, coded cases out: the one door through which arrays reach the kernels.

A column is *numeric* (split at thresholds), *nominal* (parted by value) or *ordinal* (an
ordered categorical: split by its order). What a column was at fit is remembered in a
:class:`Column`, and later tables are read the same way.
"""

from frugaltree.table.columns import Column, Kind, Table
from frugaltree.table.encoding import UNSEEN, encode
from frugaltree.table.forms import as_array, checked_frame, frame_of, is_frame, names_in
from frugaltree.table.ranking import bins_in_force, taking_all_for_long
from frugaltree.table.reading import read
from frugaltree.table.streams import Stream, stream_of
from frugaltree.table.survey import Survey, opened
from frugaltree.table.values import is_missing

__all__ = [
    "UNSEEN",
    "Column",
    "Kind",
    "Stream",
    "Survey",
    "Table",
    "as_array",
    "bins_in_force",
    "checked_frame",
    "encode",
    "frame_of",
    "is_frame",
    "is_missing",
    "names_in",
    "opened",
    "read",
    "stream_of",
    "taking_all_for_long",
]
