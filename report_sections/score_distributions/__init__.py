"""Test whether the engine is neutral along the scale: how often it gives each score, and its errors."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from report_sections.figures import MOST_POINTS, Matrix, dots_of
from report_sections.lookup import category_names, estimates_in, is_drawn, only_points, overall_check
from reportgen.results import Cell, Record, number
from reportgen.results.chart import contain
from reportgen.sections import Axis, Chart, Dots, Estimate, Evaluation, Findings, Line, Pairs, Row, Section, Table, Term
from reportgen.wording.numbers import interval, num

MOST_BANDS = 12
_WIDTHS = (2, 5, 10, 20, 25, 50, 100)  # points in a band: the first of these that gives at most `MOST_BANDS` bands

USED, HALF = 1.0, 0.5  # an end point counts from this percentage on; less than this share of the other's use is rare


def rare_ends(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the end points of the scale that one side, raters or engine, uses less than half as often as the other.

    Rater error alone produces end points more often than true scores do, so `blamed` decides about the engine.

    Returns: `end`, "lowest" or "highest"; `often` and `seldom`, "raters" or "engine"; the number of responses to which
    they give the `score`, of `n`.
    """
    rows = evaluation.records(KEY) if evaluation.scale.ordered else []
    total, found, blame = sum(row.count("human_n") for row in rows), [], blamed(evaluation, rows)
    for end, at in (("lowest", 0), ("highest", -1)) if len(rows) > 1 and total else ():
        sides = [(rows[at].count("human_n"), "raters"), (rows[at].count("system_n"), "engine")]
        (seldom_n, seldom), (often_n, often) = sorted(sides)
        if 100 * often_n >= USED * total and seldom_n < HALF * often_n and at % len(rows) in blame:
            found.append({
                "score": str(rows[at]["score"]), "end": end, "often": often, "seldom": seldom, "often_n": often_n,
                "seldom_n": seldom_n, "n": total,
            })  # fmt: skip
    return found


def blamed(evaluation: Evaluation, rows: Sequence[Record]) -> set[int]:
    """Return the positions of scores that the engine gives too often or too rarely, by the raters' mean at its scores.

    A score is too frequent if this mean clearly differs there, and too rare if the mean at the engine's next score is
    clearly closer to it. If the mean is not known, every position is returned. Raters cannot err beyond the ends of the
    scale, which causes small gaps toward the middle but not toward an end. Elsewhere, small gaps do not count.
    """
    scale, found = evaluation.scale, evaluation.records(CALIBRATION)
    gaps = [(row.number("mean_system") or 0.0, gap) for row in found if (gap := row.estimate("calibration_gap"))]
    if not scale.ordered or not gaps:
        return set(range(len(rows)))
    small, step = SMALL_GAP * (number(evaluation.estimate(H_SD)) or 0.0), scale.step or 0.0
    low, width = scale.low - step / 2, (scale.high - scale.low + step) / max(len(rows), 1)

    def is_blamed(place: int) -> bool:
        ways = [(place + 0.5 - (at - low) / width, gap) for at, gap in gaps]
        if (rows[place].number("difference") or 0.0) > 0:
            return any(gap.apart(-small, small) for way, gap in ways if abs(way) <= 0.5)
        least = small if 0 < place < len(rows) - 1 else 0.0
        nearest = [each for each in ways if each[0] > 0.5][-1:] + [each for each in ways if each[0] < -0.5][:1]
        return any(way * (gap.value or 0.0) > 0 and gap.apart(-least, least) for way, gap in nearest)

    return {place for place in range(len(rows)) if is_blamed(place)}


def unused_points(rows: Sequence[Record]) -> dict[str, list[str]]:
    """Return the scores that neither raters nor the engine gave, and those one of them never gave, on a short scale."""
    unused: dict[str, list[str]] = {"both": [], "raters": [], "engine": []}
    for row in rows if len(rows) <= MOST_POINTS else ():
        human, engine = number(row.get("ratings_n", row["human_n"])), row.number("system_n")
        if not human or not engine:
            unused["both" if not human and not engine else "engine" if human else "raters"].append(str(row["score"]))
    return unused


def banded(table: Table) -> Table:
    """Return a distribution of many points as one of a few bands; shares and counts add up."""
    if len(table.rows) <= MOST_POINTS:
        return table
    width = next((width for width in _WIDTHS if len(table.rows) <= width * MOST_BANDS), len(table.rows))
    # a last band of less than half the width is merged, as in all other tables of bands
    starts = [width * place for place in range(max(1, round(len(table.rows) / width)))]
    rows = tuple(_band(table.rows[start:stop]) for start, stop in zip(starts, [*starts[1:], None], strict=True))
    return Table(f"{table.key}.bands", table.caption, table.columns, rows, table.notes)


def _band(rows: Sequence[Row]) -> Row:
    names, *columns = zip(*(row.cells for row in rows), strict=True)
    return Row((names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}", *map(_sum, columns)))


def _sum(cells: Sequence[Cell]) -> Cell:
    known = [cell for cell in cells if cell is not None]
    total = sum(number(cell) or 0.0 for cell in known)
    return None if not known else int(total) if all(isinstance(cell, int) for cell in cells) else total


KEY, H_SD = "distribution", "system.h_sd"


@dataclass(frozen=True)
class ScoreDistributions(Section, title="Score distributions", needs=("system",)):
    """Show how often raters and the engine give each score, and the errors at each human and each engine score.

    Parameters
    ----------
    flag_difference
        A score is flagged if the shares differ by more than this many percentage points, and not by chance.
    """

    flag_difference: float = 5.0

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return which scores the engine gives more or less often than raters, and its errors."""
        table, scale = evaluation.tables.get(KEY), evaluation.scale
        if table is None and scale.step:
            return Findings(values={"case": "none"})
        shown, least = banded(table) if table else None, evaluation.count("min_n_per_group")
        rows, whole = shown.records() if shown else [], shown is table
        ordered, scores = scale.ordered, scale.ordered and not only_points(evaluation)
        errors = level_errors(evaluation) if scores and not category_names(evaluation) else []
        second = second_rater_errors(evaluation, errors, least)
        means = score_means(evaluation) if scores else []
        calibration = said_of_calibration(evaluation, means, least)
        smd = overall_check(evaluation, "system.smd") if ordered else None
        shares = shares_of(evaluation, rows, self.flag_difference)
        flagged = {*shares["more"], *shares["fewer"]}
        return Findings(
            values={
                **shares,
                "unit": "label" if not ordered else "score" if whole else "band",
                "points": len(table.rows) if table and not whole else 0,
                "file": table.file_name if table else "",
                "ends": rare_ends(evaluation),
                "unused": unused_points(rows) if rows and whole else {},
                **(_moments(evaluation) if ordered else {"mean": "", "true": ""}),
                "check": smd,
                "least": least,
                "errors": {**said_of_errors(errors, least), "second": bool(second)} if errors else None,
                "calibration": calibration if means else None,
                "kept": kept_ends(evaluation) if errors else [],
            },
            tables=(
                *((_flagged(shown, flagged),) if shown and not (whole and ordered) else ()),
                *(evaluation.present(BY_HUMAN) if errors else ()),
            ),
            charts=(
                *((distribution_chart(rows, flagged, labels=not ordered),) if rows else ()),
                *((error_chart(errors, second, least),) if errors else ()),
                *((calibration_chart(means, calibration, least, scale.low, scale.high),) if means else ()),
            ),
            outcome=smd.outcome if smd else "",
        )


def shares_of(evaluation: Evaluation, rows: Sequence[Record], limit: float) -> dict[str, Any]:
    """Return the scores that the engine clearly gives too often or too rarely, and scores that may be chance.

    Differences of bands have no interval, so they are described as they are in these responses.
    """
    blame, differences = blamed(evaluation, rows), [row.number("difference") or 0.0 for row in rows]
    over = [place for place, each in enumerate(differences) if abs(each) > limit]
    plain = any(not isinstance(rows[place]["difference"], Estimate) for place in over)
    clear = [place for place in over if plain or rows[place].apart("difference")]
    sure = sorted(blame.intersection(clear), key=lambda place: -abs(differences[place]))
    only = [str(row["score"]) for row in rows if row.number("system_n")]
    cases = {
        "continuous": not rows, "constant": len(only) == 1, "in_these_responses": plain and sure, "differ": sure,
        "unclear": over and not clear, "explained": over,
    }  # fmt: skip
    return {
        "case": next((case for case, holds in cases.items() if holds), "close"),
        "limit": limit,
        "only": only,
        "more": [str(rows[place]["score"]) for place in sure if differences[place] > 0],
        "fewer": [str(rows[place]["score"]) for place in sure if differences[place] < 0],
        "maybe": [str(rows[place]["score"]) for place in over if place not in clear],
    }


def _flagged(table: Table, flagged: Collection[str]) -> Table:
    rows = (replace(row, mark="flagged") if str(row.cells[0]) in flagged else row for row in table.rows)
    return replace(table, rows=tuple(rows))


def _moments(evaluation: Evaluation) -> dict[str, Any]:
    """Return how the engine's mean compares with the raters' mean, and whether true scores vary less than ratings."""
    smd, human, true = (evaluation.estimate(key) for key in ("system.smd", H_SD, "levels.true_sd"))
    if evaluation.facts.get("raters_share"):
        true = None  # if raters may not agree beyond chance, the spread of true scores has no meaning
    narrower = human is not None and true is not None and (true.value or 0.0) < (human.value or 0.0)
    return {"mean": _beside(smd), "true": "" if true is None else "narrower" if narrower else "not_narrower"}


def _beside(smd: Estimate | None) -> str:
    """Return how the engine mean compares with the human mean, as far as the interval shows."""
    if smd is None or smd.value is None:
        return ""
    if not smd.value:
        return "equal"
    if smd.low is None or smd.high is None:
        return "no_interval"
    return "open" if smd.low <= 0 <= smd.high else "higher" if smd.value > 0 else "lower"


BY_HUMAN, CALIBRATION = "levels.by_human", "calibration"

SMALL_GAP = 0.1  # a clear difference of means up to this many standard deviations of human scores is called small

SMALL_SLOPE = 0.05
"""Distance from 1 up to which a slope that clearly differs from 1 hardly matters. It costs at most 0.0025 of the
variance of the engine's scores.
"""


@dataclass(frozen=True)
class LevelError:
    """The mean error of the engine at one human score.

    Parameters
    ----------
    level, at
        The name of the score, or band of scores, in the table, and its mean.
    error, expected
        Engine minus rater, and the part from rater error alone; None if it is not known.
    shift
        The mean error over all levels, which is not specific to this one.
    """

    level: str
    at: float
    error: Estimate
    expected: Estimate | None
    shift: float = 0.0

    @property
    def beyond(self) -> bool:
        """Whether the error is larger than rater error alone could cause, even without the shift of all levels."""
        expected, error = self.expected, self.error
        if expected is None or expected.low is None or expected.high is None:
            return False
        return all(
            abs((error.value or 0.0) - moved) > abs(expected.value or 0.0)
            and error.apart(expected.low + moved, expected.high + moved)
            for moved in (0.0, self.shift)
        )

    @property
    def excess(self) -> float:
        """Distance of the error from the part from rater error alone."""
        return abs((self.error.value or 0.0) - ((self.expected and self.expected.value) or 0.0))


def level_errors(evaluation: Evaluation) -> list[LevelError]:
    """Return the error at each human score that occurs, lowest first."""
    found = [
        LevelError(str(row["human"]), at, error, expected if isinstance(expected, Estimate) else None)
        for row in evaluation.records(BY_HUMAN)
        for error, expected in [(row["mean_error"], row["expected_error"])]
        if (at := row.number("mean_human")) is not None and isinstance(error, Estimate)
    ]
    n = sum(each.error.n for each in found)
    shift = sum(each.error.n * (each.error.value or 0.0) for each in found) / n if n else 0.0
    return [replace(each, shift=shift) for each in found]


def score_means(evaluation: Evaluation) -> list[tuple[float, Estimate]]:
    """Return the means of engine and raters at each engine score, or band of engine scores, lowest first."""
    return [
        (engine, replace(row.estimate("mean_human") or Estimate("mean", human, 0, kind="score"), n=row.count("n")))
        for row in evaluation.records(CALIBRATION)
        if (human := row.number("mean_human")) is not None and (engine := row.number("mean_system")) is not None
    ]


def said_of_errors(levels: list[LevelError], least: int) -> dict[str, Any]:
    """Summarize the errors at each human score.

    Returns: `levels` counted, `known` whether the part of rater error is known, `beyond` the number of levels with a
    different error, `tested` the number of those that could have one, `worst` the most extreme of these, or of all if
    there are none, `few` whether some have fewer than `least` responses.
    """
    judged = [each for each in levels if each.error.n >= least and each.error.low is not None]
    beyond = [each for each in judged if each.beyond]
    known = [each for each in judged if each.expected is not None]
    worst = max(beyond or known, key=lambda each: each.excess, default=None)
    return {
        "levels": len(judged),
        "known": any(each.expected is not None for each in levels),
        "beyond": len(beyond),
        "tested": sum(each.expected is not None and each.expected.low is not None for each in judged),
        "all": len(levels),
        "worst": worst and vars(worst),
        "few": any(each.error.n < least for each in levels),
    }


def said_of_calibration(evaluation: Evaluation, means: list[tuple[float, Estimate]], least: int) -> dict[str, Any]:
    """Summarize the means at each engine score.

    Returns: `rows`, the number with an interval, `off` the number of those that differ, `worst` the farthest of these,
    `small` whether even the ends of their intervals are within `small_gap` SD of the human scores, `spread`, `few`.
    """
    found, sd = estimates_in(evaluation.records(CALIBRATION), "band", "calibration_gap"), evaluation.estimate(H_SD)
    off: list[dict[str, Any]] = [{"band": band, "gap": gap} for band, gap in found if gap.apart()]
    ends = [abs(end or 0.0) for band, gap in found if gap.apart() for end in (gap.low, gap.high)]
    return {
        "rows": sum(gap.low is not None for _, gap in found),
        "off": len(off),
        "worst": max(off, key=lambda each: abs(number(each["gap"]) or 0.0), default=None),
        "small_gap": SMALL_GAP,
        "small": bool(off) and sd is not None and max(ends) <= SMALL_GAP * (sd.value or 0.0),
        "spread": _spread(evaluation.estimate("levels.calibration_slope")),
        "few": any(human.n < least for _, human in means),
    }


def _spread(slope: Estimate | None) -> str:
    """Interpret a slope, such as "too_wide"; a slope that clearly differs from 1 may hardly matter: "a_little_wide"."""
    if slope is None or slope.low is None or slope.high is None:
        return ""
    if slope.low <= 1 <= slope.high:
        return "as_accurate"
    little = slope.low >= 1 - SMALL_SLOPE and slope.high <= 1 + SMALL_SLOPE
    return f"{'a_little' if little else 'too'}_{'wide' if slope.high < 1 else 'narrow'}"


def kept_ends(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return how many responses with the lowest and the highest human score also get it from the engine."""
    rows = evaluation.records(BY_HUMAN)
    found = []
    for end, place in (("lowest", 0), ("highest", -1)):
        if rows and (kept := evaluation.estimate(f"levels.{end}_kept")):
            same = round((kept.value or 0.0) * kept.n / 100)
            found.append({"end": end, "score": str(rows[place]["human"]), "n": kept.n, "same": same, "share": kept})
    return found


def distribution_chart(rows: Sequence[Record], flagged: Collection[str], *, labels: bool = False) -> Chart:
    """Draw the percentage of responses at each score as pairs of dots for raters and engine.

    `rows`: Scores with their shares. `flagged`: Scores with a label for the difference. `labels`: Whether they
    are labels without an order.
    """
    sides = ("human", "system")
    items = [{"score": str(row["score"]), **{who: row.number(f"{who}_percent") for who in sides}} for row in rows]
    points, human, system = zip(*(each.values() for each in items), strict=True)
    notes = tuple(_noted(row) if str(row["score"]) in flagged else "" for row in rows)
    pairs = Pairs(
        (Term("raters"), Term("engine")), points, human, system, notes=notes if any(notes) else (),
        note_label=Term("engine_minus_rater"),
    )  # fmt: skip
    x = Axis(Term("axis_label" if labels else "axis_score"), categories=points)
    y = Axis(Term("share_of_responses"), low=0.0, unit="%")
    return Chart("distribution.chart", "", Term("distribution_alt", rows=items), x, y, (pairs,))


def _noted(row: Record) -> str:
    """Format a difference of shares; differences of bands have no interval."""
    found, value = row.estimate("difference"), row.number("difference")
    if found is None:
        return "" if value is None else num(value, "percent", signed=True)
    said = num(found, signed=True)
    return said if found.low is None else f"{said} {interval(found, signed=True)}"


def second_rater_errors(
    evaluation: Evaluation, levels: Sequence[LevelError], least: int
) -> tuple[tuple[float, float], ...]:
    """Return human scores and a second rater's mean difference from them, with at least `least` responses each."""
    places, points, found = {each.level: each.at for each in levels}, evaluation.scale.points(), []
    for table in () if is_drawn(evaluation) else evaluation.present("confusion.human"):
        matrix = Matrix.of(table)
        for name, counts in zip(matrix.rows, matrix.counts, strict=True):
            if name in places and len(counts) == len(points) and (n := sum(counts)) >= least:
                mean = sum(count * point for count, point in zip(counts, points, strict=True)) / n
                found.append((places[name], mean - places[name]))
    return tuple(found) if len(found) > 1 else ()


def error_chart(levels: Sequence[LevelError], second: Sequence[tuple[float, float]], least: int) -> Chart:
    """Draw the mean error at each human score, in color only if rater error (or if unknown, chance) cannot explain it.

    `levels`: Errors at the human scores that occur, at least one. `second`: A second rater's. `least`: A level with
    fewer responses has a hollow dot and no interval.
    """
    known = [each for each in levels if each.expected is not None and each.expected.value is not None]
    at, expected = tuple(each.at for each in known), tuple(number(each.expected) for each in known)
    alone = Line(Term("rater_error_alone"), at, expected, "human", "dash")
    places, errors = tuple(at for at, _ in second), tuple(error for _, error in second)
    theirs = [Line(Term("second_rater"), places, errors, "human", "dot")] if second else []
    dots = _level_dots(Term("engine_minus_rater"), [each.at for each in levels], [each.error for each in levels], least)
    dots = replace(dots, pale=tuple(not (each.beyond if known else each.error.apart()) for each in levels))
    return Chart(
        "levels.by_human.chart",
        "",
        Term("errors_alt", ends=[vars(each) for each in (levels[0], *levels[1:][-1:])]),
        Axis(Term("mean_human_score_of_level")),
        Axis(Term("engine_minus_rater")),
        (*([alone] if len(known) > 1 else []), *theirs, dots),
        strip_counts=tuple((each.at, each.error.n) for each in levels),
        counts_above=True,
    )


def calibration_chart(
    means: Sequence[tuple[float, Estimate]], said: Mapping[str, Any], least: int, low: float, high: float
) -> Chart:
    """Draw the mean human score at each engine score, on a square over the whole scale.

    `means`: Means of engine and raters at the engine scores that occur, at least one. `said`: The section's findings
    about them, which the alt text repeats. `least`: A band with fewer responses has a hollow dot and no interval.
    `low`, `high`: Ends of the scale.
    """
    alt = Term("calibration_alt", bands=len(means), **{key: said[key] for key in ("rows", "off", "worst")})
    engine, human = zip(*means, strict=True)
    ends = contain((low, high), engine)
    x, y = (
        Axis(Term(title), low=ends[0], high=ends[1], fixed=True)
        for title in ("mean_engine_score_of_band", "mean_human_score")
    )
    layers = (Line(Term("equal_means"), ends, ends, "human", "dash"), _level_dots(y.title, engine, human, least))
    counts = tuple((at, each.n) for at, each in means)
    return Chart("calibration.chart", "", alt, x, y, layers, strip_counts=counts, square=True, counts_above=True)


def _level_dots(label: str, places: Sequence[float], estimates: Sequence[Estimate], least: int) -> Dots:
    """Return estimates at scores, hollow and without an interval if they have fewer than `least` responses."""
    shown = [replace(each, low=None, high=None) if each.n < least else each for each in estimates]
    return dots_of(label, places, shown, hollow=[each.n < least for each in estimates], along="y")
