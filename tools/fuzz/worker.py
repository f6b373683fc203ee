"""A process that runs inputs, one after the other, and says what came of each.

It reads lines such as ``{"kind": "tables", "seed": 3}`` and writes a line for each.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.judging import describe, is_refusal

MEMORY = 12 * 2**30
"""Bytes of address space that an input may ask for; libraries map much that they never use."""

KINDS = (
    "tables", "price_lists", "containers", "parameters", "model_files", "checkpoints", "kills",
    "problems", "long_tables", "spreadsheets",
)  # fmt: skip
"""All kinds of input, each a module of this package."""


def run_input(kind: str, seed: int) -> dict[str, Any]:
    """Run one input; return what came of it."""
    module = importlib.import_module(f"tools.fuzz.{kind}")
    began = time.monotonic()
    outcome: dict[str, Any] = {"kind": kind, "seed": seed}
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        outcome |= {"outcome": "done", "what": module.run(Random(f"{kind} {seed}"), folder)}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        what, trace = describe(error)
        refused = is_refusal(error)
        outcome |= {"outcome": "refused" if refused else "finding", "what": what}
        if not refused:
            outcome["trace"] = trace
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {**outcome, "seconds": time.monotonic() - began, "peak": peak}


def serve(seconds: float) -> None:
    """Run what is asked for on the standard input, until that ends."""
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    faulthandler.enable()
    for line in sys.stdin:
        asked = json.loads(line)
        faulthandler.dump_traceback_later(max(seconds - 1, 1))
        outcome = run_input(asked["kind"], asked["seed"])
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps(outcome), file=answers, flush=True)


if __name__ == "__main__":
    serve(float(sys.argv[1]))
