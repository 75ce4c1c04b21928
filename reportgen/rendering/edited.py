"""A notebook that somebody has changed in Jupyter: cells of their own among those of the report.

A cell that is not the report's stands where it was put: it belongs to the section of the cell before it.  What it
showed is made harmless, as the outputs of every notebook that is not ours (`reportgen.rendering.sanitizing`).  Nothing
that a notebook states about its cells is trusted: the report's text is the text that its results make, and what
``report.show`` shows is made again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode

from reportgen.rendering import execution, foreign
from reportgen.rendering.escaping import anchor
from reportgen.rendering.notebook import Notebook
from reportgen.rendering.sanitizing import harmless
from reportgen.rendering.show import ShownReport


def placed(notebook: Notebook, built: Notebook, report: ShownReport) -> Notebook:
    """Return a notebook in which every cell says where it stands, and every output is one that a page can show.

    `built` is the notebook that the results of the report make.
    """
    made = copy.deepcopy(notebook)
    before: dict[str, str] = {}
    depth, last = 0, None
    around: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for cell in built["cells"]:
        around.setdefault((cell["cell_type"], cell["source"]), []).append(cell["metadata"].get("reportgen", {}))
    texts = {cell["source"] for cell in built["cells"] if cell["cell_type"] == "markdown"}
    for number, cell in enumerate(made["cells"], 1):
        own = cell["metadata"].get("reportgen")
        if isinstance(own, Mapping):
            before = {"section": str(own["section"])} if "section" in own else {}
            before |= {"place": "annex"} if own.get("place") == "annex" else {}
        known = around.get((cell["cell_type"], cell["source"]))
        told = known.pop(0) if known else {}
        if last is not None and depth and last.get("section") != before.get("section"):
            last["closes"], depth = str(int(last.get("closes", "0")) + depth), 0
        cell["metadata"]["reportgen"] = dict(before)
        last = cell["metadata"]["reportgen"]
        depth += len(told.get("opens", "").split())
        closes = min(int(told.get("closes", "0")), depth)
        depth -= closes
        if "opens" in told:
            last["opens"] = told["opens"]
        if closes:
            last["closes"] = str(closes)
        if cell["cell_type"] == "code":
            call = execution.literal_call(cell["source"])
            cell["outputs"] = (
                [execution.called(report, call, number)] if call else [_shown(each, number) for each in cell["outputs"]]
            )
        elif cell["cell_type"] == "markdown" and cell["source"] not in texts:
            shown = {"output_type": "display_data", "data": harmless({"text/markdown": cell["source"]}), "metadata": {}}
            cell.update(cell_type="code", outputs=[NotebookNode(shown)])
    if last is not None and depth:
        last["closes"] = str(int(last.get("closes", "0")) + depth)
    return made


def _shown(output: Any, number: int) -> Any:
    """Return an output as a page shows it: harmless, and a figure as a chart."""
    if "data" not in output:
        return output
    data = harmless(output["data"])
    if foreign.PLOTLY not in data:
        return {**output, "data": data, "metadata": {}}
    title = _title(data[foreign.PLOTLY])
    about = {"kind": "chart", "id": anchor("chart", f"cell {number}"), "title": title, "caption": "", "alt": title}
    shown = {form: data[form] for form in (foreign.PLOTLY, "text/plain") if form in data}
    return {**output, "data": shown, "metadata": {"reportgen": {**about, "left_out": 0, "texts_left_out": False}}}


def _title(figure: Any) -> str:
    """Return the title of a Plotly figure, where it has one."""
    layout = figure.get("layout")
    title = layout.get("title") if isinstance(layout, Mapping) else ""
    text = title.get("text") if isinstance(title, Mapping) else title
    return text if isinstance(text, str) else ""


def results_of(notebook: Notebook) -> str:
    """Return the file of results that a notebook's first cell loads, as it is written there.

    Examples
    --------
    >>> from nbformat import v4
    >>> results_of(v4.new_notebook(cells=[v4.new_code_cell("report = load('pilot_results.json')")]))
    'pilot_results.json'
    """
    for cell in notebook["cells"]:
        for call in _calls(cell["source"]) if cell["cell_type"] == "code" else ():
            if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
                return call.args[0].value
    return "results.json"


def _calls(source: str) -> list[ast.Call]:
    """Return the calls of ``load`` in a cell; none of a cell that is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "load"]


def is_edited(notebook: Notebook, built: Notebook) -> bool:
    """Return whether cells were added, changed, moved or left out since the report wrote the notebook."""
    found, made = ([(cell["cell_type"], cell["source"]) for cell in each["cells"]] for each in (notebook, built))
    return found != made
