"""Inputs dealt out to workers until the time is up."""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.fuzz.report import Report
from tools.fuzz.worker import KINDS, run_input

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).with_name("corpus.json")

SHARES = {
    "tables": 3.0, "price_lists": 2.0, "containers": 2.5, "parameters": 3.0, "model_files": 2.0,
    "checkpoints": 1.0, "kills": 2.5, "problems": 3.0, "long_tables": 3.0, "spreadsheets": 2.0,
}  # fmt: skip
"""How much of the time each kind gets, as parts of their sum."""

PATIENCE = 60.0
"""Seconds after which an input hangs."""

LARGE = 2500
"""Megabytes from which on a worker is replaced by a new one."""

Input = tuple[str, int]


@dataclass
class Deal:
    """What is run next: kept inputs first, then the kind that is most behind its share."""

    kinds: list[str]
    seed: int
    kept: list[Input] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    dealt: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def draw(self) -> Input:
        """Return the next input; the n-th of a kind is the same in every run of a seed."""
        with self.lock:
            if self.kept:
                return self.kept.pop(0)
            kind = min(self.kinds, key=lambda k: self.spent.get(k, 0.0) / SHARES[k])
            number = self.dealt.get(kind, 0)
            self.dealt[kind] = number + 1
            self.spent[kind] = self.spent.get(kind, 0.0) + 0.01  # others come in between
            return kind, self.seed * 1_000_000 + number

    def charge(self, kind: str, seconds: float) -> None:
        """Count the time that an input has taken."""
        with self.lock:
            self.spent[kind] = self.spent.get(kind, 0.0) + seconds


class Worker:
    """A process that runs inputs, started anew when it is gone."""

    def __init__(self, source: Path, patience: float) -> None:
        self._source, self._patience = source, patience
        self._process: subprocess.Popen[str] | None = None

    def run(self, kind: str, seed: int) -> dict[str, Any]:
        """Return what came of an input, be it the end of the process."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        began = time.monotonic()
        outcome: dict[str, Any] | None = None
        try:
            process.stdin.write(json.dumps({"kind": kind, "seed": seed}) + "\n")
            process.stdin.flush()
            outcome = self._answers.get(timeout=self._patience)
        except queue.Empty:
            what = f"Hang: no answer in {self._patience:g} s"
        except BrokenPipeError:
            pass
        if outcome is None:
            hung = process.poll() is None and time.monotonic() - began >= self._patience
            self.close()
            if not hung:
                what = _say_end(process.returncode)
            trace = self._told()
            outcome = {"kind": kind, "seed": seed, "outcome": "finding", "what": what}
            outcome |= {"trace": trace, "seconds": time.monotonic() - began}
        elif outcome.get("peak", 0) > LARGE:
            self.close()
        return outcome

    def _start(self) -> None:
        self._errors = tempfile.NamedTemporaryFile("w+", prefix="fuzz-", suffix=".log")  # noqa: SIM115
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (self._source, ROOT / "tests", ROOT))),
            "PATH": "/usr/bin:/bin",
            "POLARS_MAX_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.worker", str(self._patience)],
            cwd=ROOT,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()

    def _told(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-3000:]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _listen(process: subprocess.Popen[str], answers: queue.Queue[dict[str, Any] | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(json.loads(line))
    process.wait()
    answers.put(None)


def _say_end(code: int) -> str:
    """Return how a process has ended.

    >>> _say_end(-11)
    'Crash: the process ended with SIGSEGV'
    """
    how = signal.Signals(-code).name if code < 0 else f"code {code}"
    return f"Crash: the process ended with {how}"


def run_for(
    seconds: float,
    deal: Deal,
    source: Path,
    *,
    workers: int,
    patience: float,
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """Run inputs until the time is up; what is at work then is still waited for."""
    end = time.monotonic() + seconds

    def work() -> None:
        worker = Worker(source, patience)
        while time.monotonic() < end:
            kind, seed = deal.draw()
            outcome = worker.run(kind, seed)
            deal.charge(kind, outcome["seconds"])
            tell(outcome)
        worker.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read_corpus() -> Iterator[Input]:
    """Yield the inputs that have found something once."""
    if CORPUS.exists():
        for entry in json.loads(CORPUS.read_text("utf-8")):
            yield entry["kind"], entry["seed"]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--seed", type=int, default=0, help="of the run, or with --kind of an input"
    )
    parser.add_argument("--kind", choices=KINDS, help="run one input, in this process")
    parser.add_argument("--kinds", help=f"those wanted, as in tables,kills; of {', '.join(KINDS)}")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--patience", type=float, default=PATIENCE)
    parser.add_argument("--against", type=Path, help="another checkout, whose package is tried")
    parser.add_argument("--report", type=Path, help="where to write the report, in Markdown")
    parser.add_argument("--findings", type=Path, help="where to write all findings, as JSON lines")
    args = parser.parse_args(arguments)
    args.kinds = args.kinds.split(",") if args.kinds else list(KINDS)
    if unknown := set(args.kinds) - set(KINDS):
        parser.error(f"no kind of input: {', '.join(unknown)}")
    return args


def main(arguments: list[str] | None = None) -> int:
    """Run inputs and report; the exit code is 1 if anything was found."""
    args = parse(arguments)
    source = (args.against or ROOT) / "src"
    if args.kind is not None:
        return run_one(args.kind, args.seed, source.resolve(), args.patience)
    warm_up(source.resolve())
    kept = [entry for entry in read_corpus() if entry[0] in args.kinds]
    deal = Deal(args.kinds, args.seed, kept)
    report = Report(args.seed, args.findings)
    run_for(
        args.seconds,
        deal,
        source.resolve(),
        workers=args.workers,
        patience=args.patience,
        tell=report.add,
    )
    print(report.text())
    if args.report is not None:
        args.report.write_text(report.markdown(), "utf-8")
    return int(bool(report.findings))


def warm_up(source: Path) -> None:
    """Compile all kernels, so that no input waits for it; an older package may not know how."""
    command = [sys.executable, "-m", "frugaltree", "warm-up"]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(source)}, check=False)


def run_one(kind: str, seed: int, source: Path, patience: float) -> int:
    """Run one input and print what came of it, with all of its traceback."""
    worker = Worker(source, patience)
    outcome = worker.run(kind, seed)
    worker.close()
    trace = outcome.pop("trace", "")
    print(json.dumps(outcome, indent=2))
    print(trace)
    return int(outcome["outcome"] == "finding")


__all__ = ["main", "run_input"]
