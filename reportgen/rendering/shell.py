"""An IPython shell that hands over what its cells display, instead of printing it."""

from __future__ import annotations

import traceback
import types
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_output
from traitlets import List, Type
from traitlets.config import Config


class _Collector(DisplayPublisher):
    """Keeps what ``display(...)`` publishes."""

    outputs: Any = List()

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **_: Any) -> None:  # noqa: ARG002
        """Keep one output."""
        self.outputs.append(new_output("display_data", data=data, metadata=metadata or {}))


class _Silence(DisplayHook):
    """Leaves the value of a cell's last expression alone; `CellShell.run` takes it from the result."""

    def __call__(self, result: object = None) -> None:
        """Do nothing."""
        hook: Any = super()
        if result is not None and not hook.quiet():
            hook.fill_exec_result(result)


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
        config = Config({"HistoryManager": {"enabled": False}})
        make: Any = _Shell.instance if self._alone else _Shell
        self._shell: Any = make(config=config, user_module=types.ModuleType("report_notebook"))
        self._shell.push(self._names)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the process as it was."""
        self._shell.restore_sys_module_state()
        if self._alone:
            _Shell.clear_instance()

    def run(self, source: str, number: int) -> list[Any]:
        """Run one cell and return its outputs, as nbformat nodes."""
        published = self._shell.display_pub.outputs = []
        with capture_output(display=False) as printed:
            result = self._shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        outputs = []
        if printed.stdout and error is None:  # with an error, what was printed is IPython's traceback
            outputs.append(new_output("stream", name="stdout", text=printed.stdout))
        outputs += published
        if error is not None:
            outputs.append(_failure(error))
        elif result.result is not None:
            data, metadata = self._shell.display_formatter.format(result.result)
            outputs.append(new_output("execute_result", data=data, metadata=metadata, execution_count=number))
        return outputs


def _failure(error: BaseException) -> Any:
    lines = traceback.format_exception_only(type(error), error)
    return new_output(
        "error", ename=type(error).__name__, evalue=str(error), traceback=[line.rstrip() for line in lines]
    )
