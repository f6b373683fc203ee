"""Tables in files, given to the command line."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random

from tools.fuzz.commands import run_command
from tools.fuzz.drawing import CELLS, NAMES, chance, draw_names
from tools.fuzz.judging import demand

ENCODINGS = ("utf-8",) * 12 + ("utf-8-sig", "latin-1", "utf-16", "utf-32", "cp1252", "shift-jis")
ENDS = ("\n",) * 6 + ("\r\n", "\r\n", "\r")
SEPARATORS = (",",) * 6 + (";", "\t", "|", ":", " ")
QUICK = ("id3", "c4.5", "eg2", "dtmc", "idx", "csid3")
LEARNERS = (*QUICK, *QUICK, "act", "lsid3", "icet", "frugal")


def run(random: Random, folder: Path) -> str:
    """Write a table, then price, fit, predict and show it with the commands."""
    path, target = write_table(random, folder)
    named = random.choice((target, target, target, target.strip(), "no such column", ""))
    target = named if chance(random, 0.1) else target
    proposals = chance(random, 0.2)
    made = run_command(folder, "costs", "init", path, "--target", target, proposals=proposals)
    if made.code:
        return "refused"
    learner = random.choice(LEARNERS)
    options = ["--learner", learner]
    if learner == "frugal":
        options += ["--time", random.choice(("0.2s", "0.5s"))]
    if chance(random, 0.2):
        options += [random.choice(("--nominal", "--numeric")), random.choice(NAMES)]
    if chance(random, 0.2):
        options += ["--json"]
    fitted = run_command(folder, "fit", path, "--target", target, *options, "--out", "m.json")
    if fitted.code:
        demand(not (folder / "m.json").exists(), "a fit that fails leaves no model")
        return "refused"
    after(random, folder, path, target)
    return "fitted"


def after(random: Random, folder: Path, path: Path, target: str) -> None:
    """Use a model in the ways that the commands offer; on its own table it must not fail."""
    how = ["--target", target] if chance(random, 0.5) else []
    how += ["--shares"] if chance(random, 0.3) else []
    done = run_command(folder, "predict", "m.json", path, *how)
    demand(done.code == 0, "a model answers for its own table", done.err[-300:])
    lines = max(done.out.count("\n") - 1, 0)
    demand(lines >= 1, "there is an answer for each case", done.out[:200])
    for command in random.sample(("show", "export", "consult", "report", "costs"), 2):
        if command == "export":
            form = random.choice(("dot", "mermaid", "onnx", "python", "rules", "sql"))
            run_command(folder, "export", "m.json", "--format", form, "--out", "exported")
        elif command == "consult":
            typed = "".join(f"{random.choice((*CELLS, '?', 'u', 's', '-'))}\n" for _ in range(12))
            run_command(folder, "consult", "m.json", typed=typed)
        elif command == "report":
            run_command(folder, "report", "m.json", "--out", "page.html")
        elif command == "costs":
            prices = next(folder.glob("*.costs.toml"), None)
            if prices is not None:
                done = run_command(
                    folder, "costs", "check", prices.name, "--data", path, "--target", target
                )
                demand(done.code == 0, "a price list that was made fits its table", done.err)
        else:
            run_command(folder, "show", "m.json")


# ------------------------------------------------------------------------------- writing


def write_table(random: Random, folder: Path) -> tuple[Path, str]:
    """Write a table to a file; return where, and the column to predict."""
    header, rows = draw_cells(random)
    target = random.choice(header) if header and chance(random, 0.9) else "y"
    if chance(random, 0.15):
        return write_parquet(random, folder, header, rows), target
    suffix = random.choice((".csv",) * 6 + (".tsv", ".txt", "", ".CSV", ".arff", ".parquet"))
    path = folder / f"{random.choice(('table', 'a b', 'täble', '-x', '[b]'))}{suffix}"
    path.write_bytes(draw_bytes(random, header, rows, "\t" if suffix == ".tsv" else None))
    name = path.name if not path.name.startswith("-") else f"./{path.name}"
    return Path(name), target


def draw_cells(random: Random) -> tuple[list[str], list[list[str]]]:
    """Return a header and rows, in which the last column is mostly the class."""
    size = random.choice(("usual",) * 20 + ("wide", "many classes", "tiny", "tiny", "tiny"))
    n_columns = random.randint(1, 6)
    n_rows = random.choice((0, 1, 2)) if size == "tiny" else random.randint(3, 30)
    odd = random.choice((0.0, 0.1, 0.4, 1.0))
    if size == "wide" and chance(random, 0.2):
        n_columns, odd = 2000, 0.01
    many_classes = size == "many classes" and chance(random, 0.2)
    if many_classes:
        n_rows = 520
    names = draw_names(random, n_columns, odd)
    if chance(random, 0.1) and names:  # differ by quotes or blanks alone, or not at all
        name = random.choice(names)
        twin = random.choice((name, f" {name}", f"{name} ", f'"{name}"', f"{name}_duplicated_0"))
        names.append(twin)
    columns = [draw_column(random, n_rows, random.choice((0.0, 0.0, 0.1, 1.0))) for _ in names]
    n_classes = random.choice((2, 2, 2, 3, 1))
    labels = random.choice((("no", "yes", "it's"), ("0", "1", "2"), CELLS[8:12], NAMES[11:15]))
    classes = [random.choice(labels[:n_classes]) for _ in range(n_rows)]
    if many_classes:
        classes = [f"c{i % 500}" for i in range(n_rows)]
    names, columns = [*names, "y"], [*columns, classes]
    return names, [list(row) for row in zip(*columns, strict=True)]


def draw_column(random: Random, n: int, odd: float) -> list[str]:
    """Return the cells of a test; one in ten has no value at all."""
    if chance(random, 0.1):
        return [random.choice(("", "?", "NA"))] * n
    kind = random.choice(("number", "number", "decimal", "text", "text", "boolean", "constant"))
    values: dict[str, list[str]] = {
        "number": [str(random.randint(-3, 9)) for _ in range(n)],
        "decimal": [f"{random.gauss(0, 10):.3f}" for _ in range(n)],
        "text": [random.choice(("red", "blue", "green", "it's")) for _ in range(n)],
        "boolean": [random.choice(("TRUE", "FALSE")) for _ in range(n)],
        "constant": ["7"] * n,
    }
    rate = random.choice((0.05, 0.5)) * odd
    return [random.choice(CELLS) if chance(random, rate) else v for v in values[kind]]


def draw_bytes(
    random: Random, header: list[str], rows: list[list[str]], separator: str | None
) -> bytes:
    """Return a delimited file, now and then one that is none."""
    out = io.StringIO()
    quoting = random.choice((csv.QUOTE_MINIMAL,) * 4 + (csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    end = random.choice(ENDS)
    writer = csv.writer(
        out,
        delimiter=separator or random.choice(SEPARATORS),
        quoting=quoting,
        lineterminator=end,
    )
    if chance(random, 0.05):
        out.write(f"sep=;{end}")
    if chance(random, 0.05):
        out.write(end * random.randint(1, 3))
    rows = [list(row) for row in rows]
    if rows and chance(random, 0.1):  # ragged
        row = random.choice(rows)
        row[:] = row[:-1] if chance(random, 0.5) else [*row, "more"]
    writer.writerow(header)
    writer.writerows(rows)
    text = out.getvalue()
    if chance(random, 0.1):
        text = text.rstrip("\r\n")
    if chance(random, 0.05):
        text += random.choice(("\n\n\n", "   \n", '"', "\x1a", ",,,,\n"))
    data = text.encode(random.choice(ENCODINGS), "replace")
    return spoil(random, data) if chance(random, 0.1) else data


def spoil(random: Random, data: bytes) -> bytes:
    """Return bytes with some of them changed, added or cut off."""
    spoilt = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 10))):
        place = random.randrange(len(spoilt) + 1)
        how = random.choice(("change", "add", "cut", "quote", "null"))
        if how == "change" and place < len(spoilt):
            spoilt[place] = random.randrange(256)
        elif how == "add":
            spoilt[place:place] = bytes(random.randrange(256) for _ in range(3))
        elif how == "cut":
            del spoilt[place:]
        else:
            spoilt[place:place] = b'"' if how == "quote" else b"\0"
    return bytes(spoilt)


def write_parquet(random: Random, folder: Path, header: list[str], rows: list[list[str]]) -> Path:
    """Write a table with types of its own."""
    import polars as pl

    path = folder / "table.parquet"
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    series = {}
    for name, values in zip(header, columns, strict=True):
        column = pl.Series(name, list(values), dtype=pl.String)
        kind = random.choice(
            (pl.String, pl.String, pl.Float64, pl.Int64, pl.Categorical, pl.Boolean, pl.Null,
             pl.Date, pl.Datetime, pl.Decimal(10, 2), pl.Binary, pl.List(pl.String), pl.Float32)
        )  # fmt: skip
        if kind == pl.List(pl.String):
            column = pl.Series(name, [[value] for value in values], dtype=kind)
        try:
            series[name] = column.cast(kind, strict=False)
        except pl.exceptions.PolarsError:
            series[name] = column
    pl.DataFrame(list(series.values())).write_parquet(path)
    if chance(random, 0.1):
        path.write_bytes(spoil(random, path.read_bytes()))
    return Path(path.name)
