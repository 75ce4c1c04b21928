"""What is known of raters without an engine, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reportgen.evaluation.points import names_of
from reportgen.evaluation.ratings_alone.agreement import GroupAgreement, RaterPair
from reportgen.evaluation.ratings_alone.sheet import Needed, RatingSheet
from reportgen.evaluation.tables.build import called, count_column, metric_column, table
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.scores import RatingTable
from reportgen.tally.sums import Floats
from reportgen.wording.numbers import point

MOST_SHARES = 12
"""Points of a scale up to which a table has a column for each."""

ALL_OF_THEM = {"kappa": "conger", "scott": "fleiss"}
"""What coefficients of pairs become where three or more raters are compared."""


def composition(scores: RatingTable, sheet: RatingSheet) -> Table:
    """Return what was read and what is evaluated."""
    left_out = scores.read - scores.flagged - scores.kept
    lines: list[tuple[str, int]] = [(Term("responses_in_file"), scores.read)]
    lines += [(Term("left_out_by_flags"), scores.flagged)] if scores.flagged else []
    lines += [(Term("left_out_without_rating"), left_out)] if left_out else []
    lines.append((Term("evaluated"), scores.kept))
    each, n = np.unique(sheet.counts, return_counts=True)
    for ratings, responses in zip(each.tolist(), n.tolist(), strict=True):
        lines.append((Term("evaluated_with_ratings", ratings=ratings), responses))
    rows = [Row((what, n, 100 * n / scores.read), "overall" if what == "evaluated" else "") for what, n in lines]
    if scores.n_candidates is not None:
        rows.append(Row((Term("test_takers"), scores.n_candidates, None)))
    columns = (Column("what"), count_column("responses", ""), Column("share", kind="percent", unit="%"))
    return table("data.composition", "", columns, rows)


def exclusions(scores: RatingTable) -> Iterator[Table]:
    """Yield the responses left out, reason by reason."""
    if scores.exclusions:
        rows = [Row((out.reason, out.n, out.listed_rows())) for out in scores.exclusions]
        columns = (Column("reason"), count_column("responses", ""), Column("first_rows"))
        yield table("data.exclusions", "", columns, rows)


def group_sizes(sheet: RatingSheet) -> Iterator[Table]:
    """Yield how many responses each group has, also those whose scores are withheld because they are equal."""
    for grouping in dict.fromkeys([*sheet.groups, *sheet.withheld.counted]):
        sizes = dict(sheet.withheld.counted.get(grouping, {}))
        if (coded := sheet.groups.get(grouping)) is not None:
            n = np.bincount(coded.codes, minlength=len(coded.labels)).tolist()
            sizes |= {coded.labels[level]: n[level] for level in sheet.shown_levels(grouping)}
        rows = [
            Row((label, size, 100 * size / sheet.n), "insufficient" if size < sheet.min_n_of(grouping) else "")
            for label, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))
        ]
        columns = (Column("level", grouping), count_column(), Column("share", kind="percent", unit="%"))
        yield table(f"data.groups.{grouping}", "", columns, rows)


def pairs_table(pairs: Sequence[RaterPair]) -> Iterator[Table]:
    """Yield how every two raters agree and differ."""
    if not pairs:
        return
    ordered = "qwk" in pairs[0].estimates
    keys = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement") if ordered else OF_LABELS
    of_scores = (
        Column("mean_difference", kind="difference", shown=False),
        Column("sd_ratio", kind="coefficient", shown=False),
    )
    columns = (Column("pair"), count_column(), *(metric_column(key) for key in keys), *(of_scores if ordered else ()))
    rows = [
        Row((f"{each.first}, {each.second}", each.n, *(each.estimates[column.key] for column in columns[2:])))
        for each in pairs
    ]
    yield table("raters.pairs", "", columns, rows)


def coefficients_table(found: Mapping[str, Estimate], raters: int) -> Table:
    """Return every coefficient of all raters together."""
    columns = (Column("coefficient"), count_column(), Column("value", kind="coefficient"))
    several, rows = raters > 2, []
    for key, each in found.items():
        name = Term(ALL_OF_THEM[key]) if several and key in ALL_OF_THEM else called(key)
        rows.append(Row((Term("in_percent", what=name) if each.kind == "percent" else name, each.n, each)))
    return table("raters.coefficients", "", columns, rows)


def distribution_table(sheet: RatingSheet, shares: Sequence[Floats]) -> Iterator[Table]:
    """Yield what share of the ratings of each rater, and of all, lies on every point of the scale."""
    points = sheet.scale.points()
    if not 0 < len(points) <= MOST_SHARES or not shares:
        return
    columns = (
        Column("rater"), count_column("n", ""),
        *(
            Column(f"point_{point(each)}", called, "percent", "%")
            for each, called in zip(points, names_of(sheet.scale, np.asarray(points)), strict=True)
        ),
    )  # fmt: skip
    numbers = [int((sheet.given & (sheet.codes == rater)).sum()) for rater in range(len(shares))]
    total = sum(numbers)
    everyone = np.array(numbers, np.float64) @ np.stack(shares) / total
    rows = [Row((Term("all_raters"), total, *everyone.tolist()), "overall")]
    rows += [Row((name, numbers[rater], *shares[rater].tolist())) for rater, name in sheet.shown_raters.items()]
    yield table("raters.distribution", "", columns, rows)


def needed_table(found: Sequence[Needed]) -> Iterator[Table]:
    """Yield how many ratings a response needs."""
    if not found:
        return
    columns = (
        Column("target"), Column("ratings", kind="count"), Column("range"), Column("absolute", kind="count"),
        Column("absolute_range"),
    )  # fmt: skip
    rows = [
        Row(
            (f"{each.target:.2f}", each.ratings, _range(each.low, each.high), each.absolute,
             _range(each.absolute_low, each.absolute_high))
        )
        for each in found
    ]  # fmt: skip
    yield table("reliability.needed", "", columns, rows)


def _range(low: int | None, high: int | None) -> Term | None:
    if low is None and high is None:
        return None
    return Term("first_to_last", first=low, last=high) if high is not None else Term("or_more", least=low)


def groups_tables(found: Mapping[str, GroupAgreement]) -> Iterator[Table]:
    """Yield the ratings and the agreement of raters by group."""
    for grouping, groups in found.items():
        ordered = any(each.mean is not None for each in groups.levels)
        keys = ("qwk", "exact_agreement", "error_variance") if ordered else OF_LABELS
        of_scores = (Column("mean", kind="score"), Column("sd", kind="score")) if ordered else ()
        columns = (
            Column("level", grouping), count_column(), *of_scores, *(metric_column(key) for key in keys),
        )  # fmt: skip
        rows = [
            Row(
                (each.label, each.n, *((each.mean, each.sd) if ordered else ()),
                 *(each.agreement.get(key) for key in keys)),
                "insufficient" if each.small else "",
            )
            for each in groups.levels
        ]  # fmt: skip
        notes = []
        if groups.differ is not None and np.isfinite(groups.differ.p):
            notes.append(Term("groups_tested", p=groups.differ.p))
        yield table(f"raters.by.{grouping}", "", columns, rows, notes)
