"""What keeps the code easy to find one's way in; ``tools/structure.py`` prints the counts."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE, TESTS = ROOT / "src" / "frugaltree", ROOT / "tests"
KERNELS = PACKAGE / "kernels"

spec = importlib.util.spec_from_file_location("structure", ROOT / "tools" / "structure.py")
structure = importlib.util.module_from_spec(spec)
spec.loader.exec_module(structure)


def test_a_name_in_the_kernels_means_one_thing():
    assert structure.shared_names(KERNELS) == {}
    assert structure.ambiguous_constants(KERNELS) == {}


def test_records_are_put_together_by_name():
    assert structure.positional_assemblies(PACKAGE) == []


def test_columns_have_names():
    assert structure.constant_columns(KERNELS) == []


def test_kernel_functions_have_few_arguments():
    assert structure.long_signatures(KERNELS) == []


def test_files_can_be_read_in_one_go():
    assert structure.long_files(PACKAGE, 430) == []
    assert structure.long_files(TESTS, 600) == []


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: path.stem)
def test_no_test_imports_from_another(path):
    tests = {other.stem for other in TESTS.rglob("test_*.py")} | {"conftest"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not tests & set(str(node.module).split("."))
        elif isinstance(node, ast.Import):
            assert not tests & {part for name in node.names for part in name.name.split(".")}
