"""From forms and conditions to the tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.results import Cell, Column, Row, Table
from reportgen.scale_scores.reported_scores import Floats, Reporting
from reportgen.studies.score_impact import published
from reportgen.studies.score_impact.analysis import AUTOMATED, HUMAN, FormResult
from reportgen.studies.score_impact.conditions import Accuracy, rounded
from reportgen.studies.score_impact.test import Test

Items = Mapping[str, Accuracy]
IDENTITY_TOLERANCE = 9e-4
"""Printed rho, delta and gamma have three decimals; that is how far PRMSE from them may be off."""

STAND_IN = "stand-in"
FORM = "study.form"
"""Beginning of the keys of the forms' tables."""


def tables_of(
    test: Test, items: Items, forms: Sequence[FormResult], versions: Mapping[str, Floats], *, levels: bool, paper: bool
) -> tuple[Table, ...]:
    """Return every table; with `paper` the comparison with print too."""
    by_form = [_form(form, place, levels=levels) for place, form in enumerate(forms, start=1)]
    tables = [_items(test, items, versions), *by_form, _calibrations(forms)]
    if paper:
        tables.append(_published(items, forms))
    return tuple(table for table in tables if table.rows)


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
        Column("condition", "Condition"), Column("prmse", "PRMSE", "coefficient"), Column("rho", "rho", "coefficient"),
        Column("gamma", "gamma", "coefficient"), Column("delta", "delta", "difference"),
        Column("qwk", "QWK", "coefficient"), Column("mean", "Mean", "score"), Column("sd", "SD", "score"),
        *(Column(f"score_{score}", f"Score {score}", "percent", "%") for score in range(start, start + most + 1)),
    )  # fmt: skip
    notes = ("Mean, SD and shares of the rounded score; the rest of the unrounded one. delta: mean of the automated "
             "less that of the human score, in SDs of the true score (print has the opposite sign).",
             "pi95 to pi70: the automated score with noise, so that it correlates .95 to .70 with itself. delta_x: its "
             "bias, multiplied, added. gamma_plus_0.5, invgamma: its spread multiplied by gamma + 0.5, divided by "
             "gamma. SD match, Mean & SD match: brought to the SD, or mean and SD, of the human score; true: to the SD "
             "of true scores.",)  # fmt: skip
    return Table("study.items", "The item's score under every condition", columns, tuple(rows), notes, max_rows=40)


def _item_row(name: str, scores: np.ndarray, most: int, start: int, found: Accuracy | None) -> Row:
    shares = 100 * np.bincount(scores, minlength=most + 1) / len(scores)
    parts = found.components if found else None
    accuracy: tuple[Cell, ...] = (None,) * 5
    if parts is not None and found is not None:
        values = (parts.prmse, parts.rho, parts.gamma, parts.delta, found.qwk)
        accuracy = tuple(_finite(value) for value in values)
    return Row(
        (name, *accuracy, start + float(scores.mean()), float(scores.std(ddof=1)), *(float(share) for share in shares))
    )


def _form(form: FormResult, place: int, *, levels: bool) -> Table:
    """Return scale scores, precision and levels of one form: tables 3, 4 and 5 of the paper."""
    rows = [Row((name, *_moved(form, name), *(_level_cells(form, name) if levels else ()))) for name in form.reported]
    columns = [
        Column("condition", "Condition"), Column("mean", "Mean difference", "difference"),
        Column("rmsd", "RMSD", "score"),
        Column("rmsd_automated", "RMSD from automated", "score"), Column("alpha", "alpha", "coefficient"),
        Column("csem", "CSEM", "score"),
    ]  # fmt: skip
    if levels:
        most = int(form.reported[HUMAN].levels.max())
        columns += [Column("exact", "Same level", "percent", "%"), Column("lower", "Lower", "percent", "%"),
                    Column("higher", "Higher", "percent", "%")]  # fmt: skip
        columns += [Column(f"level_{level + 1}", f"Level {level + 1}", "percent", "%") for level in range(most + 1)]
    notes = (
        "Scale scores less those with the human score of the item; RMSD: root mean squared difference; CSEM: mean "
        "conditional standard error of measurement. Same, lower, higher: performance level compared with the human "
        "score's.",
    )
    return Table(f"{FORM}.{place}", f"Reported scores of the form {form.name}", tuple(columns), tuple(rows), notes, 40)


def _moved(form: FormResult, name: str) -> tuple[float | None, ...]:
    """Return differences and precision of one condition."""
    by_human, by_engine = form.difference(name, HUMAN), form.difference(name, AUTOMATED)
    reported = form.reported[name]
    values = (*by_human, by_engine[1], reported.alpha, reported.standard_error)
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
                converged = "yes" if found.converged else "no"
                rows.append(Row((form.name, name, reported.slope, reported.intercept, found.steps, converged)))
    columns = (
        Column("form", "Form"), Column("condition", "Condition"), Column("slope", "Linking slope", "coefficient"),
        Column("intercept", "Linking intercept", "coefficient"), Column("steps", "EM steps", "count"),
        Column("converged", "Converged"),
    )  # fmt: skip
    notes = ("Items are calibrated anew under every condition and linked to the base scale by all items but the "
             "studied one (Stocking and Lord 1983).",)  # fmt: skip
    return Table("study.calibrations", "Calibration and linking", columns, tuple(rows), notes, max_rows=12)


def notes_on_published() -> list[str]:
    """Return why numbers differ from print."""
    return [
        "The paper's test is not public. Its table 2 is checked by its own identity, PRMSE = rho² − rho² (1 − gamma)² "
        "− delta²; scale scores come from a simulated test of the same size, kinds of items, reliability and "
        "agreement, so tables 3 to 5 are a stand-in: sizes and directions count, not digits.",
        "Print differs from its definitions in places: delta has the opposite sign; delta_x1.10 adds its multiple to "
        "the bias that is there and so cancels it; gamma_plus_0.5 multiplies by gamma + 0.5. The average CSEM printed "
        "there (32.8) seems to include the far tails and is not compared.",
    ]


def _published(items: Items, forms: Sequence[FormResult]) -> Table:
    rows = [
        Row((place, what, printed, here, here - printed, agrees))
        for place, what, printed, here, agrees in _compared(items, forms)
    ]
    columns = (
        Column("place", "Where"), Column("what", "What"), Column("published", "Published", "number"),
        Column("here", "Here", "number"), Column("difference", "Difference", "difference"),
        Column("agrees", "Repeated"),
    )  # fmt: skip
    notes = ("“stand-in”: from the simulated test, not expected to the digit.",)
    return Table("study.published", "Published and repeated numbers", columns, tuple(rows), notes, max_rows=100)


def _compared(items: Items, forms: Sequence[FormResult]) -> Iterator[tuple[str, str, float, float, str]]:
    """Yield where a number is printed, what it is, its value, ours, and whether they agree."""
    for name, (rho, delta, gamma, prmse) in published.COMPONENTS.items():
        here = rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2
        agrees = "yes" if abs(here - prmse) <= IDENTITY_TOLERANCE else "no"
        yield "table 2", f"{name}: PRMSE from printed rho, delta, gamma", prmse, here, agrees
    for name, numbers in published.COMPONENTS.items():
        yield "table 2", f"{name}: PRMSE", numbers[3], items[name].components.prmse, STAND_IN
    for name, printed in published.QWK.items():
        yield "table 2", f"{name}: QWK", printed, items[name].qwk, STAND_IN
    for place, form in enumerate(forms):
        for name, values in published.RMSD.items():
            yield "table 3", f"{name}, {form.name}: RMSD", values[place], form.difference(name, HUMAN)[1], STAND_IN
        for name, values in published.ALPHA.items():
            yield "table 4", f"{name}, {form.name}: alpha", values[place], form.reported[name].alpha, STAND_IN
        for name, values in published.EXACT.items():
            yield "table 5", f"{name}, {form.name}: same level (%)", values[place], form.exact_agreement(name), STAND_IN
