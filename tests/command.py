"""Runs the command line as a user does, in a process of its own, and reads what it wrote."""

import html
import importlib
import multiprocessing
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import report_sections
import reportgen as package
from reportgen import __main__

READY = [
    *(each.name for each in pkgutil.walk_packages(package.__path__, "reportgen.")),
    *(each.name for each in pkgutil.walk_packages(report_sections.__path__, "report_sections.")),
    "scipy.linalg.blas", "scipy.sparse", "scipy.special", "pyarrow.csv", "pyarrow.parquet", "pandas",
    "IPython.core.application", "nbconvert", "weasyprint",
]  # fmt: skip
"""What commands import when they need it."""

COPIES = multiprocessing.get_context("forkserver")
COPIES.set_forkserver_preload([*READY, "warm"])


def reportgen(
    *arguments: str | Path, cwd: Path, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``reportgen`` with these arguments in `cwd`; fail unless it leaves with `code`.

    The process is a copy of one that has imported everything, unless `environment` is about Python.
    """
    words, variables = [*map(str, arguments)], {**os.environ, **(environment or {})}
    if not any(name.startswith("PYTHON") for name in environment or ()):
        done = _copied(words, cwd, variables)
    else:
        command = [sys.executable, "-m", "reportgen", *words]
        done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def _copied(words: list[str], cwd: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command line in a copy of the process that has imported everything."""
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder) / name for name in ("stdout", "stderr")]
        process = COPIES.Process(target=_command, args=(words, cwd, variables, said))
        process.start()
        process.join()
        stdout, stderr = (each.read_text(encoding="utf-8") if each.exists() else "" for each in said)
    assert process.exitcode is not None
    return subprocess.CompletedProcess(words, process.exitcode, stdout, stderr)


def _command(words: list[str], cwd: Path, variables: dict[str, str], said: list[Path]) -> None:
    """Be the process of a command line."""
    for number, place in enumerate(said, start=1):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    sys.path.insert(0, str(cwd))
    sys.argv = ["reportgen", *words]
    __main__.main()


def import_everything() -> None:
    """Import what commands need, once, and not in every copy of this process."""
    for name in READY:
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
    return " ".join(" ".join(pdf_pages(page)).split())


def pdf_pages(path: Path) -> list[str]:
    """Return the text of each page of a PDF."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_bounded() for page in document]
