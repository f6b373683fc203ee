"""Checkpoints that were cut short, changed, or are of another search."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.drawing import chance
from tools.fuzz.invariants import check_fitted, close
from tools.fuzz.judging import demand
from tools.fuzz.model_files import JSON_VALUES
from tools.fuzz.tables import spoil
from tools.fuzz.versions import learner, make_costs

SETTINGS: tuple[dict[str, Any], ...] = (
    {"pessimism": "paper", "max_steps": 30},
    {"pessimism": "none", "max_steps": 3, "max_depth": 3},
    {"pessimism": "auto", "max_steps": 60},
    {"pessimism": 0.1, "max_steps": 1000},
)


def run(random: Random, folder: Path) -> str:
    """Spoil a checkpoint and go on from it: refused, or as good as without."""
    which = random.randrange(len(SETTINGS))
    path = folder / "search.checkpoint"
    data = draw_file(random, which)
    path.write_bytes(data)
    X, y, costs = table()
    model = learner("FrugalTree", costs, **_going_on(which), checkpoint=path)
    try:
        model.fit(X, y)
    except ValueError:
        demand(path.read_bytes() == data, "a checkpoint that is refused stays as it is")
        raise
    check_fitted(model, X, y)
    if model.termination_ == "optimal":
        want = proven(which)
        if want is not None:
            demand(
                close(model.objective_, want),
                "a proof that goes on from a checkpoint proves the same",
                model.objective_,
                want,
            )
    return "went on"


@cache
def table() -> tuple[Any, Any, Any]:
    """Return cases, classes and costs of a search that takes some hundred steps."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (40, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 2).astype(int)
    return X, y, make_costs([3, 2, 4, 1, 1], errors=60)


def _going_on(which: int) -> dict[str, Any]:
    settings = {**SETTINGS[which], "random_state": 0, "checkpoint_interval": 0, "time_limit": 5}
    return {**settings, "max_steps": 5 * settings["max_steps"]}


@cache
def good(which: int) -> bytes:
    """Return a good checkpoint of one of the settings."""
    X, y, costs = table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good.checkpoint"
        settings = {**SETTINGS[which], "random_state": 0, "checkpoint_interval": 0}
        learner("FrugalTree", costs, **settings, checkpoint=path).fit(X, y)
        return path.read_bytes()


@cache
def proven(which: int) -> float | None:
    """Return the objective that a search from the beginning proves, None where it proves none."""
    X, y, costs = table()
    settings = _going_on(which) | {"max_steps": None, "time_limit": 20}
    model = learner("FrugalTree", costs, **settings).fit(X, y)
    return float(model.objective_) if model.termination_ == "optimal" else None


def draw_file(random: Random, which: int) -> bytes:
    """Return a checkpoint that is spoilt, of another search, or good after all."""
    data = good(which)
    how = random.choice(("good", "bytes", "bytes", "cut", "foreign", "other", "contents", "array"))
    if how == "bytes":
        return spoil(random, data)
    if how == "cut":
        return data[: random.choice((0, 1, 30, 80, len(data) - 1, random.randrange(len(data))))]
    if how == "other":
        return good(random.randrange(len(SETTINGS)))
    if how == "foreign":
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        return random.choice(
            (b"", b"PK\x03\x04", empty.getvalue(), data[:73], data + data, b"\0" * 99)
        )
    if how in ("contents", "array"):
        return rewrite(random, data, how)
    return data


def rewrite(random: Random, data: bytes, how: str) -> bytes:
    """Return an archive with changed entries, whose sums are right."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as written:
        arrays = [name for name in archive.namelist() if name.startswith("arrays/")]
        chosen = random.choice(arrays) if arrays else ""
        for info in archive.infolist():
            content = archive.read(info)
            if how == "contents" and info.filename.endswith(".json"):
                content = spoil_contents(random, content)
            elif how == "array" and info.filename == chosen:
                content = spoil_array(random, content)
            written.writestr(zipfile.ZipInfo(info.filename), content)
    return out.getvalue()


def spoil_contents(random: Random, content: bytes) -> bytes:
    """Return what describes the arrays, or holds a number, with an entry changed."""
    described = json.loads(content)
    values = [value for value in JSON_VALUES if value != "\ud800"]
    holder = described if chance(random, 0.2) else described["state"]
    key = random.choice(list(holder))
    inner = holder[key]
    if isinstance(inner, dict) and inner and chance(random, 0.7):
        inner[random.choice(list(inner))] = random.choice((*values, [1, 2], [-1], "|O", "<f8"))
    elif chance(random, 0.2):
        del holder[key]
    else:
        holder[key] = deepcopy(random.choice(values))
    return json.dumps(described).encode()


def spoil_array(random: Random, content: bytes) -> bytes:
    """Return the bytes of an array, some of them changed."""
    if chance(random, 0.2):
        return content[: random.randrange(len(content) + 1)]
    spoilt = bytearray(content)
    for _ in range(random.choice((1, 4, 64))):
        if spoilt:
            spoilt[random.randrange(len(spoilt))] = random.randrange(256)
    return bytes(spoilt)
