"""The sections on scores and groups of two engines side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, ClassVar

from report_sections.changes import CLEAR, Change, all_same, change_chart, changes, largest_first, pairs
from report_sections.comparison import moved
from report_sections.groups import MOST_FLAGGED
from report_sections.lookup import number, records, tables_of, with_columns
from report_sections.score_figures import Matrix, heat_maps
from report_sections.shares import MOST_POINTS
from reportgen.sections import Axis, Bars, Chart, Evaluation, Findings, Section, Table, Term


@dataclass(frozen=True)
class ComparisonDistributions(Section):
    """Score distributions, confusion matrices with their change, and the movement of scores.

    Parameters
    ----------
    most
        Runs whose distributions and movements are drawn.
    """

    name: ClassVar[str] = "comparison_distributions"
    title: ClassVar[str] = "Score distributions and movement"

    most: int = 3

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return who moves where, and both distributions."""
        numbers = range(2, len(pairs(evaluation)) + 2)
        distributions = [f"comparison.distribution.{number}" for number in numbers]
        return Findings(
            values={
                "pairs": [
                    {"old": pair["old"], "new": pair["new"], "place": place, **moved(evaluation, pair["new"])}
                    for place, pair in enumerate(pairs(evaluation), start=2)
                ]
            },
            tables=tables_of(evaluation, "comparison.movement", *distributions),
            charts=tuple(self._charts(evaluation)),
        )

    def _charts(self, evaluation: Evaluation) -> list[Chart]:
        charts = []
        for place, pair in list(enumerate(pairs(evaluation), start=2))[: self.most]:
            moves = evaluation.tables.get(f"comparison.movement.{place}")
            if moves is not None and len(moves.rows) <= MOST_POINTS:
                charts.append(_movement(moves, _names(pair), ordered=evaluation.scale.ordered))
            if (table := evaluation.tables.get(f"comparison.distribution.{place}")) is not None:
                charts.append(_distribution(table, pair["old"], pair["new"], ordered=evaluation.scale.ordered))
        return charts


def _movement(table: Table, names: Mapping[str, str], *, ordered: bool) -> Chart:
    """Return which scores go where as a heat map: a row for each old score."""
    matrix = Matrix.of(table)
    told = []
    for score, line in zip(matrix.rows, matrix.counts, strict=True):
        others = [(n, other) for n, other in zip(line, matrix.columns, strict=True) if other != score and n]
        same = sum(n for n, other in zip(line, matrix.columns, strict=True) if other == score)
        if sum(line):
            told.append({"score": score, "n": sum(line), "same": same, "other": max(others, default=(0, ""))[1]})
    rows, columns = (Term("score_by" if ordered else "label_by", run=names[which]) for which in ("old", "new"))
    alt = Term("moves_alt", **names, rows=told)
    chart = heat_maps(f"{table.key}.chart", alt, [("", columns, matrix)], rows, Term("of_row"))
    return replace(chart, title=Term("movement_of" if ordered else "labels_of", **names))


def _names(pair: Mapping[str, Any]) -> dict[str, str]:
    return {"old": pair["old"], "new": pair["new"]}


def _distribution(table: Table, old: str, new: str, *, ordered: bool) -> Chart:
    rows = records(table)
    points = tuple(str(row["score"]) for row in rows)
    shares = {key: tuple(number(row[key]) for row in rows) for key in ("human", "old", "new")}
    said = [{"score": point, **{key: share[place] for key, share in shares.items()}}
            for place, point in enumerate(points)]  # fmt: skip
    return Chart(
        f"{table.key}.chart",
        "",
        Term("shares_alt", points=said, old=old, new=new),
        Axis(Term("score_axis" if ordered else "axis_label"), categories=points),
        Axis(Term("responses_axis"), low=0.0, unit="%"),
        (
            Bars(Term("rater"), points, shares["human"], "human"),
            Bars(Term("name_of_run", run=old), points, shares["old"], "muted"),
            Bars(Term("name_of_run", run=new), points, shares["new"], "engine"),
        ),
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

    name: ClassVar[str] = "comparison_groups"
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
            charts=tuple(chart for column in columns for chart in self._charts(evaluation, column)),
            tables=(*(table for table, _ in tables), *tables_of(evaluation, "privacy.withheld")),
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

    def _charts(self, evaluation: Evaluation, column: str) -> list[Chart]:
        charts: list[Chart] = []
        for place, pair in enumerate(pairs(evaluation), start=2):
            for metric in self.drawn:
                found = [
                    row
                    for row in changes(evaluation, f"comparison.by_group.{column}")
                    if (row.metric, row.form, row.system) == (metric, "trimmed", pair["new"])
                ]
                clear = largest_first(row for row in found[self.most :] if row.reading in CLEAR)
                rows = [*found[: self.most], *clear[:MOST_FLAGGED]]
                if rows:
                    key = f"comparison.by_group.{column}.{metric}.{place}"
                    caption = _caption(self.most, len(found), len(rows), len(clear))
                    made = change_chart(key, rows, [row.level for row in rows], caption)
                    title = Term(
                        "change_by_group", key=metric, column=column, old=pair["old"], new=pair["new"],
                        several=len(pairs(evaluation)) > 1,
                    )  # fmt: skip
                    charts += [replace(chart, title=title) for chart in made]
        return charts


def withheld(evaluation: Evaluation) -> dict[str, int]:
    """Return how many groups are not shown, and how many responses a group needs; nothing where all are shown."""
    table = evaluation.tables.get("privacy.withheld")
    if table is None or not table.rows:
        return {}
    return {"n": len(table.rows), "least": int(evaluation.facts.get("min_n_per_group") or 0)}


def _caption(most: int, groups: int, drawn: int, further: int) -> Term:
    """Say which groups a chart draws, when `further` ones beyond the largest differ clearly."""
    if groups <= most:
        return Term("largest_group_first")
    shown = drawn - most
    return Term("largest_groups_drawn", most=most, shown=shown, left=further - shown)


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
        for row in changes(evaluation, f"comparison.by_group.{column}")
        if row.metric in ("qwk", "dsm") and row.form == "trimmed" and row.change.defined
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
