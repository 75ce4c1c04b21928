"""What many elements have alike is written once, and nothing is lost by it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts.svg import element, grouped, words

INKS = st.sampled_from(["#000000", "#143d66"])


@given(st.lists(st.tuples(st.text(max_size=8), INKS, st.integers(0, 99))))
def test_every_text_keeps_its_words_its_place_and_its_ink(texts: list[tuple[str, str, int]]) -> None:
    parts = [element("text", words(said) or " ", x=x, y=1, fill=ink, class_="fill-text") for said, ink, x in texts]
    before, after = (ElementTree.fromstring(f"<svg>{''.join(each)}</svg>") for each in (parts, grouped(parts)))
    assert sorted(told(before)) == sorted(told(after))
    assert len("".join(grouped(parts))) <= len("".join(parts)) + 20


def told(node: ElementTree.Element, ink: str = "") -> list[tuple[str, str, str]]:
    own = node.attrib.get("fill", ink)
    found = [(node.text or "", node.attrib["x"], own)] if node.tag == "text" else []
    return found + [each for child in node for each in told(child, own)]


def test_what_stands_alone_is_left_as_it_is() -> None:
    parts = [element("text", "a", x=1, fill="#000000"), element("g", element("rect", x=1)), "plain"]
    assert grouped(parts) == parts
