"""Whether the engine is neutral along the scale: how often it gives each score, and its error at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.lookup import (
    Record,
    estimate_of,
    fact,
    number,
    overall_check,
    records,
)
from report_sections.score_distributions.levels import (
    BY_HUMAN,
    kept_ends,
    level_errors,
    said_of_calibration,
    said_of_errors,
    score_means,
)
from report_sections.score_distributions.pictures import calibration_chart, distribution_chart, error_chart
from report_sections.shares import apart_from, banded, by_noise, excess, rare_ends, unused_points
from report_sections.two_categories import names, only_points
from reportgen.results import Estimate
from reportgen.sections import Evaluation, Findings, Section, Table

KEY = "distribution"


@dataclass(frozen=True)
class ScoreDistributions(Section):
    """How often raters and the engine give each score, the engine's error at each, and what each engine score means.

    Parameters
    ----------
    flag_difference
        A score is flagged when the shares differ by more than this many percentage points, and not by chance.
    levels
        Whether the section goes through the human scores: the engine's error at each, and what rater error explains.
    calibration
        Whether it goes through the engine scores: what raters give there.
    """

    name: ClassVar[str] = "score_distributions"
    title: ClassVar[str] = "Score distributions"
    needs: ClassVar[tuple[str, ...]] = ("system",)

    flag_difference: float = 5.0
    levels: bool = True
    calibration: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return which scores are given more or less often than by raters, and where the engine errs."""
        table = evaluation.tables.get(KEY)
        scale = evaluation.scale
        ordered, continuous = scale.ordered, not scale.step
        if table is None and not continuous:
            return Findings(values={"case": "none"})
        shown, least = banded(table) if table else None, fact(evaluation, "min_n_per_group")
        rows = records(shown) if shown else []
        scores = ordered and not only_points(evaluation)
        errors = level_errors(evaluation) if self.levels and scores and not names(evaluation) else []
        means = score_means(evaluation) if self.calibration and scores else []
        calibration = said_of_calibration(evaluation, means, least)
        smd = overall_check(evaluation, "system.smd") if ordered else None
        return Findings(
            values={
                **self._shares(rows),
                "unit": ("band" if shown is not table else "score") if ordered else "label",
                "points": len(table.rows) if table and shown is not table else 0,
                "file": table.file_name if table else "",
                "ends": [vars(end) for end in rare_ends(records(table))] if table and ordered else [],
                "unused": unused_points(rows) if rows and shown is table else {},
                **(_moments(evaluation) if ordered else {"mean": "", "true": ""}),
                "check": smd,
                "least": least,
                "errors": said_of_errors(errors, least) if errors else None,
                "calibration": calibration if means else None,
                "kept": kept_ends(evaluation) if errors else [],
            },
            tables=(
                *((self._table(shown),) if shown and (shown is not table or not ordered) else ()),
                *((evaluation.tables[BY_HUMAN],) if errors else ()),
            ),
            charts=(
                *((distribution_chart(rows, self._flagged(rows), labels=not ordered),) if rows else ()),
                *((error_chart(errors, least),) if errors else ()),
                *((calibration_chart(means, calibration, least, scale.low, scale.high),) if means else ()),
            ),
            outcome=smd.outcome if smd else "",
        )

    def _shares(self, rows: Sequence[Record]) -> dict[str, Any]:
        """Return the scores that the engine surely gives more or less often, and those where chance may be behind it.

        What rater error alone could make of a difference is taken off. Differences of bands have no interval, so that
        they are called what they are in these responses.
        """
        over = [row for row in rows if abs(excess(row)) > self.flag_difference]
        plain = any(not isinstance(row["difference"], Estimate) for row in over)
        sure = [row for row in over if plain or apart_from(row["difference"], *by_noise(row))]
        more, fewer = (
            [str(row["score"]) for row in sorted(sure, key=_size) if side * excess(row) > 0] for side in (1, -1)
        )
        small = (
            "explained"
            if any(abs(number(row["difference"]) or 0.0) > self.flag_difference for row in rows)
            else "close"
        )
        case = (
            "continuous"
            if not rows
            else "in_these_responses"
            if plain
            else "differ"
            if sure
            else "unclear"
            if over
            else small
        )
        maybe = [str(row["score"]) for row in over if row not in sure]
        return {"case": case, "limit": self.flag_difference, "more": more, "fewer": fewer, "maybe": maybe}

    def _flagged(self, rows: Sequence[Record]) -> set[str]:
        found = self._shares(rows)
        return {*found["more"], *found["fewer"]}

    def _table(self, table: Table) -> Table:
        """Return the table with the flagged rows marked."""
        flagged = self._flagged(records(table))
        rows = tuple(replace(row, mark="flagged") if str(row.cells[0]) in flagged else row for row in table.rows)
        return replace(table, rows=rows)


def _size(row: Record) -> float:
    return -abs(excess(row))


def _moments(evaluation: Evaluation) -> dict[str, Any]:
    """Return where the engine's mean lies beside the raters', and whether true scores spread less than ratings."""
    smd, human, true = (estimate_of(evaluation, key) for key in ("system.smd", "system.h_sd", "levels.true_sd"))
    if evaluation.facts.get("raters_share"):
        true = None  # where raters may share nothing, true scores have no spread to speak of
    narrower = human is not None and true is not None and (true.value or 0.0) < (human.value or 0.0)
    return {"mean": _beside(smd), "true": "" if true is None else "narrower" if narrower else "not_narrower"}


def _beside(smd: Estimate | None) -> str:
    """Return where the engine mean lies beside the human mean, as far as the interval knows it."""
    if smd is None or smd.value is None:
        return ""
    if not smd.value:
        return "equal"
    if smd.low is None or smd.high is None:
        return "no_interval"
    return "open" if smd.low <= 0 <= smd.high else "higher" if smd.value > 0 else "lower"
