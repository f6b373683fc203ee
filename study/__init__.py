"""The study of the paper as pieces that can be run, stopped, resumed and checked.

`problems` names what is learned, `learners` who learns, `plan` which table needs what; `runner`
does what is missing and `results` keeps it; `scores` and what follows make tables and figures.
"""
