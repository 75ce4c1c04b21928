"""Where scores go: distributions and confusion matrices side by side, and which responses change score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import pairs, tables_of
from report_sections.comparison_summary import moved
from report_sections.lookup import number, records
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
