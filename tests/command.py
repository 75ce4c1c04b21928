"""Runs the command line as a user does, in a process of its own, and reads what it wrote."""

from __future__ import annotations

import html
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from reportgen import __main__

USED = ("scipy.linalg.blas", "scipy.special", "pyarrow.csv", "pyarrow.parquet", "pandas", "nbconvert", "weasyprint")
"""What commands import when they need it."""


def reportgen(
    *arguments: str | Path, cwd: Path, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``reportgen`` with these arguments in `cwd`; fail unless it leaves with `code`."""
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def import_everything() -> None:
    """Import what commands need, once, and not in every copy of this process."""
    for name in ("systems", "batches", "items", "runs", "packet", "studies"):
        importlib.import_module(f"reportgen.verbs.{name}")
    importlib.import_module("reportgen.reports")
    for name in USED:
        importlib.import_module(name)


def forked(folder: Path, words: list[str], ready: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run a command line in a copy of this process, after `ready`; return its exit code and what it said of errors."""
    said = folder / "said"
    process = os.fork()
    if not process:
        os.chdir(folder)
        for number, place in ((1, os.devnull), (2, str(said))):
            os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
        sys.argv = ["reportgen", *words]
        ready()
        try:
            __main__.main()
        except SystemExit as left:
            os._exit(int(left.code or 0))
        os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, said.read_text(encoding="utf-8")


def page_text(page: Path) -> str:
    """Return what a reader sees of an HTML page, with single spaces."""
    source = re.sub(r"<(script|style)\b.*?</\1>", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", source)).split())


def pdf_text(page: Path) -> str:
    """Return the text of a PDF, with single spaces."""
    import pypdf

    return " ".join(" ".join(sheet.extract_text() for sheet in pypdf.PdfReader(page).pages).split())
