"""The command frontier, and a report with a frontier."""

from __future__ import annotations

import json

import pytest

from frugaltree import load_model
from support.commands import one_sentence

FAST = ("-l", "dtmc", "-k", "2")


def test_the_table_the_page_and_the_picture(call, folder, tmp_path):
    page, picture = tmp_path / "page.html", tmp_path / "p.svg"
    code, told, err = call(
        "frontier", "heart.csv", "-t", "class", *FAST, "-o", page, "-p", picture
    )
    assert code == 0, err
    assert "an error costs" in told
    assert "held out: 297 cases in 2 folds" in told
    assert picture.read_text().startswith("<?xml")
    text = page.read_text()
    assert 'id="price" type="range"' in text
    assert "If nobody knows what an error costs" in text
    assert "Beside other ways to answer" in text


def test_json_has_all_figures(call):
    code, told, err = call("frontier", "heart.csv", "-t", "class", *FAST, "--json")
    assert code == 0, err
    found = json.loads(told)
    assert found["case"] == "sick"
    assert found["own_price"] == 500
    assert found["points"][0]["price_from"] == 0
    assert found["points"][-1]["held_out_cases"] == 297
    code, told, err = call("frontier", "heart.csv", "-t", "class", "-l", "dtmc", "-k", 0, "--json")
    assert "held_out_cases" not in json.loads(told)["points"][0]


def test_the_flagship_takes_limits(call):
    given = ("frontier", "heart.csv", "-t", "class", "--time", "0.2s", "--depth", "1", "-k", "2")
    code, told, err = call(*given, "--dearest", "2000", "--case", "healthy")
    assert code == 0, err
    assert "how often healthy is found" in " ".join(told.split())


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("-k", 1), "folds must be 0 or a whole number"),
        (("--case", "sik"), "Did you mean 'sick'"),
        (("-o", "page.txt"), "let the name end in .html"),
        (("-p", "p.txt"), "let the name end in .svg or .png"),
        (("-l", "dtmcc"), "dtmcc"),
        (("--time", "3s"), "dtmc does not take --time"),
    ],
)
def test_mistakes_get_a_sentence(call, more, sentence):
    given = () if more[0] == "-l" else ("-l", "dtmc")
    code, _, err = call("frontier", "heart.csv", "-t", "class", *given, *more)
    assert code == 1
    assert sentence in one_sentence(err)


def test_no_price_is_below_zero(call):
    code, _, err = call("frontier", "heart.csv", "-t", "class", "-l", "dtmc", "--dearest", -1)
    assert code == 2
    assert "'-1' is less than 0; give 0 or more." in err


def test_a_report_of_a_model_has_a_frontier(call, folder, tmp_path):
    assert call("fit", "heart.csv", "-t", "class", "-l", "dtmc", "-o", tmp_path / "m.json")[0] == 0
    before = load_model(tmp_path / "m.json").to_text()
    page = tmp_path / "page.html"
    given = ("report", tmp_path / "m.json", "-d", "heart.csv", "-t", "class", "-o", page)
    code, _, err = call(*given, "--frontier")
    assert code == 0, err
    text = page.read_text()
    assert 'id="price" type="range"' in text
    assert "Cross-validated on" not in text
    assert load_model(tmp_path / "m.json").to_text() == before
    code, _, err = call(*given, "--frontier", "-k", "2")
    assert code == 0, err
    assert "Cross-validated on 297 cases" in page.read_text()
    code, _, err = call("report", tmp_path / "m.json", "--frontier")
    assert "--frontier needs --data" in one_sentence(err)
