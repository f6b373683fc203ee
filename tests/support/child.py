"""Code run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def run_python(code: str, *args: str, path: Path | None = None, **env: str) -> str:
    """Run code in a fresh process and return what it prints; it must not fail.

    The tests' own modules can be imported there, and those of ``path`` before all others.
    """
    paths = [str(folder) for folder in (path, TESTS) if folder is not None]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *args],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **env},
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
