"""One source, many reports: one for each value of a column, and a summary that leads to all of them.

The verb reads as its story, as in `reportgen.verbs.reports`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reportgen import output
from reportgen.batch_summary import Listed, write_summary
from reportgen.batches import MANIFEST, SUMMARY, BatchFolder, Entry, Job, Made, Manifest, Task, each, key_of, make
from reportgen.batches.folder import open_batch
from reportgen.errors import BatchError, SettingsError
from reportgen.folders import folder_names
from reportgen.results import Report
from reportgen.scores import Items, open_items, paths_of
from reportgen.settings import Settings, as_seen_from, from_stored
from reportgen.verbs import reports as verbs
from reportgen.writing import Writing

Progress = Callable[[str, int, int], None]
"""(what is done, parts finished, parts in all)."""


@dataclass(frozen=True)
class Hands:
    """Who makes the reports; what they say does not depend on it.

    Parameters
    ----------
    workers
        Processes of one's own; 1 does everything in this one.
    executor
        Any `concurrent.futures.Executor` instead; its processes send reports back and need see no folder.
    at_a_time
        How many jobs that executor does at a time.
    """

    workers: int = 1
    executor: Executor | None = None
    at_a_time: int | None = None


@dataclass(frozen=True)
class BatchOutcome:
    """What a batch made.

    Parameters
    ----------
    report
        The summary; None when no report could be made.
    folder
        Where everything is.
    entries
        Every report, in order, and what became of it.
    made
        How many of them were made now; the others were finished before.
    """

    report: Report | None
    folder: Path
    entries: tuple[Entry, ...]
    made: int
    summary_failed: tuple[str, ...] = ()

    def summary(self) -> Report:
        """Return the summary of a batch of which `raise_failures` found no failures."""
        if self.report is None:
            raise BatchError("no report could be made.")
        return self.report

    def raise_failures(self) -> None:
        """Raise when not every report is whole.

        Raises
        ------
        BatchError
            Says which are not, and why.
        """
        broken = [entry for entry in self.entries if entry.status != "finished"]
        if broken:
            whole = len(self.entries) - len(broken)
            raise BatchError(
                f"{whole} of {len(self.entries)} reports are whole; all are listed in '{self.folder / MANIFEST}': "
                + "; ".join(f"{entry.folder}: {_trouble(entry)}" for entry in broken[:5])
                + ("; ..." if len(broken) > 5 else "")
            )
        if self.summary_failed:
            raise BatchError(f"the summary was written, but not every section: {', '.join(self.summary_failed)}.")


def batch(
    source: Any, settings: Settings, writing: Writing, hands: Hands = Hands(), progress: Progress | None = None
) -> BatchOutcome:
    """Read a source once, and write a report for each value of the columns that ``by`` names, and their summary.

    Parameters
    ----------
    source
        Path of a data file, or a frame.
    settings
        What is declared, ``by`` among it.
    writing
        Where and how; the folder is needed.  Reports that an earlier run finished from the same data with the same
        settings are kept, unless ``force`` says otherwise.
    hands
        Who makes the reports.
    progress
        Hears of every finished report.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be; a report that cannot be made is
        told in the outcome instead.
    """
    if writing.folder is None:
        raise SettingsError("a batch needs a folder for its reports.")
    if settings.log.to:
        raise SettingsError("--log-to: a batch tells no trackers; leave it out.")
    verbs.refuse_early(settings)
    output.check_writable(writing.folder)
    settings = settings.model_copy(update={"rsmeval": None})  # its folders are of one experiment
    rooted = from_stored(settings.model_dump(mode="json", exclude_unset=True), Path.cwd())  # jobs may run elsewhere
    parts = open_items(source, rooted)
    plan = _planned(parts, source, writing)
    with plan.folder.open_for_writing():
        entries, made = _carried_out(plan, hands, progress or (lambda *_: None))
        report, failed = _summarized(plan, entries, made)
        return BatchOutcome(report, writing.folder, tuple(entries), len(plan.to_make()), failed)


@dataclass(frozen=True)
class _Plan:
    """Everything that is known before the first report is made."""

    parts: Items
    writing: Writing
    folder: BatchFolder
    names: tuple[str, ...]
    entries: tuple[Entry, ...]
    file: Path | tuple[Path, ...] | None

    def manifest(self, entries: Sequence[Entry]) -> Manifest:
        """Return the manifest with the given entries."""
        source = self.parts.source
        return Manifest(self.parts.settings.data.by, source.name, source.sha256, tuple(entries))

    def to_make(self) -> list[int]:
        """Return the numbers of the reports that are not finished."""
        return [number for number, entry in enumerate(self.entries) if entry.status != "finished"]

    def job(self, number: int, task: Task) -> Job:
        """Return a job, with its rows when the report is to be made."""
        entry = self.entries[number]
        part = self.parts.part(number) if entry.status != "finished" else None
        home = self.folder.path / entry.folder
        return Job(number, self.names[number], home, self.parts.settings_of(number), task, part)


def _planned(parts: Items, source: Any, writing: Writing) -> _Plan:
    """Return which reports are to be made, where, and which of them are there."""
    assert writing.folder is not None
    names = tuple(" · ".join(values.values()) for values in parts.values)
    file = _rooted(paths_of(source))
    reserved = (SUMMARY, output.TABLES, MANIFEST, *output.OWN_FILES)
    folders = folder_names(names, "-".join(parts.settings.data.by)[:20] or "part", reserved)
    folder = open_batch(writing.folder, folders, force=writing.force)
    before = {entry.folder: entry for entry in folder.before.reports} if folder.before and not writing.force else {}
    versions = verbs.provenance_of(parts.settings, writing.command)
    entries = []
    for number, (values, place) in enumerate(zip(parts.values, folders, strict=True)):
        home = folder.path / place
        key = key_of(
            as_seen_from(parts.settings_of(number), home), source=[parts.source.name, parts.source.sha256],
            made=versions, tables_only=writing.tables_only, kernel=writing.kernel,
            file=[os.path.relpath(path, home) for path in _each_of(file)],
        )  # fmt: skip
        old = before.get(place)
        stands = old is not None and old.key == key and old.stands(home)
        entries.append(old if old and stands else Entry(values, place, key, parts.sizes[number]))
    return _Plan(parts, writing, folder, names, tuple(entries), file)


def _rooted(paths: Path | tuple[Path, ...] | None) -> Path | tuple[Path, ...] | None:
    """Return the paths of a source as seen from anywhere."""
    return tuple(path.absolute() for path in paths) if isinstance(paths, tuple) else paths and paths.absolute()


def _each_of(paths: Path | tuple[Path, ...] | None) -> tuple[Path, ...]:
    return paths if isinstance(paths, tuple) else (paths,) if paths else ()


def _carried_out(plan: _Plan, hands: Hands, progress: Progress) -> tuple[list[Entry], list[Made]]:
    """Return every entry and what became of every job, in order; each report is put in its place as it comes."""
    folder, writing = plan.folder, plan.writing
    scratch = None if hands.executor is not None else folder.work
    task = Task(plan.file, writing.tables_only, writing.kernel, writing.command, scratch)
    entries, results = list(plan.entries), {}
    folder.write(plan.manifest(entries))
    total = len(entries)
    progress("reports", 0, total)
    jobs = [partial(plan.job, number, task) for number in range(total)]
    for made in each(make, jobs, _lost, min(hands.workers, total), hands.executor, hands.at_a_time):
        if made.folder is not None or made.files:
            entries[made.number] = _placed(folder, entries[made.number], made)
            folder.write(plan.manifest(entries))
        elif made.error:
            entries[made.number] = replace(
                entries[made.number], status="not made", error=made.error, files={}, results="", decision=""
            )
        results[made.number] = replace(made, files={}, folder=None)
        progress("reports", len(results), total)
    folder.write(plan.manifest(entries))
    return entries, [results[number] for number in range(total)]


def _placed(folder: BatchFolder, entry: Entry, made: Made) -> Entry:
    """Put a report that is made in its place; return its entry."""
    if made.folder is not None:
        folder.put(entry.folder, made.folder)
    else:
        folder.put_files(entry.folder, made.files)
    files, results = folder.facts_of(entry.folder)
    return replace(
        entry, status="with failed sections" if made.failed_sections else "finished", decision=made.decision,
        failed_sections=made.failed_sections, files=files, results=results,
    )  # fmt: skip


def _lost(number: int, error: BaseException) -> Made:
    """Return what is told of a report whose process ended."""
    told = " ".join(str(error).split())[:200]
    return Made(number, error=f"the process that made it ended without a result, out of memory perhaps ({told}).")


def _summarized(plan: _Plan, entries: Sequence[Entry], made: Sequence[Made]) -> tuple[Report | None, tuple[str, ...]]:
    """Return the summary of all reports, written, and its sections that failed; None when there is no report."""
    listed = [
        Listed(name, entry.folder, entry.rows, each.run, entry.decision or each.decision, each.unmet, _trouble(entry))
        for name, entry, each in zip(plan.names, entries, made, strict=True)
    ]
    if not any(each.run for each in listed):
        return None, ()
    new = plan.folder.work / SUMMARY
    home = plan.folder.path / SUMMARY
    report, failed = write_summary(listed, plan.parts, plan.writing, plan.file, new, home)
    plan.folder.put(SUMMARY, new)
    return report, failed


def _trouble(entry: Entry) -> str:
    """Return what is wrong with a report, or nothing."""
    if entry.failed_sections:
        return f"sections that could not be made: {', '.join(entry.failed_sections)}"
    return entry.error
