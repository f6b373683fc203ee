"""The reference has every public name, with an example that is run, and every option."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from tools.site import DOCS
from tools.site.commands import commands, describe

MODULES = {
    "frugaltree": (),
    "frugaltree.metrics": (),
    "frugaltree.datasets": (),
    "frugaltree.exceptions": (),
    "frugaltree.plots": (),
    "frugaltree.export": ("FORMATS",),
    "frugaltree.report": (),
    "frugaltree.compare": ("DEFAULT_LEARNERS", "LEARNERS"),
    "frugaltree.persist": (),
    "frugaltree.tradeoff": (),
    "frugaltree.consult": (),
}
"""The public modules, and what they list that is neither class nor function."""


def listed(path):
    """Yield the names on a page of the reference."""
    module = None
    for line in path.read_text("utf-8").splitlines():
        if told := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = told[1]
        elif module and (told := re.fullmatch(r"   (\w+)", line)):
            yield f"{module}.{told[1]}"


def load(name):
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)


def public(module):
    """Yield the classes and functions that a module offers."""
    there = import_module(module)
    own = [name for name, it in vars(there).items() if getattr(it, "__module__", "") == module]
    names = getattr(there, "__all__", None) or [name for name in own if name[0].isupper()]
    for name in names:
        it = getattr(there, name)
        if name not in MODULES[module] and not inspect.ismodule(it) and callable(it):
            yield name, it


PUBLIC = [(module, name, it) for module in MODULES for name, it in public(module)]


@pytest.fixture(scope="module")
def pages():
    """Return what each page of the reference lists, and its examples."""
    found = []
    for path in (DOCS / "reference").glob("*.md"):
        there = [load(name) for name in listed(path)]
        examples = doctest.DocTestParser().get_examples(path.read_text("utf-8"))
        found.append((there, "".join(one.source + one.want for one in examples)))
    return found


@pytest.mark.parametrize(("module", "name", "it"), PUBLIC, ids=[f"{m}.{n}" for m, n, _ in PUBLIC])
def test_public_names_are_in_the_reference_with_an_example(module, name, it, pages):
    shown = [examples for there, examples in pages if any(one is it for one in there)]
    assert shown, f"{module}.{name} is on no page of docs/reference"
    text = it.__doc__ if inspect.isclass(it) else inspect.getdoc(it)
    in_docstring = doctest.DocTestParser().get_examples(text or "")
    on_page = any(re.search(rf"\b{name}\b", examples) for examples in shown)
    assert in_docstring or on_page, f"{module}.{name} has no example"
    assert "src" in Path(inspect.getsourcefile(it)).parts, "its examples are not run"


def test_each_name_is_there_once():
    names = [name for path in (DOCS / "reference").glob("*.md") for name in listed(path)]
    assert len(names) == len(set(names))


def test_every_option_of_every_command_is_told_with_what_it_does():
    text = describe()
    for command in commands():
        assert f"## `{command.name}`\n" in text
        for option in command.options:
            assert option.help, f"{command.name} {option.names}"
            for name in option.names:
                assert f"`{name}`" in text
    assert "<!-- commands -->" in (DOCS / "reference" / "command-line.md").read_text("utf-8")
