"""The study of the paper as pieces that can be run, stopped, resumed and checked.

`problems` names what is learned, `learners` who learns, `plan` which table needs what; `units` is
one training, `runner` does what is missing, `clusters` where, and `results` keeps it, in the
`columns` described there; `scores`, `tables`, `figures` and `claims` say what came of it. Run it
as ``python -m study`` in a checkout.
"""
