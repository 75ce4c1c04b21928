"""Which responses were evaluated: composition, exclusions and group sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.evaluation.estimating import METHOD_WILSON
from reportgen.evaluation.tables.build import table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.scores import Account
from reportgen.tally import OVERALL, limits

EVALUATED = Term("evaluated")
"""What the row of the evaluated responses is called."""


def data_tables(scores: Account, tallied: TalliedScores) -> list[Table]:
    """Return the account of every response of the file."""
    tables = [_composition(scores, tallied)]
    if scores.exclusions:
        tables += [_exclusions(scores), _exclusion_composition(scores)]
    if scores.outputs.unusable:
        tables.append(outputs_table([scores], tallied.level))
    shown = [name for name in tallied.withheld.counted if name not in tallied.groups]
    return tables + [_groups(tallied, grouping) for grouping in (*tallied.groups, *shown)]


def outputs_table(tables: Sequence[Account], level: float) -> Table:
    """Return for each system how often it gave no score, and in which way."""
    rows = []
    for scores in tables:
        out = scores.outputs
        share = share_estimate(out.unusable, out.n, level)
        rows.append(Row((scores.columns("system")[0], out.n, share, out.blank, out.text, out.refusals, out.infinite)))
    columns = (
        Column("system"),
        Column("responses", "", "count"),
        Column("share", "", "percent", "%"),
        *(Column(key, "", "count") for key in ("blank", "text", "refusals", "infinite")),
    )
    return table("data.outputs", "", columns, rows, (Term("outputs_without_flags"),))


def share_estimate(part: int, whole: int, level: float) -> Estimate:
    """Return a share in percent with Wilson's interval."""
    if whole == 0:
        return Estimate("share", None, 0, kind="percent", level=level, reason="no responses")
    share, n = np.array([100 * part / whole]), np.array([float(whole)])
    low, high = limits(share, share, np.maximum(n - 1, 1), "wilson", level, n)
    ends = float(low[0]), float(high[0])
    return Estimate("share", float(share[0]), whole, *ends, None, level, METHOD_WILSON, "percent")


def _composition(scores: Account, tallied: TalliedScores) -> Table:
    """Return how many responses were read, left out, kept, scored twice."""
    left_out = scores.read - scores.flagged - scores.kept
    ratings = tallied.tally.cells.ratings
    overall = tallied.tally.slices[OVERALL]
    raters_per_cell = (ratings > -float("inf")).sum(axis=1)[overall.cell]
    lines = [(Term("responses_in_file"), scores.read)]
    if scores.flagged:
        lines.append((Term("left_out_by_flags"), scores.flagged))
    if left_out:
        lines.append((Term("left_out_for_scores"), left_out))
    lines.append((EVALUATED, scores.kept))
    for raters in range(2, len(tallied.raters) + 1):
        n = round(overall.sums[0][raters_per_cell == raters].sum())
        lines.append((Term("evaluated_with_ratings", ratings=raters), n))
    rows = [Row((what, n, 100 * n / scores.read), "overall" if what == EVALUATED else "") for what, n in lines]
    if scores.n_candidates is not None:
        rows.append(Row((Term("test_takers"), scores.n_candidates, None)))
    columns = (Column("what"), Column("responses", "", "count"), Column("share", "", "percent", "%"))
    return table("data.composition", "", columns, rows)


def _exclusions(scores: Account) -> Table:
    """Return the responses left out, reason by reason, in the order of the rules."""
    rows = [Row((exclusion.reason, exclusion.n, exclusion.listed_rows())) for exclusion in scores.exclusions]
    columns = (Column("reason"), Column("responses", "", "count"), Column("first_rows"))
    return table("data.exclusions", "", columns, rows)


def _exclusion_composition(scores: Account) -> Table:
    """Return the excluded responses by what their two scores are."""
    labels = map(Term, ("human_other_number", "human_zero", "human_no_number"))
    rows = [Row((label, *_counts(line))) for label, line in zip(labels, scores.composition, strict=True)]
    columns = (Column("human"), *(Column(key, "", "count") for key in ("numeric_system", "non_numeric_system")))
    return table("data.exclusion_composition", "", columns, rows)


def _counts(line: tuple[int | None, int | None]) -> tuple[Cell, Cell]:
    """Return a line of counts; None where the combination cannot be excluded."""
    return line[0], line[1]


def _groups(tallied: TalliedScores, grouping: str) -> Table:
    """Return the size of every level, largest first; also of those whose scores are withheld because they are equal."""
    sizes = dict(tallied.withheld.counted.get(grouping, {}))
    if grouping in tallied.groups:
        slices = tallied.estimates(tallied.primary, grouping)
        sizes |= zip(slices.labels, map(round, slices.sums.system.n.tolist()), strict=True)
    rows = [
        Row((label, n, 100 * n / tallied.tally.n), "insufficient" if n < tallied.min_n_of(grouping) else "")
        for label, n in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))
    ]
    columns = (Column("level"), Column("n", "", "count"), Column("share", "", "percent", "%"))
    return table(f"data.groups.{grouping}", "", columns, rows)
