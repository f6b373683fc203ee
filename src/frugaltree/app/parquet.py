"""Tables in Parquet: a file, a folder of files, or all files of a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from frugaltree.app import cells
from frugaltree.app.delimited import first_line
from frugaltree.exceptions import InvalidTable, MissingFile

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".parquet", ".pq")


def is_parquet(path: Path) -> bool:
    """Tell by the ending of its name whether a file is in Parquet."""
    return path.suffix.lower() in ENDINGS


def parquet_files(data: Path) -> list[Path]:
    """Return the files of a table in Parquet, in the order of their names; none for another table.

    A folder stands for the Parquet files in it, a pattern such as ``sales/*.parquet`` for those
    that it matches.
    """
    if data.is_file():
        return [data] if is_parquet(data) else []
    if data.is_dir():
        files = sorted(path for path in data.iterdir() if is_parquet(path) and path.is_file())
        if not files:
            raise MissingFile(
                f"the table {data} is a folder, not a file, and holds no Parquet file; check the "
                "path."
            )
        return files
    if not any(sign in str(data) for sign in "*?["):
        return []
    files = sorted(path for path in map(Path, glob(str(data))) if path.is_file())
    if not files:
        raise MissingFile(f"no file matches {data}; check the pattern.")
    odd = next((path for path in files if not is_parquet(path)), None)
    if odd is not None:
        raise InvalidTable(
            f"{data} matches {odd}, which is not in Parquet; only Parquet files are read together."
        )
    return files


def not_parquet(data: Path, error: Exception) -> InvalidTable:
    """Return the complaint about a table that polars cannot read as Parquet."""
    return InvalidTable(f"{data} cannot be read as Parquet ({first_line(error)}); write it again.")


def _schema_of(path: Path) -> pl.Schema:
    """Return the columns of a file and their types."""
    import polars as pl

    try:
        return pl.scan_parquet(path, glob=False).collect_schema()
    except pl.exceptions.PolarsError as error:
        raise not_parquet(path, error) from None


def scan_parquet(files: list[Path]) -> pl.LazyFrame:
    """Return the table in some files, to be read as it is needed; their columns must agree."""
    import polars as pl

    schemas = [_schema_of(path) for path in files]
    first = schemas[0]
    for path, schema in zip(files, schemas, strict=True):
        odd = next((name for name in first if name not in schema), None)
        more = next((name for name in schema if name not in first), None)
        if odd is not None or more is not None:
            has, lacks = (files[0], path) if odd is not None else (path, files[0])
            raise InvalidTable(
                f"{lacks} has no column {odd or more!r}, but {has} has; give all files of a table "
                "the same columns."
            )
        other = next((name for name in first if schema[name] != first[name]), None)
        if other is not None:
            raise InvalidTable(
                f"column {other!r} is {schema[other]} in {path} but {first[other]} in {files[0]}; "
                "give it the same type in all files of a table."
            )
    columns = [cells.exactly(name) for name in first]
    return pl.concat([pl.scan_parquet(path, glob=False).select(columns) for path in files])


def write_parquet(pieces: Iterator[pl.DataFrame], file: BinaryIO) -> None:
    """Write pieces of one table to a file as they come; of none, nothing."""
    import polars as pl
    from polars.io.plugins import register_io_source

    first = next(pieces, None)
    if first is None:
        return
    raised: list[BaseException] = []

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            yield first
            yield from pieces
        except BaseException as error:  # polars would say it in words of its own
            raised.append(error)
            raise

    try:
        register_io_source(source, schema=first.schema).sink_parquet(file)
    except pl.exceptions.PolarsError:
        if raised:
            raise raised[0] from None
        raise


def named_after(data: Path) -> Path:
    """Return what a table's model and costs are named after: of a pattern, the folder.

    >>> named_after(Path("sales/*.parquet")).name, named_after(Path("*.parquet")).name
    ('sales', 'table')
    >>> named_after(Path("heart.csv")).name
    'heart.csv'
    """
    if data.exists() or not any(sign in str(data) for sign in "*?["):
        return data
    plain = [part for part in data.parent.parts if not any(sign in part for sign in "*?[")]
    return Path(*plain) if plain else Path("table")
