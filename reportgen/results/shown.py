"""How results show themselves where somebody works with them: as HTML in a notebook, and as a figure of Plotly.

The one door from here to rooms above, opened when somebody looks: results themselves hold data, and nothing of pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from reportgen.results import Report, Verdict
    from reportgen.results.chart import Chart


def html_of_report(report: Report) -> str:
    """Return what a notebook shows of a report."""
    from reportgen.rendering import views

    return views.html_of_report(report)


def html_of_verdict(verdict: Verdict) -> str:
    """Return what a notebook shows of a verdict."""
    from reportgen.rendering import views

    return views.html_of_verdict(verdict)


def html_of_chart(chart: Chart) -> str:
    """Return what a notebook shows of a chart."""
    from reportgen.rendering import views

    return views.html_of_chart(chart)


def figure_of(chart: Chart) -> go.Figure:
    """Return a chart as a figure of Plotly."""
    from reportgen.charts import figures

    return figures.figure_of(chart)
