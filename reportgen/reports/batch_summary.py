"""The summary of a batch: every item's numbers side by side, and the way to its report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.evaluation.tables.build import metric_column
from reportgen.reports.parts import on_all, page_of, plain
from reportgen.reports.single import provenance_of, write_files
from reportgen.results import Column, Decision, Estimate, Evaluation, Mark, Row, Table
from reportgen.results.term import Term
from reportgen.runs.model import NumberPlace, Run
from reportgen.scores.items import Items
from reportgen.settings import Settings, override
from reportgen.storing.report_folder import Writing

MOST_ROWS_SHOWN = 100
"""Rows of a table on the page; the CSV has them all."""

REFUSED: Decision = "do not deploy"
"""The verdict of reports that the page always shows, however many there are."""

DECISIONS: tuple[Decision, ...] = (
    REFUSED, "out of reach with these raters", "cannot be judged", "collect more ratings", "deploy"
)  # fmt: skip
"""Verdicts, the worst first."""

QWK, PRMSE, RATERS = NumberPlace("system.qwk"), NumberPlace("true_score.prmse"), NumberPlace("human.r")
"""Agreement with raters; what allows for rater error, by which reports of one verdict are put in order; and how well
raters agree, without which the first cannot be read."""

_SECTIONS = ("summarize_items", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the summary."""


@dataclass(frozen=True)
class Listed:
    """One report as the summary tells it.

    Parameters
    ----------
    name, folder
        Of the item.
    rows
        Rows of the source.
    run
        Its numbers; None when it could not be made.
    decision, unmet, trouble, missed
        What the policy says, the criteria that are not met or open, what went wrong, and the names of the criteria
        that are not met.
    withheld
        Whether there is no report because it would be of few responses, or would tell of one that is.
    """

    name: str
    folder: str
    rows: int
    run: Run | None
    decision: str
    unmet: str
    trouble: str
    missed: tuple[str, ...] = ()
    withheld: bool = False


def write_summary(
    listed: Sequence[Listed],
    parts: Items,
    writing: Writing,
    file: Path | tuple[Path, ...] | None,
    folder: Path,
    home: Path,
) -> tuple[str, ...]:
    """Write the summary of the reports that were made into `folder`; return its sections that failed.

    Parameters
    ----------
    listed
        Every report, in order; at least one was made.
    parts, writing, file
        What was read, and how reports are written.
    home
        Where the summary will be.
    """
    settings = parts.settings
    columns = [column for role in parts.roles if role.role == "human" for column in role.columns]
    title = f"Summary of {len(listed)} reports by {', '.join(settings.data.by)} in {parts.source.name}"
    report = on_all(_evaluation(listed, parts, plain(settings), writing), settings, title, columns, _SECTIONS)
    kept = override(settings, file=file) if file else settings
    return write_files(report, folder, kept, writing, config=True, home=home, above=True)


def _evaluation(listed: Sequence[Listed], parts: Items, settings: Settings, writing: Writing) -> Evaluation:
    """Return the numbers of all reports side by side, and where each report is."""
    from reportgen.comparison.compare import far_below
    from reportgen.comparison.summarize import summarize_runs

    runs = [each.run for each in listed if each.run is not None]
    provenance = provenance_of(settings, writing.command)
    evaluation = summarize_runs(runs, settings, provenance, one_scale=False)
    page = page_of(settings, writing)
    items = _items(listed, settings.data.by, page)
    missed = Counter(name for each in listed for name in each.missed).most_common()
    least = settings.statistics.min_n_per_group
    unprotected = () if settings.privacy.protects_slices else (Term("reports_unprotected", least=least),)
    tables = {table.key: replace(table, max_rows=min(table.max_rows, MOST_ROWS_SHOWN))
              for table in (items, *evaluation.tables.values())}  # fmt: skip
    return replace(
        evaluation,
        source=parts.source,
        tables=tables,
        facts={
            **evaluation.facts,
            "by": list(settings.data.by),
            "parts": [[each.name, f"../{each.folder}"] for each in listed if each.run is not None],
            "page": page,
            "worst_first": worst_first(listed),
            "missed": [list(each) for each in missed],
            "far_below": list(far_below({run.name: qwk for run in runs if (qwk := run.estimate(QWK)) is not None})),
            "troubles": [[each.name, each.trouble] for each in listed if each.trouble],
            "reports_withheld": [each.name for each in listed if each.withheld],
        },
        warnings=(*unprotected, *_warnings(runs)),
    )


def worst_first(listed: Sequence[Listed]) -> list[int]:
    """Return the places of the reports: those that were not made, the worst verdicts, most missed, lowest PRMSE.

    Not by QWK, which poor raters lower under the same engine; where PRMSE is not known the order stays.
    """

    def worth(place: int) -> tuple[int, int, float]:
        each = listed[place]
        if each.withheld:
            return len(DECISIONS) + 1, 0, 0.0
        if each.run is None:
            return -1, 0, 0.0
        found = [number for number, decision in enumerate(DECISIONS) if decision == each.decision]
        prmse = each.run.estimate(PRMSE)
        value = prmse.value if prmse is not None and prmse.value is not None else math.inf
        return (*found, len(DECISIONS))[0], -len(each.missed), value

    return sorted(range(len(listed)), key=worth)


def _items(listed: Sequence[Listed], by: Sequence[str], page: str) -> Table:
    """Return one row for each report: what the policy says and why, responses, what went wrong, where it is."""
    rows = []
    for each in listed:
        scale = Term("numbers_from_to", low=each.run.scale.low, high=each.run.scale.high) if each.run else None
        there = f"../{each.folder}/{page}" if page and each.run else None
        numbers = [_defined(each.run, place) for place in (PRMSE, RATERS)]
        decision = Term(each.decision) if each.decision else None
        rows_read = None if each.withheld else each.rows
        cells = (each.name, decision, each.unmet or None, rows_read, each.run.n if each.run else None)
        mark: Mark = "flagged" if each.trouble or each.decision == REFUSED else ""
        trouble = Term("report_withheld") if each.withheld else each.trouble or None
        place = None if each.withheld else each.folder
        rows.append(Row((*cells, *numbers, scale, trouble, place, there), mark))
    known = [any(row.cells[place] is not None for row in rows) for place in (5, 6)]
    columns = (
        Column("item", Term("names_of_columns", columns=list(by)), link="page"),
        Column("decision"),
        Column("unmet", shown=any(each.unmet for each in listed)),
        Column("rows", kind="count"),
        Column("n", kind="count"),
        replace(metric_column("prmse"), shown=known[0]),
        Column("human_r", kind="coefficient", shown=known[1]),
        Column("scale"),
        Column("trouble", shown=any(each.trouble or each.withheld for each in listed)),
        Column("folder", shown=False),
        Column("page", shown=False),
    )
    return Table("summary.items", "", columns, tuple(rows), max_rows=MOST_ROWS_SHOWN)


def _defined(run: Run | None, place: NumberPlace) -> Estimate | None:
    found = None if run is None else run.estimate(place)
    return found if found is not None and found.defined else None


def _warnings(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return what to say of items that are on different scales."""
    scales = {(run.scale.low, run.scale.high): run.scale for run in runs}
    if len(scales) == 1:
        return ()
    assumed = sum(run.scale.assumed for run in runs)
    return (Term("several_scales", scales=len(scales), assumed=assumed),)
