"""What stands in for a cluster: jobs are done in this process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Job, Shared, call_method


class HereCluster:
    """Does jobs in this process, in any order; forgets now and then what a worker has kept.

    Parameters
    ----------
    seed
        Draws the order.
    losses
        How likely it is before a job that all that was worked out before is lost.
    """

    def __init__(self, seed: int = 0, losses: float = 0.0) -> None:
        self.random, self.losses, self.sizes = Random(seed), losses, list[int]()

    size = 2

    def share(self, value: Any, stop: Stop) -> Shared:
        packed = pickle.dumps(value)
        return Shared(packed, pickle.loads(packed))

    def run(self, shared: Shared, jobs: Sequence[Job], stop: Stop) -> Iterator[Any]:
        found: dict[int, Any] = {}
        for i in self.random.sample(range(len(jobs)), len(jobs)):
            if self.random.random() < self.losses:
                shared.future = pickle.loads(shared.value)
            packed = pickle.dumps(jobs[i].given)
            self.sizes.append(len(packed))
            found[i] = call_method(shared.future, jobs[i].method, packed)
        yield from (found[i] for i in range(len(jobs)))
