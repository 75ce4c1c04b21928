"""Everything that says whether the human raters are fit to judge by, computed once for tables and headline numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.double_scoring import Balance, balance
from reportgen.evaluation.identified_raters import named_rows
from reportgen.evaluation.rater_effects import RaterRows, rater_rows
from reportgen.evaluation.rater_error import ByScore, SeverityEffect, error_by_group, error_by_score, severity_effect
from reportgen.evaluation.rater_pairs import compared, rater_pairs
from reportgen.evaluation.reliability import ONE_WAY, CrossedDesign, crossed, intraclass, with_raters_sampled
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Estimate
from reportgen.scores.table import RaterIds
from reportgen.sources.columns import Codes
from reportgen.tally.cells import Floats


@dataclass(frozen=True)
class HumanRaters:
    """What is known of the raters.

    Parameters
    ----------
    pairs
        Names of two raters -> how they compare (see `reportgen.evaluation.rater_pairs`).
    balance
        Responses rated more than once against the rest.
    by_score, by_group
        Rater error variance along the engine's score, and by group column and level.
    severity
        What constant severity does to error variance and PRMSE; None where it cannot be told.
    intraclass, crossed
        Reliability; where raters change from row to row within a column, of the intraclass correlations
        only those that suppose nothing of columns.
    raters
        Each rater; a column of ratings is one where ratings do not say who gave them.
    named
        Whether they do.
    """

    pairs: dict[tuple[str, str], dict[str, Estimate]]
    balance: list[Balance]
    by_score: ByScore
    by_group: dict[str, list[tuple[str, Estimate]]]
    severity: SeverityEffect | None
    intraclass: dict[str, Estimate]
    crossed: CrossedDesign | None
    raters: RaterRows | None
    named: bool


def human_raters(
    tallied: TalliedScores,
    ratings: Floats | None = None,
    ids: RaterIds | None = None,
    show_names: bool = False,
    candidates: NDArray[np.integer] | None = None,
    hidden: Callable[[Codes, int], NDArray[np.bool_]] | None = None,
) -> HumanRaters | None:
    """Return what is known of the raters, None without a response that two of them scored.

    Parameters
    ----------
    ratings
        (n, raters): the human scores that are counted; nothing is told of single raters without them.
    ids, show_names
        Who gave each, and whether they may be named.
    candidates
        (n,): who gave each response; the unit of intervals where the tallies take candidates as units.
    hidden
        Says of numbered raters which are not shown.
    """
    ratings = np.empty((0, len(tallied.raters))) if ratings is None else ratings
    if np.isfinite(tallied.tally.cells.ratings).sum(axis=1).max(initial=0) < 2:
        return None
    own = tallied.one_by_one
    names, rows, of_columns = own.raters, named_rows(own, ratings, ids), intraclass(own)
    design = crossed(own, rows)
    return HumanRaters(
        pairs={
            (names[a], names[b]): compared(own, a, b) for a, b in rater_pairs(own) if not (own.packed and tallied.drawn)
        },
        balance=balance(tallied),
        by_score=error_by_score(tallied),
        by_group={grouping: error_by_group(tallied, grouping) for grouping in tallied.groups},
        severity=severity_effect(own, rows),
        intraclass={key: each for key, each in of_columns.items() if rows is None or key in ONE_WAY},
        crossed=with_raters_sampled(design, of_columns.get("icc_a1") if rows is None else None) if design else None,
        raters=rater_rows(own, ratings, ids, show_names, candidates, hidden),
        named=ids is not None,
    )


def headline_numbers(found: HumanRaters, tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the overall statistics by key: ``raters.`` of the first two raters and of all, ``reliability.``.

    Where raters stand in for each other no two of them are the first.
    """
    first_two = next(iter(found.pairs.values())) if tallied.drawn is None else {}
    numbers = {f"raters.{key}": estimate for key, estimate in first_two.items()}
    numbers["raters.error_variance_trend"] = found.by_score.trend
    numbers["raters.error_variance_ratio"] = found.by_score.ratio
    if found.severity is not None:
        numbers["raters.error_variance_without_severity"] = found.severity.variance_without
        numbers["raters.prmse_without_severity"] = found.severity.prmse_without
        numbers["raters.prmse_rise_by_severity"] = found.severity.rise
    numbers |= {f"reliability.{key}": estimate for key, estimate in found.intraclass.items()}
    if found.crossed is not None:
        numbers["reliability.generalizability"] = found.crossed.coefficient[0]
        numbers["reliability.dependability"] = found.crossed.dependability[0]
        numbers["reliability.generalizability_2"] = found.crossed.coefficient[1]
        numbers["reliability.dependability_2"] = found.crossed.dependability[1]
    return numbers


def rater_facts(found: HumanRaters) -> dict[str, Any]:
    """Return plain numbers and words that sections put into sentences."""
    differ = found.by_score.differ
    facts: dict[str, Any] = {
        "error_variance_differs_p": differ.p if differ is not None and np.isfinite(differ.p) else None
    }
    rows = found.raters
    if found.crossed is not None:
        facts["components"] = {
            "named": found.crossed.named, "n": found.crossed.n, "raters": found.crossed.n_raters,
        }  # fmt: skip
    if rows is not None and np.isfinite(rows.spread):
        facts["severity_spread"] = [rows.spread, *rows.spread_ends]
    if rows is not None and found.named:
        facts["rater_ids"] = {
            "raters": len(rows.rows) + rows.withheld,
            "alone": rows.alone,
            "parts": rows.parts,
            "error_variance": rows.error_variance if np.isfinite(rows.error_variance) else None,
            "reason": rows.reason,
        }
    return facts
