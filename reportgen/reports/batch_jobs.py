"""What a batch is to make: which reports, where, which are there or withheld, and each as a job for a process."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, OutputError, ReportgenError
from reportgen.privacy.slices import withheld_slices
from reportgen.reports import single
from reportgen.reports.batch_folder import MANIFEST, SUMMARY, BatchFolder, Entry, Manifest, key_of, open_batch
from reportgen.reports.batch_summary import Listed
from reportgen.scores import paths_of
from reportgen.scores.items import ItemRows, Items
from reportgen.settings import Settings, as_seen_from
from reportgen.storing import report_folder, results_file
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names


@dataclass(frozen=True)
class Job:
    """One report to make, or, without a part, one that is finished and to be read again.

    Parameters
    ----------
    number, name
        Its place in the batch, and what it is called.
    home
        Where it will be.
    file
        The file of scores, for the configuration that makes a single report again; None for a frame.
    sent
        Whether it is sent back as bytes, because the process that makes it may see no folder of this one's.
    """

    number: int
    name: str
    home: Path
    settings: Settings
    file: Path | tuple[Path, ...] | None
    writing: Writing
    part: ItemRows | None = None
    sent: bool = False


_ALONE = threading.Lock()
"""The notebook of a report takes over the streams and the folder of its process: threads take turns."""


def make(job: Job) -> tuple[int, Listed]:
    """Return the number of a job and its report, made or, when it is finished, read; an error is told, not raised."""
    with _ALONE:
        try:
            return job.number, _made(job, job.part) if job.part else _read(job)
        except ReportgenError as error:
            told = str(error)
        except Exception as error:  # noqa: BLE001 - one report that cannot be made stops no other
            told = f"this is a defect of reportgen, please report it ({type(error).__name__}: {error})."
    return job.number, Listed(job.name, error=told)


def _read(job: Job) -> Listed:
    return Listed.of(results_file.read(job.home / "results.json"), job.name)


def _made(job: Job, part: ItemRows) -> Listed:
    """Return a report, made from its rows."""
    scores = part.read(job.settings)
    if job.settings.privacy.protects_slices and scores.kept < job.settings.statistics.min_n_per_group:
        return Listed(job.name, withheld=True)
    with tempfile.TemporaryDirectory(prefix="reportgen-") if job.sent else nullcontext() as aside:
        folder = job.home if aside is None else Path(aside) / "report"
        writing = replace(job.writing, folder=folder, force=True)
        outcome = single.evaluate_scores(job.file, scores, job.settings, writing, home=job.home, above=True)
        files = folder.rglob("*") if job.sent else ()
        sent = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.is_file()}
    return replace(Listed.of(outcome.report, job.name, failed_sections=outcome.failed_sections), files=sent)


@dataclass(frozen=True)
class BatchPlan:
    """Everything that is known before the first report is made.

    Parameters
    ----------
    parts, writing
        The source, and how reports are written.
    folder
        Where they will be, and what is there.
    names, entries
        What each report is called, and what is known of it.
    file
        The file of scores; None for a frame.
    """

    parts: Items
    writing: Writing
    folder: BatchFolder
    names: tuple[str, ...]
    entries: tuple[Entry, ...]
    file: Path | tuple[Path, ...] | None

    def manifest(self, entries: Sequence[Entry], summary: Entry | None = None) -> Manifest:
        """Return the manifest with the given entries, and that of the summary when it is of these."""
        source = self.parts.source
        return Manifest(self.parts.settings.data.by, source.name, source.sha256, tuple(entries), summary)

    def to_make(self) -> list[int]:
        """Return the numbers of the reports that are not finished."""
        return [number for number, entry in enumerate(self.entries) if entry.status not in ("finished", "withheld")]

    def job(self, number: int, *, sent: bool) -> Job:
        """Return the job that makes a report."""
        part = self.parts.part(number)
        job = replace(self.reading(number), settings=self.parts.settings_of(number), sent=sent)
        return replace(job, part=part.held() if sent else part)

    def reading(self, number: int) -> Job:
        """Return the job that reads a report that is finished."""
        home = self.folder.path / self.entries[number].folder
        return Job(number, self.names[number], home, self.parts.settings, self.file, self.writing)

    def summary(self, entries: Sequence[Entry]) -> Entry:
        """Return the entry of a summary of reports, which is to be made unless its key is that of the one there."""
        key = _key(self.parts, self.parts.settings, self.folder.path / SUMMARY, self.writing, self.file,
                   reports=[self.names, [asdict(entry) for entry in entries]])  # fmt: skip
        return Entry({}, SUMMARY, key, sum(entry.rows for entry in entries))


def planned(parts: Items, source: Any, writing: Writing) -> BatchPlan:
    """Return which reports are to be made, where, and which of them are there."""
    assert writing.folder is not None
    names = tuple(map(parts.name, range(len(parts.values))))
    file = paths_of(source)
    file = tuple(path.absolute() for path in file) if isinstance(file, tuple) else file and file.absolute()
    reserved = (SUMMARY, report_folder.TABLES, MANIFEST, *report_folder.OWN_FILES)
    folders = folder_names(names, "-".join(parts.settings.data.by)[:20] or "part", reserved)
    folder = open_batch(writing.folder, folders, force=writing.force)
    before = {entry.folder: entry for entry in folder.before.reports} if folder.before and not writing.force else {}
    withheld, entries = withheld_parts(parts), []
    for number, (values, place) in enumerate(zip(parts.values, folders, strict=True)):
        home = folder.path / place
        if number in withheld:
            refuse_report(home)
            entries.append(Entry(values, place, "", 0, "withheld"))
            continue
        key = _key(parts, parts.settings_of(number), home, writing, file)
        old = before.get(place)
        stands = old is not None and old.key == key and old.stands(home)
        entries.append(old if old and stands else Entry(values, place, key, parts.sizes[number]))
    return BatchPlan(parts, writing, folder, names, tuple(entries), file)


def _key(
    parts: Items, settings: Settings, home: Path, writing: Writing, file: Path | tuple[Path, ...] | None, **more: Any
) -> str:
    """Return the hash of everything that the pages in a folder follow from."""
    files = file if isinstance(file, tuple) else (file,) if file else ()
    return key_of(
        as_seen_from(settings, home), source=[parts.source.name, parts.source.sha256],
        made=single.provenance_of(parts.settings, writing.command), tables_only=writing.tables_only,
        kernel=writing.kernel, file=[os.path.relpath(path, home) for path in files], **more,
    )  # fmt: skip


READ = 10
"""Parts of fewer rows than this many times the least are read to count their responses; others are taken as large.
Of a part that cannot be read no report is made, whatever its size: the reason is told when it is due."""


def withheld_parts(parts: Items) -> frozenset[int]:
    """Return the numbers of the parts of which no report may be made."""
    settings = parts.settings
    if not settings.privacy.protects_slices:
        return frozenset()
    least = settings.statistics.min_n_per_group
    names = [tuple(values.values()) for values in parts.values]
    sizes = {name: _responses(parts, number, READ * least) for number, name in enumerate(names)}
    hidden = withheld_slices({name: n for name, n in sizes.items() if n is not None}, least)
    if len(hidden) == len(names):
        raise InputError(
            f"every value of {', '.join(settings.data.by)} has fewer than {least} responses, or would tell of one that "
            "has: no report is made. Name a smaller number with --min-n, or make them all with --unprotected."
        )
    return frozenset(number for number, name in enumerate(names) if name in hidden)


def _responses(parts: Items, number: int, most: int) -> int | None:
    """Return how many responses of a part count; its rows where these are many, None where they cannot be read."""
    rows = parts.sizes[number]
    if rows >= most or not parts.rows.held:
        return rows
    try:
        return parts.part(number).read(parts.settings_of(number)).kept
    except ReportgenError:
        return None


def refuse_report(folder: Path) -> None:
    """Raise where an earlier run left a report of a part that is now withheld."""
    if (folder / "results.json").exists():
        raise OutputError(
            f"'{folder}' holds a report of few responses, which is now withheld; remove it, name another folder, or "
            "keep such reports with --unprotected."
        )
