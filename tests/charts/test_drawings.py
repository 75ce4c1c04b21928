"""Charts can be drawn for page, screen, and paper, with readable labels, fitting axes, and escaped text."""

import itertools
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
import sample_charts
import sample_report as sample
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.charts import layout, panels, theme
from reportgen.charts.interactive import figure
from reportgen.charts.layout import PAGE, SCREEN
from reportgen.charts.marks import Box, Text
from reportgen.charts.panels import fits
from reportgen.charts.static import OUTLINES, svg
from reportgen.charts.table import data_table
from reportgen.charts.theme import Colours
from reportgen.errors import SettingsError
from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Line, Pairs, Panel, Rule, Spans

SVG = "{http://www.w3.org/2000/svg}"


def anchored(node: ElementTree.Element, anchor: str, inherited: str = "") -> list[ElementTree.Element]:
    """Return the texts of a drawing with this anchor, also if a group sets it."""
    own = node.attrib.get("text-anchor", inherited)
    found = [node] if node.tag == f"{SVG}text" and own == anchor else []
    return found + [each for child in node for each in anchored(child, anchor, own)]


def filled(chart: Chart) -> int:
    """Return the number of filled cells of a heat map."""
    layer = chart.layers[0]
    assert isinstance(layer, Cells)
    return sum((value or 0) > 0 for row in layer.values for value in row)


def charts() -> list[Chart]:
    """Return charts with every kind of layer and extreme values."""
    nothing = Axis("")
    wide = tuple(f"item {index}" for index in range(80))
    return [
        sample.dsm_chart(sample.group_names(14)),
        sample.dsm_chart(sample.group_names(60)),
        sample.dsm_chart(sample.HOSTILE),
        sample.dsm_chart(tuple(f"{index} " + "W" * 300 for index in range(200))),
        sample.distribution_chart(),
        sample.calibration_chart(),
        sample.confusion_chart(),
        sample.lines_chart(),
        Chart("empty", "", "Nothing.", nothing, nothing, ()),
        Chart("one", "", "One.", nothing, nothing, (Dots("", (1.0,), (1.0,), along="y"),)),
        Chart("gap", "", "None.", nothing, Axis("", ("a",)),
              (Dots("", ("a", "b"), (None, 1.0), (None, 0.0), (None, 2.0)),)),
        Chart("bars", "", "Many.", Axis("", wide), nothing, (Bars("", wide, tuple(float(i) for i in range(80))),)),
        Chart("negative", "", "Below.", Axis("", ("a",)), nothing,
              (Bars("", ("a",), (-3.0,)), Bars("", ("a",), (None,)))),
        Chart("large", "", "Far.", nothing, nothing, (Line("", (0.0, 1e12), (1e-12, 1e12)), Rule(1e11, "r", "y"))),
        Chart("nan", "", "Not a number.", nothing, nothing, (Line("", (0.0, 1.0), (float("nan"), 1.0)),)),
        Chart("cells", "", "Empty cells.", nothing, nothing, (Cells(("a",), ("b",), ((None,),), (("",),), "n"),)),
        Chart("dates", "", "Dates.", nothing, Axis("", ("2020-01-01", "2020-01-02")),
              (Dots("", ("2020-01-02",), (1.0,)),)),
        *sample_charts.every(),
    ]  # fmt: skip


@pytest.mark.parametrize("chart", charts(), ids=lambda chart: chart.key)
def test_chart_can_be_drawn_on_every_sheet(chart: Chart) -> None:
    for sheet in (layout.SCREEN, layout.PAGE, layout.HALF, layout.TEXT, layout.PHONE):
        if not sheet.printed or sheet.width >= theme.WIDTH or fits(chart, sheet):
            assert_labels_inside(chart, sheet)
    assert_plain_json(figure(chart), chart)
    names = {str(cell) for row in data_table(chart).rows for cell in row.cells[:2]}
    for layer in chart.every_layer():
        if isinstance(layer, (Dots, Bars, Pairs, Spans)):
            assert {position for position in layer.positions if isinstance(position, str)} <= names


def assert_labels_inside(chart: Chart, sheet: layout.Sheet) -> None:
    root = ElementTree.fromstring(svg(chart, sheet=sheet))
    assert root.attrib["aria-label"] == chart.alt or not chart.alt.isprintable()
    assert root.findtext(f"{SVG}title") in (chart.alt, None if sheet is layout.PHONE else chart.alt)
    height = float(root.attrib["viewBox"].split()[3])
    for label in root.iter(f"{SVG}text"):
        assert 0 <= float(label.attrib["x"]) <= sheet.width
        assert 0 <= float(label.attrib["y"]) <= height
    for label in anchored(root, "end"):
        if label.text:
            assert float(label.attrib["x"]) >= 0.4 * theme.SIZE * len(label.text.strip()) or len(label.text) > 30


def assert_plain_json(drawn: dict[str, Any], chart: Chart) -> None:
    assert "<script" not in json.dumps(drawn, allow_nan=False)
    placed = panels.places(layout.trimmed(chart)[0])
    assert drawn["layout"]["height"] == round(panels.total(placed, panels.shared_axis(chart)))
    for trace in drawn["data"]:
        assert len(trace["x"]) == len(trace["y"]) or trace["type"] == "heatmap"


def test_data_table_has_values_intervals_and_counts() -> None:
    table = data_table(sample.calibration_chart())
    assert [column.label for column in table.columns] == ["Engine score", "identity", "Mean human score", "n"]
    cells = table.row("1.25")
    estimate = cells["layer_1"]
    assert estimate.value == pytest.approx(0.35 + 0.9 * 1.25)  # type: ignore[union-attr]
    assert cells["n"] == 12


def test_data_table_of_heat_map_is_matrix() -> None:
    table = data_table(sample.confusion_chart())
    assert [row.cells[0] for row in table.rows] == ["1", "2", "3", "4", "5", "6"]
    assert table.rows[0].cells[1] == "95"
    printed = [mark for plot in panels.places(sample_charts.heat_maps()) for mark in plot.layer(plot.chart.layers[0])]
    darkest = min(light(Colours().engine, float(mark.opacity or 1)) for mark in printed if isinstance(mark, Box))
    assert all(darkest >= 4.5 * light(Colours().of(mark.ink)) for mark in printed if isinstance(mark, Text))


def light(colour: str, shade: float = 1.0) -> float:
    """Return the luminance (WCAG 2) of a color on white, plus .05, for contrast ratios."""
    parts = (1 - shade + shade * int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05


def large_heat_map(size: int = 100) -> Chart:
    names = tuple(str(score) for score in range(size))
    values = tuple(tuple(float(i * j % 7) for j in range(size)) for i in range(size))
    texts = tuple(tuple(f"{value:.0f}" for value in row) for row in values)
    cells = Cells(names, names, values, texts, "responses", frame_diagonal=True)
    return Chart("large", "t", "a", Axis("engine", names), Axis("human", names), (cells,))


def test_large_heat_map_keeps_rows_without_texts() -> None:
    chart = large_heat_map()
    kept, left_out = layout.trimmed(chart)
    assert (len(kept.y.categories), left_out) == (100, 0)
    root = ElementTree.fromstring(svg(chart))
    labels = anchored(root, "end")
    heights = sorted(float(label.attrib["y"]) for label in labels)[:-1]  # without the name of the axis
    assert min(after - before for before, after in itertools.pairwise(heights)) >= theme.SIZE - 0.2
    squares = "".join(path.attrib["d"] for path in root.iter(f"{SVG}path") if "fill-opacity" in path.attrib).count("M")
    assert squares == filled(chart)
    drawn = figure(chart)["data"][0]
    assert "text" not in drawn
    assert len(drawn["z"]) == 100


def test_large_heat_map_is_small_and_lists_largest_cells() -> None:
    chart = large_heat_map()
    assert len(svg(chart)) < 400_000
    assert len(json.dumps(figure(chart))) < 100_000
    table = data_table(chart)
    assert (table.rows[0].cells[2], len(table.rows), table.max_rows) == ("6", filled(chart), 200)


def test_flagged_and_hollow_dots_have_shapes() -> None:
    dots = Dots("d", ("a", "b", "c"), (0.1, 0.2, 0.3), hollow=(False, True, False), flagged=(False, False, True))
    chart = Chart("k", "t", "a", Axis("x"), Axis("y", ("a", "b", "c")), (dots,))
    paths = re.findall(r'd="M[\d.]+,[\d.]+(m[^"]+z)" fill="(#[^"]+)"', svg(chart))
    assert [shape for shape, _ in paths] == [OUTLINES[shape] for shape in ("circle", "circle", "diamond")]
    assert [fill == theme.PAPER for _, fill in paths] == [False, True, False]
    markers = figure(chart)["data"][-1]["marker"]
    assert markers["symbol"] == ["circle", "circle", "diamond"]
    assert markers["color"][1] == theme.PAPER


def test_n_is_at_right_edge() -> None:
    root = ElementTree.fromstring(svg(sample.dsm_chart(("a", "b"))))
    edge = [label.text for label in root.iter(f"{SVG}text") if float(label.attrib["x"]) > theme.WIDTH - 10]
    assert edge == ["n", "1,500", "750"]


def test_labels_of_rules_do_not_overlap() -> None:
    rules = tuple(Rule(at, "a long label") for at in (0.0, 0.01, 0.02, 1.0))
    chart = Chart("k", "t", "a", Axis("x"), Axis("y", ("a",)), (*rules, Dots("d", ("a",), (0.5,))))
    assert [level for *_, level in layout.frame(chart).upright] == [0, 1, 2, 0]
    assert svg(chart).count("a long label") == 4


def test_label_of_rule_avoids_column_of_n() -> None:
    rule = Rule(0.80, "R² with true scores 0.80")
    dots = Dots("", ("low", "high"), (0.3, 0.7), (0.29, 0.69), (0.31, 0.71), n=(50, 50))
    chart = Chart("rule", "", "A rule.", Axis("R²"), Axis("Raters", ("low", "high")), (dots, rule))
    frame = layout.frame(chart)
    root = ElementTree.fromstring(svg(chart))
    (still,) = (float(each.attrib["x"]) for each in root.iter(f"{SVG}text") if each.text == rule.label)
    (live,) = (note for note in figure(chart)["layout"]["annotations"] if note["text"] == rule.label)
    for middle in (still, frame.left + frame.width * live["x"] + live["xshift"]):
        assert middle + frame.sheet.measure(rule.label) / 2 <= frame.outer - frame.for_n + 0.1
    assert still < frame.across(rule.at)


def test_horizontal_rule_is_labeled_outside_plot() -> None:
    dots = Dots("d", ("a", "b"), (0.1, 0.2), along="y")
    chart = Chart("k", "t", "a", Axis("x", ("a", "b")), Axis("y"), (Rule(0.15, "all responses", axis="y"), dots))
    frame = layout.frame(chart)
    root = ElementTree.fromstring(svg(chart))
    name = next(label for label in root.iter(f"{SVG}text") if label.text == "all responses")
    assert float(name.attrib["x"]) > frame.right
    notes = figure(chart)["layout"]["annotations"]
    assert [note["xanchor"] for note in notes if note["text"] == "all responses"] == ["left"]


def test_small_charts_fit_half_page() -> None:
    assert fits(sample.distribution_chart())
    assert not fits(sample.calibration_chart())  # the counts of its nine bands would overlap
    assert fits(sample.dsm_chart(("a", "b")))
    assert not fits(sample.dsm_chart(("W" * 40, "b")))
    assert not fits(sample.dsm_chart(sample.group_names(60)))


def test_ticks_of_narrow_axis_do_not_overlap() -> None:
    dots = Dots("d", ("a",), (0.0001,), (-0.0003,), (0.0004,))
    chart = Chart("k", "t", "a", Axis("x"), Axis("y", ("a",)), (dots,))
    wide, narrow = layout.frame(chart).x, layout.frame(chart, replace(layout.HALF, width=220.0))
    assert len(narrow.x.ticks) < len(wide.ticks)
    assert 0.0 in narrow.x.ticks
    apart = narrow.across(narrow.x.ticks[1]) - narrow.across(narrow.x.ticks[0])
    assert apart > narrow.sheet.measure(max(narrow.x.labels, key=len))


def test_bars_begin_at_zero_without_overlap() -> None:
    root = ElementTree.fromstring(svg(sample.distribution_chart()))
    drawn = "".join(path.attrib["d"] for path in root.iter(f"{SVG}path"))
    found = [tuple(map(float, bar)) for bar in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)h", drawn)]
    bars = [bar for bar in found if bar[2] > 12]
    assert len(bars) == 12
    assert len({round(y + height) for _, y, _, height in bars}) == 1
    ends = sorted((x, x + width) for x, _, width, _ in bars)
    assert all(right <= left for (_, right), (left, _) in itertools.pairwise(ends))


def test_trimmed_keeps_fifty_groups_and_flagged() -> None:
    names = tuple(f"group {index}" for index in range(100))
    flagged = tuple(index == 99 for index in range(100))
    dots = Dots("d", names, (0.0,) * 100, n=tuple(range(100, 0, -1)), flagged=flagged)
    chart, left_out = layout.trimmed(Chart("k", "t", "a", Axis("x"), Axis("y", names), (dots,)))
    assert left_out == 50
    assert [f"group {index}" in chart.y.categories for index in (99, 48, 50)] == [True, True, False]


def test_colors_of_settings_are_used() -> None:
    colours = Colours(engine="#00ff00")
    assert "#00ff00" in svg(sample.distribution_chart(), colours)
    assert "#00ff00" in json.dumps(figure(sample.distribution_chart(), colours))
    assert theme.dark_colours(colours)["#6b737d"] == "#7f8893"
    assert "#00ff00" not in theme.dark_colours(colours)


@pytest.mark.parametrize("colour", ["red", "#12", "#123456;}", "url(x)"])
def test_invalid_color_raises(colour: str) -> None:
    with pytest.raises(SettingsError, match="expected a colour such as"):
        Colours(flag=colour)


def test_chart_without_alt_text_raises() -> None:
    with pytest.raises(ValueError, match="no alt text"):
        replace(sample.distribution_chart(), alt=" ")


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=40), st.floats(width=32) | st.none()), max_size=12, unique_by=lambda pair: pair[0]
    ),
    st.text(max_size=60),
)
def test_any_names_and_numbers_can_be_drawn(pairs: list[tuple[str, float | None]], label: str) -> None:
    names = tuple(name for name, _ in pairs)
    dots = Dots(label, names, tuple(value for _, value in pairs))
    chart = Chart("k", label, "alt", Axis(label), Axis(label, names), (dots, Rule(0.0, label)))
    ElementTree.fromstring(svg(chart))
    json.dumps(figure(chart), allow_nan=False)
    assert len(data_table(chart).rows) == len(pairs)


def test_hover_of_heat_map_shows_small_values() -> None:
    cells = Cells(("a",), ("b", "c"), ((40.0, 0.012),), (("40", "0"),), "% of the row")
    drawn = figure(Chart("k", "t", "a", Axis("x"), Axis("y"), (cells,)))
    assert "%{z:,.2f}" in drawn["data"][0]["hovertemplate"]  # other percentages have one decimal
    plain = Cells(("a",), ("b", "c"), ((40.0, 12.0),), (("40", "0"),), "% of the row")
    drawn = figure(Chart("k", "t", "a", Axis("x"), Axis("y"), (plain,)))
    assert "%{z:,.1f}" in drawn["data"][0]["hovertemplate"]


def test_dots_and_intervals_share_legend_group() -> None:
    engine = Dots("Engine", ("a", "b"), (0.7, 0.6), (0.6, 0.5), (0.8, 0.7), n=(200, 90))
    rater = Dots("Rater <2>", ("a", "b"), (0.8, 0.7), (0.7, 0.6), (0.9, 0.8), n=(200, 90), ink="human")
    chart = Chart("k", "Two", "They differ.", Axis("QWK"), Axis("Group", ("a", "b")), (engine, rater))
    groups = [trace.get("legendgroup") for trace in figure(chart)["data"]]
    assert (groups.count("Engine"), groups.count("Rater &lt;2&gt;")) == (2, 2)


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
