"""Make the tables and price lists that ``frugaltree.datasets`` ships from the raw files.

Usage: ``python tools/pack_datasets.py RAW``, where the folder RAW holds one CSV for each table
(header, class last, ``?`` for a missing value; the MONK's problems as ``-train`` and ``-test``)
and ``turney_costs.json``. Columns are renamed by position to the names of ``catalogue.toml`` and
codes become its values; rows keep their order. Every run with one version of zlib writes the same
bytes.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import tomlkit

from frugaltree.datasets.catalogue import CLASS, DataSet, info, names
from frugaltree.datasets.tables import schema

DATA = Path(__file__).parent.parent / "src" / "frugaltree" / "datasets" / "data"

ANY_TEST = "*"
CODES: dict[str, dict[str, str]] = {
    "bupa": {CLASS: "0 1"},
    "flare": {
        "activity": "1 2",
        "evolution": "1 2 3",
        "previous_24h": "1 3",
        "historically_complex": "2 1",
        "became_complex": "2 1",
        "area": "1 2",
        "area_of_largest_spot": "1 2",
    },
    "glass": {CLASS: "1 2 3 5 6 7"},
    "heart": {
        "sex": "0.0 1.0",
        "cp": "1.0 2.0 3.0 4.0",
        "fbs": "0.0 1.0",
        "restecg": "0.0 1.0 2.0",
        "exang": "0.0 1.0",
        "slope": "1.0 2.0 3.0",
        "ca": "0.0 1.0 2.0 3.0",
        "thal": "3.0 6.0 7.0",
        CLASS: "0 1",
    },
    "hepatitis": {ANY_TEST: "1 2", CLASS: "1 2"},
    "iris": {CLASS: "Iris-setosa Iris-versicolor Iris-virginica"},
    "monks-1": {CLASS: "0 1"},
    "monks-2": {CLASS: "0 1"},
    "monks-3": {CLASS: "0 1"},
    "tae": {"native": "2 1", "semester": "1 2", CLASS: "1 2 3"},
    "thyroid": {ANY_TEST: "0 1", CLASS: "1 2 3"},
    "tic-tac-toe": {ANY_TEST: "x o b", CLASS: "n p"},
    "voting": {ANY_TEST: "n y"},
    "wine": {CLASS: "1 2 3"},
}
"""Raw code of each value, in the order of the catalogue's values; without an entry, itself."""

GROUPS = {
    "heart": {"A": "blood", "B": "thallium", "C": "exercise_ecg"},
    "hepatitis": {"A": "blood"},
    "pima": {"A": "blood"},
    "thyroid": {"A": "blood"},
    "bupa": {"A": "blood"},
}
"""Readable names of the groups of the raw price lists."""


def main(raw: Path) -> None:
    """Write every shipped table and every price list."""
    for name in names():
        known = info(name)
        if known.generator is None:
            pack_table(known, raw)
    price_lists = json.loads((raw / "turney_costs.json").read_text(encoding="utf-8"))
    for name in GROUPS:
        pack_costs(info(name), price_lists[name]["tests"])


def pack_table(known: DataSet, raw: Path) -> None:
    """Write one table as compressed CSV with readable values."""
    parts = [f"{known.name}-{split}" for split in known.splits] or [known.name]
    table = pl.concat([_read(raw / f"{part}.csv") for part in parts])
    table.columns = list(known.columns)
    table = table.with_columns(
        _decoded(known, name).cast(dtype) for name, dtype in schema(known).items()
    )
    packed = gzip.compress(table.write_csv().encode("utf-8"), compresslevel=9, mtime=0)
    (DATA / f"{known.name}.csv.gz").write_bytes(packed)


def _read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False, null_values="?")


def _decoded(known: DataSet, name: str) -> pl.Expr:
    kind, codes = known.columns[name], CODES.get(known.name, {})
    column = pl.col(name)
    if kind == "integer":
        return column.cast(pl.Float64)
    if kind == "number":
        return column
    code = codes.get(name, codes.get(ANY_TEST) if name != CLASS else None)
    if code is None:
        return column
    # A missing key raises: a code nobody listed must not slip through as a null.
    return column.replace_strict(
        dict(zip(code.split(), kind, strict=True)), return_dtype=pl.String
    )


def pack_costs(known: DataSet, raw: dict[str, Any]) -> None:
    """Write one price list in the form of a user's ``costs.toml``.

    The raw list gives a full and a discounted price; here a test has its own price, the
    discounted one, and its group the difference, which all members share.
    """
    document = tomlkit.document()
    document["unit"] = "CAD"
    document["date"] = "1992"
    document["source"] = (
        "Turney (1995), JAIR 2:369-409, Ontario Health Insurance Program fee schedule; "
        f"{known.costs_standing}"
    )
    document["delayed"] = [test for test in known.tests if raw[test]["delayed"]]
    document["tests"] = {test: raw[test]["discount"] for test in known.tests}
    document["groups"] = {
        readable: _group([test for test in known.tests if raw[test]["group"] == letter], raw)
        for letter, readable in GROUPS[known.name].items()
    }
    path = DATA / f"{known.name}.costs.toml"
    path.write_text(tomlkit.dumps(document), encoding="utf-8", newline="\n")


def _group(members: list[str], raw: dict[str, Any]) -> dict[str, Any]:
    shared = {round(raw[test]["full"] - raw[test]["discount"], 2) for test in members}
    (cost,) = shared
    return {"cost": cost, "tests": members}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
