"""The tables of an rsmeval run, from a TalliedScores: same rows, columns and values as RSMTool's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.evaluation.tables.agreement import ALL_DATA, system_extremes
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.scores import ScoreTable
from reportgen.tally import OVERALL, human_contingency, limits, system_contingency
from reportgen.tally.contingency_tables import Contingency, error_sums

Value = str | int | float


@dataclass(frozen=True)
class PeerTable:
    """A table as RSMTool writes it.

    `name` follows the experiment's id in the file name; `index` names the rows and is written as an
    unnamed first column, or left out when it is None.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    index: tuple[Value, ...] | None = None


_HUMAN = ("numeric non-zero human score", "zero human score", "non-numeric human score")
_SYSTEM = ("numeric system score", "non-numeric system score")


def composition_tables(scores: ScoreTable, tallied: TalliedScores, candidates: int | None) -> list[PeerTable]:
    """Return the excluded responses by kind, the size of the data, and the sizes of the groups.

    Parameters
    ----------
    candidates
        Distinct candidates of the responses that count, if there is a column of them.
    """
    by_group = [_composition_by(tallied, grouping) for grouping in tallied.groups]
    return [_excluded(scores), _composition(scores, tallied, candidates), *by_group]


def _excluded(scores: ScoreTable) -> PeerTable:
    """Return the excluded responses by both scores; rows have names only when there is any, as in RSMTool.

    Counts in a column with a blank are written as 3.0.
    """
    blank = [any(cell is None for cell in column) for column in zip(*scores.composition, strict=True)]
    cells = tuple(
        tuple(_count(cell, as_float) for cell, as_float in zip(line, blank, strict=True)) for line in scores.composition
    )
    if scores.kept + scores.flagged == scores.read:
        return PeerTable("test_excluded_composition", _SYSTEM, cells)
    rows = tuple((label, *line) for label, line in zip(_HUMAN, cells, strict=True))
    return PeerTable("test_excluded_composition", ("Human/System", *_SYSTEM), rows)


def _count(cell: int | None, as_float: bool) -> int | float:
    """Return a count as RSMTool holds it: a float in a column with a blank, which is NaN."""
    if cell is None:
        return np.nan
    return float(cell) if as_float else cell


def _composition(scores: ScoreTable, tallied: TalliedScores, candidates: int | None) -> PeerTable:
    """Return the number of responses, of candidates, and of levels of each subgroup."""
    numbers = {"responses": scores.kept}
    if candidates is not None:
        numbers["candidates"] = candidates
    numbers |= {grouping: len(tallied.tally.slices[grouping].labels) for grouping in tallied.groups}
    return PeerTable("data_composition", ("partition", *numbers), (("Evaluation", *numbers.values()),))


def _composition_by(tallied: TalliedScores, grouping: str) -> PeerTable:
    """Return the size of every level."""
    slices = tallied.tally.slices[grouping]
    rows = sorted((label, int(size)) for label, size in zip(slices.labels, slices.sizes, strict=True))
    return PeerTable(f"data_composition_by_{grouping}", (grouping, "N responses"), tuple(rows))


_FAIRNESS_LABELS = ("Overall score accuracy", "Overall score difference", "Conditional score difference")


def fairness_tables(tallied: TalliedScores, grouping: str) -> list[PeerTable]:
    """Return the coefficients of the three models, and what the group explains."""
    order = tallied.level_order(grouping)
    sums = error_sums(tallied.tally, grouping, tallied.primary.form)
    results = analyses(sums, order)
    base = sums.labels[order[0]]
    r_squared: list[Value] = [float(each.r_squared) for each in results.values()]
    sig: list[Value] = [float(each.p) for each in results.values()]
    rows = (*r_squared, base), (*sig, base)
    metrics = PeerTable(f"fairness_metrics_by_{grouping}", (*_FAIRNESS_LABELS, "base_category"), rows, ("R2", "sig"))
    names = [f"Intercept ({base})", *(sums.labels[level] for level in order[1:])]
    return [*(_estimates(f"estimates_{key}_by_{grouping}", each, names) for key, each in results.items()), metrics]


def _estimates(name: str, analysis: Analysis, names: Sequence[str]) -> PeerTable:
    """Return one model's coefficients with p-values and 95 % limits."""
    estimate, error = analysis.coefficients, analysis.errors
    low, high = limits(estimate, error, np.full(len(names), analysis.freedom), "none", 0.95)
    exact = error == 0  # without residual variance the interval is the estimate itself
    low, high = np.where(exact, estimate, low), np.where(exact, estimate, high)
    rows = tuple(zip(estimate, analysis.p_of_levels, low, high, strict=True))
    columns = ("estimate", "P>[t]", "[0.025", "0.975]")
    return PeerTable(name, columns, rows, tuple(names))


PAIR = {
    "corr": "r",
    "wtkappa": "qwk",
    "R2": "r_squared",
    "kappa": "kappa",
    "exact_agr": "exact_agreement",
    "adj_agr": "adjacent_agreement",
    "SMD": "smd",
    "DSM": "dsm",
    "RMSE": "rmse",
    "h_mean": "h_mean",
    "h_sd": "h_sd",
    "sys_mean": "system_mean",
    "sys_sd": "system_sd",
    "h1_mean": "h_mean",
    "h1_sd": "h_sd",
    "h2_mean": "system_mean",
    "h2_sd": "system_sd",
}
"""RSMTool's name of a statistic -> ours."""

_EVAL = ("N", "h_mean", "h_sd", "h_min", "h_max", "sys_mean", "sys_sd", "sys_min", "sys_max", "corr", "wtkappa",
         "R2", "kappa", "exact_agr", "adj_agr", "SMD", "RMSE")  # fmt: skip
_SHORT_LEAD = ("N", "h_mean", "h_sd")
_SHORT_TRIMMED = ("sys_mean", "sys_sd", "wtkappa", "corr", "{difference}", "RMSE", "R2")
_SHORT_ROUNDED = ("sys_mean", "sys_sd", "kappa", "exact_agr", "adj_agr", "{difference}")
_CONSISTENCY = ("N", "h1_mean", "h1_sd", "h1_min", "h1_max", "h2_mean", "h2_sd", "h2_min", "h2_max", "corr",
                "wtkappa", "kappa", "exact_agr", "adj_agr")  # fmt: skip
_DEGRADATION = ("corr", "kappa", "wtkappa", "exact_agr", "adj_agr", "SMD")
_DISATTENUATED = ("corr_HM", "corr_HH", "sqrt_HH", "corr_disattenuated")
_TRUE = ("N", "N raters", "N single", "N multiple", "Variance of errors", "True score var", "MSE true", "PRMSE true")


def evaluation_tables(tallied: TalliedScores, *, fairness: bool = True) -> list[PeerTable]:
    """Return every evaluation table of a run.

    Parameters
    ----------
    fairness
        Whether the tables of the fairness analyses are wanted.
    """
    double = len(tallied.raters) > 1
    tables = [_by_type("eval", _EVAL, tallied, _eval_row), _eval_short(tallied), *_distributions(tallied)]
    if double:
        consistency = PeerTable(
            "consistency", (*_CONSISTENCY, "SMD"), (_consistency_row(tallied, "", 0, "SMD"),), ("",)
        )
        degradation = _by_type("degradation", _DEGRADATION, tallied, _degradation_row)
        tables += [
            consistency,
            degradation,
            _by_type(
                "disattenuated_correlations", _DISATTENUATED, tallied, lambda own, score: _root_row(own, score=score)
            ),
        ]
    if double or tallied.rater_error_variance is not None:
        tables.append(_by_type("true_score_eval", _TRUE, tallied, _true_row))
    for grouping in tallied.groups:
        tables.append(_by_level("eval", None, tallied, grouping, _short_row))
        if double:
            tables += [
                _by_level("consistency", (*_CONSISTENCY, "DSM"), tallied, grouping, _consistency_row),
                _by_level("disattenuated_correlations", _DISATTENUATED, tallied, grouping, _root_row),
            ]
        if fairness:
            tables += fairness_tables(tallied, grouping)
    return tables


Cells = tuple[Value, ...]


def _by_type(
    name: str, columns: Sequence[str], tallied: TalliedScores, row: Callable[[TalliedScores, ScoreForm], Cells]
) -> PeerTable:
    """Return a table with a row for each score type."""
    rows = tuple(row(tallied, score) for score in tallied.forms)
    return PeerTable(name, tuple(columns), rows, tuple(score.type.key for score in tallied.forms))


def _by_level(
    name: str,
    columns: Sequence[str] | None,
    tallied: TalliedScores,
    grouping: str,
    row: Callable[[TalliedScores, str, int], Cells],
) -> PeerTable:
    """Return a table with a row for each level and one for "All data", sorted as text."""
    levels = [(label, grouping, level) for level, label in enumerate(tallied.tally.slices[grouping].labels)]
    levels = sorted([*levels, (ALL_DATA, OVERALL, 0)])
    rows = tuple(row(tallied, where, level) for _, where, level in levels)
    columns = _short_columns(tallied, "DSM") if columns is None else columns
    return PeerTable(f"{name}_by_{grouping}", tuple(columns), rows, tuple(label for label, *_ in levels))


def value(slices: SliceEstimates, family: str, name: str, level: int = 0) -> float:
    """Return one statistic by RSMTool's name, NaN where it is blank there; N is a whole number."""
    n = int(slices.sums.human.n[level] if family == "human" else slices.sums.system.n[level])
    if n == 0 and name != "N":
        return np.nan
    if name == "N":
        return n
    metric = "dsm_rsmtool" if (family, name) == ("human", "DSM") else PAIR[name]
    found = float(slices.numbers[f"{family}.{metric}"].value[level])
    return 1.0 if name == "kappa" and np.isnan(found) else found  # one label alone: RSMTool takes 0/0 for 1


def _eval_row(tallied: TalliedScores, score: ScoreForm) -> Cells:
    """Return all metrics of a score type."""
    slices, human = tallied.estimates(score), tallied.tally.cells.ratings[:, 0]
    low, high = system_extremes(tallied, score)
    extremes: dict[str, Value] = {"sys_min": low, "sys_max": high, "h_min": human.min(), "h_max": human.max()}
    return tuple(extremes[name] if name in extremes else value(slices, "system", name) for name in _EVAL)


def _eval_short(tallied: TalliedScores) -> PeerTable:
    """Return the chosen metrics of the trimmed and rounded scores in one row."""
    return PeerTable("eval_short", _short_columns(tallied, "SMD"), (_short(tallied, OVERALL, 0, "SMD"),), (0,))


def _short_columns(tallied: TalliedScores, difference: str) -> tuple[str, ...]:
    trimmed, rounded = (
        [f"{name.format(difference=difference)}.{score.type.key}" for name in names]
        for score, names in ((tallied.primary, _SHORT_TRIMMED), (tallied.primary_rounded, _SHORT_ROUNDED))
    )
    return (*_SHORT_LEAD, *trimmed, *rounded)


def _short(tallied: TalliedScores, grouping: str, level: int, difference: str) -> Cells:
    """Return one row of eval_short; by group, DSM takes the place of SMD."""
    first, second = (tallied.estimates(score, grouping) for score in (tallied.primary, tallied.primary_rounded))
    asked = ((first, _SHORT_LEAD), (first, _SHORT_TRIMMED), (second, _SHORT_ROUNDED))
    return tuple(
        value(slices, "system", name.format(difference=difference), level) for slices, names in asked for name in names
    )


def _short_row(tallied: TalliedScores, grouping: str, level: int) -> Cells:
    """Return the chosen metrics of one level; here RSMTool writes N as 220.0."""
    return tuple(float(cell) for cell in _short(tallied, grouping, level, "DSM"))


def _human_extremes(tallied: TalliedScores, grouping: str, level: int) -> dict[str, float]:
    """Return the extremes of both raters' scores on the responses that both scored."""
    slices = tallied.tally.slices[grouping]
    ratings = tallied.tally.cells.ratings[slices.cell[slices.level == level]][:, :2]
    ratings = ratings[np.isfinite(ratings).all(axis=1)]
    if not len(ratings):
        return dict.fromkeys(("h1_min", "h1_max", "h2_min", "h2_max"), np.nan)
    low, high = ratings.min(axis=0), ratings.max(axis=0)
    return {"h1_min": low[0], "h1_max": high[0], "h2_min": low[1], "h2_max": high[1]}


def _consistency_row(tallied: TalliedScores, grouping: str, level: int, difference: str = "DSM") -> Cells:
    """Return one row of human-human agreement."""
    slices = tallied.estimates(tallied.primary, grouping)
    extremes = _human_extremes(tallied, grouping, level)
    names = (*_CONSISTENCY, difference)
    return tuple(extremes[name] if name in extremes else value(slices, "human", name, level) for name in names)


def _degradation_row(tallied: TalliedScores, score: ScoreForm) -> Cells:
    """Return system-human minus human-human agreement, unrounded scores included."""
    slices = tallied.estimates(score)
    return tuple(value(slices, "system", name) - value(slices, "human", name) for name in _DEGRADATION)


def _root_row(tallied: TalliedScores, grouping: str = OVERALL, level: int = 0, score: ScoreForm | None = None) -> Cells:
    """Return one row of disattenuated correlations; of the trimmed score, unless another is named."""
    slices = tallied.estimates(score or tallied.primary, grouping)
    system, human = value(slices, "system", "corr", level), value(slices, "human", "corr", level)
    root = float(np.sqrt(human)) if human >= 0 else np.nan
    return system, human, root, system / root if root else np.nan


def _true_row(tallied: TalliedScores, score: ScoreForm) -> Cells:
    """Return PRMSE and its parts."""
    slices = tallied.estimates(score)
    n, multiple = int(slices.sums.ratings.n[0]), int(slices.sums.ratings.multiple[0])
    most = int(np.isfinite(tallied.tally.cells.ratings).sum(axis=1).max())
    numbers = [slices.numbers[f"true_score.{name}"].value[0] for name in ("true_variance", "mse_true", "prmse")]
    given = tallied.rater_error_variance
    error = given if given is not None else slices.numbers["true_score.error_variance"].value[0]
    return n, most, n - multiple, multiple, float(error), *(float(number) for number in numbers)


def _distributions(tallied: TalliedScores) -> list[PeerTable]:
    """Return confusion matrices over the observed labels, and the score distribution."""
    system = system_contingency(tallied.tally, OVERALL, tallied.primary_rounded.form)
    tables = [_confusion("confMatrix", system), _score_distribution(tallied, system)]
    if len(tallied.raters) > 1:
        human = human_contingency(tallied.tally, OVERALL)
        if human.counts.sum():
            tables.append(_confusion("confMatrix_h1h2", human))
    return tables


def _confusion(name: str, contingency: Contingency) -> PeerTable:
    """Return a confusion matrix: rows human."""
    labels = tuple(int(point) for point in contingency.points)
    rows = tuple(tuple(int(count) for count in line) for line in contingency.counts[0])
    return PeerTable(name, tuple(str(label) for label in labels), rows, labels)


def _score_distribution(tallied: TalliedScores, contingency: Contingency) -> PeerTable:
    """Return the percentage of responses at every label."""
    counts = contingency.counts[0]
    human, system = (100 * counts.sum(axis=axis) / counts.sum() for axis in (1, 0))
    rows = tuple(zip(contingency.points, human, system, system - human, strict=True))
    columns = ("score", "human", f"sys_{tallied.primary.family}", "difference")
    return PeerTable("score_dist", columns, rows, tuple(float(point) for point in contingency.points))
