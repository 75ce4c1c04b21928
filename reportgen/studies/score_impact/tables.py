"""From forms and conditions to the tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.metrics import required_prmse
from reportgen.results import Cell, Column, Row, Table
from reportgen.results.term import Term
from reportgen.scale_scores.reported_scores import Floats, Reporting
from reportgen.studies.score_impact.analysis import AUTOMATED, HUMAN, FormResult
from reportgen.studies.score_impact.beside import beside_tables, found_here, stand_in_table
from reportgen.studies.score_impact.conditions import Accuracy, rounded
from reportgen.studies.score_impact.test import Test
from reportgen.studies.statements import Statement, statements_table

Items = Mapping[str, Accuracy]
FORM = "study.form"
"""Beginning of the keys of the forms' tables."""

SEVERAL = 3
"""Items of equal share that an engine scores, for the PRMSE that each would need."""


def tables_of(
    test: Test,
    items: Items,
    forms: Sequence[FormResult],
    versions: Mapping[str, Floats],
    *,
    levels: bool,
    said: Sequence[Statement],
) -> tuple[Table, ...]:
    """Return every table; with statements of the paper the comparison with print too."""
    by_form = [_form(form, place, levels=levels) for place, form in enumerate(forms, start=1)]
    tables = [_items(test, items, versions), *by_form, _required(test, forms), _calibrations(forms)]
    if said:
        found = found_here(test, items, versions, forms)
        tables += [stand_in_table(test, items, forms), statements_table(said), *beside_tables(found, forms)]
    return tuple(table for table in tables if table.rows)


def _required(test: Test, forms: Sequence[FormResult]) -> Table:
    """Return the PRMSE that an item needs for its share of each form, alone and as one of three."""
    rows = []
    for form in forms:
        share = test.most[test.studied] / sum(test.most[column] for column in test.forms[form.name])
        several = required_prmse(share, SEVERAL) if SEVERAL * share <= 1 else None
        rows.append(Row((form.name, 100 * share, required_prmse(share), several)))
    columns = (
        Column("form"), Column("item_share", kind="percent", unit="%"), Column("required", kind="coefficient"),
        Column("required_of_three", kind="coefficient"),
    )  # fmt: skip
    return Table("study.required", "", columns, tuple(rows))


def facts_of(
    test: Test, items: Items, forms: Sequence[FormResult], reporting: Reporting, variance: float, names: Any
) -> dict[str, Any]:
    """Return what sections put into sentences."""
    return {
        "responses": len(test.scores),
        "double_scored": int(np.isfinite(test.second).sum()),
        "items": len(test.most),
        "forms": [form.name for form in forms],
        "slope": reporting.slope,
        "cuts": list(reporting.cuts),
        "summed": reporting.summed,
        "error_variance": variance,
        "own": names,
        "human_sd": {form.name: _finite(float(form.reported[HUMAN].scores.std())) for form in forms},
        "prmse": {name: _finite(each.components.prmse) for name, each in items.items()},
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _items(test: Test, items: Items, versions: Mapping[str, Floats]) -> Table:
    """Return the item's scores and accuracy under every condition: table 2 of the paper."""
    most, start = test.most[test.studied], test.start
    rows = [_item_row(HUMAN, test.scores[:, test.studied], most, start, None)]
    rows += [_item_row(name, rounded(version, most), most, start, items[name]) for name, version in versions.items()]
    columns = (
        Column("condition"), *(Column(key, kind="coefficient") for key in ("prmse", "rho", "gamma")),
        Column("delta", kind="difference"), Column("qwk", kind="coefficient"), Column("mean", kind="score"),
        Column("sd", kind="score"),
        *(
            Column(f"score_{score}", Term("score_point_heading", score=score), "percent", "%")
            for score in range(start, start + most + 1)
        ),
    )  # fmt: skip
    return Table("study.items", "", columns, tuple(rows), max_rows=40)


def _item_row(name: str, scores: np.ndarray, most: int, start: int, found: Accuracy | None) -> Row:
    shares = 100 * np.bincount(scores, minlength=most + 1) / len(scores)
    parts = found.components if found else None
    accuracy: tuple[Cell, ...] = (None,) * 5
    if parts is not None and found is not None:
        values = (parts.prmse, parts.rho, parts.gamma, parts.delta, found.qwk)
        accuracy = tuple(_finite(value) for value in values)
    return Row(
        (
            condition(name),
            *accuracy,
            start + float(scores.mean()),
            float(scores.std(ddof=1)),
            *(float(share) for share in shares),
        )
    )


def _form(form: FormResult, place: int, *, levels: bool) -> Table:
    """Return scale scores, precision and levels of one form: tables 3, 4 and 5 of the paper."""
    rows = [
        Row((condition(name), *_moved(form, name), *(_level_cells(form, name) if levels else ())))
        for name in form.reported
    ]
    columns = [
        Column("condition"), Column("mean", kind="difference"), Column("rmsd", kind="score"),
        Column("rmsd_share", kind="percent", unit="%"), Column("sd", kind="score"),
        Column("rmsd_automated", kind="score"), Column("alpha", kind="coefficient"), Column("csem", kind="score"),
    ]  # fmt: skip
    if levels:
        most = int(form.reported[HUMAN].levels.max())
        columns += [Column(key, kind="percent", unit="%") for key in ("exact", "lower", "higher")]
        columns += [
            Column(f"level_{level + 1}", Term("level_heading", level=level + 1), "percent", "%")
            for level in range(most + 1)
        ]
    return Table(f"{FORM}.{place}", Term("form_title", form=form.name), tuple(columns), tuple(rows), max_rows=40)


def condition(name: str) -> Term:
    """Return a condition as a word of the vocabulary."""
    return Term(f"condition.{name}")


def _moved(form: FormResult, name: str) -> tuple[float | None, ...]:
    """Return differences and precision of one condition."""
    by_human, by_engine = form.difference(name, HUMAN), form.difference(name, AUTOMATED)
    reported, spread = form.reported[name], float(form.reported[HUMAN].scores.std())
    share = 100 * by_human[1] / spread if spread > 0 else float("nan")
    values = (*by_human, share, float(reported.scores.std()), by_engine[1], reported.alpha, reported.standard_error)
    return tuple(_finite(value) for value in values)


def _level_cells(form: FormResult, name: str) -> tuple[float | None, ...]:
    """Return agreement of levels and their shares."""
    reported, most = form.reported[name], int(form.reported[HUMAN].levels.max())
    if reported.problem:
        return (None,) * (most + 4)
    shares = 100 * np.bincount(reported.levels, minlength=most + 1)[: most + 1] / len(reported.levels)
    return (_finite(form.exact_agreement(name)), *form.moved(name), *(float(share) for share in shares))


def _calibrations(forms: Sequence[FormResult]) -> Table:
    """Return how the calibrations went."""
    rows = []
    for form in forms:
        for name, reported in form.reported.items():
            found = reported.calibration
            if found is not None:
                converged = Term("yes" if found.converged else "no")
                rows.append(
                    Row((form.name, condition(name), reported.slope, reported.intercept, found.steps, converged))
                )
    columns = (
        Column("form"), Column("condition"), Column("slope", kind="coefficient"),
        Column("intercept", kind="coefficient"), Column("steps", kind="count"), Column("converged"),
    )  # fmt: skip
    return Table("study.calibrations", "", columns, tuple(rows), max_rows=12)
