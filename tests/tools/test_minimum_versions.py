"""The oldest versions that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module

from tools.minimum_versions import PYPROJECT, declared, minimum_versions


def test_every_requirement_is_pinned_once():
    wanted = declared(tomllib.loads(PYPROJECT.read_text()))
    pinned = [line.partition("==")[0] for line in minimum_versions(wanted)]
    assert pinned == sorted(set(pinned))
    named = {one.partition(">=")[0] for one in wanted}
    assert named - set(pinned) == {"ray"}  # any version will do


def test_the_newer_of_two_minimums_counts():
    assert list(minimum_versions(["onnx>=1.9", "onnx>=1.16", "onnx>=1.10"])) == ["onnx==1.16"]


def test_it_prints_what_pip_takes():
    tool = import_module("tools.minimum_versions").__file__
    printed = subprocess.run([sys.executable, tool], capture_output=True, text=True, check=True)
    assert "numpy==2.0\n" in printed.stdout
