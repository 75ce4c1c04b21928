"""Figures that are not a `Chart`: a Plotly or Matplotlib figure that somebody's own template draws."""

from __future__ import annotations

import io
import json
from typing import Any

PLOTLY = "application/vnd.plotly.v1+json"


def forms(figure: Any, alt: str) -> dict[str, Any]:
    """Return a figure in the forms a page can use, by MIME type.

    Parameters
    ----------
    figure
        A Plotly figure (anything with ``to_json``) or a Matplotlib figure (anything with ``savefig``).
    alt
        What it says, for readers who cannot see it.

    Raises
    ------
    ValueError
        If `alt` is empty.
    TypeError
        If it is neither.
    """
    if not alt.strip():
        raise ValueError("a figure needs alt text: say its answer in a sentence, as in report.show(figure, alt='...')")
    if hasattr(figure, "to_json"):
        return {PLOTLY: json.loads(figure.to_json()), "text/plain": alt}
    if hasattr(figure, "savefig"):
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
        drawing = file.getvalue()
        return {"image/svg+xml": drawing[drawing.index("<svg") :], "text/plain": alt}
    raise TypeError(f"cannot show a {type(figure).__name__}; give a key, or a Plotly or Matplotlib figure")


def picture(figure: dict[str, Any]) -> str:
    """Return a Plotly figure as SVG, by kaleido and a Chrome where both are there; else nothing."""
    try:
        import plotly.io

        drawing: str = plotly.io.to_image(figure, format="svg").decode()
    except Exception:  # noqa: BLE001 - no kaleido, no Chrome, or either fails: the page says so in words
        return ""
    return drawing[drawing.index("<svg") :]
