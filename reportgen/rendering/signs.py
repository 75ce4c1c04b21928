"""The signs beside outcomes, drawn by style sheets: no font that a report carries has them all."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from reportgen.charts import theme
from reportgen.charts.svg import element
from reportgen.results import Outcome

LINES: dict[Outcome, str] = {
    "met": "M2.2 7.4l3 3.2L11 3.2",
    "not met": "M2.6 2.6l7.8 7.8M10.4 2.6l-7.8 7.8",
    "out of reach": "M2 2.2h9M6.5 11.4V5.4M3.6 8.2l2.9-2.9 2.9 2.9",
    "not yet known": "M6.5 1.9a4.6 4.6 0 1 1 0 9.2a4.6 4.6 0 1 1 0-9.2z",
    "insufficient": "M2 6.5h9",
}
"""A check mark, a cross, an arrow below a ceiling, a hollow circle, a dash, on 13 by 13."""


def sign(outcome: Outcome) -> Markup:
    """Return the sign of an outcome, which nobody reads aloud: its word stands beside it.

    Examples
    --------
    >>> print(sign("not met"))
    <span class="drawn-sign sign-not-met" aria-hidden="true"></span>
    """
    return Markup('<span class="drawn-sign sign-{}" aria-hidden="true"></span>').format(_name(outcome))


def pictures() -> dict[str, Markup]:
    """Return the pictures of all signs as addresses for a style sheet, by the ends of their classes."""
    return {_name(outcome): Markup(_address(line)) for outcome, line in LINES.items()}


def _name(outcome: Outcome) -> str:
    return outcome.replace(" ", "-")


def _address(line: str) -> str:
    path = element(
        "path",
        d=line,
        fill="none",
        stroke=theme.TEXT,
        stroke_width=1.9,
        stroke_linecap="round",
        stroke_linejoin="round",
    )
    picture = element("svg", path, xmlns="http://www.w3.org/2000/svg", viewBox="0 0 13 13")
    return f"data:image/svg+xml,{quote(picture)}"
