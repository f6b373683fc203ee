"""Compile all kernels for the levels of processors that a wheel is to serve.

    python tools/compile_kernels.py build/kernels [--levels x86-64-v3]

The folder gets ``compiled/``, with the machine code of each level and what it must agree with, and
``tag``, which says where such a wheel can be installed: where the Numba that has compiled it can.
Each level is compiled by a process that is told to know no more of the processor than that.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from frugaltree.kernels.code_store import KEY_FILE
from frugaltree.kernels.processor import code_key, levels_here


def compile_level(level: str, target: Path) -> None:
    """Fill a folder with the machine code for one level."""
    with tempfile.TemporaryDirectory() as cache:
        told = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "FRUGALTREE_CACHE_DIR": cache}
        command = [sys.executable, "-m", "frugaltree", "warm-up"]
        subprocess.run(command, env={**os.environ, **told}, check=True)
        (made,) = Path(cache, "frugaltree").iterdir()
        shutil.copytree(made, target, ignore=shutil.ignore_patterns("*.lock", "*.tmp"))
    (target / KEY_FILE).write_text(json.dumps(code_key(), indent=2, sort_keys=True) + "\n")


def numba_tag() -> str:
    """Return the tag of the installed Numba: Python, its binary interface, and the systems."""
    lines = (distribution("numba").read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag:").strip() for line in lines if line.startswith("Tag:")]
    python, interface, _ = tags[0].split("-")
    return f"{python}-{interface}-{'.'.join(tag.split('-')[2] for tag in tags)}"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--levels", nargs="+", default=[level.name for level in levels_here()])
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    for level in args.levels:
        print(f"{level}:", flush=True)
        compile_level(level, args.folder / "compiled" / level)
    (args.folder / "tag").write_text(numba_tag() + "\n")
    size = sum(path.stat().st_size for path in args.folder.rglob("*") if path.is_file())
    print(f"{size / 1e6:.1f} MB of machine code for {numba_tag()} in {args.folder}")


if __name__ == "__main__":
    main()
