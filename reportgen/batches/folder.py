"""The folder of a batch: a folder for each report, moved into place as a whole.

Each report is replaced as one of its own is, so that a run that is killed leaves whole reports.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reportgen.batches import manifest
from reportgen.batches.manifest import Entry, Manifest
from reportgen.errors import OutputError, ReportgenError
from reportgen.storing import added, report_folder
from reportgen.storing.replacement import PREFIX

MANIFEST = "batch.json"
SUMMARY = "summary"
"""Folder of the summary of all reports."""

RESTS = 20
"""Times as long as writing the manifest of thousands of reports takes, it is not written again."""


class BatchFolder:
    """Where the reports of a batch are, and what was there before.

    Parameters
    ----------
    path
        The folder; need not exist.
    before
        The manifest of an earlier run; None without one.
    told
        When that was written, in ns.

    Attributes
    ----------
    work
        Where this run keeps files while `open_for_writing` lasts.
    """

    def __init__(self, path: Path, before: Manifest | None, told: int = 0) -> None:
        self.path, self.before, self.told = path, before, told
        self.work = path / f"{PREFIX}{secrets.token_hex(6)}"
        self._rest_until = 0.0

    @contextmanager
    def open_for_writing(self) -> Iterator[None]:
        """Make the folder, and keep other batches out where the system has locks.

        Raises
        ------
        OutputError
            Another batch is writing here, or the disk refuses.
        """
        missing = [place for place in (self.path, *self.path.parents) if not place.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _locked(self.path):
                before = set(self.path.glob(f"{PREFIX}*"))
                self.work.mkdir()
                try:
                    yield
                finally:  # also what processes were making that were killed when the run was stopped
                    for scraps in {*self.path.glob(f"{PREFIX}*")} - before:
                        shutil.rmtree(scraps, ignore_errors=True)
        except BlockingIOError:
            raise OutputError(
                f"another batch is writing to '{self.path}'; wait for it, or name another folder."
            ) from None
        except OSError as error:
            raise OutputError(f"'{self.path}' cannot be written: {error.strerror or error}.") from error
        finally:
            for folder in missing:
                with suppress(OSError):  # it holds reports, as a rule
                    folder.rmdir()

    def put(self, name: str, files: Mapping[str, bytes]) -> None:
        """Write the files of a report that was made elsewhere; what others keep in its folder stays."""
        with report_folder.staged(self.path / name, force=True) as new:
            for place, content in files.items():
                path = new / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def share(self, write: Callable[[Path], None]) -> None:
        """Let files be written that the reports share."""
        with added(self.path) as new:
            write(new)

    def write(self, now: Manifest) -> None:
        """Replace the manifest, in one step."""
        began = time.perf_counter()
        with added(self.path) as new:
            (new / MANIFEST).write_text(now.text(), encoding="utf-8")
        ended = time.perf_counter()
        self._rest_until = ended + RESTS * (ended - began)

    def note(self, manifest: Callable[[Sequence[Entry]], Manifest], entries: Sequence[Entry]) -> None:
        """Replace the manifest, unless so little time has passed that a run would do little but write it."""
        if time.perf_counter() > self._rest_until:
            self.write(manifest(entries))

    def facts_of(self, name: str) -> tuple[dict[str, int], str, str]:
        """Return path and size of every file of a report, the hash of its results, and that of all its files."""
        folder = self.path / name
        own = [folder / file for file in report_folder.OWN_FILES] + sorted(
            (folder / report_folder.TABLES).glob("*.csv")
        )
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in own if path.is_file()}
        results = hashlib.sha256((folder / "results.json").read_bytes()).hexdigest()
        return sizes, results, manifest.contents_of(folder, sizes)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; BlockingIOError when another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)


def open_batch(path: Path, names: list[str], *, force: bool) -> BatchFolder:
    """Return the folder of a batch, refused before anything is made when it cannot be written to.

    Parameters
    ----------
    path
        The folder.
    names
        The folders of the reports in it.
    force
        Whether reports that are there, and are not of an earlier run of a batch, may be replaced.

    Raises
    ------
    OutputError
        It is a file, is not writable, or holds a report that no batch made.
    InputError
        Its manifest cannot be read.
    """
    report_folder.check_writable(path)
    try:
        told = (path / MANIFEST).stat().st_mtime_ns if (path / MANIFEST).is_file() else 0
        before = manifest.read(path / MANIFEST)
    except ReportgenError:
        if not force:
            raise
        before = None
    own = {entry.folder for entry in before.reports} | {SUMMARY} if before else set()
    for name in (*names, SUMMARY):
        if (path / name).is_symlink():  # the user named the folder of the batch, and nothing in it
            raise OutputError(f"'{path / name}' is a link where the batch has a folder; remove it.")
        report_folder.check(path / name, force or name in own)
    report_folder.check(path, force)
    return BatchFolder(path.absolute(), before, told)
