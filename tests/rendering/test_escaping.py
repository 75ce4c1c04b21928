"""Text of others is shown exactly, is never markup, and is in visual order."""

import unicodedata
from html import unescape

import pytest
import sample_report as sample
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from reportgen.charts.svg import clean
from reportgen.charts.theme import shorten_words
from reportgen.rendering.filters import anchor, markdown
from reportgen.rendering.glyphs import as_seen, joined


def shown(source: str) -> str:
    """Return the HTML of Markdown, with plain spaces in numbers."""
    html: str = MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(source)
    return html.replace("\N{NO-BREAK SPACE}", " ")


def expected(text: str) -> str:
    return " ".join(clean(text).split())


@pytest.mark.parametrize("text", [*sample.HOSTILE, "1. a", "- a", "+ a", ": a", "---", "===", "    a", "www.example.org", "http://a.b", "a@b.c", r"\(x\)", "[ ] a", "&amp;", "&#42;"])  # fmt: skip  # noqa: E501
def test_markdown_escapes_hostile_text(text: str) -> None:
    html = shown(str(markdown(text)))
    assert unescape(html) == f"<p>{expected(shorten_words(text))}</p>\n"
    assert html.count("<") == 2


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("a1 .-*_`[]()<>#+!|~$&\\{}\"'=^@:/\nw"), min_size=1))
def test_markdown_escapes_any_text(text: str) -> None:
    if expected(text):
        html = shown(str(markdown(text)))
        assert unescape(html) == f"<p>{expected(text)}</p>\n"
        assert html.count("<") == 2


@pytest.mark.parametrize("text", sample.HOSTILE)
def test_escaped_text_has_no_fences(text: str) -> None:
    escaped = str(markdown(text))
    assert "\n" not in escaped
    assert not escaped.startswith(("```", "+++", "~~~"))


def test_anchors_are_plain_and_unique() -> None:
    keys = ["by_group.a b", "by_group.a-b", "by_group.a_b", "by_group.<b>", "by_group.b", *sample.HOSTILE]
    ids = [anchor("table", key) for key in keys]
    assert len(set(ids)) == len(keys)
    assert all(all(letter.isalnum() or letter in "-_." for letter in name) and name.isascii() for name in ids)


HEBREW = "\u05e9\u05dc\u05d5\u05dd"
"""Shin, lamed, vav, final mem."""

SEEN = HEBREW[::-1]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (HEBREW, SEEN), (f"{HEBREW} (en)", f"{SEEN} (en)"), (f"{HEBREW} 12 (en)", f"12 {SEEN} (en)"),
        (f"abc {HEBREW} def", f"abc {SEEN} def"), (f"50% {HEBREW}", f"50% {SEEN}"),
        (f"{HEBREW} 1,200.5", f"1,200.5 {SEEN}"), (f"{HEBREW} 5 6", f"6 5 {SEEN}"), (f"5 6 {HEBREW}", f"5 6 {SEEN}"),
        (f"abc {HEBREW} 12", f"abc 12 {SEEN}"), (f"a ({HEBREW}) b", f"a ({SEEN}) b"),
        (f"{HEBREW} ({HEBREW}) {HEBREW}", f"{SEEN} ({SEEN}) {SEEN}"), (f"{HEBREW}\u2026", f"{SEEN}\u2026"),
        ("\u05e9\u05b8\u05c1", "\u05e9"),
    ],
)  # fmt: skip
def test_as_seen_orders_letters(text: str, seen: str) -> None:
    assert as_seen(text) == seen


def test_joined_arabic_letters() -> None:
    """Letters have isolated, initial, medial, and final forms."""
    letters = "\u0627\u0644\u0639\u0631\u0628\u064a\u0629"
    assert joined(letters) == "\ufe8d\ufedf\ufecc\ufeae\ufe91\ufef4\ufe94"
    assert as_seen(letters) == joined(letters)[::-1]
    assert joined("\u06af\u067e") == "\ufb94\ufb57", "gaf begins and peh ends, as Persian writes them"


@given(st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x58F), max_size=30))
def test_as_seen_keeps_left_to_right_text(text: str) -> None:
    assert as_seen(text) == text


@given(st.text(st.sampled_from("ab 12.,%()\u05d0\u05d1\u05d2"), max_size=20))
def test_as_seen_keeps_every_letter(text: str) -> None:
    same = str.maketrans("([", ")]")
    assert sorted(as_seen(text).translate(same)) == sorted(unicodedata.normalize("NFC", text).translate(same))
