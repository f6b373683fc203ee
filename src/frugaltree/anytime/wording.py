"""Numbers of a search, and why it ended, in words."""

from __future__ import annotations

from frugaltree.anytime.progress import Progress, gap_between

SAME = 1e-9
"""Costs that differ by less than this share are the same."""

WORTH_TELLING = 0.1
"""The widest gap that says something of a tree."""

IN_WORDS = {
    "callback": "stopped by a callback",
    "gap": "as close to the best as wanted",
    "interrupted": "stopped by hand",
    "monitor": "further waiting hardly worth it",
    "optimal": "optimal for this estimate on these cases",
    "steps": "all steps taken",
    "time_limit": "time limit reached",
}
"""What the reasons to end a search mean; others speak for themselves."""


def in_words(termination: str) -> str:
    """Return why a search ended, in words.

    >>> in_words("optimal"), in_words("completed")
    ('optimal for this estimate on these cases', 'completed')
    """
    return IN_WORDS.get(termination, termination)


def round_number(progress: Progress) -> str:
    """Return the number of a round, and of how many."""
    of = "" if progress.rounds is None else f"/{progress.rounds}"
    return f"{progress.round}{of}"


def change(cost: float, first: float | None) -> str:
    """Return how much a cost differs from the first one, nothing where it does not.

    >>> change(9.5, 10), change(10, 10), change(1, 0)
    ('-5.0 %', '', '')
    """
    return f"{100 * (cost / first - 1):+.1f} %" if first and cost != first else ""


def gap(cost: float, bound: float) -> str:
    """Return how far a cost can be from the best, in per cent, 0 only where it is the best.

    >>> gap(10, 8), gap(10, 9.9999), gap(10, 10), gap(10, 0)
    ('20.00 %', '<0.01 %', '0.00 %', '100.00 %')
    """
    share = gap_between(cost, bound)
    return "<0.01 %" if SAME < share < 0.00005 else f"{100 * share:.2f} %"


def possible(cost: float, bound: float) -> str:
    """Return how much less than a cost is possible, nothing where the bound says little of it.

    >>> possible(10, 9.5), possible(10, 10), possible(10, 2)
    ('at most 5.00 % less is possible', 'no tree costs less', '')
    """
    share = gap_between(cost, bound)
    if share > WORTH_TELLING:
        return ""
    return f"at most {gap(cost, bound)} less is possible" if share > 0 else "no tree costs less"


def short(number: float) -> str:
    """Return a number in three digits.

    >>> short(0.25), short(830), short(12345), short(2_500_000)
    ('0.25', '830', '12.3 k', '2.5 M')
    """
    if number < 999.5:
        return f"{number:.3g}"
    return f"{number / 1e3:.3g} k" if number < 999.5e3 else f"{number / 1e6:.3g} M"


def duration(seconds: float) -> str:
    """Return a duration, as exactly as it matters.

    >>> duration(0.42), duration(75), duration(7500)
    ('0.4 s', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"
