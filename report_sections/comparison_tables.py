"""The sections on scores and groups of two engines side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, ClassVar

from report_sections.changes import CLEAR, Change, all_same, change_chart, changes, largest_first, pairs
from report_sections.comparison import moved
from report_sections.groups import MOST_FLAGGED
from report_sections.lookup import with_columns
from report_sections.score_figures import Matrix, heat_maps
from report_sections.shares import MOST_POINTS
from reportgen.results.chart import Ink
from reportgen.sections import Axis, Bars, Chart, Evaluation, Findings, Section, Table, Term


@dataclass(frozen=True)
class ComparisonDistributions(Section):
    """Score distributions, confusion matrices with their change, and the movement of scores.

    Parameters
    ----------
    most
        Runs whose distributions and movements are drawn.
    """

    title: ClassVar[str] = "Score distributions and movement"

    most: int = 3

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return who moves where, and both distributions."""
        numbered = [(n, {"old": pair["old"], "new": pair["new"]}) for n, pair in enumerate(pairs(evaluation), start=2)]
        distributions = [f"comparison.distribution.{n}" for n, _ in numbered]
        charts: list[Chart] = []
        for n, names in numbered[: self.most]:
            moves = evaluation.present(f"comparison.movement.{n}")
            charts += [_movement(table, evaluation, names) for table in moves if len(table.rows) <= MOST_POINTS]
            charts += [_distribution(table, evaluation, names) for table in evaluation.present(distributions[n - 2])]
        return Findings(
            values={"pairs": [{**names, "place": n, **moved(evaluation, names["new"])} for n, names in numbered]},
            tables=evaluation.present("comparison.movement", *distributions),
            charts=tuple(charts),
        )


def _movement(table: Table, evaluation: Evaluation, names: Mapping[str, str]) -> Chart:
    """Return which scores go where as a heat map: a row for each old score."""
    matrix, ordered = Matrix.of(table), evaluation.scale.ordered
    rows, columns = (Term("score_by" if ordered else "label_by", run=names[which]) for which in ("old", "new"))
    alt = Term("moves_alt", **names, rows=[each for each in matrix.told(last=True) if each["n"]])
    chart = heat_maps(f"{table.key}.chart", alt, [("", columns, matrix)], rows, Term("of_row"))
    return replace(chart, title=Term("movement_of" if ordered else "labels_of", **names))


def _distribution(table: Table, evaluation: Evaluation, names: Mapping[str, str]) -> Chart:
    rows = table.records()
    points = tuple(str(row["score"]) for row in rows)
    said = [{"score": str(row["score"]), **{key: row.number(key) for key in ("human", "old", "new")}} for row in rows]
    old, new = (Term("name_of_run", run=run) for run in names.values())
    inks: tuple[tuple[Term, str, Ink], ...] = (
        (Term("rater"), "human", "human"), (old, "old", "muted"), (new, "new", "engine"),
    )  # fmt: skip
    return Chart(
        f"{table.key}.chart",
        "",
        Term("shares_alt", points=said, **names),
        Axis(Term("score_axis" if evaluation.scale.ordered else "axis_label"), categories=points),
        Axis(Term("responses_axis"), low=0.0, unit="%"),
        tuple(Bars(label, points, tuple(row.number(key) for row in rows), ink) for label, key, ink in inks),
    )


SHOWN = ("metric", "level", "n", "system", "old", "new", "change", "reading")

MOST_NAMED = 5
"""Groups of a column that a sentence names."""


@dataclass(frozen=True)
class ComparisonGroups(Section):
    """For each group column: agreement and the difference of standardized means, old, new and change.

    Parameters
    ----------
    metrics
        Metrics whose changes the page shows; the CSV has all.
    drawn
        Metrics whose changes are drawn.
    most
        Levels drawn in a chart, largest first; further ones that differ clearly follow, those of the largest changes.
    """

    title: ClassVar[str] = "Groups"

    metrics: tuple[str, ...] = ("qwk", "dsm", "rmse")
    drawn: tuple[str, ...] = ("qwk", "dsm")
    most: int = 20

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return for each group column in which groups the runs differ clearly, charts and a table."""
        columns = [column for column in evaluation.groups if f"comparison.by_group.{column}" in evaluation.tables]
        if not columns:
            case = "none" if all_same(evaluation) else "apart"
            return Findings(values={"case": case, "columns": [], "withheld": withheld(evaluation)})
        tables = [self._table(evaluation, column) for column in columns]
        return Findings(
            values={
                "case": "compared",
                "columns": [
                    {**_clear(evaluation, column), "rows": len(evaluation.tables[table.key].rows), "of_many": of_many}
                    for column, (table, of_many) in zip(columns, tables, strict=True)
                ],
                "withheld": withheld(evaluation),
            },
            charts=tuple(
                chart
                for column in columns
                for place, pair in enumerate(pairs(evaluation), start=2)
                for metric in self.drawn
                for chart in self._chart(evaluation, column, place, pair, metric)
            ),
            tables=(*(table for table, _ in tables), *evaluation.present("privacy.withheld")),
        )

    def _table(self, evaluation: Evaluation, column: str) -> tuple[Table, bool]:
        """Return the rows of the metrics that the page shows; of too many, half are those of the largest changes."""
        key = f"comparison.by_group.{column}"
        table = evaluation.tables[key]
        chosen = [
            (change, row)
            for row, change in zip(table.rows, changes(evaluation, key), strict=True)
            if change.metric in self.metrics and change.form == "trimmed"
        ]
        of_many = len(chosen) > table.max_rows
        if of_many:
            kept = _kept([change for change, _ in chosen], table.max_rows)
            chosen = [chosen[place] for place in kept]
        return with_columns(replace(table, rows=tuple(row for _, row in chosen)), SHOWN), of_many

    def _chart(
        self, evaluation: Evaluation, column: str, place: int, pair: Mapping[str, Any], metric: str
    ) -> tuple[Chart, ...]:
        key = f"comparison.by_group.{column}"
        found = changes(evaluation, key, metric=metric, form="trimmed", system=pair["new"])
        clear = largest_first(row for row in found[self.most :] if row.reading in CLEAR)
        shown = min(len(clear), MOST_FLAGGED)
        drawn = Term("largest_groups_drawn", most=self.most, shown=shown, left=len(clear) - shown)
        title = Term(
            "change_by_group", key=metric, column=column, old=pair["old"], new=pair["new"],
            several=len(pairs(evaluation)) > 1,
        )  # fmt: skip
        caption = drawn if len(found) > self.most else Term("largest_group_first")
        return change_chart(f"{key}.{metric}.{place}", [*found[: self.most], *clear[:shown]], title, caption)


def withheld(evaluation: Evaluation) -> dict[str, int]:
    """Return how many groups are not shown, and how many responses a group needs; nothing where all are shown."""
    rows = evaluation.records("privacy.withheld")
    return {"n": len(rows), "least": evaluation.count("min_n_per_group")} if rows else {}


def _kept(rows: list[Change], most: int) -> list[int]:
    """Return the places of the rows that a table of `most` shows: half of them the largest clear changes by metric."""
    place = {id(row): number for number, row in enumerate(rows)}
    clear = [row for row in rows if row.reading in CLEAR]
    by_metric = [
        largest_first(row for row in clear if row.metric == key) for key in dict.fromkeys(each.metric for each in clear)
    ]
    turns = [row for turn in zip_longest(*by_metric) for row in turn if row is not None]
    worst = [place[id(row)] for row in turns[: most // 2]]
    others = [number for number in range(len(rows)) if number not in worst]
    return sorted([*worst, *others[: most - len(worst)]])


def _clear(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return in which groups of a column the runs differ clearly, the largest changes first."""
    rows = [
        row
        for row in changes(evaluation, f"comparison.by_group.{column}", form="trimmed")
        if row.metric in ("qwk", "dsm") and row.change.defined
    ]
    clear = largest_first(row for row in rows if row.reading in CLEAR)
    groups = {reading: len({row.level for row in clear if row.reading == reading}) for reading in CLEAR}
    named = [
        {
            "metric": row.metric, "level": row.level, "run": row.system, "reading": row.reading, "change": row.change,
        }
        for row in clear[:MOST_NAMED]
    ]  # fmt: skip
    return {
        "column": column, "of": len({row.level for row in rows}), **groups, "differences": len(rows),
        "n_clear": len(clear), "named": named,
    }  # fmt: skip
