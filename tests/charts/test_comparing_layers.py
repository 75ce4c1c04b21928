"""Layers that compare: zones, fixed scales, panels, pairs, shares, and heat maps."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import sample_charts as sample
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.charts import layout, panels
from reportgen.charts.interactive import figure
from reportgen.charts.layout import PAGE, PHONE, SCREEN
from reportgen.charts.marks import Box, Mark, Text
from reportgen.charts.panels import fits
from reportgen.charts.static import drawn, svg
from reportgen.charts.svg import clean
from reportgen.charts.table import data_table
from reportgen.charts.theme import Colours
from reportgen.results.chart import Axis, Chart, Dots, Line, Pairs, Panel, Shares, Zone, contain
from reportgen.storing.results_file import decode, encode

SVG = "{http://www.w3.org/2000/svg}"
FLAG, HUMAN, ENGINE = Colours().flag, Colours().human, Colours().engine


def one_dot(value: float, **axis: object) -> Chart:
    scale = Axis("QWK", **{"low": 0.4, "high": 1.0, "fixed": True, **axis})  # type: ignore[arg-type]
    return Chart("k", "t", "a", scale, Axis("", ("a",)), (Zone(0.7, None, "required"), Dots("d", ("a",), (value,))))


def texts(chart: Chart, sheet: layout.Sheet = SCREEN) -> list[str]:
    return [label.text or "" for label in ElementTree.fromstring(svg(chart, sheet=sheet)).iter(f"{SVG}text")]


@given(st.floats(-1e9, 1e9), st.booleans())
def test_fixed_axis_with_any_value_contains_it_and_its_limits(value: float, turned: bool) -> None:
    chart = one_dot(value, turned=turned)
    frame, marker = layout.frame(chart), figure(chart)["data"][-1]
    assert frame.x.low <= min(0.4, value)
    assert frame.x.high >= max(1.0, value)
    assert ((frame.x.low, frame.x.high) == (0.4, 1.0)) == (0.4 <= value <= 1.0)
    assert frame.left - 1e-6 <= frame.across(value) <= frame.right + 1e-6
    assert marker["marker"]["symbol"] == ["circle"]


def test_equal_values_of_a_scale_of_one_point_are_contained() -> None:
    assert contain((3.0, 3.0), (3.0, None)) == (3.0, 3.0)


def test_ends_of_zone_are_ticks_with_enough_decimals() -> None:
    chart = Chart("k", "t", "a", Axis("d", low=-0.2, high=0.2, fixed=True), Axis("", ("a",)),
                  (Zone(-0.1, 0.125, "limit"), Dots("d", ("a",), (0.0,))))  # fmt: skip
    scale = layout.frame(chart).x
    assert scale.limits == (-0.1, 0.125)
    assert {"−0.10", "+0.125"} <= set(scale.labels)


@pytest.mark.parametrize("sheet", [SCREEN, PAGE, PHONE])
def test_limit_has_tick_on_any_width(sheet: layout.Sheet) -> None:
    assert "0.70" in layout.frame(one_dot(0.8), sheet).x.labels


def test_panels_with_common_rows_share_names_and_scale() -> None:
    chart = sample.groups()
    placed = panels.places(chart)
    assert [place.y for place in placed] == [0.0, 0.0]
    assert [place.frame.sheet.named for place in placed] == [True, False]
    assert texts(chart).count("Persian") == texts(chart).count("241") == 1
    assert len({round(place.frame.width, 6) for place in placed}) == 1
    assert len({(place.frame.top, place.frame.height) for place in placed}) == 1


def test_panels_on_phone_are_stacked() -> None:
    placed = panels.places(sample.heat_maps(), PHONE)
    assert placed[0].y < placed[1].y
    assert all(place.x + place.frame.right <= PHONE.width for place in placed)


@pytest.mark.slow
@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=25, unique=True), st.integers(1, 6), st.floats(250, 900),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_panels_stay_on_sheet(names: list[str], many: int, width: float, stacked: bool) -> None:
    dots = Dots("d", tuple(names), (0.1,) * len(names), n=(1,) * len(names))
    found = tuple(Panel(f"panel {place}", Axis("x"), (Zone(0.0, 0.2, "limit"), dots)) for place in range(many))
    chart = Chart("k", "t", "a", Axis(""), Axis("", tuple(names)), (), panels=found, stacked=stacked)
    sheet = replace(SCREEN, width=width)
    for place in panels.places(chart, sheet):
        assert place.x + place.frame.right <= width + 0.1 or place.frame.width == 20
    ElementTree.fromstring(svg(chart, sheet=sheet))
    json.dumps(figure(chart, sheet=sheet), allow_nan=False)
    assert len(data_table(chart).rows) == len(names)


def test_heat_maps_have_square_cells_and_common_shading() -> None:
    placed = panels.places(sample.heat_maps(), PAGE)
    assert len({round(side / 6, 3) for place in placed for side in (place.frame.width, place.frame.height)}) == 1
    heat = [trace for trace in figure(sample.heat_maps())["data"] if trace["type"] == "heatmap"]
    assert len({trace["zmax"] for trace in heat}) == 1
    assert heat[0]["text"][0][0] == "43<br><sub>3</sub>"
    assert heat[0]["text"][0][5] == "·"


def test_data_table_of_heat_map_has_percentages_and_counts() -> None:
    table = data_table(sample.heat_maps())
    assert table.rows[0].cells[:4] == ("Engine", "1", "43 (3)", "57 (4)")
    assert {row.cells[0] for row in table.rows} == {"Engine", "Second rater"}
    assert 88 in table.rows[2].cells


def test_markers_show_outcomes() -> None:
    markers = [trace["marker"] for trace in figure(sample.groups())["data"] if trace.get("mode") == "markers"]
    assert markers[0]["line"]["color"] == [FLAG, ENGINE, ENGINE, ENGINE, ENGINE, HUMAN]
    assert [colour == "#ffffff" for colour in markers[0]["color"]] == [False, True, True, False, False, False]
    assert FLAG not in svg(sample.ladder())


@given(st.lists(st.lists(st.integers(0, 10**9), min_size=3, max_size=3), min_size=1, max_size=4))
@settings(deadline=None)
def test_shares_fill_row_and_have_labels(counts: list[list[int]]) -> None:
    rows = tuple(f"row {place}" for place in range(len(counts)))
    shares = Shares(rows, ("same score", "one point apart", "two or more"), tuple(map(tuple, counts)))
    chart = Chart("k", "t", "a", Axis("", low=0, high=100, fixed=True), Axis("", rows), (shares,))
    for row, total in zip(shares.percentages(), shares.totals, strict=True):
        assert sum(row) == pytest.approx(100 if total else 0)
    frame = layout.frame(chart)
    first = next((row for row in shares.percentages() if sum(row)), (0.0, 0.0, 0.0))
    ends = [frame.across(sum(first[: place + 1])) for place in range(3)]
    for label in ElementTree.fromstring(svg(chart)).iter(f"{SVG}text"):
        if label.text in shares.parts[1:]:
            right = float(label.attrib["x"]) + frame.sheet.measure(label.text)
            assert right == pytest.approx(ends[shares.parts.index(label.text)], abs=0.2)
    assert [row.cells[1:4] for row in data_table(chart).rows] == [tuple(each) for each in counts]
    assert {"73%", "65%", "same score"} <= set(texts(sample.same_score()))


def test_pairs_have_key() -> None:
    assert [label for label, *_ in layout.frame(sample.distribution()).key] == ["raters", "engine"]


def test_long_keys_and_names_continue_on_next_line_of_phone() -> None:
    pairs = sample.distribution().layers[0]
    assert isinstance(pairs, Pairs)
    long = replace(
        sample.distribution(), layers=(replace(pairs, labels=("raters of all the nine tasks", "engine " * 5)),)
    )
    assert [line for *_, line in layout.frame(long, PHONE).key] == [0, 1]
    name = "Kendall's tau-b, unrounded engine score"
    row = Chart("k", "t", "a", Axis(""), Axis("", (name,)), (Dots("d", (name,), (0.7,)),))
    assert {"Kendall's tau-b, unrounded", "engine score"} <= set(texts(row, PHONE))
    assert name in texts(row)


def test_grid_extends_above_tallest_bar() -> None:
    assert layout.frame(sample.distribution()).y.ticks[-1] >= 49.5


def test_turned_axis_has_low_values_at_right() -> None:
    frame = panels.places(sample.dumbbells())[1].frame
    assert frame.across(0.55) > frame.across(0.71)
    assert figure(sample.dumbbells())["layout"]["xaxis2"]["range"] == [1.0, 0.0]


def test_equal_keys_appear_once() -> None:
    assert texts(sample.dumbbells()).count("old engine") == 1


def test_notes_and_key_have_fixed_distances() -> None:
    notes = {note["text"]: note for note in figure(sample.dumbbells())["layout"]["annotations"]}
    frame = panels.places(sample.dumbbells())[0].frame
    assert notes["0.67 → 0.78"]["xshift"] == pytest.approx(9)
    for label, left in (("old engine", 16), ("new engine", 16 + 32 + frame.sheet.measure("old engine"))):
        assert notes[label]["x"] == 0
        assert notes[label]["xshift"] == pytest.approx(left - frame.left)


def test_small_multiples_label_lines_once_per_row() -> None:
    placed = panels.places(sample.multiples())
    for y in {place.y for place in placed}:
        assert sum(bool(place.frame.line_labels) for place in placed if place.y == y) == 1


def test_names_are_nearer_to_their_points_than_to_others() -> None:
    names, across, up = ("alone", "left", "right"), (1.0, 7.5, 8.1), (0.3, 0.0, 0.0)
    dots = Dots("d", across, up, along="y", names=names)
    shown = texts(Chart("k", "t", "a", Axis("n", low=0, high=10), Axis("d", low=-0.4, high=0.4), (dots,)))
    assert set(names) & set(shown) == {"alone", "left", "right"}
    crowd = replace(dots, positions=(8.05, 8.0, 8.1), values=(0.0, 0.0, 0.0))
    assert "alone" not in texts(Chart("k", "t", "a", Axis("n", low=0, high=10), Axis("d"), (crowd,)))


def test_square_plot_has_equal_units() -> None:
    frame = layout.frame(sample.calibration())
    assert frame.width == pytest.approx(frame.height)
    assert "2,105" in texts(sample.calibration())


def test_charts_of_panels_do_not_fit_half_page() -> None:
    assert not fits(sample.groups())
    assert not fits(sample.heat_maps())
    assert fits(sample.calibration())


@pytest.mark.parametrize("chart", sample.every(), ids=lambda chart: chart.key)
def test_charts_round_trip(chart: Chart) -> None:
    assert decode(json.loads(json.dumps(encode(chart))), Chart, "chart") == chart


def test_default_values_of_chart_are_not_stored() -> None:
    stored = encode(one_dot(0.8, fixed=False))
    assert not {"panels", "stacked", "square", "counts_above", "names"} & set(stored)
    assert not {"fixed", "turned"} & set(stored["x"])


def test_layers_and_panels_together_raise() -> None:
    with pytest.raises(ValueError, match="put the layers into a panel"):
        replace(sample.groups(), layers=(Line("l", (0.0,), (0.0,)),))


def test_figure_has_every_axis() -> None:
    for chart in sample.every():
        drawn = figure(chart)
        named = {key.replace("axis", "") for key in drawn["layout"] if re.fullmatch(r"[xy]axis\d*", key)}
        used = {trace.get(f"{axis}axis", axis) for trace in drawn["data"] for axis in "xy"}
        assert used <= named, chart.key


@given(st.lists(st.tuples(st.text("ab<&\x00 ", max_size=8), st.sampled_from(["text", "engine"]), st.integers(0, 99))))
def test_grouped_texts_keep_position_and_ink(texts: list[tuple[str, str, int]]) -> None:
    root = ElementTree.fromstring(
        f"<svg>{drawn((Text(said, x, 1, ink=ink) for said, ink, x in texts), Colours())}</svg>"
    )
    found = [(each.text, each.attrib["x"], group.attrib["class"]) for group in root for each in group]
    assert sorted(found) == sorted((clean(said) or " ", str(x), f"fill-{ink}") for said, ink, x in texts)


def test_texts_are_drawn_over_boxes() -> None:
    marks: list[Mark] = [
        Box(0, 0, 9, 9, "engine"), Text("129", 4, 4, ink="paper"), Box(0, 20, 9, 9, "human"), Text("9", 4, 24),
    ]  # fmt: skip
    assert drawn(marks, Colours()).rindex("<path") < drawn(marks, Colours()).index("<text")
