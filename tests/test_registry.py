"""The table of learners, and everything that takes names from it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import frugaltree
from frugaltree._registry import BY_CLASS, LEARNERS, find_learner
from frugaltree.app.fit import make_learner
from frugaltree.estimators import base, load_class
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.exceptions import FrugaltreeError
from frugaltree.persist import fields, read_schema


@pytest.mark.parametrize("learner", BY_CLASS.values(), ids=BY_CLASS)
def test_a_line_says_what_is_so(learner):
    found = load_class(learner)
    assert found is getattr(frugaltree, learner.class_name)
    assert found.__name__ == learner.class_name
    assert issubclass(found, base.CostSensitiveTree)
    assert issubclass(found, AnytimeTree) == learner.anytime
    assert learner.class_name in frugaltree.__all__
    assert learner.class_name in dir(frugaltree)
    assert type(make_learner(learner.key, None, {}, quiet=True)) is found
    assert fields.LEARNERS[learner.class_name] is found


def test_every_learner_has_a_line():
    folder = Path(base.__file__).parent
    classes = [
        node.name
        for file in sorted(folder.glob("*.py"))
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Classifier")
    ]
    assert sorted(classes) == sorted(BY_CLASS)


def test_the_names_for_type_checkers_are_those_of_the_table():
    tree = ast.parse(Path(frugaltree.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert {*names, "__version__"} == set(frugaltree.__all__)
    modules = {name: names[name] for name in BY_CLASS}
    assert modules == {
        name: f"frugaltree.estimators.{learner.module}" for name, learner in BY_CLASS.items()
    }


def test_the_schema_lists_them():
    assert read_schema()["properties"]["learner"]["enum"] == sorted(BY_CLASS)


def test_an_unknown_one_is_refused_with_the_nearest_match():
    with pytest.raises(FrugaltreeError, match=r"no learner .frugl.; choose .* mean .frugal.\?"):
        find_learner("frugl")
    assert [find_learner(key).key for key in LEARNERS] == [*LEARNERS]


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, frugaltree; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(found.stdout.split())
    assert "frugaltree._registry" in loaded
    assert not loaded & {"numpy", "numba", "sklearn", "polars", "scipy", "joblib", "narwhals"}


def test_no_layer_imports_the_package_by_string():
    """import-linter sees imports only; the package's top and the estimators load lazily."""
    package = Path(frugaltree.__file__).parent
    found = [
        file.relative_to(package).as_posix()
        for file in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__")
        and "frugaltree" in ast.unparse(node)
    ]
    assert set(found) <= {"__init__.py", "estimators/__init__.py"}
