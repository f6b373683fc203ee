"""All kernels compiled before the first test, once, in a process for each core.

Workers that meet an uncompiled kernel at the same time would all compile it.
"""

from __future__ import annotations

import subprocess
import sys

GROUPS = (
    ("FrugalTree", "ID3", "DTMC"),
    ("ACT", "ICET", "EG2", "C45", "LSID3"),
)
"""Learners whose kernels take about as long to compile."""

FIT = """
import sys, warnings
warnings.simplefilter("ignore")
import frugaltree
from support.learners import seeded
from support.tables import as_pandas, mixed_columns
columns, y = mixed_columns()
X = as_pandas(columns, ["stage"])
for name in sys.argv[1:]:
    fitted = seeded(getattr(frugaltree, name + "Classifier"))().fit(X, y)
    fitted.score(X, y), fitted.predict_proba(X)
"""


def compile_kernels(folder: str) -> None:
    """Compile what the learners need; ``folder`` is that of the tests."""
    processes = [
        subprocess.Popen([sys.executable, "-c", FIT, *names], cwd=folder) for names in GROUPS
    ]
    for process in processes:
        process.wait()
