"""Price lists: files, mutated, and `Costs` with values of every type."""

from __future__ import annotations

import math
import string
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.commands import run_command
from tools.fuzz.drawing import NAMES, NUMBERS, ODD_VALUES, chance, draw_amount, draw_names
from tools.fuzz.invariants import check_fitted, check_kept
from tools.fuzz.judging import demand
from tools.fuzz.versions import CLASSES, learner, make_costs

KEYS = ("tests", "groups", "delayed", "errors", "classes", "default_test_cost", "known",
        "unavailable", "never_ask", "charge_missing", "unit", "source", "date")  # fmt: skip


def run(random: Random, folder: Path) -> str:
    """Read a file or make costs; what is accepted holds together and can be used."""
    if chance(random, 0.4):
        return run_file(random, folder)
    names = draw_names(random, random.randint(1, 5), random.choice((0.0, 0.3)))
    given = draw_costs(random, names)
    for _ in range(random.choice((0, 0, 1, 1, 3))):
        spoil_argument(random, given)
    use(random, make_costs(**given), names, folder)
    return "used"


def run_file(random: Random, folder: Path) -> str:
    """Read a price list that is right, or nearly so."""
    from frugaltree import Costs

    path = folder / "costs.toml"
    text = draw_text(random)
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        text = spoil_text(random, text)
    path.write_bytes(text.encode(random.choice(("utf-8",) * 9 + ("utf-16",)), "surrogatepass"))
    done = run_command(folder, "costs", "check", "costs.toml", *random.choice(([], ["--json"])))
    try:
        costs = Costs.from_toml(path)
    except ValueError:
        demand(done.code != 0, "the command refuses what Python refuses", done.out)
        raise
    demand(done.code == 0, "the command reads what Python reads", done.err)
    use(random, costs, [str(name) for name in costs.tests or ()] or ["a"], folder)
    return "used"


def use(random: Random, costs: Any, names: list[str], folder: Path) -> None:
    """Check what accepted costs say, that they come back from a file, and fit with them."""
    from frugaltree import Costs

    path = folder / "again.toml"
    costs.to_toml(path)
    demand(Costs.from_toml(path) == costs, "costs come back from a file as they were", costs)
    repr(costs)
    for what in (costs.total, costs.ratio, costs.cf, costs.w):
        value = what(names)
        demand(not math.isnan(value) and value >= 0, f"{what.__name__} is an amount", value)
    labels = list(costs.classes or ("no", "yes"))
    decided = (getattr(costs, "decisions", None) or {}).values()
    named = isinstance(costs.errors, dict) or any(isinstance(cost, dict) for cost in decided)
    if costs.classes is None and named and not isinstance(costs.errors, tuple):
        labels = list(costs.error_classes())
    n = random.randint(4, 16)
    y = np.array([labels[i % len(labels)] for i in range(n)])
    import pandas as pd

    X = pd.DataFrame({name: [random.randint(0, 3) for _ in range(n)] for name in names})
    more = {"time_limit": 0.3} if chance(random, 0.3) else {"max_steps": 30}
    model = learner(random.choice(CLASSES), costs, random_state=0, **more).fit(X, y)
    check_fitted(model, X, y)
    check_kept(model, X, folder)


# ------------------------------------------------------------------------------- drawing


def draw_costs(random: Random, names: list[str]) -> dict[str, Any]:
    """Return arguments of `Costs` that fit together."""
    from frugaltree import Group

    tests: Any = {name: draw_amount(random) for name in names}
    given: dict[str, Any] = {"tests": tests}
    if chance(random, 0.5):
        groups = {}
        for g in range(random.randint(1, 3)):
            members = random.sample(names, random.randint(1, len(names)))
            if chance(random, 0.5):
                groups[f"g{g}"] = Group(members, cost=draw_amount(random))
            else:
                discounts = {m: tests[m] * random.choice((0, 0.3, 0.9, 1.0)) for m in members}
                groups[f"g{g}"] = Group(discounts)
        given["groups"] = groups
    for key in ("delayed", "known", "unavailable", "never_ask"):
        if chance(random, 0.15):
            given[key] = random.sample(names, random.randint(0, len(names)))
    style = random.choice(("none", "number", "number", "matrix", "pairs"))
    labels = random.choice((["no", "yes"], [0, 1], ["a", "b", "c"], [True, False]))
    k = len(labels)
    if style == "number":
        given["errors"] = draw_amount(random)
    elif style == "matrix":
        given["errors"] = [
            [0 if i == j else draw_amount(random) for j in range(k)] for i in range(k)
        ]
        given["classes"] = labels
    elif style == "pairs":
        given["errors"] = {
            (a, b): draw_amount(random) for a in labels for b in labels if a is not b
        }
    if chance(random, 0.2):
        given["default_test_cost"] = draw_amount(random)
    if chance(random, 0.2):
        given["unit"] = random.choice(NAMES)
    if chance(random, 0.2):
        given["charge_missing"] = True
    add_decisions(random, given, labels)
    return given


def add_decisions(random: Random, given: dict[str, Any], labels: list[Any]) -> None:
    """Add answers that are no classes to some lists, by draws of their own.

    So what seeds have found before is still drawn.
    """
    own = Random(repr(random.getstate()[1][-9:]))
    if not chance(own, 0.2):
        return
    decisions: dict[Any, Any] = {}
    for name in own.sample(
        ["refer", "watch", "treat", "", 1, "yes"][: own.choice((3, 3, 3, 6))], 2
    ):
        costs = [own.choice((-1, 1, 1)) * draw_amount(own) for _ in labels]
        by_name = dict(zip(labels, costs, strict=True))
        decisions[name] = own.choice((abs(costs[0]), by_name, by_name, costs))
        if chance(own, 0.1):
            decisions[name] = own.choice((*ODD_VALUES, *NUMBERS))
    given["decisions"] = decisions


def spoil_argument(random: Random, given: dict[str, Any]) -> None:
    """Replace an argument, or something in one, by a value of any type."""
    key = random.choice(KEYS)
    value = random.choice((*ODD_VALUES, *NUMBERS))
    inner = given.get(key)
    if isinstance(inner, dict) and inner and chance(random, 0.7):
        inner = dict(inner)
        name = random.choice(list(inner))
        if chance(random, 0.5):
            inner[name] = value
        elif value.__hash__ is not None:
            inner[value] = inner.pop(name)
        given[key] = inner
    elif isinstance(inner, list) and inner and chance(random, 0.7):
        given[key] = [value if chance(random, 0.5) else one for one in inner]
    else:
        given[key] = value


def draw_text(random: Random) -> str:
    """Return a price list as `Costs` writes it, or as a person might."""
    names = draw_names(random, random.randint(1, 4), random.choice((0.0, 0.2)))
    for _ in range(20):
        try:
            return str(make_costs(**draw_costs(random, names)).to_toml())
        except ValueError:
            continue
    return "errors = 5\n[tests]\nage = 1\n"


def spoil_text(random: Random, text: str) -> str:
    """Return a text with a line or some signs changed."""
    lines = text.splitlines(keepends=True) or ["\n"]
    place = random.randrange(len(lines))
    how = random.choice(("drop", "twice", "swap", "sign", "number", "cut", "add"))
    if how == "drop":
        del lines[place]
    elif how == "twice":
        lines.insert(place, lines[place])
    elif how == "swap":
        other = random.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    elif how == "sign":
        at = random.randrange(len(lines[place]) + 1)
        sign = random.choice((*string.printable, "\0", "é", "\ud800"))
        lines[place] = lines[place][:at] + sign + lines[place][at:]
    elif how == "number":
        head = lines[place].partition("=")[0]
        values = ("nan", "inf", "-1", "1e400", "1e308", "-0.0", "true", '"5"', "[]", "{}", "0x1F",
                  "2024-01-01", "1_000", "9" * 400, '""', "[[0,1],[1,0]]", "{a=1}")  # fmt: skip
        lines[place] = f"{head}= {random.choice(values)}\n"
    elif how == "cut":
        lines = lines[:place]
    else:
        lines.insert(place, random.choice((
            "[tests]\n", "[groups.g]\n", "[[errors]]\n", "x = 1\n", "delayed = 5\n",
            "classes = []\n",
            "unit = 5\n", "date = 2024-01-01\n", "date = 12:00:00\n", "errors = 5\n", "[a.b.c]\n",
            "tests = []\n", "[" * 500 + "\n", "x = " + "[" * 3000 + "\n", "charge_missing = 1\n",
        )))  # fmt: skip
    return "".join(lines)
