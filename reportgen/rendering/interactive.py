"""An IPython shell that hands over what its cells display, instead of printing it."""

from __future__ import annotations

import atexit
import types
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_output
from traitlets import List, Type
from traitlets.config import Config

from reportgen.rendering.outputs import storable


class _Collector(DisplayPublisher):
    """Keeps what ``display(...)`` publishes."""

    outputs: Any = List()

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **_: Any) -> None:  # noqa: ARG002
        """Keep one output."""
        self.outputs.append(new_output("display_data", data=storable(data), metadata=storable(metadata or {})))


class _Silence(DisplayHook):
    """Leaves the value of a cell's last expression alone; `CellShell.run` takes it from the result."""

    def __call__(self, result: object = None) -> None:
        """Do nothing."""
        hook: Any = super()
        if result is not None and not hook.quiet():
            hook.fill_exec_result(result)

    def flush(self) -> None:
        """Do nothing: results of cells were not kept, and to search all memory for them takes a tenth of a report."""


class Shell(InteractiveShell):
    """The shell that cells run in: without history, in a module of its own.

    It is the current one of this process, so that ``display`` in a cell reaches it; inside Jupyter, where there is
    one already, it stands beside it.
    """

    alone = False
    display_pub_class = Type(_Collector)
    displayhook_class = Type(_Silence)

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: there is no window; ``%matplotlib inline`` asks for this."""

    @classmethod
    def started(cls, names: dict[str, Any]) -> Shell:
        """Start a shell that knows these names."""
        alone = not InteractiveShell.initialized()
        make: Any = cls.instance if alone else cls
        config = Config({"HistoryManager": {"enabled": False}})
        shell: Any = make(config=config, user_module=types.ModuleType("report_notebook"))
        shell.alone = alone
        shell.push(names)
        started: Shell = shell
        return started

    def leave(self) -> None:
        """Leave the process as it was."""
        shell: Any = self
        shell.restore_sys_module_state()
        atexit.unregister(shell.atexit_operations)
        shell.atexit_operations()  # now, not when the process ends: a batch would keep every report until then
        if self.alone:
            Shell.clear_instance()

    def ran(self, source: str) -> tuple[list[Any], Any, Any]:
        """Run a cell; return what it published, what it printed and its result."""
        shell: Any = self
        shell.display_pub.outputs = []
        with capture_output(display=False) as printed:
            result = shell.run_cell(source, store_history=False)
        return shell.display_pub.outputs, printed, result
