"""What many marks have alike is written once, and nothing is lost by it."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts.marks import Box, Mark, Text
from reportgen.charts.static import drawn
from reportgen.charts.svg import clean
from reportgen.charts.theme import Colours

INKS = st.sampled_from(["text", "engine"])


@given(st.lists(st.tuples(st.text("ab<&\x00 ", max_size=8), INKS, st.integers(0, 99))))
def test_every_text_keeps_its_words_its_place_and_its_ink(texts: list[tuple[str, str, int]]) -> None:
    root = ElementTree.fromstring(
        f"<svg>{drawn((Text(said, x, 1, ink=ink) for said, ink, x in texts), Colours())}</svg>"
    )
    found = [(each.text, each.attrib["x"], group.attrib["class"]) for group in root for each in group]
    assert sorted(found) == sorted((clean(said) or " ", str(x), f"fill-{ink}") for said, ink, x in texts)


def test_a_text_lies_over_every_box_of_its_group_wherever_its_look_came_first() -> None:
    marks: list[Mark] = [
        Box(0, 0, 9, 9, "engine"),
        Text("129", 4, 4, ink="paper"),
        Box(0, 20, 9, 9, "human"),
        Text("9", 4, 24),
    ]
    assert drawn(marks, Colours()).rindex("<path") < drawn(marks, Colours()).index("<text")
