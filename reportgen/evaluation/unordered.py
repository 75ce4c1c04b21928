"""Labels without an order and two categories: their statistics, as tables."""

from collections.abc import Callable, Iterator

import numpy as np

from reportgen.errors import SettingsError
from reportgen.evaluation.contingency import Crossing, crossing_of_points
from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.panel import panel_results
from reportgen.evaluation.points import names_of
from reportgen.evaluation.statistics import METHOD_WILSON, bounded
from reportgen.evaluation.tables.agreement import all_data, compared, degradation_table
from reportgen.evaluation.tables.build import called, columns_of, count_column, estimate_cells, metric_column, table
from reportgen.evaluation.tables.data import data_tables, distribution_tables
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.metrics.tables import CATEGORY_STATISTICS, KAPPA, share_of_cells
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table, Term
from reportgen.scores import Account
from reportgen.tally import OVERALL, Floats, limits

MOST_LEVELS = 60  # groups up to which differences from the others are computed if test takers are the units


def of_each_label(tallied: TalliedScores, rater: int | None = None) -> list[dict[str, Estimate]]:
    """Return recall, precision, F1, and shares of every label, for the engine or another rater."""
    points, level = tallied.points, tallied.level
    second = points.scored() if rater is None else points.rated(rater)
    chosen = {
        "recall": "sensitivity", "precision": "positive_predictive_value", "f1": "f1", "share": "base_rate",
        "share_second": "positive_share", "agreement": "positive_agreement",
    }  # fmt: skip
    statistics = {f"system.{key}": CATEGORY_STATISTICS[name] for key, name in chosen.items()}
    found = []
    table = crossing_of_points(points, points.rated(0), second)
    for at in range(points.size):
        own = {"system": table.grouped(np.arange(points.size) == at)}
        crossing = Crossing(own, points.tally.slices[OVERALL], OVERALL, points.rows)
        made = {}
        for key, each in crossing.numbers(statistics, level).items():
            method = METHOD_WILSON if METRICS[each.metric].transform == "wilson" else tallied.method
            made[key.partition(".")[2]] = each.estimate(0, level, method, reason="no response has the label")
        found.append(made)
    return found


_AGREEMENTS = (share_of_cells("exact_agreement", lambda tables: tables * np.eye(tables.shape[-1])), KAPPA)
"""Agreement of labels from the table of both."""


def differences_of_groups(tallied: TalliedScores, grouping: str) -> dict[str, list[Estimate]]:
    """Return for every level, by metric, its agreement minus the agreement of all other responses."""
    points = tallied.points
    first, second = points.rated(0), points.scored()
    own = points.crossed(grouping, first, second)
    rest = points.crossed(OVERALL, first, second) - own
    found: dict[str, list[Estimate]] = {}
    for statistic in _AGREEMENTS:
        value = statistic.of(own) - statistic.of(rest)
        kind: Kind = "percent" if statistic.kind == "percent" else "difference"
        here, there = np.nan_to_num(statistic.gradient(own)), np.nan_to_num(statistic.gradient(rest))
        with np.errstate(all="ignore"):
            if points.rows is None:
                units = own.sum(axis=(1, 2)), rest.sum(axis=(1, 2))
                squares = (own * here**2).sum(axis=(1, 2)), (rest * there**2).sum(axis=(1, 2))
            else:
                units, squares = _by_unit(tallied, grouping, here, there)
            variance = sum(square * n / (n - 1) for square, n in zip(squares, units, strict=True))
            fewer = np.minimum(*units)
            error = np.sqrt(np.where(fewer > 1, variance, np.nan))
            low, high = limits(value, error, fewer - 1, "none", tallied.level)
        found[statistic.key] = [
            bounded(
                statistic.key, *numbers, np.nan, tallied.level, tallied.method, kind,
                "no responses here or elsewhere", "too few responses, or scores that do not vary enough",
            )
            for numbers in zip(value, own.sum(axis=(1, 2)), low, high, strict=True)
        ]  # fmt: skip
    return found


def _by_unit(
    tallied: TalliedScores, grouping: str, here: Floats, there: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return units, and sums over units of squared influences, in every level and in all others; nan for too many."""
    points = tallied.points
    rows, slices, levels = points.rows, points.tally.slices[grouping], len(here)
    none = np.full(levels, np.nan)
    if rows is None or levels > MOST_LEVELS:
        return (none, none), (none, none)
    row, column = (place[slices.cell] for place in (points.rated(0), points.scored()))
    moved = np.where(
        slices.level == np.arange(levels)[:, None], here[:, row, column][slices.level, np.arange(len(row))],
        there[:, row, column],
    )  # fmt: skip
    squares = rows.squared(grouping, moved, slices.level, levels)
    inside = np.diagonal(squares)
    every = np.ones(len(points.tally.cells), bool)
    units = rows.units(grouping, every)
    return (units, np.maximum(rows.units(OVERALL, every)[0] - units, 0.0)), (inside, squares.sum(axis=1) - inside)


SYSTEM, HUMAN, DEGRADATION = "labels.system", "labels.human", "labels.degradation"
"""Keys of the tables of all responses."""


def results_of_labels(scores: Account, tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return the tables and estimates of labels; SettingsError if engine scores are not labels."""
    if tallied.forms[0].type.continuous:
        text = "some engine scores are not labels, but --unordered requires one label for each response; "
        raise SettingsError(f"{text}correct the engine's column, or remove --unordered.")
    panel, estimates = panel_results(tallied)
    several = tallied.estimates(tallied.primary_rounded).n("human")[0] > 0
    tables = [
        *data_tables(scores, tallied),
        *distribution_tables(tallied),
        _of_engine(tallied),
        *([_of_raters(tallied), degradation_table(tallied, DEGRADATION, OF_LABELS, types=False)] if several else []),
        *panel,
        *(_by_group(tallied, grouping) for grouping in tallied.groups),
    ]
    families = ("system", "human", "degradation") if len(tallied.raters) > 1 else ("system",)
    slices = tallied.estimates(tallied.primary_rounded)
    keys = [f"{family}.{metric}" for family in families for metric in OF_LABELS]
    return tables, {key: slices.estimate(key) for key in keys} | estimates


def _of_engine(tallied: TalliedScores) -> Table:
    rows = [
        Row((name, each["recall"].n, each["recall"], each["precision"].n, each["precision"], each["f1"],
             each["share"], each["share_second"]))
        for name, each in zip(tallied.points.names, of_each_label(tallied), strict=True)
    ]  # fmt: skip
    human, system = count_column("human_n", ""), count_column("system_n", "")
    recall, precision, f1 = map(metric_column, ("recall", "precision", "f1"))
    shares = columns_of(human_share="percent", system_share="percent", hidden=("human_share", "system_share"))
    return table(SYSTEM, (Column("label"), human, recall, system, precision, f1, *shares), rows)


def _of_raters(tallied: TalliedScores) -> Table:
    rows = [
        Row((name, each["recall"].n, each["precision"].n, each["agreement"]))
        for name, each in zip(tallied.points.names, of_each_label(tallied, 1), strict=True)
    ]
    first, second = tallied.raters[:2]
    counts = (count_column("first_n", first), count_column("second_n", second))
    columns = (Column("label"), *counts, Column("agreement", "", "coefficient"))
    return table(HUMAN, columns, rows)


def _by_level(
    tallied: TalliedScores, grouping: str, cells: Callable[[SliceEstimates, int], tuple[Cell, ...]]
) -> Iterator[Row]:
    whole, slices = (tallied.estimates(tallied.primary_rounded, each) for each in (OVERALL, grouping))
    yield Row((all_data(tallied, grouping), *cells(whole, 0)), "overall")
    for level in tallied.level_order(grouping):
        few = slices.n("system")[level] < tallied.min_n_of(grouping)
        yield Row((slices.labels[level], *cells(slices, level)), "insufficient" if few else "")


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return agreement in every level, and its difference from all other responses."""
    keys = [*(f"system.{metric}" for metric in OF_LABELS), *(["human.kappa"] if len(tallied.raters) > 1 else [])]
    apart = differences_of_groups(tallied, grouping) if grouping in compared(tallied) else {}

    def cells(of: SliceEstimates, level: int) -> tuple[Cell, ...]:
        exact, kappa, *raters = estimate_cells(of, keys, level)
        here = apart if len(of.labels) > 1 else {}
        other = [here[metric][level] if here else None for metric in OF_LABELS]
        return (round(of.n("system")[level]), exact, other[0], kappa, other[1], *raters)

    exact = metric_column("exact_agreement"), Column("exact_difference", "", "percent", Term("points"))
    kappa = metric_column("kappa"), Column("kappa_difference", "", "difference")
    of_raters = [metric_column("kappa", "human_kappa", shown=False) for _ in keys[len(OF_LABELS) :]]
    columns = (Column("level", grouping), count_column(), *exact, *kappa, *of_raters)
    return table(f"labels.by.{grouping}", columns, list(_by_level(tallied, grouping, cells)))


BINARY_SYSTEM, BINARY_HUMAN = "system_human.categories", "human_human.categories"  # keys of the tables of all responses

OF_HUMAN, OF_ENGINE, OF_ALL = Term("human_score"), Term("engine_score"), Term("all_responses")

ROWS = {
    "sensitivity": ("higher", OF_HUMAN), "specificity": ("lower", OF_HUMAN), "balanced_accuracy": ("", OF_ALL),
    "f1": ("higher", OF_ALL), "matthews": ("", OF_ALL), "positive_predictive_value": ("higher", OF_ENGINE),
    "negative_predictive_value": ("lower", OF_ENGINE), "base_rate": ("higher", OF_ALL),
    "positive_share": ("higher", OF_ALL),
}  # fmt: skip
"""Category of a statistic of the engine, and its responses: with this human or engine score, or all."""

OF_RATERS = {"positive_agreement": "higher", "negative_agreement": "lower"}  # category by statistic of two raters

BY_GROUP = ("base_rate", "positive_share", "sensitivity", "specificity", "balanced_accuracy", "f1",
            "positive_predictive_value", "negative_predictive_value", "matthews")  # fmt: skip
PAPER = 4  # statistics of a group in reports; the CSV file has all


def names_of_categories(tallied: TalliedScores) -> dict[str, str]:
    """Return the names of the lower and the higher category; empty on other scales."""
    if "system.sensitivity" not in tallied.estimates(tallied.primary_rounded).numbers:
        return {}
    return dict(zip(("lower", "higher"), names_of(tallied.scale, np.array(tallied.scale.points())), strict=True))


def category_tables(tallied: TalliedScores) -> Iterator[Table]:
    """Yield the engine's table, the raters', and one for each group column, on a scale of two points."""
    names, slices = names_of_categories(tallied), tallied.estimates(tallied.primary_rounded)
    if not names:
        return
    rows = []
    for metric, (which, among) in ROWS.items():
        found = slices.estimate(f"system.{metric}")
        share = found.kind == "percent" and found.value is not None
        counted = round((found.value or 0.0) * found.n / 100) if share else None
        rows.append(Row((called(metric), names.get(which, ""), among, found.n, counted, found)))
    named = columns_of(statistic="text", category="text", among="text")
    columns = (*named, count_column(), *columns_of(counted="count", value="coefficient"))
    yield table(BINARY_SYSTEM, columns, rows)
    if slices.n("human")[0] > 0:
        agree, beside = columns_of(raters="coefficient", system="coefficient")
        columns = (Column("category"), count_column("n_raters"), agree, count_column("n_system"), beside)
        rows = []
        for metric, which in OF_RATERS.items():
            raters, engine = (slices.estimate(f"{family}.{metric}") for family in ("human", "system"))
            rows.append(Row((names[which], raters.n, raters, engine.n, engine)))
        yield table(BINARY_HUMAN, columns, rows)
    keys = [f"system.{metric}" for metric in BY_GROUP]

    def cells(of: SliceEstimates, level: int) -> tuple[Cell, ...]:
        return (round(of.n("system")[level]), *estimate_cells(of, keys, level))

    shown = [metric_column(metric, shown=place < PAPER) for place, metric in enumerate(BY_GROUP)]
    for grouping in tallied.groups:
        if "system.sensitivity" in tallied.estimates(tallied.primary_rounded, grouping).numbers:
            levels = list(_by_level(tallied, grouping, cells))
            yield table(f"categories.by.{grouping}", (Column("level", grouping), count_column(), *shown), levels)
