"""What a run has tried and found, for the terminal and as Markdown."""

from __future__ import annotations

import json
import platform
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

MOST_SEEDS = 5
"""How many seeds are named of a finding that was made again and again."""


class Report:
    """Inputs by kind, and findings, those of the same words together."""

    def __init__(self, seed: int, file: Path | None = None) -> None:
        self._seed, self._file, self._began = seed, file, time.monotonic()
        self._lock = threading.Lock()
        self.counts: dict[str, Counter[str]] = {}
        self.seconds: Counter[str] = Counter()
        self.findings: list[dict[str, Any]] = []

    def add(self, outcome: dict[str, Any]) -> None:
        """Count an input, and say at once if it has found something."""
        with self._lock:
            kind = outcome["kind"]
            self.counts.setdefault(kind, Counter())[outcome["outcome"]] += 1
            self.seconds[kind] += outcome["seconds"]
            if outcome["outcome"] != "finding":
                return
            self.findings.append(outcome)
            print(
                f"{kind} {outcome['seed']}: {outcome['what'][:200]}", file=sys.stderr, flush=True
            )
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(outcome) + "\n")

    @property
    def grouped(self) -> list[tuple[str, str, list[int]]]:
        """Kind, words and seeds of each finding."""
        found: dict[tuple[str, str], list[int]] = {}
        for one in self.findings:
            key = one["kind"], _shape(one["what"])
            found.setdefault(key, []).append(one["seed"])
        told = {(one["kind"], _shape(one["what"])): one["what"] for one in reversed(self.findings)}
        return [(kind, told[kind, what], seeds) for (kind, what), seeds in found.items()]

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table of inputs by kind, with the sum last."""
        rows, total = [], Counter[str]()
        for kind, counts in sorted(self.counts.items()):
            total += counts
            rows.append(_row(kind, counts, self.seconds[kind]))
        return [*rows, _row("all", total, sum(self.seconds.values()))]

    def text(self) -> str:
        """Return the report for a terminal."""
        head = ("kind", "inputs", "done", "refused", "findings", "seconds")
        lines = [
            f"{a:<12} {' '.join(f'{b:>9}' for b in rest)}" for a, *rest in [head, *self.rows()]
        ]
        lines += ["", f"{len(self.findings)} findings in {time.monotonic() - self._began:.0f} s"]
        lines += [
            f"- {kind} {', '.join(map(str, seeds[:MOST_SEEDS]))} ({len(seeds)}): {what}"
            for kind, what, seeds in self.grouped
        ]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the report as a page."""
        seconds = time.monotonic() - self._began
        n = sum(sum(counts.values()) for counts in self.counts.values())
        lines = [
            "# Hostile and random input",
            "",
            f"`make fuzz SECONDS={seconds:.0f} SEED={self._seed}`, Python "
            f"{platform.python_version()}, {platform.system()}: {n:,} inputs in {seconds:,.0f} s, "
            f"{len(self.findings)} findings. *Done* ended well and kept all invariants, *refused* "
            "ended with a sentence of the package's own. Seconds are those of both processes "
            "together.",
            "",
            "| kind | inputs | done | refused | findings | seconds |",
            "|---|---:|---:|---:|---:|---:|",
            *(f"| {' | '.join(row)} |" for row in self.rows()),
        ]
        if self.findings:
            lines += ["", "| kind | seeds | what |", "|---|---|---|"]
        for kind, what, seeds in self.grouped:
            named = ", ".join(map(str, seeds[:MOST_SEEDS]))
            words = what.replace("|", "\\|").replace("`", "'")
            lines.append(f"| {kind} | {named} ({len(seeds)} in all) | `{words[:250]}` |")
        return "\n".join(lines) + "\n"


def _row(kind: str, counts: Counter[str], seconds: float) -> tuple[str, ...]:
    numbers = (counts["done"], counts["refused"], counts["finding"])
    return kind, f"{sum(numbers):,}", *(f"{number:,}" for number in numbers), f"{seconds:,.0f}"


def _shape(what: str) -> str:
    """Return the words of a finding without what differs from input to input.

    >>> _shape("BrokenRule: shares sum to 1: [0.3]"), _shape("KeyError: 'a7' (x.py:3 f)")
    ('BrokenRule: shares sum to 1', 'KeyError x.py:3 f')
    """
    if what.startswith("BrokenRule"):
        return ":".join(what.split(":")[:2])
    kind, _, rest = what.partition(":")
    place = rest.rpartition("(")[2].rstrip(")")
    return f"{kind} {place}" if what.endswith(")") else what
