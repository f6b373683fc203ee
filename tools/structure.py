"""Count what makes code hard to find one's way in, in a source tree of the package.

Usage: ``python tools/structure.py [src/frugaltree]``. Printed are

* names of functions and classes that several kernel files define;
* constants of the same name with different values, among kernels;
* calls that assemble a record or buffers from six or more values by position alone, but for
  rich's ``Progress``, which takes any number of columns;
* reads of a place or column by a constant, as in ``facts[f, QUEUED]``, among kernels;
* functions with more than six arguments, among kernels;
* files of more than 430 lines, and of tests more than 600.

``tests/test_structure.py`` holds these counts at what they are.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

Places = dict[str, set[Path]]

VARIADIC = ("Progress",)


def modules(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Yield every file of a folder, parsed."""
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def shared_names(kernels: Path) -> Places:
    """Return the functions and classes that several files define, with these files."""
    homes: Places = defaultdict(set)
    for path, module in modules(kernels):
        for node in module.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                homes[node.name].add(path)
    return {name: found for name, found in homes.items() if len(found) > 1}


def constants(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the constants of a module with what they are, ranges told apart by place."""
    for node in module.body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], ast.unparse(node.value)
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple):
            for place, name in enumerate(target.elts):
                yield ast.unparse(name), f"{value}[{place}]"


def ambiguous_constants(kernels: Path) -> dict[str, set[str]]:
    """Return the constants that have different values in different files."""
    values: dict[str, set[str]] = defaultdict(set)
    for _, module in modules(kernels):
        for name, value in constants(module):
            if name.isupper():
                values[name].add(value)
    return {name: found for name, found in values.items() if len(found) > 1}


def positional_assemblies(folder: Path, least: int = 6) -> list[str]:
    """Return the constructions from ``least`` or more values by position."""
    found = []
    for path, module in modules(folder):
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and len(node.args) >= least:
                name = ast.unparse(node.func)
                last = name.rsplit(".", 1)[-1]
                if (last[:1].isupper() and last not in VARIADIC) or last in ("cls", "empty"):
                    found.append(f"{path}:{node.lineno} {name}")
    return found


def few_columns(kernels: Path) -> set[str]:
    """Return the constants that stand for one of two or three columns, and single letters."""
    return {
        name
        for _, module in modules(kernels)
        for name, value in constants(module)
        if value.startswith(("range(2)", "range(3)")) or len(name) == 1
    }


def constant_columns(kernels: Path) -> list[str]:
    """Return the reads and writes of a column that a constant stands for, one of four or more."""
    found, few = [], few_columns(kernels)
    for path, module in modules(kernels):
        for node in ast.walk(module):
            if isinstance(node, ast.Subscript):
                last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) else node.slice
                if isinstance(last, ast.Name) and last.id.isupper() and last.id not in few:
                    found.append(f"{path}:{node.lineno} {ast.unparse(node)}")
    return found


def long_signatures(kernels: Path, most: int = 6) -> list[str]:
    """Return the functions with more than ``most`` arguments."""
    return [
        f"{path}:{node.lineno} {node.name} ({len(node.args.args)})"
        for path, module in modules(kernels)
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and len(node.args.args) > most
    ]


def long_files(folder: Path, most: int) -> list[str]:
    """Return the files of more than ``most`` lines."""
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py")}
    return [f"{path} ({n})" for path, n in sorted(lines.items()) if n > most]


def main(package: Path) -> None:
    """Print every count of a source tree."""
    kernels = package / "kernels"
    counts = {
        "names in several kernel files": shared_names(kernels),
        "constants of different values": ambiguous_constants(kernels),
        "constructions from six or more values by position": positional_assemblies(package),
        "columns read by a constant": constant_columns(kernels),
        "kernel functions of more than six arguments": long_signatures(kernels),
        "files of more than 430 lines": long_files(package, 430),
    }
    for what, found in counts.items():
        print(f"{len(found):5d} {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/frugaltree"))
