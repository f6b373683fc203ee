"""The command line, run in this process: what it prints, and how it ends."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tools.fuzz.judging import demand

PROPOSED = re.compile(r"(?:Next|then): (?P<command>\S.*)$", re.M)
"""Where a command proposes what to type next."""


class Ended(NamedTuple):
    """How a command has ended."""

    code: int
    out: str
    err: str


def run_command(folder: Path, *args: Any, typed: str = "", proposals: bool = False) -> Ended:
    """Run a command in a folder and check how it ends; an error of Python's own is passed on.

    With ``proposals``, what it proposes to type next is looked for, too.
    """
    from frugaltree.app.cli import main

    program = folder / "bin" / "frugaltree"
    program.parent.mkdir(exist_ok=True)
    program.touch(0o755)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "replace") for _ in range(2))
    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr, os.getcwd()
    code: Any = 0
    try:
        os.chdir(folder)
        sys.argv = [str(program), *map(str, args)]
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(typed), out, err
        try:
            main()
        except SystemExit as end:
            code = end.code
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept[:4]
        os.chdir(kept[4])
    ended = Ended(code or 0, _text(out), _text(err))
    check_end(ended)
    if proposals:
        for found in PROPOSED.finditer(ended.out + ended.err):
            check_proposed(found["command"], folder)
    return ended


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    held = stream.buffer
    return held.getvalue().decode("utf-8", "replace") if isinstance(held, io.BytesIO) else ""


def check_end(ended: Ended) -> None:
    """Check that a command ends well, or with a sentence."""
    demand(isinstance(ended.code, int), "an exit code is a number", ended.code)
    demand("Traceback" not in ended.err, "no command prints a traceback", ended.err)
    if ended.code == 1:
        told = [line for line in ended.err.splitlines() if line.startswith("Error: ")]
        demand(len(told) == 1, "a command that fails says why, once", ended.err[-300:])
        demand(len(told[0]) > 20, "an error is a sentence", told[0])
    elif ended.code:
        demand(ended.code in (2, 130), "a command ends with a known code", ended.code)


def check_proposed(command: str, folder: Path) -> None:
    """Check that what is proposed can be typed in the folder."""
    try:
        program = shlex.split(command)[0]
    except ValueError:  # names with line breaks
        program = command.split()[0]
    found = shutil.which(program) or (folder / program).exists()
    demand(found, "a proposed command is there", command)
