"""Charts on the raters: reliability by number of ratings, error variance by level, severity."""

from __future__ import annotations

from collections.abc import Sequence

from report_sections.lookup import estimate_of, records
from report_sections.pictures import dots_of
from report_sections.shares import apart_from
from report_sections.words import distinct
from reportgen.results import Estimate
from reportgen.sections import Axis, Chart, Dots, Evaluation, Rule, Table, Term
from reportgen.wording.numbers import num

MOST_RATERS = 40
"""Raters drawn; the table has all."""


def reliability_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return reliability and dependability by number of ratings."""
    table = evaluation.tables.get("reliability.more_ratings")
    if table is None:
        return ()
    rows = records(table)
    counts = tuple(num(row["k"]) for row in rows)
    layers = [
        dots
        for key, label, ink in (
            ("generalizability", Term("reliability_not_counting"), "engine"),
            ("dependability", Term("reliability_counting"), "human"),
        )
        if (dots := _dots(label, counts, [row[key] for row in rows], along="y", ink=ink)) is not None
    ]
    first = [row["generalizability"] for row in rows]
    if not layers or not isinstance(first[0], Estimate) or not isinstance(first[-1], Estimate):
        return ()
    return (
        Chart(
            key="reliability.more_ratings.chart",
            title=Term("reliability_of_means"),
            alt=Term("reliability_alt", one=first[0], last=first[-1], ratings=rows[-1]["k"]),
            x=Axis(Term("axis_ratings"), categories=counts),
            y=Axis(Term("axis_reliability")),
            layers=tuple(layers),
            caption=Term("dependability_counts_severity"),
        ),
    )


def error_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return rater error variance by band of the engine's score."""
    table = evaluation.tables.get("human_raters.error_variance")
    found = _estimates(table, "band", "variance")
    whole = estimate_of(evaluation, "true_score.error_variance")
    if len(found) < 2:
        return ()
    labels = tuple(label for label, _ in found)
    least = int(evaluation.facts.get("min_n_per_group") or 0)
    dots = _dots(Term("rater_error_variance"), labels, [each for _, each in found], along="y", least=least)
    if dots is None:
        return ()
    rule = (
        (Rule(whole.value, Term("all_responses"), axis="y", ink="muted"),) if whole and whole.value is not None else ()
    )
    ranked = sorted(found, key=lambda pair: pair[1].value or 0.0)
    ends = {end: {"band": band, "value": each} for end, (band, each) in (("low", ranked[0]), ("high", ranked[-1]))}
    hollow = any(each.n < least for _, each in found)
    return (
        Chart(
            key="human_raters.error_variance.chart",
            title=Term("error_variance_by_score"),
            alt=Term("error_variance_alt", **ends),
            x=Axis(Term("axis_engine_score"), categories=labels),
            y=Axis(Term("axis_error_variance"), low=0.0),
            layers=(*rule, dots),
            caption=Term("error_variance_caption", least=least, hollow=hollow),
        ),
    )


def severity_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return the severity of the raters farthest from the others, most lenient first.

    Raters who are named in a sentence are among them: those in doubt, and those who surely differ.
    """
    table = evaluation.tables.get("human_raters.raters")
    if table is None:
        return ()
    key = "expected" if _estimates(table, "rater", "expected") else "severity"
    doubted = {str(each["name"]) for each in evaluation.facts.get("raters_doubted") or ()}
    found = sorted(
        _estimates(table, "rater", key),
        key=lambda pair: (pair[0] not in doubted and not apart_from(pair[1], 0.0, 0.0), -abs(pair[1].value or 0.0)),
    )[:MOST_RATERS]
    if not found:
        return ()
    found.sort(key=lambda pair: -(pair[1].value or 0.0))
    labels = distinct(label for label, _ in found)
    dots = _dots(Term("severity"), labels, [each for _, each in found], along="x")
    if dots is None:
        return ()
    ends = {end: {"rater": labels[at], "value": found[at][1]} for end, at in (("lenient", 0), ("severe", -1))}
    return (
        Chart(
            key="human_raters.raters.chart",
            title=Term("severity_of_raters"),
            alt=Term("severity_alt", **ends, n=len(found)),
            x=Axis(Term("axis_severity")),
            y=Axis(Term("axis_rater"), categories=labels),
            layers=(Rule(0.0, Term("as_the_others"), ink="muted"), dots),
            caption=Term("severity_caption", drawn=key == "expected", shown=len(found), raters=len(table.rows)),
        ),
    )


def _estimates(table: Table | None, label: str, key: str) -> list[tuple[str, Estimate]]:
    """Return the defined estimates of a column with the names of their rows."""
    rows = records(table) if table is not None else []
    return [(str(row[label]), cell) for row in rows if isinstance(cell := row[key], Estimate) and cell.defined]


def _dots(
    label: str, positions: Sequence[str], cells: Sequence[object], *, along: str, ink: str = "engine", least: int = 0
) -> Dots | None:
    """Return estimates as dots with intervals; hollow where they rest on too few responses."""
    found = [
        (at, each) for at, each in zip(positions, cells, strict=True) if isinstance(each, Estimate) and each.defined
    ]
    if not found:
        return None
    estimates = [each for _, each in found]
    return dots_of(
        label,
        [at for at, _ in found],
        estimates,
        hollow=[each.n < least for each in estimates] if least else (),
        along="y" if along == "y" else "x",
        ink=ink,
    )
