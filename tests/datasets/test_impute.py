from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frugaltree.datasets import impute_nearest, load
from frugaltree.exceptions import InvalidTable

# Scaled ages: 0, 0.5, 1, 0.25. The last case is nearest to the first (0.25 + 0 + 1), then to the
# second (0.25 + 1 + 1); the third is far away (0.75 + 1 + 1).
FOUR = {
    "age": [20, 40, 60, 30],
    "sex": ["f", "m", "m", "f"],
    "sgot": [7.5, 9.0, 1.0, None],
}


def test_four_cases_by_hand() -> None:
    got = impute_nearest(pl.DataFrame(FOUR))
    assert got["sgot"].to_list() == [7.5, 9.0, 1.0, 7.5]


def test_the_nearest_is_sought_among_those_that_have_the_value() -> None:
    table = pl.DataFrame(FOUR | {"sgot": [None, 9.0, 1.0, None]})
    assert impute_nearest(table)["sgot"].to_list() == [9.0, 9.0, 1.0, 9.0]


def test_nominal_values_differ_by_one_however_many_there_are() -> None:
    table = pl.DataFrame({"a": ["z", "x", "y"], "b": [0.0, 1.0, 0.4], "c": ["no", "yes", None]})
    assert impute_nearest(table)["c"].to_list() == ["no", "yes", "no"]


def test_a_missing_value_differs_by_one() -> None:
    # From the last case: 1 (missing) to the first, 0.9 to the second.
    table = pl.DataFrame({"a": [None, 0.1, 0.0, 1.0], "b": ["u", "v", "w", None]})
    assert impute_nearest(table)["b"].to_list() == ["u", "v", "w", "v"]


def test_distances_are_taken_before_anything_is_filled() -> None:
    table = pl.DataFrame({"a": [0.0, None, None], "b": [None, 5.0, 6.0]})
    assert impute_nearest(table).to_dict(as_series=False) == {
        "a": [0.0, 0.0, 0.0],
        "b": [5.0, 5.0, 6.0],
    }


def test_ties_go_to_the_earlier_row_whatever_the_rounding() -> None:
    # Differences 0.1, 0.2, 0.3 in either order: 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1 in floats.
    table = pl.DataFrame(
        {
            "a": [0.1, 0.3, 1.0, 0.0],
            "b": [0.2, 0.2, 1.0, 0.0],
            "c": [0.3, 0.1, 1.0, 0.0],
            "d": ["first", "second", "third", None],
        }
    )
    assert impute_nearest(table)["d"].to_list()[-1] == "first"


def test_a_constant_column_tells_nothing() -> None:
    table = pl.DataFrame({"a": [3, 3, 3], "b": [1, 5, 4], "c": ["u", "v", None]})
    assert impute_nearest(table)["c"].to_list() == ["u", "v", "v"]


@pytest.mark.parametrize("frame", ["polars", "pandas", "arrow"])
def test_every_kind_of_frame_keeps_its_types(frame: str) -> None:
    X, _ = load("hepatitis", return_X_y=True, frame=frame)
    ref, _ = load("hepatitis", return_X_y=True, frame=frame, imputed=True)
    got = impute_nearest(X)
    assert type(got) is type(X)
    if frame == "pandas":
        pd.testing.assert_frame_equal(got, ref)
        assert got.dtypes.equals(X.dtypes)
    else:
        assert got.equals(ref)
        assert got.schema == X.schema


def test_known_values_stay() -> None:
    X, _ = load("hepatitis", return_X_y=True)
    filled = impute_nearest(X)
    for column in X:
        kept = column.is_not_null()
        assert filled[column.name].filter(kept).equals(column.filter(kept))


def test_the_class_has_no_say_in_who_is_near() -> None:
    X, y = load("hepatitis", return_X_y=True, imputed=True)
    assert load("hepatitis", imputed=True).equals(X.with_columns(y))
    assert impute_nearest(load("hepatitis").drop("class")).equals(X)


def test_a_pandas_index_is_kept() -> None:
    table = pd.DataFrame(FOUR, index=["p", "q", "r", "s"])
    got = impute_nearest(table)
    assert got.index.tolist() == ["p", "q", "r", "s"]
    assert got["sgot"].tolist() == [7.5, 9.0, 1.0, 7.5]


def test_a_table_without_gaps_or_cases_comes_back_as_it_is() -> None:
    whole = pa.table({"a": [1, 2]})
    assert impute_nearest(whole) is whole
    empty = pl.DataFrame({"a": []}, schema={"a": pl.Float64})
    assert impute_nearest(empty) is empty


def test_a_column_of_gaps_is_an_error() -> None:
    table = pl.DataFrame({"a": [1, 2], "b": [None, None]}, schema={"a": pl.Int64, "b": pl.String})
    with pytest.raises(InvalidTable) as error:
        impute_nearest(table)
    assert str(error.value) == (
        "column 'b' has no value in any of the 2 cases; drop it before filling gaps."
    )
