"""Learners of one's own: found by name or given as estimators, charged fairly, mistakes told."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from frugaltree import ACTClassifier, Costs, Group
from frugaltree.compare import compare
from frugaltree.compare.learners import find, limit_time, split_names
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError

MODULE = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Stump(ClassifierMixin, BaseEstimator):
    '''Answers by the first column alone, which is all it pays for.'''

    def __init__(self, costs=None, threshold=0.5):
        if threshold == "high":
            raise ValueError("threshold must be a number.")
        self.costs = costs
        self.threshold = threshold

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        assert self.costs is not None
        return self

    def predict(self, X):
        first = np.asarray(X)[:, 0].astype(float)
        return self.classes_[(first > self.threshold).astype(int)]

    def bill(self, X, costs):
        return np.full(len(X), costs.tests["a"])


class Shape:
    pass
"""


class Constant(ClassifierMixin, BaseEstimator):
    """Always gives the same answer, and remembers what it was given."""

    def __init__(self, answer=0, random_state=None):
        self.answer = answer
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.width_ = X.shape[1]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


class NarrowConstant(Constant):
    """Insists on a table of one column."""

    def fit(self, X, y):
        assert X.shape[1] == 1
        return super().fit(X, y)


X = pl.DataFrame({"a": [0, 1] * 10, "b": range(20)})
Y = [0, 1] * 10
COSTS = Costs({"a": 3, "b": 5}, {"g": Group(["a", "b"], cost=2)}, errors=100)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a working directory with a module in it, of a name that no other test has."""
    name = f"mine_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / f"broken_{name}.py").write_text("import no_such_library")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return name


def test_a_class_of_the_working_directory(folder):
    name = f"{folder}:Stump(threshold=0.4)"
    own, dtmc = compare(X, Y, COSTS, [name, "dtmc"], folds=2).standings
    assert own.learner == name
    assert own.title == f"{folder}:Stump (threshold=0.4)"
    assert (own.test_cost, own.error_cost, own.accuracy) == (3, 0, 100)  # its own bill
    assert dtmc.test_cost == 5  # the group's 2 with the first member


def test_what_a_class_sees_depends_on_whether_it_takes_costs(folder):
    assert find(f"{folder}:Stump").sees == "all"
    tree = find("sklearn.tree:DecisionTreeClassifier(max_depth=2)")
    assert (tree.sees, tree.draws, tree.timed) == ("nothing", True, False)
    assert limit_time(f"{folder}:Stump", "2s") == f"{folder}:Stump"


def test_without_a_bill_all_tests_are_charged():
    name = "sklearn.tree:DecisionTreeClassifier(max_depth=1)"
    (own,) = compare(X, Y, COSTS, [name], folds=2).standings
    assert (own.test_cost, own.accuracy) == (COSTS.total(["a", "b"]), 100)
    assert COSTS.total(["a", "b"]) == 10


def test_estimators_under_names():
    tree = DecisionTreeClassifier(max_depth=1)
    learners = {
        "my tree": make_pipeline(StandardScaler(), tree),
        "act": ACTClassifier(n_samples=3),
        "act as it is": "act(n_samples=3)",
    }
    found = compare(X, Y, COSTS, learners, folds=2)
    totals = {one.title: one.total for one in found.standings}
    assert totals == {"ACT": 5, "act as it is": 5, "my tree": 10}
    assert not hasattr(tree, "tree_")  # a copy was trained
    assert ACTClassifier(n_samples=3).costs is None


def test_an_estimator_is_seeded_unless_it_has_a_seed():
    from frugaltree.compare.custom import prepare

    assert prepare(Constant(), COSTS, 7).random_state == 7
    assert prepare(Constant(random_state=3), COSTS, 7).random_state == 3
    assert prepare(ACTClassifier(), COSTS, 7).costs is COSTS


def test_tests_that_cannot_be_taken_are_not_shown():
    costs = Costs({"a": 3, "b": 5}, errors=100, unavailable=["b"])
    (own,) = compare(X, Y, costs, {"own": NarrowConstant()}, folds=2).standings
    assert own.test_cost == 3
    (own,) = compare(X.to_numpy(), Y, Costs([3, 5], errors=9, unavailable=[1]),
                     {"own": NarrowConstant()}, folds=2).standings  # fmt: skip
    assert own.test_cost == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:Tree", "there is no module 'no_such_module', neither installed nor in "),
        ("sklearn.no_such_part:Tree", "there is no module 'sklearn.no_such_part'"),
        (
            "broken_{}:Tree",
            r"cannot be imported \(ModuleNotFoundError: No module named 'no_such",
        ),
        ("{}:Stumpf", r"has no class 'Stumpf'. Did you mean 'Stump'\?"),
        ("{}:np", "has no class 'np'"),
        ("{}:Shape", "Shape is no scikit-learn classifier, but a Shape; give one with fit"),
        ("sklearn.linear_model:LinearRegression", "no scikit-learn classifier, but a LinearReg"),
        ("{}:Stump(depth=3)", r"cannot be constructed \(TypeError: .*'depth'\)"),
        ("{}:Stump(threshold=high)", r"\(ValueError: threshold must be a number\)\."),
        ("{}:Stump(3)", "cannot be read; write them as in act"),
        ("stump", "or name a class of your own as in module:Class"),
    ],
)
def test_mistakes_in_a_name_are_one_sentence(folder, name, said):
    with pytest.raises(FrugaltreeError, match=said) as error:
        compare(X, Y, COSTS, [name.format(folder)], folds=2)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("learners", "said"),
    [
        ({"mine": LinearRegression()}, "mine is no scikit-learn classifier, but a LinearRegress"),
        ({"mine": DecisionTreeClassifier}, "but the class DecisionTreeClassifier"),
        ({"mine": 3}, "mine is no scikit-learn classifier, but a int"),
        ([DecisionTreeClassifier()], "DecisionTreeClassifier has no name; give estimators under"),
        ("act", r"learners must be a list of names, such as \['act'\]"),
        ({}, "no learner to compare"),
        ({"mine": Constant(answer=9)}, r"fold 0 \(ValueError: it predicts 9, which is no class"),
    ],
)
def test_mistakes_in_estimators_are_one_sentence(learners, said):
    with pytest.raises(FrugaltreeError, match=said):
        compare(X, Y, COSTS, learners, folds=2)


def test_a_learner_that_fails_is_named():
    words = X.with_columns(pl.lit("red").alias("c"))
    costs = Costs(default_test_cost=1, errors=10)
    with pytest.raises(FrugaltreeError, match=r"mine failed on fold 0 \(ValueE.*encode text"):
        compare(words, Y, costs, {"mine": DecisionTreeClassifier()}, folds=2)


def test_names_are_split_outside_brackets_and_quotes():
    assert split_names("a:B(x=(1,2),y=[3,4]),act") == ["a:B(x=(1,2),y=[3,4])", "act"]
    assert split_names("a:B(sep=','),act") == ["a:B(sep=',')", "act"]


def test_the_command_line_imports_from_its_folder(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE.replace('tests["a"]', 'tests["age"]'))
    load("heart").select("age", "chol", "class").write_csv(tmp_path / "heart.csv")
    prices = load_costs("heart", errors=500, delayed=False).tests
    Costs({name: prices[name] for name in ("age", "chol")}, errors=500).to_toml(
        tmp_path / "heart.costs.toml"
    )
    learners = "dtmc,mine:Stump(threshold=55),sklearn.tree:DecisionTreeClassifier(max_depth=2)"
    command = [sys.executable, "-m", "frugaltree.app.cli", "compare", "heart.csv", "-t", "class"]
    done = subprocess.run(
        [*command, "-l", learners, "-k", "2", "-j", "2"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "mine:Stump (threshold=55)" in done.stdout
