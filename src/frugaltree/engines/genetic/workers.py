"""The trials of a generation, spread over workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from frugaltree.anytime import Stop
from frugaltree.engines.genetic.algorithm import Encoding, Strings
from frugaltree.engines.genetic.evaluation import Trials
from frugaltree.kernels.fast_eg2.trial import Biases

Floats = npt.NDArray[np.float64]
Spread = Callable[..., Iterable[Floats]]
"""Does what ``map`` does."""


@dataclass
class TrialRunner:
    """Runs the trials of a generation, spread over workers.

    Attributes
    ----------
    key, memory
        The one split of the cases for all trials and what each string has cost, where trials do
        not draw the cases anew.
    n_trees
        Trials so far.
    """

    encoding: Encoding
    trials: Trials
    rng: np.random.Generator
    key: np.uint64 | None = None
    memory: dict[bytes, float] | None = None
    n_jobs: int = 1
    spread: Spread = map
    n_trees: int = 0

    def costs(self, strings: Strings, stop: Stop) -> Floats:
        """Return what each string costs, nan where the search was stopped before."""
        if self.memory is None:
            return self._run(strings, self.keys(len(strings)), stop)
        names = [string.tobytes() for string in strings]
        new = {name: i for i, name in enumerate(names) if name not in self.memory}
        keys = np.full(len(new), self.key, np.uint64)
        found = self._run(strings[list(new.values())], keys, stop)
        self.memory.update(zip(new, found.tolist(), strict=True))
        return np.array([self.memory[name] for name in names])

    def keys(self, n: int) -> npt.NDArray[np.uint64]:
        """Draw the keys by which trials choose the cases to grow on."""
        return self.rng.integers(0, 2**64, n, np.uint64)

    def _run(self, strings: Strings, keys: npt.NDArray[np.uint64], stop: Stop) -> Floats:
        biases = Biases(*self.encoding.decode(strings), keys)
        shares = np.array_split(np.arange(keys.size), self.n_jobs)
        parts = [Biases(*(array[share] for array in biases)) for share in shares]
        found = self.spread(self.trials.run, parts, [stop.flag] * self.n_jobs)
        costs = np.concatenate(list(found))
        self.n_trees += int((~np.isnan(costs)).sum())
        return costs


@contextmanager
def worker_pool(n_jobs: int | None) -> Iterator[tuple[int, Spread]]:
    """Lend so many workers, as joblib is set, and a ``map`` that uses them.

    Threads are our own: joblib looks only every hundredth of a second whether they are done,
    and a generation may take less.
    """
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1:
        yield 1, map
    elif getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False):
        with ThreadPoolExecutor(n_workers) as threads:
            yield n_workers, threads.map
    else:  # kernels want arrays that they may write to, hence no memory maps
        with Parallel(n_jobs=n_jobs, max_nbytes=None) as pool:
            yield n_workers, lambda run, *given: pool(map(delayed(run), *given))
