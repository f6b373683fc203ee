"""Tell whether this package gives the results of another revision, to the last bit.

    python tools/same_results.py --against 380895e
    python tools/same_results.py --against 380895e --keep-record OLD       # keep what it gives
    python tools/same_results.py --old-record OLD --problems 300           # and compare with it
    python tools/same_results.py --old-record OLD --learners act,eg2 --only random --jobs 2

The other revision is checked out into a temporary worktree. A process for each version learns the
same random problems and all bundled tables with all learners (parts ``random`` and ``tables``),
and opens model files and checkpoints that the *old* version has written (``files``). Everything
public that a fit leaves is recorded as text, floats in their shortest exact form: the tree, its
costs, bounds and history, answers and bills on training rows and on new ones, the model file,
warnings, errors, and of every 20th fit the exports and a consultation.

Printed are the number of differences, all of them by learner and field, and the first few in
full; the exit code is 1 if there are any. Fields that are meant to differ can be left out, as in
``--ignore warnings,history``. Not recorded, because no two runs agree on them: the seconds of a
history, the date and the versions in a model file. Searches are limited in steps, never in
seconds. Kernels must be compiled in both versions: interpreted ones (NUMBA_DISABLE_JIT) differ in
the last bits of the estimated errors. A checkpoint of the old version may be refused; it is then
printed with what sentence. Only public names are used, so that the script fits packages of any
inner shape.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import observation
import random_problems
from observation import Fields, attempt, describe_costs, fit, observe, scratch_folder, seen_of
from random_problems import OPTIONS, Problem, draw_parameters, draw_problem

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("random", "tables", "files")

ERROR_COSTS = (300.0, 4000.0)
"""What an error costs in the bundled tables, at most or always."""

TABLE_SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "LSID3": ({"n_samples": 1}, {"n_samples": 2}),
    "ICET": ({"generations": 5, "population": 10}, {"generations": 5, "population": 10}),
    "ACT": ({"n_samples": 3}, {"max_steps": 8, "schedule": "iidt"}),
    "FrugalTree": ({"max_steps": 300}, {"max_steps": 3000, "pessimism": "paper"}),
}
"""Parameters for the bundled tables, low and high costs of errors, where not the usual ones."""

MOST_ROWS = 2000
"""Rows of a bundled table that slow learners get, and all where errors cost much."""

MODELS = 12
"""How many models of each learner the old version hands to the new one."""

CHECKPOINTS = ("heart", "tae", "glass", "monks-2", "voting", "xor-5", "hepatitis", "pima")
"""Tables on which the old version begins a search that the new one is to go on with."""

Entry = tuple[str, str, Fields]
"""What was fitted, by which learner, and all that came of it."""

# ---------------------------------------------------------------------------- the three parts


def make(learner: str, number: int, problem: Problem, **parameters: Any) -> Any:
    """Return an unfitted learner with a fixed seed and no limit in seconds."""
    import frugaltree

    if learner == "FrugalTree":
        parameters["time_limit"] = None
    kind = getattr(frugaltree, f"{learner}Classifier")
    costs, nominal = problem.costs, problem.nominal
    return kind(costs, categorical_features=nominal, random_state=number, **parameters)


def run_random(number: int, learners: list[str]) -> Iterator[Entry]:
    """Learn a random problem with every learner."""
    problem = draw_problem(number)
    if isinstance(problem.costs, Exception):
        yield f"random {number}", "costs", {"error": f"{problem.costs}"}
        problem.costs = None
    elif problem.costs is not None:
        yield f"random {number}", "costs", describe_costs(problem.costs)
    for learner in learners:
        estimator = make(learner, number, problem, **draw_parameters(learner, number))
        more = (number + 7 * list(OPTIONS).index(learner)) % 20 == 0
        yield f"random {number}", learner, observe(estimator, problem, more=more)


def run_table(name: str, learners: list[str]) -> Iterator[Entry]:
    """Learn a bundled table with every learner, for low and for high costs of errors."""
    for learner in learners:
        settings = TABLE_SETTINGS.get(learner, ({}, {}))
        for error, chosen in zip(ERROR_COSTS, settings, strict=True):
            whole = learner not in TABLE_SETTINGS and error == ERROR_COSTS[0]
            problem = load_problem(name, error, None if whole else MOST_ROWS)
            fields = observe(make(learner, 1, problem, **chosen), problem, more=not whole)
            yield f"table {name} {error:g}", learner, fields


def load_problem(name: str, error: float, most: int | None) -> Problem:
    """Return a bundled table with experts' costs or, where there are none, drawn ones."""
    from frugaltree.datasets import assign_costs, info, load, load_costs, names

    X, y = load(name, return_X_y=True)
    classes, odd = range(len(info(name).classes)), names().index(name) % 2
    errors: Any = error
    if odd:  # a price for each kind of error
        errors = [
            [error / 7 * (i != j) * (1 + (3 * i + 5 * j) % 7) for j in classes] for i in classes
        ]
    if info(name).costs_standing:
        costs = load_costs(name, errors=errors)
    else:
        costs = assign_costs(X, y, random_state=1, delayed_share=0.2 * odd, errors=errors)
    every = 1 if most is None else -(-len(X) // most)
    X, y = X.gather_every(every), y.gather_every(every)
    return Problem(X, y, X, costs)


def run_models(learner: str, folder: Path, *, write: bool) -> Iterator[Entry]:
    """Open models that the old version has written, or first write them."""
    from frugaltree import load_model, save_model

    for number in range(MODELS):
        problem, path = draw_problem(number), folder / f"{learner}-{number}.json"
        if write:
            estimator = make(learner, number, problem, **draw_parameters(learner, number))
            if attempt(fit, estimator, problem) is None:
                save_model(estimator, path)
        if path.exists():
            model = attempt(load_model, path)
            opened = {"load_model": model} if isinstance(model, str) else seen_of(model, problem)
            yield f"model {number}", learner, opened


def run_checkpoint(name: str, folder: Path, *, write: bool) -> Iterator[Entry]:
    """Go on with a search that the old version has begun, or first begin it."""
    problem, kept = load_problem(name, 1000.0, MOST_ROWS), folder / f"{name}.checkpoint"
    pessimism = ("paper", "auto")[CHECKPOINTS.index(name) % 2]
    search = partial(make, "FrugalTree", 1, problem, pessimism=pessimism, memory_limit="50MB")
    if write:
        fit(search(max_steps=40, checkpoint=kept), problem)
    with scratch_folder() as place:
        copy = Path(shutil.copy(kept, place))
        going = search(max_steps=400, checkpoint=copy)
        failure = attempt(fit, going, problem)
    refused = {"refused": str(failure).replace(str(copy), "FILE")}
    yield f"checkpoint {name}", "FrugalTree", refused if failure else seen_of(going, problem)


# ---------------------------------------------------------------------------------- recording


def run(task: tuple[str, Any], learners: list[str], files: Path, write: bool) -> list[Entry]:
    """Do one task of a recording."""
    part, what = task
    if part == "random":
        return list(run_random(what, learners))
    if part == "table":
        return list(run_table(what, learners))
    if part == "model":
        return list(run_models(what, files, write=write))
    return list(run_checkpoint(what, files, write=write))


def tasks_of(args: argparse.Namespace) -> list[tuple[str, Any]]:
    """Return all that is to be run, what takes longest first."""
    from frugaltree.datasets import info, names

    tasks: list[tuple[str, Any]] = []
    if "tables" in args.only:
        tasks += [("table", name) for name in sorted(names(), key=lambda n: -info(n).rows)]
    if "files" in args.only:
        tasks += [("model", learner) for learner in args.learners]
        tasks += [("checkpoint", n) for n in CHECKPOINTS if "FrugalTree" in args.learners]
    if "random" in args.only:
        tasks += [("random", number) for number in range(args.problems)]
    return tasks


def record(args: argparse.Namespace) -> None:
    """Run the package that is on the path, and write what it gives to a folder."""
    check_home(args.source)
    args.record.mkdir(parents=True, exist_ok=True)
    (args.record / "digest").write_text(digest())
    files = args.files or args.record / "files"
    files.mkdir(exist_ok=True)
    tasks, began = tasks_of(args), time.monotonic()
    every = max(1, len(tasks) // 40)
    print(f"{args.source}: {len(tasks)} tasks", file=sys.stderr)
    once = partial(run, learners=args.learners, files=files, write=args.files is None)
    with (
        gzip.open(args.record / "results.jsonl.gz", "wt", 3, encoding="utf-8") as out,
        ProcessPoolExecutor(args.jobs, get_context("spawn"), check_home, (args.source,)) as pool,
    ):
        for done, entries in enumerate(pool.map(once, tasks), 1):
            out.writelines(json.dumps(entry) + "\n" for entry in entries)
            if done % every == 0 or done == len(tasks):
                print(f"{done} of {len(tasks)}, {time.monotonic() - began:.0f} s", file=sys.stderr)


def digest() -> str:
    """Return a digest of what is drawn and what is looked at; only alike can be compared."""
    files = [Path(module.__file__ or "").read_bytes() for module in (random_problems, observation)]
    return sha256(b"".join(files)).hexdigest()


def check_home(source: Path) -> None:
    """Make sure that the package is the one to be recorded; show where it crashes, if it does."""
    import frugaltree

    faulthandler.enable()
    home = Path(frugaltree.__file__).resolve()
    if not home.is_relative_to(source.resolve()):
        raise SystemExit(f"frugaltree was imported from {home}, not from {source}")


def record_apart(source: Path, to: Path, args: argparse.Namespace, files: Path | None) -> None:
    """Record a version in a process of its own."""
    command = [sys.executable, __file__, "--record", to, "--source", source, "--jobs", args.jobs]
    command += ["--problems", args.problems, "--learners", ",".join(args.learners)]
    command += ["--only", ",".join(args.only), *(["--files", files] if files else [])]
    path = {"PYTHONPATH": str(source.resolve()), "PYTHONWARNINGS": "ignore"}
    subprocess.run([str(word) for word in command], check=True, env={**os.environ, **path})


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Give the sources of a revision for a while, in a worktree of their own."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "tree"
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), revision], check=True)
        try:
            yield place / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


# ---------------------------------------------------------------------------------- comparing


def read(folder: Path) -> dict[tuple[str, str], Fields]:
    """Return what was recorded in a folder."""
    with gzip.open(folder / "results.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {(what, learner): fields for what, learner, fields in map(json.loads, lines)}


def compare(old: Path, new: Path, ignored: list[str], shown: int) -> int:
    """Print how two recordings differ; return the number of differences."""
    before, after = read(old), read(new)
    counts: Counter[tuple[str, str]] = Counter()
    for (what, learner), fields in after.items():
        if (what, learner) not in before:
            raise SystemExit(f"the old record has no {what} for {learner}; make a longer one")
        given = before[what, learner]
        if what.startswith("checkpoint"):
            print(f"{what} of the old version: {fields.get('refused', 'goes on')}")
            if "refused" in fields:
                continue
        for name in sorted(given.keys() | fields.keys()):
            if given.get(name) != fields.get(name) and name not in ignored:
                counts[learner, name] += 1
                if counts.total() <= shown:
                    print(f"{what}, {learner}, {name}:\n{both(given.get(name), fields.get(name))}")
    for (learner, name), count in sorted(counts.items()):
        print(f"{learner:12} {name:32} {count:7}")
    values = sum(map(len, after.values()))
    print(f"{counts.total()} differences in {values} values of {len(after)} fits")
    return counts.total()


def both(old: str | None, new: str | None) -> str:
    """Return two values one above the other, from shortly before where they part."""
    pairs = enumerate(zip(str(old), str(new), strict=False))
    at = max(0, next((i for i, (a, b) in pairs if a != b), 0) - 60)
    return f"  old: {str(old)[at : at + 200]!r}\n  new: {str(new)[at : at + 200]!r}"


# --------------------------------------------------------------------------------------- main


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", metavar="REVISION", help="what to compare with")
    parser.add_argument("--old-record", type=Path, metavar="FOLDER", help="instead of --against")
    parser.add_argument("--keep-record", type=Path, metavar="FOLDER", help="for --old-record")
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the package to check")
    parser.add_argument("--problems", type=int, default=2000, help="random problems")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--learners", type=names_among(OPTIONS), default=list(OPTIONS))
    parser.add_argument("--only", type=names_among(PARTS), default=list(PARTS), metavar="PARTS")
    parser.add_argument("--ignore", type=lambda text: text.split(","), default=[])
    parser.add_argument("--show", type=int, default=10, help="differences to show in full")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="record --source, no more")
    parser.add_argument("--files", type=Path, help="with --record: models of the old version")
    args = parser.parse_args()
    if sum(given is not None for given in (args.against, args.old_record, args.record)) != 1:
        parser.error("give one of --against, --old-record and --record")
    return args


def names_among(known: Any) -> Callable[[str], list[str]]:
    """Return what reads a list of names, in small letters or not."""
    by_name = {name.lower(): name for name in known}

    def read_names(text: str) -> list[str]:
        names = text.lower().split(",")
        if unknown := set(names) - set(by_name):
            raise argparse.ArgumentTypeError(f"{unknown} is none of {', '.join(known)}")
        return [by_name[name] for name in names]

    return read_names


def main() -> int:
    """Record both versions and compare them."""
    args = parse()
    if args.record is not None:
        record(args)
        return 0
    if args.old_record is not None and (args.old_record / "digest").read_text() != digest():
        raise SystemExit(f"{args.old_record} was made with other problems; make it anew")
    with tempfile.TemporaryDirectory() as folder:
        old, new = (
            args.old_record or args.keep_record or Path(folder) / "old",
            Path(folder) / "new",
        )
        if args.against is not None:
            with checked_out(args.against) as source:
                record_apart(source, old, args, None)
        record_apart(args.source, new, args, old / "files")
        return int(compare(old, new, args.ignore, args.show) > 0)


if __name__ == "__main__":
    sys.exit(main())
