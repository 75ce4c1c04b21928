"""On paper, a long list of names and values has two halves and keeps every row."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.rendering.page_filling import MOST, halve, lines, split


def page(rows: list[tuple[str, str]], kind: str = "table facts") -> ET.Element:
    """Return the body of a page with one table."""
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
    body = page(rows)
    halve(body)
    assert [(row[0].text or "", row[1].text or "") for part in body.iter("tbody") for row in part] == rows
    halves = list(body.iter("tbody"))
    assert all(len(half) for half in halves)
    highest = max(lines(row) for half in halves for row in half)
    assert all(sum(map(lines, half)) <= MOST + highest for half in halves)
    assert len(list(body.iter("caption"))) == 1
    assert len(list(body.iter("thead"))) == len(halves)


def test_two_halves_share_line_and_caption() -> None:
    body = page([(f"name.{number}", "1") for number in range(20)])
    halve(body)
    (line,) = body.findall("div/div/div[@class='halves below-caption']")
    first, second = line.findall("table")
    assert first.find("caption") is not None
    assert second.find("caption") is None
    assert len(first.findall("tbody/tr")) == 20 / 2


def test_other_tables_are_not_halved() -> None:
    body = page([("a", "1")] * 30, kind="table")
    before = ET.tostring(body)
    halve(body)
    assert ET.tostring(body) == before


@pytest.mark.parametrize("heights", [[1] * 7, [9, 1, 1, 1], [1, 1, 1, 9], [2, 3, 1, 4, 1, 1]])
def test_split_minimizes_height(heights: list[int]) -> None:
    def highest(first: int) -> int:
        return max(sum(heights[:first]), sum(heights[first:]))

    assert highest(split(heights)) == min(map(highest, range(1, len(heights) + 1)))
