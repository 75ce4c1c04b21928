"""Numbers as the page writes them: what is read off an interval is what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.numbers import MINUS, interval, with_interval
from reportgen.results import Estimate


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.004, 0.1, "[+0.004, +0.100]"),
        (-0.001, 0.1, "[0.00, +0.10]"),
        (0.0, 0.1, "[0.00, +0.10]"),
        (-1.11, -0.0004, f"[{MINUS}1.1100, {MINUS}0.0004]"),
        (0.01, 0.1, "[+0.01, +0.10]"),
    ],
)
def test_an_interval_without_0_never_ends_at_a_written_0(low: float, high: float, shown: str) -> None:
    assert interval(Estimate("dsm", (low + high) / 2, 90, low, high, kind="difference")) == shown


@given(st.floats(1e-6, 1), st.floats(0, 1), st.sampled_from([-1, 1]))
def test_both_ends_have_the_sign_they_are_written_with(near: float, width: float, side: int) -> None:
    low, high = sorted((side * near, side * (near + width)))
    text = with_interval(Estimate("dsm", (low + high) / 2, 90, low, high, kind="difference"))
    ends = text.partition("[")[2].rstrip("]").split(", ")
    assert {end[0] for end in ends} == {"+" if side > 0 else MINUS}
    assert len({len(end.partition(".")[2]) for end in ends}) == 1
