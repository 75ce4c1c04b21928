"""Library calls in threads: each report is right, and nothing of the process is changed."""

import gc
import locale
import os
import signal
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from score_files import write_csv

import reportgen

SECTION = """
from dataclasses import dataclass
from typing import ClassVar
from reportgen.sections import Evaluation, Findings, Section

@dataclass(frozen=True)
class Counted(Section):
    name: ClassVar[str] = "counted"
    title: ClassVar[str] = "Counted"

    def findings(self, evaluation: Evaluation) -> Findings:
        return Findings(headline=f"There are {evaluation.facts['responses_kept']} responses.")
"""


def process_state() -> dict[str, Any]:
    """Return what belongs to the whole process."""
    stops = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]
    return {
        "streams": (sys.stdout, sys.stderr, sys.stdin, sys.displayhook, sys.excepthook),
        "folder": Path.cwd(),
        "bytecode": sys.dont_write_bytecode,
        "warnings": (list(warnings.filters), warnings.showwarning),
        "locale": locale.setlocale(locale.LC_ALL),
        "environment": dict(os.environ),
        "signals": [signal.getsignal(number) for number in stops],
        "timers": signal.getitimer(signal.ITIMER_VIRTUAL),
        "limits": (sys.getrecursionlimit(), gc.get_threshold(), gc.isenabled()),
        "path": list(sys.path),
    }


@pytest.mark.slow
def test_threads_write_the_same_reports_as_one_and_change_no_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own/counted.py").write_text(SECTION)
    sources = [write_csv(tmp_path / f"s{each}.csv", seed=each) for each in range(2)]
    sections = ["summary", "data", "system_human_agreement", str(tmp_path / "own/counted.py")]

    def made(number: int, name: str) -> tuple[str, str]:
        """Evaluate a file, and render the stored report again; return both pages."""
        out = tmp_path / f"{name}{number}"
        reportgen.evaluate(
            sources[number % 2], out, id="id", system="engine", human=["h1", "h2"], groups=["group"], scale="1:6",
            formats=["html"], sections=sections, plotly="none", created="2026-01-01", seed=1,
        )  # fmt: skip
        reportgen.render(out / "results.json", out / "again", formats=["html"])
        return (out / "report.html").read_text(), (out / "again/report.html").read_text()

    expected = [made(0, "alone"), made(1, "alone")]
    before = process_state()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: made(number, "thread"), range(8)))
    assert process_state() == before
    assert expected[0] != expected[1]
    assert "There are 200 responses." in expected[0][0]
    assert all(pages == expected[number % 2] for number, pages in enumerate(found))
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["counted.py"]


def test_a_call_with_a_pdf_changes_no_state(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "s.csv", seed=1)
    before = process_state()
    report = reportgen.evaluate(
        source, tmp_path / "out", id="id", system="engine", human=["h1", "h2"], groups=[], formats=["pdf"],
        sections=["summary"],
    )  # fmt: skip
    assert process_state() == before
    assert report.page is None
    assert (tmp_path / "out/report.pdf").read_bytes().startswith(b"%PDF")
