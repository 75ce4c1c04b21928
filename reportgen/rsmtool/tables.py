"""Make the tables of an rsmeval run from a TalliedScores, with RSMTool's rows, columns, and values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.evaluation.tables.agreement import ALL_DATA, system_extremes
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.rsmtool.config import NAMES
from reportgen.scores import ScoreTable
from reportgen.tally import OVERALL, Contingency, error_sums, human_contingency, limits, system_contingency

Value = str | int | float


@dataclass(frozen=True)
class PeerTable:
    """A table in RSMTool's format.

    `name` follows the experiment ID in the file name; `index` names the rows and is an unnamed first column, or None.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    index: tuple[Value, ...] | None = None


_HUMAN = ("numeric non-zero human score", "zero human score", "non-numeric human score")
_SYSTEM = ("numeric system score", "non-numeric system score")


def composition_tables(scores: ScoreTable, tallied: TalliedScores, candidates: int | None) -> list[PeerTable]:
    """Return the excluded responses by kind, the size of the data with its `candidates`, and group sizes."""
    numbers = {"responses": scores.kept, **({} if candidates is None else {"candidates": candidates})}
    slices = {grouping: tallied.tally.slices[grouping] for grouping in tallied.groups}
    numbers |= {grouping: len(each.labels) for grouping, each in slices.items()}
    tables = [PeerTable("data_composition", ("partition", *numbers), (("Evaluation", *numbers.values()),))]
    for grouping, each in slices.items():
        rows = sorted((label, int(size)) for label, size in zip(each.labels, each.sizes, strict=True))
        tables.append(PeerTable(f"data_composition_by_{grouping}", (grouping, "N responses"), tuple(rows)))
    return [_excluded(scores), *tables]


def _excluded(scores: ScoreTable) -> PeerTable:
    """Return the excluded responses by both scores, formatted as in RSMTool."""
    kinds = [float if None in column else int for column in zip(*scores.composition, strict=True)]
    cells = tuple(
        tuple(np.nan if cell is None else kind(cell) for cell, kind in zip(line, kinds, strict=True))
        for line in scores.composition
    )
    if scores.kept + scores.flagged == scores.read:
        return PeerTable("test_excluded_composition", _SYSTEM, cells)
    rows = tuple((label, *line) for label, line in zip(_HUMAN, cells, strict=True))
    return PeerTable("test_excluded_composition", ("Human/System", *_SYSTEM), rows)


_FAIRNESS_LABELS = ("Overall score accuracy", "Overall score difference", "Conditional score difference")


def fairness_tables(tallied: TalliedScores, grouping: str) -> list[PeerTable]:
    """Return the coefficients of the three models, and the variance that the group explains."""
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
    estimate, error = analysis.coefficients, analysis.errors
    low, high = limits(estimate, error, np.full(len(names), analysis.freedom), "none", 0.95)
    exact = error == 0  # without residual variance, the interval is the estimate itself
    low, high = np.where(exact, estimate, low), np.where(exact, estimate, high)
    rows = tuple(zip(estimate, analysis.p_of_levels, low, high, strict=True))
    return PeerTable(name, ("estimate", "P>[t]", "[0.025", "0.975]"), rows, tuple(names))


PAIR: Mapping[str, str] = NAMES["statistics"]  # our name of each RSMTool statistic

_COLUMNS: Mapping[str, list[str]] = NAMES["columns"]  # statistics of each table


def evaluation_tables(tallied: TalliedScores, *, fairness: bool = True) -> list[PeerTable]:
    """Return every evaluation table of a run; with `fairness`, also the tables of the fairness analyses."""
    double, primary = len(tallied.raters) > 1, tallied.primary
    forms: list[Place] = [(score.type.key, score, OVERALL, 0) for score in tallied.forms]
    tables = [_table(tallied, "eval", forms), _short(tallied, "SMD", [(0, primary, OVERALL, 0)])]
    tables += _distributions(tallied)
    if double:
        tables.append(_table(tallied, "consistency", [("", primary, OVERALL, 0)], "SMD"))
        tables += [_table(tallied, name, forms) for name in ("degradation", "disattenuated_correlations")]
    if double or tallied.rater_error_variance is not None:
        tables.append(_table(tallied, "true_score_eval", forms))
    for grouping in tallied.groups:
        levels = [(label, grouping, level) for level, label in enumerate(tallied.tally.slices[grouping].labels)]
        places: list[Place] = [
            (label, primary, where, level) for label, where, level in sorted([*levels, (ALL_DATA, OVERALL, 0)])
        ]
        short = _short(tallied, "DSM", places)
        of_floats = tuple(tuple(map(float, row)) for row in short.rows)  # RSMTool writes N as 220.0 here
        found = [replace(short, name="eval", rows=of_floats)]
        if double:
            found.append(_table(tallied, "consistency", places, "DSM"))
            found.append(_table(tallied, "disattenuated_correlations", places))
        tables += [replace(table, name=f"{table.name}_by_{grouping}") for table in found]
        tables += fairness_tables(tallied, grouping) if fairness else []
    return tables


Place = tuple[Value, ScoreForm, str, int]
"""The name of a row, and its content: a form of the score in one level of a grouping."""


def _table(tallied: TalliedScores, name: str, places: Sequence[Place], *more: str) -> PeerTable:
    columns = (*_COLUMNS[name], *more)
    rows = tuple(
        tuple(_cell(tallied, name, each, score, grouping, level) for each in columns)
        for _, score, grouping, level in places
    )
    return PeerTable(name, columns, rows, tuple(label for label, *_ in places))


def _short(tallied: TalliedScores, difference: str, places: Sequence[Place]) -> PeerTable:
    lead, *asked = ([name.format(difference) for name in names] for names in NAMES["eval_short"].values())
    forms = (tallied.primary, tallied.primary_rounded)
    own = [(tallied.primary, name) for name in lead]
    own += [(form, name) for form, names in zip(forms, asked, strict=True) for name in names]
    columns = (*lead, *(f"{name}.{form.type.key}" for form, name in own[len(lead) :]))
    rows = tuple(
        tuple(value(tallied.estimates(form, grouping), "system", name, level) for form, name in own)
        for _, _, grouping, level in places
    )
    return PeerTable("eval_short", columns, rows, tuple(label for label, *_ in places))


def value(slices: SliceEstimates, family: str, name: str, level: int = 0) -> float:
    """Return one statistic by RSMTool's name, NaN if RSMTool leaves it blank; N is a whole number."""
    n = int(slices.sums.human.n[level] if family == "human" else slices.sums.system.n[level])
    if n == 0 and name != "N":
        return np.nan
    if name == "N":
        return n
    metric = "dsm_rsmtool" if (family, name) == ("human", "DSM") else PAIR[name]
    found = float(slices.numbers[f"{family}.{metric}"].value[level])
    return 1.0 if name == "kappa" and np.isnan(found) else found  # with a single label, RSMTool takes 0/0 for 1


def _cell(tallied: TalliedScores, table: str, name: str, score: ScoreForm, grouping: str, level: int) -> Value:
    slices = tallied.estimates(score, grouping)
    if table == "true_score_eval":
        return _true(tallied, slices)[name]
    if table == "degradation":  # including unrounded scores
        return value(slices, "system", name) - value(slices, "human", name)
    if table == "disattenuated_correlations":
        system, human = (value(slices, family, "corr", level) for family in ("system", "human"))
        root = float(np.sqrt(human)) if human >= 0 else np.nan
        parts = (system, human, root, system / root if root else np.nan)
        return dict(zip(_COLUMNS[table], parts, strict=True))[name]
    if name.endswith(("_min", "_max")):
        return _extremes(tallied, table, score, grouping, level)[name]
    return value(slices, "human" if table == "consistency" else "system", name, level)


def _extremes(tallied: TalliedScores, table: str, score: ScoreForm, grouping: str, level: int) -> dict[str, Value]:
    ratings = tallied.tally.cells.ratings
    if table == "eval":
        low, high = system_extremes(tallied, score)
        return {"sys_min": low, "sys_max": high, "h_min": ratings[:, 0].min(), "h_max": ratings[:, 0].max()}
    slices = tallied.tally.slices[grouping]
    both = ratings[slices.cell[slices.level == level]][:, :2]
    both = both[np.isfinite(both).all(axis=1)]
    lows, highs = (both.min(axis=0), both.max(axis=0)) if len(both) else ([np.nan] * 2, [np.nan] * 2)
    return {"h1_min": lows[0], "h1_max": highs[0], "h2_min": lows[1], "h2_max": highs[1]}


def _true(tallied: TalliedScores, slices: SliceEstimates) -> dict[str, Value]:
    n, multiple = int(slices.sums.ratings.n[0]), int(slices.sums.ratings.multiple[0])
    most = int(np.isfinite(tallied.tally.cells.ratings).sum(axis=1).max())
    names = NAMES["true_scores"].values()
    error, *numbers = (float(slices.numbers[f"true_score.{name}"].value[0]) for name in names)
    given = tallied.rater_error_variance
    parts = (n, most, n - multiple, multiple, error if given is None else float(given), *numbers)
    return dict(zip(_COLUMNS["true_score_eval"], parts, strict=True))


def _distributions(tallied: TalliedScores) -> list[PeerTable]:
    system = system_contingency(tallied.tally, OVERALL, tallied.primary_rounded.form)
    tables = [_confusion("confMatrix", system), _score_distribution(tallied, system)]
    if len(tallied.raters) > 1:
        human = human_contingency(tallied.tally, OVERALL)
        if human.counts.sum():
            tables.append(_confusion("confMatrix_h1h2", human))
    return tables


def _confusion(name: str, contingency: Contingency) -> PeerTable:
    labels = tuple(int(point) for point in contingency.points)
    rows = tuple(tuple(int(count) for count in line) for line in contingency.counts[0])
    return PeerTable(name, tuple(str(label) for label in labels), rows, labels)


def _score_distribution(tallied: TalliedScores, contingency: Contingency) -> PeerTable:
    counts = contingency.counts[0]
    human, system = (100 * counts.sum(axis=axis) / counts.sum() for axis in (1, 0))
    rows = tuple(zip(contingency.points, human, system, system - human, strict=True))
    columns = ("score", "human", f"sys_{tallied.primary.family}", "difference")
    return PeerTable("score_dist", columns, rows, tuple(float(point) for point in contingency.points))
