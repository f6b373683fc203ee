from __future__ import annotations

from frugaltree.anytime.log import SearchLog
from support.anytime_learners import after


class TestWithoutBound:
    def test_a_whole_log(self):
        lines = []
        log = SearchLog(lines.append, unit="CAD", timeless=True)
        log.open("ACTClassifier: 683 cases, 9 tests, 2 classes", "Parameters: n_steps=9")
        for step, (cost, improved) in enumerate([(1312.5, 1), (1312.5, 0), (0.004, 1), (0, 1)]):
            log.after(
                after(
                    step + 1,
                    cost,
                    0.1 * step,
                    improved=bool(improved),
                    rounds=4,
                    what="EG2" if step == 0 else f"r = {step}",
                    steps=1000 * step + 1,
                )
            )
        log.close("time_limit", 0.25, 0.75, 12.0)
        assert lines == [
            "ACTClassifier: 683 cases, 9 tests, 2 classes",
            "Parameters: n_steps=9",
            "        Round  What                       Samples      Cost, CAD  vs first",
            "*         1/4  EG2                              1       1,312.50",
            "          2/4  r = 1                        1,001       1,312.50",
            "*         3/4  r = 2                        2,001          0.004  -100.0 %",
            "*         4/4  r = 3                        3,001           0.00  -100.0 %",
            "Termination    time_limit",
            "Expected cost  CAD 1.00 per case (tests CAD 0.25 + errors CAD 0.75)",
            "Samples        3,001",
        ]

    def test_with_a_clock(self):
        lines = []
        log = SearchLog(lines.append)
        log.open()
        log.after(after(1, 12.0, 3725.0, what="a round whose name is far too long"))
        log.close("completed", 1.0, 2.0, 3726.0)
        table = """
        Round  What                       Samples           Cost  vs first        Time
*           1  a round whose name is f…         0          12.00             1 h 2 min
"""
        assert lines == [
            *table.strip("\n").split("\n"),
            "Termination    completed",
            "Expected cost  3.00 per case (tests 1.00 + errors 2.00)",
            "Samples        0",
            "Time           1 h 2 min",
        ]

    def test_a_unit_of_many_letters(self):
        lines = []
        log = SearchLog(lines.append, unit="Canadian dollars", timeless=True)
        log.open()
        log.after(after(1, 12.0, 0.0))
        log.after(after(2, 6.0, 0.0))
        assert len(lines[0]) == len(lines[2])
        assert lines[0].endswith("Cost, Canadian dollars  vs first")

    def test_at_most_two_lines_a_second_unless_the_tree_is_better(self):
        lines = []
        log = SearchLog(lines.append)
        for step in range(1, 101):  # one each 0.04 s
            log.after(after(step, 9.0, 0.04 * step, improved=step in (1, 50)))
        shown = [int(line[1:13]) for line in lines if line.split()[0] != "Round"]
        assert shown == [1, 14, 27, 40, 50, 63, 76, 89]

    def test_the_header_comes_again(self):
        lines = []
        log = SearchLog(lines.append, timeless=True)
        log.open()
        for step in range(1, 42):
            log.after(after(step, 9.0, 0.0, improved=False))
        assert [place for place, line in enumerate(lines) if "Round" in line] == [0, 21, 42]


class TestWithBound:
    def test_a_whole_log(self):
        lines = []
        log = SearchLog(lines.append, steps="states", unit="CAD")
        log.open("FrugalTreeClassifier: 297 cases, 13 tests, 2 classes")
        for step, (seconds, cost, bound, steps, what) in enumerate(
            [
                (0.02, 330.1, 0.0, 50, "greedy tree"),
                (0.52, 269.6, 31.8, 12_550, "sample 1"),
                (1.02, 269.6, 269.59, 1_200_050, "branch and bound"),
                (1.1, 269.6, 269.6, 2_160_050, "branch and bound"),
            ]
        ):
            improved = step < 2
            log.after(
                after(
                    step + 1,
                    cost,
                    seconds,
                    improved=improved,
                    what=what,
                    steps=steps,
                    bound=bound,
                )
            )
        log.close("optimal", 63.0, 206.6, 1.1)
        table = """
  Round  What                        States States/s    Cost, CAD        Bound      Gap        Time
*     1  greedy tree                     50                330.10         0.00 100.00 %       0.0 s
*     2  sample 1                    12,550     25 k       269.60        31.80  88.20 %       0.5 s
      3  branch and bound         1,200,050    1.2 M       269.60       269.59  <0.01 %       1.0 s
      4  branch and bound         2,160,050      2 M       269.60       269.60   0.00 %       1.1 s
"""
        assert lines == [
            "FrugalTreeClassifier: 297 cases, 13 tests, 2 classes",
            *table.strip("\n").split("\n"),
            "Termination    optimal for this estimate on these cases",
            "Expected cost  CAD 269.60 per case (tests CAD 63.00 + errors CAD 206.60)",
            "Lower bound    CAD 269.60, gap 0.00 %",
            "States         2,160,050, 2 M per second",
            "Time           1.1 s",
        ]

    def test_fits_into_a_hundred_columns(self):
        lines = []
        log = SearchLog(lines.append, steps="states", unit="CAD")
        what = "a round whose name is far too long"
        log.after(after(1, 1e6, 1.0, what=what, steps=10**8, bound=0.0))
        log.after(after(2, 1e6, 3500.0, what=what, steps=10**8 + 9**9, bound=0.0))
        assert [len(line) for line in lines] == [99, 99, 99]

    def test_the_round_that_closed_the_gap_is_said_once(self):
        lines = []
        log = SearchLog(lines.append, steps="states", timeless=False)
        log.after(after(1, 9.0, 0.0, bound=3.0))
        log.after(after(2, 9.0, 0.01, improved=False, bound=5.0))
        log.after(after(3, 9.0, 0.02, improved=False, bound=9.0))
        log.close("optimal", 4.0, 5.0, 0.02)
        assert [line.split()[0] for line in lines[:4]] == ["Round", "*", "3", "Termination"]

    def test_another_estimate(self):
        lines = []
        log = SearchLog(lines.append, steps="states", timeless=True)
        log.after(after(1, 9.0, 0.0, bound=3.0))
        log.after(after(2, 9.5, 0.0, bound=3.0))  # no estimate makes a tree worse
        log.after(after(3, 8.0, 0.0, bound=1.0))  # nor its bound
        log.after(after(4, 8.0, 0.0, bound=2.0))
        other = "Costs from here on are by another estimate."
        assert [place for place, line in enumerate(lines) if line == other] == [2, 4]

    def test_charges_that_are_no_costs(self):
        lines = []
        log = SearchLog(lines.append, steps="states", unit="CAD", timeless=True)
        log.after(after(1, 12.0, 0.0, steps=7, bound=6.0))
        log.close("time_limit", 4.0, 5.0, 1.0)
        charged = "the expected cost, and charges that keep the tree simple"
        assert lines[2:] == [
            "Termination    time_limit",
            "Expected cost  CAD 9.00 per case (tests CAD 4.00 + errors CAD 5.00)",
            f"Objective      CAD 12.00: {charged}",
            "Lower bound    CAD 6.00, gap 50.00 %, which says little of this tree",
            "States         7",
        ]

    def test_a_cost_of_nothing(self):
        lines = []
        log = SearchLog(lines.append, steps="states", timeless=True)
        log.after(after(1, 0.0, 0.0, bound=0.0))
        assert lines[1].split()[-3:] == ["0.00", "0.00", "%"]

    def test_a_search_that_goes_on_has_the_rate_of_this_one(self):
        lines = []
        log = SearchLog(lines.append, steps="states")
        log.after(after(1, 9.0, 0.5, steps=10**9, bound=3.0))
        log.after(after(2, 8.0, 2.5, steps=10**9 + 400, bound=3.0))
        assert lines[-1].split()[3] == "200"
