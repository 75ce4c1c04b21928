"""Tables of the report by form and condition, with the numbers of Casabianca et al. (2023).

``published.csv`` contains the numbers of their tables 2 to 5, with a row for each condition; its columns are named
``table:number``, or ``table.form:number`` with the forms counted from 1, the full test first.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from reportgen.evaluation.tables.build import columns_of
from reportgen.metrics import cronbach_alpha, pearson_r, required_prmse
from reportgen.results import Column, Kind, Row, Table, Term
from reportgen.studies.score_impact.forms import AUTOMATED, HUMAN, SELECTED, Analysed, FormResult
from reportgen.studies.statements import Paper, Printed, Statement, gaps_table, of_what, statements_table
from reportgen.studies.study import known, table

PAPER = Paper(Path(__file__).with_name("paper.toml"))
FORMS = (1, 2, 3)

SHOWN = 8  # rows of each table on the page; the CSV file has all

Columns = Mapping[str, Mapping[str, float]]  # column of ``published.csv`` -> condition -> number


@cache
def numbers() -> Columns:
    """Return every published number.

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
    """Return our numbers for the paper's tables 2 to 5, by the names in ``published.csv``.

    The difference of means (delta) has the sign of the paper: human minus engine.
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
    """Return the numbers for statements, published or ours, by their names in ``paper.toml``."""
    noise, much, limit = (PAPER.constants[key] for key in ("noise", "much_noise", "limit"))
    item = {name: columns[f"2:{name}"] for name in ("prmse", "qwk", "rho")}
    rmsd, mean, alpha, csem, exact = (
        [columns[f"{table}.{form}:{name}"] for form in FORMS]
        for table, name in ((3, "rmsd_human"), (3, "mean_human"), (4, "alpha"), (4, "csem"), (5, "exact"))
    )
    accuracy = [numbers()[f"2:{name}"] for name in ("rho", "gamma", "delta", "prmse")]
    rho, gamma, delta, prmse = np.array([[each[name] for name in accuracy[0]] for each in accuracy])
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
    """Compare the paper's description of its test with the simulated one."""
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


SEVERAL = 3  # items of equal share that an engine scores, for the required PRMSE of each


def tables_of(here: Analysed, said: Sequence[Statement]) -> tuple[Table, ...]:
    """Return every table, including the comparison with the paper for statements of the paper."""
    by_form = [_form(form, place, levels=bool(here.reporting.cuts)) for place, form in enumerate(here.forms, start=1)]
    tables = [_items(here), *by_form, _required(here), _calibrations(here.forms)]
    if said:
        found, names = found_here(here), [form.name for form in here.forms]
        tables += [stand_in(here), statements_table(said)]
        tables += [
            gaps_table(key, measure["kind"], _printed(measure["columns"], found, names), SHOWN)
            for key, measure in PAPER.content["measures"].items()
        ]
    return tuple(each for each in tables if each.rows)


def facts_of(here: Analysed, names: Any) -> dict[str, Any]:
    """Return facts for the sentences of sections."""
    return {
        "responses": len(here.test.scores), "double_scored": int(np.isfinite(here.test.second).sum()),
        "items": len(here.test.most), "forms": [form.name for form in here.forms],
        "slope": here.reporting.slope, "cuts": list(here.reporting.cuts), "summed": here.reporting.summed,
        "error_variance": here.variance, "own": names,
        "human_sd": {form.name: known(form.reported[HUMAN].scores.std()) for form in here.forms},
        "prmse": {name: known(each.components.prmse) for name, each in here.items.items()},
    }  # fmt: skip


def condition(name: str) -> Term:
    """Return a condition as a word of the vocabulary."""
    return Term(f"condition.{name}")


def _required(here: Analysed) -> Table:
    """Return the PRMSE that an item needs for its share of each form, as the only item and as one of three."""
    rows, test = [], here.test
    for form in here.forms:
        share = test.most[test.studied] / sum(test.most[column] for column in test.forms[form.name])
        several = required_prmse(share, SEVERAL) if SEVERAL * share <= 1 else None
        rows.append(Row((form.name, 100 * share, required_prmse(share), several)))
    return table(
        "required", rows, form="text", item_share="percent", required="coefficient", required_of_three="coefficient"
    )  # fmt: skip


def _items(here: Analysed) -> Table:
    """Return the item's scores and accuracy under every condition: table 2 of the paper."""
    accuracy = ("prmse", "rho", "gamma", "delta", "qwk", "mean", "sd")
    start, most = here.test.start, here.test.most[here.test.studied]
    shares = [
        Column(f"score_{start + k}", Term("score_point_heading", score=start + k), "percent", "%")
        for k in range(most + 1)
    ]
    rows = [
        Row((condition(name), *(known(numbers.get(key, np.nan)) for key in accuracy),
             *(100 * numbers[f"share_{k}"] / len(here.test.scores) for k in range(most + 1))))
        for name, numbers in here.item_numbers().items()
    ]  # fmt: skip
    return table(
        "items", rows, *shares, shown=40, condition="text", prmse="coefficient", rho="coefficient", gamma="coefficient",
        delta="difference", qwk="coefficient", mean="score", sd="score",
    )  # fmt: skip


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
    title = Term("form_title", form=form.name)
    return table(f"form.{place}", rows, *columns_of(**kinds), *at, shown=40, title=title, condition="text")


def _calibrations(forms: Sequence[FormResult]) -> Table:
    rows = [
        Row((form.name, condition(name), reported.slope, reported.intercept, found.steps,
             Term("yes" if found.converged else "no")))
        for form in forms
        for name, reported in form.reported.items()
        if (found := reported.calibration) is not None
    ]  # fmt: skip
    return table("calibrations", rows, shown=12, form="text", condition="text", slope="coefficient",
                 intercept="coefficient", steps="count", converged="text")  # fmt: skip
