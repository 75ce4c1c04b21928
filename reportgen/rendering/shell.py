"""Runs the cells of a notebook, and hands over what they display instead of printing it."""

from __future__ import annotations

import ast
import traceback
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from reportgen.charts.svg import clean
from reportgen.errors import SettingsError, TemplateError, install_command
from reportgen.plugins.isolation import guest, told
from reportgen.rendering.outputs import storable
from reportgen.rendering.show import ShownReport


class CellShell:
    """Runs cells one after another in one namespace: IPython's, from the first cell on that has code of its own."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._shell: Any = None

    def __enter__(self) -> CellShell:
        """Lend the folder and the streams of this process to the cells."""
        self._guest = guest()
        self._guest.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the process as it was."""
        if self._shell is not None:
            self._shell.leave()
        self._guest.__exit__(None, None, None)

    def run(self, source: str, number: int) -> list[Any]:
        """Run one cell and return its outputs, as nbformat nodes.

        Raises
        ------
        SettingsError
            The cell has code of its own, and IPython is not installed.
        """
        call = literal_call(source)
        report = self._names.get("report")
        if call is not None and isinstance(report, ShownReport) and self._holds(report):
            return [called(report, call, number)]
        if self._shell is None:
            self._shell = _started(self._names)
        published, printed, result = self._shell.ran(source)
        error = result.error_before_exec or result.error_in_exec
        if isinstance(error, KeyboardInterrupt | TemplateError | MemoryError):
            raise error
        outputs = []
        text = _text_of(printed)
        if text and error is None:  # with an error, what was printed is IPython's traceback
            outputs.append(new_output("stream", name="stdout", text=text))
        outputs += published
        if error is not None:
            outputs.append(_failure(error))
        elif result.result is not None:
            data, metadata = self._shell.display_formatter.format(result.result)
            outputs.append(_result(new_output, data, metadata, number))
        return outputs

    def _holds(self, report: ShownReport) -> bool:
        """Return whether no cell has put something else in the place of our report."""
        return self._shell is None or self._shell.user_ns.get("report") is report


Call = tuple[str, list[Any], dict[str, Any]]
"""A method of the report, and its arguments."""


def literal_call(source: str) -> Call | None:
    """Return the call of ``report.show`` or ``report.output`` that is all a cell does; None for any other cell.

    Examples
    --------
    >>> literal_call("report.show('raters', note='of two')"), literal_call("report.show(figure)")
    (('show', ['raters'], {'note': 'of two'}), None)
    """
    try:
        call = ast.parse(source, mode="eval").body
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in ("report.show", "report.output"):
            return None
        named = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
        method = ast.unparse(call.func).removeprefix("report.")
        return (method, [*map(ast.literal_eval, call.args)], named) if len(named) == len(call.keywords) else None
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def called(report: ShownReport, call: Call, number: int) -> Any:
    """Return what the report shows, as the output of a cell, or its failure as one."""
    method, given, named = call
    try:
        data, metadata = getattr(report, method)(*given, **named)._repr_mimebundle_()
    except (TemplateError, MemoryError):  # not of this cell alone: every other would meet it too
        raise
    except Exception as error:  # noqa: BLE001 - a cell that fails is an output like any other
        return _failure(error)
    return _result(NotebookNode, data, metadata, number)  # what is ours needs no validation


def _started(names: dict[str, Any]) -> Any:
    """Return IPython's shell, with these names."""
    try:
        from reportgen.rendering.interactive import Shell
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "IPython":
            raise
        raise SettingsError(
            f"a cell with code of its own needs one more package to run it; type: {install_command(extra='kernel')}"
        ) from None
    return Shell.started(names)


def _result(make: Any, data: Any, metadata: Any, number: int) -> Any:
    """Return the value of a cell, made an output."""
    return make(output_type="execute_result", data=storable(data), metadata=storable(metadata), execution_count=number)


def _failure(error: BaseException) -> Any:
    name, _, words = told(error).partition(": ")
    lines = [clean(line).rstrip() for line in traceback.format_exception_only(type(error), error)]
    return new_output("error", ename=name, evalue=words, traceback=lines)


def _text_of(printed: Any) -> str:
    """Return what a cell printed; nothing when it closed the stream."""
    try:
        return clean(printed.stdout)
    except ValueError:
        return ""
