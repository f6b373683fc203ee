"""Kept machine code: never wrong, never an error, whatever has become of the files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from frugaltree.kernels.code_store import HEAD, file_name, read_code, write_code
from frugaltree.kernels.processor import LEVELS, levels_here, usable_levels
from support.child import TESTS, run_python

SMALL = """
import numpy as np
from frugaltree.kernels.exact.state_table import States, move_states
print(move_states(States.empty(0), States.empty(0), np.int64(1), np.zeros(1, np.int64)))
print(len(move_states.stats.cache_misses), len(move_states.stats.cache_hits))
"""
COMPILED, LOADED = ["0", "1", "0"], ["0", "0", "1"]


def run_small(folder: Path, **env: str) -> list[str]:
    return run_python(SMALL, FRUGALTREE_CACHE_DIR=str(folder), **env).split()


def code_in(folder: Path) -> Path:
    """Return the one file of machine code in a folder."""
    (path,) = [path for path in folder.rglob("*move_states-*") if path.suffix != ".lock"]
    return path


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """Return a folder that holds the code of a kernel."""
    folder = tmp_path_factory.mktemp("kept")
    assert run_small(folder) == COMPILED
    return folder


@pytest.fixture
def folder(kept, tmp_path) -> Path:
    """Return a copy of it, to be damaged."""
    shutil.copytree(kept, tmp_path / "copy")
    return tmp_path / "copy"


def test_a_second_process_finds_it(kept):
    assert run_small(kept) == LOADED


DAMAGES = {
    "empty": lambda content: b"",
    "half written": lambda content: content[: len(content) // 2],
    "a bit flipped": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "foreign": lambda content: b"cfrugaltree.kernels.states\nMoved\n.",
    "of an older form": lambda content: content.replace(b"code 1\n", b"code 0\n"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_made_anew(folder, damage):
    path = code_in(folder)
    path.write_bytes(damage(path.read_bytes()))
    assert run_small(folder) == COMPILED
    assert run_small(folder) == LOADED


def test_whole_content_that_cannot_be_loaded_is_made_anew(folder):
    """Its checksum is right, but a class that it names has moved."""
    write_code(code_in(folder), b"cfrugaltree.kernels.states\nMoved\n.")
    assert run_small(folder) == COMPILED
    assert run_small(folder) == LOADED


def test_code_of_another_kernel_is_not_run(folder):
    """Its checksum is right, and it can be loaded; its arguments are others."""
    code = run_python(
        "import numpy as np\n"
        "from frugaltree.kernels.cost.leaf import cheapest_labels\n"
        "none, out = np.zeros(0, np.int64), np.zeros(1, np.int32)\n"
        "cheapest_labels(np.eye(2), np.ones((1, 2)), 2, none, out)\n"
        "print(next(p for p in __import__('pathlib').Path(cheapest_labels._cache.cache_path)"
        ".iterdir() if 'cheapest' in p.name and p.suffix != '.lock'))",
        FRUGALTREE_CACHE_DIR=str(folder),
    )
    shutil.copy(code.strip(), code_in(folder))
    assert run_small(folder) == COMPILED


def test_a_folder_in_place_of_the_file(folder):
    path = code_in(folder)
    path.unlink()
    path.mkdir()
    assert run_small(folder) == COMPILED
    assert run_small(folder) == COMPILED  # it cannot be kept


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "frugaltree").write_text("not a folder")
    assert run_small(tmp_path) == COMPILED


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk to write to")
def test_a_full_disk(folder, tmp_path):
    path = code_in(folder)
    path.unlink()
    full = SMALL.replace(
        "import numpy as np",
        "import numpy as np, pathlib\n"
        "plain, full = pathlib.Path.write_bytes, pathlib.Path('/dev/full')\n"
        "pathlib.Path.write_bytes = lambda path, content: plain(full, content)",
    )
    assert run_python(full, FRUGALTREE_CACHE_DIR=str(folder)).split() == COMPILED
    assert not path.exists()
    assert not list(folder.rglob("*.tmp"))


def test_other_flags_of_the_compiler_have_code_of_their_own(folder):
    assert run_small(folder, NUMBA_BOUNDSCHECK="1") == COMPILED
    assert run_small(folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == COMPILED
    assert run_small(folder) == LOADED


def test_processes_that_compile_at_once_share_the_work(tmp_path):
    env = {**os.environ, "FRUGALTREE_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(TESTS)}
    start = [sys.executable, "-W", "ignore", "-c", SMALL]
    processes = [
        subprocess.Popen(start, env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    outputs = [process.communicate(timeout=300)[0].split() for process in processes]
    assert sorted(outputs) == [LOADED] * 3 + [COMPILED]


def test_only_so_many_versions_are_kept(folder):
    root = folder / "frugaltree"
    for k in range(20):
        (root / f"old-{k}").mkdir()
        os.utime(root / f"old-{k}", (k, k))
    assert run_small(folder, NUMBA_OPT="2") == COMPILED
    left = {path.name for path in root.iterdir()}
    assert len(left) == 12
    assert "old-0" not in left
    assert run_small(folder) == LOADED


def test_a_file_is_whole_or_nothing(tmp_path):
    path = tmp_path / file_name("a.b<c>", ("int64",))
    assert path.name.startswith("a.b_c_-")
    write_code(path, b"some\ncode\n")
    assert read_code(path) == b"some\ncode\n"
    assert path.read_bytes().startswith(HEAD)
    assert read_code(tmp_path / "none") is None


def test_a_processor_that_lacks_a_feature_cannot_run_a_level():
    best = levels_here()[0]
    assert usable_levels(best.needs)[0] == best.name
    for feature in best.needs:
        assert best.name not in usable_levels(best.needs - {feature})


def test_levels_go_from_the_best_to_the_most_common():
    for machine in {level.machine for level in LEVELS}:
        needs = [level.needs for level in LEVELS if level.machine == machine and not level.system]
        assert all(later <= former for former, later in pairwise(needs))
