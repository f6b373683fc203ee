"""Hostile and random input for the package, bounded by time, with invariants as oracles.

    python -m tools.fuzz --seconds 1800 --report docs/fuzz.md
    python -m tools.fuzz --kind tables --seed 123        # one input again
    python -m tools.fuzz --against ../old --kinds kills  # another checkout's package

Every input is drawn by its kind and seed alone and is run in a process of its own kind, so that a
crash, a hang or a request for too much memory is seen and belongs to an input. What may come of an
input is success or a sentence of the package's own; anything else is a finding.
"""
