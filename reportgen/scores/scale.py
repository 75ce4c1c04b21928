"""The score scale: declared, declared item by item, or inferred from the scores and marked as assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter, ValidationError

from reportgen.design.profiles import without_codes
from reportgen.errors import InputError, QuestionError, SettingsError, joined, write_command
from reportgen.results import Scale
from reportgen.settings import PreparationSettings, Settings
from reportgen.settings.kinds import MOST_POINTS, DeclaredScale, problem
from reportgen.sources.column_names import refuse_unknown
from reportgen.sources.columns import NO_INFO, Floats, Mask, as_text
from reportgen.sources.readers import about, open_reader
from reportgen.wording.numbers import many

NO_SCORE = "; if 0 means that there is no score, add --exclude-zero-scores"
"""Hint for a human score of 0 outside the declared scale."""

LEAST_COARSE, ALMOST = 3, 7
"""A longer step that whole numbers, halves, or tenths share counts if they have at least `LEAST_COARSE` distinct
values,
and if their number plus the step, in whole numbers, halves, or tenths, is at least `ALMOST`.  Fewer may share a step by
chance.

On a scale of tens, agreement to the point would depend on an engine's last digit.
"""

FEW_STEPS = 10
"""The longest assumed scale, in steps, on the evidence of the engine alone, however few points raters used."""

LONGEST, FINEST, SHORT = 101, 0.025, 11
"""The most points of a scale with a step below a half, and of a scale with a step below `FINEST`.

More points are rounded measurements, for example to two decimals.
"""

MOST_PARTS = 1000  # the largest denominator of points: quarters, tenths, thirds, thousandths

AT_ONCE = 64  # scores whose common step is computed exactly before the others are compared with it

NEAR = 1e-4  # a score within this share of a step from a point is that point, for single-precision numbers


MOST_ENDS = 4
"""How many of the lowest, and of the highest, scores of an engine are kept."""


class Span(NamedTuple):
    """The ends of the engine's scores and the longest step that they share; the spans of two tables add up.

    ends: The lowest and highest distinct scores in order, `MOST_ENDS` of each, with how many responses have each, and
        the sum of their human scores.
    common: None if they share no step, and 0 if all scores are 0.
    """

    ends: tuple[tuple[float, float, float], ...] = ()
    common: Fraction | None = Fraction(0)

    @property
    def low(self) -> float:
        """The lowest score."""
        return self.ends[0][0] if self.ends else np.inf

    @property
    def high(self) -> float:
        """The highest score."""
        return self.ends[-1][0] if self.ends else -np.inf

    @classmethod
    def of(cls, scores: Floats, human: Floats | None = None) -> Span:
        """Return the span of some finite scores, with the human scores of the same responses.

        >>> Span.of(np.array([1.0, 2.5]), np.array([1.0, 2.0])) + Span.of(np.array([2.5]), np.array([3.0]))
        Span(ends=((1.0, 1.0, 1.0), (2.5, 2.0, 5.0)), common=Fraction(1, 2))
        """
        human = np.zeros(len(scores)) if human is None else human
        return cls(_ends(scores, np.ones(len(scores)), human), common_step(scores)) if scores.size else cls()

    def __add__(self, other: Span) -> Span:  # type: ignore[override]
        """Return the span of both."""
        both = np.array([*self.ends, *other.ends]).reshape(-1, 3)
        return Span(_ends(*both.T), _shared(self.common, other.common))

    def is_multiple_of(self, step: Fraction) -> bool:
        """Return whether every score is a multiple of a step."""
        return self.common is not None and self.common % step == 0


def _ends(scores: Floats, times: Floats, human: Floats) -> tuple[tuple[float, float, float], ...]:
    distinct, place = np.unique(scores, return_inverse=True)
    rows = np.column_stack([distinct, *(np.bincount(place, each, len(distinct)) for each in (times, human))]).tolist()
    return tuple(map(tuple, rows if len(rows) <= 2 * MOST_ENDS else [*rows[:MOST_ENDS], *rows[-MOST_ENDS:]]))


NOWHERE = Span()  # the span of no scores


def score_scale(
    declared: Scale | None, human: Floats, times: Floats | None = None, engine: Span | None = None
) -> Scale:
    """Return the declared scale, or the scale that the scores span.

    Whole human scores have a step of 1, half points a step of 0.5; quarters, tenths, or thirds have their step if there
    are few points (see `LONGEST`).  A longer step that the scores share counts at three points or more (see `ALMOST`),
    unless the engine gives points between.  Other scores, and more than 1,001 points, have a continuous scale, with
    step 0, from 0 to 1 if they are rates. Engine scores on the same points extend the scale, but at most to twice its
    length or ten steps, and not below 0 if raters did not go below 0.

    declared: The declared scale, if any.
    human: Human scores, shape (n, k), NaN if missing; at least one is not.
    times: How often each of them was given; default: once.
    engine: The ends of the engine's scores, if they may extend a scale that is not declared.

    >>> score_scale(None, np.array([[2.0, np.nan], [4.5, 3.0]]))
    Scale(low=2.0, high=4.5, step=0.5, assumed=True, labels=(), ordered=True)
    """
    given = ~np.isnan(human)
    scores = human[given]
    if declared is not None:
        _refuse_outside(scores, declared, None if times is None else times[given])
        return declared
    low, high, engine = float(scores.min()) + 0.0, float(scores.max()) + 0.0, engine or NOWHERE  # -0.0 is 0
    step = _step(scores, engine)
    if not step:
        return Scale(*((0.0, 1.0) if 0 <= low < high <= 1 else (low, high)), 0.0, assumed=True)
    low, high = (float(round(end / step) * step) for end in (low, high))
    return Scale(*_with_engine(low, high, step, engine), float(step), assumed=True)


def common_step(scores: Floats) -> Fraction | None:
    """Return the longest step of which all scores are multiples, up to rounding of their last digits.

    None if there is none of at least a thousandth, and 0 if all scores are 0.

    >>> common_step(np.array([0.30000000000000004, 0.1, 0.8])), common_step(np.array([10.0, 25.0]))
    (Fraction(1, 10), Fraction(5, 1))
    >>> common_step(np.array([0.5, 2**0.5])) is None
    True
    """
    scores = scores[scores != 0]
    if np.abs(scores).max(initial=0) >= 2**53:  # not exact integers
        return None
    step: Fraction | None = Fraction(0)
    while scores.size and step is not None:
        for score in np.unique(scores[:AT_ONCE]).tolist():
            step = _shared(step, Fraction(score).limit_denominator(MOST_PARTS))
        if not step:
            return None
        steps, first = scores / float(step), scores[0]
        scores = scores[np.abs(steps - np.rint(steps)) > NEAR]
        if scores.size and scores[0] == first:
            return None
    return step


def _shared(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Return the longest step of which both are multiples; None if it is below a thousandth."""
    if one is None or other is None:
        return None
    parts = math.lcm(one.denominator, other.denominator)
    found = Fraction(math.gcd(int(one * parts), int(other * parts)), parts)
    return found if not found or found * MOST_PARTS >= 1 else None


def _step(scores: Floats, engine: Span) -> Fraction:
    """Return the distance between the points of human scores; 0 for a continuous scale."""
    points = np.unique(scores)
    shared = common_step(points) if len(points) <= MOST_POINTS else None
    if shared is None or (len(points) == 1 and shared.denominator > 2):  # one number does not show a step
        return Fraction(0)
    base, shared = Fraction(1, shared.denominator), shared or Fraction(1)
    together = _shared(shared, engine.common) if engine.is_multiple_of(base) else shared
    step = base if together is None or len(points) < max(Fraction(LEAST_COARSE), ALMOST - shared / base) else together
    most = MOST_POINTS if step >= Fraction(1, 2) else LONGEST if step >= FINEST else SHORT
    return step if float(points[-1] - points[0]) < (most - NEAR) * step else Fraction(0)


def _with_engine(low: float, high: float, step: Fraction, engine: Span) -> tuple[float, float]:
    """Return the ends of the raters' scale, extended by an engine that uses its points."""
    if not engine.is_multiple_of(step) or engine.low > engine.high:
        return low, high
    lowest, highest = (float(round(end / step) * step) for end in (min(low, engine.low), max(high, engine.high)))
    lowest = low if lowest < 0 <= low else lowest
    length = highest - lowest
    far = length > max(2 * (high - low), float(FEW_STEPS * step)) or length / step >= MOST_POINTS
    return (low, high) if far else (lowest, highest)


def typed(low: float, high: float, step: float) -> str:
    """Return a scale in the syntax of ``--scale``; invalid ends become placeholders.

    >>> typed(1, 6, 1), typed(1, 5, 0.5), typed(0.25, 99.125, 0), typed(-6, 1e308, 0)
    ('1:6', '1:5:0.5', '0.25:99.125:0', 'LOW:HIGH')
    """
    if not high - low < MOST_POINTS:
        return "LOW:HIGH"
    low_end, high_end = (repr(float(end)).removesuffix(".0") for end in (low, high))
    ends = f"{low_end}:{high_end}"
    return ends if step == 1 else f"{ends}:{step:.15g}"


def between_points(scale: Scale, human: Floats, times: Floats | None = None) -> int:
    """Return how many human scores, each given `times` times, fall between points; 0 on a continuous scale."""
    if scale.step == 0:
        return 0
    steps = (human - scale.low) / scale.step
    return number_of(np.abs(steps - np.rint(steps)) > NEAR, times)


SPANS, STEPS = 1.5, 5  # the shortest gap before outlying scores, in spans and in usual steps of the other scores

SPANS_BELOW = 4.0
"""Below this many spans, a score of 0 or more may be the rare low end of a scale whose upper part raters use."""

LEAST_VALUES, MOST_CODES = 3, 3
"""The fewest distinct values that show the steps of a scale, and the most distinct values of codes or typos."""


class Apart(NamedTuple):
    """Outlying distinct values, and the ends of the others."""

    values: tuple[float, ...]
    low: float
    high: float


def outlier_codes(scores: Floats, engine: Span = NOWHERE) -> Apart:
    """Return the human scores that a gap separates from the others; none if all may be on one scale.

    A gap counts if it is at least 1.5 times the span of the others (the span itself if there are codes such as -1)
    and at least five times the smallest distance between them.  Below the others, a nonnegative score counts only
    beyond four spans: raters may rarely use the low end of a scale.  A 0 below positive scores never counts; its
    number is reported elsewhere.

    scores: Of any shape, NaN if missing; how often a score was given does not matter.
    engine: The ends of the engine's scores, if known.

    >>> outlier_codes(np.array([1.0, 2, 3, 4, 5, 6, 99]))
    Apart(values=(99.0,), low=1.0, high=6.0)
    >>> outlier_codes(np.array([0.0, 50, 55, 60, 80, 100])).values
    ()
    """
    every = np.unique(scores[np.isfinite(scores)])
    values = without_codes(every)
    others = np.setdiff1d(values, _apart(values, SPANS if values.size == every.size else 1.0))
    others = np.setdiff1d(values, _beyond(values, engine)) if others.size == every.size else others
    return Apart(tuple(np.setdiff1d(every, others).tolist()), float(others[0]), float(others[-1]))


def _apart(values: Floats, spans: float) -> Floats:
    """Return the few sorted values that a gap of so many spans separates from the others."""
    if values.size <= LEAST_VALUES:
        return values[:0]
    place = int(np.argmax(np.diff(values))) + 1
    others, few = values[:place], values[place:]
    if few.size > others.size:
        others, few = few, others
    if others.size < LEAST_VALUES or few.size >= others.size or few.size > MOST_CODES or few[-1] == 0 < others[0]:
        return values[:0]
    gap, span, step = np.diff(values)[place - 1], np.ptp(others), np.diff(others).min()
    rare_end = 0 <= few[0] < others[0]
    return few if gap >= max((SPANS_BELOW if rare_end else spans) * span, STEPS * step) else values[:0]


def _beyond(values: Floats, engine: Span) -> Floats:
    """Return 7, 8, or 9 above a gap in whole human scores that start at 0 or 1, if the engine ends below the gap."""
    few, others = values[values > engine.high + 1], values[values <= engine.high + 1]
    dense = others.size >= LEAST_VALUES and others[0] in (0, 1) and np.ptp(others) == others.size - 1
    return few if dense and few.size and {*few.tolist()} <= {7, 8, 9} and few[0] > others[-1] + 1 else few[:0]


def trim_bounds(preparation: PreparationSettings, scale: Scale) -> tuple[float, float]:
    """Return the bounds of trimmed scores: as set, otherwise the ends of the scale."""
    low = scale.low if preparation.trim_min is None else preparation.trim_min
    high = scale.high if preparation.trim_max is None else preparation.trim_max
    if low > high:
        raise SettingsError(f"--trim-min ({low:g}) is above --trim-max ({high:g}); the defaults are the scale's ends.")
    if scale.step > 0 and high - low >= MOST_POINTS * scale.step:
        text = f"--trim-min ({low:g}) and --trim-max ({high:g}) are more than {MOST_POINTS:,} score points apart; "
        raise SettingsError(f"{text}move them closer to the ends of the scale.")
    return low, high


def trim_tolerance(settings: Settings, scale: Scale) -> float:
    """Return how far a trimmed score may exceed the bounds: a share of the step, so that it still rounds to them.

    It is 0 on a continuous scale, whose scores are not rounded.  An rsmeval configuration sets the distance directly.
    """
    given = settings.preparation.trim_tolerance
    return given if settings.rsmeval is not None else given * scale.step


def number_of(marked: Mask, times: Floats | None) -> int:
    """Return how many marked scores there are, each given `times` times; None for once."""
    return int(marked.sum() if times is None else times[marked].sum())


def _refuse_outside(scores: Floats, declared: Scale, times: Floats | None) -> None:
    """Raise if scores are outside the declared scale, or a question if they may be codes for no score."""
    near = NEAR * declared.step
    outside = (scores < declared.low - near) | (scores > declared.high + near)
    if not outside.any():
        return
    values = np.unique(scores[outside])
    far = np.intersect1d(outlier_codes(scores).values, values)
    codes = far if far.size else values[values == 0]
    others = scores[~np.isin(scores, [*codes, 0] if 0 in values else codes)]
    shown = joined((f"{value:g}" for value in values), "or", 5)
    are = f"{many(n := number_of(outside, times), 'human score')} {'is' if n == 1 else 'are'}"
    text = f"{are} {shown}, but the specified scale is {declared.low:g} to {declared.high:g}"
    spans = [score_scale(None, part) for part in (scores, others if others.size else scores)]
    whole, part = (("--scale", typed(each.low, each.high, each.step)) for each in spans)
    if not codes.size or not others.size or "LOW:HIGH" in whole:
        raise InputError(f"{text}; correct {'it' if n == 1 else 'them'}, or use {write_command(*whole)}.")
    ask, none, valid = meanings(asked := [f"{code:g}" for code in codes])
    left_out = ("--missing", ",".join(asked)) if far.size else ("--exclude-zero-scores",)
    fits = declared.low - near <= spans[1].low and spans[1].high <= declared.high + near
    scaled = [f", and the scale is {each.low:g} to {each.high:g}" for each in spans]
    ways = [(none + scaled[1] * (not fits), left_out if fits else (*left_out, *part)), (valid + scaled[0], whole)]
    raise QuestionError(f"{text}. {ask}", ways)


def meanings(values: Sequence[str]) -> tuple[str, str, str]:
    """Return the question what values mean, and two answers: no score was given, and the values are scores.

    >>> meanings(["-9", "99"])[:2]
    ('What do -9 and 99 mean?', '-9 and 99 mean that no score was given')
    """
    one, those = len(values) == 1, joined(values)
    do, mean, valid = ("does", "means", "is a valid score") if one else ("do", "mean", "are valid scores")
    return f"What {do} {those} mean?", f"{those} {mean} that no score was given", f"{those} {valid}"


SCALE = "scale"  # the column of scales, in the syntax of ``--scale``

BETWEEN = " · "  # separates the values if more than one column names an item

NO_SCALE = "the scale file has no line for this item; add one"
"""The error for an item that the file does not list."""


def declared_scales(settings: Settings) -> dict[str, Scale] | None:
    """Return the scale of each item that the file of the setting ``scales`` declares; None without a file.

    The file has the columns that name items, and a column ``scale`` with values such as 1:6 or 0:4:0.5.  Without
    columns that name items, nothing is read; the reader of scores then raises the error.
    """
    data = settings.data
    if data.scales is None or not data.by:
        return None
    if data.scale is not None:
        raise SettingsError("--scales: --scale already declares one scale for all items; remove one of them.")
    file, columns = data.scales.name, (*data.by, SCALE)
    with about(file):
        reader = open_reader(data.scales, data.encoding)
        refuse_unknown(columns, reader.head.schema.names, f"{file}: column")
        table = reader.load(columns)
    scales: dict[str, Scale] = {}
    texts = (as_text(table[name], name).to_pylist() for name in columns)
    for index, cells in enumerate(zip(*texts, strict=True)):
        *parts, scale = ((cell or "").strip() for cell in cells)
        if not any((*parts, scale)):
            continue  # spreadsheets add blank rows
        line = f"{file}, line {reader.place(index).row}"
        item = BETWEEN.join(part or NO_INFO for part in parts)
        if item in scales:
            raise InputError(f"{line}: item '{item}' is listed twice; keep one line.")
        try:
            scales[item] = TypeAdapter(DeclaredScale).validate_python(scale)
        except ValidationError as error:
            text = problem(Scale, error)
            raise InputError(f"{line}: '{scale}' is not a scale ({text}); for example, 1:6 or 0:4:0.5.") from None
    return scales
