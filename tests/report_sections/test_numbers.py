"""Numbers as the pages show them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.results import Estimate, Kind
from reportgen.wording.numbers import DASH, MINUS, fixed, interval, num, percent, with_interval

KINDS: list[Kind] = ["count", "coefficient", "difference", "score", "percent", "number"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [-0.0, 0.0, -1e-16, 1e-16])
def test_zero_has_no_sign_and_no_noise(kind: Kind, value: float) -> None:
    assert set(num(value, kind)) <= {"0", "."}


@given(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(KINDS))
def test_any_float_is_written_without_exponent_or_nan(value: float, kind: Kind) -> None:
    text = num(value, kind)
    text = text.removeprefix("less than ").removeprefix("more than ")
    assert text == DASH if not math.isfinite(value) else set(text) <= set("0123456789.,+" + MINUS)


def test_a_threshold_closer_than_five_thousandths_needs_three_decimals() -> None:
    assert num(0.696, "coefficient", 0.7) == "0.696"
    assert num(0.694, "coefficient", 0.7) == "0.69"
    assert num(-0.102, "difference", -0.1, 0.1) == f"{MINUS}0.102"
    assert num(0.702, "score", 0.7) == "0.70"


def test_value_and_interval_have_the_same_decimals() -> None:
    near = Estimate("dsm", 0.12, 300, 0.098, 0.14, kind="difference")
    assert with_interval(near, -0.1, 0.1) == "+0.120 [+0.098, +0.140]"
    assert with_interval(near) == "+0.12 [+0.10, +0.14]"


def test_small_samples_lose_the_decimal_of_a_percentage() -> None:
    agreement = Estimate("exact_agreement", 66.5, 180, 59.2, 73.1, kind="percent")
    assert with_interval(agreement) in {"66 [59, 73]", "67 [59, 73]"}
    assert num(66.5, "percent", n=200) == "66.5"
    assert percent(4.25, n=20) in {"4.2%", "4.3%"}


def test_a_value_without_interval_is_written_without_ends() -> None:
    assert with_interval(Estimate("qwk", 0.5, 2)) == "0.50"
    assert interval(Estimate("qwk", None, 2, 0.1, 0.2)) == ""


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5000"), (123456.7, "123,457"), (0.012346, "0.01235")])
def test_other_numbers_have_four_significant_digits(value: float, text: str) -> None:
    assert num(value, "number") == text


def test_fixed_rounds_to_zero_without_minus() -> None:
    assert fixed(-0.0049, 2, signed=True) == "0.00"
