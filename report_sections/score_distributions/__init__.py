"""Whether the engine is neutral along the scale: how often it gives each score, and its error at each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from report_sections.figures import dots_of
from report_sections.lookup import (
    Record,
    apart_from,
    category_names,
    estimate_of,
    estimates_in,
    fact,
    number,
    only_points,
    overall_check,
    records,
    rows_of,
)
from report_sections.shares import banded, by_noise, excess, rare_ends, unused_points
from reportgen.results import Cell
from reportgen.sections import Axis, Chart, Dots, Estimate, Evaluation, Findings, Line, Pairs, Section, Table, Term
from reportgen.wording.numbers import interval, num

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
        errors = level_errors(evaluation) if self.levels and scores and not category_names(evaluation) else []
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
        sure.sort(key=lambda row: -abs(excess(row)))
        more, fewer = ([str(row["score"]) for row in sure if side * excess(row) > 0] for side in (1, -1))
        large = any(abs(number(row["difference"]) or 0.0) > self.flag_difference for row in rows)
        cases = {
            "continuous": not rows, "in_these_responses": plain, "differ": sure, "unclear": over, "explained": large,
        }  # fmt: skip
        case = next((case for case, holds in cases.items() if holds), "close")
        maybe = [str(row["score"]) for row in over if row not in sure]
        return {"case": case, "limit": self.flag_difference, "more": more, "fewer": fewer, "maybe": maybe}

    def _flagged(self, rows: Sequence[Record]) -> set[str]:
        found = self._shares(rows)
        return {*found["more"], *found["fewer"]}

    def _table(self, table: Table) -> Table:
        flagged = self._flagged(records(table))
        rows = tuple(replace(row, mark="flagged") if str(row.cells[0]) in flagged else row for row in table.rows)
        return replace(table, rows=rows)


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
    def stands_out(self) -> bool:
        """Whether it is beyond what rater error alone would give; where that is not known, surely not 0."""
        return apart_from(self.error) if self.expected is None or self.expected.value is None else self.beyond

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
    found = []
    for row in rows_of(evaluation, BY_HUMAN):
        at, error, expected = number(row["mean_human"]), row["mean_error"], row["expected_error"]
        if at is not None and isinstance(error, Estimate):
            found.append(LevelError(str(row["human"]), at, error, expected if isinstance(expected, Estimate) else None))
    n = sum(each.error.n for each in found)
    shift = sum(each.error.n * (each.error.value or 0.0) for each in found) / n if n else 0.0
    return [replace(each, shift=shift) for each in found]


def score_means(evaluation: Evaluation) -> list[ScoreMeans]:
    """Return the means where the engine gives each score, lowest first."""
    found = []
    for row in rows_of(evaluation, CALIBRATION):
        human, engine = row["mean_human"], number(row["mean_system"])
        if number(human) is None or engine is None:
            continue
        mean = human if isinstance(human, Estimate) else Estimate("mean", number(human), 0, kind="score")
        found.append(ScoreMeans(str(row["band"]), engine, mean, int(number(row["n"]) or 0)))
    return found


def said_of_errors(levels: list[LevelError], least: int) -> dict[str, Any]:
    """Return what the errors at each human score say.

    Returns: `levels` counted, `known` whether the part of rater error is, `beyond` the number of levels whose error is
    another, `worst` the farthest of these, or of all where there is none, `few` whether some have fewer than `least`
    responses.
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

    Returns: `rows` with an interval counted, `off` the number of those that differ, `worst` the farthest of these,
    `small` whether even the ends of their intervals are within `small_gap` SD of the human scores, `spread` (see
    `Spread`, or nothing), `few`.
    """
    found = estimates_in(rows_of(evaluation, CALIBRATION), "band", "calibration_gap")
    gaps = [(band, gap) for band, gap in found if gap.low is not None]
    off = [(band, gap) for band, gap in gaps if apart_from(gap)]
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
    rows = rows_of(evaluation, BY_HUMAN)
    found = []
    for end, place in (("lowest", 0), ("highest", -1)):
        kept = estimate_of(evaluation, f"levels.{end}_kept")
        if rows and kept is not None and kept.value is not None:
            same = round(kept.value * kept.n / 100)
            found.append({"end": end, "score": str(rows[place]["human"]), "n": kept.n, "same": same, "share": kept})
    return found


DISTRIBUTION_CHART, ERRORS_CHART, CALIBRATION_CHART = "distribution.chart", "levels.by_human.chart", "calibration.chart"


def distribution_chart(rows: Sequence[Record], flagged: Collection[str], *, labels: bool = False) -> Chart:
    """Return the percentage of responses at each score as pairs of dots, raters beside the engine.

    `rows`: Scores with their shares. `flagged`: Scores above which the difference is written. `labels`: Whether they
    are labels without an order.
    """
    points = tuple(str(row["score"]) for row in rows)
    human, system = (tuple(number(row[f"{who}_percent"]) for row in rows) for who in ("human", "system"))
    told = [
        {"score": point, "human": rater, "system": engine}
        for point, rater, engine in zip(points, human, system, strict=True)
    ]
    notes = tuple(_noted(row["difference"]) if str(row["score"]) in flagged else "" for row in rows)
    pairs = Pairs(
        (Term("raters"), Term("engine")),
        points,
        human,
        system,
        notes=notes if any(notes) else (),
        note_label=Term("engine_minus_rater"),
    )
    x = Axis(Term("axis_label" if labels else "axis_score"), categories=points)
    y = Axis(Term("share_of_responses"), low=0.0, unit="%")
    return Chart(DISTRIBUTION_CHART, "", Term("distribution_alt", rows=told), x, y, (pairs,))


def _noted(cell: Cell) -> str:
    """Return a difference of shares in figures; that of bands has no interval."""
    if number(cell) is None:
        return ""
    if not isinstance(cell, Estimate):
        return num(number(cell), "percent", signed=True)
    said = num(cell, signed=True)
    return said if cell.low is None else f"{said} {interval(cell, signed=True)}"


def error_chart(levels: Sequence[LevelError], least: int) -> Chart:
    """Return the mean error at each human score, in color only where rater error alone does not explain it.

    `levels`: Those of the human scores that occur, at least one. `least`: A level of fewer responses has a hollow dot
    and no interval.
    """
    known = [each for each in levels if each.expected is not None and each.expected.value is not None]
    at, expected = (each.at for each in known), (number(each.expected) for each in known)
    alone = Line(Term("rater_error_alone"), tuple(at), tuple(expected), "human", "dash", named_inside=True)
    dots = _level_dots(Term("engine_minus_rater"), [each.at for each in levels], [each.error for each in levels], least)
    return Chart(
        ERRORS_CHART,
        "",
        Term("errors_alt", ends=[vars(each) for each in (levels[0], *levels[1:][-1:])]),
        Axis(Term("mean_human_score_of_level")),
        Axis(Term("engine_minus_rater")),
        (*([alone] if len(known) > 1 else []), replace(dots, pale=tuple(not each.stands_out for each in levels))),
        strip_counts=tuple((each.at, each.error.n) for each in levels),
        counts_above=True,
    )


def calibration_chart(
    bands: Sequence[ScoreMeans], said: Mapping[str, Any], least: int, low: float, high: float
) -> Chart:
    """Return the mean human score where the engine gives a score, on a square over the whole scale.

    Parameters
    ----------
    bands
        Those of the engine scores that occur, at least one.
    said
        What the section says of them, which the words for the chart repeat.
    least
        A band of fewer responses has a hollow dot and no interval.
    low, high
        Ends of the scale.
    """
    alt = Term("calibration_alt", bands=len(bands), **{key: said[key] for key in ("rows", "off", "worst")})
    engine = [each.engine for each in bands]
    ends = min(low, *engine), max(high, *engine)
    x, y = (
        Axis(Term(title), low=ends[0], high=ends[1], fixed=True)
        for title in ("mean_engine_score_of_band", "mean_human_score")
    )
    layers = (
        Line(Term("equal_means"), ends, ends, "human", "dash", named_inside=True),
        _level_dots(y.title, engine, [replace(each.human, n=each.n) for each in bands], least),
    )
    counts = tuple((each.engine, each.n) for each in bands)
    return Chart(CALIBRATION_CHART, "", alt, x, y, layers, strip_counts=counts, square=True, counts_above=True)


def _level_dots(label: str, places: Sequence[float], estimates: Sequence[Estimate], least: int) -> Dots:
    """Return estimates at scores; of fewer than `least` responses hollow and without an interval."""
    shown = [replace(each, low=None, high=None) if each.n < least else each for each in estimates]
    return dots_of(label, places, shown, hollow=[each.n < least for each in estimates], along="y")
