"""System-human agreement: descriptives, association, and agreement of every score type."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.differences import design_of, dsm_of_a_fair_engine, shrunken, units
from reportgen.evaluation.rater_effects import AGREEMENT, MOST_AVERAGED, agreement, average_agreement, rater_pairs
from reportgen.evaluation.reliability import overall_agreement
from reportgen.evaluation.statistics import AGREEMENT_METRICS
from reportgen.evaluation.tables import build
from reportgen.evaluation.tables.build import columns_of, count_column, estimate_cells, metric_column, table
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.given_true_score import minimum_detectable_difference
from reportgen.results import Cell, Column, Mark, Row, Table, Term
from reportgen.tally import OVERALL, Floats, Form, rounding_of

Names = Mapping[str, str]
"""Statistic by column."""


def _named(family: str, metrics: Sequence[str], **names: str) -> Names:
    return {names.get(metric, metric): f"{family}.{metric}" for metric in metrics}


LEADING = 5  # statistics of a group, or of two raters, that a report shows; results.json and the CSV file have all


def _of_groups(table: Literal["by_group", "human_human.by"], *leading: str) -> tuple[str, ...]:
    return (*leading, *(metric for metric in in_table(table) if metric not in leading))


DESCRIPTIVES = _named("system", ("h_mean", "system_mean", "h_sd", "system_sd"), h_mean="human_mean", h_sd="human_sd")
ENDS = ("human_min", "human_max", "system_min", "system_max")
ASSOCIATION = _named("system", in_table("system_human.association"))
AGREEMENT_ON_POINTS = _named("system", in_table("system_human.agreement"))
OF_RATERS = _named("human", in_table("human_human.agreement"))
BY_GROUP = _named(
    "system", _of_groups("by_group", "h_mean", "system_mean", "dsm", "qwk", "rmse"),
    h_mean="human_mean", h_sd="human_sd",
)  # fmt: skip
OF_RATERS_BY_GROUP = _named(
    "human", _of_groups("human_human.by", "h_mean", "system_mean", "dsm", "qwk", "r"),
    h_mean="h1_mean", system_mean="h2_mean",
)  # fmt: skip
DISATTENUATED = columns_of(
    corr_HM="coefficient", corr_HH="coefficient", sqrt_HH="coefficient", corr_disattenuated="coefficient"
)


def _columns(names: Names, shown: int | None = None, *, own: bool = False) -> Iterator[Column]:
    """Yield the columns of statistics; those after the first `shown` are only in the CSV file."""
    for place, (name, key) in enumerate(names.items()):
        column = metric_column(key.partition(".")[2], name, shown=shown is None or place < shown)
        yield replace(column, label="") if own else column


def system_tables(tallied: TalliedScores) -> list[Table]:
    """Return descriptives, association, and agreement of every score type with the first human score."""
    human = tallied.tally.cells.ratings[:, 0]
    described: list[Row] = []
    associated: list[Row] = []
    agreeing: list[Row] = []
    for score in tallied.forms:
        slices, start = tallied.estimates(score), (score.type.label, tallied.tally.n)
        ends = float(human.min()), float(human.max()), *system_extremes(tallied, score)
        means = estimate_cells(slices, DESCRIPTIVES.values())
        described.append(Row((*start, *means, *ends, slices.estimate("system.smd"))))
        for names, rows in ((ASSOCIATION, associated), (AGREEMENT_ON_POINTS, agreeing)):
            # unrounded scores have no agreement on points
            rows.append(Row((*start, *estimate_cells(slices, names.values(), continuous=score.type.continuous))))
    first = Column("score_type"), count_column()
    hidden = (Column(end, "", "score", shown=False) for end in ENDS)
    notes = build.rounding_notes(tallied, "engine")
    return [
        table("system_human.descriptives", (*first, *_columns(DESCRIPTIVES), *hidden, metric_column("smd")), described),
        table("system_human.association", (*first, *_columns(ASSOCIATION)), associated),
        table("system_human.agreement", (*first, *_columns(AGREEMENT_ON_POINTS)), agreeing, notes),
    ]


def system_extremes(tallied: TalliedScores, score: ScoreForm) -> tuple[float, float]:
    """Return the smallest and largest engine score in one form."""
    tally = tallied.tallies[score.family]
    overall = tally.slices[OVERALL]
    low, high = extremes_in(np.array([overall.minimum[0], overall.maximum[0]]), score.form, tally.bounds).tolist()
    return low, high


def extremes_in(ends: Floats, form: Form, bounds: tuple[float, float]) -> Floats:
    """Return smallest and largest unrounded scores in one form."""
    if form.trimmed:
        ends = np.clip(ends, *bounds)
    return rounding_of(bounds).nearest(ends) if form.rounded else ends


ALL_DATA = "All data"


def all_data(tallied: TalliedScores, grouping: str) -> str:
    """Return a name for the row of all responses that no level has."""
    levels = {label.casefold() for label in tallied.tally.slices[grouping].labels}
    name = ALL_DATA
    while name.casefold() in levels:
        name = f"{name} (all groups)"
    return name


def compared(tallied: TalliedScores) -> tuple[str, ...]:
    """Return the groupings with at least two levels."""
    return tuple(grouping for grouping in tallied.groups if len(tallied.tally.slices[grouping].labels) > 1)


def group_tables(tallied: TalliedScores, grouping: str) -> list[Table]:
    """Return the tables of one group: engine-human, and human-human if there is a second rater."""
    tables = [_by_group(tallied, grouping)]
    if len(tallied.raters) > 1:
        labels, order = tallied.tally.slices[grouping].labels, tallied.level_order(grouping, "human")
        rows = [Row((all_data(tallied, grouping), *_of_two_raters(tallied, OVERALL, 0)), "overall")]
        rows += [Row((labels[level], *_of_two_raters(tallied, grouping, level))) for level in order]
        level, n = Column("level", grouping), Column("n", kind="count")
        columns = level, n, *_columns(OF_RATERS_BY_GROUP, LEADING, own=True)
        corrected = [_disattenuated(tallied, tallied.primary, labels[level], grouping, level) for level in order]
        tables += [
            table(f"human_human.by.{grouping}", columns, rows),
            table(f"human_human.disattenuated.by.{grouping}", (level, *DISATTENUATED), corrected),
        ]
    return tables


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return engine-human statistics of all responses, then of every level, largest first."""
    largest, *_ = order = tallied.level_order(grouping)
    labels = tallied.tally.slices[grouping].labels
    detectable, beside = _detectable(tallied, grouping), _dsm_cells(tallied, grouping, order)
    overall = (all_data(tallied, grouping), *_group_cells(tallied, OVERALL, 0, None), *(None for _ in beside))
    rows = [Row(overall, "overall")]
    for level in order:
        cells = *_group_cells(tallied, grouping, level, detectable[level]), *(own.get(level) for own in beside.values())
        rows.append(Row((labels[level], *cells), _group_mark(tallied, grouping, level, is_largest=level == largest)))
    statistics = list(_columns(BY_GROUP, LEADING, own=True))
    statistics.insert(1 + list(BY_GROUP).index("dsm"), Column("detectable", kind="coefficient"))
    further = (Column(key, kind="difference") for key in beside)
    columns = (Column("level", grouping), Column("n", kind="count"), *statistics, *further)
    small = any(row.mark == "insufficient" for row in rows)
    notes = (Term("small_groups", least=tallied.min_n_of(grouping)),) if small else ()
    return table(f"by_group.{grouping}", columns, rows, notes)


def _group_cells(tallied: TalliedScores, grouping: str, level: int, detectable: Cell) -> list[Cell]:
    slices = tallied.estimates(tallied.primary, grouping)
    cells: list[Cell] = [round(slices.n("system")[level])]
    for key in BY_GROUP.values():
        if key != "system.dsm":
            cells.append(tallied.headline(key, grouping, level))
        else:  # a single level is the whole set
            cells += [slices.estimate(key, level) if len(slices.labels) > 1 else None, detectable]
    return cells


def _of_two_raters(tallied: TalliedScores, grouping: str, level: int) -> list[Cell]:
    slices = tallied.estimates(tallied.primary_rounded, grouping)
    return [round(slices.n("human")[level])] + [
        slices.estimate(key, level) if key != "human.dsm" or len(slices.labels) > 1 else None
        for key in OF_RATERS_BY_GROUP.values()
    ]


def _dsm_cells(tallied: TalliedScores, grouping: str, order: Sequence[int]) -> dict[str, Mapping[int, Cell]]:
    if grouping not in compared(tallied):
        return {}
    fair = dict(enumerate(dsm_of_a_fair_engine(tallied, grouping)))
    found: dict[str, Mapping[int, Cell]] = {"dsm_fair": fair, "dsm_shrunken": _shrunken(tallied, grouping, order)}
    return {key: cells for key, cells in found.items() if any(cell is not None for cell in cells.values())}


def _shrunken(tallied: TalliedScores, grouping: str, order: Sequence[int]) -> dict[int, Cell]:
    """Return the DSM of the tested groups of an intersection, shrunken to the sum of main effects."""
    slices = tallied.estimates(tallied.primary, grouping)
    judged = [level for level in order if slices.n("system")[level] >= tallied.min_n_of(grouping)]
    design = design_of(grouping, [slices.labels[level] for level in judged], tallied.groups) if judged else None
    if design is None:
        return {}
    return dict(zip(judged, shrunken([slices.estimate("system.dsm", level) for level in judged], design), strict=True))


def _detectable(tallied: TalliedScores, grouping: str) -> list[Cell]:
    """Return the minimum detectable DSM of every level; None if unknown."""
    slices = tallied.estimates(tallied.primary, grouping)
    errors = [slices.estimate("system.dsm", level).standard_error for level in range(len(slices.labels))]
    alone = len(slices.labels) == 1
    found = minimum_detectable_difference(
        np.array([np.nan if error is None or alone else error for error in errors]), units(tallied, grouping)[0] - 1
    )
    return [float(value) if np.isfinite(value) and value > 0 else None for value in found]


def _group_mark(tallied: TalliedScores, grouping: str, level: int, *, is_largest: bool) -> Mark:
    if grouping not in compared(tallied):
        return ""
    estimate = tallied.estimates(tallied.primary, grouping).estimate("system.dsm", level)
    if estimate.value is None or estimate.n < tallied.min_n_of(grouping):
        return "insufficient"
    return "reference" if is_largest else ""


def human_tables(tallied: TalliedScores) -> list[Table]:
    """Return human-human agreement, degradation, and disattenuated correlations; none without a second rater."""
    if len(tallied.raters) < 2:
        return []
    own = tallied.one_by_one
    tables = [_raters(tallied, own), _human_agreement(tallied, own)]
    if len(own.raters) > 2:
        rows = [Row((Term(key), each.n, each)) for key, each in overall_agreement(own).items()]
        columns = Column("coefficient"), count_column(), Column("value", "", "coefficient")
        tables.append(table("human_human.overall", columns, rows))
    # of two random ratings, neither is the first
    metrics = [metric for metric in AGREEMENT_METRICS if metric != "smd" or not tallied.drawn]
    notes = build.rounding_notes(tallied, "both")
    rows = [_disattenuated(tallied, score, score.type.label) for score in tallied.forms]
    corrected = table("human_human.disattenuated", (Column("score_type"), *DISATTENUATED), rows)
    return [*tables, degradation_table(tallied, "human_human.degradation", metrics, notes), corrected]


def _raters(tallied: TalliedScores, own: TalliedScores) -> Table:
    """Return means and SDs of the raters, the first on all responses; of drawn ratings, and of every known rater."""
    given, weight, rows = np.isfinite(own.tally.cells.ratings), own.tally.weights, []
    shown = [rater for rater in range(len(own.raters)) if rater not in own.withheld.raters]
    least = 1
    if tallied.apart is not None:
        drawn = np.isfinite(tallied.tally.cells.ratings[:, 0])
        rows = [Row((Term("one_rating_of_each"), Term("all_responses"), *_describe(tallied, 0, drawn)))]
        which = [] if own.packed else [(rater, "all_ratings", given[:, rater]) for rater in shown]
    else:
        least = max(tallied.withheld.least, 1)
        both = given[:, 0] & given[:, 1]
        once = given[:, 0] & ~both & (len(own.raters) == 2)  # a third rater can have scored these, too
        which = [
            (0, "all_responses", given[:, 0]),
            *((rater, "all_it_scored", given[:, rater]) for rater in shown if rater > 1),
            (0, "scored_once", once),
            (0, "scored_by_both", both),
            (1, "scored_by_both", both),
        ]
        if 0 < round(weight[once].sum()) < least:  # the difference of both rows would reveal these
            which = [each for each in which if each[0] or each[1] == "all_responses"]
    rows += [
        Row((own.raters[rater], Term(what), *_describe(own, rater, keep)))
        for rater, what, keep in which
        if round(weight[keep].sum()) >= least
    ]
    numbers = columns_of(mean="score", sd="score", min="score", max="score")
    return table("human_human.descriptives", (Column("rater"), Column("which"), count_column(), *numbers), rows)


def _describe(tallied: TalliedScores, rater: int, keep: NDArray[np.bool_]) -> tuple[Cell, ...]:
    values, weight = tallied.tally.cells.ratings[keep, rater], tallied.tally.weights[keep]
    n = float(weight.sum())
    mean = float((weight * values).sum() / n)
    sd = float(np.sqrt((weight * (values - mean) ** 2).sum() / (n - 1))) if n > 1 else None
    return (round(n), mean, sd, float(values.min()), float(values.max()))


def _human_agreement(tallied: TalliedScores, own: TalliedScores) -> Table:
    """Return the agreement of every two raters, and for three or more, their average."""
    slices = tallied.estimates(tallied.primary_rounded)
    pairs, metrics = rater_pairs(tallied), [key.partition(".")[2] for key in OF_RATERS.values()]
    first = ", ".join(tallied.raters[rater] for rater in pairs[0])
    rows = [Row((first, round(slices.n("human")[0]), *estimate_cells(slices, OF_RATERS.values())))]
    others = pairs[1:]
    if tallied.apart is not None:
        others = pairs = [] if tallied.packed else rater_pairs(own)
    for pair in others:
        found = agreement(own, *pair)
        name = ", ".join(own.raters[rater] for rater in pair)
        rows.append(Row((name, found["qwk"].n, *(found[metric] for metric in metrics))))
    if 1 < len(pairs) <= MOST_AVERAGED:
        mean = average_agreement(own, pairs)
        averaged = [mean[metric] if metric in AGREEMENT and metric != "smd" else None for metric in metrics]
        rows.append(Row((Term("average_of_pairs"), mean["qwk"].n, *averaged), "overall"))
    columns = (Column("pair"), count_column(), *_columns(OF_RATERS, LEADING))
    return table("human_human.agreement", columns, rows, build.rounding_notes(tallied, "raters"))


def degradation_table(
    tallied: TalliedScores, key: str, metrics: Sequence[str], notes: tuple[str, ...] = (), *, types: bool = True
) -> Table:
    """Return engine-human minus human-human agreement with intervals, if `types` by score type."""
    rows = []
    for metric in metrics:
        parts = [tallied.headline(f"{family}.{metric}") for family in ("human", "system", "degradation")]
        label = [tallied.form_of(f"system.{metric}").type.label] if types else []
        rows.append(Row((build.called(metric), *label, *parts)))
    numbers = columns_of(human_human="coefficient", system_human="coefficient", difference="difference")
    return table(key, (Column("metric"), *([Column("score_type")] if types else []), *numbers), rows, notes)


def _disattenuated(
    tallied: TalliedScores, score: ScoreForm, label: str, grouping: str = OVERALL, level: int = 0
) -> Row:
    slices = tallied.estimates(score, grouping)
    system, human = slices.estimate("system.r", level), slices.estimate("human.r", level)
    root = float(np.sqrt(human.value)) if human.value is not None and human.value >= 0 else None
    return Row((label, system, human, root, slices.estimate("disattenuated.r", level)))
