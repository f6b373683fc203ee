"""Through one case with a person: which test next, at what price, and when to stop.

A consultation walks down a fitted tree. It charges what the estimator's ``bill`` would charge and
answers what ``predict`` would answer, but takes what is known already for free, goes on where
something cannot be measured, and leaves the last word to the person.
"""

from frugaltree.consult.consultation import Consultation
from frugaltree.consult.evidence import Answer
from frugaltree.consult.question import Question, Why
from frugaltree.consult.state import Override

__all__ = ["Answer", "Consultation", "Override", "Question", "Why"]
