"""Evaluated responses: composition, exclusions, and group sizes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.evaluation.levels import Levels
from reportgen.evaluation.points import names_of
from reportgen.evaluation.statistics import METHOD_WILSON
from reportgen.evaluation.tables.build import columns_of, count_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Estimate, Row, Scale, Table, Term
from reportgen.scores import Account
from reportgen.tally import OVERALL, Floats, human_contingency, limits, system_contingency

EVALUATED = Term("evaluated")  # name of the row of evaluated responses


def response_facts(scores: Account, tallied: TalliedScores) -> dict[str, Any]:
    """Return facts about the responses for every report."""
    return {
        "rows_read": scores.read,
        "responses_kept": scores.kept,
        "responses_flagged_out": scores.flagged,
        "responses_excluded": scores.read - scores.flagged - scores.kept,
        "responses_double_scored": round(tallied.estimates(tallied.primary).n("human")[0]),
        "units": scores.n_units,
        "unit": "cluster" if scores.columns("cluster") else "test_taker",
        "clustered": tallied.by_candidate,
    }


def judging_facts(scores: Account, tallied: TalliedScores) -> dict[str, Any]:
    """Return facts about the evaluation of responses for every report."""
    return {
        "min_n_per_group": tallied.min_n,
        "groups_withheld": tallied.withheld.names(),
        "min_n_by_group": dict(tallied.min_n_by_group),
        "confidence_level": tallied.level,
        "columns_left_out": scores.left_out,
    }


def data_tables(scores: Account, tallied: TalliedScores) -> list[Table]:
    """Return tables that account for every response of the file."""
    overall = tallied.tally.slices[OVERALL]
    ratings = np.isfinite(tallied.tally.cells.ratings).sum(axis=1)[overall.cell]
    several = range(2, len(tallied.raters) + 1)
    with_ratings = {n: round(overall.sums[0][ratings == n].sum()) for n in several}
    if tallied.sample is not None:
        with_ratings = dict(zip(several, map(round, tallied.sample[OVERALL].sums[3:, 0].tolist()), strict=False))
    tables = [composition(scores, with_ratings, Term("left_out_for_scores")), *exclusions(scores)]
    if scores.exclusions:
        labels = map(Term, ("human_other_number", "human_zero", "human_no_number"))
        rows = [Row((label, *line)) for label, line in zip(labels, scores.composition, strict=True)]
        columns = columns_of(human="text", numeric_system="count", non_numeric_system="count")
        tables.append(table("data.exclusion_composition", columns, rows))
    if scores.outputs.unusable:
        tables.append(outputs_table([scores], tallied.level))
    shown = [name for name in tallied.withheld.counted if name not in tallied.groups]
    return tables + [group_sizes(tallied, grouping) for grouping in (*tallied.groups, *shown)]


def outputs_table(tables: Sequence[Account], level: float) -> Table:
    """Return how often each system gave no score, by kind."""
    rows = []
    for scores in tables:
        out = scores.outputs
        share = share_estimate(out.unusable, out.n, level)
        rows.append(Row((scores.columns("system")[0], out.n, share, out.blank, out.text, out.refusals, out.infinite)))
    columns = columns_of(
        system="text", responses="count", share="percent", blank="count", text="count", refusals="count",
        infinite="count",
    )  # fmt: skip
    return table("data.outputs", columns, rows, (Term("outputs_without_flags"),))


def share_estimate(part: int, whole: int, level: float) -> Estimate:
    """Return a percentage with Wilson's interval."""
    if whole == 0:
        return Estimate("share", None, 0, kind="percent", level=level, reason="no responses")
    share, n = np.array([100 * part / whole]), np.array([float(whole)])
    low, high = limits(share, share, np.maximum(n - 1, 1), "wilson", level, n)
    ends = float(low[0]), float(high[0])
    return Estimate("share", float(share[0]), whole, *ends, None, level, METHOD_WILSON, "percent")


def composition(scores: Account, with_ratings: Mapping[int, int], without: Term) -> Table:
    """Return the table of read, excluded (named `without`), and evaluated responses by number of ratings."""
    left_out = scores.read - scores.flagged - scores.kept
    lines = [(Term("responses_in_file"), scores.read)]
    lines += [(Term("left_out_by_flags"), scores.flagged)] if scores.flagged else []
    lines += [(without, left_out)] if left_out else []
    lines.append((EVALUATED, scores.kept))
    lines += [(Term("evaluated_with_ratings", ratings=ratings), n) for ratings, n in with_ratings.items()]
    rows = [Row((what, n, 100 * n / scores.read), "overall" if what == EVALUATED else "") for what, n in lines]
    if scores.n_units is not None:
        unit = "clusters" if scores.columns("cluster") else "test_takers"
        rows.append(Row((Term(unit), scores.n_units, None)))
    return table("data.composition", columns_of(what="text", responses="count", share="percent"), rows)


def exclusions(scores: Account) -> Iterator[Table]:
    """Yield the table of excluded responses by reason."""
    if scores.exclusions:
        rows = [Row((out.reason, out.n, ", ".join(map(str, out.first_rows)))) for out in scores.exclusions]
        columns = columns_of(reason="text", responses="count", first_rows="text")
        yield table("data.exclusions", columns, rows)


def group_sizes(tallied: TalliedScores, grouping: str) -> Table:
    """Return the size of every level, largest first, including levels whose scores are withheld as equal."""
    sizes = dict(tallied.withheld.counted.get(grouping, {}))
    if grouping in tallied.groups:
        slices = tallied.estimates(tallied.primary, grouping)
        sizes |= zip(slices.labels, map(round, slices.n("system").tolist()), strict=True)
    rows = [
        Row((label, n, 100 * n / tallied.tally.n), "insufficient" if n < tallied.min_n_of(grouping) else "")
        for label, n in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))
    ]
    return table(f"data.groups.{grouping}", columns_of(level="text", n="count", share="percent"), rows)


NEAR = 1e-6  # tolerance for equal scores

ROUNDED = Term("human_scores_rounded")  # note if human scores are between the shown points


def distribution_tables(tallied: TalliedScores) -> list[Table]:
    """Return confusion matrices and the score distribution; none on a continuous scale."""
    if tallied.scale.step == 0:
        return []
    at, counts = _crossed(tallied)
    if not len(at):
        return []
    ratings = (tallied if tallied.points.continuous else tallied.points).tally.cells.ratings
    given = ratings[np.isfinite(ratings)]
    notes = () if np.array_equal(np.rint(given), given) else (ROUNDED,)
    tables = [_confusion("confusion.system", "", tallied.scale, at, counts, notes)]
    if len(tallied.raters) > 1:
        of_both, both = _crossed(tallied, 1)
        if both.sum():
            tables.append(_confusion("confusion.human", tallied.raters[0], tallied.scale, of_both, both, notes))
    return [*tables, _distribution(tallied, at, counts, notes)]


def _crossed(tallied: TalliedScores, rater: int | None = None) -> tuple[Floats, Floats]:
    """Return points of the scale (if it is long, those that occur), and the table of two scores."""
    points = tallied.points
    if not points.continuous:
        other = points.scored() if rater is None else points.rated(rater)
        return points.categories, points.crossed(OVERALL, points.rated(0), other)[0]
    shown = tallied.whole_points()
    if rater is None:
        table = system_contingency(tallied.tally, OVERALL, tallied.primary_rounded.form, shown)
    else:
        table = human_contingency(tallied.tally, OVERALL, (0, rater), shown)
    return table.points, table.counts[0]


def _ratings_at(tallied: TalliedScores, at: Floats) -> list[int]:
    own = tallied.one_by_one
    points = own.points
    tally = own.tally if points.continuous else points.tally
    ratings, weight = tally.cells.ratings, tally.weights
    if not points.continuous:
        ratings = points.start + points.step * np.rint(ratings)
    return [round(float(weight @ (np.abs(ratings - score) < NEAR).sum(axis=1))) for score in at.tolist()]


def _confusion(key: str, rows_are: str, scale: Scale, at: Floats, counts: Floats, notes: tuple[str, ...]) -> Table:
    labels, rows = names_of(scale, at), []
    for label, line in zip(labels, counts, strict=True):
        whole = np.floor(line + 1e-9)
        most = np.argsort(-(line - whole), kind="stable")[: round(line.sum()) - int(whole.sum())]
        whole[most] += 1
        rows.append(Row((label, *map(int, whole), int(whole.sum()))))
    keys = (f"score {label}" if label in ("human", "total") else label for label in labels)
    scores = (Column(name, label, "count") for name, label in zip(keys, labels, strict=True))
    return table(key, (Column("human", rows_are), *scores, count_column("total", "")), rows, notes)


def _distribution(tallied: TalliedScores, at: Floats, counts: Floats, notes: tuple[str, ...]) -> Table:
    human, system, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    on_points = not tallied.points.continuous and tallied.points.width == 1
    differences = Levels.of(tallied.points, tallied.level).share_differences() if on_points else []
    names, ratings, rows = names_of(tallied.scale, at), _ratings_at(tallied, at), []
    for place, name in enumerate(names):
        percent_human, percent_system = float(100 * human[place] / n), float(100 * system[place] / n)
        difference: Cell = percent_system - percent_human
        if on_points:
            difference = differences[place].estimate(0, tallied.level, tallied.method)
        shown = round(human[place]), percent_human, round(system[place]), percent_system, difference
        rows.append(Row((name, *shown, ratings[place])))
    columns = (
        Column("score", "" if tallied.scale.ordered else Term("axis_label")),
        *columns_of(human_n="count", human_percent="percent", system_n="count", system_percent="percent"),
        Column("difference", "", "percent", Term("points")),
        Column("ratings_n", kind="count", shown=False),
    )
    return table("distribution", columns, rows, notes)
