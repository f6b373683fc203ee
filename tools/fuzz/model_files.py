"""Model files: mutations of good ones, cycles, bombs."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.commands import run_command
from tools.fuzz.drawing import ODD_VALUES, chance
from tools.fuzz.invariants import check_answers, check_consultation, check_kept
from tools.fuzz.judging import demand
from tools.fuzz.tables import spoil
from tools.fuzz.versions import CLASSES, learner, make_costs

JSON_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 10**400, 2**31, 2**63, 1.5, -0.5, 1e308, 1e-320, "", "x",
    "é", "\0", "\ud800", "a" * 5000, [], {}, [1], [[]], ["x"], {"x": 1}, -2, 1e300,
    "@NaN@", "@Infinity@", "@-Infinity@", "@1e999@", "@-0@", "@1E400@",
)  # fmt: skip
"""Values to put in place of others; those between at-signs are written as they stand."""


def run(random: Random, folder: Path) -> str:
    """Spoil a model file and open it; what opens can be used."""
    from frugaltree import load_model

    good = model_text(random.choice(CLASSES))
    path = folder / "model.json"
    data = draw_file(random, good)
    path.write_bytes(data)
    if chance(random, 0.2):
        form = random.choice(("sql", "python", "rules", "dot", "mermaid", "onnx"))
        command = random.choice((["show"], ["consult"], ["export", "-f", form], ["report"]))
        run_command(folder, command[0], "model.json", *command[1:], typed="1\nred\n-\ns\n")
    model = load_model(path)
    rows = [{"a": 0.5, "b": "red", "c": True}, {"a": None, "b": None, "c": None},
            {"a": 9.0, "b": "unseen", "c": False}]  # fmt: skip
    names = [column.name for column in model.tree_.columns]
    if names == ["a", "b", "c"]:
        use(random, model, rows, folder)
    demand(path.read_bytes() == data, "reading a file does not change it")
    return "opened"


def use(random: Random, model: Any, rows: list[dict[str, Any]], folder: Path) -> None:
    """Use a model that was opened from a file."""
    import pandas as pd

    X = pd.DataFrame({
        "a": np.array([np.nan if row["a"] is None else row["a"] for row in rows]),
        "b": pd.Series([row["b"] for row in rows], dtype=object),
        "c": pd.Series([row["c"] for row in rows], dtype="boolean"),
    })  # fmt: skip
    check_answers(model, X)
    model.to_text()
    check_kept(model, X, folder, twice=False)
    if chance(random, 0.3):
        check_consultation(model, rows[:1], random)
    if chance(random, 0.3):
        from frugaltree.export import to_python, to_sql

        to_python(model), to_sql(model)


@cache
def model_text(name: str) -> str:
    """Return the file of a learner that was fitted to a small table, with gaps."""
    import tempfile

    import pandas as pd

    from frugaltree import Group, save_model

    random = Random(name)
    n = 40
    a = [random.choice((0.0, 1.0, 2.0, 3.0, np.nan)) for _ in range(n)]
    b = [random.choice(("red", "blue", "it's", None)) for _ in range(n)]
    c = [random.choice((True, False, None)) for _ in range(n)]
    y = [
        ("yes" if (x or 0) > 1 else "no") if z != "red" else "maybe"
        for x, z in zip(a, b, strict=True)
    ]
    X = pd.DataFrame({"a": a, "b": pd.Series(b, dtype=object), "c": pd.Series(c, dtype="boolean")})
    costs = make_costs(
        {"a": 3, "b": 2.5, "c": 1},
        {"g": Group(["a", "b"], cost=1)},
        errors=100,
        unit="EUR",
    )
    more = {"max_steps": 200, "random_state": 0, "generations": 2, "population": 4}
    model = learner(name, costs, **more).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "m.json")
        return (Path(folder) / "m.json").read_text("utf-8")


def draw_file(random: Random, good: str) -> bytes:
    """Return the bytes of a spoilt file."""
    how = random.choice(("value",) * 8 + ("bytes", "cut", "bomb", "cycle", "cycle"))
    if how == "bytes":
        return spoil(random, good.encode())
    if how == "cut":
        return good.encode()[: random.randrange(len(good))]
    if how == "bomb":
        return draw_bomb(random, good)
    data = json.loads(good)
    if how == "cycle":
        _spoil_nodes(random, data["tree"])
    for _ in range(random.choice((1, 1, 1, 2, 4)) if how == "value" else random.choice((0, 1))):
        _spoil_value(random, data)
    text = json.dumps(data, ensure_ascii=chance(random, 0.5))
    for value in JSON_VALUES:
        if isinstance(value, str) and value.startswith("@"):
            text = text.replace(f'"{value}"', value[1:-1])
    return text.encode("utf-8", "surrogatepass")


def _spoil_value(random: Random, data: Any) -> None:
    """Replace, remove or repeat something, however deep."""
    holder, depth = data, random.choice((1, 2, 2, 3, 3, 3, 4, 5))
    while True:
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = random.choice(keys)
        inner = holder[key]
        depth -= 1
        if depth > 0 and isinstance(inner, dict | list) and inner:
            holder = inner
            continue
        break
    how = random.choice(("replace",) * 6 + ("remove", "twice", "nudge", "nudge", "nudge"))
    if how == "remove":
        del holder[key]
    elif how == "twice" and isinstance(holder, list):
        holder.insert(key, deepcopy(inner))
    elif how == "nudge" and type(inner) in (int, float) and abs(inner) < 1e300:
        holder[key] = inner + random.choice((-2, -1, 1, 2, 100, 0.5, 1e-9))
    else:
        holder[key] = deepcopy(random.choice(JSON_VALUES))


def _spoil_nodes(random: Random, tree: dict[str, Any]) -> None:
    """Change where branches lead, so that they come back, cross or lead nowhere."""
    lists = [value for value in tree.values() if isinstance(value, list) and value]
    for holder in [tree.get("nodes")] if isinstance(tree.get("nodes"), dict) else []:
        lists += [value for value in holder.values() if isinstance(value, list)]
    for _ in range(random.randint(1, 3)):
        if not lists:
            return
        values = random.choice(lists)
        if not values:
            continue
        place = random.randrange(len(values))
        inner = values[place]
        if isinstance(inner, dict) and inner:
            name = random.choice(list(inner))
            inner[name] = random.choice((0, 1, 2, -1, -2, len(values), [0], [0, 0, 0], [place]))
        elif isinstance(inner, list) and inner:
            inner[random.randrange(len(inner))] = random.choice((0, 1, 2, place, -1, len(values)))
        else:
            values[place] = random.choice((0, 1, 2, place, -1, len(values), 10**6))


def draw_bomb(random: Random, good: str) -> bytes:
    """Return a file that is deep, long, or asks for much memory."""
    depth = random.choice((1000, 100_000))
    return random.choice((
        b"[" * depth, b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth, b"",
        b"null", b"0", b'""', b"[]", b"{}", b"\xef\xbb\xbf" + good.encode(), good.encode("utf-16"),
        b"9" * 200_000, b'{"format": 1' + b"0" * 5000 + b"}", good.encode() * 2,
        good.replace("[0", "[" + "0," * 50_000 + "0", 1).encode(),
        good.replace('"version": ', '"version": 9', 1).encode(),
        good.replace(":", ": " + "-" * 100, 1).encode(),
        good.replace('"learner": "', '"learner": "os.system', 1).encode(),
        json.dumps(dict.fromkeys(json.loads(good), random.choice(ODD_VALUES[:10]))).encode(),
    ))  # fmt: skip
