"""The numbers in the tables of an RSMTool experiment, and where they belong."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportgen.evaluation.tables.build import CONTINUOUS, DISCRETE_METRICS
from reportgen.evaluation.tables.groups import ALL_DATA
from reportgen.metrics import METRICS
from reportgen.results import Estimate
from reportgen.rsmtool.evaluation_tables import PAIR
from reportgen.rsmtool.write import file_name
from reportgen.runs.model import NumberPlace
from reportgen.runs.peer_files import INDEX, Experiment, Record

NO_INTERVAL = "the run's files hold no interval"

_TRUE = {
    "Variance of errors": "error_variance",
    "True score var": "true_variance",
    "MSE true": "mse_true",
    "PRMSE true": "prmse",
}
_DISATTENUATED = {"corr_HM": "system.r", "corr_HH": "human.r", "corr_disattenuated": "disattenuated.r"}


def stored_numbers(experiment: Experiment, family: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield every number in an experiment's tables, and where it belongs."""
    trimmed, rounded = f"{family}_trim", f"{family}_trim_round"
    for row in experiment.table("eval"):
        continuous = not row[INDEX].endswith("_round")
        for key, estimate in _pairs(row, "system", continuous=continuous):
            yield NumberPlace(key, row[INDEX]), estimate
            if row[INDEX] == (rounded if key.split(".")[1] in DISCRETE_METRICS else trimmed):
                yield NumberPlace(key), estimate
    for row in experiment.table("consistency"):
        yield from ((NumberPlace(key), estimate) for key, estimate in _pairs(row, "human"))
    for row in experiment.table("degradation"):
        for key, estimate in _pairs(row, "degradation", continuous=not row[INDEX].endswith("_round")):
            yield NumberPlace(key, row[INDEX]), estimate
            if row[INDEX] == (rounded if key.split(".")[1] in DISCRETE_METRICS else trimmed):
                yield NumberPlace(key), estimate
    both = "".join(row["N"] for row in experiment.table("consistency"))
    for name, keys in (("disattenuated_correlations", _DISATTENUATED), ("true_score_eval", _TRUE)):
        for row in experiment.table(name):
            yield from _named({"N": both, **row}, keys, trimmed)
    yield from _by_group(experiment, trimmed, rounded)


def _named(row: Record, keys: dict[str, str], trimmed: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the numbers of a row by score type; those of the trimmed score are the primary ones."""
    for column, key in keys.items():
        full = key if "." in key else f"true_score.{key}"
        metric = "disattenuated_r" if full == "disattenuated.r" else full.split(".")[1]
        estimate = _estimate(metric, row.get(column, ""), whole(row.get("N multiple") or row.get("N") or "0"))
        yield NumberPlace(full, row[INDEX]), estimate
        if row[INDEX] == trimmed:
            yield NumberPlace(full), estimate


def group_tables(experiment: Experiment, start: str) -> dict[str, str]:
    """Return the tables by group, each with the column it is about, in the order of the configuration."""
    there = experiment.names(start)
    wanted = experiment.configuration.get("subgroups") or []
    named = {file_name(f"{start}{group}"): group for group in wanted}
    return {name: named.get(name, name.removeprefix(start)) for name in [*named, *there] if name in there}


def _by_group(experiment: Experiment, trimmed: str, rounded: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the numbers of every level of every subgroup."""
    for name, group in group_tables(experiment, "eval_by_").items():
        for row in _levels(experiment, name):
            flat = {column.removesuffix(f".{trimmed}"): cell for column, cell in row.items()}
            flat |= {metric: row.get(f"{metric}.{rounded}", "") for metric in ("kappa", "exact_agr", "adj_agr")}
            for key, estimate in _pairs(flat, "system"):
                yield NumberPlace(key, "", group, row[INDEX]), estimate
            flat = {column.removesuffix(f".{rounded}"): cell for column, cell in row.items()}
            for key, estimate in _pairs(flat, "system"):
                yield NumberPlace(key, rounded, group, row[INDEX]), estimate
    for name, group in group_tables(experiment, "consistency_by_").items():
        for row in _levels(experiment, name):
            yield from ((NumberPlace(key, "", group, row[INDEX]), estimate) for key, estimate in _pairs(row, "human"))
    for name, group in group_tables(experiment, "disattenuated_correlations_by_").items():
        for row in _levels(experiment, name):
            for column, key in _DISATTENUATED.items():
                metric = "disattenuated_r" if key == "disattenuated.r" else "r"
                if key != "system.r":
                    yield NumberPlace(key, "", group, row[INDEX]), _estimate(metric, row.get(column, ""), 0)


def _levels(experiment: Experiment, name: str) -> list[Record]:
    """Return the rows of a table by group that are about one level: the first "All data" is about all of them."""
    rows = experiment.table(name)
    whole = next((row for row in rows if row[INDEX] == ALL_DATA), None)
    return [row for row in rows if row is not whole]


def _pairs(row: Record, family: str, *, continuous: bool = False) -> Iterator[tuple[str, Estimate]]:
    """Yield the statistics of two scores in a row, by our names."""
    n = whole(row.get("N", "0"))
    for column, cell in row.items():
        metric = PAIR.get(column)
        if metric is None:
            continue
        if continuous and metric in DISCRETE_METRICS:
            yield f"{family}.{metric}", Estimate(metric, None, n, kind=METRICS[metric].kind, reason=CONTINUOUS)
        else:
            yield f"{family}.{metric}", _estimate(metric, cell, n)


def _estimate(metric: str, cell: str, n: int) -> Estimate:
    """Return a number of a table as an estimate without interval."""
    kind = METRICS[metric].kind
    value = number(cell)
    if value is None:
        return Estimate(metric, None, n, kind=kind, reason="blank in the run's files")
    return Estimate(metric, value, n, kind=kind, interval_reason=NO_INTERVAL)


def number(cell: str) -> float | None:
    """Return a cell as a finite number, or None."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def whole(cell: str) -> int:
    """Return a cell as a count; 0 when it is none."""
    return int(number(cell) or 0)
