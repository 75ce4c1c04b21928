"""What Casabianca et al. (2023) print and conclude beside what is found in the simulated test: see ``paper.toml``.

``published.csv`` has every number of tables 2 to 5, a row for each condition; its columns are named ``table:number``,
or ``table.form:number`` with the forms counted from 1, the full test first.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from reportgen.metrics import cronbach_alpha, pearson_r
from reportgen.results import Table
from reportgen.results.term import Term
from reportgen.studies.score_impact.forms import AUTOMATED, HUMAN, SELECTED, Analysed
from reportgen.studies.statements import Paper, Printed, Statement, gaps_table, of_what

PAPER = Paper(Path(__file__).with_name("paper.toml"))
FORMS = (1, 2, 3)

SHOWN = 8
"""Rows of each table on the page; the CSV file has all."""

Columns = Mapping[str, Mapping[str, float]]
"""Column of ``published.csv`` -> condition -> number."""


@cache
def numbers() -> Columns:
    """Return every number that is printed.

    Examples
    --------
    >>> numbers()["3.3:rmsd_human"]["pi70"], sum(map(len, numbers().values()))
    (16.72, 856)
    """
    with (Path(__file__).parent / "published.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return MappingProxyType({
        column: {row["condition"]: float(row[column]) for row in rows if row[column]}
        for column in rows[0] if column != "condition"
    })  # fmt: skip


def found_here(here: Analysed) -> Columns:
    """Return every number of the paper's tables 2 to 5 as it comes out here, by the names of ``published.csv``.

    The difference of means (delta) has the sign that it has in print: human minus engine.
    """
    found: dict[str, dict[str, float]] = {}
    n = len(here.test.scores)
    for condition, item in here.item_numbers().items():
        for name, value in item.items():
            own = -value if name == "delta" else value / n if name.startswith("share_") else value
            found.setdefault(f"2:{name}", {})[condition] = own
    found["2:qwk"] = {HUMAN: 1.0, **found["2:qwk"]}
    tables = {"mean_human": 3, "rmsd_human": 3, "mean_engine": 3, "rmsd_engine": 3, "alpha": 4, "csem": 4}
    for place, form in enumerate(here.forms, start=1):
        for condition in form.reported:
            for name, value in form.numbers(condition).items():
                own = 100 * (value / n) if name.startswith("level_") else value
                found.setdefault(f"{tables.get(name, 5)}.{place}:{name}", {})[condition] = own
    return found


def statements_of(here: Analysed) -> list[Statement]:
    """Return every statement with its outcome."""
    columns = found_here(here)
    below = [name for name in PAPER.constants["noise"] if columns["2:prmse"][name] < PAPER.constants["limit"]]
    highest_sd = [max(float(each.scores.std()) for each in form.reported.values()) for form in here.forms]
    found = _names(columns, highest_sd, below)
    return PAPER.statements(found, _names(numbers(), PAPER.constants["highest_sd"], below))


def _names(columns: Columns, highest_sd: Sequence[float], below: Sequence[str]) -> dict[str, Any]:
    """Return the numbers on which statements rest, in print or here, by their names in ``paper.toml``."""
    noise, much, limit = (PAPER.constants[key] for key in ("noise", "much_noise", "limit"))
    item = {name: columns[f"2:{name}"] for name in ("prmse", "qwk", "rho")}
    rmsd, mean, alpha, csem, exact = (
        [columns[f"{table}.{form}:{name}"] for form in FORMS]
        for table, name in ((3, "rmsd_human"), (3, "mean_human"), (4, "alpha"), (4, "csem"), (5, "exact"))
    )
    accuracy = [numbers()[f"2:{name}"] for name in ("rho", "gamma", "delta", "prmse")]
    parts = np.array([[each[name] for name in accuracy[0]] for each in accuracy])
    rho, gamma, delta, prmse = parts
    return {
        **item, "rmsd": rmsd, "mean": mean, "alpha": alpha, "csem": csem, "exact": exact, "below": below,
        "at": lambda numbers, names: np.array([numbers[name] for name in names]),
        "on_forms": lambda forms, names: np.array([[form[name] for name in names] for form in forms]),
        "correlation": lambda one, other: np.corrcoef(one, other)[0, 1],
        "gap_of_identity": np.abs(rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2 - prmse).max(),
        "times": [{name: value / form[AUTOMATED] for name, value in form.items()} for form in rmsd],
        "share_of_sd": [{name: 100 * value / sd for name, value in form.items()}
                        for form, sd in zip(rmsd, highest_sd, strict=True)],
        "noise_by_others": [
            min(form[name] for name in much) / max(value for name, value in form.items() if name not in noise)
            for form in rmsd
        ],
        "csem_range": [100 * (max(form.values()) / min(form.values()) - 1) for form in csem],
        "lowest_exact": [min(form.values()) for form in exact],
        "lowest_below": min(exact[-1][name] for name, value in item["prmse"].items() if value < limit),
        "lowest_above": min(exact[-1][name] for name, value in item["prmse"].items() if value >= limit),
    }  # fmt: skip


def beside_tables(here: Analysed) -> list[Table]:
    """Return a table for each measure: every printed number beside ours with the ratio, the largest gap first."""
    found, names = found_here(here), [form.name for form in here.forms]
    return [
        gaps_table(key, measure["kind"], _printed(measure["columns"], found, names), SHOWN)
        for key, measure in PAPER.content["measures"].items()
    ]


def _printed(columns: Sequence[str], found: Columns, forms: Sequence[str]) -> Iterator[Printed]:
    for column in columns:
        table, _, number = column.partition(":")
        for place in [None] if table == "2" else FORMS:
            key = column if place is None else f"{table}.{place}:{number}"
            for condition, value in numbers()[key].items():
                of = Term(f"condition.{condition}")
                of = of if place is None else Term("on_form", condition=of, form=forms[place - 1])
                yield Printed(Term("printed.table", at=table), of_what(of, number), value, found[key][condition])


def stand_in(here: Analysed) -> Table:
    """Return what is printed of the paper's test beside the simulated one: how near the stand-in comes."""
    test, engine = here.test, here.items[AUTOMATED].components
    twice = np.isfinite(test.second)
    found = {
        "alpha_reading": cronbach_alpha(test.scores[:, :SELECTED]).value,
        "alpha_writing": cronbach_alpha(test.scores[:, SELECTED:]).value,
        "alpha_all": cronbach_alpha(test.scores).value,
        "r_two_raters": pearson_r(test.scores[twice, test.studied].astype(float), test.second[twice]),
        "rho": engine.rho,
        "prmse": engine.prmse,
        "forms": [form.name for form in here.forms],
        "spreads": [[float(each.scores.std()) for each in form.reported.values()] for form in here.forms],
    }
    return PAPER.stand_in("study.stand_in", found)
