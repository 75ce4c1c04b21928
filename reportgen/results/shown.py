"""How results show themselves where somebody works with them: as HTML in a notebook, and as a figure of Plotly.

The one door from here to rooms above, opened when somebody looks: results themselves hold data, and nothing of pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from great_tables import GT

    from reportgen.results import Report, Table, Verdict
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


def html_of_table(table: Table) -> str:
    """Return what a notebook shows of a table."""
    from reportgen.rendering.papers import alone

    return alone.html(table)


def latex_of_table(table: Table) -> str:
    """Return a table as LaTeX."""
    from reportgen.rendering.papers import alone

    return alone.latex(table)


def markdown_of_table(table: Table) -> str:
    """Return a table as Markdown."""
    from reportgen.rendering.papers import alone

    return alone.markdown(table)


def great_table_of(table: Table) -> GT:
    """Return a table as one of great_tables."""
    from reportgen.rendering.papers import alone

    found: GT = alone.great_table(table)
    return found
