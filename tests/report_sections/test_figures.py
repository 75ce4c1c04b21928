"""Test figures that compare estimates with limits: colors, hollow and pale marks, the order, and the scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_sections import figures
from report_sections.figures import Matrix, Rung, heat, heat_maps, same_scores_chart
from report_sections.score_distributions import LevelError, calibration_chart, distribution_chart, error_chart
from reportgen.charts import layout, panels
from reportgen.charts.marks import Text
from reportgen.results import Cell, Estimate, Record
from reportgen.results.chart import Chart, Dots, Ink, Line, Pairs, Shares, Spans, Zone


def of(value: float | None, half: float = 0.05, n: int = 300, kind: str = "coefficient") -> Estimate:
    ends = (None, None) if value is None else (value - half, value + half)
    return Estimate("x", value, n, *ends, kind=kind)  # type: ignore[arg-type, misc]


def layers(chart: Chart, kind: type) -> list:  # type: ignore[type-arg]
    return [layer for layer in chart.every_layer() if isinstance(layer, kind)]


def test_a_ladder_has_gray_ratings_a_blue_engine_and_a_shaded_requirement() -> None:
    rungs: tuple[Rung, ...] = (
        ("one", of(0.6), "human", ""),
        ("engine", of(0.7), "engine", "not yet known"),
        ("rounded", of(0.5), "engine", "not met"),
    )
    chart = figures.ladder("k", "a", rungs, "PRMSE", (0.7, None), "at least 0.70")
    ratings, engine = layers(chart, Dots)
    assert (ratings.ink, engine.ink) == ("human", "engine")
    assert (engine.hollow, engine.flagged) == ((True, False), (False, True))
    assert layers(chart, Zone)[0].low == 0.7
    assert (chart.x.low, chart.x.high, chart.x.fixed) == (0.4, 1.0, True)


@given(st.lists(st.tuples(st.floats(-0.5, 1.0), st.booleans()), min_size=1, max_size=8))
def test_a_staircase_goes_down_by_each_loss(steps: list[tuple[float, bool]]) -> None:
    stairs = tuple((str(place), of(value), lost) for place, (value, lost) in enumerate(steps))
    (spans,) = layers(figures.staircase("k", "a", stairs, "PRMSE", "lost"), Spans)
    for (value, lost), start, stop in zip(steps, spans.start, spans.stop, strict=True):
        assert start - stop == pytest.approx(value if lost else 0.0, abs=1e-9)
    for (one, other), (_, lost) in zip(zip(spans.stop, spans.start[1:], strict=False), steps[1:], strict=False):
        assert not lost or one == other
    assert "−0.00" not in spans.texts


def test_a_funnel_narrows_with_size_and_names_each_group() -> None:
    found = [Estimate("dsm", value, n, value - 2 / n**0.5, value + 2 / n**0.5) for value, n in ((0.1, 25), (-0.3, 400))]
    zone = (Zone(-0.1, 0.1, "limit", axis="y"),)
    chart = figures.funnel("k", "a", ("near", "far"), found, ("not yet known", "not met"), ("n", "SD"), zone)
    together, each = layers(chart, Line)
    for at, high in zip(each.x, each.y, strict=True):
        assert abs(high) == pytest.approx(min(1.15 * 0.3, 2 / at**0.5), rel=0.03)
    assert max(together.y) >= max(each.y)
    (dots,) = layers(chart, Dots)
    assert (dots.names, dots.hollow, dots.flagged) == (("near", "far"), (True, False), (False, True))
    plot = panels.places(chart)[0]
    texts = [mark.said for mark in plot.layer(dots) if isinstance(mark, Text)]
    assert sorted(texts) == ["far", "near"]
    assert plot.frame.x.labels == ("50", "100", "200")


@given(
    st.floats(-0.2, 1.0), st.floats(-0.2, 1.0), st.sampled_from(["high", "low", "zero"]),
    st.sampled_from(["coefficient", "score", "difference", "percent"]),
)  # fmt: skip
def test_in_a_comparison_right_is_better(old: float, new: float, better: str, kind: str) -> None:
    panel = figures.dumbbell("m", of(old, kind=kind), of(new, kind=kind), ("old", "new"), better=better)
    chart = figures.stacked("k", "a", [panel])
    frame = panels.places(chart)[0].frame
    (pair,) = layers(chart, Pairs)
    places = [frame.across(frame.x.held(each[0]) or 0.0) for each in (pair.first, pair.second)]
    gain = {"high": new - old, "low": old - new, "zero": abs(old) - abs(new)}[better]
    assert (places[1] - places[0]) * gain >= -1e-9


def test_a_limit_of_a_size_is_shaded_towards_zero() -> None:
    old, new = (of(value, kind="difference") for value in (-0.17, 0.01))
    panel = figures.dumbbell("SMD", old, new, ("old", "new"), (-0.15, 0.15), "zero")
    chart = figures.stacked("k", "a", [panel])
    (zone,) = layers(chart, Zone)
    assert (zone.low, zone.high) == (None, 0.15)
    assert layers(chart, Pairs)[0].notes == ("0.17 → 0.01",)


@given(st.lists(st.lists(st.integers(0, 5000), min_size=4, max_size=4), min_size=4, max_size=4))
def test_heat_maps_print_counts_and_nothing_for_0(counts: list[list[int]]) -> None:
    names = ("1", "2", "3", "4")
    cells = heat(Matrix(names, names, tuple(map(tuple, counts))), "% of the row")
    for line, texts in zip(counts, cells.texts, strict=True):
        assert texts == tuple(f"{cell:,}" if cell else "·" for cell in line)


def test_one_heat_map_needs_no_panels() -> None:
    matrix = Matrix(("1",), ("1",), ((3,),))
    assert heat_maps("k", "a", (("Engine", "engine", matrix),), "rater", "%").panels == ()
    assert len(heat_maps("k", "a", (("A", "a", matrix), ("B", "b", matrix)), "rater", "%").panels) == 2


def test_same_scores_keep_their_counts() -> None:
    rows: list[tuple[str, tuple[int, ...], Ink]] = [
        ("Second rater", (145, 55), "human"),
        ("Engine", (129, 71), "engine"),
    ]
    (shares,) = layers(same_scores_chart("k", "a", rows, ("same label", "different label")), Shares)
    assert shares.totals == (200, 200)
    assert shares.inks == ("human", "engine")


def test_only_a_flagged_difference_is_written() -> None:
    shares: tuple[dict[str, Cell], ...] = (
        {"score": "1", "human_percent": 3.0, "system_percent": 6.5, "difference": 3.5},
        {"score": "2", "human_percent": 43.5, "system_percent": 49.5,
         "difference": Estimate("d", 6.0, 200, 0.4, 12.2, kind="percent")},
    )  # fmt: skip
    rows = list(map(Record, shares))
    (pairs,) = layers(distribution_chart(rows, {"2"}), Pairs)
    assert pairs.notes[0] == ""
    assert pairs.notes[1].startswith("+6")
    (plain,) = layers(distribution_chart(rows, ()), Pairs)
    assert plain.notes == ()


def test_an_error_has_color_only_if_rater_error_does_not_explain_it() -> None:
    levels = [
        LevelError("1", 1.0, of(0.3), of(0.28)),
        LevelError("5", 5.0, of(-0.5), of(-0.2)),
        LevelError("6", 6.0, of(-0.9, n=3), of(-0.3)),
    ]
    chart = error_chart(levels, (), 10)
    (dots,) = layers(chart, Dots)
    assert dots.pale == (True, False, False)
    assert dots.hollow == (False, False, True)
    assert dots.low[2] is None
    assert layout.frame(chart).line_labels


def test_an_error_has_color_if_it_differs_from_0_and_rater_error_is_unknown() -> None:
    levels = [LevelError("", at, error, None) for at, error in ((1.0, of(0.3)), (5.0, of(-0.02)), (6.0, of(None)))]
    chart = error_chart(levels, (), 10)
    assert layers(chart, Dots)[0].pale == (False, True, True)
    assert not layers(chart, Line)


def test_calibration_is_a_square_over_the_declared_scale() -> None:
    chart = calibration_chart([(1.4, of(1.2)), (3.0, of(3.3))], {"rows": 2, "off": 0, "worst": None}, 10, 1.0, 6.0)
    frame = layout.frame(chart)
    assert (frame.x.low, frame.x.high, frame.y.low, frame.y.high) == (1.0, 6.0, 1.0, 6.0)
    assert frame.width == pytest.approx(frame.height)
    assert chart.counts_above
