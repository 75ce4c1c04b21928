"""A chart that does not fit a page moves after the next paragraph, and the order of figures stays."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.rendering.page_filling import HEIGHTS, classes, fill

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
