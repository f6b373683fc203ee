"""What the settings of a search are called where people read of them.

Model files and ``tuning_`` keep their short names.
"""

from __future__ import annotations

from frugaltree.messages import say


def setting_in_words(name: str) -> str:
    """Return what a setting of FrugalTree does.

    >>> setting_in_words("split 2")
    'every question must save the cost of 2 errors more than it costs'
    """
    if ", " in name:
        return say("both", texts=[setting_in_words(part) for part in name.split(", ")])
    kind, _, amount = name.rpartition(" ")
    if name in ("paper", "leaf"):
        return say(f"tuning.{name}")
    if kind == "split":
        key = "tuning.split-one" if amount == "1" else "tuning.split"
        return say(key, n=say("rough", value=float(amount)))
    if kind == "log cut":
        return say("tuning.cuts", n=say("rough", value=float(amount)))
    return name


def named_in_words(name: str) -> str:
    """Return a setting by its name, and what it does.

    >>> named_in_words("leaf"), named_in_words("mine")
    ('leaf: no question at all, one answer for everybody', 'mine')
    """
    words = setting_in_words(name)
    return name if words == name else f"{name}: {words}"
