"""From forms and conditions to the tables of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reportgen.metrics import required_prmse
from reportgen.results import Cell, Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies import columns, known
from reportgen.studies.score_impact.forms import AUTOMATED, HUMAN, Analysed, FormResult
from reportgen.studies.score_impact.statements import beside_tables, stand_in
from reportgen.studies.statements import Statement, statements_table

FORM = "study.form"
"""Beginning of the keys of the forms' tables."""

SEVERAL = 3
"""Items of equal share that an engine scores, for the PRMSE that each would need."""


def tables_of(here: Analysed, said: Sequence[Statement]) -> tuple[Table, ...]:
    """Return every table; with statements of the paper the comparison with print too."""
    by_form = [_form(form, place, levels=bool(here.reporting.cuts)) for place, form in enumerate(here.forms, start=1)]
    tables = [_items(here), *by_form, _required(here), _calibrations(here.forms)]
    if said:
        tables += [stand_in(here), statements_table(said), *beside_tables(here)]
    return tuple(table for table in tables if table.rows)


def facts_of(here: Analysed, names: Any) -> dict[str, Any]:
    """Return what sections put into sentences."""
    return {
        "responses": len(here.test.scores),
        "double_scored": int(np.isfinite(here.test.second).sum()),
        "items": len(here.test.most),
        "forms": [form.name for form in here.forms],
        "slope": here.reporting.slope,
        "cuts": list(here.reporting.cuts),
        "summed": here.reporting.summed,
        "error_variance": here.variance,
        "own": names,
        "human_sd": {form.name: known(form.reported[HUMAN].scores.std()) for form in here.forms},
        "prmse": {name: known(each.components.prmse) for name, each in here.items.items()},
    }


def condition(name: str) -> Term:
    """Return a condition as a word of the vocabulary."""
    return Term(f"condition.{name}")


def _required(here: Analysed) -> Table:
    """Return the PRMSE that an item needs for its share of each form, alone and as one of three."""
    rows, test = [], here.test
    for form in here.forms:
        share = test.most[test.studied] / sum(test.most[column] for column in test.forms[form.name])
        several = required_prmse(share, SEVERAL) if SEVERAL * share <= 1 else None
        rows.append(Row((form.name, 100 * share, required_prmse(share), several)))
    shown = (
        Column("form"), Column("item_share", kind="percent", unit="%"),
        *columns("coefficient", "required", "required_of_three"),
    )  # fmt: skip
    return Table("study.required", "", shown, tuple(rows))


def _items(here: Analysed) -> Table:
    """Return the item's scores and accuracy under every condition: table 2 of the paper."""
    most, start, rows = here.test.most[here.test.studied], here.test.start, []
    for name, scores in here.whole.items():
        accuracy: tuple[Cell, ...] = (None,) * 5
        if name in here.items:
            parts = here.items[name].components
            accuracy = tuple(map(known, (parts.prmse, parts.rho, parts.gamma, parts.delta, here.items[name].qwk)))
        shares = 100 * np.bincount(scores, minlength=most + 1) / len(scores)
        spread = (start + float(scores.mean()), float(scores.std(ddof=1)))
        rows.append(Row((condition(name), *accuracy, *spread, *map(float, shares))))
    shown = (
        Column("condition"), *columns("coefficient", "prmse", "rho", "gamma"), *columns("difference", "delta"),
        *columns("coefficient", "qwk"), *columns("score", "mean", "sd"),
        *(
            Column(f"score_{score}", Term("score_point_heading", score=score), "percent", "%")
            for score in range(start, start + most + 1)
        ),
    )  # fmt: skip
    return Table("study.items", "", shown, tuple(rows), max_rows=40)


def _form(form: FormResult, place: int, *, levels: bool) -> Table:
    """Return scale scores, precision and levels of one form: tables 3, 4 and 5 of the paper."""
    rows = [
        Row((condition(name), *_moved(form, name), *(_level_cells(form, name) if levels else ())))
        for name in form.reported
    ]
    shown = [
        Column("condition"), *columns("difference", "mean"), *columns("score", "rmsd"),
        *columns("percent", "rmsd_share", unit="%"), *columns("score", "sd", "rmsd_automated"),
        *columns("coefficient", "alpha"), *columns("score", "csem"),
    ]  # fmt: skip
    if levels:
        most = int(form.reported[HUMAN].levels.max())
        shown += columns("percent", "exact", "lower", "higher", unit="%")
        shown += [
            Column(f"level_{level}", Term("level_heading", level=level), "percent", "%") for level in range(1, most + 2)
        ]
    return Table(f"{FORM}.{place}", Term("form_title", form=form.name), tuple(shown), tuple(rows), max_rows=40)


def _moved(form: FormResult, name: str) -> tuple[float | None, ...]:
    """Return differences and precision of one condition."""
    by_human, by_engine = form.difference(name, HUMAN), form.difference(name, AUTOMATED)
    reported, spread = form.reported[name], float(form.reported[HUMAN].scores.std())
    share = 100 * by_human[1] / spread if spread > 0 else float("nan")
    values = (*by_human, share, reported.scores.std(), by_engine[1], reported.alpha, reported.standard_error)
    return tuple(map(known, values))


def _level_cells(form: FormResult, name: str) -> tuple[float | None, ...]:
    """Return agreement of levels and their shares."""
    reported, most = form.reported[name], int(form.reported[HUMAN].levels.max())
    if reported.problem:
        return (None,) * (most + 4)
    shares = 100 * np.bincount(reported.levels, minlength=most + 1)[: most + 1] / len(reported.levels)
    return (known(form.exact_agreement(name)), *form.moved(name), *map(float, shares))


def _calibrations(forms: Sequence[FormResult]) -> Table:
    """Return how the calibrations went."""
    rows = [
        Row((form.name, condition(name), reported.slope, reported.intercept, found.steps,
             Term("yes" if found.converged else "no")))
        for form in forms
        for name, reported in form.reported.items()
        if (found := reported.calibration) is not None
    ]  # fmt: skip
    shown = (
        Column("form"), Column("condition"), *columns("coefficient", "slope", "intercept"), *columns("count", "steps"),
        Column("converged"),
    )  # fmt: skip
    return Table("study.calibrations", "", shown, tuple(rows), max_rows=12)
