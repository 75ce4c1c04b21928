"""Provide the sections of a raters-only report: summary, reliability, agreement, raters, and groups."""

from typing import Any, Literal

from report_sections import human_raters
from report_sections.lookup import estimates_in, for_page, lowest_and_highest
from reportgen.sections import Estimate, Evaluation, Findings, Section

SHOWN_P = 0.05  # groups whose rater errors differ by chance less often than this are named

OF_LABELS = ("scott", "ac1", "alpha_nominal")  # coefficients of all raters together, of labels without an order


class RatersSummary(Section, part="decision", needs=("raters_alone",)):
    """Show on one page how reliable ratings are, how raters agree, and who differs from the others."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return reliability, agreement, notable findings, and open questions."""
        value, low, high, n = evaluation.facts.get("qwk_without_doubted") or (None, None, None, 0)
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "one": evaluation.estimate(f"reliability.{leading(evaluation)}"),
                "needs": _needs(evaluation),
                "of_labels": _of_labels(evaluation),
                "doubted": doubted(evaluation),
                "without_doubted": Estimate("qwk", value, int(n), low, high) if n else None,
                "severe": human_raters.standing_out(evaluation, "expected").get("out", []),
                "groups": [{"column": column, "p": p} for column, p in _differ(evaluation).items()],
                "unknown": _unknown(evaluation),
            },
            checks=tuple(check for check in evaluation.checks if not check.group),
        )


def _needs(evaluation: Evaluation) -> list[dict[str, Any]]:
    key = "ratings" if leading(evaluation) == "generalizability" else "absolute"
    found = evaluation.facts.get("ratings_needed") or ()
    return [{"target": each["target"], "ratings": each[key]} for each in found if each[key] is not None]


def _of_labels(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the coefficients of all raters together, of labels without an order."""
    if evaluation.scale.ordered:
        return []
    names = {"scott": "fleiss"} if len(evaluation.raters) > 2 else {}
    found = [(key, evaluation.estimate(f"raters.{key}")) for key in OF_LABELS]
    return [{"coefficient": names.get(key, key), "value": each} for key, each in found if each is not None]


def _differ(evaluation: Evaluation) -> dict[str, float]:
    """Return the groupings whose groups differ in rater errors, with the probability by chance alone."""
    tested = evaluation.facts.get("groups_differ_p") or {}
    return {column: float(p) for column, p in tested.items() if float(p) < SHOWN_P}


def _unknown(evaluation: Evaluation) -> list[str]:
    double, ordered = evaluation.count("responses_double_scored"), evaluation.scale.ordered
    reliable = evaluation.estimate("reliability.generalizability") is not None
    cases = {
        "no_second": not double,
        "not_linked": bool(double) and ordered and not reliable,
        "never_reliable": bool(double) and ordered and reliable and not _needs(evaluation),
        "alone": bool(evaluation.count("raters_alone")),
        "parts": evaluation.count("raters_parts") > 1,
        "nameless": not evaluation.facts.get("raters_named"),
    }
    return [case for case, holds in cases.items() if holds]


class RatersReliability(Section, needs=("raters_alone", "order")):
    """Show variance components, reliability by number of ratings, ratings needed, and intraclass correlations."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how reliable one rating is, and what more ratings add."""
        return Findings(
            values={"leading": leading(evaluation)},
            tables=evaluation.present("reliability.needed", "reliability.components", "reliability.icc"),
            charts=tuple(human_raters.reliability_chart(evaluation)),
        )


def leading(evaluation: Evaluation) -> Literal["generalizability", "dependability"]:
    """Return the coefficient that is the reliability: severity cancels only if everyone rated everything."""
    everything = evaluation.count("n_raters") * evaluation.count("responses_kept")
    return "generalizability" if evaluation.count("ratings_given") == everything else "dependability"


class RatersAgreement(Section, needs=("raters_alone",)):
    """Show the agreement of every two raters, and of all raters by every coefficient."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree; labels without an order have kappa and no weights."""
        metric = "qwk" if evaluation.scale.ordered else "kappa"
        pairs = human_raters.agreement_of_pairs(evaluation, "raters.pairs", metric)
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "metric": metric,
                "step": evaluation.scale.step,
                "pairs": human_raters.ends_of_pairs(pairs),
            },
            tables=evaluation.present("raters.pairs", "raters.coefficients"),
            charts=human_raters.grid(evaluation, "raters.pairs", metric),
        )


FEWEST = 3  # fewer raters do not show which one is unusual


class RatersEach(Section, needs=("raters_alone",)):
    """Show a row for each rater, the distribution of ratings by rater, and severity as a chart."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Compare each rater with the others."""
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "shown": "human_raters.raters" in evaluation.tables,
                "few": len(evaluation.raters) < FEWEST,
                "doubted": doubted(evaluation),
                "ends": _ends(evaluation),
                "label": _label_that_differs(evaluation),
            },
            tables=evaluation.present("human_raters.raters", "raters.distribution"),
            charts=tuple(human_raters.severity_chart(evaluation)) if evaluation.scale.ordered else (),
        )


def doubted(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the raters whose scores are questionable, each with its correlation with the others as an estimate."""
    return [
        {**each, "r": Estimate("r", each["r"], int(each["n"]), each["low"], each["high"])}
        for each in evaluation.facts.get("raters_doubted") or ()
    ]


def _ends(evaluation: Evaluation) -> dict[str, Any]:
    rows = (row for row in evaluation.records("human_raters.raters") if row.mark != "insufficient")
    found = estimates_in(rows, "rater", "r")
    return dict(zip(("low", "high"), lowest_and_highest(found, "rater", "r"), strict=True)) if len(found) > 1 else {}


def _label_that_differs(evaluation: Evaluation) -> dict[str, Any]:
    """Return the label whose frequency differs most between raters, and who gives it least and most often."""
    rows = [row for row in evaluation.records("raters.distribution") if row.mark != "overall"]
    if evaluation.scale.ordered or not rows:
        return {}
    who, _, *labels = evaluation.tables["raters.distribution"].columns
    found = []
    for label in labels:
        shares = [(row.number(label.key) or 0.0, str(row[who.key])) for row in rows]
        low, high = ({"rater": rater, "share": share} for share, rater in (min(shares), max(shares)))
        found.append((max(shares)[0] - min(shares)[0], label.label, {"low": low, "high": high}))
    _, name, ends = max(found, key=lambda each: each[:2], default=(0.0, "", {}))
    return {"name": name, **ends} if found else {}


class RatersGroups(Section, needs=("raters_alone", "groups")):
    """Show mean ratings, agreement between raters, and rater error variance by group."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree in each group."""
        by = "qwk" if evaluation.scale.ordered else "kappa"
        tables = evaluation.present(*(f"raters.by.{column}" for column in evaluation.groups))
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "withheld": not evaluation.groups,
                "tested": list(evaluation.facts.get("groups_differ_p") or ()),
                "differ": list(_differ(evaluation)),
            },
            tables=tuple(for_page(table, by) for table in tables),
        )
