"""Cells that only show are not run by the shell, and give what it would give."""

from __future__ import annotations

import sys

import pytest
import sample_report as sample

from reportgen.errors import SettingsError
from reportgen.rendering.look import Look
from reportgen.rendering.shell import CellShell
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates

KEYS = [table.key for table in sample.report().evaluation.tables.values()][:3]


@pytest.fixture(scope="module")
def shown() -> ShownReport:
    report, look = sample.report(), Look()
    return ShownReport(report, look, Templates(report, look))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("rest", ["", ", 'table'"])
def test_a_cell_that_shows_gives_what_the_shell_gives(shown: ShownReport, key: str, rest: str) -> None:
    with CellShell({"report": shown}) as shell:
        assert shell.run(f"report.show({key!r}{rest})", 3) == shell.run(f"report.show(*[{key!r}]{rest})", 3)


@pytest.mark.parametrize("call", ["'no such key'", "*['no such key']"])
def test_a_key_that_is_not_there_is_the_cells_error(shown: ShownReport, call: str) -> None:
    with CellShell({"report": shown}) as shell:
        (output,) = shell.run(f"report.show({call})", 1)
    assert (output["output_type"], output["ename"]) == ("error", "KeyError")


def test_a_report_that_a_cell_replaced_is_the_cells_own(shown: ShownReport) -> None:
    with CellShell({"report": shown}) as shell:
        shell.run("class Mine:\n    def show(self, key): return key * 2\n\nreport = Mine()", 1)
        (output,) = shell.run("report.show('ab')", 2)
    assert output["data"]["text/plain"] == "'abab'"


def test_ipython_is_needed_for_code_of_ones_own_alone(shown: ShownReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "reportgen.rendering.interactive", raising=False)
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setitem(sys.modules, "IPython.core.displayhook", None)
    with CellShell({"report": shown}) as shell:
        (output,) = shell.run(f"report.show({KEYS[0]!r})", 1)
        assert output["output_type"] == "execute_result"
        with pytest.raises(SettingsError, match=r"code of its own .* -m pip install 'ipykernel>="):
            shell.run("1 + 1", 2)
