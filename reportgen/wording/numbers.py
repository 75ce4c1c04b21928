"""Format numbers for reports.

Rules: coefficients and standardized differences have two decimals, three if a threshold is within .005; scores two;
percentages one, or none above 10% if n < 200; counts have thousands separators. Zero has no sign, and an undefined
value is a dash. A number without a unit, such as a variance, has four digits, or as many decimals as the width of its
interval has two digits.

Digits follow the interval: if both of its ends would look equal, value and ends have as many more decimals as it takes
to distinguish them, up to `FINEST`. A value other than 0 is never written as 0 if that would be read as none: below
half of the last decimal, it is "less than 0.0001" or "more than −0.0001".
"""

import math
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from reportgen.results import Cell, Check, Estimate, Kind

DASH = "–"  # an undefined value; its reason is below the table

MINUS = "−"  # the typographic minus sign (U+2212), as wide as a digit; CSV files keep the hyphen

NEAR = 0.005  # a value this close to a threshold has three decimals

MOST_PLACES = 8  # most decimals of a threshold

FINEST: dict[Kind, int] = {"coefficient": 4, "difference": 4, "score": 4, "percent": 3, "count": 2}
"""Most decimals of a narrow interval or a small value, by kind."""


PARTS = ("thousands", "decimal", "percent", "between", "less", "more", "p")
"""The marks and words of a language's numbers; `p` is the decimal mark of a p-value, with the zero before it if any."""

ENGLISH = dict(zip(PARTS, (",", ".", "%", ", ", "less than ", "more than ", "."), strict=True))

STYLE = ContextVar[Mapping[str, str]]("STYLE", default=ENGLISH)  # of the report that is being written

_NUMBER = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?(?![\d.,]*\d)")

NOISE = 5e-9  # numbers closer than this differ only by floating-point noise; a number this close to 0 is 0


def restyled(text: str) -> str:
    """Write a stored text of English numbers in the current style; other text is unchanged."""
    if not re.fullmatch(r"[−+±<>\d.,%\[\] →]+", text):
        return text
    return _NUMBER.sub(lambda found: _marked(found[0]), text).replace(", ", STYLE.get()["between"])


def _marked(text: str) -> str:
    return text.translate({ord(ENGLISH[part]): STYLE.get()[part] for part in PARTS[:3]})


def num(
    value: Cell,
    kind: Kind | None = None,
    *thresholds: float | None,
    n: int | None = None,
    signed: bool | None = None,
    places: int | None = None,
) -> str:
    """Format a number without its interval; `DASH` if it is undefined or not finite.

    `kind` is the format. Default: the estimate's, "count" for an int, "number" for a float. `thresholds` are bounds
    that the value is compared with; None is skipped. `n`: responses behind a percentage. `signed`: whether to write a
    plus. `places`: decimals. Default: as many as the value needs.

    >>> num(0.7134, "coefficient"), num(0.7034, "coefficient", 0.7), num(-0.001, "difference")
    ('0.71', '0.703', '−0.001')
    >>> num(0.00002, "coefficient"), num(-0.00002, "difference")
    ('less than 0.0001', 'more than −0.0001')
    >>> num(0.123, "difference"), num(4812), num(0.0004, "p"), num(None)
    ('+0.12', '4,812', '< .001', '–')
    """
    if isinstance(value, Estimate):
        kind, n, value = kind or value.kind, n if n is not None else value.n, value.value
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return DASH
    kind = kind or ("count" if isinstance(value, int) else "number")
    if kind == "p":
        return p_value(value)
    if kind == "text":
        return point(value)
    signed = kind == "difference" if signed is None else signed
    if kind == "count":
        return fixed(value, 0)
    usual = decimals(value, kind, *thresholds, n=n) if places is None else places
    if signed and places is not None and _lost(value, places):
        return fixed(0.0, places)
    return _not_nothing(value, usual, _finest(kind, usual) if places is None else usual, signed=signed)


def interval(
    estimate: Estimate, *thresholds: float | None, signed: bool | None = None, places: int | None = None
) -> str:
    """Format the interval, or return an empty string; `signed` and `places` as in `with_interval`.

    >>> interval(Estimate("qwk", 0.71, 600, 0.66, 0.75))
    '[0.66, 0.75]'
    >>> interval(Estimate("qwk", 0.71, 2))
    ''
    >>> interval(Estimate("qwk", 0.76612, 10_000_000, 0.76611, 0.76614))
    '[± less than 0.0001]'
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    places = _shared_decimals(estimate, *thresholds) if places is None else places
    signed = estimate.kind == "difference" if signed is None else signed
    if _alike(estimate.low, estimate.high, places):
        return f"[± {STYLE.get()['less']}{fixed(10.0**-places, places)}]"
    rounded = _wide_around_zero(estimate, *thresholds)
    low, high = (_end(end, places, rounded=rounded, signed=signed) for end in (estimate.low, estimate.high))
    return f"[{low}{STYLE.get()['between']}{high}]"


def with_interval(
    estimate: Estimate, *thresholds: float | None, signed: bool | None = None, places: int | None = None
) -> str:
    """Format value and interval with the same number of decimals.

    `signed`: whether to write a plus. Default: depends on the estimate's kind. `places`: decimals. Default: as many as
    value and ends need.

    >>> with_interval(Estimate("qwk", 0.71, 600, 0.66, 0.75))
    '0.71 [0.66, 0.75]'
    >>> with_interval(Estimate("qwk", 0.71, 600, 0.698, 0.75), 0.7)
    '0.710 [0.698, 0.750]'
    >>> with_interval(Estimate("qwk", 0.7661, 3_000_000, 0.7657, 0.7668))
    '0.766 [0.766, 0.767]'
    >>> with_interval(Estimate("dsm", 0.05, 600, 0.003, 0.1, kind="difference"))
    '+0.050 [+0.003, +0.100]'
    >>> with_interval(Estimate("qwk", None, 1, reason="one response"))
    '–'
    >>> with_interval(Estimate("exact_agreement", 4.26, 600, 1.1, 7.4, kind="percent"), signed=True)
    '+4.3 [+1.1, +7.4]'
    >>> with_interval(Estimate("variance", 0.13752, 200, 0.10961, 0.17254, kind="number"))
    '0.138 [0.110, 0.173]'
    """
    if estimate.value is None or not math.isfinite(estimate.value) or estimate.kind in ("p", "text"):
        return num(estimate, None, *thresholds)
    signed = estimate.kind == "difference" if signed is None else signed
    shared = _shared_decimals(estimate, *thresholds) if places is None else places
    if estimate.low is None or estimate.high is None:
        most = _finest(estimate.kind, shared) if places is None else places
        text = _not_nothing(estimate.value, shared, most, signed=signed)
    else:
        rounded = _wide_around_zero(estimate, *thresholds)
        text = _end(estimate.value, shared, rounded=rounded, signed=signed)
    return f"{text} {interval(estimate, *thresholds, signed=signed, places=shared)}".rstrip()


def in_cell(text: str) -> str:
    r"""Format a written number for a cell: signs instead of words.

    >>> in_cell("less than 0.0001"), in_cell("0.0000 [± less than 0.0001]"), in_cell("0.71 [0.66, 0.75]")
    ('<0.0001', '0.0000 [±\xa0<0.0001]', '0.71 [0.66, 0.75]')
    """
    text = text.replace(STYLE.get()["less"], "<").replace(STYLE.get()["more"], ">")
    return text.replace("± ", "±\N{NO-BREAK SPACE}")


def count(value: int | float) -> str:
    """Format a number of responses with thousands separators.

    >>> count(4812)
    '4,812'
    """
    return fixed(value, 0)


def many(n: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun.

    >>> many(1, "response"), many(4812, "response"), many(2, "score type is", "score types are")
    ('1 response', '4,812 responses', '2 score types are')
    """
    return f"{count(n)} {singular if n == 1 else plural or singular + 's'}"


def percent(value: float | Estimate, n: int | None = None) -> str:
    """Format a percentage (0 to 100), or an estimate of one and its interval, with a percent sign.

    >>> percent(12.345), percent(12.345, n=150), percent(2.345, n=150)
    ('12.3%', '12%', '2.3%')
    >>> percent(Estimate("exact_agreement", 64.5, 200, 57.6, 70.8, kind="percent"))
    '64.5% [57.6, 70.8]'
    """
    if isinstance(value, Estimate) and n is not None:
        value = replace(value, n=n)
    written = with_interval(value) if isinstance(value, Estimate) else num(float(value), "percent", n=n)
    share, bracket, limits = written.partition(" [")
    return f"{share}{STYLE.get()['percent']}{bracket}{limits}"


def coverage(level: float) -> str:
    """Format a confidence level in percent, with all its digits.

    >>> coverage(0.95), coverage(0.975), coverage(0.9999)
    ('95', '97.5', '99.99')
    """
    return _marked(f"{100 * level:.6g}")


def p_value(value: float) -> str:
    """Format a p-value with three decimals and no leading zero.

    >>> p_value(0.0312), p_value(0.00001), p_value(0.9999), p_value(1.0)
    ('.031', '< .001', '> .999', '1.000')
    """
    mark = STYLE.get()["p"]
    if value < 0.001 or 0.9995 <= value < 1:
        return f"< {mark}001" if value < 0.001 else f"> {mark}999"
    return mark + f"{value:.3f}"[2:] if value < 1 else _marked(f"{value:.3f}")


def point(value: float) -> str:
    """Format a score point without unnecessary decimals.

    >>> point(4.0), point(3.5), point(-1.0), point(6.499800000000001)
    ('4', '3.5', '−1', '6.4998')
    """
    return _marked(f"{round(value, 6) + 0.0:.10g}".replace("-", MINUS))


def bound(value: float, kind: Kind) -> str:
    """Format a threshold with all its decimals, and at least as many as a number of its kind.

    >>> bound(0.7, "coefficient"), bound(0.725, "coefficient"), bound(-0.1, "difference")
    ('0.70', '0.725', '−0.10')
    """
    places = decimals(value, kind)
    while places < MOST_PLACES and round(value, places) != value:
        places += 1
    return fixed(value, places, signed=kind == "difference")


def other_limit(check: Check) -> str:
    """Format the limit at which the outcome would change, or return an empty string.

    It is the end of the interval, rounded so that the outcome holds there, and left out if it is the required limit.

    >>> other_limit(Check("QWK", Estimate("qwk", 0.79, 200, 0.7397, 0.84), "met", low=0.7))
    '0.73'
    """
    low, high, required = check.estimate.low, check.estimate.high, check.low if check.high is None else check.high
    around, judged = None not in (check.low, check.high), check.by == "interval" and check.outcome in ("met", "not met")
    if low is None or high is None or required is None or not judged or (around and check.low != -required):
        return ""
    up = (around or check.low is None) == (check.outcome == "met")
    value = (max if up else min)(abs(low), abs(high)) if around else high if up else low
    kind: Kind = "coefficient" if around else check.estimate.kind
    step = Decimal(10) ** -decimals(value, kind)
    near = float(Decimal(str(value)).quantize(step, ROUND_CEILING if up else ROUND_FLOOR))
    as_required = (near >= required if up else near <= required) or (check.strict and near == value)
    return "" if as_required else f"{'±' if around else ''}{bound(near, kind)}"


def roughly(number: int) -> str:
    """Round a planned number of responses up to two significant digits, because a plan is not more exact.

    >>> roughly(1234), roughly(91), roughly(7), roughly(30001)
    ('1,300', '91', '7', '31,000')
    """
    step = 10 ** max(len(str(number)) - 2, 0)
    return count(-(-number // step) * step)


def fixed(value: float, places: int, *, signed: bool = False) -> str:
    """Format a number with a fixed number of decimals and thousands separators, but never as "-0.00".

    >>> fixed(-0.004, 2), fixed(-1234.5, 1), fixed(0.2, 2, signed=True)
    ('0.00', '−1,234.5', '+0.20')
    """
    text = _marked(f"{abs(value) * (1 + 4e-16):,.{places}f}")  # exact halves round up, as people do
    if not any(digit in text for digit in "123456789"):
        return text
    if value < 0:
        return MINUS + text
    return "+" + text if signed else text


def decimals(value: float, kind: Kind, *thresholds: float | None, n: int | None = None) -> int:
    """Return the default decimals of a value of this kind.

    >>> decimals(0.698, "coefficient", 0.7), decimals(0.05123, "number"), decimals(85.0, "percent", n=120)
    (3, 5, 0)
    """
    if kind == "count":
        return 0
    if kind == "percent":
        return 0 if n is not None and n < 200 and abs(value) > 10 else 1
    if kind == "number":
        # Four significant digits; a value below 1e-8 is floating-point noise and becomes 0.
        return min(8, max(0, 3 - math.floor(math.log10(abs(value))))) if value else 0
    if kind in ("coefficient", "difference"):
        return 3 if any(limit is not None and abs(value - limit) < NEAR for limit in thresholds) else 2
    return 2


def places_of(value: float, kind: Kind) -> int:
    """Return the decimals of a value: the default, and more if it would be written as 0.

    >>> places_of(0.7134, "score"), places_of(0.0012, "score"), places_of(1e-9, "score")
    (2, 3, 2)
    """
    places = decimals(value, kind)
    while places < _finest(kind, places) and _lost(value, places):
        places += 1
    return places


def places_needed(value: Cell, kind: Kind, *thresholds: float | None) -> int | None:
    """Return the decimals that a number needs with its interval; None if its kind has fixed decimals.

    >>> places_needed(Estimate("qwk", 0.698, 90, 0.541, 0.809), "coefficient", 0.7), places_needed(0.25, "score")
    (3, 2)
    >>> places_needed(4812, "count"), places_needed("a word", "text"), places_needed(0.0312, "p")
    (None, None, None)
    """
    if kind in ("count", "p", "text") or value is None or isinstance(value, str):
        return None
    if isinstance(value, Estimate):
        if value.value is None or not math.isfinite(value.value):
            return None
        shared = _shared_decimals(value, *thresholds)
        return shared if value.low is not None else max(shared, places_of(value.value, kind))
    return places_of(value, kind) if math.isfinite(value) else None


def _shared_decimals(estimate: Estimate, *thresholds: float | None) -> int:
    """Return the decimals that value and both limits need together.

    The ends must look different, and an interval that excludes 0 must not end at a written 0, as if it included it. At
    most `FINEST`; an end that even then would be 0 adds no decimals to the others, and is "less than 0.01".
    """
    places, low, high = _usual(estimate, *thresholds), estimate.low, estimate.high
    if low is None or high is None or _wide_around_zero(estimate, *thresholds):
        return places
    most = _finest(estimate.kind, places)
    ends = [end for end in (low, high) if not _lost(end, most)]
    while places < most and (_alike(low, high, places) or any(_lost(end, places) for end in ends)):
        places += 1
    return places


def _usual(estimate: Estimate, *thresholds: float | None) -> int:
    values = (estimate.value, estimate.low, estimate.high)
    if estimate.kind == "number" and estimate.value is not None:
        return _telling(estimate.value, estimate.low, estimate.high)
    return max(decimals(value, estimate.kind, *thresholds, n=estimate.n) for value in values if value is not None)


def _telling(value: float, low: float | None, high: float | None) -> int:
    """Return the decimals of a number without a unit: two digits of its interval's width, 1 (below 10) to 4."""
    own = decimals(value, "number")
    if low is None or high is None or high - low <= NOISE:
        return own
    of_width = max(1 if own >= 3 else 0, 1 - math.floor(math.log10(high - low)))
    return min(own or of_width, of_width)


def _wide_around_zero(estimate: Estimate, *thresholds: float | None) -> bool:
    low, high = estimate.low, estimate.high
    around = low is not None and high is not None and low <= 0 <= high
    return around and not _alike(low or 0.0, high or 0.0, _usual(estimate, *thresholds))


def _finest(kind: Kind, usual: int) -> int:
    return max(usual, FINEST.get(kind, min(usual + 2, MOST_PLACES)))


def _alike(low: float, high: float, places: int) -> bool:
    return high - low > NOISE and fixed(low, places) == fixed(high, places)


def _lost(value: float, places: int) -> bool:
    return abs(value) > NOISE and round(value, places) == 0


def _not_nothing(value: float, places: int, most: int, *, signed: bool = False) -> str:
    """Format a number with some decimals, with up to `most` if it would otherwise be written as 0."""
    if abs(value) <= NOISE:
        return fixed(0.0, places)
    while places < most and _lost(value, places):
        places += 1
    if not _lost(value, places):
        return fixed(value, places, signed=signed)
    least = fixed(math.copysign(10.0**-places, value), places, signed=signed)
    return (STYLE.get()["more"] if value < 0 else STYLE.get()["less"]) + least


def _end(value: float, places: int, *, rounded: bool, signed: bool) -> str:
    return fixed(value, places, signed=signed) if rounded else _not_nothing(value, places, places, signed=signed)
