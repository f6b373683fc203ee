"""Loading the bundled tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from frugaltree.datasets import concepts
from frugaltree.datasets.catalogue import CLASS, DataSet, Kind, info, resource
from frugaltree.datasets.frames import (
    Column,
    Frame,
    FrameKind,
    check_frame_kind,
    to_column,
    to_frame,
)
from frugaltree.datasets.impute import impute_nearest
from frugaltree.exceptions import FrugaltreeError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

Split = Literal["all", "train", "test"]


@overload
def load(
    name: str,
    *,
    split: Split = ...,
    return_X_y: Literal[False] = ...,
    frame: FrameKind = ...,
    imputed: bool = ...,
) -> Frame: ...
@overload
def load(
    name: str,
    *,
    split: Split = ...,
    return_X_y: Literal[True],
    frame: FrameKind = ...,
    imputed: bool = ...,
) -> tuple[Frame, Column]: ...
def load(
    name: str,
    *,
    split: Split = "all",
    return_X_y: bool = False,
    frame: FrameKind = "polars",
    imputed: bool = False,
) -> Any:
    """Load a bundled table.

    Nominal columns hold readable values in a meaningful order (polars Enum, pandas Categorical,
    arrow dictionary, never marked as ordered); numeric columns are integers or floats; the class
    is the last column, ``"class"``. A gap is a null, or NaN in a numeric pandas column.

    Parameters
    ----------
    name
        One of `names`.
    split
        ``"train"`` or ``"test"`` for one published part of a MONK's problem; ``"all"`` gives
        every row, the training part first.
    return_X_y
        Return the tests and the class apart.
    frame
        Library of the result: ``"polars"``, ``"pandas"`` or ``"arrow"``. The last two need
        that library.
    imputed
        Fill gaps with `impute_nearest`, the tests alone deciding who is near. Of the bundled
        tables only hepatitis has gaps.

    Returns
    -------
    table or (X, y)
        A data frame; or, with `return_X_y`, the data frame of the tests and the class column.

    See Also
    --------
    info : Rows, classes, citation and notes of a table.
    load_costs : Expert test costs, where there are some.
    assign_costs : Test costs drawn as in the study.

    Examples
    --------
    >>> from frugaltree.datasets import load
    >>> X, y = load("heart", return_X_y=True)
    >>> X.shape, y.value_counts().sort("class").rows()
    ((297, 13), [('healthy', 160), ('sick', 137)])
    >>> load("monks-1", split="train").shape
    (124, 7)
    >>> load("hepatitis").null_count().sum_horizontal().item()
    153
    >>> load("hepatitis", imputed=True).null_count().sum_horizontal().item()
    0
    """
    known = info(name)
    check_frame_kind(frame)
    table = _part(_generated(known) if known.generator else _shipped(known), known, split)
    X, y = table.drop(CLASS), table[CLASS]
    if imputed:
        X = impute_nearest(X)
    if return_X_y:
        return to_frame(X, frame), to_column(y, frame)
    return to_frame(X.with_columns(y), frame)


def schema(known: DataSet) -> pl.Schema:
    """Return the polars type of each column of a table."""
    import polars as pl

    return pl.Schema({name: _dtype(kind) for name, kind in known.columns.items()})


def _dtype(kind: Kind) -> pl.DataType:
    import polars as pl

    if kind == "integer":
        return pl.Int64()
    if kind == "number":
        return pl.Float64()
    return pl.Enum(kind)


def _shipped(known: DataSet) -> pl.DataFrame:
    import polars as pl

    # Read as text and cast: a value that the catalogue does not list is then an error.
    return pl.read_csv(resource(f"{known.name}.csv.gz"), infer_schema=False).cast(schema(known))


def _generated(known: DataSet) -> pl.DataFrame:
    arguments = dict(known.generator or {})
    X, y = getattr(concepts, arguments.pop("maker"))(**arguments)
    table: pl.DataFrame = X.with_columns(y)
    return table


def _part(table: pl.DataFrame, known: DataSet, split: str) -> pl.DataFrame:
    if split == "all":
        return table
    parts = ["all", *known.splits]
    if split not in parts:
        raise FrugaltreeError(
            f"data set {known.name!r} has no part {split!r}; split must be one of "
            f"{', '.join(map(repr, parts))}.{did_you_mean(split, parts)}"
        )
    start = 0
    for part, rows in known.splits.items():
        if part == split:
            break
        start += rows
    return table.slice(start, known.splits[split])
