"""Tables that people bring, in files of all kinds, with the kinds of their columns."""

from __future__ import annotations

import csv
import hashlib
import io
import warnings
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugaltree.app import cells, delimited, hints
from frugaltree.app.delimited import first_line
from frugaltree.app.parquet import ENDINGS, not_parquet, parquet_files, scan_parquet
from frugaltree.app.spreadsheets import check_sheet, is_spreadsheet, read_sheet
from frugaltree.exceptions import InvalidTable, MissingFile, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.protocols import Estimator

MOST_NAMED = 8
"""How many columns of a kind are named before the rest is counted."""

MANY = 20
"""Of fewer cases nothing is said about how many classes they have."""


def listed(names: str | None) -> list[str]:
    """Return the names in a list such as ``"sex, cp"``; those with a comma are quoted.

    >>> listed("sex, cp"), listed('"age, years", sex'), listed(None)
    (['sex', 'cp'], ['age, years', 'sex'], [])
    """
    rows = csv.reader(io.StringIO(names or "", newline=""), skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def read_cases(
    path: Path,
    target: str,
    *,
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    drop: Sequence[str] = (),
    sheet: str | None = None,
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the tests and the classes of a table; what may be a mistake is warned of.

    Text is nominal and numbers are numeric, unless a column is named to be the other. What is to
    be dropped is as if it were not in the table.
    """
    files = parquet_files(path)
    if not files:
        check_file(path)
    check_sheet(path, sheet)
    nominal = [name for name in nominal if name not in drop]
    numeric = [name for name in numeric if name not in drop]
    if not files and is_text(path):
        X, y, said = _read_text(path, target, nominal, numeric, drop, sheet)
    else:
        table = read_table(path)
        table = table[columns_kept(path, target, table.columns, drop)]
        check_table(path, target, table, drop)
        X, y = _parted(table, target)
        X, said = recast(path, X, nominal, numeric), []
    check_classes(path, target, y)
    for hint in [*said, *hints.about(X, nominal)]:
        warnings.warn(hint, UserWarning, stacklevel=2)
    return X, y


def _read_text(
    path: Path,
    target: str,
    nominal: Sequence[str],
    numeric: Sequence[str],
    drop: Sequence[str],
    sheet: str | None,
) -> tuple[pl.DataFrame, pl.Series, list[str]]:
    """Return the tests and the classes of a table of text, and what to say about them."""
    if is_spreadsheet(path):
        table, commas = read_sheet(path, sheet, [target]), True
    else:
        try:
            layout = delimited.layout_of(path)
            table, commas = delimited.read(path, layout), layout.decimal_commas
        except OSError as error:
            raise unreadable(path, error) from None
    table = table[columns_kept(path, target, table.columns, drop)]
    check_table(path, target, table, drop)
    table = table.select(map(cells.stripped, table.columns)).select(
        cells.known(name).alias(name) for name in table.columns
    )
    X, classes = _parted(table, target)
    _check_named(path, X, nominal, numeric)
    named = [_numbers(X.get_column(name), commas=commas) for name in dict.fromkeys(numeric)]
    others = [values for values in X if values.name not in (*nominal, *numeric)]
    found = [cells.typed(values, commas=commas) for values in others]
    said = map(hints.taken_for_missing, others, found)
    y = cells.as_classes(classes, commas=commas)
    return _with(X, [*named, *found]), y, [hint for hint in said if hint is not None]


def _parted(table: pl.DataFrame, target: str) -> tuple[pl.DataFrame, pl.Series]:
    """Return the tests and the classes of a table."""
    tests = [name for name in table.columns if name != target]
    return table[tests], cells.nameless(table.get_column(target))


def _with(X: pl.DataFrame, columns: Iterable[pl.Series]) -> pl.DataFrame:
    """Return a table in which some columns are replaced by others of the same name."""
    import polars as pl

    new = {values.name: values for values in columns}
    return pl.DataFrame([new.get(values.name, values) for values in X])


def check_table(path: Path, target: str, table: pl.DataFrame, drop: Sequence[str]) -> None:
    """Refuse a table without the column to predict, without cases, or without tests."""
    check_column(path, target, table.columns)
    if not len(table):
        raise InvalidTable(f"{path} has a header but no cases; add a line for each.")
    if table.width == 1:
        others = f"{target!r} and those dropped" if drop else repr(target)
        raise InvalidTable(f"{path} has no column but {others}; add the tests to ask.")


def columns_kept(
    path: Path, target: str, columns: Sequence[str], drop: Sequence[str]
) -> list[str]:
    """Return the columns but for some, which must be there and not be the classes."""
    for name in drop:
        if name == target:
            raise InvalidTable(
                f"--drop names {name!r}, which is the column to predict; leave it out, or name "
                "another with --target."
            )
        if name not in columns:
            raise InvalidTable(
                f"--drop names {name!r}, but {path} has no such column; correct the name or leave "
                f"it out.{did_you_mean(name, columns)}"
            )
    return [name for name in columns if name not in drop]


def check_column(path: Path, target: str, columns: Sequence[str]) -> None:
    """Refuse a column to predict that is not there."""
    if target not in columns:
        raise InvalidTable(
            f"{path} has no column {target!r} to predict; --target must be one of "
            f"{', '.join(columns)}.{did_you_mean(target, columns)}"
        )


def check_classes(path: Path, target: str, y: pl.Series) -> None:
    """Refuse amounts, dates, bytes and lists in place of classes."""
    import polars as pl

    known = y.drop_nulls()
    if not known.dtype.is_numeric() or known.dtype.is_decimal():
        if known.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null):
            raise InvalidTable(
                f"column {target!r} of {path} is of type {known.dtype}, not of classes; turn it "
                "into text, or name another column with --target."
            )
        return
    if known.dtype.is_float() and len(parts := known.filter(known % 1 != 0)):
        raise InvalidTable(
            f"column {target!r} of {path} holds numbers such as {parts[0]:g}, not classes; cut it "
            "into ranges, or name another column with --target."
        )
    if len(known) >= MANY and 2 * known.n_unique() > len(known):
        raise InvalidTable(
            f"column {target!r} of {path} holds {known.n_unique()} different numbers in "
            f"{len(known)} cases, too many for classes; cut it into ranges, or name another "
            "column with --target."
        )


def digest_of(path: Path) -> str:
    """Return a fingerprint of a table's file or files, by which a model knows it again."""
    digest = hashlib.sha256()
    for part in parquet_files(path) or [path]:
        with part.open("rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def is_text(path: Path) -> bool:
    """Tell by the ending of its name whether the cells of a table are text until they are read.

    Those of a spreadsheet are taken for that; a file of an unknown kind is delimited text.
    """
    return path.suffix.lower() not in (*ENDINGS, ".arff")


def read_table(path: Path) -> pl.DataFrame:
    """Return a table in Parquet or ARFF, by the ending of its name."""
    return _read_arff(path) if path.suffix.lower() == ".arff" else _read_parquet(path)


def check_file(path: Path) -> None:
    """Refuse a path that is no file."""
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise MissingFile(f"the table {path} {what}; check the path.")


def _read_parquet(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return scan_parquet(parquet_files(path)).collect()
    except pl.exceptions.PolarsError as error:
        raise not_parquet(path, error) from None
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


def classes_of(path: Path, target: str, y: pl.Series) -> list[Any]:
    """Return the classes of a table, which must be two or more and never missing."""
    classes: list[Any] = y.drop_nulls().unique().sort().to_list()
    check_class_values(path, target, y.null_count(), classes)
    return classes


def check_class_values(path: Path, target: str, missing: int, classes: Sequence[Any]) -> None:
    """Refuse cases without a class, and cases of one class alone."""
    if missing:
        have = "case of {} has" if missing == 1 else "cases of {} have"
        raise InvalidTable(
            f"{missing} {have.format(path)} no {target!r}; leave such cases out or fill it in."
        )
    if len(classes) < 2:
        raise InvalidTable(
            f"all cases of {path} have {target!r} = {classes[0]!r}; give cases of two classes or "
            "more, or name another column with --target."
        )


def as_known(estimator: Estimator, labels: Iterable[Any]) -> list[Any]:
    """Return classes as a model knows them: a file may say ``TRUE`` or ``"1"`` for True or 1."""
    classes = estimator.classes_.tolist()
    known = {str(label).lower(): label for label in classes}
    known |= {str(label): label for label in classes}
    return [known.get(str(label), known.get(str(label).lower(), label)) for label in labels]


def _check_named(
    path: Path, X: pl.DataFrame, nominal: Iterable[str], numeric: Iterable[str]
) -> None:
    """Refuse names of columns that are not there."""
    for option, names in (("--nominal", nominal), ("--numeric", numeric)):
        for name in names:
            if name not in X.columns:
                raise InvalidTable(
                    f"{option} names {name!r}, but {path} has no such column; correct the name or "
                    f"drop it.{did_you_mean(name, X.columns)}"
                )


def _numbers(values: pl.Series, *, commas: bool) -> pl.Series:
    """Return a column of text that was said to be numeric."""
    odd = cells.no_numbers(values, commas=commas)
    if odd:
        raise _not_numeric(values.name, odd[0])
    return cells.as_numbers(values, commas=commas)


def _not_numeric(name: str, odd: Any) -> InvalidTable:
    return InvalidTable(
        f"--numeric names {name!r}, which holds {odd!r}; leave it nominal, or correct the table."
    )


def recast(
    path: Path, X: pl.DataFrame, nominal: Iterable[str], numeric: Iterable[str]
) -> pl.DataFrame:
    """Return a table some of whose columns are of another kind than they look."""
    import polars as pl

    _check_named(path, X, nominal, numeric)
    X = _with(X, [cells.converted(X.get_column(name), pl.String) for name in nominal])
    found = []
    for name in numeric:
        numbers = cells.converted(X.get_column(name), pl.Float64, strict=False)
        values = cells.nameless(X.get_column(name))
        lost = cells.nameless(numbers).is_null() & values.is_not_null()
        if (odd := values.filter(lost)).len():
            raise _not_numeric(name, odd[0])
        found.append(numbers)
    return _with(X, found)


def kinds(X: pl.DataFrame, unasked: Collection[object] = ()) -> str:
    """Return what the columns were taken for, in a line; some are never asked.

    >>> import polars as pl
    >>> kinds(pl.DataFrame({"age": [54, 61], "sex": ["male", "female"]}))
    '1 numeric (age), 1 nominal (sex)'
    >>> kinds(pl.DataFrame({"age": [54, 61], "id": ["A1", "A2"]}), ["id"])
    '1 numeric (age), 1 never asked (id)'
    """
    never = [name for name in X.columns if name in unasked]
    asked = [values for values in X if values.name not in never]
    numeric = [values.name for values in asked if values.dtype.is_numeric()]
    nominal = [values.name for values in asked if values.name not in numeric]
    parts = []
    for kind, names in (("numeric", numeric), ("nominal", nominal), ("never asked", never)):
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        names = [repr(name) if "," in name else name for name in names]
        if names:
            parts.append(f"{len(names)} {kind} ({', '.join(names[:MOST_NAMED] + more)})")
    return ", ".join(parts)
