"""Test that formatted intervals keep their meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.results import Estimate, Kind
from reportgen.wording.numbers import MINUS, NOISE, in_cell, interval, num, percent, restyled, with_interval
from reportgen.wording.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.004, 0.1, "[+0.004, +0.100]"),
        (-0.001, 0.1, "[0.00, +0.10]"),
        (-1.11, -0.0004, f"[{MINUS}1.1100, {MINUS}0.0004]"),
    ],
)
def test_interval_excluding_zero_never_shows_zero(low: float, high: float, shown: str) -> None:
    assert interval(Estimate("dsm", (low + high) / 2, 90, low, high, kind="difference")) == shown


@given(st.floats(1e-6, 1), st.floats(0, 1), st.sampled_from([-1, 1]))
def test_interval_ends_keep_sign(near: float, width: float, side: int) -> None:
    low, high = sorted((side * near, side * (near + width)))
    text = with_interval(Estimate("dsm", (low + high) / 2, 90, low, high, kind="difference"))
    ends = text.partition("[")[2].rstrip("]").split(", ")
    if ends[0].startswith("± "):  # both ends would be formatted identically
        assert high - low < 1e-4
        assert ends == ["± less than 0.0001"]
        return
    assert all(("+" if side > 0 else MINUS) in end for end in ends)
    assert len({len(end.partition(".")[2]) for end in ends}) == 1


KINDS: list[Kind] = ["coefficient", "difference", "score", "percent", "number"]


@given(st.floats(-3, 3), st.floats(1e-7, 1), st.sampled_from(KINDS))
def test_different_ends_are_formatted_differently(value: float, width: float, kind: Kind) -> None:
    estimate = Estimate("x", value, 10_000_000, value - width, value + width, kind=kind)
    bracket = with_interval(estimate).partition("[")[2].rstrip("]")
    ends = bracket.split(", ")
    assert bracket.startswith("± less than ") or (len(ends) == 2 and ends[0] != ends[1])
    assert all(len(end.partition(".")[2]) <= (8 if kind == "number" else 4) for end in ends)


@given(st.floats(-3, 3), st.sampled_from(KINDS))
def test_nonzero_is_never_formatted_as_zero(value: float, kind: Kind) -> None:
    assert (set(num(value, kind)) <= set("0.")) == (abs(value) <= NOISE)


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (0.7661, 0.0005, "0.766 [0.766, 0.767]"),
        (0.0386, 0.03858, "0.04 [less than 0.01, 0.08]"),
        (0.0001, 0.0004, f"0.0001 [{MINUS}0.0003, 0.0005]"),
        (0.00000092, 0.0000009, "less than 0.0001 [± less than 0.0001]"),
        (0.0, 0.0, "0.00 [0.00, 0.00]"),
    ],
)
def test_decimals_follow_interval_width(value: float, half: float, shown: str) -> None:
    assert with_interval(Estimate("qwk", value, 10_000_000, value - half, value + half)) == shown


def test_spanish_numbers_have_their_marks_until_the_report_is_written() -> None:
    share = Estimate("exact_agreement", 64.5, 200, 57.6, 70.8, kind="percent")
    with (words := Vocabulary(language="es")).styled():
        shown = [percent(share), num(4812), words.say(num(0.996, "p")), num(2e-5, "score"), in_cell(num(2e-5, "score"))]
        stored = [restyled(text) for text in ("0.67 → 0.78", "12%", "0.4, 1", "v1.2", "1.2.3")]
    assert shown == ["64,5\u202f% [57,6; 70,8]", "4\u202f812", "0,996", "menos de 0,0001", "<0,0001"]
    assert stored == ["0,67 → 0,78", "12\u202f%", "0,4; 1", "v1.2", "1.2.3"]
    assert percent(share) == "64.5% [57.6, 70.8]"
