"""Cells that only show a part of the report run in this process, and other code in a Jupyter kernel."""

import json
from pathlib import Path
from typing import Any

import pytest
import sample_report as sample
from nbformat.v4 import new_code_cell, new_notebook

from reportgen.errors import SettingsError
from reportgen.rendering import execution, notebook
from reportgen.rendering.look import Look
from reportgen.rendering.templates import Templates
from reportgen.storing import results_file

KEYS = [table.key for table in sample.report().evaluation.tables.values()][:3]

OWN_CODE = [
    "print('a\\x1b[31mb')",
    "import os; os.chdir('/')",
    "class A:\n    def _repr_html_(self): return 'x\\x00y'\nA()",
    "raise ValueError('half \\x1b')",
    "import sys; sys.stdout.close()",
    "class Mine:\n    def show(self, key): return key * 2\n\nreport = Mine()",
    "report.show('ab')",
]
SHOWN = [f"report.show({key!r})" for key in KEYS] + ["report.show('no such key')"]


def outputs(cells: list[str], folder: Path, *, kernel: str | None = None) -> list[list[Any]]:
    """Return the outputs of each cell of a notebook of the sample report."""
    report, look = sample.report(), Look()
    results_file.write(report, folder / "results.json")
    setup = notebook.setup(look, "results.json", Path.cwd())
    first = new_code_cell(setup, metadata={"tags": ["setup"]})
    cells_ = new_notebook(cells=[first, *map(new_code_cell, cells)])
    execution.run(cells_, Templates(report, look), folder, kernel, setup)
    return [cell["outputs"] for cell in cells_["cells"][1:]]


@pytest.fixture(scope="module")
def in_kernel(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """Return the outputs of cells, some of which have custom code."""
    here, folder = Path.cwd(), tmp_path_factory.mktemp("kernel")
    found = outputs([*SHOWN, *OWN_CODE], folder)
    assert Path.cwd() == here
    return found


def test_cells_have_same_outputs_in_kernel(in_kernel: list[list[Any]], tmp_path: Path) -> None:
    here = outputs(SHOWN, tmp_path)
    for one, other in zip(here, in_kernel, strict=False):
        assert [each.get("data") for each in one] == [each.get("data") for each in other]
        assert [each["output_type"] for each in one] == [each["output_type"] for each in other]
    assert (here[-1][0]["output_type"], here[-1][0]["ename"]) == ("error", "KeyError")


def test_outputs_of_code_can_be_stored(in_kernel: list[list[Any]]) -> None:
    printed, moved, html, failed, closed, replaced, doubled = in_kernel[len(SHOWN) :]
    json.dumps(in_kernel, ensure_ascii=False, allow_nan=False).encode()
    assert printed[0]["text"].strip() == "a[31mb"
    assert html[0]["data"]["text/html"] == "xy"
    assert (failed[0]["ename"], failed[0]["evalue"].strip()) == ("ValueError", "half")
    assert (moved, closed, replaced) == ([], [], [])
    assert doubled[0]["data"]["text/plain"] == "'abab'"


def test_show_cells_need_no_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", "")
    monkeypatch.setattr("jupyter_client.kernelspec.KernelSpecManager.get_kernel_spec", _no_kernel)
    assert outputs([f"report.show({KEYS[0]!r})"], tmp_path)[0][0]["output_type"] == "execute_result"
    with pytest.raises(SettingsError, match=r"custom code .* -m pip install 'ipykernel>="):
        outputs(["1 + 1"], tmp_path)


def _no_kernel(_: object, name: str) -> None:
    from jupyter_client.kernelspec import NoSuchKernel

    raise NoSuchKernel(name)
