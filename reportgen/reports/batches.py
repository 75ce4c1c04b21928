"""Write one report for each value of a column of one source, and a summary that links to all of them."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from reportgen import errors
from reportgen.design.roles import refuse_several
from reportgen.machine.progress import Silent
from reportgen.machine.worker_processes import each
from reportgen.privacy import withheld_slices
from reportgen.reports import batch_folder, single
from reportgen.reports.parts import Files, Listed, each_system, write_summary
from reportgen.results import Report, Role
from reportgen.scores import paths_of
from reportgen.scores.items import ItemRows, Items, open_items
from reportgen.settings import Settings, from_stored
from reportgen.settings.loading import as_seen_from
from reportgen.storing import PREFIX, added, fresh_folder, made_folder, report_folder, results_file
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names

HELD = 64_000_000
"""Most bytes of rows in memory while reports are made; more go to a file, from which each job reads its rows."""

ROWS = "rows.arrow"  # name of that file; it is deleted with the staging folder

RESERVED = (batch_folder.SUMMARY, report_folder.TABLES, batch_folder.MANIFEST, *report_folder.OWN_FILES)
"""Names that a report's folder cannot have."""

RESTS = 20  # writing the manifest of thousands of reports is repeated only after this many times its duration

READ_BY_ONE = 40  # reports that one process has read by the time that another one has started


@dataclass(frozen=True)
class Workers:
    """The workers that make the reports; results do not depend on them.

    executor: Any `concurrent.futures.Executor` instead; its processes send reports back and need no access to the
        folder.
    """

    workers: int = 1  # number of new processes; 1 does everything in this one
    executor: Executor | None = None
    at_a_time: int | None = None  # number of jobs that the executor runs at a time


@dataclass(frozen=True)
class BatchOutcome:
    """The result of a batch.

    roles, warnings: Column roles in every report, and warnings about the source.
    """

    folder: Path
    entries: tuple[batch_folder.Entry, ...]
    made: int  # number of reports made now; the others were finished before
    summary: batch_folder.Entry | None  # the summary; None if every report failed
    roles: tuple[Role, ...] = ()
    warnings: tuple[str, ...] = ()
    protected: bool = True  # whether reports with few responses are hidden

    def report(self) -> Report:
        """Load the summary of a batch from its folder; call it after `raise_failures`."""
        if self.summary is None:
            raise errors.BatchError("all reports failed.")
        return results_file.read(self.folder / batch_folder.SUMMARY / "results.json")

    def raise_failures(self) -> None:
        """Raise if a report is incomplete."""
        broken = [entry for entry in self.entries if entry.status not in ("finished", "withheld")]
        if broken:
            whole = sum(entry.status == "finished" for entry in self.entries)
            listed = self.folder / batch_folder.MANIFEST
            raise errors.BatchError(
                f"{whole} of {whole + len(broken)} reports are complete: "
                + ", ".join(
                    f"{each.folder} ({each.trouble.split('; ')[0].split('. ')[0].rstrip('.')})" for each in broken[:5]
                )
                + f"{', ...' if len(broken) > 5 else ''}; for all reasons, see '{listed}'."
            )
        if self.summary is not None and self.summary.failed_sections:
            failed = ", ".join(self.summary.failed_sections)
            raise errors.BatchError(f"the summary was written, but these sections failed: {failed}.")


def batch(
    source: Any, settings: Settings, writing: Writing, hands: Workers = Workers(), status: Silent | None = None
) -> BatchOutcome:
    """Read a source once, and write a report for each value of the ``by`` columns, and a summary.

    writing: Where and how to write; a folder is required. Finished reports from the same data and settings are kept
        unless ``force`` is set.
    """
    if writing.folder is None:
        raise errors.SettingsError("a batch requires a folder for its reports.")
    if settings.reading.read is not None:
        raise errors.SettingsError("--read: a review list requires a single report; use reportgen evaluate.")
    refuse_several(settings.data, "a batch")
    single.refuse_early(settings)
    report_folder.check_writable(writing.folder)
    settings = settings.model_copy(update={"rsmeval": None})  # its folders are for a single experiment
    rooted = from_stored(settings.model_dump(mode="json", exclude_unset=True), Path.cwd())  # jobs may run elsewhere
    parts = open_items(source, rooted)
    run = BatchRun(parts, source, writing, hands, status or Silent())
    with run.open_for_writing():
        if not writing.tables_only:
            with added(run.folder) as new:
                single.write_shared(new, parts.settings)
        made = run.make_missing()
        summary = run.summary()
        run.write(summary)
        protected = settings.privacy.protects_slices
        return BatchOutcome(writing.folder, tuple(run.entries), made, summary, parts.roles, parts.notes, protected)


def batches_of_systems(
    source: Any, settings: Settings, writing: Writing, hands: Workers = Workers(), status: Silent | None = None
) -> dict[str, BatchOutcome]:
    """Run a batch for each system, and return the results by name; the name is empty for a single system."""
    return {
        name: batch(source, own, replace(writing, folder=place), hands, status)
        for name, own, place in each_system(source, settings, writing.folder, RESERVED)
    }


RETRIES = 3  # how often a report is restarted if its worker is lost


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor of the Dask cluster whose scheduler is at `address`, and its current number of workers."""
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        command = errors.install_command(extra="dask")
        raise errors.SettingsError(f"--dask requires extra packages; run: {command}") from None
    try:
        get_address_host_port(address)  # a client of an invalid address prints a traceback when Python exits
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        why = f"--dask {address}: no Dask scheduler responds at this address ({errors.describe_failure(error)[:120]})"
        raise errors.SettingsError(f"{why}; use an address such as tcp://10.0.0.5:8786.") from None
    with client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise errors.SettingsError(f"--dask {address}: the scheduler has no workers; run: dask worker {address}")
        yield client.get_executor(pure=False, retries=RETRIES), workers


class Job(NamedTuple):
    """One report to make; without a part, a finished one to read again.

    file: The score file, for the configuration that rebuilds a single report; None for a frame.
    """

    number: int
    name: str
    home: Path
    settings: Settings
    file: Files
    writing: Writing
    part: ItemRows | None = None
    sent: bool = False  # whether to send it back as bytes, because the worker may not have access to the folder


_ALONE = threading.Lock()
"""The notebook of a report takes over the streams and the folder of its process, so threads take turns."""


def make(job: Job) -> tuple[int, Listed]:
    """Return the number of a job and its report, new or read again; an error is returned, not raised."""
    with _ALONE:
        try:
            if job.part is not None:
                return job.number, _made(job, job.part)
            return job.number, Listed.of(results_file.read(job.home / "results.json"), job.name)
        except errors.ReportgenError as error:
            text = str(error)
        except Exception as error:  # noqa: BLE001 - one report that cannot be made stops no other
            text = f"this is a bug in reportgen; please report it ({type(error).__name__}: {error})."
    return job.number, Listed.without(job.name, text)


def _made(job: Job, part: ItemRows) -> Listed:
    scores = part.read(job.settings)
    if job.settings.privacy.protects_slices and scores.kept < job.settings.statistics.min_n_per_group:
        return Listed.without(job.name)
    with tempfile.TemporaryDirectory(prefix="reportgen-") if job.sent else nullcontext() as aside:
        folder = job.home if aside is None else Path(aside) / "report"
        writing = replace(job.writing, folder=folder, force=True, home=job.home, above=True)
        outcome = single.evaluate_scores(job.file, scores, job.settings, writing)
        files = folder.rglob("*") if job.sent else ()
        sent = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.is_file()}
    return replace(Listed.of(outcome.report, job.name, failed_sections=outcome.failed_sections), files=sent)


class BatchRun:
    """One run of a batch: its reports, its folder, the finished reports, and the workers for the others.

    file: The score file; None for a frame.
    before: Earlier content of the folder.
    work: Folder for this run's files during `open_for_writing`.
    found: Report, new or read again, by number.
    """

    def __init__(self, parts: Items, source: Any, writing: Writing, hands: Workers, status: Silent) -> None:
        assert writing.folder is not None
        self.parts, self.writing, self.hands, self.status = parts, writing, hands, status
        self.found: dict[int, Listed] = {}
        self.names = tuple(map(parts.name, range(len(parts.values))))
        file = paths_of(source)
        self.file = tuple(path.absolute() for path in file) if isinstance(file, tuple) else file and file.absolute()
        folders = folder_names(self.names, "-".join(parts.settings.data.by)[:20] or "part", RESERVED)
        self.before = batch_folder.open_batch(writing.folder, folders, force=writing.force)
        self.folder = self.work = writing.folder.absolute()
        self._rest_until = 0.0
        known = self.before.reports if self.before and not writing.force else ()
        before = {entry.folder: entry for entry in known}
        withheld, self.entries = withheld_parts(parts), list[batch_folder.Entry]()
        for number, (values, place) in enumerate(zip(parts.values, folders, strict=True)):
            home = self.folder / place
            if number in withheld:
                if (home / "results.json").exists():
                    raise errors.OutputError(
                        f"'{home}' contains a report of few responses that is now withheld; remove it, choose another "
                        "folder, or use --unprotected."
                    )
                self.entries.append(batch_folder.Entry(values, place, "", 0, "withheld"))
                continue
            key, old = self._key(parts.settings_of(number), home), before.get(place)
            stands = old is not None and old.key == key and old.stands(home)
            self.entries.append(old if old and stands else batch_folder.Entry(values, place, key, parts.sizes[number]))

    def _key(self, settings: Settings, home: Path, **more: Any) -> str:
        """Hash everything that determines the pages in a folder."""
        parts, writing = self.parts, self.writing
        files = self.file if isinstance(self.file, tuple) else (self.file,) if self.file else ()
        return batch_folder.key_of(
            as_seen_from(settings, home), source=[parts.source.name, parts.source.sha256],
            made=single.provenance_of(parts.settings, writing.command), tables_only=writing.tables_only,
            kernel=writing.kernel, file=[os.path.relpath(path, home) for path in files], **more,
        )  # fmt: skip

    @contextmanager
    def open_for_writing(self) -> Iterator[None]:
        """Create the folder, and lock it if the system supports locks."""
        with (
            made_folder(self.folder, self.folder),
            batch_folder.locked(self.folder),
            fresh_folder(self.folder, self.folder) as work,
        ):
            self.work, before = work, set(self.folder.glob(f"{PREFIX}*"))
            try:
                yield
            finally:  # unfinished files of processes that ended when the run was stopped
                for scraps in {*self.folder.glob(f"{PREFIX}*")} - before:
                    shutil.rmtree(scraps, ignore_errors=True)

    def write(self, summary: batch_folder.Entry | None = None) -> None:
        """Replace the manifest atomically; it includes the summary's entry if that is current."""
        began, source = time.perf_counter(), self.parts.source
        now = batch_folder.Manifest(
            self.parts.settings.data.by, source.name, source.sha256, tuple(self.entries), summary
        )
        with added(self.folder) as new:
            (new / batch_folder.MANIFEST).write_text(now.text(), encoding="utf-8")
        ended = time.perf_counter()
        self._rest_until = ended + RESTS * (ended - began)

    def make_missing(self) -> int:
        """Make the missing reports, move each into place when it is done, and return their number."""
        missing = [place for place, entry in enumerate(self.entries) if entry.status not in ("finished", "withheld")]
        if not missing:
            return 0
        self.write()
        if self.parts.rows.nbytes >= HELD:
            self.status.stage("sorting the rows by item")
            self.parts.rows.lay_down(self.work / ROWS)
        kept, total = len(self.entries) - len(missing), len(self.entries)
        self.status.parts("reports", kept, total)
        try:
            with self._results(
                missing, self.job, min(self.hands.workers, len(missing)), self.hands.executor
            ) as results:
                for number, made in results:
                    self.entries[number] = self._placed(self.entries[number], made)
                    if time.perf_counter() > self._rest_until:
                        self.write()
                    self.found[number] = replace(made, files={})
                    self.status.parts("reports", kept + len(self.found), total)
        finally:  # a stopped run does not lose its finished reports
            self.write()
        return len(missing)

    def _read_finished(self) -> None:
        entries = enumerate(self.entries)
        there = [number for number, entry in entries if number not in self.found and entry.status == "finished"]
        workers = 1 if self.hands.executor is not None else min(self.hands.workers, 1 + len(there) // READ_BY_ONE)
        with self._results(there, partial(self.job, again=True), workers) as results:
            for done, (number, made) in enumerate(results, start=1):
                if made.entry.error:
                    self.entries[number] = self._placed(self.entries[number], made)
                self.found[number] = made
                self.status.parts("reading reports", done, len(there))

    def _results(
        self, numbers: Sequence[int], job: Callable[[int], Job], workers: int, executor: Executor | None = None
    ) -> closing[Generator[tuple[int, Listed], None, None]]:
        def lost(place: int, error: BaseException) -> tuple[int, Listed]:
            told = " ".join(str(error).split())[:200]
            why = f"its process ended without a result, perhaps out of memory ({told})."
            return numbers[place], Listed.without(self.names[numbers[place]], why)

        jobs = [partial(job, number) for number in numbers]
        return closing(each(make, jobs, lost, workers, executor, self.hands.at_a_time))

    def _placed(self, entry: batch_folder.Entry, made: Listed) -> batch_folder.Entry:
        """Return the entry of a finished report; a report that was sent here is moved into place."""
        status, decision, error = made.entry.status, made.entry.decision, made.entry.error
        if made.entry.withheld:
            return batch_folder.Entry(entry.values, entry.folder, "", 0, status)
        if made.files:
            with report_folder.staged(self.folder / entry.folder, force=True) as new:
                for place, content in made.files.items():
                    (new / place).parent.mkdir(parents=True, exist_ok=True)
                    (new / place).write_bytes(content)
        contents = "" if error else batch_folder.contents_of(self.folder / entry.folder)
        failed = made.entry.failed_sections
        return replace(entry, status=status, decision=decision, error=error, failed_sections=failed, contents=contents)

    def summary(self) -> batch_folder.Entry | None:
        """Return the entry of the summary, which is rewritten if its content changed; None without reports."""
        old = self.before and self.before.summary
        home = self.folder / batch_folder.SUMMARY
        if old and old.key == self._new_summary().key and not self.writing.force and old.stands(home):
            return old
        self._read_finished()
        self.status.stage("making the summary")
        if not any(made.run for made in self.found.values()):
            return None
        every = enumerate(zip(self.names, self.entries, strict=True))
        listed = [replace(self.found.get(number, Listed(name, entry)), entry=entry) for number, (name, entry) in every]
        with report_folder.staged(home, force=True) as stage:
            failed = write_summary(listed, self.parts, self.writing, self.file, stage, home)
        status: batch_folder.Status = "with failed sections" if failed else "finished"
        return replace(
            self._new_summary(), status=status, failed_sections=failed, contents=batch_folder.contents_of(home)
        )

    def _new_summary(self) -> batch_folder.Entry:
        reports = [self.names, [asdict(entry) for entry in self.entries]]
        key = self._key(self.parts.settings, self.folder / batch_folder.SUMMARY, reports=reports)
        return batch_folder.Entry({}, batch_folder.SUMMARY, key, sum(entry.rows for entry in self.entries))

    def job(self, number: int, *, again: bool = False) -> Job:
        """Return the job that makes a report, or `again` reads a finished one."""
        home, name, parts = self.folder / self.entries[number].folder, self.names[number], self.parts
        if again:
            return Job(number, name, home, parts.settings, self.file, self.writing)
        part, sent = parts.part(number), self.hands.executor is not None
        rows = part.in_memory() if sent else part
        return Job(number, name, home, parts.settings_of(number), self.file, self.writing, rows, sent)


READ = 10
"""Parts with fewer rows than this many times the minimum are read to count their responses; larger parts are not. A
part that cannot be read gets no report, whatever its size; the reason is reported later."""


def withheld_parts(parts: Items) -> frozenset[int]:
    """Return the numbers of the parts whose reports must be hidden."""
    settings = parts.settings
    if not settings.privacy.protects_slices:
        return frozenset()
    least = settings.statistics.min_n_per_group
    names = [tuple(values.values()) for values in parts.values]
    sizes = {name: _responses(parts, number, READ * least) for number, name in enumerate(names)}
    hidden = withheld_slices({name: n for name, n in sizes.items() if n is not None}, least)
    if len(hidden) == len(names):
        why = f"every value of {', '.join(settings.data.by)} has fewer than {least} responses, or would reveal one"
        raise errors.InputError(f"{why} that does; use a smaller --min-n, or make all reports with --unprotected.")
    return frozenset(number for number, name in enumerate(names) if name in hidden)


def _responses(parts: Items, number: int, most: int) -> int | None:
    rows = parts.sizes[number]
    if rows >= most or not parts.rows.in_memory:
        return rows
    try:
        return parts.part(number).read(parts.settings_of(number)).kept
    except errors.ReportgenError:
        return None
