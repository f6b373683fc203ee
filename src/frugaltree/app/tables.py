"""Tables that people bring: CSV, TSV, Parquet and ARFF, with the kinds of their columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugaltree.exceptions import InvalidTable, MissingFile, did_you_mean

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = ",;\t|"

MISSING = ["", "?", "NA", "NaN"]
"""What stands for a missing value in a table."""

MOST_NAMED = 8
"""How many columns of a kind are named before the rest is counted."""


def listed(names: str | None) -> list[str]:
    """Return the names in a list such as ``"sex, cp"``; those with a comma are quoted.

    >>> listed("sex, cp"), listed('"age, years", sex'), listed(None)
    (['sex', 'cp'], ['age, years', 'sex'], [])
    """
    rows = csv.reader([names or ""], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def read_cases(
    path: Path, target: str, *, nominal: Sequence[str] = (), numeric: Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the tests and the classes of a table.

    Text is nominal and numbers are numeric, unless a column is named to be the other.
    """
    table = read_table(path)
    check_column(path, target, table.columns)
    if not len(table):
        raise InvalidTable(f"{path} has a header but no cases; add a line for each.")
    X = recast(path, table.drop(target), nominal, numeric)
    if not X.columns:
        raise InvalidTable(f"{path} has no column but {target!r}; add the tests to ask.")
    return X, table[target]


def check_column(path: Path, target: str, columns: Sequence[str]) -> None:
    """Refuse a column to predict that is not there."""
    if target not in columns:
        raise InvalidTable(
            f"{path} has no column {target!r} to predict; --target must be one of "
            f"{', '.join(columns)}.{did_you_mean(target, columns)}"
        )


def read_table(path: Path) -> pl.DataFrame:
    """Return a table, read by the ending of its name; anything unknown is CSV."""
    check_file(path)
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        return _read_parquet(path)
    if suffix == ".arff":
        return _read_arff(path)
    return _read_csv(path)


def check_file(path: Path) -> None:
    """Refuse a path that is no file."""
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise MissingFile(f"the table {path} {what}; check the path.")


def separator_of(path: Path) -> str:
    """Return what separates the values of a table, by its first line."""
    with path.open("rb") as file:
        header = file.readline(1_000_000).decode("utf-8", "replace")
    return max(SEPARATORS, key=header.count)


def unquoted(name: str) -> str:
    """Return the name of a column as its writer meant it; polars leaves doubled quotes in it."""
    return name.replace('""', '"')


def _read_csv(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_csv(
            io.BytesIO(path.read_bytes()),
            separator=separator_of(path),
            null_values=MISSING,
            infer_schema_length=None,
        ).rename(unquoted)
    except pl.exceptions.PolarsError as error:
        raise InvalidTable(
            f"{path} cannot be read as CSV ({first_line(error)}); give a header line, the same "
            "number of values in every line, and UTF-8 text."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _read_parquet(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise InvalidTable(
            f"{path} cannot be read as Parquet ({first_line(error)}); write it again."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _read_arff(path: Path) -> pl.DataFrame:
    """Return the table in an ARFF file, as Weka writes it: nominal and numeric attributes."""
    import polars as pl
    from scipy.io.arff import ArffError, loadarff

    try:
        content, about = loadarff(io.StringIO(path.read_text("utf-8")))
    except UnicodeDecodeError:
        raise InvalidTable(f"{path} is not UTF-8 text; save it in that encoding.") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except (ArffError, NotImplementedError, ValueError, StopIteration) as error:
        raise InvalidTable(
            f"{path} cannot be read as ARFF ({first_line(error)}); use nominal and numeric "
            "attributes, or CSV."
        ) from None
    columns: dict[str, Any] = {}
    for name, kind in zip(about.names(), about.types(), strict=True):
        if kind == "nominal":
            texts = [value.decode() for value in content[name].tolist()]
            known = [None if text == "?" else text for text in texts]
            columns[name] = pl.Series(name, known, pl.String)
        else:
            columns[name] = pl.Series(content[name]).fill_nan(None)
    return pl.DataFrame(columns)


def unreadable(path: Path, error: OSError) -> InvalidTable:
    """Return the complaint about a file that may not be read."""
    return InvalidTable(
        f"{path} cannot be read ({error.strerror or error}); check its permissions."
    )


def first_line(error: Exception) -> str:
    r"""Return what an error says, on one line.

    >>> first_line(ValueError("no data.\nA long story"))
    'no data'
    """
    return (str(error).strip().partition("\n")[0] or type(error).__name__).rstrip(".")


def classes_of(path: Path, target: str, y: pl.Series) -> list[Any]:
    """Return the classes of a table, which must be two or more and never missing."""
    if y.null_count():
        raise InvalidTable(
            f"{y.null_count()} cases of {path} have no {target!r}; leave them out or fill it in."
        )
    classes: list[Any] = y.unique().sort().to_list()
    if len(classes) < 2:
        raise InvalidTable(
            f"all cases of {path} have {target!r} = {classes[0]!r}; give cases of two classes or "
            "more, or name another column with --target."
        )
    return classes


def as_known(estimator: Any, told: Iterable[Any]) -> list[Any]:
    """Return classes as a model knows them: a file may say ``true`` or ``"1"`` for True or 1."""
    known = {str(label).lower(): label for label in estimator.classes_.tolist()}
    return [known.get(str(label).lower(), label) for label in told]


def recast(
    path: Path, X: pl.DataFrame, nominal: Iterable[str], numeric: Iterable[str]
) -> pl.DataFrame:
    """Return a table some of whose columns are of another kind than they look."""
    import polars as pl

    for option, names in (("--nominal", nominal), ("--numeric", numeric)):
        for name in names:
            if name not in X.columns:
                raise InvalidTable(
                    f"{option} names {name!r}, but {path} has no such column; correct the name or "
                    f"drop it.{did_you_mean(name, X.columns)}"
                )
            if option == "--nominal":
                X = X.with_columns(pl.col(name).cast(pl.String))
                continue
            numbers = X[name].cast(pl.Float64, strict=False)
            if (odd := X[name].filter(numbers.is_null() & X[name].is_not_null())).len():
                raise InvalidTable(
                    f"--numeric names {name!r}, which holds {odd[0]!r}; leave it nominal, or "
                    "correct the table."
                )
            X = X.with_columns(numbers.alias(name))
    return X


def kinds(X: pl.DataFrame) -> str:
    """Return what the columns were taken for, in a line.

    >>> import polars as pl
    >>> kinds(pl.DataFrame({"age": [54, 61], "sex": ["male", "female"]}))
    '1 numeric (age), 1 nominal (sex)'
    """
    numeric = [name for name in X.columns if X[name].dtype.is_numeric()]
    nominal = [name for name in X.columns if name not in numeric]
    parts = []
    for kind, names in (("numeric", numeric), ("nominal", nominal)):
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        names = [repr(name) if "," in name else name for name in names]
        if names:
            parts.append(f"{len(names)} {kind} ({', '.join(names[:MOST_NAMED] + more)})")
    return ", ".join(parts)
