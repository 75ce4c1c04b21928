"""Quality of the human ratings: pairs, double scoring, error variance, reliability, and their tables."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import rater_effects, reliability
from reportgen.evaluation.points import names_of
from reportgen.evaluation.rater_error import ByScore, SeverityEffect, error_by_group, error_by_score, severity_effect
from reportgen.evaluation.sampling import balance
from reportgen.evaluation.tables.build import columns_of, count_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Column, Estimate, Mark, Row, Table, Term
from reportgen.scores.table import RaterIds
from reportgen.tally.sums import Floats

Results = tuple[list[Table], dict[str, Estimate], dict[str, Any]]


def human_raters(
    tallied: TalliedScores,
    ratings: Floats | None = None,
    ids: RaterIds | None = None,
    show_names: bool = False,
    candidates: NDArray[np.integer] | None = None,
    hidden: rater_effects.RaterFilter | None = None,
) -> Results | None:
    """Return tables, estimates, and facts about the raters; None without a response scored twice.

    ratings (n, raters): the human scores; without them, there are no results for single raters.
    ids, show_names: the rater of each rating, and whether to show their names.
    candidates (n,): the test taker of each response, if the tallies use them as units.
    hidden: function that returns which numbered raters are withheld.
    """
    ratings = np.empty((0, len(tallied.raters))) if ratings is None else ratings
    if np.isfinite(tallied.tally.cells.ratings).sum(axis=1).max(initial=0) < 2:
        return None
    own = tallied.one_by_one
    rows, icc = rater_effects.named_rows(own, ratings, ids), reliability.intraclass(own)
    if rows is not None:  # raters differ within a column
        icc = {key: icc[key] for key in reliability.ONE_WAY}
    pairs = {
        f"{own.raters[b]} − {own.raters[a]}": rater_effects.compared(own, a, b)
        for a, b in rater_effects.rater_pairs(own)
        if not (own.packed and tallied.drawn)
    }
    along, effect = error_by_score(tallied), severity_effect(own, rows)
    design = reliability.crossed(own, rows, icc.get("icc_a1"))
    raters = rater_effects.rater_rows(own, ratings, ids, show_names, candidates, hidden)
    chosen = balance(tallied)
    balanced = [table("human_raters.double_scoring", _BALANCE_COLUMNS, chosen)] if chosen else []
    tables = [
        _pairs(tallied, pairs), *balanced, _by_score(tallied, along), *_by_group(tallied), *_severity(effect),
        *raters_table(raters, tallied.min_n), intraclass_table(icc),
        *(crossed_tables(design._replace(named=ids is not None)) if design else ()),
    ]  # fmt: skip
    # interchangeable raters have no first two
    numbers = dict(next(iter(pairs.values()))) if not tallied.drawn else {}
    numbers |= {"error_variance_trend": along.trend, "error_variance_ratio": along.ratio}
    if effect is not None:
        numbers |= {
            "error_variance_without_severity": effect.variance_without,
            "prmse_without_severity": effect.prmse_without,
            "prmse_rise_by_severity": effect.rise,
        }
    every = {f"raters.{key}": estimate for key, estimate in numbers.items()} | reliability_numbers(icc, design)
    return tables, every, _facts(raters, named=ids is not None)


def reliability_numbers(icc: Mapping[str, Estimate], design: reliability.CrossedDesign | None) -> dict[str, Estimate]:
    """Return the reliability of one rating, and of the mean of two, by key."""
    found = {f"reliability.{key}": estimate for key, estimate in icc.items()}
    if design is not None:
        for place, end in enumerate(("", "_2")):
            found[f"reliability.generalizability{end}"] = design.coefficient[place]
            found[f"reliability.dependability{end}"] = design.dependability[place]
    return found


def _facts(raters: rater_effects.RaterRows | None, *, named: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if raters is not None and np.isfinite(raters.spread):
        facts["severity_spread"] = [raters.spread, *raters.spread_ends]
    if raters is not None and named:
        facts["rater_ids"] = {
            "raters": len(raters.rows) + raters.withheld,
            "alone": raters.alone,
            "parts": raters.parts,
            "error_variance": raters.error_variance if np.isfinite(raters.error_variance) else None,
            "reason": raters.reason,
        }
    return facts


def _pairs(tallied: TalliedScores, pairs: Mapping[str, Mapping[str, Estimate]]) -> Table:
    """Return the comparison of every two raters; rows are named second − first."""
    rows = [
        Row((name, each["mean_difference"].n, *(each[column.key] for column in _PAIR_COLUMNS)))
        for name, each in pairs.items()
    ]
    columns = (Column("pair"), count_column(), *_PAIR_COLUMNS)
    raters, most = len(tallied.raters), rater_effects.MOST_PAIRED
    notes = (Term("first_with_each_other", raters=raters, most=most),) if raters > most else ()
    return table("human_raters.pairs", columns, rows, notes)


_PAIR_COLUMNS = columns_of(**{key: kind for key, (kind, _) in rater_effects.COMPARED.items()})


_BALANCE_COLUMNS = columns_of(what="text", level="text", again="score", once="score", difference="difference")
_ERROR_COLUMNS = columns_of(n="count", variance="number")


def _by_score(tallied: TalliedScores, found: ByScore) -> Table:
    rows = [
        Row((name, band.variance.n, band.variance), _small(tallied, band.variance.n if band in found.judged else 0))
        for band in found.bands
        for name in ["–".join(dict.fromkeys(names_of(tallied.scale, np.array([band.low, band.high]))))]
    ]
    notes = []
    if (test := found.differ) is not None:  # None if test takers occur in multiple bands
        tested = Term("bands_tested", q=test.statistic, freedom=test.freedom, p=test.p)
        notes = [tested if np.isfinite(test.p) else Term("bands_not_tested", reason=test.reason)]
    return table("human_raters.error_variance", (Column("band"), *_ERROR_COLUMNS), rows, notes)


def _small(tallied: TalliedScores, n: int) -> Mark:
    return "insufficient" if n < tallied.min_n else ""


def _by_group(tallied: TalliedScores) -> Iterator[Table]:
    for grouping in tallied.groups:
        rows = [Row((name, each.n, each), _small(tallied, each.n)) for name, each in error_by_group(tallied, grouping)]
        columns = (Column("level", grouping), *_ERROR_COLUMNS)
        if rows:  # some group is shown
            yield table(f"human_raters.error_variance.by.{grouping}", columns, rows)


def _severity(effect: SeverityEffect | None) -> Iterator[Table]:
    if effect is None:
        return
    columns = columns_of(counted="text", variance="number", prmse="coefficient")
    rows = [
        Row((Term("severity_counted"), effect.variance, effect.prmse)),
        Row((Term("severity_left_out"), effect.variance_without, effect.prmse_without)),
    ]
    yield table("human_raters.severity", columns, rows)


def raters_table(found: rater_effects.RaterRows | None, least: int) -> Iterator[Table]:
    """Yield one row per rater; fewer than `least` shared ratings are marked as insufficient."""
    if found is None or not found.rows:
        return
    notes = [Term("raters_withheld", n=found.withheld, least=least)] if found.withheld else []
    drawn = any(isinstance(row["expected"], Estimate) and row["expected"].defined for row in found.rows)
    columns = (
        *columns_of(
            rater="text", n="count", shared="count", qwk="coefficient", r="coefficient", expected="difference",
            severity="difference", sd_ratio="coefficient", mean="score", sd="score", commonest="score",
            share="percent", exact="percent",
            hidden=("shared", "r", "sd", "commonest", "exact", "severity" if drawn else "expected"),
        ),
        *(columns_of(drift="difference") if "drift" in found.rows[0] else ()),
    )  # fmt: skip
    rows = [
        Row(tuple(row[column.key] for column in columns), "insufficient" if few else "")
        for row in found.rows
        for few in [isinstance(row["shared"], int) and row["shared"] < least]
    ]
    yield table("human_raters.raters", columns, rows, [*([Term("severity_drawn")] if drawn else []), *notes])


def intraclass_table(found: Mapping[str, Estimate], *, engine: bool = True) -> Table:
    """Return the intraclass correlations (McGraw and Wong 1996) and their meaning, with or without an engine."""
    shown = [key for key in reliability.ICC_KEYS.values() if key in found]
    rows = [Row((Term(f"reliability.{key}"), Term(f"meaning.{key}"), found[key].n, found[key])) for key in shown]
    columns = (Column("icc"), Column("meaning"), count_column(), Column("value", kind="coefficient"))
    by_f = any(each.method == reliability.METHOD_F for each in found.values())
    two_way = any(key not in reliability.ONE_WAY for key in found)
    notes = [Term("icc_by_f")] if by_f else [Term("icc_by_influence")] if engine else []
    if engine and (by_f or not two_way):
        notes.append(Term("icc_columns_are_a_sample" if two_way else "icc_of_columns"))
    return table("reliability.icc", columns, rows, notes)


def crossed_tables(found: reliability.CrossedDesign) -> tuple[Table, Table]:
    """Return the variance components, and the benefit of more ratings."""
    own = found.rests_on
    sources = "source_responses", "source_raters" if found.named else "source_columns", "source_rest"
    variances = dict(zip(sources, (found.person, found.rater, found.residual), strict=True))
    total = sum(max(each.value or 0.0, 0.0) for each in variances.values())
    rows = [
        Row((Term(source), each, 100 * max(each.value or 0.0, 0.0) / total if total else None))
        for source, each in variances.items()
    ]
    columns = columns_of(source="text", variance="number", share="percent")
    notes = (
        Term("components_rest_on", n=own.n, raters=own.n_raters, ratings=own.n_ratings, named=found.named),
        Term("components_method"),
        Term("raters_are_persons" if found.named else "raters_are_columns"),
    )
    components = table("reliability.components", columns, rows, notes)
    by_number = zip(found.coefficient, (None, *found.gain), found.dependability, found.error, strict=True)
    more = [Row((k, *each)) for k, each in enumerate(by_number, start=1)]
    more_columns = columns_of(
        k="count", generalizability="coefficient", gain="difference", dependability="coefficient", rating_error="score"
    )
    whose = Term("phi_of_raters", sampled=found.sampled)
    return components, table("reliability.more_ratings", more_columns, more, (whose,))
