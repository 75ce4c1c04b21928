"""What the tables of a comparison say, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from report_sections.figures import LEAST_REACH, estimates_chart
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Rule, Term

HEADLINES = ("qwk", "r", "rmse", "smd", "prmse", "kappa")
"""Metrics that decide whether one engine is better than another; runs are ranked by the same ones."""

MOST_SAID = 6
"""Changes that the words for a chart name."""

CLEAR = ("better", "worse")
"""Readings of a change whose interval lies clear of 0, which sentences name."""

Case = Literal["better", "worse", "mixed", "open", "same", "unknown"]
"""How one engine stands beside another."""

SAME = "same ratings"
"""What two runs have in common when one may be called better: the same responses with the same ratings."""


@dataclass(frozen=True)
class Change:
    """One row of a table of changes; `small` is a group of too few responses to be read."""

    metric: str
    form: str
    level: str
    system: str
    old: Estimate
    new: Estimate
    change: Estimate
    reading: str
    small: bool = False

    @property
    def size(self) -> float:
        """How far the change lies from 0; 0 where it is not known."""
        return abs(self.change.value or 0.0)

    def told(self) -> dict[str, Any]:
        """Return what a template says of the change of a group."""
        return {"metric": self.metric, "level": self.level, "run": self.system, "change": self.change}


def changes(evaluation: Evaluation, *keys: str, **wanted: object) -> tuple[Change, ...]:
    """Return the rows of tables of changes, those with `wanted` fields; none when there is no such table."""
    rows: list[Any] = [row for key in keys for row in evaluation.records(key)]
    found = [
        Change(
            row["change"].metric, str(row.get("form") or ""), str(row.get("level") or ""), str(row["system"]),
            row["old"], row["new"], row["change"], str(row["reading"] or ""), row.mark == "insufficient",
        )
        for row in rows
    ]  # fmt: skip
    return tuple(row for row in found if all(getattr(row, name) == value for name, value in wanted.items()))


def largest_first(rows: Iterable[Change]) -> list[Change]:
    """Return changes by their size, those of groups with too few responses last; equals stay in their order.

    QWK and differences of standardized means stand in one order: neither has a unit, and the criteria of Williamson,
    Xi and Breyer (2012) allow 0.10 of either. By standard errors the largest groups would come first, not the worst.

    Examples
    --------
    >>> least, most = Estimate("qwk", -0.02, 90), Estimate("dsm", 0.23, 20)
    >>> rows = [Change("", "", level, "", each, each, each, "worse") for level, each in (("a", least), ("b", most))]
    >>> [row.level for row in largest_first(rows)]
    ['b', 'a']
    """
    return sorted(rows, key=lambda row: (row.small, -row.size))


def headline_changes(evaluation: Evaluation, system: str) -> tuple[Change, ...]:
    """Return the changes of the metrics that decide, most important first: of the trimmed score, for kappa rounded.

    For labels without an order, kappa alone decides.
    """
    metrics = HEADLINES if evaluation.scale.ordered else ("kappa",)
    found = {
        row.metric: row
        for row in reversed(changes(evaluation, "comparison.overall", "comparison.true_score", system=system))
        if row.form == ("trimmed and rounded" if row.metric == "kappa" else "trimmed")
    }
    return tuple(found[metric] for metric in metrics if metric in found)


def case_of(rows: Iterable[Change]) -> Case:
    """Return how an engine stands beside another by the changes of some metrics.

    Examples
    --------
    >>> same = Estimate("qwk", 0.0, 90)
    >>> case_of([Change("qwk", "trimmed", "", "b", same, same, same, "the same")]), case_of([])
    ('same', 'unknown')
    """
    readings = {row.reading for row in rows}
    cases: dict[Case, bool] = {
        "same": readings == {"the same"}, "mixed": readings >= {"better", "worse"}, "better": "better" in readings,
        "worse": "worse" in readings, "open": "not distinguishable" in readings,
    }  # fmt: skip
    return next((case for case, holds in cases.items() if holds), "unknown")


def change_chart(key: str, rows: Sequence[Change], title: str = "", caption: str = "") -> tuple[Chart, ...]:
    """Return changes of levels, no two alike, as dots with intervals around 0; nothing when none is defined."""
    kept = [row for row in rows if row.change.defined]
    if not kept:
        return ()
    worse = [row.reading == "worse" for row in kept]
    alone = len({row.metric for row in kept}) == 1  # sizes of several metrics are in units of their own
    told = sorted(kept, key=lambda row: -row.size if alone else 0.0)[:MOST_SAID] if len(kept) > MOST_SAID else kept
    alt = Term(
        "changes_alt",
        named=[{"label": row.level, "change": row.change} for row in told],
        more=len(kept) - len(told),
        largest=alone and len(told) < len(kept),
        clear=sum(row.reading not in ("not distinguishable", "the same", "no interval", "") for row in kept),
        worse=sum(worse),
        n=len(kept),
    )
    axis, found = Axis(Term("change_in"), low=-LEAST_REACH, high=LEAST_REACH), [(row.level, row.change) for row in kept]
    zero = Rule(0.0, "0", ink="muted")
    return (estimates_chart(key, title, alt, axis, "", found, axis.title, zero, flagged=worse, caption=caption),)


def pairs(evaluation: Evaluation) -> tuple[Mapping[str, Any], ...]:
    """Return what is known about every pair of runs; in the order of the runs."""
    return tuple(evaluation.facts["pairs"])


def judged(pair: Mapping[str, Any]) -> bool:
    """Return whether agreement with raters may say which of two runs is better: the first ratings are the same."""
    return pair.get("state", SAME) == SAME or bool(pair.get("first_ratings_same"))


def all_same(evaluation: Evaluation) -> bool:
    """Return whether all runs have the same responses with the same ratings."""
    return all(pair.get("state", SAME) == SAME for pair in pairs(evaluation))


def one_set(evaluation: Evaluation) -> bool:
    """Return whether all runs side by side have the same responses with the same ratings, or there is one run."""
    sets, runs = (list(evaluation.facts.get(key) or ()) for key in ("same_responses", "runs"))
    return len(runs) < 2 or (len(sets) == 1 and len(sets[0]) == len(runs))
