"""Screen a table of scores, rule by rule, and count what each rule excludes.

The order follows the field's reference implementation: flags, first human score, system score, candidates.  A missing
second human score never excludes a response.  A table may be a whole file or one batch of it: counts add up, and are
judged at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, starmap
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.design.profiles import CODES, NINES, bare
from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError, QuestionError, SettingsError, joined, listed
from reportgen.results import Scale
from reportgen.scores.scale import LEAST_VALUES, MOST_CODES, NOWHERE, Span, meanings, number_of, outlier_codes, typed
from reportgen.scores.table import Composition, Design, Exclusion, Outputs, Unscored, design_of
from reportgen.scores.writing import refuse_unclear
from reportgen.settings import Settings
from reportgen.sources import column_names
from reportgen.sources.columns import Codes, Floats, Mask, as_numbers, as_text, encode, is_blank, mask_to_arrow
from reportgen.sources.tabular import Place, Reader
from reportgen.sources.written import PLAIN, Written, cell, read_scores
from reportgen.wording.numbers import many

FIRST_ROWS = 5  # the most row numbers that an exclusion lists

LARGEST = 1e6  # the largest absolute score on any scale


@dataclass(frozen=True)
class Marked:
    """Responses that one rule marks; those of consecutive tables add up.

    n, rows: The number, and the places of the first few in the table, counted from 0.

    >>> Marked.of("blank", np.array([1, 2])) + Marked("blank", 1, (0,)).behind(3)
    Marked(what='blank', n=3, rows=(1, 2, 3))
    """

    what: str  # why they are marked
    n: int = 0
    rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, what: str, rows: NDArray[np.intp]) -> Marked:
        """Mark rows of one table."""
        return cls(what, len(rows), tuple(rows[:FIRST_ROWS].tolist()))

    def behind(self, rows: int) -> Marked:
        """Return the same responses after `rows` other rows."""
        return replace(self, rows=tuple(row + rows for row in self.rows))

    def __add__(self, other: Marked) -> Marked:
        """Return the responses of two tables; `other` must be shifted already."""
        return Marked(self.what, self.n + other.n, (*self.rows, *other.rows)[:FIRST_ROWS])


@dataclass
class Screening:
    """The responses that still count, and those that each rule excluded."""

    kept: Mask
    excluded: dict[str, NDArray[np.intp]] = field(default_factory=dict)  # rule -> the rows that it excluded

    def exclude(self, out: Mask, reason: str) -> None:
        """Exclude the responses that still count and are marked in `out`."""
        self.excluded[reason] = np.flatnonzero(self.kept & out)
        self.kept = self.kept & ~out


def exclusions(rules: Sequence[Marked], place: Callable[[int], Place]) -> tuple[Exclusion, ...]:
    """Return the rules that excluded a response, with the rows of the file."""
    return tuple(Exclusion(rule.what, rule.n, tuple(map(place, rule.rows))) for rule in rules if rule.n)


class Scores(NamedTuple):
    """One column of scores: numbers (NaN if none), blank cells, and how cells are written."""

    name: str
    numbers: Floats
    blank: Mask
    written: Written = PLAIN

    @property
    def text(self) -> Mask:
        """Cells that contain something other than a number."""
        return np.isnan(self.numbers) & ~self.blank


def screen_scores(screening: Screening, scores: Scores, title: str, exclude_zeros: bool | Mask) -> None:
    """Keep the responses with a finite score, other than 0 if zeros are excluded for all or some responses."""
    screening.exclude(scores.blank, f"no {title} score in '{scores.name}'")
    screening.exclude(scores.text, f"the {title} score in '{scores.name}' is not a number")
    screening.exclude(np.isinf(scores.numbers), f"the {title} score in '{scores.name}' is infinite")
    if np.any(exclude_zeros):
        screening.exclude(exclude_zeros & (scores.numbers == 0), f"the {title} score in '{scores.name}' is 0")


def further_scores(screening: Screening, scores: Scores, exclude_zeros: bool) -> tuple[Floats, list[Marked]]:
    """Return another rater's scores, NaN for unusable ones, and the kinds of scores that count as missing."""
    numbers = scores.numbers
    unusable = {"non-numeric": scores.text, "infinite": np.isinf(numbers), "zero": exclude_zeros & (numbers == 0)}
    found = {kind: np.flatnonzero(here & screening.kept) for kind, here in unusable.items()}
    marked = [Marked.of(f"{kind} value in '{scores.name}'", rows) for kind, rows in found.items()]
    return usable(numbers, exclude_zeros), marked


def usable(numbers: Floats, exclude_zeros: bool | Mask) -> Floats:
    """Return numbers of another rater, NaN for those that count as missing."""
    return np.where(np.isinf(numbers) | (exclude_zeros & (numbers == 0)), np.nan, numbers)


def absurd_score_error(name: str, score: float) -> str:
    """Return the error for a score that is too large for any scale."""
    text = f"column '{name}' contains the score {score:g}; expected scores within {LARGEST:,.0f} of 0; "
    return f"{text}correct it, or name another column"


def notes(marked: Sequence[Marked], place: Callable[[int], Place]) -> tuple[str, ...]:
    """Return a sentence for each kind of scores that count as missing."""
    return tuple(
        f"{each.n:,} {each.what.replace(' value', ' values', each.n > 1)} count{'s' * (each.n == 1)} as missing (row"
        f"{'s' * (each.n > 1)} {', '.join(map(str, map(place, each.rows)))}{', ...' * (each.n > len(each.rows))})."
        for each in marked
        if each.n
    )


MOST_LISTED = 3  # the most columns that a message names


MANY, LEAST_CODES = 20, 5
"""The fewest human scores that show that an engine score is a code; the fewest responses that show that their scores
are ordinary."""

FEW = 0.15  # the largest share of human scores that may be codes

ORDINARY = 1 / 3
"""A mean is ordinary if its distance from the mean of all is at most this share of the distance of an end."""


class First(NamedTuple):
    """The first cell of a kind, and its place in the table."""

    row: int
    cell: Any


@dataclass(frozen=True)
class ScreeningCounts:
    """Counts of the screening of a table; those of consecutive tables add up.

    read, flagged, kept: Responses of the table, those that flags exclude, and those that count.
    outputs, unparseable: The system's outputs, and the first text instead of a score.
    written: Score column -> how the cells of unflagged responses are written.
    rated: (raters + 1,): unflagged responses that each human score column rates, and that any of them rates.
    engine, ratings: The ends of the system scores that count, with human scores; and the reverse.
    """

    read: int
    flagged: int
    kept: int
    steps: tuple[tuple[Marked, ...], ...]  # the rules in order, by step: flags, human and system scores, candidates
    missing: tuple[Marked, ...]  # scores of other raters that count as missing
    absurd: dict[str, First]  # score column -> the first response that counts with a score too large for any scale
    excluded: NDArray[np.int64]  # (3, 2): responses excluded, except by flags, by kind of score
    zeros: int  # human scores of 0 that count
    outputs: Outputs
    unparseable: First | None
    written: Mapping[str, Written] = field(default_factory=dict)
    rated: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    engine: Span = NOWHERE
    ratings: Span = NOWHERE

    @property
    def rules(self) -> tuple[Marked, ...]:
        """All rules in order."""
        return tuple(rule for step in self.steps for rule in step)

    def __add__(self, other: ScreeningCounts) -> ScreeningCounts:
        """Return the counts of this table and `other`, whose rows follow."""
        text = other.unparseable and First(self.read + other.unparseable.row, other.unparseable.cell)
        absurd = {name: First(self.read + each.row, each.cell) for name, each in other.absurd.items()}
        return ScreeningCounts(
            self.read + other.read, self.flagged + other.flagged, self.kept + other.kept,
            tuple(starmap(self._with, zip(self.steps, other.steps, strict=True))),
            self._with(self.missing, other.missing), absurd | self.absurd, self.excluded + other.excluded,
            self.zeros + other.zeros,
            Outputs(*starmap(add, zip(self.outputs, other.outputs, strict=True))),
            self.unparseable or text,
            {name: self.written[name] + other.written[name] for name in self.written},
            self.rated + other.rated, self.engine + other.engine, self.ratings + other.ratings,
        )  # fmt: skip

    def _with(self, ours: Sequence[Marked], theirs: Sequence[Marked]) -> tuple[Marked, ...]:
        return tuple(one + two.behind(self.read) for one, two in zip(ours, theirs, strict=True))


class Screened(NamedTuple):
    """The score columns of all rows of a table, the rows that count, and the counts."""

    screening: Screening
    unflagged: Mask
    system: Scores
    first: Scores
    human: Floats
    candidates: Codes | None
    counts: ScreeningCounts
    raters: tuple[Scores, ...] = ()


def screen(table: Any, roles: ColumnRoles, settings: Settings, *, interchangeable: bool = False) -> Screened:
    """Exclude the responses that do not count, in order; `refuse_unusable` checks the rest.

    If raters are `interchangeable`, or there is no engine, any human score makes a response count; otherwise the first
    one does.
    """
    screening = Screening(np.ones(table.num_rows, dtype=np.bool_))
    for name in roles.columns("flag"):
        values, coded = set(map(_comparable, settings.data.flags[name])), encode(table[name], name)
        fits = np.array([_comparable(label) in values for label in coded.labels], np.bool_)
        screening.exclude(~fits[coded.codes], f"flag column '{name}' contains none of the kept values")
    unflagged, steps = screening.kept, [len(screening.excluded)]
    zeros = excludes_zeros(settings)
    raters = [scores_in(table, name, settings) for name in roles.columns("human")]
    systems = [scores_in(table, name, settings, of_system=True) for name in roles.columns("system")[:1]]
    rated = np.isfinite(np.column_stack([usable(rater.numbers, zeros) for rater in raters]))
    any_counts = interchangeable or not systems
    first, further = (_any_of(raters, rated), raters) if any_counts else (raters[0], raters[1:])
    screen_scores(screening, first, "human", zeros)
    steps.append(len(screening.excluded))
    for system in systems:
        screen_scores(screening, system, "system", exclude_zeros=False)
    steps.append(len(screening.excluded))
    candidates = screen_candidates(screening, table, roles, settings.preparation.min_items_per_candidate)
    absurd: dict[str, First] = {}
    for scores in (*systems, *raters):  # the square of an oversized score would hide all others
        numbers = scores.numbers
        rows = np.flatnonzero(screening.kept & np.isfinite(numbers) & (np.abs(numbers) > LARGEST))
        absurd |= {scores.name: First(int(rows[0]), float(numbers[rows[0]]))} if rows.size else {}
    others = [further_scores(screening, scores, zeros) for scores in further]
    human = np.column_stack([*([] if any_counts else [first.numbers]), *(numbers for numbers, _ in others)])
    rules, kept = [Marked.of(reason, rows) for reason, rows in screening.excluded.items()], screening.kept
    excluded, given = unflagged & ~kept, np.isfinite(human) & kept[:, np.newaxis]
    system = next(iter(systems), Scores("", np.full(len(kept), np.nan), np.ones(len(kept), np.bool_)))
    texts = np.flatnonzero(system.text & unflagged)[:1].tolist()
    counts = ScreeningCounts(
        table.num_rows, int((~unflagged).sum()), int(kept.sum()),
        tuple(tuple(rules[start:stop]) for start, stop in pairwise((0, *steps, len(rules)))),
        tuple(each for _, marked in others for each in marked), absurd,
        composition_counts(first.numbers[excluded], system.numbers[excluded]),
        int((human[kept] == 0).sum()),
        outputs_of(table, system, unflagged & rated.any(axis=1)) if systems else Outputs(0),
        First(texts[0], as_text(table[system.name]).slice(texts[0], 1).to_pylist()[0]) if texts else None,
        written_in((*raters, *systems), table, unflagged, settings),
        np.append(rated[unflagged].sum(axis=0), rated[unflagged].any(axis=1).sum()),
        Span.of(system.numbers[kept], first.numbers[kept]) if systems else NOWHERE,
        Span.of(human[given], np.repeat(system.numbers, given.sum(axis=1))) if systems else NOWHERE,
    )  # fmt: skip
    return Screened(screening, unflagged, system, first, human, candidates, counts, tuple(raters))


def _any_of(raters: Sequence[Scores], rated: Mask) -> Scores:
    """Return the first usable score of each response, otherwise the first nonblank cell."""
    numbers = np.column_stack([rater.numbers for rater in raters])
    rows = np.arange(len(numbers))
    some = np.where(rated.any(axis=1), rated.argmax(axis=1), (~np.isnan(numbers)).argmax(axis=1))
    blank = np.logical_and.reduce([rater.blank for rater in raters])
    names = "', '".join(rater.name for rater in raters[:MOST_LISTED])  # the text between the quotes of a message
    more = f"' and {len(raters) - MOST_LISTED} more" * (len(raters) > MOST_LISTED)
    return Scores(names + more, numbers[rows, some], blank)


def refuse_unusable(
    counts: ScreeningCounts, roles: ColumnRoles, settings: Settings, place: Callable[[int], Place]
) -> None:
    """Raise if the remaining responses cannot be evaluated; `counts` are of all rows, `place` returns a row's place."""
    refuse_unclear(counts.written, settings.data, roles.columns("system"))
    flags, *of_sides, _ = counts.steps
    left, rules = counts.read - counts.flagged, list(flags)
    sides = [(title, roles.columns(title)[0]) for title in ("human", "system") if roles.columns(title)]
    for (title, column), step in zip(sides, of_sides, strict=False):
        rules += step
        before, left = left, left - sum(rule.n for rule in step)
        if before and not left:
            why = f"column '{column}' does not contain any usable scores ({account_of_rules(rules)}); add scores, "
            raise InputError(f"{why}or name another column with --{title} NAME.")
    if counts.kept < 2:
        few = f"{counts.kept} of {many(counts.read, 'response')} can be used, but at least 2 are required"
        raise InputError(f"{few} ({account_of_rules(counts.rules)}).")
    for name in (*roles.columns("system")[:1], *roles.columns("human")):
        if name in counts.absurd:
            row, score = counts.absurd[name]
            raise InputError(f"row {place(row)}: {absurd_score_error(name, score)}.")
    if settings.data.unparseable == "refuse" and counts.unparseable is not None:
        row, text = counts.unparseable
        column = roles.columns("system")[0]
        held = "a text" if column_names.names_somebody(column) else repr(text.strip()[:40])
        raise InputError(
            f"row {place(row)}: column '{column}' contains {held}, expected a number "
            f'({counts.outputs.text:,} such scores); correct it, or set unparseable = "missing".'
        )


def designed(counts: ScreeningCounts, roles: ColumnRoles, settings: Settings) -> Design:
    """Return which ratings count in a file with one row per response, after all rows were screened."""
    *rated, responses = counts.rated.tolist()
    raters, record = roles.columns("human"), settings.data.record
    as_named = record is None and set(raters) <= set(settings.data.human or ())  # then in the user's order
    return design_of(
        [f"rater {place}" for place in range(len(raters))] if as_named else raters, rated, responses, record
    )


def screen_candidates(screening: Screening, table: Any, roles: ColumnRoles, least: int | None) -> Codes | None:
    """Exclude candidates with too few responses; return the codes of the clusters, or candidates, of all rows."""
    codes, clusters = (_units(table, roles, role) for role in ("candidate", "cluster"))
    if least is not None:
        if codes is None:
            raise SettingsError("min_items_per_candidate needs a candidate column; name it with --candidate NAME.")
        left = np.bincount(codes[screening.kept], minlength=int(codes.max(initial=0)) + 1)
        screening.exclude(left[codes] < least, f"the candidate has fewer than {least} responses left")
    if codes is None or clusters is None:
        return codes if clusters is None else clusters
    first = np.zeros(int(codes.max(initial=0)) + 1, np.int32)
    first[codes[::-1]] = clusters[::-1]
    if several := len(set(codes[first[codes] != clusters].tolist())):
        [column], [candidate] = roles.columns("cluster"), roles.columns("candidate")
        raise SettingsError(
            f"--cluster {column}: {several:,} of the test takers in '{candidate}' {'has' if several == 1 else 'have'} "
            f"several values of '{column}', expected one each; remove --cluster, or add --candidate '' to ignore "
            "test takers."
        )
    return clusters


def _units(table: Any, roles: ColumnRoles, role: str) -> Codes | None:
    """Return the codes of all rows in the column of a role; a row without a value is a separate unit."""
    if not (name := next(iter(roles.columns(role)), None)):
        return None
    coded = encode(table[name], name)
    codes = coded.codes.copy()
    alone = np.flatnonzero(coded.where(lambda label: not label.strip()))
    codes[alone] = len(coded.labels) + np.arange(alone.size, dtype=np.int32)
    return codes


def _comparable(value: str | float) -> str | float:
    try:
        return float(value)
    except ValueError:
        return value


def composition_counts(human: Floats, system: Floats) -> NDArray[np.int64]:
    """Return (3, 2) responses by human score (not 0, 0, not a number) and system score (a number, none)."""
    human_finite, system_finite = np.isfinite(human), np.isfinite(system)
    rows = (human_finite & (human != 0), human == 0, ~human_finite)
    return np.array([[(row & column).sum() for column in (system_finite, ~system_finite)] for row in rows], np.int64)


def written_in(columns: Sequence[Scores], table: Any, unflagged: Mask, settings: Settings) -> dict[str, Written]:
    """Return how the unflagged cells of score columns are written."""
    if unflagged.all() or settings.rsmeval is not None:
        return {scores.name: scores.written for scores in columns}
    left, names = table.filter(mask_to_arrow(unflagged)), [scores.name for scores in columns]
    return {name: read_scores(left[name], name, settings.data.labels, settings.data.missing).written for name in names}


def composition(counts: ScreeningCounts, settings: Settings) -> Composition:
    """Return the excluded responses by kind of score.

    Impossible cells are None: a usable pair is excluded only with its candidate, a zero only if zeros are excluded.
    """
    (usable, bare), (zero, bare_zero), none = counts.excluded.tolist()
    by_candidate = settings.preparation.min_items_per_candidate is not None
    pairs = usable if by_candidate else None, bare
    return pairs, (zero if by_candidate or excludes_zeros(settings) else None, bare_zero), tuple(none)


def excludes_zeros(settings: Settings) -> bool:
    """Return whether a human score of 0 means no score; only the user can decide that."""
    return settings.preparation.exclude_zero_scores is True


def scores_in(table: Any, name: str, settings: Settings, *, of_system: bool = False) -> Scores:
    """Return a column of a table or batch as scores; a word for no score is blank.

    An rsmeval configuration allows only numbers.  The ends of a system's own scale map to the ends of the human scale.
    """
    if settings.rsmeval is not None:
        return numbers_in(table, name)
    found = read_scores(table[name], name, settings.data.labels, settings.data.missing)
    blank = _blank(table[name], name, found.numbers)
    if not of_system:
        return Scores(name, found.numbers, blank | found.none, found.written)
    blank |= found.none & bool(settings.data.missing)
    numbers, to, own, labels = found.numbers, settings.data.scale, settings.data.system_scale, settings.data.labels
    low, high = (to.low, to.high) if to else (0.0, len(labels or ()) - 1.0)
    if (to or labels) and own is not None and (low, high) != (own.low, own.high):
        numbers = low + (numbers - own.low) * ((high - low) / (own.high - own.low))
    return Scores(name, numbers, blank, found.written)


def numbers_in(table: Any, name: str) -> Scores:
    """Return a column of a table or batch as scores that are numbers only."""
    numbers = as_numbers(table[name], name)
    return Scores(name, numbers, _blank(table[name], name, numbers))


def _blank(column: Any, name: str, numbers: Floats) -> Mask:
    blank = np.isnan(numbers)
    if blank.any():
        blank[blank] = is_blank(column.filter(mask_to_arrow(blank)), name)
    return blank


def account_of_rules(rules: Sequence[Marked]) -> str:
    """Return the exclusions so far, in words."""
    most = sorted((out for out in rules if out.n), key=lambda out: -out.n)[:2]
    return f"excluded: {'; '.join(f'{out.n:,} {because(out.what)}' for out in most) or 'none'}"


def because(reason: str) -> str:
    """Return the reason for an exclusion as a clause for the terminal."""
    text = f"because {reason}".replace("because no ", "because there is no ").replace("system score", "engine score")
    names, comma, last = text.rpartition("', '")
    return names + ("', or '" if comma in names else "' or '") + last if names and "' and " not in last else text


def codes_of_engine(engine: Span, low: float, high: float, mean: float) -> tuple[float, ...]:
    """Return the scores of an engine beyond the human scale that may be codes for no score.

    Of an engine with whole scores these are a few scores beyond, of responses whose human scores are nearer to the
    `mean` than to that end; of another engine codes far away, or -1, -9, and so on.

    >>> ends = ((0.0, 5, 15.0), (1.0, 9, 12.0), (5.0, 9, 40.0), (6.0, 5, 24.0))
    >>> codes_of_engine(Span(ends, Fraction(1)), 1, 5, 3.0), codes_of_engine(Span(ends, None), 1, 5, 3.0)
    ((0.0,), ())
    """
    below, above = [each for each in engine.ends if each[0] < low], [each for each in engine.ends if each[0] > high]
    if high - low < LEAST_VALUES or 2 * engine.high <= low + high:
        return ()
    if engine.is_multiple_of(Fraction(1)):
        sides = [(side, end) for side, end in ((below, low), (above, high)) if len(side) < MOST_CODES]
        return tuple(
            score
            for side, end in sides
            for score, n, human in side
            if abs(score - end) > high - low
            or (n >= LEAST_CODES and abs(human / n - mean) <= ORDINARY * abs(mean - end))
        )
    away = [[end for end, *_ in side if not low - end <= high - low >= end - high] for side in (below, above)]
    far = [end for side in away if {*side} <= CODES for end in side]  # otherwise, its scale is longer
    return tuple(sorted({*far, *(end for end, *_ in below if -end in NINES and low >= 0)}))


def refuse_apart(
    found: Scale, names: Sequence[str], human: Floats, times: Floats | None, engine: Span, system: str,
    given: Sequence[str] = (),
) -> None:  # fmt: skip
    """Raise a question about human scores that extended an assumed scale, and about codes for no score in the engine's.

    found: The scale of the scores; a declared scale and a scale of labels are never questioned.
    names: Columns of human scores.
    human, times: Their scores, NaN if missing, a column for each name if that is known; how often each was given.
    engine, system: The ends of the engine's scores, and its name.
    given: The codes that are declared already.
    """
    apart = outlier_codes(human, engine)
    here = np.isfinite(human)
    mean = float(np.average(human[here], weights=None if times is None else times[here]))
    outside = codes_of_engine(engine, apart.low, apart.high, mean) if number_of(here, times) >= MANY else ()
    values = sorted({*apart.values, *outside})
    if not values or not found.assumed or not found.ordered:
        return
    marked = np.isin(human, apart.values)
    if human.ndim == 2 and human.shape[1] == len(names):
        names = [name for name, here in zip(names, np.atleast_1d(marked.any(axis=0)), strict=True) if here]
    n, shown = number_of(marked, times), [f"{value:g}" for value in values]
    where = [f"{many(n, 'score')} in {listed(names)}"] * bool(n) + [f"some scores in '{system}'"] * bool(outside)
    text = f"{' and '.join(where)} {'is' if n == 1 and not outside else 'are'} {joined(shown, 'or')}, "
    text += f"{'and all others' if n else 'but all human scores'} are {apart.low:g} to {apart.high:g}"
    scale = typed(found.low, found.high, found.step)
    inside = found.low <= values[0] and values[-1] <= found.high and scale != "LOW:HIGH"
    same = ("--scale", scale) if inside or given else ("--missing", "none")
    ask, none, valid = meanings(shown)
    raise QuestionError(f"{text}. {ask}", [(none, ("--missing", ",".join((*given, *shown)))), (valid, same)])


def refuse_disordered(ratings: Span, engine: Span, found: Scale, names: Sequence[str]) -> None:
    """Raise a question about human scores of 0, or above the engine's, that the engine scores as ordinary responses."""
    common = [(score, n, total / n) for score, n, total in ratings.ends if n >= LEAST_CODES]
    if len(common) < LEAST_VALUES:
        return
    (lowest, n, zero), (point, _, low), *_, (_, _, high) = common
    values, than = [0.0] * bool(lowest == 0 and zero - low >= ORDINARY * (high - low)), "higher"
    above = np.array([each for each in ratings.ends if each[0] > engine.high + found.step / 2]).reshape(-1, 3)
    _, several, total = above.sum(axis=0)
    few = LEAST_CODES <= several <= FEW * sum(n for _, n, _ in ratings.ends) and len(above) <= MOST_CODES
    for score, _, mean in [each for each in common if each[0] <= engine.high][-1:] if few and not values else ():
        if mean - total / several >= ORDINARY * (mean - low):
            values, n, point, high, than = above[:, 0].tolist(), several, score, mean, "lower"
    if values and high - low >= ORDINARY * (engine.high - engine.low):
        shown = [f"{value:g}" for value in values]
        where, (ask, none, valid) = f" in {listed(names)}" * (len(names) == 1), meanings(shown)
        text = f"{n:,.0f} human scores{where} are {joined(shown, 'or')}, but the engine scores these responses {than} "
        same = ("--scale", typed(found.low, found.high, found.step))
        choices = [(none, ("--missing", ",".join(shown))), (valid, same)]
        raise QuestionError(f"{text}than responses with a human score of {point:g}. {ask}", choices)


def refuse_apart_of_item(item: str, values: Floats) -> None:
    """Raise if human scores of an item are outliers; only the distinct values are known."""
    if (apart := outlier_codes(values)).values:
        text = f"some human scores are {joined((f'{value:g}' for value in apart.values), 'or')}, and all others are "
        why = "clear the cells without a score, or declare the scale of each item with --scales FILE"
        raise InputError(f"item {listed([item])}: {text}{apart.low:g} to {apart.high:g}; {why}.")


def further_runs(table: Any, roles: ColumnRoles, screened: Screened, settings: Settings) -> Floats | None:
    """Return (n, runs): repeated runs on the responses that count, the evaluated run first; None without runs.

    Cells that are not a number, infinite, or too large for any scale are missing.
    """
    names = roles.columns("run")
    if not names:
        return None
    kept = screened.screening.kept
    columns = [screened.system.numbers, *(scores_in(table, name, settings, of_system=True).numbers for name in names)]
    runs = np.column_stack(columns)[kept]
    runs[~(np.abs(runs) <= LARGEST)] = np.nan
    return runs


def is_unscored(screened: Screened) -> Mask:
    """Return a mask of the responses with a system score and a blank first human score."""
    return screened.unflagged & screened.first.blank & (np.abs(bare(screened.system.numbers)) <= LARGEST)


def unscored(screened: Screened, unused: Mapping[str, Floats] | None = None) -> Unscored | None:
    """Return the responses with only a system score, and `unused` columns to compare; None if there are none."""
    here, kept = is_unscored(screened), screened.screening.kept
    if not here.any():
        return None
    candidates = None if screened.candidates is None else screened.candidates[here]
    both = {name: (numbers[kept], numbers[here]) for name, numbers in (unused or {}).items()}
    return Unscored(screened.system.numbers[here], candidates, both)


def ratings_alone(screened: Screened) -> Floats:
    """Return (m, raters): two or more ratings of responses without a system score."""
    human = screened.human
    here = screened.unflagged & np.isnan(screened.system.numbers) & (np.isfinite(human).sum(axis=1) > 1)
    return np.asarray(human[here & ~screened.screening.kept])


def outputs_of(table: Any, system: Scores, here: Mask) -> Outputs:
    """Return the system's outputs for the responses with a human score, `here`; nobody scores an absent candidate."""
    texts = system.text & here
    refusals = 0
    if texts.any():
        coded = encode(as_text(table[system.name]).filter(mask_to_arrow(texts)))
        refusals = int(coded.where(lambda label: cell(label).none).sum())
    blank, infinite = (int((marked & here).sum()) for marked in (system.blank, np.isinf(system.numbers)))
    return Outputs(int(here.sum()), blank, int(texts.sum()), infinite, refusals)


def scores_of_items(
    table: Any, roles: ColumnRoles, screened: Screened, reader: Reader
) -> tuple[Floats | None, list[str]]:
    """Return (n, items) scores on the responses that count, NaN if missing (0 is a score), and notes on missing."""
    names = roles.columns("item score")
    if not names:
        return None, []
    screening, found, sentences = screened.screening, [], list[str]()
    for name in names:
        numbers, missing = further_scores(screening, numbers_in(table, name), exclude_zeros=False)
        own = numbers[screening.kept]
        if np.isnan(own).all():
            raise InputError(f"column '{name}' has no numbers; name a column of item scores with --item-score.")
        absurd = screening.kept & (np.abs(numbers) > LARGEST)
        if absurd.any():
            row = reader.place(int(np.flatnonzero(absurd)[0]))
            why = f"row {row}: column '{name}' contains the item score {numbers[absurd][0]:g}; "
            raise InputError(f"{why}expected scores within {LARGEST:,.0f} of 0; correct it, or exclude the column.")
        found.append(own)
        sentences += notes(missing, reader.place)
    return np.column_stack(found), sentences
