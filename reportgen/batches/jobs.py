"""One report of many as a job: everything it needs can be sent to another process, and what it made sent back."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reportgen import reports
from reportgen.errors import ReportgenError
from reportgen.results import Report
from reportgen.runs import Run
from reportgen.runs.ours import run_of_report
from reportgen.scores.items import ItemRows
from reportgen.settings import Settings
from reportgen.storing import results_file
from reportgen.verdicts import missed, unmet

FROM_RESULTS = "its numbers are those of its report"
"""Why a run of a batch has no rows: a summary of hundreds of items keeps no scores."""


@dataclass(frozen=True)
class Task:
    """What all jobs of a batch share.

    Parameters
    ----------
    file
        The file of scores, for the configuration that makes a single report again; None for a frame.
    tables_only, kernel, command
        As for `reportgen.reports.evaluate`.
    sent
        Whether reports are sent back as bytes, because the process that makes them may see no folder of this one's.
    """

    file: Path | tuple[Path, ...] | None
    tables_only: bool = False
    kernel: str | None = None
    command: str = ""
    sent: bool = False


@dataclass(frozen=True)
class Job:
    """One report to make, or, without a part, one that is finished and to be read again.

    Parameters
    ----------
    number, name
        Its place in the batch, and what it is called.
    home
        Where it will be.
    """

    number: int
    name: str
    home: Path
    settings: Settings
    task: Task
    part: ItemRows | None = None


@dataclass(frozen=True)
class Made:
    """What became of a job.

    Parameters
    ----------
    run
        Its numbers, for the summary; None when there is no report.
    decision, unmet, missed
        What the policy says, the criteria that speak against it or are open, and the names of those not met.
    error
        Why there is no report.
    withheld
        Whether there is none because it would be of few responses.
    failed_sections
        Sections of the report that could not be made.
    files
        The files of the report, by name, when they are sent back.
    """

    number: int
    run: Run | None = None
    decision: str = ""
    unmet: str = ""
    missed: tuple[str, ...] = ()
    error: str = ""
    withheld: bool = False
    failed_sections: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


_ALONE = threading.Lock()
"""The notebook of a report takes over the streams and the folder of its process: threads take turns."""


def make(job: Job) -> Made:
    """Return the report of a job, made or, when it is finished, read; an error is told, not raised."""
    with _ALONE:
        return _told(job)


def _told(job: Job) -> Made:
    """Return what became of a job."""
    try:
        return finished(job) if job.part is None else _made(job, job.part)
    except ReportgenError as error:
        return Made(job.number, error=str(error))
    except Exception as error:  # noqa: BLE001 - one report that cannot be made stops no other
        told = f"{type(error).__name__}: {error}"
        return Made(job.number, error=f"this is a defect of reportgen, please report it ({told}).")


def finished(job: Job) -> Made:
    """Return a report that is finished, read from its folder.

    Raises
    ------
    InputError
        It cannot be read.
    """
    report = results_file.read(job.home / "results.json")
    return Made(job.number, _run(report, job), *_decision(report))


def _made(job: Job, part: ItemRows) -> Made:
    """Return a report, made from its rows."""
    scores = part.read(job.settings)
    if job.settings.privacy.protects_slices and scores.kept < job.settings.statistics.min_n_per_group:
        return Made(job.number, withheld=True)
    task = job.task
    with _place(job) as folder:
        outcome = reports.evaluate(
            task.file, folder, job.settings, tables_only=task.tables_only, kernel=task.kernel, command=task.command,
            scores=scores, home=job.home, force=True, above=True,
        )  # fmt: skip
        report = outcome.report
        sent = _files(folder) if task.sent else {}
    return Made(
        job.number, _run(report, job), *_decision(report), failed_sections=outcome.failed_sections, files=sent
    )  # fmt: skip


@contextmanager
def _place(job: Job) -> Iterator[Path]:
    """Yield the folder that a report is written to."""
    if not job.task.sent:
        yield job.home
        return
    with tempfile.TemporaryDirectory(prefix="reportgen-") as folder:
        yield Path(folder) / "report"


def _files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their path in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _run(report: Report, job: Job) -> Run:
    return run_of_report(report, job.name, None, FROM_RESULTS)


def _decision(report: Report) -> tuple[str, str, tuple[str, ...]]:
    """Return what the policy says, the criteria that are not met or not yet known, and the names of those not met."""
    found = report.verdict
    return (found.decision, unmet(found.checks), missed(found.checks)) if found is not None else ("", "", ())
