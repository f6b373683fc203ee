"""Orders in batches: which tests to order together, what a case is charged, how long it takes."""

from frugaltree.batches.batches import Batches

__all__ = ["Batches"]
