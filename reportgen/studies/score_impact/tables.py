"""From forms and conditions to the tables of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reportgen.metrics import required_prmse
from reportgen.results import Column, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.studies.score_impact.forms import HUMAN, Analysed, FormResult
from reportgen.studies.score_impact.statements import beside_tables, stand_in
from reportgen.studies.statements import Statement, statements_table
from reportgen.studies.study import headings, known

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
    shown = headings(form="text", item_share="percent", required="coefficient", required_of_three="coefficient")
    return Table("study.required", "", shown, tuple(rows))


def _items(here: Analysed) -> Table:
    """Return the item's scores and accuracy under every condition: table 2 of the paper."""
    accuracy = headings(prmse="coefficient", rho="coefficient", gamma="coefficient", delta="difference",
                        qwk="coefficient", mean="score", sd="score")  # fmt: skip
    start, most = here.test.start, here.test.most[here.test.studied]
    shares = [
        Column(f"score_{start + k}", Term("score_point_heading", score=start + k), "percent", "%")
        for k in range(most + 1)
    ]
    rows = [
        Row((condition(name), *(known(numbers.get(column.key, np.nan)) for column in accuracy),
             *(100 * numbers[f"share_{k}"] / len(here.test.scores) for k in range(most + 1))))
        for name, numbers in here.item_numbers().items()
    ]  # fmt: skip
    return Table("study.items", "", (Column("condition"), *accuracy, *shares), tuple(rows), max_rows=40)


def _form(form: FormResult, place: int, *, levels: bool) -> Table:
    """Return scale scores, precision and levels of one form: tables 3, 4 and 5 of the paper."""
    kinds: dict[str, Kind] = {
        "mean": "difference", "rmsd": "score", "rmsd_share": "percent", "sd": "score", "rmsd_automated": "score",
        "alpha": "coefficient", "csem": "score",
    }  # fmt: skip
    if levels:
        kinds |= {"exact": "percent", "lower": "percent", "higher": "percent"}
    names = {"mean": "mean_human", "rmsd": "rmsd_human", "rmsd_automated": "rmsd_engine"}
    most = int(form.reported[HUMAN].levels.max()) + 1 if levels else 0
    at = [Column(f"level_{k}", Term("level_heading", level=k), "percent", "%") for k in range(1, most + 1)]
    n, rows = len(form.reported[HUMAN].scores), []
    for name in form.reported:
        own = form.numbers(name)
        numbers = [*(own[names.get(key, key)] for key in kinds), *(100 * own[each.key] / n for each in at)]
        rows.append(Row((condition(name), *map(known, numbers))))
    shown = (*headings(condition="text", **kinds), *at)
    return Table(f"{FORM}.{place}", Term("form_title", form=form.name), shown, tuple(rows), max_rows=40)


def _calibrations(forms: Sequence[FormResult]) -> Table:
    """Return how the calibrations went."""
    rows = [
        Row((form.name, condition(name), reported.slope, reported.intercept, found.steps,
             Term("yes" if found.converged else "no")))
        for form in forms
        for name, reported in form.reported.items()
        if (found := reported.calibration) is not None
    ]  # fmt: skip
    shown = headings(form="text", condition="text", slope="coefficient", intercept="coefficient", steps="count",
                     converged="text")  # fmt: skip
    return Table("study.calibrations", "", shown, tuple(rows), max_rows=12)
