"""Axes follow values and typical intervals, and lines and columns have readable labels."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts import layout, panels
from reportgen.charts.interactive import figure
from reportgen.charts.layout import PAGE, SCREEN
from reportgen.charts.static import OUTLINES, svg
from reportgen.charts.table import data_table
from reportgen.results.chart import Axis, Cells, Chart, Dots, Line, Panel

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("a", "b", "c", "d")


def dots(highest: float, lowest: float = 0.2) -> Chart:
    layer = Dots("v", NAMES, (0.5, 0.6, 0.7, 0.9), (0.4, 0.5, 0.6, lowest), (0.6, 0.7, 0.8, highest))
    return Chart("k", "t", "a", Axis("Rater error variance"), Axis("", NAMES), (layer,))


def test_huge_interval_does_not_extend_axis() -> None:
    scale = layout.frame(dots(80.0)).x
    assert scale.high < 1.0
    assert scale.held(80.0) == scale.high
    assert scale.beyond(80.0) == 1


def test_cut_interval_has_arrow() -> None:
    for chart, shape in ((dots(80.0), "right"), (dots(1.0, -80.0), "left")):
        assert OUTLINES[shape] in svg(chart)
        symbols = [trace["marker"]["symbol"] for trace in figure(chart)["data"] if "symbol" in trace.get("marker", {})]
        assert [f"triangle-{shape}"] in symbols
        low, high = figure(chart)["layout"]["xaxis"]["range"]
        every = [x for trace in figure(chart)["data"] for x in trace["x"] if x is not None]
        assert low <= min(every), "Plotly drops an arrow beyond its axis"
        assert max(every) <= high
        assert "80" in str(data_table(chart)), "the table below the chart has the number"


def test_slightly_wider_interval_is_complete() -> None:
    scale = layout.frame(dots(1.1)).x
    assert scale.high >= 1.1
    assert not scale.cut
    assert OUTLINES["right"] not in svg(dots(1.1))


def test_two_intervals_are_complete() -> None:
    layer = Dots("v", ("a", "b"), (0.5, 0.6), (0.4, 0.5), (0.6, 80.0))
    assert layout.frame(Chart("k", "t", "a", Axis("v"), Axis("", ("a", "b")), (layer,))).x.high >= 80


def stacked(*highs: float) -> Chart:
    rows = tuple(f"coefficient {place}" for place in range(6))
    layers = [(Dots("v", rows, (0.5,) * 6, (0.4,) * 6, (high,) * 6),) for high in highs]
    own = tuple(Panel(f"p{place}", Axis("r"), layer, Axis("", rows)) for place, layer in enumerate(layers))
    return Chart("k", "t", "a", Axis(""), Axis(""), (), panels=own, stacked=True)


def test_stacked_panels_on_same_axis_share_ticks() -> None:
    assert svg(stacked(0.6, 0.6, 0.6)).count(">0.50<") == 1
    assert min(each.frame.sheet.measured for each in panels.places(stacked(0.6, 0.7, 0.8))), "each has its own axis"
    shown = [axis["showticklabels"] for name, axis in figure(stacked(0.6, 0.6))["layout"].items() if "xaxis" in name]
    assert shown == [False, True]


def test_many_panel_rows_are_denser_on_paper() -> None:
    row = [
        place.frame.height / 6
        for sheet in (SCREEN, PAGE)
        for place in panels.places(stacked(0.6, 0.6, 0.6, 0.6), sheet)[:1]
    ]
    assert row == [layout.ROW, layout.DENSE_ROW]


def named(*ends: float) -> Chart:
    lines = tuple(Line(f"line {place}", (0.0, 1.0), (0.0, end)) for place, end in enumerate(ends))
    return Chart("k", "t", "a", Axis("x"), Axis("y"), lines)


def samples(root: ElementTree.Element, right: float) -> list[tuple[float, float]]:
    """Return the starts of lines at the right of a plot."""
    drawn = "".join(path.attrib["d"] for path in root.iter(f"{SVG}path"))
    found = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+),([\d.]+)L", drawn)]
    return [each for each in found if each[0] > right]


@pytest.mark.parametrize("sheet", [layout.SCREEN, layout.HALF], ids=lambda s: str(s.width))
def test_several_lines_are_labeled_with_samples(sheet: layout.Sheet) -> None:
    chart = named(1.0, 0.99, 0.98)
    frame = layout.frame(chart, sheet)
    root = ElementTree.fromstring(svg(chart, sheet=sheet))
    beside = samples(root, frame.right)
    heights = {label.text: float(label.attrib["y"]) - 4 for label in root.iter(f"{SVG}text")}
    assert sorted(y for _, y in beside) == pytest.approx(sorted(heights[f"line {n}"] for n in range(3)))
    assert len([shape for shape in figure(chart)["layout"]["shapes"] if shape["type"] == "line"]) == 3
    alone = named(1.0)
    assert not samples(ElementTree.fromstring(svg(alone)), layout.frame(alone).right)


def test_long_column_names_lose_common_words_first() -> None:
    names = tuple(f"Performance level {n}" for n in range(1, 5))
    cells = Cells(names, names, ((1.0,) * 4,) * 4, (("1",) * 4,) * 4, "% of the row")
    frame = layout.frame(Chart("k", "t", "a", Axis("engine"), Axis("human"), (cells,)), layout.HALF)
    assert frame.x.labels == ("1", "2", "3", "4")
    assert frame.y.labels == names


@given(st.floats(0.001, 1e6), st.floats(1, 1.5))
def test_a_ratio_axis_of_like_numbers_has_a_tick(number: float, ratio: float) -> None:
    chart = Chart("k", "t", "a", Axis("n", ratio=True), Axis("v"), (Dots("v", (0.1, 0.2), (number, number * ratio)),))
    scale = layout.frame(chart).x
    assert scale.labels
    assert scale.low <= number <= number * ratio <= scale.high
