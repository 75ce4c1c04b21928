"""Labels from right to left, as a reader sees them: expected orders were worked out by the rules of UAX 9 by hand."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.rendering.glyphs import as_seen, joined

HEBREW = "\u05e9\u05dc\u05d5\u05dd"
"""Shin, lamed, vav, final mem."""

SEEN = HEBREW[::-1]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (HEBREW, SEEN),
        (f"{HEBREW} (en)", f"{SEEN} (en)"),
        (f"{HEBREW} 12 (en)", f"12 {SEEN} (en)"),
        (f"abc {HEBREW} def", f"abc {SEEN} def"),
        (f"50% {HEBREW}", f"50% {SEEN}"),
        (f"{HEBREW} 1,200.5", f"1,200.5 {SEEN}"),
        (f"{HEBREW} 5 6", f"6 5 {SEEN}"),
        (f"5 6 {HEBREW}", f"5 6 {SEEN}"),
        (f"abc {HEBREW} 12", f"abc 12 {SEEN}"),
        (f"a ({HEBREW}) b", f"a ({SEEN}) b"),
        (f"{HEBREW} ({HEBREW}) {HEBREW}", f"{SEEN} ({SEEN}) {SEEN}"),
        (f"{HEBREW}\u2026", f"{SEEN}\u2026"),
        ("\u05e9\u05b8\u05c1", "\u05e9"),
    ],
)
def test_letters_stand_where_they_are_seen(text: str, seen: str) -> None:
    assert as_seen(text) == seen


def test_arabic_letters_join_as_their_neighbors_let_them() -> None:
    """Alef alone, lam begins, ain joins on both sides, reh ends; beh begins, yeh joins, teh marbuta ends."""
    letters = "\u0627\u0644\u0639\u0631\u0628\u064a\u0629"
    assert joined(letters) == "\ufe8d\ufedf\ufecc\ufeae\ufe91\ufef4\ufe94"
    assert as_seen(letters) == joined(letters)[::-1]
    assert joined("\u06af\u067e") == "\ufb94\ufb57", "gaf begins and peh ends, as Persian writes them"


@given(st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x58F), max_size=30))
def test_what_runs_from_the_left_stays(text: str) -> None:
    assert as_seen(text) == text


@given(st.text(st.sampled_from("ab 12.,%()\u05d0\u05d1\u05d2"), max_size=20))
def test_no_letter_is_lost(text: str) -> None:
    same = str.maketrans("([", ")]")
    assert sorted(as_seen(text).translate(same)) == sorted(unicodedata.normalize("NFC", text).translate(same))
