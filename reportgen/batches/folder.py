"""The folder of a batch: a folder for each report, moved into place as a whole.

A report is made aside, in a folder of this file system, and appears by one renaming: a run that is killed at any
moment leaves whole reports and a folder of scraps, which the next run removes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reportgen import output
from reportgen.batches import manifest
from reportgen.batches.manifest import Entry, Manifest
from reportgen.errors import OutputError, ReportgenError
from reportgen.mending import PREFIX

MANIFEST = "batch.json"
SUMMARY = "summary"
"""Folder of the summary of all reports."""

RESTS = 20
"""Times as long as writing the manifest of thousands of reports takes, it is not written again."""

_SCRAPS = f"{PREFIX}batch"
_OLD = "old-"


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
    """

    def __init__(self, path: Path, before: Manifest | None, told: int = 0) -> None:
        self.path, self.before, self.told = path, before, told
        self._work: Path | None = None
        self._rest_until = 0.0

    @property
    def work(self) -> Path:
        """The folder in which this run makes reports; only within `open_for_writing`."""
        if self._work is None:
            raise RuntimeError("the folder of a batch is not open")
        return self._work

    @contextmanager
    def open_for_writing(self) -> Iterator[None]:
        """Make the folder, keep other runs out, and put what a killed run left in order.

        Raises
        ------
        OutputError
            Another run is writing here, or the disk refuses.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _alone(self.path):
                self._mend()
                self._work = Path(tempfile.mkdtemp(prefix=_SCRAPS, dir=self.path))
                try:
                    yield
                finally:
                    shutil.rmtree(self._work, ignore_errors=True)
                    self._work = None
        except OSError as error:
            raise OutputError(f"'{self.path}' cannot be written: {error.strerror or error}.") from error

    def put(self, name: str, new: Path) -> None:
        """Move a report that is made into its place; what others keep in its folder stays."""
        target = self.path / name
        if target.exists():
            _keep_foreign(target, new)
            old = self.work / f"{_OLD}{name}"
            target.rename(old)
            new.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            new.rename(target)

    def put_files(self, name: str, files: Mapping[str, bytes]) -> None:
        """Write the files of a report that was made elsewhere, and move it into its place."""
        new = Path(tempfile.mkdtemp(prefix="new-", dir=self.work))
        new.chmod(0o777 & ~_umask())
        for place, content in files.items():
            path = new / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.put(name, new)

    def write(self, now: Manifest) -> None:
        """Replace the manifest, in one step."""
        began = time.perf_counter()
        path = self.work / MANIFEST
        path.write_text(now.text(), encoding="utf-8")
        path.replace(self.path / MANIFEST)
        ended = time.perf_counter()
        self._rest_until = ended + RESTS * (ended - began)

    def note(self, manifest: Callable[[Sequence[Entry]], Manifest], entries: Sequence[Entry]) -> None:
        """Replace the manifest, unless so little time has passed that a run would do little but write it."""
        if time.perf_counter() > self._rest_until:
            self.write(manifest(entries))

    def facts_of(self, name: str) -> tuple[dict[str, int], str, str]:
        """Return path and size of every file of a report, the hash of its results, and that of all its files."""
        folder = self.path / name
        own = [folder / file for file in output.OWN_FILES] + sorted((folder / output.TABLES).glob("*.csv"))
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in own if path.is_file()}
        results = hashlib.sha256((folder / "results.json").read_bytes()).hexdigest()
        return sizes, results, manifest.contents_of(folder, sizes)

    def _mend(self) -> None:
        """Put back what a killed run had set aside, and remove its scraps."""
        for scraps in self.path.glob(f"{_SCRAPS}*"):
            for old in scraps.glob(f"{_OLD}*"):
                place = self.path / old.name.removeprefix(_OLD)
                if not place.exists():
                    old.rename(place)
            shutil.rmtree(scraps, ignore_errors=True)


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
    output.check_writable(path)
    try:
        told = (path / MANIFEST).stat().st_mtime_ns if (path / MANIFEST).is_file() else 0
        before = manifest.read(path / MANIFEST)
    except ReportgenError:
        if not force:
            raise
        before = None
    own = {entry.folder for entry in before.reports} | {SUMMARY} if before else set()
    for name in (*names, SUMMARY):
        output.check(path / name, force or name in own)
    output.check(path, force)
    return BatchFolder(path.absolute(), before, told)


def _keep_foreign(there: Path, new: Path) -> None:
    """Copy what is not the report's own from a folder that is there into the new one."""
    outdated = output.outdated(there)
    for path in sorted(there.rglob("*")):
        place = new / path.relative_to(there)
        if path.is_file() and path not in outdated and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other batches out of a folder; where the system has no locks, nothing is kept out."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"another batch is writing to '{folder}'; wait for it, or name another folder.") from None
        yield
    finally:
        with suppress(OSError):
            os.close(handle)


def _umask() -> int:
    """Return which permissions new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
