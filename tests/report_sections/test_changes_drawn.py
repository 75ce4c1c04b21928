"""A chart of changes warns of what is worse, not of what is better."""

from report_sections.comparison import Change, change_chart
from reportgen.results import Estimate
from reportgen.sections import Dots
from reportgen.wording.vocabulary import Vocabulary


def change(value: float, reading: str, level: str = "") -> Change:
    found = Estimate("qwk", value, 90, value - 0.01, value + 0.01, kind="difference")
    return Change("qwk", "trimmed", level, "new", found, found, found, reading)


def test_only_a_change_for_the_worse_is_flagged_and_reported() -> None:
    readings = ((0.1, "better"), (-0.1, "worse"), (0.2, "higher"), (0, "the same"))
    rows = [change(*each, level) for each, level in zip(readings, "abcd", strict=True)]
    (chart,) = map(Vocabulary().said, change_chart("k", rows, caption="Changes."))
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert dots.flagged == (False, True, False, False)
    assert chart.caption == "Changes."
    assert "3 of 4 intervals exclude 0; 1 of these changes is for the worse" in chart.alt
