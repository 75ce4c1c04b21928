"""The sections of a report on raters alone: what is asked first, reliability, agreement, each rater, groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.groups import for_page
from report_sections.human_raters import reliability_chart, severity_chart
from report_sections.lookup import (
    apart_from,
    estimate_of,
    estimates_in,
    fact,
    lowest_and_highest,
    number,
    records,
    rows_of,
    tables_of,
)
from report_sections.raters import agreement_of_pairs, ends_of_pairs, grid
from reportgen.results import Part
from reportgen.sections import Estimate, Evaluation, Findings, Section

SHOWN_P = 0.05
"""Groups whose rater errors differ by chance less often than this stand out."""

OF_LABELS = ("scott", "ac1", "alpha_nominal")
"""Coefficients of all raters together, of labels without an order."""


@dataclass(frozen=True)
class RatersSummary(Section):
    """One page that says how reliable ratings are, how raters agree, and who is unlike the others."""

    name: ClassVar[str] = "raters_summary"
    part: ClassVar[Part] = "decision"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return reliability, agreement, what stands out and what is not known."""
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "one": estimate_of(evaluation, f"reliability.{leading(evaluation)}"),
                "needs": _needs(evaluation),
                "of_labels": _of_labels(evaluation),
                "doubted": doubted(evaluation),
                "without_doubted": _without_doubted(evaluation),
                "severe": _severe(evaluation),
                "groups": _groups(evaluation),
                "unknown": _unknown(evaluation),
            },
            checks=tuple(check for check in evaluation.checks if not check.group),
        )


def _needs(evaluation: Evaluation) -> list[dict[str, Any]]:
    found = (each for each in evaluation.facts.get("ratings_needed") or () if isinstance(each, Mapping))
    key = "ratings" if leading(evaluation) == "generalizability" else "absolute"
    return [{"target": each["target"], "ratings": each[key]} for each in found if each[key] is not None]


def _of_labels(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the coefficients of all raters together, of labels without an order."""
    if evaluation.scale.ordered:
        return []
    several = len(evaluation.raters) > 2
    names = {"scott": "fleiss"} if several else {}
    found = [(key, estimate_of(evaluation, f"raters.{key}")) for key in OF_LABELS]
    return [{"coefficient": names.get(key, key), "value": each} for key, each in found if each is not None]


def _without_doubted(evaluation: Evaluation) -> Estimate | None:
    """Return the agreement of two ratings without the raters in doubt."""
    rest = evaluation.facts.get("qwk_without_doubted")
    if not isinstance(rest, list | tuple) or not rest:
        return None
    value, low, high, n = rest
    return Estimate("qwk", value, int(n), low, high)


def _severe(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the raters who are clearly more severe or lenient than the others, the farthest first."""
    found = estimates_in(rows_of(evaluation, "human_raters.raters"), "rater", "expected")
    out = [{"rater": rater, "value": each} for rater, each in found if apart_from(each)]
    return sorted(out, key=lambda each: -abs(number(each["value"]) or 0.0))


def _groups(evaluation: Evaluation) -> list[dict[str, Any]]:
    tested = evaluation.facts.get("groups_differ_p") or {}
    return [{"column": column, "p": float(p)} for column, p in tested.items() if float(p) < SHOWN_P]


def _unknown(evaluation: Evaluation) -> list[str]:
    """Return codes of what could not be said."""
    double, ordered = fact(evaluation, "responses_double_scored"), evaluation.scale.ordered
    reliable = estimate_of(evaluation, "reliability.generalizability") is not None
    cases = {
        "no_second": not double,
        "not_linked": bool(double) and ordered and not reliable,
        "never_reliable": bool(double) and ordered and reliable and not _needs(evaluation),
        "alone": bool(fact(evaluation, "raters_alone")),
        "parts": fact(evaluation, "raters_parts") > 1,
        "nameless": not evaluation.facts.get("raters_named"),
        "as_found": bool(evaluation.facts.get("raters_reason")),
    }
    return [case for case, holds in cases.items() if holds]


TABLES = ("reliability.needed", "reliability.components", "reliability.icc")


@dataclass(frozen=True)
class RatersReliability(Section):
    """Variance components, E rho squared and Phi by number of ratings, ratings needed, intraclass correlations."""

    name: ClassVar[str] = "raters_reliability"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone", "order")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how reliable one rating is, and what more ratings add."""
        return Findings(
            values={"leading": leading(evaluation)},
            tables=tables_of(evaluation, *TABLES),
            charts=reliability_chart(evaluation),
        )


def leading(evaluation: Evaluation) -> Literal["generalizability", "dependability"]:
    """Return which coefficient is the reliability: severity cancels only where everyone rated everything."""
    everything = fact(evaluation, "n_raters") * fact(evaluation, "responses_kept")
    return "generalizability" if fact(evaluation, "ratings_given") == everything else "dependability"


AGREEMENT_TABLES = ("raters.pairs", "raters.coefficients")


@dataclass(frozen=True)
class RatersAgreement(Section):
    """Agreement of every two raters, and of all raters by every coefficient."""

    name: ClassVar[str] = "raters_agreement"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree; labels without an order have kappa and no weights."""
        pairs, metric = evaluation.tables.get("raters.pairs"), "qwk" if evaluation.scale.ordered else "kappa"
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "metric": metric,
                "step": evaluation.scale.step,
                "pairs": ends_of_pairs(agreement_of_pairs(evaluation, pairs, metric)),
            },
            tables=tables_of(evaluation, *AGREEMENT_TABLES),
            charts=grid(evaluation, pairs, metric),
        )


FEWEST = 3
"""Fewer raters do not show whose ratings are the odd ones."""

EACH_TABLES = ("human_raters.raters", "raters.distribution")


@dataclass(frozen=True)
class RatersEach(Section):
    """A row for each rater, the distribution of ratings by rater, and severity as a chart."""

    name: ClassVar[str] = "raters_each"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how each rater stands beside the others."""
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "shown": "human_raters.raters" in evaluation.tables,
                "few": len(evaluation.raters) < FEWEST,
                "doubted": doubted(evaluation),
                "ends": _ends(evaluation),
                "label": _label_that_differs(evaluation),
            },
            tables=tables_of(evaluation, *EACH_TABLES),
            charts=severity_chart(evaluation) if evaluation.scale.ordered else (),
        )


def doubted(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the raters whose scores are in doubt, each with its correlation with the others as an estimate."""
    found = (each for each in evaluation.facts.get("raters_doubted") or () if isinstance(each, Mapping))
    return [
        {**each, "r": Estimate("r", each["r"], int(each["n"]), each["low"], each["high"])} for each in found
    ]  # fmt: skip


def _ends(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.tables.get("human_raters.raters")
    rows = zip(table.rows, records(table), strict=True) if table else ()
    found = estimates_in((cells for row, cells in rows if row.mark != "insufficient"), "rater", "r")
    return dict(zip(("low", "high"), lowest_and_highest(found, "rater", "r"), strict=True)) if len(found) > 1 else {}


def _label_that_differs(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.tables.get("raters.distribution")
    if evaluation.scale.ordered or table is None:
        return {}
    rows = [row for row in table.rows if row.mark != "overall"]
    shares = [
        (max(found)[0] - min(found)[0], column.label, min(found), max(found))
        for place, column in enumerate(table.columns)
        if place > 1 and (found := [(number(row.cells[place]) or 0.0, str(row.cells[0])) for row in rows])
    ]
    if not shares:
        return {}
    _, label, low, high = max(shares)
    ends = {end: {"rater": rater, "share": share} for end, (share, rater) in (("low", low), ("high", high))}
    return {"name": label, **ends}


@dataclass(frozen=True)
class RatersGroups(Section):
    """Mean ratings, agreement of raters and rater error variance by group."""

    name: ClassVar[str] = "raters_groups"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone", "groups")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree in each group."""
        by = "qwk" if evaluation.scale.ordered else "kappa"
        found = (evaluation.tables.get(f"raters.by.{column}") for column in evaluation.groups)
        tested = evaluation.facts.get("groups_differ_p") or {}
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "withheld": not evaluation.groups,
                "tested": list(tested),
                "differ": [column for column, p in tested.items() if float(p) < SHOWN_P],
            },
            tables=tuple(for_page(table, by) for table in found if table is not None),
        )
