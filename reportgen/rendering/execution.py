"""Run the cells of a notebook, which show the content of the report, or run code in a Jupyter kernel.

A cell that fails does not stop the run: its error is an output, shown as a box in its section.
"""

import ast
import asyncio
import base64
import copy
import math
import re
import subprocess
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from reportgen.charts.svg import clean
from reportgen.errors import SettingsError, TemplateError, did_you_mean, install_command
from reportgen.plugins import explain
from reportgen.rendering import foreign
from reportgen.rendering.filters import anchor
from reportgen.rendering.foreign import harmless
from reportgen.rendering.notebook import KERNEL, Notebook
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates
from reportgen.results import Report

METHODS = ("report.show", "report.output")  # methods that only display a part of the report

Call = tuple[str, list[Any], dict[str, Any]]  # a method of the report, and its arguments


def run(notebook: Notebook, templates: Templates, folder: Path, kernel: str | None, setup: str) -> None:
    """Fill the outputs of `notebook`.

    Cells that only display a part of the report are filled here. If `kernel` is given, or a template has a cell with
    other code, all cells run in a Jupyter kernel, a separate process that code can change freely.
    """
    cells = list(enumerate(_code_cells(notebook), start=1))
    calls = {number: literal_call(cell["source"]) for number, cell in cells if not _is_setup(cell)}
    if kernel is not None or None in calls.values():
        run_in_kernel(notebook, folder, kernel, setup)
        return
    shown = ShownReport(templates)
    for number, cell in cells:
        cell["execution_count"] = number
        call = calls.get(number)
        if call is not None:
            cell["outputs"] = [called(shown, call, number)]


def run_in_kernel(notebook: Notebook, folder: Path, kernel: str | None, setup: str = "") -> None:
    """Fill the outputs of `notebook` by running it in a Jupyter kernel in `folder`.

    `kernel`: Its name; None for this Python. `setup`: Code to run instead of the notebook's setup cell, which is for
    later use in other places. Raises SettingsError if the kernel is unknown, dies, or does not answer.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    client = NotebookClient(
        notebook,
        kernel_name=kernel or KERNEL["name"],
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    first = next(filter(_is_setup, _code_cells(notebook)), None)
    kept = first["source"] if first else ""
    if first and setup:
        first["source"] = setup
    try:
        with ThreadPoolExecutor(1) as thread:  # nbclient replaces the signal handlers of a main thread
            running = thread.submit(lambda: asyncio.run(client.async_execute(stderr=subprocess.DEVNULL)))
            try:
                running.result()
            finally:
                _end(client, running)
    except NoSuchKernel as error:
        if kernel is None:
            raise SettingsError(
                f"a notebook cell with custom code requires an extra package; run: {install_command(extra='kernel')}"
            ) from error
        known = list(KernelSpecManager().find_kernel_specs())
        raise SettingsError(
            f"Jupyter kernel {kernel!r} is not installed{did_you_mean(kernel, known) if known else ''}"
        ) from error
    except (DeadKernelError, RuntimeError) as error:
        advice = "remove --kernel" if kernel else "look for code in the template's cells that exits Python"
        raise SettingsError(f"Jupyter kernel {kernel or 'python3'!r} died or did not respond; {advice}.") from error
    finally:
        if first:
            first["source"] = kept
    for output in (each for cell in _code_cells(notebook) for each in cell["outputs"]):
        output.update({key: storable(output[key]) for key in ("data", "text", "evalue", "traceback") if key in output})


def _end(client: Any, running: Future[Any]) -> None:
    while not running.done():
        process = getattr(getattr(client.km, "provisioner", None), "process", None)
        if process is not None:
            process.kill()
        wait([running], 0.1)


def literal_call(source: str) -> Call | None:
    """Return the report method and arguments of a cell, if it is a plain call as almost all are; otherwise None.

    >>> literal_call("report.show('raters', note='of two')"), literal_call("report.show(figure)")
    (('show', ['raters'], {'note': 'of two'}), None)
    """
    try:
        call = ast.parse(source, mode="eval").body
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in METHODS:
            return None
        named = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
        given = [*map(ast.literal_eval, call.args)]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    method = ast.unparse(call.func).partition(".")[2]
    return (method, given, named) if len(named) == len(call.keywords) else None


def called(report: ShownReport, call: Call, number: int) -> Any:
    """Return what the report displays, or its error, as the output of a cell."""
    method, given, named = call
    try:
        data, metadata = getattr(report, method)(*given, **named)._repr_mimebundle_()
    except (TemplateError, MemoryError):  # every other cell would have the same error
        raise
    except Exception as error:  # noqa: BLE001 - a cell that fails is an output like any other
        name, _, words = explain(error).partition(": ")
        lines = [clean(line).rstrip() for line in traceback.format_exception_only(type(error), error)]
        return new_output("error", ename=name, evalue=words, traceback=lines)
    return NotebookNode(  # our own output needs no validation
        output_type="execute_result", data=storable(data), metadata=storable(metadata), execution_count=number
    )


def _is_setup(cell: Any) -> bool:
    return "setup" in cell["metadata"].get("tags", ())


def failed_sections(notebook: Notebook, report: Report) -> tuple[str, ...]:
    """Return the sections that failed; raises TemplateError if a template failed."""
    failed = [section.name for section in report.sections if section.error]
    for cell in _code_cells(notebook):
        for output in (each for each in cell["outputs"] if each["output_type"] == "error"):
            if output["ename"] == TemplateError.__name__:
                raise TemplateError(output["evalue"])
            failed.append(cell["metadata"].get("reportgen", {}).get("section", "report"))
    return tuple(dict.fromkeys(failed))


def _code_cells(notebook: Notebook) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def storable(content: Any, form: str = "") -> Any:
    r"""Convert a cell's output for storage in a notebook: bytes as Base64, and nothing that JSON cannot represent.

    >>> storable({"image/png": b"\x89", "text/plain": b"abc"}), storable([float("nan"), 1])
    ({'image/png': 'iQ==', 'text/plain': 'abc'}, [None, 1])
    """
    if isinstance(content, Mapping):
        return {str(key): storable(item, form or str(key)) for key, item in content.items()}
    if isinstance(content, list | tuple):
        return [storable(item, form) for item in content]
    if isinstance(content, bytes):
        picture = form.startswith("image/") and "xml" not in form
        return base64.b64encode(content).decode() if picture else clean(content.decode("utf-8", "replace"))
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    return content if content is None or isinstance(content, bool | int) else clean(str(content))


def placed(notebook: Notebook, built: Notebook, report: ShownReport) -> Notebook:
    """Mark every cell of a notebook with its section, and keep only outputs that a page can show.

    Cells that are not part of the report belong to the section of the cell before them, and their outputs are
    sanitized. The cell metadata in the notebook is not trusted: `built` is the notebook that the results produce, and
    the outputs of ``report.show`` are recreated.
    """
    made = copy.deepcopy(notebook)
    before: dict[str, str] = {}
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
        items = known.pop(0) if known else {}
        cell["metadata"]["reportgen"] = before | {name: items[name] for name in ("opens", "closes") if name in items}
        if cell["cell_type"] == "code":
            call = literal_call(cell["source"])
            cell["outputs"] = (
                [called(report, call, number)] if call else [_shown(each, number) for each in cell["outputs"]]
            )
        elif cell["cell_type"] == "markdown" and cell["source"] not in texts:
            shown = {"output_type": "display_data", "data": harmless({"text/markdown": cell["source"]}), "metadata": {}}
            cell.update(cell_type="code", outputs=[NotebookNode(shown)])
    _close([cell["metadata"]["reportgen"] for cell in made["cells"]])
    return made


def _close(cells: Sequence[dict[str, str]]) -> None:
    """Close every open element at the end of its section, and drop closing tags without an open element."""
    depth = 0
    for about, after in zip_longest(cells, cells[1:]):
        depth += len(about.get("opens", "").split())
        closes = min(int(about.pop("closes", "0")), depth)
        if after is None or after.get("section") != about.get("section"):
            closes = depth
        if closes:
            about["closes"] = str(closes)
        depth -= closes


def _shown(output: Any, number: int) -> Any:
    if "data" not in output:
        return output
    data = harmless(output["data"])
    if foreign.PLOTLY not in data:
        return {**output, "data": data, "metadata": {}}
    layout = data[foreign.PLOTLY].get("layout")
    sentence = layout.get("title") if isinstance(layout, Mapping) else ""
    text = sentence.get("text") if isinstance(sentence, Mapping) else sentence
    title = text if isinstance(text, str) else ""
    about = {"kind": "chart", "id": anchor("chart", f"cell {number}"), "title": title, "caption": "", "alt": title}
    shown = {form: data[form] for form in (foreign.PLOTLY, "text/plain") if form in data}
    return {**output, "data": shown, "metadata": {"reportgen": {**about, "left_out": 0, "texts_left_out": False}}}


_LOAD = re.compile(r"""\bload\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")


def results_of(notebook: Notebook) -> str:
    """Return the results file that a notebook's first cell loads, as written there.

    >>> from nbformat import v4
    >>> results_of(v4.new_notebook(cells=[v4.new_code_cell("report = load('pilot_results.json')")]))
    'pilot_results.json'
    """
    for found in filter(None, (_LOAD.search(cell["source"]) for cell in _code_cells(notebook))):
        with suppress(SyntaxError, ValueError):
            return str(ast.literal_eval(found[1]))
    return "results.json"


def is_edited(notebook: Notebook, built: Notebook) -> bool:
    """Return whether cells were added, changed, moved, or removed since the report wrote the notebook."""
    found, made = ([(cell["cell_type"], cell["source"]) for cell in each["cells"]] for each in (notebook, built))
    return found != made
