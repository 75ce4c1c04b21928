"""One source, many reports: one for each value of a column, and a summary that leads to all of them."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reportgen.errors import BatchError, InputError, OutputError, ReportgenError, SettingsError, install_command
from reportgen.machine.progress import Silent
from reportgen.machine.worker_processes import each
from reportgen.privacy.slices import withheld_slices
from reportgen.reports import single
from reportgen.reports.batch_folder import (
    MANIFEST,
    SUMMARY,
    BatchFolder,
    Entry,
    Manifest,
    contents_of,
    key_of,
    open_batch,
)
from reportgen.reports.batch_summary import Listed, write_summary
from reportgen.results import Report, Role
from reportgen.scores import paths_of
from reportgen.scores.items import ItemRows, Items, open_items
from reportgen.scores.reading import settings_of_systems
from reportgen.scores.systems import refuse_several
from reportgen.settings import Settings, as_seen_from, from_stored
from reportgen.storing import added, report_folder, results_file
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names

HELD = 64_000_000
"""Bytes of rows that are held while reports are made; more are laid down in a file, of which each job reads its own."""

ROWS = "rows.arrow"
"""Name of that file; it is gone with the folder in which reports are made."""

READ_BY_ONE = 40
"""Reports that one process has read by the time that another one has begun."""


@dataclass(frozen=True)
class ReportMakers:
    """Who makes the reports; what they say does not depend on it.

    workers: Processes of one's own; 1 does everything in this one.
    executor: Any `concurrent.futures.Executor` instead; its processes send reports back and need see no folder.
    at_a_time: How many jobs that executor does at a time.
    """

    workers: int = 1
    executor: Executor | None = None
    at_a_time: int | None = None


@dataclass(frozen=True)
class BatchOutcome:
    """What a batch made.

    folder: Where everything is.
    entries: Every report, in order, and what became of it.
    made: How many of them were made now; the others were finished before.
    summary: The summary; None when no report could be made.
    roles, warnings: Which column plays which part in every report, and what to know of the source.
    protected: Whether reports of few responses are withheld.
    """

    folder: Path
    entries: tuple[Entry, ...]
    made: int
    summary: Entry | None
    roles: tuple[Role, ...] = ()
    warnings: tuple[str, ...] = ()
    protected: bool = True

    def report(self) -> Report:
        """Return the summary of a batch of which `raise_failures` found no failures, read from its folder."""
        if self.summary is None:
            raise BatchError("no report could be made.")
        return results_file.read(self.folder / SUMMARY / "results.json")

    def raise_failures(self) -> None:
        """Raise when not every report is whole."""
        broken = [entry for entry in self.entries if entry.status not in ("finished", "withheld")]
        if broken:
            whole = sum(entry.status == "finished" for entry in self.entries)
            raise BatchError(
                f"{whole} of {whole + len(broken)} reports are whole; all are listed in '{self.folder / MANIFEST}': "
                + "; ".join(f"{entry.folder}: {_told(entry, Listed(entry.folder)).trouble}" for entry in broken[:5])
                + ("; ..." if len(broken) > 5 else "")
            )
        if self.summary is not None and self.summary.failed_sections:
            failed = ", ".join(self.summary.failed_sections)
            raise BatchError(f"the summary was written, but not every section: {failed}.")


def batch(
    source: Any,
    settings: Settings,
    writing: Writing,
    hands: ReportMakers = ReportMakers(),
    status: Silent | None = None,
) -> BatchOutcome:
    """Read a source once, and write a report for each value of the columns that ``by`` names, and their summary.

    source: Path of a data file, or a frame.
    settings: What is declared, ``by`` among it.
    writing: Where and how; the folder is needed.  Reports that an earlier run finished from the same data with the same
        settings are kept, unless ``force`` says otherwise.
    hands: Who makes the reports.
    status: Is told what is being done, and how many reports are finished.
    """
    if writing.folder is None:
        raise SettingsError("a batch needs a folder for its reports.")
    if settings.reading.read is not None:
        raise SettingsError("--read: responses to read are listed beside one report; type reportgen evaluate for it.")
    refuse_several(settings.data, "a batch")
    single.refuse_early(settings)
    report_folder.check_writable(writing.folder)
    settings = settings.model_copy(update={"rsmeval": None})  # its folders are of one experiment
    rooted = from_stored(settings.model_dump(mode="json", exclude_unset=True), Path.cwd())  # jobs may run elsewhere
    parts = open_items(source, rooted)
    plan = planned(parts, source, writing)
    status = status or Silent()
    with plan.folder.open_for_writing():
        if not writing.tables_only:
            with added(plan.folder.path) as new:
                single.write_shared(new, parts.settings)
        entries, found = _make_missing(plan, hands, status)
        summary = _summary(plan, entries, found, hands, status)
        plan.folder.write(plan.manifest(entries, summary))
        made = len(plan.to_make())
        protected = settings.privacy.protects_slices
        return BatchOutcome(writing.folder, tuple(entries), made, summary, parts.roles, parts.warnings(), protected)


def batches_of_systems(
    source: Any,
    settings: Settings,
    writing: Writing,
    hands: ReportMakers = ReportMakers(),
    status: Silent | None = None,
) -> dict[str, BatchOutcome]:
    """Return what a batch of each system made, in folders of their own where several are named.

    Arguments are those of `batch`.

    The key is the name of the system; empty for the only one, whose reports stand in the folder itself.
    """
    every = settings_of_systems(source, settings)
    if not every or writing.folder is None:
        return {"": batch(source, settings, writing, hands, status)}
    places = folder_names(list(every), "system", (SUMMARY, report_folder.TABLES, MANIFEST, *report_folder.OWN_FILES))
    return {
        name: batch(source, own, replace(writing, folder=writing.folder / place), hands, status)
        for (name, own), place in zip(every.items(), places, strict=True)
    }


def _make_missing(plan: BatchPlan, hands: ReportMakers, status: Silent) -> tuple[list[Entry], dict[int, Listed]]:
    """Return every entry, in order, when what is missing is made, and what was made, by its number.

    Each report is put in its place as it comes.
    """
    folder, sent = plan.folder, hands.executor is not None
    entries, missing, found = list(plan.entries), plan.to_make(), dict[int, Listed]()
    if not missing:
        return entries, found
    folder.write(plan.manifest(entries))
    if plan.parts.rows.nbytes >= HELD:
        status.stage("sorting the rows by item")
        plan.parts.rows.lay_down(folder.work / ROWS)
    kept, total = len(entries) - len(missing), len(entries)
    status.parts("reports", kept, total)
    jobs = [partial(plan.job, number, sent=sent) for number in missing]
    workers = min(hands.workers, len(jobs))
    lost = partial(_lost, plan.names, missing)
    try:
        with closing(each(make, jobs, lost, workers, hands.executor, hands.at_a_time)) as results:
            for number, made in results:
                entries[number] = _placed(folder, entries[number], made)
                folder.note(plan.manifest, entries)
                found[number] = replace(made, files={})
                status.parts("reports", kept + len(found), total)
    finally:  # a run that is stopped forgets none of its reports
        folder.write(plan.manifest(entries))
    return entries, found


def _read_finished(
    plan: BatchPlan, entries: list[Entry], found: dict[int, Listed], hands: ReportMakers, status: Silent
) -> None:
    """Add to what was found what stands in the reports that were finished before; this machine reads them."""
    there = [number for number, entry in enumerate(entries) if number not in found and entry.status == "finished"]
    jobs = [partial(plan.reading, number) for number in there]
    workers = 1 if hands.executor is not None else min(hands.workers, 1 + len(there) // READ_BY_ONE)
    with closing(each(make, jobs, partial(_lost, plan.names, there), workers)) as results:
        for done, (number, made) in enumerate(results, start=1):
            if made.error:
                entries[number] = _placed(plan.folder, entries[number], made)
            found[number] = made
            status.parts("reading reports", done, len(there))


def _placed(folder: BatchFolder, entry: Entry, made: Listed) -> Entry:
    """Return the entry of a report that is made; one that was sent here is put in its place."""
    if made.withheld:
        return replace(entry, status="withheld", rows=0, key="", contents="", decision="")
    if made.error:
        return replace(entry, status="not made", error=made.error, contents="", decision="")
    if made.files:
        folder.put(entry.folder, made.files)
    return replace(
        entry, status="with failed sections" if made.failed_sections else "finished", decision=made.decision,
        failed_sections=made.failed_sections, contents=contents_of(folder.path / entry.folder),
    )  # fmt: skip


def _lost(names: Sequence[str], numbers: Sequence[int], place: int, error: BaseException) -> tuple[int, Listed]:
    """Return what is told of a report whose process ended."""
    told = " ".join(str(error).split())[:200]
    why = f"the process that made it ended without a result, out of memory perhaps ({told})."
    return numbers[place], Listed(names[numbers[place]], error=why)


def _summary(
    plan: BatchPlan, entries: list[Entry], found: dict[int, Listed], hands: ReportMakers, status: Silent
) -> Entry | None:
    """Return the entry of the summary of all reports, written where anything it says has changed; None without any."""
    new = plan.summary(entries)
    old = plan.folder.before and plan.folder.before.summary
    home = plan.folder.path / SUMMARY
    if old and old.key == new.key and not plan.writing.force and old.stands(home):
        return old
    _read_finished(plan, entries, found, hands, status)
    status.stage("making the summary")
    if not any(made.run for made in found.values()):
        return None
    listed = [
        _told(entry, found.get(number, Listed(name)))
        for number, (name, entry) in enumerate(zip(plan.names, entries, strict=True))
    ]
    with report_folder.staged(home, force=True) as stage:
        failed = write_summary(listed, plan.parts, plan.writing, plan.file, stage, home)
    return _placed(plan.folder, plan.summary(entries), Listed(SUMMARY, failed_sections=failed))


def _told(entry: Entry, made: Listed) -> Listed:
    """Return a report as the summary tells it, by what became of it."""
    return replace(
        made, folder=entry.folder, rows=entry.rows, decision=entry.decision or made.decision, error=entry.error,
        failed_sections=entry.failed_sections, withheld=entry.status == "withheld",
    )  # fmt: skip


RETRIES = 3
"""How often a report is begun again when the worker that made it is gone."""


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor of the cluster whose scheduler is at `address`, and how many workers it has now."""
    try:
        from distributed import Client
    except ImportError:
        raise SettingsError(f"--cluster needs more packages; type: {install_command(extra='dask')}") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        told = " ".join(str(error).split())[:120]
        raise SettingsError(
            f"--cluster {address}: no Dask scheduler answers there ({told}); expected an address as in "
            "tcp://10.0.0.5:8786."
        ) from None
    with client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise SettingsError(f"--cluster {address}: the scheduler has no workers; start some.")
        yield client.get_executor(pure=False, retries=RETRIES), workers


@dataclass(frozen=True)
class Job:
    """One report to make, or, without a part, one that is finished and to be read again.

    number, name: Its place in the batch, and what it is called.
    home: Where it will be.
    file: The file of scores, for the configuration that makes a single report again; None for a frame.
    sent: Whether it is sent back as bytes, because the process that makes it may see no folder of this one's.
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
        writing = replace(job.writing, folder=folder, force=True, home=job.home, above=True)
        outcome = single.evaluate_scores(job.file, scores, job.settings, writing)
        files = folder.rglob("*") if job.sent else ()
        sent = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.is_file()}
    return replace(Listed.of(outcome.report, job.name, failed_sections=outcome.failed_sections), files=sent)


@dataclass(frozen=True)
class BatchPlan:
    """Everything that is known before the first report is made.

    parts, writing: The source, and how reports are written.
    folder: Where they will be, and what is there.
    names, entries: What each report is called, and what is known of it.
    file: The file of scores; None for a frame.
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
