"""How results show themselves where somebody works with them: as HTML, as LaTeX or Markdown, as a figure of Plotly.

Results hold data and know nothing of pages.  Rooms above offer these views as entry points, as sections and readers
are offered, and one is looked up when somebody looks.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

GROUP = "reportgen.views"

Name = Literal[
    "html_of_report", "html_of_verdict", "html_of_chart", "figure_of_chart",
    "html_of_table", "latex_of_table", "markdown_of_table", "great_table_of_table",
    "sentence_of_check", "sentence_of_verdict", "page_of_report", "dict_of_report",
]  # fmt: skip


def shown(result: object, name: Name) -> Any:
    """Return a result as one of its views makes it."""
    return _view(name)(result)


@cache
def _view(name: Name) -> Any:
    """Return the view of a name that reportgen itself offers: an entry point, or next to that of a whole report."""
    from importlib import import_module
    from importlib.metadata import entry_points

    offered = {each.name: each for each in entry_points(group=GROUP) if each.value.startswith("reportgen.")}
    if name in offered:
        return offered[name].load()
    return getattr(import_module(offered["html_of_report"].module), name)
