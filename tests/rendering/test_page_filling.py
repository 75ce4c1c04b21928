"""Charts and tables move, share a line, or are split in halves so that pages are filled, and none is lost."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
import sample_report as sample
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts import layout
from reportgen.charts.layout import HALF, TEXT
from reportgen.charts.panels import level
from reportgen.charts.theme import Colours
from reportgen.rendering.filters import HEADLINE, anchor, parted
from reportgen.rendering.notebook import NotebookPiece, balance
from reportgen.rendering.page_filling import DRAWING, HEIGHTS, MOST, classes, fill, halve, lines, paired, split
from reportgen.results.chart import Axis, Chart, Line, Rule

SVG = "{http://www.w3.org/2000/svg}svg"


def paragraph(words: int, kind: str = "") -> ET.Element:
    node = ET.Element("p", {"class": kind})
    node.text = "engine " * words
    return node


def chart(high: float, kind: str = "chart") -> ET.Element:
    node = ET.Element("figure", {"class": kind})
    ET.SubElement(node, SVG, {"viewBox": f"0 0 165 {high}"})
    return node


def table(rows: int, kind: str = "table") -> ET.Element:
    node = ET.Element("div", {"class": kind})
    for _ in range(rows + 1):
        ET.SubElement(node, "tr")
    return node


def page(*blocks: ET.Element) -> ET.Element:
    body = ET.Element("body")
    section = ET.SubElement(body, "section", {"class": "section"})
    section.extend(blocks)
    return body


def filled(*blocks: ET.Element, paper: str = "A4") -> list[int]:
    """Return the places of the blocks, in the order of the filled pages."""
    body = page(*blocks)
    fill(body, paper)
    (section,) = body
    return [blocks.index(each) for each in section]


def test_a_chart_that_does_not_fit_waits_behind_the_paragraphs_that_follow_it() -> None:
    found = filled(chart(180), chart(90), paragraph(60), paragraph(60), ET.Element("h2"), paragraph(9))
    assert found[:2] == [0, 2]
    assert found.index(1) < found.index(4)  # never behind the next heading


def test_a_chart_that_fits_or_leaves_little_room_stays_where_it_is() -> None:
    for high in (90, 235):
        assert filled(chart(high), chart(90), paragraph(60)) == [0, 1, 2]


def test_a_table_that_is_broken_anyway_waits_for_nothing_and_a_short_one_does() -> None:
    for kind, expected in (("table", [0, 1, 2]), ("table short", [0, 2, 1])):
        assert filled(chart(200), table(12, kind), paragraph(20)) == expected


def test_a_table_that_has_room_comes_before_a_chart_that_has_none_and_never_before_a_table() -> None:
    for waiting, rows, expected in (
        (chart(120), 5, [0, 2, 1]),
        (chart(120), 20, [0, 1, 2]),
        (table(20, "table short"), 5, [0, 1, 2]),
    ):
        assert filled(chart(170), waiting, table(rows, "table short")) == expected


def test_paper_of_another_height_is_filled_by_its_own() -> None:
    orders = [filled(chart(150), chart(80), paragraph(40), paper=paper) for paper in HEIGHTS]
    assert orders == [[0, 1, 2], [0, 2, 1]]


@pytest.mark.parametrize(("before", "close"), [(20, False), (255, True)])
def test_references_that_would_begin_a_page_alone_are_set_smaller(before: float, close: bool) -> None:
    works = ET.Element("div", {"class": "works"})
    ET.SubElement(works, "li").text = "Cohen, J. (1960). A coefficient of agreement for nominal scales. " * 4
    fill(page(chart(before), works), "A4")
    assert ("close" in classes(works)) == close


BLOCKS = st.one_of(
    st.builds(paragraph, st.integers(1, 200), st.sampled_from(["", "caveat", "headline", "kicker"])),
    st.builds(chart, st.floats(20, 300)),
    st.builds(table, st.integers(1, 60), st.sampled_from(["table", "table short", "table checks", "table facts"])),
    st.builds(ET.Element, st.sampled_from(["h2", "h3", "ul", "pre"])),
)


@given(st.lists(BLOCKS, max_size=12).map(tuple), st.sampled_from(sorted(HEIGHTS)))
def test_no_block_is_lost_no_figure_passes_another_and_no_text_leaves_its_heading(
    blocks: tuple[ET.Element, ...], paper: str
) -> None:
    found = filled(*blocks, paper=paper)
    assert sorted(found) == list(range(len(blocks)))
    for fixed in (("figure",), ("div",), ("h2", "h3"), ("p", "ul")):
        kept = [index for index in found if blocks[index].tag in fixed]
        assert kept == sorted(kept)
    for place, heading in enumerate(blocks):
        if heading.tag in ("h2", "h3"):
            assert set(found[: found.index(place)]) == set(range(place))


WORDS: dict[str, Any] = {"cell_type": "markdown", "source": "words", "metadata": {}}


def chart_cell(chart: Chart) -> dict[str, Any]:
    about = {"kind": "chart", "id": anchor("chart", chart.key)}
    outputs = [{"data": {DRAWING: "<svg/>"}, "metadata": {"reportgen": about}}]
    return {"cell_type": "code", "metadata": {}, "outputs": outputs}


def table_cell(small: int) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [{"data": {}, "metadata": {"reportgen": {"kind": "table", "small": small}}}],
    }


def sizes(*cells: dict[str, Any], charts: tuple[Chart, ...] = ()) -> list[int]:
    lines = paired(cells, charts, Colours())
    assert [cell["cell_type"] for line in lines for cell in line] == [cell["cell_type"] for cell in cells]
    return [len(line) for line in lines]


def test_two_small_tables_share_line() -> None:
    assert sizes(table_cell(30), table_cell(40), table_cell(20)) == [2, 1]


def test_text_and_wide_tables_separate_pairs() -> None:
    assert sizes(table_cell(30), WORDS, table_cell(30)) == [1, 1, 1]
    assert sizes(table_cell(30), table_cell(0), table_cell(30), table_cell(90)) == [1, 1, 1, 1]


def test_wider_table_has_its_own_line() -> None:
    chart = sample.dsm_chart(("a", "b"))
    assert sizes(chart_cell(chart), table_cell(55), charts=(chart,)) == [1, 1]


@pytest.mark.parametrize(("kind", "width"), [("two-columns", HALF.width), ("evidence", TEXT.width)])
def test_charts_in_template_columns_have_their_width(kind: str, width: float) -> None:
    chart = sample.dsm_chart(("a", "b"))
    cell = chart_cell(chart)
    cell["outputs"][0]["metadata"]["reportgen"].update(id=anchor("brief", chart.key), alt="What it shows here.")
    begin, end = f'<div class="brief"><div class="{kind}">\n<div>', "</div></div></div>"
    texts = [("markdown", begin), ("code", "show"), ("code", "show"), ("markdown", end)]
    columns = balance(NotebookPiece(of, text, {}) for of, text in texts)
    cells = [cell | {"metadata": {"reportgen": piece.about}} for piece in columns]
    lines = paired([*cells, chart_cell(chart)], (chart,), Colours())
    assert [len(line) for line in lines] == [1] * 3
    inside, behind = (lines[place][0]["outputs"][0]["data"][DRAWING] for place in (1, 2))
    assert f'width="{width:.0f}"' in inside
    assert "What it shows here." in inside
    assert 'width="640"' in behind


def test_charts_are_drawn_for_their_width() -> None:
    chart = sample.dsm_chart(("a", "b"))
    alone, pair = (paired([chart_cell(chart)] * n, (chart,), Colours()) for n in (1, 2))
    assert 'width="640"' in alone[0][0]["outputs"][0]["data"][DRAWING]
    assert all(f'width="{HALF.width:.0f}"' in cell["outputs"][0]["data"][DRAWING] for cell in pair[0])


def test_custom_figures_are_kept() -> None:
    cell = chart_cell(sample.dsm_chart(("a", "b")))
    assert paired([cell, cell], (), Colours())[0] == (cell,)


@pytest.mark.parametrize(
    ("headline", "opening"),
    [
        (f"First sentence. Second [0.1, 0.2] sentence. {'x' * 200}", "First sentence. Second [0.1, 0.2] sentence."),
        (f"Outside lies St. Louis {'x' * 190} end.", f"Outside lies St. Louis {'x' * 190} end."),
    ],
)
def test_long_headline_ends_with_sentence(headline: str, opening: str) -> None:
    first, rest = parted(headline)
    assert first == opening
    assert not rest or len(first) <= HEADLINE
    letters = [character.lower() for character in first + rest if character.isalnum()]
    assert letters == [character.lower() for character in headline if character.isalnum()]


def test_paired_plots_have_same_height() -> None:
    line = Line("reliability", (1.0, 5.0), (0.7, 0.9))
    high = Chart("a", "t", "a", Axis("Ratings"), Axis("Reliability"), (line,))
    low = Chart("b", "t", "a", Axis("Score"), Axis("Variance"), (line, Rule(0.8, "of all the responses", "y")))
    assert layout.frame(high, HALF).height > layout.frame(low, HALF).height
    whole_pixels = round(layout.frame(high, HALF).height)
    assert [layout.frame(chart, HALF).height for chart in level((high, low))] == [whole_pixels] * 2


def page_of_tables(rows: list[tuple[str, str]], kind: str = "table facts") -> ET.Element:
    """Return the body of a page_of_tables with one table."""
    body = ET.Element("body")
    scroll = ET.SubElement(ET.SubElement(body, "div", {"class": kind, "id": "t"}), "div", {"class": "scroll"})
    table = ET.SubElement(scroll, "table")
    ET.SubElement(table, "caption").text = "Settings"
    head = ET.SubElement(ET.SubElement(table, "thead"), "tr")
    for title in ("Name", "Value"):
        ET.SubElement(head, "th").text = title
    inside = ET.SubElement(table, "tbody")
    for name, value in rows:
        row = ET.SubElement(inside, "tr")
        ET.SubElement(row, "th").text = name
        ET.SubElement(row, "td").text = value
    return body


@given(st.lists(st.tuples(st.text("ab.", min_size=1, max_size=60), st.text("xyz", max_size=300)), min_size=13))
def test_every_row_is_kept_in_order_and_no_half_is_higher_than_a_page(rows: list[tuple[str, str]]) -> None:
    body = page_of_tables(rows)
    halve(body)
    assert [(row[0].text or "", row[1].text or "") for part in body.iter("tbody") for row in part] == rows
    halves = list(body.iter("tbody"))
    assert all(len(half) for half in halves)
    highest = max(lines(row) for half in halves for row in half)
    assert all(sum(map(lines, half)) <= MOST + highest for half in halves)
    assert len(list(body.iter("caption"))) == 1
    assert len(list(body.iter("thead"))) == len(halves)


def test_two_halves_share_line_and_caption() -> None:
    body = page_of_tables([(f"name.{number}", "1") for number in range(20)])
    halve(body)
    (line,) = body.findall("div/div/div[@class='halves below-caption']")
    first, second = line.findall("table")
    assert first.find("caption") is not None
    assert second.find("caption") is None
    assert len(first.findall("tbody/tr")) == 20 / 2


def test_other_tables_are_not_halved() -> None:
    body = page_of_tables([("a", "1")] * 30, kind="table")
    before = ET.tostring(body)
    halve(body)
    assert ET.tostring(body) == before


@pytest.mark.parametrize("heights", [[1] * 7, [9, 1, 1, 1], [1, 1, 1, 9], [2, 3, 1, 4, 1, 1]])
def test_split_minimizes_height(heights: list[int]) -> None:
    def highest(first: int) -> int:
        return max(sum(heights[:first]), sum(heights[first:]))

    assert highest(split(heights)) == min(map(highest, range(1, len(heights) + 1)))
