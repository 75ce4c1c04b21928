"""Charts that two sections draw alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from report_sections.lookup import number, records
from report_sections.shares import MOST_POINTS
from report_sections.words import capital, listed
from reportgen.results import Estimate, Evaluation, Table
from reportgen.sections import Axis, Cells, Chart, Dots
from reportgen.wording.numbers import count, many, percent, with_interval

TOTAL = "total"
"""Key of the column that is no score point."""

LEAST_REACH = 0.05
"""How far an axis of differences reaches to both sides of 0 at least: a difference of no weight looks like none."""


def dots_of(
    label: str,
    positions: Sequence[str | float],
    estimates: Sequence[Estimate],
    *,
    n: Sequence[int] | None = None,
    hollow: Iterable[bool] = (),
    flagged: Iterable[bool] = (),
    along: Literal["x", "y"] = "x",
    ink: str = "engine",
) -> Dots:
    """Return estimates as dots with their intervals, each with its own n unless others are given."""
    return Dots(
        label,
        tuple(positions),
        tuple(each.value for each in estimates),
        tuple(each.low for each in estimates),
        tuple(each.high for each in estimates),
        tuple(each.n for each in estimates) if n is None else tuple(n),
        hollow=tuple(hollow),
        flagged=tuple(flagged),
        along=along,
        ink="human" if ink == "human" else "engine",
    )


def level_dots(label: str, places: Sequence[float], estimates: Sequence[Estimate], least: int) -> Dots:
    """Return estimates at score levels; of fewer than `least` responses hollow and without an interval.

    The interval of two responses is so long that no other could be told from a point beside it.
    """
    few = [each.n < least for each in estimates]
    kept = [replace(each, low=None, high=None) if small else each for each, small in zip(estimates, few, strict=True)]
    return dots_of(label, places, kept, hollow=few, along="y")


def few_note(counts: Iterable[int], least: int) -> str:
    """Return what a caption says where dots rest on too few responses; nothing where none does.

    Examples
    --------
    >>> few_note([12, 9], 10), few_note([12], 10)
    (' Hollow dots: fewer than 10 responses; their intervals are in the table.', '')
    """
    if all(n >= least for n in counts):
        return ""
    return f" Hollow dots: fewer than {count(least)} responses; their intervals are in the table."


def predictors_chart(
    key: str, title: str, said: str, labels: Sequence[str], prmse: Sequence[Estimate], y: str
) -> Chart:
    """Return PRMSE of several predictors as dots, one below the other.

    Parameters
    ----------
    said
        What the numbers are of, for readers who do not see the chart; the numbers follow.
    y
        What a label names.
    """
    numbers = listed(f"{label} {with_interval(each)}" for label, each in zip(labels, prmse, strict=True))
    return Chart(
        key=f"{key}.chart",
        title=title,
        alt=f"{said}: {numbers}.",
        x=Axis("PRMSE"),
        y=Axis(y, categories=tuple(labels)),
        layers=(dots_of("PRMSE", labels, prmse),),
    )


def confusion_chart(table: Table, rows: str, columns: str, title: str) -> Chart:
    """Return a confusion matrix as a heat map: row percentages shade it, counts are printed.

    Parameters
    ----------
    table
        Counts: the row label first, one column for each point of the scale, then "total".
    rows, columns
        Who gave the scores of the rows and of the columns.
    title
        Subject of the chart.
    """
    labels = tuple(column.label for column in table.columns[1:] if column.key != TOTAL)
    keys = [column.key for column in table.columns[1:] if column.key != TOTAL]
    lines = [[int(number(record[key]) or 0) for key in keys] for record in records(table)]
    names = tuple(str(row.cells[0]) for row in table.rows)
    return Chart(
        key=f"{table.key}.chart",
        title=title,
        alt=_confusion_alt(names, labels, lines, rows, columns),
        x=Axis(f"{columns} score", categories=labels),
        y=Axis(f"{rows} score", categories=names),
        layers=(
            Cells(
                rows=names,
                columns=labels,
                values=tuple(tuple(_share(cell, line) for cell in line) for line in lines),
                texts=tuple(tuple(count(cell) for cell in line) for line in lines),
                value_label=f"% of responses with this {rows} score",
                frame_diagonal=True,
            ),
        ),
        caption=(
            f"Counts of {many(sum(map(sum, lines)), 'response')}; shading is the percentage within each row; "
            "framed cells are exact agreement."
        ),
    )


def confusion_in_csv(evaluation: Evaluation, key: str) -> str:
    """Say where the confusion matrix of a scale of too many points for a picture is; nothing when it is drawn."""
    table = evaluation.tables.get(key)
    if table is None or len(table.rows) <= MOST_POINTS:
        return ""
    return f"The confusion matrix of {len(table.rows)} score points is in tables/{table.file_name}."


def _share(cell: int, line: list[int]) -> float | None:
    """Return a cell as a percentage of its row; None for a row without responses."""
    total = sum(line)
    return 100 * cell / total if total else None


def _confusion_alt(
    names: tuple[str, ...], labels: tuple[str, ...], lines: list[list[int]], rows: str, columns: str
) -> str:
    """Say for each row how many get the same score, and which other score is most frequent."""
    said = []
    for label, line in zip(names, lines, strict=True):
        total = sum(line)
        if not total:
            said.append(f"{rows} score {label} has no responses")
            continue
        same = line[labels.index(label)] if label in labels else 0
        others = [(cell, other) for cell, other in zip(line, labels, strict=True) if other != label]
        text = f"of {many(total, 'response')} with {rows} score {label}, {percent(100 * same / total, total)} agree"
        most, other = max(others, default=(0, ""), key=lambda pair: pair[0])
        said.append(f"{text}, most of the others get {other}" if most else text)
    return capital(f"{columns} scores for each {rows} score: {'; '.join(said)}.")
