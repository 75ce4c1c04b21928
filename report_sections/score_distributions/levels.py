"""What becomes of each human score, what each engine score means, and what of it is rater error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from report_sections.lookup import estimate_of, number, records
from report_sections.shares import apart_from
from reportgen.results import Estimate
from reportgen.sections import Evaluation

BY_HUMAN, OVERALL, CALIBRATION = "levels.by_human", "levels.overall", "calibration"

SMALL_GAP = 0.1
"""Standard deviations of the human scores up to which a sure difference of means is called small."""

SMALL_SLOPE = 0.05
"""How near 1 a slope is that surely is not 1 and yet hardly matters.

It costs at most 0.0025 of the variance of the engine's scores.
"""

Spread = Literal["as_accurate", "too_wide", "too_narrow", "a_little_wide", "a_little_narrow"]
"""What the slope of the human on the engine score says of the spread of the engine's scores."""


@dataclass(frozen=True)
class LevelError:
    """The mean error of the engine at one human score.

    Parameters
    ----------
    level, at
        The score, or band of scores, as the table calls it, and its mean.
    error, expected
        Engine minus rater, and what rater error alone would give; None if that is not known.
    shift
        The mean error over all levels, which says nothing of this one.
    """

    level: str
    at: float
    error: Estimate
    expected: Estimate | None
    shift: float = 0.0

    @property
    def beyond(self) -> bool:
        """Whether the error is larger than rater error alone could make it, also without the shift of all levels."""
        if self.expected is None or self.expected.low is None or self.expected.high is None:
            return False
        low, high = self.expected.low, self.expected.high
        return all(
            abs((self.error.value or 0.0) - moved) > abs(self.expected.value or 0.0)
            and apart_from(self.error, low + moved, high + moved)
            for moved in (0.0, self.shift)
        )

    @property
    def excess(self) -> float:
        """How far the error lies from what rater error alone would give."""
        return abs((self.error.value or 0.0) - ((self.expected and self.expected.value) or 0.0))


@dataclass(frozen=True)
class ScoreMeans:
    """Where the engine gives one score, or a band of them: its mean, and the mean human score with its interval."""

    band: str
    engine: float
    human: Estimate
    n: int


def level_errors(evaluation: Evaluation) -> list[LevelError]:
    """Return the error at each human score that occurs, lowest first."""
    table = evaluation.tables.get(BY_HUMAN)
    found = []
    for row in records(table) if table else []:
        at, error, expected = number(row["mean_human"]), row["mean_error"], row["expected_error"]
        if at is not None and isinstance(error, Estimate):
            found.append(LevelError(str(row["human"]), at, error, expected if isinstance(expected, Estimate) else None))
    n = sum(each.error.n for each in found)
    shift = sum(each.error.n * (each.error.value or 0.0) for each in found) / n if n else 0.0
    return [replace(each, shift=shift) for each in found]


def score_means(evaluation: Evaluation) -> list[ScoreMeans]:
    """Return the means where the engine gives each score, lowest first."""
    table = evaluation.tables.get(CALIBRATION)
    found = []
    for row in records(table) if table else []:
        human, engine = row["mean_human"], number(row["mean_system"])
        if number(human) is None or engine is None:
            continue
        mean = human if isinstance(human, Estimate) else Estimate("mean", number(human), 0, kind="score")
        found.append(ScoreMeans(str(row["band"]), engine, mean, int(number(row["n"]) or 0)))
    return found


def said_of_errors(levels: list[LevelError], least: int) -> dict[str, Any]:
    """Return what the errors at each human score say.

    Returns
    -------
    dict
        `levels` counted, `known` whether the part of rater error is, `beyond` the number of levels whose error is
        another, `worst` the farthest of these, or of all where there is none, `few` whether some have fewer than
        `least` responses.
    """
    judged = [each for each in levels if each.error.n >= least and each.error.low is not None]
    beyond = [each for each in judged if each.beyond]
    known = [each for each in judged if each.expected is not None]
    worst = max(beyond or known, key=lambda each: each.excess, default=None)
    return {
        "levels": len(judged),
        "known": any(each.expected is not None for each in levels),
        "beyond": len(beyond),
        "worst": None if worst is None else vars(worst),
        "few": any(each.error.n < least for each in levels),
    }


def said_of_calibration(evaluation: Evaluation, means: list[ScoreMeans], least: int) -> dict[str, Any]:
    """Return what the means at each engine score say.

    Returns
    -------
    dict
        `rows` with an interval counted, `off` the number of those that differ, `worst` the farthest of these, `small`
        whether even the ends of their intervals are within `small_gap` SD of the human scores, `spread` (see `Spread`,
        or nothing), `few`.
    """
    table = evaluation.tables.get(CALIBRATION)
    gaps = [
        (str(row["band"]), gap)
        for row in (records(table) if table else [])
        if isinstance(gap := row.get("calibration_gap"), Estimate) and gap.low is not None and gap.high is not None
    ]
    off = [(band, gap) for band, gap in gaps if (gap.low or 0.0) * (gap.high or 0.0) > 0]
    worst = max(off, key=lambda pair: abs(pair[1].value or 0.0), default=None)
    return {
        "rows": len(gaps),
        "off": len(off),
        "worst": None if worst is None else {"band": worst[0], "gap": worst[1]},
        "small_gap": SMALL_GAP,
        "small": bool(off) and _small(evaluation, [gap for _, gap in off]),
        "spread": _spread(estimate_of(evaluation, "levels.calibration_slope")),
        "few": any(each.n < least for each in means),
    }


def _small(evaluation: Evaluation, gaps: list[Estimate]) -> bool:
    """Return whether even the ends of all intervals are small."""
    spread = estimate_of(evaluation, "system.h_sd")
    if spread is None or not spread.value:
        return False
    return max(abs(end) for gap in gaps for end in (gap.low or 0.0, gap.high or 0.0)) <= SMALL_GAP * spread.value


def _spread(slope: Estimate | None) -> Spread | Literal[""]:
    """Return what a slope means; one that is surely not 1 may be so near that it hardly matters."""
    if slope is None or slope.low is None or slope.high is None:
        return ""
    if slope.low <= 1 <= slope.high:
        return "as_accurate"
    little = slope.low >= 1 - SMALL_SLOPE and slope.high <= 1 + SMALL_SLOPE
    if slope.high < 1:
        return "a_little_wide" if little else "too_wide"
    return "a_little_narrow" if little else "too_narrow"


def kept_ends(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return how many responses with the lowest and the highest human score get it from the engine, too."""
    table = evaluation.tables.get(BY_HUMAN)
    rows = records(table) if table else []
    found = []
    for end, place in (("lowest", 0), ("highest", -1)):
        kept = estimate_of(evaluation, f"levels.{end}_kept")
        if rows and kept is not None and kept.value is not None:
            same = round(kept.value * kept.n / 100)
            found.append({"end": end, "score": str(rows[place]["human"]), "n": kept.n, "same": same, "share": kept})
    return found
