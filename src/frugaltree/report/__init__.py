"""A page about a model, in one file that any browser opens without a network."""

from frugaltree.report.content import content_of
from frugaltree.report.page import framed, render, write_report

__all__ = ["content_of", "framed", "render", "write_report"]
