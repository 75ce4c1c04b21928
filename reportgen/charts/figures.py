"""Convert charts to Plotly figures, and provide their style as a Plotly template.

Importing this module registers ``plotly.io.templates["reportgen"]`` and does not change Plotly's default template:

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

TEMPLATE = "reportgen"  # name of the Plotly template


def figure_of(chart: Chart, colours: Colours | None = None) -> go.Figure:
    """Convert a chart to a Plotly figure.

    `chart`: A chart from a report, or your own. `colours`: Colors of the chart. Default: the built-in colors.
    """
    return go.Figure(figure(english().said(chart), colours)).update_layout(template=TEMPLATE)


def _template() -> Any:
    inks = Colours()
    axis = {
        "gridcolor": theme.GRID, "linecolor": theme.QUIET, "tickcolor": theme.QUIET, "tickfont": {"color": theme.QUIET},
        "zeroline": False, "automargin": True,
    }  # fmt: skip
    layout = {
        "colorway": [inks.engine, inks.human, inks.flag, inks.muted],
        "font": {"family": theme.FONTS, "size": theme.SIZE, "color": theme.TEXT},
        **dict.fromkeys(("paper_bgcolor", "plot_bgcolor"), theme.PAPER),
        "colorscale": {"sequential": [[0, theme.PAPER], [1, inks.engine]]},
        **dict.fromkeys(("xaxis", "yaxis"), axis),
    }
    return go.layout.Template(layout=layout)


plotly.io.templates[TEMPLATE] = _template()
