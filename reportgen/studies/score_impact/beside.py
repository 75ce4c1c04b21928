"""The numbers found here under the names of those in print, and both beside each other, the largest gaps first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.metrics import cronbach_alpha, pearson_r
from reportgen.results import Column, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.scale_scores.reported_scores import Floats
from reportgen.studies.printed import in_table, of_what
from reportgen.studies.score_impact import published
from reportgen.studies.score_impact.analysis import AUTOMATED, HUMAN, FormResult
from reportgen.studies.score_impact.conditions import Accuracy, rounded
from reportgen.studies.score_impact.test import SELECTED, Test

Found = Mapping[str, Mapping[str, float]]
"""Column of ``published.csv`` -> condition -> number found here."""


@dataclass(frozen=True)
class Measure:
    """Columns of print that are set beside ours in one table."""

    key: str
    columns: tuple[str, ...]
    kind: Kind


MEASURES = (
    Measure("rmsd", ("3:rmsd_human", "3:rmsd_engine"), "score"),
    Measure("mean", ("3:mean_human", "3:mean_engine"), "difference"),
    Measure("exact", ("5:exact",), "percent"),
    Measure("levels", tuple(f"5:level_{level}" for level in (1, 2, 3, 4)), "percent"),
    Measure("alpha", ("4:alpha",), "number"),
    Measure("csem", ("4:csem",), "score"),
    Measure("accuracy", ("2:prmse", "2:rho", "2:delta", "2:gamma", "2:qwk"), "number"),
    Measure("item", ("2:share_0", "2:share_1", "2:share_2", "2:mean", "2:sd"), "coefficient"),
)
SHOWN = 8
"""Rows of each table on the page; the CSV file has all."""


def found_here(
    test: Test, items: Mapping[str, Accuracy], versions: Mapping[str, Floats], forms: Sequence[FormResult]
) -> Found:
    """Return every number of the paper's tables 2 to 5 as it comes out here, by the names of ``published.csv``.

    The difference of means (delta) has the sign that it has in print: human minus engine.
    """
    found = {f"2:{name}": values for name, values in _of_item(test, items, versions).items()}
    for place, form in enumerate(forms, start=1):
        for column, values in _of_form(form).items():
            table, _, name = column.partition(":")
            found[f"{table}.{place}:{name}"] = values
    return found


def _of_item(test: Test, items: Mapping[str, Accuracy], versions: Mapping[str, Floats]) -> dict[str, dict[str, float]]:
    """Return table 2: the item's scores and accuracy, by column and condition."""
    most = test.most[test.studied]
    whole = {HUMAN: test.scores[:, test.studied]} | {name: rounded(each, most) for name, each in versions.items()}
    parts = {name: each.components for name, each in items.items()}
    shares = {
        f"share_{point}": {name: float((scores == point).mean()) for name, scores in whole.items()}
        for point in range(most + 1)
    }
    return shares | {
        "mean": {name: float(scores.mean()) for name, scores in whole.items()},
        "sd": {name: float(scores.std(ddof=1)) for name, scores in whole.items()},
        "rho": {name: each.rho for name, each in parts.items()},
        "delta": {name: -each.delta for name, each in parts.items()},
        "gamma": {name: each.gamma for name, each in parts.items()},
        "prmse": {name: each.prmse for name, each in parts.items()},
        "qwk": {HUMAN: 1.0} | {name: each.qwk for name, each in items.items()},
    }


def _of_form(form: FormResult) -> dict[str, dict[str, float]]:
    """Return tables 3 to 5 of one form, by column and condition."""
    found: dict[str, dict[str, float]] = {}
    for reference, whom in ((AUTOMATED, "engine"), (HUMAN, "human")):
        both = {name: form.difference(name, reference) for name in form.reported}
        found[f"3:mean_{whom}"] = {name: mean for name, (mean, _) in both.items()}
        found[f"3:rmsd_{whom}"] = {name: rmsd for name, (_, rmsd) in both.items()}
    found["4:alpha"] = {name: each.alpha for name, each in form.reported.items()}
    found["4:csem"] = {name: each.standard_error for name, each in form.reported.items()}
    found["5:exact"] = {name: form.exact_agreement(name) for name in form.reported}
    for level in range(4):
        found[f"5:level_{level + 1}"] = {
            name: 100 * float((each.levels == level).mean()) for name, each in form.reported.items()
        }
    return found


def beside_tables(found: Found, forms: Sequence[FormResult]) -> list[Table]:
    """Return a table for each measure: every printed number beside ours with the ratio, the largest gap first."""
    names = [form.name for form in forms]
    return [_beside(measure, list(_pairs(measure, found, names))) for measure in MEASURES]


def _pairs(measure: Measure, found: Found, forms: Sequence[str]) -> Iterator[tuple[Term, Term, float, float]]:
    """Yield where a number of a measure is printed, what it is, and both numbers."""
    for column in measure.columns:
        table, _, number = column.partition(":")
        places: Sequence[int | None] = [None] if table == "2" else range(1, len(forms) + 1)
        for place in places:
            own = found[column if place is None else f"{table}.{place}:{number}"]
            for condition, value in published.printed(column, place).items():
                of = Term(f"condition.{condition}")
                of = of if place is None else Term("on_form", condition=of, form=forms[place - 1])
                yield in_table(table), of_what(of, number), value, own[condition]


def _beside(measure: Measure, pairs: Sequence[tuple[Term, Term, float, float]]) -> Table:
    """Return the table of one measure, sorted by the size of the difference."""
    rows = [
        Row((place, what, value, here, here - value, here / value if here * value > 0 else None))
        for place, what, value, here in sorted(pairs, key=lambda pair: -abs(pair[3] - pair[2]))
    ]
    columns = (
        Column("place"), Column("what"), Column("published", kind=measure.kind), Column("here", kind=measure.kind),
        Column("difference", kind="difference"), Column("ratio", kind="coefficient"),
    )  # fmt: skip
    return Table(f"study.published.{measure.key}", "", columns, tuple(rows), max_rows=SHOWN)


def stand_in_table(test: Test, items: Mapping[str, Accuracy], forms: Sequence[FormResult]) -> Table:
    """Return what is printed of the paper's test beside the simulated one: how near the stand-in comes."""
    twice = np.isfinite(test.second)
    first = test.scores[:, test.studied]
    engine = items[AUTOMATED].components
    here = {
        "alpha_reading": cronbach_alpha(test.scores[:, :SELECTED]).value,
        "alpha_writing": cronbach_alpha(test.scores[:, SELECTED:]).value,
        "alpha_all": cronbach_alpha(test.scores).value,
        "r_two_raters": float(pearson_r(first[twice].astype(float), test.second[twice])),
        "rho": engine.rho,
        "prmse": engine.prmse,
    }
    rows = [
        Row((Term(f"published.{name}"), Term("in_order", values=[value], kind="number"),
             Term("in_order", values=[float(here[name])], kind="number")))
        for name, value in published.CALIBRATION.items()
    ]  # fmt: skip
    for form, ends in zip(forms, published.SD, strict=True):
        own = [float(each.scores.std()) for each in form.reported.values()]
        rows.append(Row((Term("published.scale_sd", form=form.name), *(
            Term("lowest_to_highest", low=low, high=high, kind="score") for low, high in (ends, (min(own), max(own)))
        ))))  # fmt: skip
    return Table("study.stand_in", "", (Column("what"), Column("published"), Column("here")), tuple(rows))
