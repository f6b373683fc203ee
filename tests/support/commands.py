"""Running commands in a folder with a table, its prices and models."""

from __future__ import annotations


def one_sentence(err):
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1, err
    assert lines[0].startswith("Error: ")
    return lines[0]
