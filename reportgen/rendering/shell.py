"""An IPython shell that hands over what its cells display, instead of printing it."""

from __future__ import annotations

import ast
import atexit
import base64
import math
import re
import traceback
import types
from collections.abc import Mapping
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode
from nbformat.v4 import new_output
from traitlets import List, Type
from traitlets.config import Config

from reportgen.charts.svg import clean
from reportgen.errors import TemplateError
from reportgen.plugins.isolation import guest, told
from reportgen.rendering.show import Shown, ShownReport

_WORD = r"""('[^'\\\n]*'|"[^"\\\n]*")"""
_SHOW = re.compile(rf"report\.show\({_WORD}(?:, {_WORD})?\)")
"""A cell that shows one thing by its key."""


class _Collector(DisplayPublisher):
    """Keeps what ``display(...)`` publishes."""

    outputs: Any = List()

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **_: Any) -> None:  # noqa: ARG002
        """Keep one output."""
        self.outputs.append(new_output("display_data", data=_storable(data), metadata=_storable(metadata or {})))


class _Silence(DisplayHook):
    """Leaves the value of a cell's last expression alone; `CellShell.run` takes it from the result."""

    def __call__(self, result: object = None) -> None:
        """Do nothing."""
        hook: Any = super()
        if result is not None and not hook.quiet():
            hook.fill_exec_result(result)

    def flush(self) -> None:
        """Do nothing: results of cells were not kept, and to search all memory for them takes a tenth of a report."""


class _Shell(InteractiveShell):
    display_pub_class = Type(_Collector)
    displayhook_class = Type(_Silence)

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: there is no window; ``%matplotlib inline`` asks for this."""


class CellShell:
    """Runs cells one after another in one namespace.

    It is the current shell of this process, so that ``display`` in a cell reaches it; inside
    Jupyter, where there is one already, it stands beside it.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._alone = not InteractiveShell.initialized()

    def __enter__(self) -> CellShell:
        """Start the shell: without history, in a module of its own."""
        self._guest = guest()
        self._guest.__enter__()
        config = Config({"HistoryManager": {"enabled": False}})
        make: Any = _Shell.instance if self._alone else _Shell
        self._shell: Any = make(config=config, user_module=types.ModuleType("report_notebook"))
        self._shell.push(self._names)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the process as it was."""
        self._shell.restore_sys_module_state()
        atexit.unregister(self._shell.atexit_operations)
        self._shell.atexit_operations()  # now, not when the process ends: a batch would keep every report until then
        if self._alone:
            _Shell.clear_instance()
        self._guest.__exit__(None, None, None)

    def run(self, source: str, number: int) -> list[Any]:
        """Run one cell and return its outputs, as nbformat nodes."""
        shown = self._shown(source)
        if shown is not None:
            data, metadata = shown._repr_mimebundle_()
            return [_result(NotebookNode, data, metadata, number)]  # what is ours needs no validation
        published = self._shell.display_pub.outputs = []
        with capture_output(display=False) as printed:
            result = self._shell.run_cell(source, store_history=False)
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

    def _shown(self, source: str) -> Shown | None:
        """Return what a cell shows that says ``report.show("a key")`` and nothing else, as almost all cells do.

        None for any other, for a `report` that is not ours any more, and for what fails: the shell runs it, and tells.
        """
        call = _SHOW.fullmatch(source)
        report = self._names.get("report")
        if call is None or not isinstance(report, ShownReport) or self._shell.user_ns.get("report") is not report:
            return None
        try:
            return report.show(*(ast.literal_eval(word) for word in call.groups("''")))
        except (TemplateError, MemoryError):  # not of this cell alone: every other would meet it too
            raise
        except Exception:  # noqa: BLE001 - it fails again in the shell, which makes the error an output
            return None


def _result(make: Any, data: Any, metadata: Any, number: int) -> Any:
    """Return the value of a cell, made an output."""
    return make(
        output_type="execute_result", data=_storable(data), metadata=_storable(metadata), execution_count=number
    )


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


def _storable(content: Any, form: str = "") -> Any:
    r"""Return what a cell shows as a notebook can hold it: bytes as letters, nothing that JSON cannot say.

    Examples
    --------
    >>> _storable({"image/png": b"\x89", "text/plain": b"abc"}), _storable([float("nan"), 1])
    ({'image/png': 'iQ==', 'text/plain': 'abc'}, [None, 1])
    """
    if isinstance(content, Mapping):
        return {str(key): _storable(item, form or str(key)) for key, item in content.items()}
    if isinstance(content, list | tuple):
        return [_storable(item, form) for item in content]
    if isinstance(content, bytes):
        picture = form.startswith("image/") and "xml" not in form
        return base64.b64encode(content).decode() if picture else clean(content.decode("utf-8", "replace"))
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    return content if content is None or isinstance(content, bool | int) else clean(str(content))
