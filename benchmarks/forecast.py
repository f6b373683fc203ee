"""How often the interval of a forecast holds what new cases really cost.

    python benchmarks/forecast.py [--fits 500] [--first 0] [--jobs 2] [--out FILE]

Each fit is of a generated table whose concept is known: numeric and nominal tests, a random tree
or none at all for a concept, noise, prices and costs of errors drawn at random, 100 to 2,000
cases. What the learned tree costs is then counted on 100,000 new cases of the same kind and held
against ``forecast_``. Also told: how far off the cost on cases held out is on average, for the
setting chosen as it is, and with each fold judged by the setting that the others choose.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track

from frugaltree import Costs, FrugalTreeClassifier

NEW = 100_000
STEPS = 5_000
SIZES = (100, 200, 500, 1000, 2000)

console = Console(width=100)


class Generator:
    """Draws cases of one random kind."""

    def __init__(self, seed: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.numeric, self.nominal = int(random.integers(1, 6)), int(random.integers(1, 6))
        self.values = random.integers(2, 6, self.nominal)
        self.n_classes = int(random.choice([2, 2, 3]))
        self.noise = float(random.uniform(0.02, 0.4))
        self.shares = random.dirichlet(np.full(self.n_classes, 4.0))
        self.concept = self._tree(int(random.integers(0, 5)))
        names = [f"n{i}" for i in range(self.numeric)] + [f"c{i}" for i in range(self.nominal)]
        top = float(random.choice([100.0, 500.0, 1000.0, 5000.0]))
        errors = np.full((self.n_classes,) * 2, top)
        if random.random() < 0.5:
            errors *= random.uniform(0.1, 1.0, errors.shape)
        np.fill_diagonal(errors, 0.0)
        self.costs = Costs(
            tests=dict(zip(names, random.uniform(1, 30, len(names)).tolist(), strict=True)),
            errors=errors,
            classes=[f"k{i}" for i in range(self.n_classes)],
        )

    def _tree(self, depth: int):
        """Return a random concept: a class, or a test with what follows on either side."""
        if depth == 0:
            return int(self.random.choice(self.n_classes, p=self.shares))
        a = int(self.random.integers(self.numeric + self.nominal))
        at = self.random.normal(0, 0.7) if a < self.numeric else int(self.random.integers(2))
        return a, at, self._tree(depth - 1), self._tree(depth - 1)

    def draw(self, n: int, seed: int) -> tuple[pl.DataFrame, np.ndarray]:
        """Return so many cases and their classes."""
        random = np.random.default_rng(seed)
        x = random.normal(size=(self.numeric, n))
        c = [random.integers(0, k, n) for k in self.values]
        classes = self._classes([*x, *c], self.concept, np.arange(n), np.zeros(n, np.int64))
        noisy = random.random(n) < self.noise
        classes[noisy] = random.choice(self.n_classes, int(noisy.sum()), p=self.shares)
        columns = {f"n{i}": row for i, row in enumerate(x)}
        columns |= {f"c{i}": [f"v{v}" for v in row] for i, row in enumerate(c)}
        return pl.DataFrame(columns), np.array([f"k{k}" for k in classes])

    def _classes(self, columns, concept, rows, classes) -> np.ndarray:
        if isinstance(concept, int):
            classes[rows] = concept
        else:
            a, at, low, high = concept
            below = columns[a][rows] <= at
            self._classes(columns, low, rows[below], classes)
            self._classes(columns, high, rows[~below], classes)
        return classes


def measure(seed: int) -> dict:
    """Return the forecast of a fit, and what new cases cost."""
    warnings.simplefilter("ignore")
    made = Generator(seed)
    n = SIZES[seed % len(SIZES)]
    X, y = made.draw(n, seed + 1)
    learner = FrugalTreeClassifier(made.costs, max_steps=STEPS, random_state=seed).fit(X, y)
    other, actual = made.draw(NEW, seed + 2)
    guess = made.costs.matrix(list(learner.classes_))
    seen = np.array([(y == k).mean() for k in learner.classes_])
    truth = np.array([(actual == k).mean() for k in learner.classes_])
    (chosen,) = [one for one in learner.tuning_ if one.chosen]
    return {
        "seed": seed,
        "cases": n,
        "pessimism": learner.pessimism_,
        "truth": learner.total_cost(other, actual),
        "guess_truth": float((guess @ truth)[np.argmin(guess @ seen)]),
        "chosen": chosen.cost,
        "expected": learner.expected_cost_,
        **{f"told_{name}": value for name, value in asdict(learner.forecast_).items()},
    }


def summarise(frame: pl.DataFrame) -> pl.DataFrame:
    """Return how often intervals hold, by the number of cases and in all."""
    truth, saved = pl.col("truth"), pl.col("guess_truth") - pl.col("truth")
    tight = 1e-9 * truth
    told = [
        pl.len().alias("fits"),
        (100 * truth.is_between("told_low", "told_high").mean()).alias("cost held, %"),
        (100 * (truth < pl.col("told_low")).mean()).alias("below, %"),
        (100 * (truth > pl.col("told_high")).mean()).alias("above, %"),
        (
            100
            * saved.is_between(
                pl.col("told_saving_low") - tight, pl.col("told_saving_high") + tight
            ).mean()
        ).alias("saving held, %"),
        (100 * (pl.col("told_cost") / truth - 1).mean()).alias("told above truth, %"),
        (100 * (pl.col("chosen") / truth - 1).mean()).alias("chosen above truth, %"),
        (100 * (pl.col("expected") / truth - 1).mean()).alias("expected above truth, %"),
        (100 * ((pl.col("told_high") - pl.col("told_low")) / 2 / truth).median()).alias("± %"),
    ]
    sizes = frame.group_by("cases").agg(told).sort("cases").with_columns(pl.col("cases").cast(str))
    whole = frame.select(told).with_columns(pl.lit("all").alias("cases"))
    return pl.concat([sizes, whole.select(sizes.columns)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fits", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="what each fit has told, a line each")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.fits)
    results = Parallel(given.jobs, return_as="generator")(delayed(measure)(s) for s in seeds)
    rows = list(track(results, "fits", given.fits, console=console))
    if given.out:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=1):
        print(summarise(pl.DataFrame(rows)))


if __name__ == "__main__":
    main()
