"""A chart as a figure of Plotly, to change and combine in Python; and the look of charts as a template of Plotly's.

Importing this module registers ``plotly.io.templates["reportgen"]`` and leaves Plotly's default template as it is:

>>> import plotly.graph_objects as go
>>> from reportgen.charts import figures
>>> go.Figure(layout={"template": "reportgen"}).layout.template.layout.colorway[0]
'#143d66'
"""

from typing import Any

import plotly.graph_objects as go
import plotly.io

from reportgen.charts import theme
from reportgen.charts.interactive import figure
from reportgen.charts.theme import Colours
from reportgen.results.chart import Chart
from reportgen.wording.vocabulary import english

TEMPLATE = "reportgen"  # name of the template among those of Plotly


def figure_of(chart: Chart, colours: Colours | None = None) -> go.Figure:
    """Return a chart as a figure of Plotly.

    `chart`: Of a report, or of one's own. `colours`: Its inks; left out, the usual ones.
    """
    made = go.Figure(figure(english().said(chart), colours))
    return made.update_layout(template=TEMPLATE)


def _template() -> Any:
    """Return the look of charts: inks, font, thin lines, a grid where values are read off."""
    inks = Colours()
    axis = {
        "gridcolor": theme.GRID,
        "linecolor": theme.QUIET,
        "tickcolor": theme.QUIET,
        "tickfont": {"color": theme.QUIET},
        "zeroline": False,
        "automargin": True,
    }
    layout = {
        "colorway": [inks.engine, inks.human, inks.flag, inks.muted],
        "font": {"family": theme.FONTS, "size": theme.SIZE, "color": theme.TEXT},
        "paper_bgcolor": theme.PAPER,
        "plot_bgcolor": theme.PAPER,
        "colorscale": {"sequential": [[0, theme.PAPER], [1, inks.engine]]},
        "xaxis": axis,
        "yaxis": axis,
    }
    return go.layout.Template(layout=layout)


plotly.io.templates[TEMPLATE] = _template()
