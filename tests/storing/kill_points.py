"""Runs commands that are killed at one of their file-system calls, each in a process forked from one that is warm.

``python kill_points.py WORK MOST COMMAND...`` kills COMMAND (the arguments of ``reportgen``) at MOST of its file-system
calls, most of them late, in a copy of WORK each time, and prints one line of JSON about each.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

WATCHED = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link", "os.symlink"}


def content(folder: Path) -> dict[str, str]:
    """Return every file below a folder, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().hex() if path.stat().st_size < 200 else _hash(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _hash(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def forked(work: Path, arguments: list[str], watch: Callable[[str, tuple[Any, ...]], None] | None = None) -> int:
    """Run reportgen in a forked process inside a folder; return its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.chdir(work)
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            sys.argv = ["reportgen", *arguments]
            from reportgen.cli.app import main

            if watch is not None:
                sys.addaudithook(watch)
            try:
                main()
            except SystemExit as done:
                code = int(done.code or 0)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def counter(work: Path, at: int = -1, log: int = -1) -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook that counts the calls that concern a folder, and kills its process before one of them."""
    seen = [0]
    home = str(work)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in WATCHED or not isinstance(arguments[0], str | Path):
            return
        path = str(arguments[0])
        if path.startswith("/") and not path.startswith(home):
            return
        if seen[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        seen[0] += 1
        if log >= 0:
            os.write(log, b".")

    return watch


def calls_of(work: Path, arguments: list[str]) -> int:
    """Return how many file-system calls a command makes."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    forked(work, arguments, counter(work, log=writer))
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        return len(told.read())


def main() -> None:
    """Kill a command at a share of its calls, and tell what is there afterwards."""
    template, most, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    import reportgen.verbs.batches
    import reportgen.verbs.long_tables
    import reportgen.verbs.runs  # noqa: F401 - the children find everything imported
    from reportgen.storing import recover

    with tempfile.TemporaryDirectory() as scratch:

        def fresh() -> Path:
            work = Path(scratch, "work")
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(template, work)
            return work

        work = fresh()
        before = content(work)
        total = calls_of(work, command)
        after = content(work)
        for at in _spread(total, most):
            work = fresh()
            code = forked(work, command, counter(work, at))
            found: dict[str, Any] = {"at": at, "of": total, "code": code}
            for folder in [
                work,
                *(path for path in work.rglob("*") if path.is_dir() and not path.name.startswith(".")),
            ]:
                recover(folder)
            now = content(work)
            found["recovered"] = "old" if now == before else "new" if now == after else _difference(now, before, after)
            work = fresh()
            forked(work, command, counter(work, at))
            found["again"] = forked(work, command)
            now = content(work)
            found["whole"] = "new" if now == after else _difference(now, before, after)
            found["hidden"] = [path.name for path in work.rglob(".reportgen-*")]
            print(json.dumps(found), flush=True)


def _spread(total: int, most: int) -> list[int]:
    """Return which calls a command is killed at: all, or some, most of them late, where files are moved."""
    if most >= total:
        return list(range(total))
    return sorted({total - 1 - round((total - 1) * (step / most) ** 2 * 0.6) for step in range(most)})


def _difference(now: dict[str, str], before: dict[str, str], after: dict[str, str]) -> str:
    """Return which files are of neither state."""
    names = sorted({*now, *before, *after})
    return " ".join(
        f"{name}:{'o' if now.get(name) == before.get(name) else ''}{'n' if now.get(name) == after.get(name) else ''}"
        for name in names
        if not (now.get(name) == before.get(name) == after.get(name))
    )[:600]


if __name__ == "__main__":
    main()
