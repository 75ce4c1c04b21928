"""Repeated runs of the system: their variability, and the benefit of averaging runs."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.measure import row_estimate
from reportgen.evaluation.tables.build import Results, columns_of, count_column, metric_column, table
from reportgen.evaluation.tallied_scores import Plan, TalliedScores, tally_scores
from reportgen.metrics import METRICS
from reportgen.metrics import reliability as formulas
from reportgen.metrics.pair import ratio
from reportgen.results import Column, Estimate, Kind, Row, Table, Term
from reportgen.scores import ScoreTable
from reportgen.tally import Floats, rowwise

MEANS_OF = (1, 2, 3, 5, 10)  # numbers of runs whose mean is evaluated, in addition to the number in the data

MOST_RUNS = 20  # largest number of runs, because the cost is quadratic

MOST_PAIRS = 10  # pairs of runs up to which all are shown; of more, only those with the evaluated run

COMPONENTS = ("response", "run", "residual", "run_to_run")
SHOWN_AS: Mapping[str, tuple[Kind, str]] = {
    **{key: ("number", "none" if key == "run" else "log") for key in COMPONENTS},
    **{f"share.{key}": ("percent", "none") for key in COMPONENTS},
    "sd": ("score", "log"),
    "reliability": ("coefficient", "log1m"),
}
"""Number format and interval scale of statistics of repeated runs."""

NO_DIFFERENCES = "no response has different scores in different runs"


def run_results(scores: ScoreTable, tallied: TalliedScores) -> Results:
    """Return the tables and overall estimates of repeated runs, if there are any."""
    if scores.runs is None:
        return [], {}
    runs = tallied.preparation.primary(scores.runs[:, :MOST_RUNS])
    tables = [_described(runs, scores)]
    estimates: dict[str, Estimate] = {}
    components = _components(runs, scores.candidates, tallied)
    for made, found in (components, _agreement(runs, scores, tallied), _prmse(runs, scores, tallied)):
        tables += made
        estimates |= found
    return tables, estimates


def _names(scores: ScoreTable, k: int) -> list[str]:
    return [*scores.columns("system"), *scores.columns("run")][:k]


def _described(runs: Floats, scores: ScoreTable) -> Table:
    rows = []
    for name, run in zip(_names(scores, runs.shape[1]), runs.T, strict=True):
        found = run[~np.isnan(run)]
        sd = float(found.std(ddof=1)) if found.size > 1 else None
        rows.append(Row((name, found.size, float(found.mean()) if found.size else None, sd)))
    return table("runs.descriptives", (Column("run"), count_column(), *columns_of(mean="score", sd="score")), rows)


def _components(runs: Floats, candidates: NDArray[np.integer] | None, tallied: TalliedScores) -> Results:
    known = formulas.run_variance(runs)
    here = (~np.isnan(runs)).any(axis=1)
    if known.reason:
        empty = {key: Estimate(f"runs.{key}", None, known.n, kind="number", reason=known.reason) for key in COMPONENTS}
        return _component_results(empty | {f"share.{key}": each for key, each in empty.items()})

    crossed = formulas.generalizability_of_columns(runs)
    influence = crossed.influence[here]

    def statistics(sums: Mapping[str, Floats]) -> dict[str, Floats]:
        found = crossed.at(sums["moved"] - influence.sum(axis=0))
        within = found.rater + found.residual
        parts = dict(zip(COMPONENTS, (found.person, found.rater, found.residual, within), strict=True))
        whole = found.person + within
        return parts | {f"share.{key}": 100 * ratio(part, whole) for key, part in parts.items()} | {
            "sd": np.sqrt(within + 0j) if np.iscomplexobj(within) else np.sqrt(np.maximum(within, 0.0)),
            "reliability": ratio(found.person, whole),
        }  # fmt: skip

    own = None if candidates is None else candidates[here]
    numbers = rowwise({"moved": influence}, statistics, own)
    found = {key: row_estimate(f"runs.{key}", numbers[key], tallied, *how) for key, how in SHOWN_AS.items()}
    if _alike(runs):
        exact = dict.fromkeys([*SHOWN_AS][1:], 0.0) | {"share.response": 100.0, "reliability": 1.0}
        found |= {key: _exactly(found[key], value) for key, value in exact.items()}
    return _component_results(found)


def _alike(runs: Floats) -> bool:
    some = runs[(~np.isnan(runs)).any(axis=1)]
    return bool((np.nanmax(some, axis=1) == np.nanmin(some, axis=1)).all())


def _exactly(own: Estimate, value: float) -> Estimate:
    bare = replace(own, low=None, high=None, standard_error=None, interval_reason=NO_DIFFERENCES)
    return replace(bare, value=value, reason="")


def _component_results(found: Mapping[str, Estimate]) -> Results:
    rows = [Row((Term(f"source.{key}"), found[key], found[f"share.{key}"])) for key in COMPONENTS]
    columns = columns_of(source="text", variance="number", share="percent")
    estimates = {f"runs.{key}": each for key, each in found.items() if not key.startswith("share.")}
    return [table("runs.components", columns, rows)], estimates


def _agreement(runs: Floats, scores: ScoreTable, tallied: TalliedScores) -> Results:
    k = runs.shape[1]
    names = _names(scores, k)
    pairs = list(combinations(range(k), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = pairs[: k - 1]
    metrics = ("qwk", "r", "exact_agreement", "rmse", "smd")
    rows, first = [], {}
    for one, other in pairs:
        found = _pair(runs[:, one], runs[:, other], scores, tallied)
        cells = [found.get(metric) for metric in metrics]
        n = next((cell.n for cell in cells if cell is not None), 0)
        rows.append(Row((f"{names[one]}, {names[other]}", n, *cells)))
        if (one, other) == (0, 1):
            first = {f"runs.{metric}": found[metric] for metric in ("qwk", "exact_agreement") if metric in found}
    columns = (Column("pair"), count_column(), *(metric_column(metric) for metric in metrics))
    return [table("runs.agreement", columns, rows)], first


def _pair(one: Floats, other: Floats, scores: ScoreTable, tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the agreement of two runs; empty for fewer than two shared responses."""
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 2:
        return {}
    candidates = None if scores.candidates is None else scores.candidates[both]
    as_is = tallied.preparation._replace(training=None)
    plan = Plan(raters=("run",), scale=tallied.scale, preparation=as_is, level=tallied.level, min_n=tallied.min_n)

    def counted(reference: Floats) -> TalliedScores:
        return tally_scores(other[both], reference[both][:, None], {}, plan, candidates=candidates)

    given, rounded = counted(one), counted(np.rint(one))
    found = {
        metric: given.estimates(given.primary).estimate(f"system.{metric}") for metric in ("qwk", "r", "rmse", "smd")
    }
    return {**found, "exact_agreement": rounded.estimates(rounded.primary_rounded).estimate("system.exact_agreement")}


def _prmse(runs: Floats, scores: ScoreTable, tallied: TalliedScores) -> Results:
    human, given = scores.human, tallied.rater_error_variance
    usable = formulas.usable_for_prmse(runs, human)
    double = (~np.isnan(human[usable])).sum(axis=1) > 1
    if usable.sum() < 2 or (given is None and not double.any()):
        return [], {}
    numbers_of = sorted({*MEANS_OF, runs.shape[1]})

    def statistics(sums: Mapping[str, Floats]) -> dict[str, Floats]:
        values = np.stack([formulas.prmse_of_runs(sums, m, given) for m in numbers_of])
        return {"prmse": values, "gain": values - values[0]}

    candidates = None if scores.candidates is None else scores.candidates[usable]
    numbers = rowwise(formulas.prmse_features(runs, human), statistics, candidates)
    n = int(usable.sum())
    rows, estimates = [], {}
    for place, m in enumerate(numbers_of):
        value = row_estimate(
            "prmse", numbers["prmse"], tallied, METRICS["prmse"].kind, METRICS["prmse"].transform, place=place
        )
        gain = row_estimate("prmse", numbers["gain"], tallied, "difference", place=place) if m > 1 else None
        rows.append(Row((m, value, gain), "overall" if m == runs.shape[1] else ""))
        if m in (1, runs.shape[1]):
            estimates["runs.prmse_one" if m == 1 else "runs.prmse_mean"] = value
        if gain is not None and m == runs.shape[1]:
            estimates["runs.prmse_gain"] = gain
    columns = (Column("runs", kind="count"), metric_column("prmse"), Column("gain", kind="difference"))
    return [table("runs.prmse", columns, rows, (Term("runs_rest_on", n=n, runs=runs.shape[1]),))], estimates
