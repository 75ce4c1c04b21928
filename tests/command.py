"""Runs the command line as a user does, in its own process, and reads what it wrote."""

import contextlib
import functools
import html
import importlib
import logging
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from typer.testing import CliRunner, Result

import report_sections
import reportgen as package
from reportgen import __main__
from reportgen.cli.app import app

READY = [
    *(each.name for each in pkgutil.walk_packages(package.__path__, "reportgen.")),
    *(each.name for each in pkgutil.walk_packages(report_sections.__path__, "report_sections.")),
    "scipy.linalg.blas", "scipy.sparse", "scipy.special", "pyarrow.csv", "pyarrow.parquet", "pandas",
    "IPython.core.application", "nbconvert", "weasyprint", "warm",
]  # fmt: skip
"""What commands import when they need it."""


def reportgen(
    *arguments: str | Path, cwd: Path, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``reportgen`` with these arguments in `cwd`; fail unless it leaves with `code`.

    The process is a copy of this one, which has imported everything, unless `environment` is about Python.
    """
    words, variables = [*map(str, arguments)], {**os.environ, **(environment or {})}

    def ready() -> None:
        os.environ.clear()
        os.environ.update(variables)
        sys.path.insert(0, str(cwd))

    if any(name.startswith("PYTHON") for name in environment or ()):
        command = [sys.executable, "-m", "reportgen", *words]
        done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    else:
        done = subprocess.CompletedProcess(words, *_forked(cwd, words, ready))
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def invoked(*arguments: object, code: int = 0, answers: str = "") -> Result:
    """Run a command line in this process; fail unless it leaves with `code`."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=answers)
    assert result.exit_code == code, result.output
    return result


def refused(*arguments: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> str:
    """Run a command line that is refused in one sentence, with nothing written in `cwd`; return the sentence."""
    before = sorted(cwd.rglob("*"))
    said = reportgen(*arguments, cwd=cwd, code=2, environment=environment).stderr
    assert re.search("^(error|question): ", said, re.MULTILINE), said
    assert said.count("\n") <= 2 or said.startswith("question: "), said
    assert sorted(cwd.rglob("*")) == before
    return said


def _forked(folder: Path, words: list[str], ready: Callable[[], None]) -> tuple[int, str, str]:
    """Run a command line in a copy of this process, after `ready`; return its exit code, output and errors."""
    import_everything()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads: those of a worker of pytest wait
            process = os.fork()
        if not process:
            _command(folder, words, ready, stdout.fileno(), stderr.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        items = [each.read().decode() for each in (stdout, stderr) if not each.seek(0)]
    return code, items[0], items[1]


def _command(folder: Path, words: list[str], ready: Callable[[], None], *places: int) -> NoReturn:
    """Be the process of a command line."""
    code = 1
    try:
        os.chdir(folder)
        for number, place in enumerate(places, start=1):
            os.dup2(place, number)
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
        warnings.resetwarnings()
        logging.getLogger().handlers.clear()
        sys.argv = ["reportgen", *words]
        ready()
        __main__.main()
    except SystemExit as left:
        code = int(left.code or 0)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


@functools.cache
def import_everything() -> None:
    """Import what commands need, once, and not in every copy of this process."""
    for name in READY:
        importlib.import_module(name)


def forked(folder: Path, words: list[str], ready: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run a command line in a copy of this process, after `ready`; return its exit code and its error output."""
    code, _, said = _forked(folder, words, ready)
    return code, said


def page_text(page: Path) -> str:
    """Return what a reader sees of an HTML page, with single spaces."""
    source = re.sub(r"<(script|style)\b.*?</\1>", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", source)).split())


def pdf_text(page: Path) -> str:
    """Return the text of a PDF, with single spaces."""
    return " ".join(" ".join(pdf_pages(page)).split())


def pdf_pages(path: Path) -> list[str]:
    """Return the text of each page of a PDF."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_bounded() for page in document]
