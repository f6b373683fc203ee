"""Price lists as files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frugaltree.costs import Costs, Group
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, MissingFile

HAND_WRITTEN = """\
delayed = ["chol", "fbs"]
[tests]
age = 1
chol = 5.17
fbs = 3.10
thal = 1.00
[groups.blood]
cost = 2.10
tests = ["chol", "fbs"]
[[errors]]
predicted = "healthy"
actual = "sick"
cost = 1000
[[errors]]
predicted = "sick"
actual = "healthy"
cost = 200
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "costs.toml"


def test_hand_written_file(heart, file):
    file.write_text(HAND_WRITTEN, encoding="utf-8")
    assert Costs.from_toml(file) == Costs.from_toml(str(file)) == heart


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("", Costs()),
        ("errors = 100", Costs(errors=100)),
        ("tests = [1, 2.5]", Costs([1, 2.5])),
        ("[[tests]]\ntest = 3\ncost = 1", Costs({3: 1})),
        ("errors = [[0, 1], [2, 0]]", Costs(errors=[[0, 1], [2, 0]])),
        ("[errors]\nmatrix = [[0, 1], [2, 0]]", Costs(errors=[[0, 1], [2, 0]])),
        (
            "[errors]\nclasses = [true, false]\nmatrix = [[0, 1], [2, 0]]",
            Costs(errors=[[0, 1], [2, 0]], classes=[True, False]),
        ),
        (
            "classes = [0, 1]\n[errors]\nclasses = [0, 1]\nmatrix = [[0, 1], [2, 0]]",
            Costs(errors=[[0, 1], [2, 0]], classes=[0, 1]),
        ),
        (
            "tests = {a = 20, b = 15}\n[groups.g.discounts]\na = 12.0\nb = 9.5",
            Costs({"a": 20, "b": 15}, {"g": Group({"a": 12.0, "b": 9.5})}),
        ),
        ("date = 1992-05-01\nunit = 'CAD'", Costs(date="1992-05-01", unit="CAD")),
        ("default_test_cost = 1\nknown = ['a']", Costs(default_test_cost=1, known=["a"])),
        ("\ufefferrors = 3\r\nunit = 'EUR'\r\n", Costs(errors=3, unit="EUR")),
    ],
)
def test_readable_files(file, text, costs):
    file.write_bytes(text.encode())
    assert Costs.from_toml(file) == costs


def test_written_file(heart, file):
    said = {"unit": "CAD", "date": "1992", "source": "fee\nschedule"}
    costs = replace(heart, errors=[[0, 9], [4, 0]], classes=[1, 2], **said)
    assert (
        costs.to_toml(file)
        == file.read_text(encoding="utf-8")
        == (
            "# Prices in CAD\n"
            "# Prices as of 1992\n"
            "# Source: fee schedule\n"
            'unit = "CAD"\n'
            'source = "fee\\nschedule"\n'
            'date = "1992"\n'
            'delayed = ["chol", "fbs"]\n'
            "\n"
            "[tests]\n"
            "age = 1\n"
            "chol = 5.17\n"
            "fbs = 3.1\n"
            "thal = 1.0\n"
            "\n"
            "[groups.blood]\n"
            "cost = 2.1\n"
            'tests = ["chol", "fbs"]\n'
            "\n"
            "[errors]\n"
            "classes = [1, 2]\n"
            "matrix = [\n"
            "    [0, 9],\n"
            "    [4, 0],\n"
            "]\n"
        )
    )
    assert Costs.from_toml(file) == costs


def test_writing_replaces_the_file_and_leaves_nothing_behind(heart, file):
    file.write_text("old")
    heart.to_toml(file)
    assert [path.name for path in file.parent.iterdir()] == ["costs.toml"]
    assert Costs.from_toml(file) == heart


def test_a_failed_write_keeps_the_old_file(heart, file, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    file.write_text("old")
    monkeypatch.setattr("frugaltree.costs.toml.os.replace", fail)
    with pytest.raises(FrugaltreeError, match="disk full"):
        heart.to_toml(file)
    assert [path.name for path in file.parent.iterdir()] == ["costs.toml"]
    assert file.read_text() == "old"


def test_missing_files(heart, tmp_path):
    path = tmp_path / "nowhere" / "costs.toml"
    with pytest.raises(MissingFile) as caught:
        Costs.from_toml(path)
    assert str(caught.value) == f"the costs file {path} does not exist; check the path."
    with pytest.raises(MissingFile) as caught:
        Costs.from_toml(tmp_path)
    assert str(caught.value) == (
        f"the costs file {tmp_path} is a folder, not a file; check the path."
    )
    with pytest.raises(MissingFile) as caught:
        heart.to_toml(path)
    assert str(caught.value) == (
        f"the folder {path.parent} does not exist; create it to save the costs in it."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "delayd = ['a']",
            "the file has the unknown key 'delayd'; use unit, source, date, default_test_cost, "
            "delayed, known, unavailable, never_ask, first, together, charge_missing, classes, "
            "tests, groups, requires, errors, decisions, waiting, price_if. "
            "Did you mean 'delayed'?",
        ),
        (
            "[tests]\nchol = -1",
            "the price of test 'chol' must be a finite number, 0 or more, but is -1; write a "
            "plain number such as 5.17.",
        ),
        ("groups = 5", "groups must be tables such as [groups.blood], but is 5."),
        (
            "[groups]\nblood = ['a']",
            "group 'blood' must be a table with cost and tests, but is ['a']; write "
            "[groups.blood].",
        ),
        (
            "[groups.blood]\ncosts = 1\ntests = ['a']",
            "group 'blood' has the unknown key 'costs'; use cost, tests, discounts. Did you mean "
            "'cost'?",
        ),
        ("[groups.blood]\ntests = ['a']", "group 'blood' lacks the key 'cost'; add it."),
        (
            "[groups.blood]\ncost = 1\ntests = []",
            "group 'blood': a group needs at least one test, but got []; name its tests.",
        ),
        (
            "[groups.blood]\ncost = 1\ndiscounts = {a = 1}",
            "group 'blood' has discounts beside cost or tests; keep discounts alone, or cost and "
            "tests.",
        ),
        (
            "[groups.blood]\ndiscounts = 5",
            "discounts of group 'blood' must map each test to a number or list the numbers by "
            "position, but is 5; write a mapping such as {'age': 1, 'chol': 5.17}.",
        ),
        (
            "[[errors]]\npredicted = 'a'\ncost = 1",
            "an entry of errors lacks the key 'actual'; add it.",
        ),
        (
            "[[errors]]\npredicted = 'a'\nactuel = 'b'\ncost = 1",
            "an entry of errors has the unknown key 'actuel'; use predicted, actual, cost. Did "
            "you mean 'actual'?",
        ),
        (
            "[[errors]]\npredicted = 'a'\nactual = 'b'\ncost = 1\n" * 2,
            "errors has two entries for ('a', 'b'); keep one of them.",
        ),
        (
            "[[tests]]\ntest = 0\ncost = 1\n" * 2,
            "tests has two entries for 0; keep one of them.",
        ),
        (
            "[errors]\nclasses = ['a']",
            "errors lacks the key 'matrix'; add it, or write [[errors]] entries.",
        ),
        (
            "[errors]\nmatrx = [[0]]",
            "errors has the unknown key 'matrx'; use classes, matrix. Did you mean 'matrix'?",
        ),
        (
            "classes = ['a', 'b']\n[errors]\nclasses = ['b', 'a']\nmatrix = [[0, 1], [2, 0]]",
            "classes is ['a', 'b'] at the top but ['b', 'a'] beside the matrix; keep one of them.",
        ),
    ],
)
def test_complaints_about_a_file(file, text, message):
    file.write_text(text)
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == f"{file}: {message}"


def test_not_toml(file):
    file.write_text("[tests]\nage 1\n")
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == (
        f"{file} is not valid TOML: Expected '=' after a key in a key/value pair (at line 2, "
        "column 5), which is 'age 1'; correct that line."
    )
    file.write_bytes(b"unit = '\xff'")
    with pytest.raises(InvalidCosts) as caught:
        Costs.from_toml(file)
    assert str(caught.value) == f"{file} is not UTF-8 text; save it in that encoding."


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text(f"tests = {'[' * 5000}")
    with pytest.raises(InvalidCosts, match=r"nested too deeply|is not valid TOML"):
        Costs.from_toml(path)


def test_a_class_that_is_a_list_is_refused(tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text("[[errors]]\npredicted = []\nactual = 1\ncost = 5\n")
    with pytest.raises(InvalidCosts, match="a class label must be a bool, int or str"):
        Costs.from_toml(path)
