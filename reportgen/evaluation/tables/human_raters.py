"""Are the human raters fit to judge by: pairs of raters, double scoring, error variance, each rater."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.evaluation.human_raters import HumanRaters
from reportgen.evaluation.points import names_of
from reportgen.evaluation.rater_effects import RaterRows
from reportgen.evaluation.rater_error import ScoreBand
from reportgen.evaluation.rater_pairs import pairs_note
from reportgen.evaluation.tables.build import count_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.homogeneity import Homogeneity
from reportgen.results import Column, Mark, Row, Table
from reportgen.results.term import Term


def human_rater_tables(tallied: TalliedScores, found: HumanRaters) -> list[Table]:
    """Return every table on the raters."""
    tables = [_pairs(tallied, found), *_balance(found), _by_score(tallied, found), *_by_group(tallied, found)]
    return [*tables, *_severity(found), *raters_table(found.raters, tallied.min_n)]


def _pairs(tallied: TalliedScores, found: HumanRaters) -> Table:
    """Return how every two raters compare; the name of a row is second − first."""
    rows = [
        Row((f"{second} − {first}", each["mean_difference"].n, *(each[column.key] for column in _PAIR_COLUMNS)))
        for (first, second), each in found.pairs.items()
    ]
    columns = (Column("pair"), count_column(), *_PAIR_COLUMNS)
    return table("human_raters.pairs", "", columns, rows, pairs_note(tallied))


_PAIR_COLUMNS = (
    Column("mean_difference", kind="difference"),
    Column("smd", kind="difference"),
    Column("sd_ratio", kind="coefficient"),
    Column("r_first", kind="coefficient"),
    Column("r_second", kind="coefficient"),
    Column("r_difference", kind="difference"),
)


def _balance(found: HumanRaters) -> Iterator[Table]:
    """Yield the responses rated more than once beside the rest."""
    if not found.balance:
        return
    columns = (
        Column("what"),
        Column("level"),
        Column("again", kind="score"),
        Column("once", kind="score"),
        Column("difference", kind="difference"),
    )
    rows = [
        Row((each.what, each.level, round(each.again, 10), round(each.once, 10), each.difference))
        for each in found.balance
    ]
    yield table("human_raters.double_scoring", "", columns, rows)


_ERROR_COLUMNS = (count_column("n", ""), Column("variance", kind="number"))


def _by_score(tallied: TalliedScores, found: HumanRaters) -> Table:
    """Return error variance by band of the engine's score."""
    rows = [
        Row(
            (_band_name(tallied, band), band.variance.n, band.variance),
            _small(tallied, band.variance.n if band in found.by_score.judged else 0),
        )
        for band in found.by_score.bands
    ]
    notes = [_differ(found.by_score.differ)] if found.by_score.differ is not None else []
    return table("human_raters.error_variance", "", (Column("band"), *_ERROR_COLUMNS), rows, notes)


def _differ(test: Homogeneity) -> Term:
    """Return the test whether the bands differ by more than chance."""
    if not np.isfinite(test.p):
        return Term("bands_not_tested", reason=test.reason)
    return Term("bands_tested", q=test.statistic, freedom=test.freedom, p=test.p)


def _band_name(tallied: TalliedScores, band: ScoreBand) -> str:
    first, last = names_of(tallied.scale, np.array([band.low, band.high]))
    return first if first == last else Term("first_to_last", first=first, last=last)


def _small(tallied: TalliedScores, n: int) -> Mark:
    return "insufficient" if n < tallied.min_n else ""


def _by_group(tallied: TalliedScores, found: HumanRaters) -> Iterator[Table]:
    """Yield error variance by every group."""
    for grouping, levels in found.by_group.items():
        if not levels:  # every group is withheld
            continue
        rows = [Row((label, each.n, each), _small(tallied, each.n)) for label, each in levels]
        columns = (Column("level", grouping), *_ERROR_COLUMNS)
        yield table(f"human_raters.error_variance.by.{grouping}", "", columns, rows)


def _severity(found: HumanRaters) -> Iterator[Table]:
    """Yield error variance and PRMSE with and without constant differences in severity."""
    effect = found.severity
    if effect is None:
        return
    columns = (Column("counted"), Column("variance", kind="number"), Column("prmse", kind="coefficient"))
    rows = [
        Row((Term("severity_counted"), effect.variance, effect.prmse)),
        Row((Term("severity_left_out"), effect.variance_without, effect.prmse_without)),
    ]
    yield table("human_raters.severity", "", columns, rows)


def raters_table(found: RaterRows | None, least: int) -> Iterator[Table]:
    """Yield one row per rater; fewer than `least` shared ratings are marked as insufficient."""
    if found is None or not found.rows:
        return
    notes = [Term("raters_withheld", n=found.withheld, least=least)] if found.withheld else []
    dated = any(row.drift is not None for row in found.rows)
    drawn = any(row.expected.defined for row in found.rows)
    columns = (
        Column("rater"),
        count_column("n", ""),
        Column("shared", kind="count", shown=False),
        Column("qwk", kind="coefficient"),
        Column("r", kind="coefficient", shown=False),
        Column("expected", kind="difference", shown=drawn),
        Column("severity", kind="difference", shown=not drawn),
        Column("sd_ratio", kind="coefficient"),
        Column("mean", kind="score"),
        Column("sd", kind="score", shown=False),
        Column("commonest", kind="score", shown=False),
        Column("share", kind="percent", unit="%"),
        Column("exact", kind="percent", unit="%", shown=False),
        *((Column("drift", kind="difference"),) if dated else ()),
    )
    rows = [
        Row(
            (row.name, row.n, row.severity.n, row.qwk, row.r, row.expected, row.severity, row.sd_ratio, row.mean,
             row.sd if row.n > 1 else None, row.commonest, row.share, row.exact, *((row.drift,) if dated else ())),
            "insufficient" if row.severity.n < least else "",
        )
        for row in found.rows
    ]  # fmt: skip
    yield table("human_raters.raters", "", columns, rows, [*([Term("severity_drawn")] if drawn else []), *notes])
