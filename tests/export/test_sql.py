"""The query is run in SQLite and DuckDB, and answers and charges as the learner does."""

from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

from frugaltree import Costs, DTMCClassifier, ID3Classifier
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export import to_sql
from frugaltree.export.sql_words import number
from frugaltree.tree.tree import Tree
from support import odd_trees as trees

KEY = 'the "key"'
ENGINES = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect}
TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE PRECISION", str: "VARCHAR"}


@pytest.fixture(params=ENGINES)
def database(request):
    connection = ENGINES[request.param](":memory:")
    yield connection
    connection.close()


def quoted(name):
    return '"{}"'.format(name.replace('"', '""'))


def fill(database, rows, table="cases"):
    """Make a table of cases, with a key."""
    names = list(rows[0])
    kinds = [
        next((TYPES[type(row[n])] for row in rows if row[n] is not None), "VARCHAR") for n in names
    ]
    columns = ", ".join(f"{quoted(n)} {kind}" for n, kind in zip(names, kinds, strict=True))
    database.execute(f"CREATE TABLE {quoted(table)} ({quoted(KEY)} BIGINT, {columns})")
    marks = ", ".join("?" * (len(names) + 1))
    records = [[i, *row.values()] for i, row in enumerate(rows)]
    database.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", records)


def asked(database, query):
    """Return the answers and bills in the order of the keys."""
    return [row[-2:] for row in sorted(database.execute(query).fetchall(), key=lambda r: r[0])]


@pytest.mark.parametrize("name", [*trees.SMALL, *trees.LARGE])
def test_it_answers_and_charges_as_the_learner(database, name):
    case = trees.get(name)
    fill(database, case.rows)
    query = to_sql(case.estimator, key=KEY)
    assert asked(database, query) == case.outcomes
    assert len(query) < 1_000_000  # the longest that SQLite takes
    assert database.execute("SELECT COUNT(*) FROM cases").fetchone() == (len(case.rows),)


def test_without_a_key_all_columns_are_kept(database):
    case = trees.get("heart-Frugal")
    fill(database, case.rows[:5])
    rows = database.execute(to_sql(case.estimator)).fetchall()
    assert sorted(rows) == [
        (i, *row.values(), *outcome)
        for i, (row, outcome) in enumerate(zip(case.rows[:5], case.outcomes, strict=False))
    ]


def test_names_of_tables_are_only_names(database):
    case = trees.get("leaf")
    for table in (trees.DROP, trees.SCRIPT, "it's\n", "select"):
        fill(database, case.rows, table)
        assert asked(database, to_sql(case.estimator, table, KEY)) == case.outcomes


def test_a_column_that_is_not_there_is_an_error_not_text(database):
    database.execute("CREATE TABLE cases (other DOUBLE PRECISION)")
    database.execute("INSERT INTO cases VALUES (1)")
    with pytest.raises((sqlite3.OperationalError, duckdb.BinderException)):
        database.execute(to_sql(ID3Classifier().fit([[1], [2]], [0, 1])))


def test_enumerations_of_duckdb():
    case = trees.get("heart-ACT")
    rows = [row for row in case.rows if "never seen" not in row.values()]
    X = pd.DataFrame(rows).astype({"cp": "category", "thal": "category"})
    X.insert(0, KEY, range(len(X)))
    with duckdb.connect() as database:
        database.register("cases", X)
        got = asked(database, to_sql(case.estimator, key=KEY))
    assert got == [o for row, o in zip(case.rows, case.outcomes, strict=True) if row in rows]


def test_numbers_are_read_as_they_are(database):
    random = np.random.default_rng(0)
    numbers = [*random.random(2000), *np.round(random.random(500) * 1e4, 2), 0.0, 1e22, 5e300]
    numbers += [468329.3019784106, 98.5096002454952, -2.3499999999999996, 1e-7]
    numbers += [5.9000000000000005e-300, 5e-324, -1.072629979386782e-305, 2.3e-285, 1e-270]
    numbers += [x * 10.0**-e for e in range(275, 308) for x in random.random(30)]
    for start in range(0, len(numbers), 500):
        some = [float(x) for x in numbers[start : start + 500]]
        query = f"SELECT {', '.join(map(number, some))}"
        assert list(database.execute(query).fetchone()) == some


def ordinal_tree(threshold):
    """Return a learner whose tree cuts an order of three at a place, which may be its end."""
    sizes = pd.Categorical(["S", "M", "L", "L"], categories=["S", "M", "L"], ordered=True)
    learner = ID3Classifier(Costs([4])).fit(pd.DataFrame({"size": sizes}), ["a", "a", "b", "b"])
    data = learner.tree_.to_dict()
    data["threshold"][0] = threshold
    learner.tree_ = Tree.from_dict(data)
    return learner


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.5, 2.0])
def test_values_without_a_place_in_an_order_are_missing(database, threshold):
    rows = [{"size": size} for size in ("S", "M", "L", "XL", None)]
    case = trees.tried(ordinal_tree(threshold), rows)
    fill(database, rows)
    assert asked(database, to_sql(case.estimator, key=KEY)) == case.outcomes


def odd_tree():
    """Return a learner whose tree asks one question twice, and leaves an end of a number open."""
    X = pd.DataFrame({"a": ["u", "v", "u", "v"], "x": [1.0, 1.0, 2.0, 2.0]})
    learner = ID3Classifier(Costs([4, 5])).fit(X, [0, 1, 2, 3])
    data = learner.tree_.to_dict()
    test, threshold = [0, 0, 1, None, None, None], [None, None, 1.5, None, None, None]
    children = [[1, 5], [2, 4], [3, None], [], [], []]
    data |= {"test": test, "threshold": threshold, "children": children}
    data["labels"], data["counts"] = [0, 1, 2, 3, 0, 1], [[1.0, 1, 1, 1]] * 6
    learner.tree_ = Tree.from_dict(data)
    return learner


def test_trees_that_no_learner_makes(database, monkeypatch):
    rows = [{"a": a, "x": x} for a in ("u", "v", "w", None) for x in (1.0, 2.0, None)]
    case = trees.tried(odd_tree(), rows)
    fill(database, rows)
    assert asked(database, to_sql(case.estimator, key=KEY)) == case.outcomes
    monkeypatch.setattr("frugaltree.export.sql.DEEPEST", 1)
    assert asked(database, to_sql(case.estimator, key=KEY)) == case.outcomes


@pytest.mark.parametrize("name", ["heart-EG2", "mixed-ID3", "nasty-EG2"])
def test_pieces_of_a_tree_give_what_the_whole_gives(database, name, monkeypatch):
    case = trees.get(name)
    fill(database, case.rows)
    for deepest in (1, 3):
        monkeypatch.setattr("frugaltree.export.sql.DEEPEST", deepest)
        assert asked(database, to_sql(case.estimator, key=KEY)) == case.outcomes


def test_only_the_c45_family_says_that_it_needs_complete_cases():
    assert to_sql(trees.get("heart-C45").estimator).startswith("-- Exact for cases without")
    assert "--" not in to_sql(trees.get("heart-ACT").estimator)


def test_without_prices_nothing_is_charged(database):
    case = trees.tried(DTMCClassifier().fit([[1], [2]] * 9, [0, 1] * 9), [{"x0": 2}])
    fill(database, case.rows)
    assert asked(database, to_sql(case.estimator, key=KEY)) == [(1, 0.0)]


@pytest.mark.parametrize("options", [{"table": ""}, {"table": 3}, {"key": ""}, {"key": ["id"]}])
def test_what_is_no_name_is_refused(options):
    with pytest.raises(FrugaltreeError, match=f"{next(iter(options))} must be a name, but is "):
        to_sql(trees.get("leaf").estimator, **options)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_characters_that_sql_cannot_hold_are_refused(text):
    learner = ID3Classifier().fit(np.array([[text], ["b"]], object), [0, 1])
    with pytest.raises(FrugaltreeError, match="holds a character that SQL cannot hold; rename"):
        to_sql(learner)
