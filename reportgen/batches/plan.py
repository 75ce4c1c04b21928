"""What a batch is to make: which reports, where, and which of them are there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reportgen import reports
from reportgen.batches.folder import MANIFEST, SUMMARY, BatchFolder, open_batch
from reportgen.batches.jobs import Job, Task
from reportgen.batches.manifest import Entry, Manifest, key_of
from reportgen.batches.withholding import refuse_report, withheld_parts
from reportgen.scores import paths_of
from reportgen.scores.items import Items
from reportgen.settings import Settings, as_seen_from
from reportgen.storing import report_folder
from reportgen.storing.writing import Writing
from reportgen.wording.names import folder_names


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

    def job(self, number: int, task: Task) -> Job:
        """Return the job that makes a report."""
        home = self.folder.path / self.entries[number].folder
        part = self.parts.part(number)
        rows = part.held() if task.sent else part
        return Job(number, self.names[number], home, self.parts.settings_of(number), task, rows)

    def reading(self, number: int) -> Job:
        """Return the job that reads a report that is finished."""
        home = self.folder.path / self.entries[number].folder
        return Job(number, self.names[number], home, self.parts.settings, Task(self.file))

    def summary(self, entries: Sequence[Entry]) -> Entry:
        """Return the entry of a summary of reports, which is to be made unless its key is that of the one there."""
        told = [replace(entry, files={}, contents="") for entry in entries]
        key = _key(self.parts, self.parts.settings, self.folder.path / SUMMARY, self.writing, self.file,
                   reports=[self.names, [asdict(entry) for entry in told]])  # fmt: skip
        return Entry({}, SUMMARY, key, sum(entry.rows for entry in entries))


def planned(parts: Items, source: Any, writing: Writing) -> BatchPlan:
    """Return which reports are to be made, where, and which of them are there."""
    assert writing.folder is not None
    names = tuple(map(parts.name, range(len(parts.values))))
    file = _rooted(paths_of(source))
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
        stands = old is not None and old.key == key and old.stands(home, folder.told)
        entries.append(old if old and stands else Entry(values, place, key, parts.sizes[number]))
    return BatchPlan(parts, writing, folder, names, tuple(entries), file)


def _key(
    parts: Items, settings: Settings, home: Path, writing: Writing, file: Path | tuple[Path, ...] | None, **more: Any
) -> str:
    """Return the hash of everything that the pages in a folder follow from."""
    return key_of(
        as_seen_from(settings, home), source=[parts.source.name, parts.source.sha256],
        made=reports.provenance_of(parts.settings, writing.command), tables_only=writing.tables_only,
        kernel=writing.kernel, file=[os.path.relpath(path, home) for path in _each_of(file)], **more,
    )  # fmt: skip


def _rooted(paths: Path | tuple[Path, ...] | None) -> Path | tuple[Path, ...] | None:
    """Return the paths of a source as seen from anywhere."""
    return tuple(path.absolute() for path in paths) if isinstance(paths, tuple) else paths and paths.absolute()


def _each_of(paths: Path | tuple[Path, ...] | None) -> tuple[Path, ...]:
    return paths if isinstance(paths, tuple) else (paths,) if paths else ()
