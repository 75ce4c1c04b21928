"""The three fairness analyses (Loukina et al., 2019): accuracy, difference, difference at equal human score."""

from __future__ import annotations

from dataclasses import replace

from report_sections.lookup import Record, number, records
from report_sections.words import distinct, first_few, listed, many, name
from reportgen.numbers import fixed, num, with_interval
from reportgen.results import Estimate
from reportgen.sections import Axis, Chart, Dots, Evaluation, Line, Rule

CONTRAST_TITLES = {
    "osa": "Squared error",
    "osd": "Engine minus human score",
    "csd": "Engine minus human score, at equal human score",
}
UNITS = {"osa": "squared score points", "osd": "score points", "csd": "score points"}
_MEANINGS = ("squared errors (accuracy)", "errors (direction)", "errors at equal human score")
_STYLES = (
    Line("", (), (), "engine", "solid", "circle"),
    Line("", (), (), "human", "dash", "square"),
    Line("", (), (), "engine", "dot", "diamond"),
    Line("", (), (), "human", "dashdot", "triangle"),
    Line("", (), (), "muted", "solid", "cross"),
    Line("", (), (), "muted", "dash", "circle"),
)
"""Ink, dashes and markers of the lines: six groups that can be told apart without colour."""


def fairness_sentence(evaluation: Evaluation, column: str) -> str:
    """Say how much of the errors goes with the group, in the order OSA, OSD, CSD."""
    table = evaluation.tables.get(f"fairness.{column}")
    rows = records(table) if table else []
    said = [
        f"{_share(row)} of the variation in {meaning} (p {_p(row)})"
        for row, meaning in zip(rows, _MEANINGS, strict=False)
        if number(row["r_squared"]) is not None
    ]
    return f"Membership in a group of {name(column)} accounts for {listed(said)}." if said else ""


def _share(row: Record) -> str:
    """Return an adjusted R squared as a percentage; below 0 it means none."""
    return f"{fixed(100 * max(0.0, number(row['r_squared']) or 0.0), 1)} %"


def _p(row: Record) -> str:
    written = num(number(row["p"]), "p")
    return written if written[0] in "<>" else f"= {written}"


def contrast_chart(evaluation: Evaluation, column: str, analysis: str, most: int) -> tuple[Chart, ...]:
    """Return each group's contrast with the reference group: the dot and the interval are both the contrast's."""
    table = evaluation.tables.get(f"fairness.{column}.{analysis}")
    reference = _reference(evaluation, column)
    if table is None or not reference:
        return ()
    found = [
        (str(record["level"]), cell)
        for row, record in zip(table.rows, records(table), strict=True)
        if row.mark != "reference" and isinstance(cell := record["estimate"], Estimate) and cell.defined
    ]
    kept = sorted(found[:most], key=lambda pair: -(pair[1].value or 0.0))
    if not kept:
        return ()
    labels = distinct(level for level, _ in kept)
    cells = [cell for _, cell in kept]
    title = CONTRAST_TITLES[analysis]
    return (
        Chart(
            key=f"fairness.{column}.{analysis}.chart",
            title=f"{title}: groups of {name(column)} against {name(reference)}",
            alt=_contrast_alt(title, reference, found),
            x=Axis(f"Difference from {name(reference, 30)}, {UNITS[analysis]}"),
            y=Axis(name(column), categories=labels),
            layers=(
                Rule(0.0, f"as {name(reference, 40)}", ink="muted"),
                Dots(
                    "contrast with the reference group",
                    labels,
                    tuple(cell.value for cell in cells),
                    tuple(cell.low for cell in cells),
                    tuple(cell.high for cell in cells),
                    tuple(cell.n for cell in cells),
                ),
            ),
            caption=_contrast_caption(reference, len(found) - len(kept)),
        ),
    )


def _reference(evaluation: Evaluation, column: str) -> str:
    table = evaluation.tables.get(f"fairness.{column}")
    rows = records(table) if table else []
    return str(rows[0]["base_group"]) if rows and rows[0]["base_group"] else ""


def _contrast_caption(reference: str, left_out: int) -> str:
    text = f"Dots and intervals are differences from {name(reference)}, the largest group."
    return f"{text} {many(left_out, 'smaller group is', 'smaller groups are')} not drawn." if left_out else text


def _contrast_alt(title: str, reference: str, found: list[tuple[str, Estimate]]) -> str:
    """Say how many intervals exclude 0, and name them."""
    apart = [
        f"{name(level, 40)} {with_interval(cell)}"
        for level, cell in sorted(found, key=lambda pair: -abs(pair[1].value or 0.0))
        if cell.low is not None and cell.high is not None and (cell.low > 0 or cell.high < 0)
    ]
    share = f"{len(apart)} of {many(len(found), 'interval does', 'intervals do')} not hold 0"
    text = f"{title}, difference from {name(reference)}: {share}"
    return f"{text}: {first_few(apart)}." if apart else f"{text}."


def means_chart(evaluation: Evaluation, column: str, most: int) -> tuple[Chart, ...]:
    """Return the mean engine score at each human score, one line for each of the largest groups."""
    table = evaluation.tables.get(f"fairness.{column}.means")
    if table is None or len(table.columns) < 3:
        return ()
    human = [_score(row.cells[0]) for row in table.rows]
    shown = min(most, len(_STYLES), len(table.columns) - 1)
    labels = distinct(each.label for each in table.columns[1 : shown + 1])
    lines = tuple(
        replace(style, label=label, x=tuple(human), y=tuple(number(row.cells[place]) for row in table.rows))
        for place, (label, style) in enumerate(zip(labels, _STYLES, strict=False), start=1)
    )
    if all(y is None for line in lines for y in line.y):
        return ()
    left_out = len(table.columns) - 1 - shown
    return (
        Chart(
            key=f"fairness.{column}.means.chart",
            title=f"Mean engine score at each human score, by {name(column)}",
            alt=_means_alt(human, lines),
            x=Axis("Human score"),
            y=Axis("Mean engine score"),
            layers=lines,
            caption="Lines that lie apart mean that the engine treats equal human scores differently by group."
            + (f" {many(left_out, 'smaller group is', 'smaller groups are')} only in the CSV." if left_out else ""),
        ),
    )


def _score(cell: object) -> float | None:
    try:
        return float(str(cell))
    except ValueError:
        return None


def _means_alt(human: list[float | None], lines: tuple[Line, ...]) -> str:
    """Say where the groups' means lie farthest apart."""
    widest: tuple[float, str] = (-1.0, "")
    for place, score in enumerate(human):
        found = sorted((y, line.label) for line in lines if (y := line.y[place]) is not None)
        if len(found) > 1 and found[-1][0] - found[0][0] > widest[0]:
            (low, lowest), (high, highest) = found[0], found[-1]
            apart = f"{lowest} {num(low, 'score')}, {highest} {num(high, 'score')}"
            widest = (high - low, f"farthest apart at human score {num(score, 'text')}: {apart}")
    groups = listed(line.label for line in lines)
    return f"Mean engine score at each human score for {groups}; {widest[1] or 'no score has two groups'}."
