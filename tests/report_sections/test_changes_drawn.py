"""A chart of changes warns of what is worse, not of what is better."""

from __future__ import annotations

from report_sections.changes import Change, change_chart
from reportgen.results import Estimate
from reportgen.sections import Dots


def change(label: str, value: float, reading: str) -> Change:
    found = Estimate("qwk", value, 90, value - 0.01, value + 0.01, kind="difference")
    return Change("qwk", label, "trimmed", "", "new", found, found, found, reading)


def test_only_a_change_for_the_worse_is_flagged_and_said() -> None:
    rows = [
        change("a", 0.1, "better"),
        change("b", -0.1, "worse"),
        change("c", 0.2, "higher"),
        change("d", 0, "the same"),
    ]
    (chart,) = change_chart("k", "t", rows, [row.label for row in rows], "Changes.")
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert dots.flagged == (False, True, False, False)
    assert chart.caption == "Changes. A diamond: clearly worse."
    assert "3 of 4 lie clear of 0, 1 for the worse" in chart.alt


def test_without_one_nothing_is_said_of_diamonds() -> None:
    rows = [change("a", 0.1, "better")]
    (chart,) = change_chart("k", "t", rows, ["a"], "Changes.")
    assert chart.caption == "Changes."
