"""Whether an engine score means the human score it names: means by band, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from report_sections.lookup import number, records
from report_sections.pictures import few_note, level_dots
from reportgen.results import Estimate
from reportgen.sections import Axis, Chart, Line, Table
from reportgen.wording.numbers import many, num, with_interval


def calibration_chart(table: Table, least: int) -> list[Chart]:
    """Return the mean human score in each band of engine scores, beside the identity."""
    rows = [record for record in records(table) if number(record["mean_human"]) is not None]
    if not rows:
        return []
    engine = tuple(number(row["mean_system"]) or 0.0 for row in rows)
    means = tuple(row["mean_human"] for row in rows)
    human = tuple(cell if isinstance(cell, Estimate) else Estimate("mean", number(cell), 0) for cell in means)
    counts = tuple(int(number(row["n"]) or 0) for row in rows)
    counted = [replace(mean, n=n) for mean, n in zip(human, counts, strict=True)]
    ends = (min(engine), max(engine))
    return [
        Chart(
            key=f"{table.key}.chart",
            title="Mean human score by engine score",
            alt=_alt(engine, human),
            x=Axis("Mean engine score in the band"),
            y=Axis("Mean human score"),
            layers=(
                Line("equal", ends, ends, "muted", "dash"),
                level_dots("mean human score", engine, counted, least),
            ),
            caption=f"{many(len(rows), 'band')} of engine scores. On the line engine and mean human score are equal."
            + few_note(counts, least),
            strip_counts=tuple(zip(engine, counts, strict=True)),
        )
    ]


def _alt(engine: Sequence[float], human: Sequence[Estimate]) -> str:
    """Say how many intervals hold the engine's mean, and where the distance is largest."""
    pairs = [(given, mean) for given, mean in zip(engine, human, strict=True) if mean.value is not None]
    holding = sum(mean.low is not None and mean.high is not None and mean.low <= at <= mean.high for at, mean in pairs)
    at, worst = max(pairs, key=lambda pair: abs((pair[1].value or 0.0) - pair[0]))
    return (
        f"In {holding} of {many(len(pairs), 'band')} the interval of the mean human score holds the mean engine score. "
        f"The distance is largest where the engine's mean is {num(at, 'score')}: "
        f"the human mean there is {with_interval(worst)}."
    )
