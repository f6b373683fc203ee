"""The commands of the documentation, run in an empty folder: they print what stands there."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.spreadsheets import patients, write_xlsx

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-tree.md"
SECTION = "## Without writing Python"
EDITS = {"crp = 1 ": "crp = 5 ", "xray = 1 ": "xray = 20 "}
"""What the reader changes in the price list after the first command."""

ANSWER = re.compile(r"^(?:your answer|Enter to accept.*)> ?(.*)$", re.M)


def commands():
    """Return (command, what it prints) for each command of the section."""
    text = PAGE.read_text("utf-8").partition(SECTION)[2].partition("\n## ")[0]
    blocks = commands_in(text)
    assert len(blocks) == 6
    return blocks


def commands_in(text):
    return re.findall(r"```console\n\$ (frugaltree .*?)\n(.*?)```", text, re.S)


def run(command, folder, given):
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ["PATH"]])
    done = subprocess.run(
        [shutil.which("frugaltree", path=scripts), *shlex.split(command)[1:]],
        cwd=folder,
        env={
            **os.environ,
            "PATH": path,
            "COLUMNS": "80",
            "PYTHONIOENCODING": "utf-8",
            "LC_ALL": "C.UTF-8",
        },
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_from_a_table_to_a_page_and_a_consultation(tmp_path):
    pytest.importorskip("jinja2")
    shutil.copy(ROOT / "docs" / "first" / "patients.csv", tmp_path)
    checker, flags = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for place, (command, expected) in enumerate(commands()):
        given = "".join(f"{answer}\n" for answer in ANSWER.findall(expected))
        printed = run(command, tmp_path, given)
        assert checker.check_output(expected, printed, flags), (command, printed)
        if place == 0:
            prices = tmp_path / "patients.costs.toml"
            text = prices.read_text()
            for old, new in EDITS.items():
                assert old in text
                text = text.replace(old, new)
            prices.write_text(text)
    made = {"patients.csv", "patients.costs.toml", "patients.model.json", "answers.csv"}
    assert set(os.listdir(tmp_path)) == made | {"patients.model.html"}


def test_the_readme_shows_these_commands_and_what_they_print():
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"^\$ (frugaltree .*)$", readme, re.M)
    told = [command for command, _ in commands()]
    assert list(dict.fromkeys(shown[1:])) == told
    assert shown[0] in told
    learned = dict(commands())[shown[0]].splitlines()
    saved = re.search(r"\n\$ frugaltree fit .*\n(.*)\n```", readme)[1]
    tree = re.search(r"```text\n(asks crp.*?)\n```", readme, re.S)[1].splitlines()
    assert [line for line in [*tree, saved] if line not in learned] == []
    assert f"**{saved.split(', ')[-1].split()[0]} per patient**" in readme


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_from_a_spreadsheet_to_a_page(tmp_path):
    for module in ("jinja2", "python_calamine", "xlsxwriter"):
        pytest.importorskip(module)
    text = (ROOT / "docs" / "how-to" / "spreadsheets.md").read_text("utf-8")
    blocks = commands_in(text)
    assert len(blocks) == 4  # costs init, fit, report, predict
    write_xlsx(tmp_path / "Patienten.xlsx", patients())
    checker, flags = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for place, (command, expected) in enumerate(blocks):
        printed = run(command, tmp_path, "")
        assert checker.check_output(expected, printed, flags), (command, printed)
        if place == 0:
            prices = tmp_path / "Patienten.costs.toml"
            edited = prices.read_text("utf-8")
            for line in re.search(r"```text\n(.*?)```", text, re.S)[1].splitlines():
                start = line.partition(" = ")[0] + " = 1 "
                assert start in edited
                edited = edited.replace(start, f"{line} ")
            prices.write_text(edited, "utf-8")
    for name in ("Patienten.model.json", "Patienten.model.html"):
        content = (tmp_path / name).read_text("utf-8")
        assert "KH-" not in content  # no patient's number
        assert "2024-01-02" not in content
