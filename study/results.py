"""The results file: one SQLite database that grows unit by unit and survives any end.

A runner writes the outcome of each job in a transaction of its own, so that a run killed at any
moment has lost only what was being computed. A lock file keeps a second runner away. For
keeping and sharing, the outcomes are packed into one Parquet file, and taken up again from there.
"""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from frugaltree.exceptions import FrugaltreeError, MissingFile
from frugaltree.files import write_at_once
from study.columns import SCHEMA
from study.units import ANY, Outcome, Unit

FORMAT = 1
"""Version of the file; it changes when outcomes mean something else."""

MARK = 0x46525447
"""SQLite's application id: the letters FRTG."""

KEY = ("learner", "data", "prices", "errors", "fold")

TABLE = f"""
CREATE TABLE outcome (
    learner TEXT NOT NULL, data TEXT NOT NULL, prices TEXT NOT NULL, errors TEXT NOT NULL,
    fold INTEGER NOT NULL, test_cost REAL NOT NULL, confusion TEXT NOT NULL,
    cases INTEGER NOT NULL, leaves INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY ({", ".join(KEY)})
) WITHOUT ROWID
"""


class Results:
    """The outcomes of a study in a file.

    Parameters
    ----------
    path
        The file.
    create
        Make it if it is not there; else that is an error.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Results(Path(folder) / "study.sqlite", create=True) as results:
    ...         results.add([Outcome("act", "car", "1", "500", 0, 12.5, "[]", 173, 9, 0.01)])
    ...         Unit("act", "car", "1", "500", 0) in results.done()
    True
    """

    def __init__(self, path: str | Path, *, create: bool = False):
        self.path = Path(path)
        if not self.path.exists() and not create:
            raise MissingFile(
                f"there is no results file {self.path}; `python -m study run` makes one."
            )
        if not self.path.resolve().parent.is_dir():
            raise MissingFile(f"the folder of {self.path} does not exist; create it first.")
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            raise FrugaltreeError(
                f"{self.path} cannot be read as a results file ({error}); name another file."
            ) from error

    def _open(self) -> None:
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        if fresh:
            self._db.execute("PRAGMA journal_mode=WAL")
            with self._transaction():
                if not self._db.execute("PRAGMA application_id").fetchone()[0]:
                    self._db.execute(TABLE)
                    self._db.execute(f"PRAGMA application_id={MARK}")
                    self._db.execute(f"PRAGMA user_version={FORMAT}")
        (mark,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if mark != MARK:
            self._db.close()
            raise FrugaltreeError(f"{self.path} is no results file of a study; name another file.")
        if version != FORMAT:
            self._db.close()
            raise FrugaltreeError(
                f"{self.path} has format {version}, but this frugaltree reads format {FORMAT}; "
                "name another file, or use the frugaltree that wrote it."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runners away from this file while work goes on."""
        from filelock import FileLock, Timeout

        guard = FileLock(f"{self.path}.lock")
        try:
            guard.acquire(timeout=0)
        except Timeout:
            raise FrugaltreeError(
                f"another run is at work on {self.path}; wait for it, or name another file."
            ) from None
        try:
            yield
        finally:
            guard.release()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Write outcomes, all or none; what is there already stays."""
        places = ", ".join("?" * len(SCHEMA))
        with self._transaction():
            self._db.executemany(f"INSERT OR IGNORE INTO outcome VALUES ({places})", outcomes)

    def done(self) -> set[Unit]:
        """Return the units whose outcome is known, as `find_done` has them."""
        return find_done(self._db.execute(f"SELECT {', '.join(KEY)} FROM outcome"))

    def frame(self) -> pl.DataFrame:
        """Return all outcomes, sorted."""
        rows = self._db.execute(f"SELECT * FROM outcome ORDER BY {', '.join(KEY)}").fetchall()
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")

    def pack(self, path: str | Path) -> None:
        """Write all outcomes into one compressed file."""
        buffer = io.BytesIO()
        self.frame().write_parquet(buffer, compression="zstd", compression_level=19)
        write_at_once(path, buffer.getvalue(), "the packed results")

    def is_packed(self, path: str | Path) -> bool:
        """Tell whether a packed file, once taken up, still holds every outcome."""
        return Path(path).exists() and len(read_packed(path)) == len(self)

    def unpack(self, path: str | Path) -> int:
        """Take up outcomes from a packed file; return how many were new."""
        packed = read_packed(path)
        before = len(self)
        self.add(Outcome(*row) for row in packed.iter_rows())
        return len(self) - before

    def __len__(self) -> int:
        (n,) = self._db.execute("SELECT COUNT(*) FROM outcome").fetchone()
        return int(n)


def find_done(keys: Iterable[tuple[str, str, str, str, int]]) -> set[Unit]:
    """Return the units whose outcome is known, given the keys of outcomes.

    Those of a learner that is blind to prices are named with ANY price list.
    """
    exact = {Unit(*key) for key in keys}
    return exact | {unit._replace(prices=ANY) for unit in exact if unit.prices != "turney"}


def is_packed_file(path: str | Path) -> bool:
    """Tell whether a file is Parquet, by its first bytes or, if it is not there, by its name."""
    if not Path(path).is_file():
        return Path(path).suffix == ".parquet"
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1" or Path(path).suffix == ".parquet"


def choose_file(results: Path, into: Path | None = None) -> tuple[Path, Path | None]:
    """Return the SQLite file that a run writes to, and the packed file to take up first, if any.

    Packed results are not written to: new outcomes go to the file named by ``into``, or to one
    beside them that ends in .sqlite.
    """
    if not is_packed_file(results):
        if into is not None:
            raise FrugaltreeError(
                f"{results} is not packed, so that new outcomes go there; leave out --into {into}."
            )
        return results, None
    if not results.exists():
        raise MissingFile(f"there is no file {results} with packed results.")
    path = into or results.with_suffix(".sqlite")
    if is_packed_file(path):
        raise FrugaltreeError(
            f"new outcomes go to an SQLite file, not to {path}; let its name end in .sqlite."
        )
    return path, results


def read_outcomes(path: str | Path) -> pl.DataFrame:
    """Return all outcomes of a results file, SQLite or packed, sorted.

    Nothing that a file names is imported or run.
    """
    if is_packed_file(path):
        return read_packed(path).sort(KEY)
    with Results(path) as results:
        return results.frame()


def read_packed(path: str | Path) -> pl.DataFrame:
    """Return the outcomes of a packed file."""
    if not Path(path).exists():
        raise MissingFile(f"there is no file {path} with packed results.")
    try:
        packed = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FrugaltreeError(f"{path} cannot be read as packed results ({error}).") from error
    if packed.schema != SCHEMA:
        raise FrugaltreeError(
            f"{path} holds other columns than a study's results; name the packed results."
        )
    return packed
