"""Costs in a file that people write by hand.

The sections are those of `Costs`. Tests by name are the keys of a table; tests by position are a
plain list, or ``[[tests]]`` tables with ``test`` and ``cost`` where some positions are left out.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

from frugaltree.costs.checks import Test, check_prices, plain_label, repeated
from frugaltree.costs.conditions import from_entries, price_if_data
from frugaltree.costs.group import Group
from frugaltree.costs.mending import load_mended, quoted_line, read_amounts
from frugaltree.exceptions import InvalidCosts, MissingFile, did_you_mean
from frugaltree.files import write_at_once

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Item, Table

    from frugaltree.costs.decisions import Decisions
    from frugaltree.costs.house_rules import Requires
    from frugaltree.costs.model import Costs

PLAIN_KEYS = (
    "unit", "source", "date", "default_test_cost",
    "delayed", "known", "unavailable", "never_ask", "first", "together", "charge_missing",
    "classes",
)  # fmt: skip
TABLES = ("tests", "groups", "requires", "errors", "decisions", "waiting", "price_if")
_DISCOUNT = "the discount of test"


def read(path: str | os.PathLike[str]) -> Costs:
    """Return the costs in a file; every complaint starts with its path."""
    text = _read_text(Path(path))
    try:
        return parse(load_mended(text))
    except tomllib.TOMLDecodeError as error:
        line = quoted_line(text, error)
        raise InvalidCosts(
            f"{path} is not valid TOML: {error}{line}; correct that line."
        ) from None
    except RecursionError:
        raise InvalidCosts(f"{path} is nested too deeply; write a plain price list.") from None
    except InvalidCosts as error:
        raise InvalidCosts(f"{path}: {error}") from None


def _read_text(path: Path) -> str:
    """Return the text of a file, with or without the mark some editors put in front."""
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise MissingFile(f"the costs file {path} {what}; check the path.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidCosts(f"{path} is not UTF-8 text; save it in that encoding.") from None


def parse(data: Mapping[str, Any]) -> Costs:
    r"""Return the costs that a TOML document describes.

    >>> import tomllib
    >>> parse(tomllib.loads("errors = 9\ntests = {age = 1, chol = 5.17}"))
    Costs(tests={'age': 1, 'chol': 5.17}, errors=9)
    """
    from frugaltree.costs.model import Costs

    data = read_amounts(data)
    _check_keys(data, (*PLAIN_KEYS, *TABLES), "the file")
    given = {key: data[key] for key in PLAIN_KEYS if key in data}
    if "tests" in data:
        given["tests"] = _parse_tests(data["tests"], "tests")
    if "groups" in data:
        given["groups"] = _parse_groups(data["groups"])
    if "requires" in data:
        given["requires"] = _parse_requires(data["requires"])
    if "errors" in data:
        given |= _parse_errors(data["errors"], given.get("classes"))
    if "decisions" in data:
        given["decisions"] = _parse_decisions(data["decisions"])
    if "price_if" in data:
        given["price_if"] = _parse_price_if(data["price_if"])
    if "waiting" in data:
        from frugaltree.costs.waiting_toml import parse_waiting

        given["waiting"] = parse_waiting(data["waiting"])
    return Costs(**given)


def _check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a key that means nothing, before it is silently left out."""
    for key in table:
        if key not in known:
            raise InvalidCosts(
                f"{where} has the unknown key {key!r}; use {', '.join(known)}."
                f"{did_you_mean(key, known)}"
            )


def _require(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> list[Any]:
    """Return the values of ``keys``, all of them and no others."""
    _check_keys(table, keys, where)
    for key in keys:
        if key not in table:
            raise InvalidCosts(f"{where} lacks the key {key!r}; add it.")
    return [table[key] for key in keys]


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _parse_tests(prices: Any, where: str) -> Any:
    """Return prices by test; anything but ``[[tests]]`` tables is for `Costs` to judge."""
    if not _are_tables(prices):
        return prices
    pairs = [_require(table, ("test", "cost"), f"an entry of {where}") for table in prices]
    _check_twice([test for test, _ in pairs], where)
    return dict(pairs)


def _check_twice(keys: list[Any], where: str) -> None:
    if twice := repeated(keys):
        raise InvalidCosts(f"{where} has two entries for {twice[0]!r}; keep one of them.")


def _parse_groups(groups: object) -> dict[str, Group]:
    """Return the groups, each complaint with the name of its group."""
    if not isinstance(groups, dict):
        raise InvalidCosts(
            f"groups must be tables such as [groups.blood], but is {shortened(groups)}."
        )
    return {name: _parse_group(name, table) for name, table in groups.items()}


def _parse_group(name: str, table: object) -> Group:
    """Return one group, from ``tests`` and ``cost`` or from ``discounts``."""
    where = f"group {name!r}"
    if not isinstance(table, dict):
        raise InvalidCosts(
            f"{where} must be a table with cost and tests, but is {shortened(table)}; "
            f"write [groups.{name}]."
        )
    _check_keys(table, ("cost", "tests", "discounts"), where)
    if "discounts" not in table:
        tests, cost = _require(table, ("tests", "cost"), where)
    elif len(table) > 1:
        raise InvalidCosts(
            f"{where} has discounts beside cost or tests; keep discounts alone, or cost and tests."
        )
    else:
        where = f"discounts of {where}"
        tests = check_prices(_parse_tests(table["discounts"], where), where, _DISCOUNT)
        cost = None
    try:
        return Group(tests, cost)
    except InvalidCosts as error:
        raise InvalidCosts(f"{where}: {error}") from None


def _parse_requires(requires: Any) -> Any:
    """Return, by test, what it requires, from a table or from ``[[requires]]`` entries."""
    if not _are_tables(requires):
        return requires
    pairs = [_require(table, ("test", "tests"), "an entry of requires") for table in requires]
    _check_twice([test for test, _ in pairs], "requires")
    return dict(pairs)


def _parse_errors(errors: Any, classes: object) -> dict[str, Any]:
    """Return ``errors``, and ``classes`` where they stand beside the matrix."""
    if _are_tables(errors):
        keys = ("predicted", "actual", "cost")
        entries = [_require(table, keys, "an entry of errors") for table in errors]
        pairs = [(plain_label(predicted), plain_label(actual)) for predicted, actual, _ in entries]
        _check_twice(pairs, "errors")
        return {"errors": dict(zip(pairs, [cost for *_, cost in entries], strict=True))}
    if not isinstance(errors, dict):
        return {"errors": errors}
    _check_keys(errors, ("classes", "matrix"), "errors")
    if "matrix" not in errors:
        raise InvalidCosts("errors lacks the key 'matrix'; add it, or write [[errors]] entries.")
    if "classes" not in errors:
        return {"errors": errors["matrix"]}
    if classes is not None and classes != errors["classes"]:
        raise InvalidCosts(
            f"classes is {classes!r} at the top but {errors['classes']!r} beside the matrix; "
            "keep one of them."
        )
    return {"errors": errors["matrix"], "classes": errors["classes"]}


def _parse_decisions(decisions: Any) -> Any:
    """Return decisions from a table, or from ``[[decisions]]`` entries, one for each cost."""
    if not _are_tables(decisions):
        return decisions
    found: dict[Any, Any] = {}
    for entry in decisions:
        keys = ("decision", "actual", "cost") if "actual" in entry else ("decision", "cost")
        name, *actual, cost = _require(entry, keys, "an entry of decisions")
        before = found.setdefault(name, {}) if isinstance(name, str) and actual else None
        repeats = name in found if before is None else not isinstance(before, dict)
        if repeats or (before is not None and plain_label(actual[0]) in before):
            raise InvalidCosts(f"decisions has two entries for {name!r}; keep one of them.")
        if before is None:
            found[name] = cost
        else:
            before[plain_label(actual[0])] = cost
    return found


def _parse_price_if(price_if: Any) -> Any:
    """Return prices that depend on other tests, from tables or from ``[[price_if]]`` entries."""
    if not _are_tables(price_if):
        return price_if
    keys = ("test", "on", "value", "cost")
    return from_entries(_require(entry, keys, "an entry of price_if") for entry in price_if)


def write(costs: Costs, path: str | os.PathLike[str] | None = None) -> str:
    """Return the costs as TOML, and put them into a file if ``path`` is given."""
    text = render(as_data(costs))
    if path is not None:
        write_at_once(path, text.encode(), "the costs")
    return text


def as_data(costs: Costs) -> dict[str, Any]:
    """Return the costs as nested tables of plain values, which `parse` turns back into costs."""
    data = {key: _plain(getattr(costs, key)) for key in PLAIN_KEYS}
    data = {key: value for key, value in data.items() if not _is_unsaid(value)}
    if costs.tests is not None:
        data["tests"] = _tests_data(costs.tests)
    if costs.groups:
        data["groups"] = {name: _group_data(group) for name, group in costs.groups.items()}
    if costs.requires:
        data["requires"] = _requires_data(costs.requires)
    if isinstance(costs.errors, tuple):
        beside = {"classes": data.pop("classes")} if costs.classes is not None else {}
        data["errors"] = beside | {"matrix": _plain(costs.errors)}
    elif isinstance(costs.errors, dict):
        data["errors"] = [
            {"predicted": predicted, "actual": actual, "cost": cost}
            for (predicted, actual), cost in costs.errors.items()
        ]
    elif costs.errors is not None:
        data["errors"] = costs.errors
    if costs.decisions is not None:
        data["decisions"] = _decisions_data(costs.decisions)
    if costs.price_if:
        data["price_if"] = price_if_data(costs.price_if)
    if costs.waiting is not None:
        from frugaltree.costs.waiting_toml import waiting_data

        data["waiting"] = waiting_data(costs.waiting)
    return data


def _is_unsaid(value: Any) -> bool:
    """Tell whether a value is the one that stands where nothing is said; a price of 0 is not."""
    return value is None or value is False or value == []


def _plain(value: Any) -> Any:
    """Return tuples as the lists that TOML has."""
    return [_plain(element) for element in value] if isinstance(value, tuple) else value


def _tests_data(prices: dict[Test, float], what: str = "cost") -> Any:
    """Return prices as a table by name, a list by position, or entries where neither will do."""
    if all(isinstance(key, str) for key in prices):
        return dict(prices)
    if list(prices) == list(range(len(prices))):
        return list(prices.values())
    return [{"test": key, what: cost} for key, cost in prices.items()]


def _requires_data(requires: Requires) -> Any:
    """Return rules as a table by name, or as entries where a test goes by its position."""
    if all(isinstance(test, str) for test in requires):
        return {test: list(needed) for test, needed in requires.items()}
    return [{"test": test, "tests": list(needed)} for test, needed in requires.items()]


def _decisions_data(decisions: Decisions) -> Any:
    """Return decisions as a table by name, or as entries where that would lose something.

    Keys of a table are text, and in a file what is a table itself comes last.
    """
    nested = [isinstance(cost, dict) for cost in decisions.values()]
    named = all(
        isinstance(label, str)
        for cost in decisions.values()
        if isinstance(cost, dict)
        for label in cost
    )
    if named and nested == sorted(nested):
        return {name: _plain(cost) for name, cost in decisions.items()}
    entries = []
    for name, cost in decisions.items():
        if isinstance(cost, dict):
            entries += [{"decision": name, "actual": c, "cost": one} for c, one in cost.items()]
        else:
            entries.append({"decision": name, "cost": _plain(cost)})
    return entries


def _group_data(group: Group) -> dict[str, Any]:
    if isinstance(group.tests, dict):
        return {"discounts": _tests_data(group.tests)}
    return {"cost": group.cost, "tests": list(group.tests)}


def render(data: Mapping[str, Any]) -> str:
    """Return TOML text, headed by comments that say what the prices are.

    >>> print(render({"unit": "CAD", "tests": {"age": 1, "chol": 5.17}}))
    # Prices in CAD
    unit = "CAD"
    <BLANKLINE>
    [tests]
    age = 1
    chol = 5.17
    <BLANKLINE>
    """
    import tomlkit

    document = tomlkit.document()
    heads = {"unit": "Prices in", "date": "Prices as of", "source": "Source:"}
    for key, words in heads.items():
        if text := _printable(data.get(key, "")):
            document.add(tomlkit.comment(f"{words} {text}"))
    _fill(document, data)
    return tomlkit.dumps(document)


def _printable(text: str) -> str:
    """Return text that fits a comment: one line, no control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _fill(table: Table | TOMLDocument, data: Mapping[str, Any]) -> None:
    """Add values first and tables last, for TOML reads what follows a table as part of it."""
    for key in sorted(data, key=lambda key: isinstance(data[key], dict) or _are_tables(data[key])):
        table.add(key, _item(data[key]))


def _item(value: Any) -> Item:
    """Return a TOML value; a matrix takes a line for each row, a long list several lines."""
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.table()
        _fill(table, value)
        return table
    if not isinstance(value, list) or _are_tables(value):
        item: Item = tomlkit.item(value)
        return item
    is_matrix = any(isinstance(element, list) for element in value)
    per_line = 1 if is_matrix else 10
    array = tomlkit.array()
    if len(value) <= per_line and not is_matrix:
        array.extend(value)
        return array
    for start in range(0, len(value), per_line):
        array.add_line(*value[start : start + per_line])
    array.add_line(indent="")
    return array
