from __future__ import annotations

from importlib.resources import files

import pytest

from frugaltree.datasets import DataSet, info, load, names
from frugaltree.exceptions import FrugaltreeError

SHIPPED = [name for name in names() if info(name).generator is None]
STUDY = {
    "breast-cancer", "bupa", "car", "flare", "glass", "heart", "hepatitis", "iris", "krk",
    "monks-1", "monks-2", "monks-3", "multi-and-or", "multi-xor", "multiplexer-20", "nursery",
    "pima", "tae", "thyroid", "tic-tac-toe", "titanic", "voting", "wine", "xor-3d", "xor-5",
}  # fmt: skip


def test_the_tables_are_those_of_the_study() -> None:
    assert set(names()) == STUDY
    assert len(SHIPPED) == 20


@pytest.mark.parametrize("name", names())
def test_every_entry_is_complete(name: str) -> None:
    known = info(name)
    assert isinstance(known, DataSet)
    assert known.name == name
    assert all([known.title, known.citation, known.licence, known.notes])
    assert list(known.columns)[-1] == "class"
    assert set(known.meaning) <= set(known.columns)
    assert not known.splits or sum(known.splits.values()) == known.rows


@pytest.mark.parametrize("name", SHIPPED)
def test_the_package_holds_the_table(name: str) -> None:
    assert files("frugaltree.datasets").joinpath("data", f"{name}.csv.gz").is_file()


def test_the_costs_have_a_standing_where_there_are_some() -> None:
    standing = {name: info(name).costs_standing for name in names() if info(name).costs_standing}
    assert set(standing) == {"bupa", "heart", "hepatitis", "pima", "thyroid"}
    assert all(
        files("frugaltree.datasets").joinpath("data", f"{name}.costs.toml").is_file()
        for name in standing
    )
    assert standing["heart"].startswith("confirmed")
    assert standing["bupa"].startswith("amounts unconfirmed")


def test_changing_what_info_gave_changes_nothing_else() -> None:
    info("iris").columns.clear()  # type: ignore[attr-defined]
    info("xor-5").generator.clear()  # type: ignore[union-attr]
    assert load("iris").width == 5
    assert load("xor-5").width == 11


def test_a_card_tells_the_essentials() -> None:
    card = str(info("heart"))
    assert card.splitlines()[:5] == [
        "heart: Heart disease (Cleveland)",
        "  cases    297",
        "  tests    age, sex, cp, trestbps, chol, fbs, restecg, thalach, exang, oldpeak, slope, "
        "ca, thal",
        "           8 nominal, 5 numeric",
        "  classes  healthy, sick",
    ]
    assert "assign_costs" in str(info("iris"))


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(FrugaltreeError) as error:
        info("heartt")
    assert str(error.value) == (
        "there is no data set 'heartt'; names() lists the 25 that there are. Did you mean 'heart'?"
    )
