"""Manage the folder of a batch: one folder per report, moved into place as a whole, and the manifest."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from reportgen.errors import InputError, OutputError, ReportgenError, describe_failure
from reportgen.machine.memory import refuse_above
from reportgen.settings import RESCALED, Settings, is_path, is_policy_path
from reportgen.storing import report_folder
from reportgen.storing.results_file import MEMORY_OF_BYTE, MisfitError, decode

MANIFEST = "batch.json"
SUMMARY = "summary"  # folder of the summary of all reports


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder; raise if another process has the lock."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system may not support locks
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                text = f"another batch is writing to '{folder}'; wait until it finishes, or choose another folder."
                raise OutputError(text) from None
        yield
    finally:
        os.close(descriptor)


def open_batch(path: Path, names: list[str], *, force: bool) -> Manifest | None:
    """Open a batch's folder and return its content; raise early if not writable. `force` replaces other reports."""
    report_folder.check_writable(path)
    try:
        before = read_manifest(path / MANIFEST)
    except ReportgenError:
        if not force:
            raise
        before = None
    own = {entry.folder for entry in before.reports} | {SUMMARY} if before else set()
    for name in (*names, SUMMARY):
        if (path / name).is_symlink():  # the user named the folder of the batch, but nothing in it
            raise OutputError(f"'{path / name}' is a symbolic link, but the batch requires a folder; remove it.")
        report_folder.check(path / name, force or name in own)
    report_folder.check(path, force)
    return before


SCHEMA = 2

Status = Literal["to be made", "finished", "with failed sections", "not made", "withheld"]
"""For a hidden report, only the name is known: it has few responses, or would reveal a report that has."""


@dataclass(frozen=True)
class Entry:
    """One report of a batch.

    key: Hash of everything that determines its pages: data, rows, settings, the files these name, versions; for the
        summary, all reports.
    decision, error, failed_sections: Its result.
    """

    values: Mapping[str, str]  # values of the `by` columns in its rows
    folder: str
    key: str
    rows: int  # rows of the source; 0 if the report is hidden
    status: Status = "to be made"
    decision: str = ""
    error: str = ""
    failed_sections: tuple[str, ...] = ()
    contents: str = ""  # SHA-256 of all its files

    @property
    def trouble(self) -> str:
        """Description of the problem."""
        failed = ", ".join(self.failed_sections)
        return f"failed sections: {failed}" if failed else self.error

    @property
    def withheld(self) -> bool:
        """Whether the report is hidden, because it has few responses or would reveal a report that has."""
        return self.status == "withheld"

    def stands(self, folder: Path) -> bool:
        """Return whether the folder contains the finished report, unchanged."""
        try:
            return self.status == "finished" and contents_of(folder) == self.contents
        except OSError:
            return False


@dataclass(frozen=True)
class Manifest:
    """All reports of a batch, in order."""

    by: tuple[str, ...]
    name: str
    sha256: str
    reports: tuple[Entry, ...]
    summary: Entry | None = None  # the entry of their summary, if there is a current one

    def text(self) -> str:
        """Return the text of the file."""
        return json.dumps({"schema": SCHEMA, "batch": asdict(self)}, indent=1) + "\n"


def read_manifest(path: Path) -> Manifest | None:
    """Read the manifest in a file; None if there is none."""
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise OSError("it is not a regular file")
        if path.exists():
            refuse_above(path.stat().st_size * MEMORY_OF_BYTE, f"'{path}' needs", "name another folder")
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise MisfitError(f"schema: expected {SCHEMA}")
        manifest: Manifest = decode(content["batch"], Manifest, "batch")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, RecursionError, MisfitError) as error:
        why = f"'{path}' is not a batch's list of reports ({describe_failure(error)}); "
        raise InputError(f"{why}remove it, or choose another folder.") from None
    return manifest


def contents_of(folder: Path) -> str:
    """Hash the files of a report."""
    found = hashlib.sha256()
    for path in [
        *map(folder.joinpath, report_folder.OWN_FILES),
        *sorted((folder / report_folder.TABLES).glob("*.csv")),
    ]:
        if path.is_symlink():
            raise OSError(f"'{path}' is a link")
        if path.is_file():
            found.update(path.relative_to(folder).as_posix().encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def key_of(settings: Settings, **facts: Any) -> str:
    """Hash everything that determines the pages of a report."""
    content = settings.model_dump(mode="json", exclude={"data": {"file"}})
    named = [hashlib.sha256(b"".join(_contents(path))).hexdigest() for path in _files_named(settings)]
    text = json.dumps([content, named, facts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _files_named(settings: Settings) -> list[Path]:
    report, policy, scale = settings.report, settings.verdict.policy, settings.preparation.scale_with
    named = [report.templates, report.logo, report.docx_template, *filter(is_path, report.sections or ())]
    named += [policy] if is_policy_path(policy) else []
    named += [scale] if scale not in RESCALED else []
    return [Path(path) for path in named if path is not None]


def _contents(path: Path) -> Iterable[bytes]:
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            yield file.name.encode()
            yield file.read_bytes()


def reports_of(folder: Path) -> tuple[dict[Path, str], int] | None:
    """Return the folders, the subjects, and the number of failures of a batch; None for other folders."""
    found = read_manifest(folder / MANIFEST) if folder.is_dir() else None
    if found is None:
        return None
    # the list may not be trustworthy: only reports in the folder count
    inside = [entry for entry in found.reports if PurePath(entry.folder).parts == (entry.folder,) != ("..",)]
    made = [entry for entry in inside if entry.status in ("finished", "with failed sections")]
    if not made:
        raise InputError(f"'{folder}' contains a batch without reports; run the batch again.")
    named = {folder / entry.folder: ", ".join(entry.values.values()) or entry.folder for entry in made}
    return named, sum(entry.status != "withheld" for entry in found.reports) - len(made)
