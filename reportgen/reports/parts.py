"""List several reports of one source on the pages that cover all of them, and write the summary of a batch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reportgen import sections
from reportgen.evaluation.tables.build import metric_column
from reportgen.reports.batch_folder import Entry, Status
from reportgen.reports.single import composed, provenance_of, with_settings, write_files
from reportgen.results import Cell, Column, Decision, Evaluation, Mark, Report, Row, Table, Term
from reportgen.runs.model import NumberPlace, Run
from reportgen.runs.ours import run_of_report
from reportgen.scores.items import Items
from reportgen.scores.reading import settings_of_systems
from reportgen.settings import Settings, override
from reportgen.storing.report_folder import Writing
from reportgen.verdicts import missed, unmet
from reportgen.wording.names import folder_names

MOST_ROWS_SHOWN = 100  # most rows of a table in the report; the CSV has all

REFUSED: Decision = "do not deploy"  # reports with this verdict are always listed

DECISIONS: tuple[Decision, ...] = (
    REFUSED, "out of reach with these raters", "cannot be judged", "collect more ratings", "deploy"
)  # fmt: skip
"""Verdicts, worst first."""

NUMBERS = {
    "qwk": NumberPlace("system.qwk"), "r": NumberPlace("system.r"), "smd": NumberPlace("system.smd"),
    "prmse": NumberPlace("true_score.prmse"), "human_r": NumberPlace("human.r"),
}  # fmt: skip
"""Number in each column of a table of reports. Reports with the same verdict are sorted by PRMSE, because it allows for
rater error. Agreement with raters is shown next to agreement between raters."""

FROM_RESULTS = "its numbers are from its report"
"""Why a run of several reports has no rows: a summary of hundreds of items does not keep scores."""

_SECTIONS = ("summarize_items", "summarize_agreement", "summarize_groups", "provenance")  # the sections of the summary


Files = Path | tuple[Path, ...] | None
"""The score file or files of a source; None for a frame."""


@dataclass(frozen=True)
class Listed:
    """One of several reports, as listed on the common pages.

    unmet, missed: The policy criteria that are not met or undecided, and the names of the unmet ones.
    files: The report's files by name, if they are sent to the requesting process.
    """

    name: str  # name of the item or trait
    entry: Entry  # its location and result
    run: Run | None = None  # its numbers; None if there is no report
    unmet: str = ""
    missed: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report, name: str, folder: str = "", failed_sections: tuple[str, ...] = ()) -> Listed:
        """List a finished report."""
        verdict = report.verdict
        checks = verdict.checks if verdict is not None else ()
        status: Status = "with failed sections" if failed_sections else "finished"
        decision = verdict.decision if verdict is not None else ""
        entry = Entry({}, folder, "", 0, status, decision, failed_sections=failed_sections)
        return cls(name, entry, run_of_report(report, name, None, FROM_RESULTS), unmet(checks), missed(checks))

    @classmethod
    def without(cls, name: str, error: str = "") -> Listed:
        """List a failed report, or, without an error, a hidden one."""
        return cls(name, Entry({}, "", "", 0, "not made" if error else "withheld", error=error))


def write_summary(
    listed: Sequence[Listed], parts: Items, writing: Writing, file: Files, folder: Path, home: Path
) -> tuple[str, ...]:
    """Write the summary of the finished reports into `folder`; return its failed sections.

    listed: All reports in order; at least one was made.
    parts, writing, file: The source, and how reports are written.
    home: Where the summary will be.
    """
    from reportgen.comparison.compare import summarize_runs

    settings, runs = plain(parts.settings), [each.run for each in listed if each.run is not None]
    found = summarize_runs(runs, settings, provenance_of(settings, writing.command), one_scale=False)
    page, by = page_of(settings, writing), list(settings.data.by)
    name = Column("item", Term("names_of_columns", columns=by))
    items = table_of_reports("summary.items", name, ITEMS, listed, f"../{{}}/{page}" if page else "")
    most_missed = Counter(name for each in listed for name in each.missed).most_common()
    least, scales = settings.statistics.min_n_per_group, {(run.scale.low, run.scale.high) for run in runs}
    warnings = [] if settings.privacy.protects_slices else [Term("reports_unprotected", least=least)]
    if len(scales) > 1:
        warnings.append(Term("several_scales", scales=len(scales), assumed=sum(run.scale.assumed for run in runs)))
    shown = (replace(each, max_rows=min(each.max_rows, MOST_ROWS_SHOWN)) for each in (items, *found.tables.values()))
    evaluation = replace(
        found,
        source=parts.source,
        tables={table.key: table for table in shown},
        facts={
            **found.facts,
            "by": by,
            "parts": [[each.name, f"../{each.entry.folder}"] for each in listed if each.run is not None],
            "page": page,
            "worst_first": worst_first(listed),
            "missed": [list(each) for each in most_missed],
            "troubles": [[each.name, each.entry.trouble] for each in listed if each.entry.trouble],
            "reports_withheld": [each.name for each in listed if each.entry.withheld],
        },
        warnings=tuple(warnings),
    )
    columns = [column for role in parts.roles if role.role == "human" for column in role.columns]
    title = f"Summary of {len(listed)} reports by {', '.join(by)} in {parts.source.name}"
    report = on_all(evaluation, parts.settings, title, columns, _SECTIONS)
    kept = override(parts.settings, file=file) if file else parts.settings
    return write_files(report, folder, kept, replace(writing, home=home, above=True), config=True)


def worst_first(listed: Sequence[Listed]) -> list[int]:
    """Sort the reports: failed ones, then by worst verdict, most unmet criteria, and lowest PRMSE.

    QWK is not used, because poor raters lower it for the same engine. Without PRMSE, the order is unchanged.
    """

    def worth(place: int) -> tuple[int, int, float]:
        each = listed[place]
        if each.entry.withheld:
            return len(DECISIONS) + 1, 0, 0.0
        if each.run is None:
            return -1, 0, 0.0
        found = [number for number, decision in enumerate(DECISIONS) if decision == each.entry.decision]
        prmse = each.run.estimate(NUMBERS["prmse"])
        value = prmse.value if prmse is not None and prmse.value is not None else math.inf
        return (*found, len(DECISIONS))[0], -len(each.missed), value

    return sorted(range(len(listed)), key=worth)


ITEMS = ("decision", "unmet", "rows", "n", "prmse", "human_r", "scale", "trouble", "folder", "page")
TRAITS = ("decision", "n", "qwk", "r", "smd", "prmse", "unmet", "trouble", "folder", "page")
"""Columns after the name of each item or trait."""


def table_of_reports(key: str, name: Column, keys: Sequence[str], listed: Sequence[Listed], page: str) -> Table:
    """Return a row per report: decision, statistics, problem, and location; `page` is the path pattern of its page."""
    counts = {each: Column(each, kind="count") for each in ("rows", "n")}
    metrics = {each: metric_column(each) for each in ("qwk", "r", "smd", "prmse")}
    known = {**counts, **metrics, "human_r": Column("human_r", kind="coefficient")}

    def number(run: Run | None, place: NumberPlace) -> Cell:
        found = run.estimate(place) if run else None
        return found if found is None or found.defined or keys is TRAITS else None

    rows = []
    for each in listed:
        run, entry = each.run, each.entry
        there = None if entry.withheld else entry.folder
        cells: dict[str, Cell] = {
            "decision": Term(entry.decision) if entry.decision else None,
            "unmet": each.unmet or None,
            "rows": None if entry.withheld else entry.rows,
            "n": run.n if run else None,
            **{metric: number(run, place) for metric, place in NUMBERS.items()},
            "scale": Term("numbers_from_to", low=run.scale.low, high=run.scale.high) if run else None,
            "trouble": Term("report_withheld") if entry.withheld else entry.trouble or None,
            "folder": there,
            "page": page.format(there) if page and run else None,
        }
        mark: Mark = "flagged" if entry.trouble or entry.decision == REFUSED else ""
        rows.append(Row((each.name, *(cells[column] for column in keys)), mark))
    blank = {column for place, column in enumerate(keys, start=1) if all(row.cells[place] is None for row in rows)}
    hidden = {"folder", "page", *blank.intersection(("unmet", "trouble", *(NUMBERS if keys is ITEMS else ())))}
    columns = (replace(known.get(column, Column(column)), shown=column not in hidden) for column in keys)
    return Table(key, "", (replace(name, link="page"), *columns), tuple(rows), max_rows=500)


def plain(settings: Settings) -> Settings:
    """Remove the choice of sections from settings, which applies to the reports of single parts."""
    report = settings.report.model_copy(update={"sections": None})
    return settings.model_copy(update={"report": report, "sections": {}})


def on_all(
    evaluation: Evaluation, settings: Settings, title: str, raters: Sequence[str], shown: Sequence[str] | None
) -> Report:
    """Return a report about all parts, with the sections `shown` (default: all sections of its kind)."""
    evaluation = with_settings(evaluation, plain(settings), raters)
    return composed(evaluation, sections.load(shown, {}, evaluation.kind), settings, title)


def page_of(settings: Settings, writing: Writing) -> str:
    """Return the name of each report's page, or an empty string."""
    return "report.html" if "html" in settings.report.formats and not writing.tables_only else ""


def each_system(
    source: Any, settings: Settings, folder: Path | None, reserved: Sequence[str]
) -> list[tuple[str, Settings, Path | None]]:
    """Return name, settings, and folder of each system below a folder; the folder itself for fewer than two."""
    every = settings_of_systems(source, settings)
    if not every or folder is None:
        return [("", settings, folder)]
    places = folder_names(list(every), "system", reserved)
    return [(name, own, folder / place) for (name, own), place in zip(every.items(), places, strict=True)]
