"""Fonts are the same on every machine, and the screen page contains only used characters."""

import base64
import io
import re
from pathlib import Path

import sample_report as sample
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts.theme import width
from reportgen.rendering import Look, render
from reportgen.rendering.look import TYPED, characters, embedded, fonts, subset

FONT = re.compile(r'font-family: "([^"]+)"; font-weight: (\d+);[^}]*url\("data:font/woff2;base64,([^"]*)"\)')


def faces(page: str) -> dict[tuple[str, str], TTFont]:
    """Return the embedded fonts of a page, by family and weight."""
    return {
        (family, weight): TTFont(io.BytesIO(base64.b64decode(letters)))
        for family, weight, letters in FONT.findall(page)
    }


def test_the_screen_carries_its_fonts_with_the_characters_of_the_page(tmp_path: Path) -> None:
    render(sample.report(), tmp_path, formats=("html",), look=Look(plotly="none"))
    page = (tmp_path / "report.html").read_text()
    found = faces(page)
    assert set(found) == {("Report Sans", "400"), ("Report Sans", "600"), ("Report Serif", "600")}
    for font in found.values():
        assert {ord(character) for character in TYPED | {"−"}} <= set(font.getBestCmap())
        assert len(font.getGlyphOrder()) < 300
        assert "Source" not in (font["name"].getDebugName(1) or "")  # a part of a font may not have its reserved name
    assert not any(font.mark in page for font in fonts())
    assert "file:" not in page
    assert len("".join(letters for *_, letters in FONT.findall(page))) < 60_000


def test_two_pages_of_the_same_characters_share_a_subset() -> None:
    font = fonts()[0]
    mark = f'src: url("{font.mark}")'
    assert embedded(mark + "Größe").replace("Größe", "") == embedded(mark + "ßöGre").replace("ßöGre", "")
    assert len(embedded(mark + "αβγδ")) > len(embedded(mark))


def test_a_page_that_names_a_mark_again_is_given_the_font_once() -> None:
    font = fonts()[0]
    assert embedded(f"{font.mark} {font.mark}").count(font.mark) == 1


def test_digits_have_one_width() -> None:
    for font in fonts():
        with TTFont(font.path) as opened:
            glyphs = opened.getBestCmap()
            assert len({opened["hmtx"][glyphs[ord(digit)]][0] for digit in "0123456789"}) == 1


def test_characters_that_the_font_lacks_are_left_to_others() -> None:
    font = fonts()[0]
    assert "漢" not in characters(font)
    assert embedded(f"{font.mark} 漢字").removesuffix("漢字") == embedded(f"{font.mark} ")
    assert subset(font, frozenset("a")) != subset(font, frozenset("ab"))


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), min_size=8, max_size=60))
def test_labels_of_charts_are_measured_no_narrower_than_they_are(label: str) -> None:
    with TTFont(fonts()[0].path, lazy=True) as opened:
        glyphs, widths = opened.getBestCmap(), opened["hmtx"]
        drawn = sum(widths[glyphs[ord(letter)]][0] for letter in label if ord(letter) in glyphs) / 1000
    assert width(label, 1.0) >= drawn - 0.01
