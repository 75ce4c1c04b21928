"""Any number of runs as the content of one report: tables, ranks, groups side by side, history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.comparison.change_tables import runs_table
from reportgen.comparison.compare import checks_of, together
from reportgen.comparison.ranking import ranking_table
from reportgen.comparison.withholding import withheld_from
from reportgen.errors import InputError
from reportgen.evaluation.tables.build import metric_column
from reportgen.results import Cell, Column, Evaluation, Row, Table
from reportgen.runs import NumberPlace, Run, refuse_same_names, refuse_scales
from reportgen.settings import Settings
from reportgen.wording.numbers import bounds

DESCRIPTIVES = ("h_mean", "h_sd", "system_mean", "system_sd", "smd")
ROUNDED = ("system_mean", "system_sd", "smd")
ASSOCIATION = ("qwk", "r", "r_squared", "rmse", "mae")
AGREEMENT = ("kappa", "exact_agreement", "adjacent_agreement")
TRUE_SCORE = ("error_variance", "true_variance", "mse_true", "prmse")
BY_GROUP = ("qwk", "dsm", "r", "rmse", "system_mean")
HEADLINES = ("system.qwk", "system.r", "system.rmse", "system.smd", "true_score.prmse")
"""Statistics that are drawn run by run and over time."""

ALL = 10_000


def summarize_runs(
    runs: Sequence[Run], settings: Settings, provenance: Mapping[str, Any], *, one_scale: bool = True
) -> Evaluation:
    """Return what any number of runs say side by side.

    Parameters
    ----------
    runs
        At least one.
    settings, provenance
        Kept as they are.
    one_scale
        Whether runs on different scales are refused; items of one test may have scales of their own.

    Raises
    ------
    InputError
        There is no run, or there are two of one name or on different scales.
    """
    if not runs:
        raise InputError("a summary needs at least one run; name the folder of one.")
    refuse_same_names(runs)
    if one_scale:
        refuse_scales(runs)
    runs = [run.withholding(settings.privacy.withhold_small_groups) for run in runs]
    tables = {table.key: table for table in _tables(runs) if table.rows}
    return Evaluation(
        source=together(runs),
        roles=(),
        scale=runs[0].scale,
        score_types=runs[0].score_types,
        groups=_groupings(runs),
        raters=(),
        settings=settings.model_dump(mode="json", exclude_none=True),
        facts={
            "runs": [run.name for run in runs],
            "dates": [run.created for run in runs],
            "headlines": list(HEADLINES),
            "confidence_level": runs[0].level,
            "min_n_per_group": min(run.min_n for run in runs),
        },
        estimates={
            f"run{number}.{key}": estimate
            for number, run in enumerate(runs, start=1)
            for key in HEADLINES
            if (estimate := run.estimate(NumberPlace(key))) is not None
        },
        tables=tables,
        checks=checks_of(runs),
        warnings=(),
        provenance=provenance,
        kind="summary",
    )


def _tables(runs: Sequence[Run]) -> list[Table]:
    """Return every table, in the order of the report."""
    return [
        runs_table(runs),
        _side_by_side("summary.descriptives", "Human and engine scores, trimmed", DESCRIPTIVES, runs),
        _side_by_side("summary.descriptives_rounded", "Engine scores, trimmed and rounded",
                      ROUNDED, runs, rounded=True),
        _side_by_side("summary.association", "Association of the engine score with the first human score",
                      ASSOCIATION, runs),
        _side_by_side("summary.agreement", "Agreement of the rounded engine score with the first human score",
                      AGREEMENT, runs),
        _side_by_side("summary.true_score", "The engine score as a predictor of the true score",
                      TRUE_SCORE, runs, family="true_score"),
        _criteria(runs),
        ranking_table(runs, "summary.ranking"),
        *(_by_group(grouping, runs) for grouping in _groupings(runs)),
        *withheld_from(runs),
        _history(runs),
    ]  # fmt: skip


def _criteria(runs: Sequence[Run]) -> Table:
    """Return for each run the outcome of every overall criterion."""
    checks = checks_of(runs)
    criteria = {check.abbreviation: check for check in checks}
    outcomes = {(check.group, check.abbreviation): check.outcome for check in checks}
    rows = []
    for run in runs:
        found = [outcomes.get((run.name, abbreviation)) for abbreviation in criteria]
        rows.append(Row((run.name, *found), "flagged" if "not met" in found else ""))
    columns = [
        Column(
            check.abbreviation,
            f"{check.abbreviation} {bounds(check.low, check.high, check.estimate.kind, strict=check.strict)}",
        )
        for check in criteria.values()
    ]  # fmt: skip
    caption = "Whether each run meets the criteria, by its whole interval"
    notes = ("Flagged: a criterion on all responses is not met. Groups are judged in the report of each run.",)
    return Table("summary.criteria", caption, (Column("run", "Run"), *columns), tuple(rows), notes, max_rows=ALL)


def _groupings(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for run in runs for name in run.groups))


def _side_by_side(
    key: str,
    caption: str,
    metrics: Sequence[str],
    runs: Sequence[Run],
    *,
    family: str = "system",
    rounded: bool = False,
) -> Table:
    """Return one row of statistics for each run that has any of them."""
    rows = []
    for run in runs:
        score = run.score_types[-1].key if rounded else ""
        cells = [run.estimate(NumberPlace(f"{family}.{metric}", score)) for metric in metrics]
        if any(cell is not None and cell.defined for cell in cells):
            rows.append(Row((run.name, run.n, *cells)))
    columns = (Column("run", "Run"), Column("n", "n", "count"), *(metric_column(metric) for metric in metrics))
    return Table(key, caption, columns, tuple(rows), max_rows=ALL)


def _by_group(grouping: str, runs: Sequence[Run]) -> Table:
    """Return statistics of every level, the runs under each other."""
    hidden = {level for run in runs for level in run.withheld(grouping)}
    levels = [level for level in dict.fromkeys(each for run in runs for each in run.levels(grouping))
              if level not in hidden]  # fmt: skip
    rows = []
    for level in levels:
        for run in runs:
            found = [run.estimate(NumberPlace(f"system.{metric}", "", grouping, level)) for metric in BY_GROUP]
            n = max((cell.n for cell in found if cell is not None), default=0)
            if n:
                rows.append(Row((level, run.name, n, *found), "insufficient" if n < run.min_n_of(grouping) else ""))
    columns = (
        Column("level", grouping),
        Column("run", "Run"),
        Column("n", "n", "count"),
        *(metric_column(metric) for metric in BY_GROUP),
    )
    return Table(f"summary.by_group.{grouping}", f"Runs by {grouping}", columns, tuple(rows), max_rows=ALL)


def _history(runs: Sequence[Run]) -> Table:
    """Return the headline numbers by date; no rows unless runs carry two dates or more."""
    dated = sorted((run for run in runs if run.created), key=lambda run: run.created)
    rows = []
    if len({run.created for run in dated}) > 1:
        for run in dated:
            cells: list[Cell] = [run.estimate(NumberPlace(key)) for key in HEADLINES]
            rows.append(Row((run.created, run.name, run.n, *cells)))
    columns = (
        Column("created", "Date"),
        Column("run", "Run"),
        Column("n", "n", "count"),
        *(metric_column(key.split(".")[1]) for key in HEADLINES),
    )
    caption = "Headline numbers of the runs over time"
    return Table("summary.history", caption, columns, tuple(rows), max_rows=ALL)
