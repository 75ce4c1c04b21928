"""Run command lines in forked processes with limits, and record their effects."""

import hashlib
import importlib
import os
import pkgutil
import resource
import signal
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import report_sections
import reportgen

SECONDS = 20
"""CPU seconds allowed for a command."""

WALL = 90
"""Wall-clock seconds allowed; a command may wait forever."""

MEMORY = 8 << 30
"""Bytes of address space allowed."""

NEVER_LEFT = 98
"""Exit code of a command that returned or raised instead of exiting."""

LIBRARIES = (
    "IPython", "nh3", "duckdb", "nbclient", "nbconvert", "openpyxl", "pandas", "pyarrow.parquet", "rich.markup",
    "scipy.linalg", "scipy.sparse", "scipy.special", "yaml",
)  # fmt: skip
"""Modules that commands import late."""


@dataclass(frozen=True)
class Did:
    """The effects of a command."""

    code: int
    """Exit code, or minus the number of the signal."""

    output: str
    errors: str
    seconds: float
    megabytes: float
    before: dict[str, str]
    after: dict[str, str]


def load() -> None:
    """Import the modules that commands use."""
    own = (reportgen, report_sections)
    names = [module.name for each in own for module in pkgutil.walk_packages(each.__path__, f"{each.__name__}.")]
    for name in (*names, *LIBRARIES):
        with suppress(ImportError):
            importlib.import_module(name)


def content(root: Path) -> dict[str, str]:
    """Return the content at every path in a folder, without following links."""
    found = {}
    for place, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(place, name)
            kind = path.lstat().st_mode
            if stat.S_ISLNK(kind):
                told = f"link to {path.readlink()}"
            elif stat.S_ISREG(kind):
                told = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                told = "folder" if stat.S_ISDIR(kind) else "other"
            found[path.relative_to(root).as_posix()] = told
    return found


def run(arguments: list[str], root: Path) -> Did:
    """Run reportgen in ``root/work`` with temporary files in ``root/tmp``."""
    before = content(root)
    with tempfile.TemporaryDirectory(prefix="streams-") as streams:
        process = os.fork()
        if not process:
            _child(arguments, root, Path(streams))
        _, status, usage = os.wait4(process, 0)
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)  # processes that it left running
        output, errors = (Path(streams, name).read_bytes().decode("utf-8", "backslashreplace") for name in ("1", "2"))
    return Did(
        os.waitstatus_to_exitcode(status),
        output,
        errors,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        before,
        content(root),
    )


def _child(arguments: list[str], root: Path, streams: Path) -> NoReturn:
    """Run the command in the child process."""
    code = NEVER_LEFT
    try:
        os.setsid()
        _surround(root, streams)
        sys.argv = ["reportgen", *arguments]
        from reportgen.__main__ import main

        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else NEVER_LEFT
    except BaseException:  # noqa: BLE001 - whatever it is, it is found
        traceback.print_exc()
    finally:
        _flush(sys.stdout.flush, sys.stderr.flush)
        os._exit(code & 0xFF)


def _surround(root: Path, streams: Path) -> None:
    """Set the folders, streams, and limits of a command."""
    os.chdir(root / "work")
    os.environ["TMPDIR"], tempfile.tempdir = str(root / "tmp"), None
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(streams / str(number), os.O_WRONLY | os.O_CREAT), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL)


def _flush(*flushes: Callable[[], None]) -> None:
    for flush in flushes:
        with suppress(OSError, ValueError):
            flush()
