from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frugaltree.datasets import info, load, make_xor, names
from frugaltree.datasets.frames import FrameKind
from frugaltree.exceptions import FrugaltreeError

# Rows and number of (nominal, numeric) tests, as in the sources' own description.
SHAPES = {
    "breast-cancer": (277, 9, 0),
    "bupa": (345, 0, 5),
    "car": (1728, 6, 0),
    "flare": (323, 10, 0),
    "glass": (214, 0, 9),
    "heart": (297, 8, 5),
    "hepatitis": (154, 13, 6),
    "iris": (150, 0, 4),
    "krk": (28056, 6, 0),
    "monks-1": (124 + 432, 6, 0),
    "monks-2": (169 + 432, 6, 0),
    "monks-3": (122 + 432, 6, 0),
    "multi-and-or": (200, 11, 0),
    "multi-xor": (200, 11, 0),
    "multiplexer-20": (615, 20, 0),
    "nursery": (12960, 8, 0),
    "pima": (768, 0, 8),
    "tae": (151, 4, 1),
    "thyroid": (3772, 15, 5),
    "tic-tac-toe": (958, 9, 0),
    "titanic": (2201, 3, 0),
    "voting": (232, 16, 0),
    "wine": (178, 0, 13),
    "xor-3d": (200, 0, 6),
    "xor-5": (200, 10, 0),
}
# Cases of each class, in the order of the labels; a generated table must not drift either.
CLASSES = {
    "breast-cancer": [196, 81],
    "bupa": [169, 176],
    "car": [1210, 384, 69, 65],
    "flare": [291, 24, 6, 2],
    "glass": [70, 76, 17, 13, 9, 29],
    "heart": [160, 137],
    "hepatitis": [32, 122],
    "iris": [50, 50, 50],
    "krk": [2796, 27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553,
            2166, 390],
    "monks-1": [278, 278],
    "monks-2": [395, 206],
    "monks-3": [266, 288],
    "nursery": [4320, 2, 328, 4266, 4044],
    "pima": [500, 268],
    "tae": [49, 50, 52],
    "thyroid": [95, 198, 3479],
    "tic-tac-toe": [332, 626],
    "titanic": [1490, 711],
    "voting": [124, 108],
    "wine": [59, 71, 48],
    "xor-5": [94, 106],
    "xor-3d": [101, 99],
    "multiplexer-20": [318, 297],
    "multi-xor": [101, 99],
    "multi-and-or": [95, 105],
}  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_shape(name: str) -> None:
    table = load(name)
    tests = [dtype for column, dtype in table.schema.items() if column != "class"]
    nominal = sum(isinstance(dtype, pl.Enum) for dtype in tests)
    assert (table.height, nominal, len(tests) - nominal) == SHAPES[name]
    assert table.columns == [*info(name).tests, "class"]
    assert info(name).rows == table.height


@pytest.mark.parametrize("name", CLASSES)
def test_class_counts(name: str) -> None:
    counts = load(name)["class"].value_counts().sort("class")
    assert counts["class"].to_list() == list(info(name).classes)
    assert counts["count"].to_list() == CLASSES[name]


@pytest.mark.parametrize("name", names())
def test_every_value_occurs_and_is_clean(name: str) -> None:
    for column in load(name):
        if isinstance(column.dtype, pl.Enum):
            values = column.dtype.categories.to_list()
            assert set(column.drop_nulls().unique()) == set(values)
            assert all(value and value == value.strip() for value in values)
        else:
            assert column.dtype in (pl.Int64, pl.Float64)
            assert column.drop_nulls().is_finite().all()


@pytest.mark.parametrize("name", names())
def test_only_hepatitis_has_gaps(name: str) -> None:
    gaps = load(name).null_count().sum_horizontal().item()
    assert gaps == (153 if name == "hepatitis" else 0)
    assert load(name, imputed=True).null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("name", ["heart", "hepatitis", "iris", "xor-3d"])
def test_pandas_holds_the_same(name: str) -> None:
    ref, got = load(name), load(name, frame="pandas")
    assert isinstance(got, pd.DataFrame)
    for column in ref:
        if isinstance(column.dtype, pl.Enum):
            assert isinstance(got[column.name].dtype, pd.CategoricalDtype)
            assert not got[column.name].cat.ordered
            assert list(got[column.name].cat.categories) == column.dtype.categories.to_list()
        else:
            assert got[column.name].dtype == column.dtype.to_python()
        values = got[column.name].astype(object)
        assert values.where(values.notna(), None).tolist() == column.to_list()


@pytest.mark.parametrize("name", ["heart", "hepatitis", "iris", "xor-3d"])
def test_arrow_holds_the_same(name: str) -> None:
    ref, got = load(name), load(name, frame="arrow")
    assert isinstance(got, pa.Table)
    for column in ref:
        kind = got.schema.field(column.name).type
        if isinstance(column.dtype, pl.Enum):
            assert kind == pa.dictionary(pa.int32(), pa.string(), ordered=False)
            dictionary = got[column.name].combine_chunks().dictionary
            assert dictionary.to_pylist() == column.dtype.categories.to_list()
        else:
            assert kind in (pa.int64(), pa.float64())
        assert got[column.name].to_pylist() == column.to_list()


@pytest.mark.parametrize("frame", ["polars", "pandas", "arrow"])
def test_tests_and_class_apart(frame: str) -> None:
    X, y = load("heart", return_X_y=True, frame=frame)
    assert X.shape == (297, 13)
    assert np.asarray(y).tolist() == load("heart")["class"].to_list()


def test_the_first_heart_case_reads_as_documented() -> None:
    assert load("heart").row(0, named=True) == {
        "age": 63, "sex": "male", "cp": "typical angina", "trestbps": 145, "chol": 233,
        "fbs": "yes", "restecg": "LV hypertrophy", "thalach": 150, "exang": "no", "oldpeak": 2.3,
        "slope": "down", "ca": "0", "thal": "fixed defect", "class": "healthy",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rule", "wrong"),
    [
        ("monks-1", (pl.col.a1.cast(str) == pl.col.a2.cast(str)) | (pl.col.a5 == "1"), 0),
        ("monks-2", pl.sum_horizontal(pl.col(r"^a\d$") == "1") == 2, 0),
        (
            "monks-3",
            ((pl.col.a5 == "3") & (pl.col.a4 == "1")) | ((pl.col.a5 != "4") & (pl.col.a2 != "3")),
            6,
        ),
    ],
)
def test_monks_follow_their_rule(name: str, rule: pl.Expr, wrong: int) -> None:
    def misfits(split: str) -> int:
        table = load(name, split=split)
        return int((table.select(rule).to_series() != (table["class"] == "yes")).sum())

    assert (misfits("train"), misfits("test")) == (wrong, 0)


def test_monks_parts_make_the_whole() -> None:
    parts = [load("monks-2", split=split) for split in ("train", "test")]
    assert [part.height for part in parts] == [169, 432]
    assert pl.concat(parts).equals(load("monks-2"))


def test_tic_tac_toe_is_positive_where_x_has_won() -> None:
    rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    lines = [*rows, *zip(*rows, strict=True), (0, 4, 8), (2, 4, 6)]
    for *board, label in load("tic-tac-toe").rows():
        won = any(all(board[cell] == "x" for cell in line) for line in lines)
        assert label == ("positive" if won else "negative")


@pytest.mark.parametrize(
    "name", ["multiplexer-20", "xor-5", "multi-xor", "multi-and-or", "xor-3d"]
)
def test_generated_tables_are_the_same_every_time(name: str) -> None:
    assert load(name).equals(load(name))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"name": "iriss"},
            "there is no data set 'iriss'; names() lists the 25 that there are. "
            "Did you mean 'iris'?",
        ),
        (
            {"name": ["a"]},
            "there is no data set ['a']; names() lists the 25 that there are.",
        ),
        (
            {"name": "monks-1", "split": ["test"]},
            "data set 'monks-1' has no part ['test']; split must be one of 'all', 'train', "
            "'test'. Did you mean 'test'?",
        ),
        (
            {"name": "iris", "frame": "panda"},
            "frame must be 'polars', 'pandas' or 'arrow', not 'panda'. Did you mean 'pandas'?",
        ),
        (
            {"name": "iris", "split": "train"},
            "data set 'iris' has no part 'train'; split must be one of 'all'.",
        ),
        (
            {"name": "monks-1", "split": "tests"},
            "data set 'monks-1' has no part 'tests'; split must be one of 'all', 'train', 'test'. "
            "Did you mean 'test'?",
        ),
    ],
)
def test_errors_say_what_to_do(arguments: dict[str, str], sentence: str) -> None:
    with pytest.raises(FrugaltreeError) as error:
        load(**arguments)  # type: ignore[call-overload]
    assert str(error.value) == sentence


@pytest.mark.parametrize(("frame", "package"), [("pandas", "pandas"), ("arrow", "pyarrow")])
def test_a_library_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, frame: FrameKind, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    sentence = (
        f"frame='{frame}' needs {package}, which is not installed; install it with pip install "
        f"{package}, or leave frame out for a polars table."
    )
    for call in (lambda: load("iris", frame=frame), lambda: make_xor(frame=frame)):
        with pytest.raises(FrugaltreeError) as error:
            call()
        assert str(error.value) == sentence
    assert load("iris").shape == (150, 5)


def test_importing_is_light() -> None:
    code = (
        "import sys, frugaltree.datasets\n"
        "heavy = {'sklearn', 'scipy', 'numba', 'pandas', 'pyarrow', 'polars'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
