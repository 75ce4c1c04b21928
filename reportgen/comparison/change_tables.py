"""Tables of a comparison: old, new, change and what the change means, for every number of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.comparison.changes import Change, Pair
from reportgen.evaluation.tables.build import DISCRETE_METRICS
from reportgen.results import Cell, Column, Mark, Row, Table
from reportgen.results.term import Term
from reportgen.runs import Run

ROUNDED = "trimmed and rounded"
TRIMMED = "trimmed"
HUMAN = "human"

OF_RATERS = ("human.h_mean", "human.h_sd", "human.system_mean", "human.system_sd")
"""Statistics that have a name of their own between raters."""

AGREEMENT = ("qwk", "r", "r_squared", "rmse", "mae", "smd")
ALL = 10_000
"""Rows a page shows at most of tables that are never long."""


@dataclass(frozen=True)
class ChangeLine:
    """One line of a table of changes: a statistic, and of which form of the score."""

    key: str
    form: str

    @property
    def metric(self) -> str:
        """Key of the metric in the catalogue."""
        metric = self.key.split(".")[1]
        return "disattenuated_r" if self.key == "disattenuated.r" else metric

    @property
    def name(self) -> Term:
        """Name of the statistic; between raters the second one takes the engine's place."""
        return Term(self.key if self.key in OF_RATERS else self.metric)

    def score(self, pair: Pair) -> tuple[str, str]:
        """Return which score types of the two runs this line is about."""
        if self.form != ROUNDED or self.metric in DISCRETE_METRICS:
            return "", ""
        return pair.old.score_types[-1].key, pair.new.score_types[-1].key


def _lines(form: str, family: str, *metrics: str) -> tuple[ChangeLine, ...]:
    return tuple(ChangeLine(f"{family}.{metric}", form) for metric in metrics)


OVERALL = (
    *_lines(TRIMMED, "system", *AGREEMENT),
    *_lines(ROUNDED, "system", "kappa", "exact_agreement", "adjacent_agreement", "smd"),
    *_lines(HUMAN, "system", "h_mean", "h_sd"),
    *_lines(TRIMMED, "system", "system_mean", "system_sd"),
    *_lines(ROUNDED, "system", "system_mean", "system_sd"),
)
BY_GROUP = (
    *_lines(TRIMMED, "system", "qwk", "dsm", "r", "r_squared", "rmse"),
    *_lines(ROUNDED, "system", "dsm", "kappa", "exact_agreement", "adjacent_agreement"),
    *_lines(HUMAN, "system", "h_mean", "h_sd"),
    *_lines(TRIMMED, "system", "system_mean", "system_sd"),
    *_lines(ROUNDED, "system", "system_mean", "system_sd"),
)
RATERS = _lines(HUMAN, "human", "qwk", "r", "kappa", "exact_agreement", "adjacent_agreement", "smd", "h_mean", "h_sd",
                "system_mean", "system_sd")  # fmt: skip
RATERS_BY_GROUP = (*RATERS, ChangeLine("human.dsm", HUMAN))
DISATTENUATED = (ChangeLine("system.r", TRIMMED), ChangeLine("human.r", HUMAN), ChangeLine("disattenuated.r", TRIMMED))
TRUE_SCORE = _lines(TRIMMED, "true_score", "prmse", "mse_true", "true_variance", "error_variance")
BY_SCORE_TYPE = ("qwk", "r", "r_squared", "rmse", "smd", "kappa", "exact_agreement", "adjacent_agreement")
DEGRADATION = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement", "smd")


def comparison_tables(runs: Sequence[Run], pairs: Sequence[Pair]) -> list[Table]:
    """Return every table of old, new and change."""
    several = len(pairs) > 1
    tables = [
        runs_table(runs, pairs),
        _changes("comparison.overall", OVERALL, pairs),
        *(
            [_by_score_type("comparison.score_types", "system", BY_SCORE_TYPE, pairs)]
            if pairs[0].old.scale.ordered
            else []
        ),
        _changes("comparison.raters", RATERS, pairs),
        _by_score_type("comparison.degradation", "degradation", DEGRADATION, pairs),
        _changes("comparison.disattenuated", DISATTENUATED, pairs),
        _changes("comparison.true_score", TRUE_SCORE, pairs),
    ]
    for grouping in dict.fromkeys(name for pair in pairs for name in pair.groupings):
        tables += [
            _by_group(f"comparison.by_group.{grouping}", grouping, BY_GROUP, pairs),
            _by_group(f"comparison.raters.by.{grouping}", grouping, RATERS_BY_GROUP, pairs),
            _by_group(f"comparison.disattenuated.by.{grouping}", grouping, DISATTENUATED[1:], pairs),
        ]
    return [_without_system(table, several) for table in tables if table.rows]


def runs_table(runs: Sequence[Run], pairs: Sequence[Pair] = ()) -> Table:
    """Return what each run is: origin, date, responses, scale, and what it shares with the first one."""
    shared = [None, *(pair.sharing for pair in pairs)] if pairs else [None] * len(runs)
    rows = [
        Row((
            run.name, Term(f"origin.{run.origin}"), run.created, run.source.name, run.source.sha256, run.n,
            Term("numbers_from_to", low=run.scale.low, high=run.scale.high),
            run.score_types[-2].label if len(run.score_types) > 1 else "", _trimming(run),
            sharing.n if sharing and sharing.paired else None, run.no_rows, run.description,
        ))
        for run, sharing in zip(runs, shared, strict=True)
    ]  # fmt: skip
    columns = (
        Column("run"),
        Column("origin"),
        Column("created", shown=any(run.created for run in runs)),
        Column("source"),
        Column("sha256", shown=False),
        Column("n", kind="count"),
        Column("scale", shown=False),
        Column("score_type", shown=False),
        Column("trimming", shown=runs[0].scale.ordered),
        Column("shared", kind="count", shown=any(sharing is not None for sharing in shared)),
        Column("no_rows", shown=False),
        Column("description", shown=False),
    )
    return Table("comparison.runs" if pairs else "summary.runs", "", columns, tuple(rows), max_rows=ALL)


def _trimming(run: Run) -> Term:
    low, high = run.preparation.bounds
    return Term("numbers_from_to", low=float(low), high=float(high))


def _changes(key: str, lines: Sequence[ChangeLine], pairs: Sequence[Pair]) -> Table:
    """Return a table with one row for each statistic and pair of runs."""
    rows = [
        Row((line.name, Term(line.form), pair.new.name, *_cells(change)))
        for line in lines
        for pair in pairs
        if (change := pair.change(line.key, line.score(pair))) is not None and _told(change)
    ]
    lead = (Column("metric"), Column("form"))
    return Table(key, "", (*lead, *_columns(pairs)), tuple(rows), max_rows=ALL)


def _by_score_type(key: str, family: str, metrics: Sequence[str], pairs: Sequence[Pair]) -> Table:
    """Return a table with one row for each statistic, form of the score and pair of runs."""
    rows = []
    for metric in metrics:
        for pair in pairs:
            labels = {kind.key: kind.label for kind in (*pair.old.score_types, *pair.new.score_types)}
            for score in pair.score_types():
                change = pair.change(f"{family}.{metric}", score)
                discrete = metric not in DISCRETE_METRICS or score[0].endswith("_round")
                if change is not None and discrete and _told(change):
                    rows.append(Row((Term(metric), labels[score[0]], pair.new.name, *_cells(change))))
    lead = (Column("metric"), Column("form", shown=pairs[0].old.scale.ordered))
    return Table(key, "", (*lead, *_columns(pairs)), tuple(rows), max_rows=ALL)


def _by_group(key: str, grouping: str, lines: Sequence[ChangeLine], pairs: Sequence[Pair]) -> Table:
    """Return a table with one row for each statistic, level and pair of runs."""
    rows = [
        Row(
            (line.name, Term(line.form), level, _n(change), pair.new.name, *_cells(change)),
            _mark(change, pair.old.min_n_of(grouping)),
        )
        for line in lines
        for pair in pairs
        for level in pair.levels(grouping)
        if (change := pair.change(line.key, line.score(pair), grouping, level)) is not None and _told(change)
    ]
    lead = (Column("metric"), Column("form"), Column("level", Term("name_of_column", column=grouping)),
            Column("n", kind="count", shown=len(pairs) == 1))  # fmt: skip
    return Table(key, "", (*lead, *_columns(pairs)), tuple(rows), max_rows=60)


def _columns(pairs: Sequence[Pair]) -> tuple[Column, ...]:
    """Return the columns after those that say which statistic a row is about."""
    old = Term("name_of_run", run=pairs[0].old.name) if pairs else ""
    new = Term("name_of_run", run=pairs[0].new.name) if len(pairs) == 1 else ""
    return (
        Column("system"),
        Column("old", old, "coefficient"),
        Column("new", new, "coefficient"),
        Column("change", kind="difference"),
        Column("reading"),
    )


def _cells(change: Change) -> tuple[Cell, ...]:
    return change.old, change.new, change.difference, Term(change.reading) if change.reading else None


def _n(change: Change) -> int:
    """Return the responses a change rests on: those of the smaller run."""
    return min(estimate.n for estimate in (change.old, change.new) if estimate.defined)


def _told(change: Change) -> bool:
    """Return whether either run has the number."""
    return change.old.defined or change.new.defined


def _mark(change: Change, least: int) -> Mark:
    """Return how a group's row is marked: too small to be read."""
    return "insufficient" if min(change.old.n, change.new.n) < least else ""


def _without_system(table: Table, several: bool) -> Table:
    """Return the table without its column of run names on the page, when there is one pair only."""
    columns = tuple(replace(each, shown=each.shown and (several or each.key != "system")) for each in table.columns)
    return replace(table, columns=columns)
