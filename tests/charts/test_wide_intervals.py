"""An axis follows values and usual intervals: one that is much too wide is cut with an arrow, and its numbers stay."""

from reportgen.charts import layout, panels
from reportgen.charts.interactive import figure
from reportgen.charts.layout import PAGE, SCREEN
from reportgen.charts.static import OUTLINES, svg
from reportgen.charts.table import data_table
from reportgen.results.chart import Axis, Chart, Dots, Panel

NAMES = ("a", "b", "c", "d")


def dots(highest: float, lowest: float = 0.2) -> Chart:
    layer = Dots("v", NAMES, (0.5, 0.6, 0.7, 0.9), (0.4, 0.5, 0.6, lowest), (0.6, 0.7, 0.8, highest))
    return Chart("k", "t", "a", Axis("Rater error variance"), Axis("", NAMES), (layer,))


def test_one_huge_interval_does_not_blow_up_the_axis() -> None:
    scale = layout.frame(dots(80.0)).x
    assert scale.high < 1.0
    assert scale.held(80.0) == scale.high
    assert scale.beyond(80.0) == 1


def test_where_an_interval_is_cut_an_arrow_says_so_on_paper_and_screen() -> None:
    for chart, shape in ((dots(80.0), "right"), (dots(1.0, -80.0), "left")):
        assert OUTLINES[shape] in svg(chart)
        symbols = [trace["marker"]["symbol"] for trace in figure(chart)["data"] if "symbol" in trace.get("marker", {})]
        assert [f"triangle-{shape}"] in symbols
        low, high = figure(chart)["layout"]["xaxis"]["range"]
        every = [x for trace in figure(chart)["data"] for x in trace["x"] if x is not None]
        assert low <= min(every), "Plotly drops an arrow beyond its axis"
        assert max(every) <= high
        assert "80" in str(data_table(chart)), "the table under the chart keeps the number"


def test_intervals_that_are_only_somewhat_wider_are_shown_whole() -> None:
    scale = layout.frame(dots(1.1)).x
    assert scale.high >= 1.1
    assert not scale.cut
    assert OUTLINES["right"] not in svg(dots(1.1))


def test_two_intervals_alone_are_shown_whole() -> None:
    layer = Dots("v", ("a", "b"), (0.5, 0.6), (0.4, 0.5), (0.6, 80.0))
    assert layout.frame(Chart("k", "t", "a", Axis("v"), Axis("", ("a", "b")), (layer,))).x.high >= 80


def stacked(*highs: float) -> Chart:
    rows = tuple(f"coefficient {place}" for place in range(6))
    layers = [(Dots("v", rows, (0.5,) * 6, (0.4,) * 6, (high,) * 6),) for high in highs]
    own = tuple(Panel(f"p{place}", Axis("r"), layer, Axis("", rows)) for place, layer in enumerate(layers))
    return Chart("k", "t", "a", Axis(""), Axis(""), (), panels=own, stacked=True)


def test_panels_below_each_other_on_one_axis_have_its_numbers_once() -> None:
    assert svg(stacked(0.6, 0.6, 0.6)).count(">0.50<") == 1
    assert min(each.frame.sheet.measured for each in panels.places(stacked(0.6, 0.7, 0.8))), "each has its own axis"
    shown = [axis["showticklabels"] for name, axis in figure(stacked(0.6, 0.6))["layout"].items() if "xaxis" in name]
    assert shown == [False, True]


def test_many_rows_of_panels_stand_closer_on_paper_only() -> None:
    row = [
        place.frame.height / 6
        for sheet in (SCREEN, PAGE)
        for place in panels.places(stacked(0.6, 0.6, 0.6, 0.6), sheet)[:1]
    ]
    assert row == [layout.ROW, layout.DENSE_ROW]
