"""A page about a model, in one file that any browser opens without a network.

:mod:`~frugaltree.report.summary` gathers what there is to tell, as raw values;
:mod:`~frugaltree.report.content` puts it in words, :mod:`~frugaltree.report.page` on the page.
"""

from frugaltree.report.baselines import compare_with_baselines
from frugaltree.report.content import content_of
from frugaltree.report.page import render, write_report
from frugaltree.report.summary import Summary, summarize

__all__ = [
    "Summary",
    "compare_with_baselines",
    "content_of",
    "render",
    "summarize",
    "write_report",
]
