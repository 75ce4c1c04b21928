"""A check as a small strip: the estimate, its interval and the threshold on one axis, to be seen at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.charts import theme
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.results import Check
from reportgen.results.chart import Ink
from reportgen.wording import numbers
from reportgen.wording.numbers import with_interval

WIDTH, HEIGHT, MARGIN = 150.0, 20.0, 7.0


def strips(checks: Sequence[Check], colours: Colours) -> list[str]:
    """Return one SVG per check; checks of the same kind share the ends of their axis."""
    return [
        strip(check, _ends([other for other in checks if _family(other) == _family(check)]), colours)
        for check in checks
    ]


def strip(check: Check, ends: tuple[float, float], colours: Colours) -> str:
    """Return the strip of one check on an axis from `ends[0]` to `ends[1]`; empty when there is no estimate."""
    estimate = check.estimate
    if estimate.value is None:
        return ""
    low, high = ends

    def across(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return MARGIN + (WIDTH - 2 * MARGIN) * share

    middle = HEIGHT / 2
    ink: Ink = "flag" if check.outcome == "not met" else "engine"
    parts = [
        element("title", words(said(check))),
        _line("grid", theme.GRID, MARGIN, middle, WIDTH - MARGIN, middle, 1.0),
    ]
    parts += [
        _line("text", theme.TEXT, across(bound), 2, across(bound), HEIGHT - 2, 1.2)
        for bound in (check.low, check.high)
        if bound is not None
    ]
    colour = colours.of(ink)
    if estimate.low is not None and estimate.high is not None:
        parts.append(_line(ink, colour, across(estimate.low), middle, across(estimate.high), middle, 2.2))
    parts.append(element("circle", cx=across(estimate.value), cy=middle, r=3.4, fill=colour, class_=f"fill-{ink}"))
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=said(check),
        class_="strip",
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        width=WIDTH,
        height=HEIGHT,
    )


def said(check: Check) -> str:
    """Return in words what the strip shows."""
    return f"{with_interval(check.estimate, check.low, check.high)}; should be {bounds(check)}: {check.outcome}"


def bounds(check: Check) -> str:
    """Return in words where the estimate should lie.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> bounds(Check("QWK", Estimate("qwk", 0.71, 600), "met", low=0.7))
    'at least 0.70'
    """
    kind = check.estimate.kind
    if check.low is not None and check.high is not None and not check.strict:
        return f"{numbers.bound(check.low, kind)} to {numbers.bound(check.high, kind)}"
    return numbers.bounds(check.low, check.high, kind, strict=check.strict)


def _line(name: str, colour: str, x1: float, y1: float, x2: float, y2: float, width: float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, class_=f"stroke-{name}")


def _family(check: Check) -> str:
    """Return what decides on which axis a check is drawn: coefficients together, each other metric alone."""
    kind = check.estimate.kind
    return kind if kind in ("coefficient", "difference", "percent") else check.estimate.metric


def _ends(checks: Sequence[Check]) -> tuple[float, float]:
    """Return an axis a little wider than all values, intervals and thresholds; about zero for differences."""
    numbers: list[float] = []
    for check in checks:
        if check.estimate.value is not None:
            seen = (check.estimate.value, check.estimate.low, check.estimate.high, check.low, check.high)
            numbers += [value for value in seen if value is not None]
    if not numbers:
        return 0.0, 1.0
    if checks[0].estimate.kind == "difference":
        most = 1.15 * max(abs(value) for value in numbers) or 1.0
        return -most, most
    margin = 0.15 * (max(numbers) - min(numbers)) or 0.1
    return min(numbers) - margin, max(numbers) + margin
