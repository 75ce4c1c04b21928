"""Profile columns; facts are computed once per block of rows and add up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.settings.kinds import same_label
from reportgen.sources.column_names import side_of
from reportgen.sources.columns import Floats, as_numbers, as_text, encode, is_blank, is_whole, labelled, mask_to_arrow
from reportgen.sources.digests import fingerprints
from reportgen.sources.written import MOST_WORDS, Written, all_words, cell, in_order, no_score, read_scores
from reportgen.wording.names import natural

FIRST_CELLS = 1000  # number of first cells that show how a column is written

LONG_ID = 40  # the longest mean length of IDs

LONG_TEXT = 200  # a column whose first texts are longer than this on average is prose

LONGEST_LABEL = 1_000  # the longest label of a group; it appears in every table, chart, and file name of the group

MOST_SCORES = 30  # a column of more distinct whole numbers does not contain human scores

MOST_LEVELS = 60  # a column of more distinct texts is not detected as a subgroup

MOST_NAMED_LEVELS = 500  # the same limit for columns with the name of a subgroup

MOST_COUNTED = 10_000  # the most distinct texts that are counted

BLOCK_ROWS = 1 << 18  # rows that are profiled together

MOST_SHARED, LEAST_COMMON, LEAST_KAPPA = 12, 0.9, 0.2
"""The most labels that columns share, the minimum share of cells with one, and the minimum kappa between columns."""

LEAST_BANDED, LEAST_TRACKED, MOST_BEYOND = 10, 0.3, 0.1
"""The fewest rows that show if a column follows from scores, the least correlation, and the most excess of a range."""


_DATE = re.compile(r"\d{4}[-/]\d\d?[-/]\d|\d\d?([-/.])\d\d?\1\d\d")


def blocks(rows: Any) -> Iterator[Any]:
    """Yield a table or a column in blocks."""
    return (rows.slice(at, BLOCK_ROWS) for at in range(0, len(rows), BLOCK_ROWS))


def _numbers(column: Any, name: str) -> Floats:
    """Return the numbers of a column; a comma is a decimal one."""
    numbers = as_numbers(column, name)
    if "string" in str(column.type) and np.isnan(numbers).any():
        text = as_text(column, name)
        if pc.any(pc.match_substring_regex(text, r"^\s*[+-]?\d+,(\d{1,2}|\d{4,})\s*$")).as_py():
            commas = as_numbers(pc.replace_substring(text, ",", "."), name)
            numbers = np.where(np.isnan(numbers), commas, numbers)
    return numbers


LEAST_POINTS = 4  # with fewer distinct values, a code may be a point of a short scale, such as one from -1 to 1

NINES = (1, 9, 99, 999, 9999)  # codes for no score, without their signs

CODES = frozenset(sign * code for sign in (1, -1) for code in (9, 88, 98, *NINES[2:]))
"""Codes for no score that are not points of common scales, if they are outliers."""


def without_codes(values: Floats) -> Floats:
    """Return sorted distinct values without the codes for no score at their ends.

    >>> without_codes(np.array([-9.0, 0, 1, 2, 3, 99]))
    array([0., 1., 2., 3.])
    """
    if values.size <= LEAST_POINTS:
        return values
    for code, others in ((float(values[0]), values[1:]), (float(values[-1]), values[:-1])):
        step, span, gap = np.diff(others).min(), np.ptp(others), min(abs(others - code))
        dense = step == 1 and others[0] in (0, 1) and span == others.size - 1
        negative = -code in NINES and others[0] >= 0 and (code < -1 or step in (0.5, 1))
        if negative or (code in CODES and gap > span) or (code == 9 and dense and gap >= 3):
            return without_codes(others)
    return values


def bare(numbers: Floats) -> Floats:
    """Return numbers, NaN for codes for no score."""
    return np.where(np.isin(numbers, without_codes(np.unique(numbers[np.isfinite(numbers)]))), numbers, np.nan)


@dataclass(frozen=True)
class Facts:
    """Contents of some rows of a column; the facts of two blocks add up.

    n, blank, numbers: Rows, blank cells, and cells with a finite number.
    fractions, distinct: Whether a number is not a multiple of 0.5, and the distinct numbers, at most `MOST_SCORES` + 1.
    texts: Distinct texts; None if there are more than `MOST_COUNTED`.
    letters, written: Characters of all texts, and the number of texts.
    """

    n: int = 0
    blank: int = 0
    numbers: int = 0
    fractions: bool = False
    distinct: frozenset[float] = frozenset()
    texts: frozenset[str] | None = frozenset()
    letters: int = 0
    written: int = 0

    @classmethod
    def of_numbers(cls, column: Any, name: str) -> Facts:
        """Return facts about the numbers in some rows."""
        numbers = _numbers(column, name)
        finite = numbers[np.isfinite(numbers)]
        blank = 0
        if finite.size < len(numbers):
            empty = is_blank(column, name)
            words = encode(column.filter(mask_to_arrow(~np.isfinite(numbers) & ~empty)), name)
            blank = int(empty.sum() + words.where(no_score).sum())
        few = np.unique(finite[:FIRST_CELLS])
        distinct = few if few.size > MOST_SCORES else np.unique(finite)
        points = frozenset(distinct[: MOST_SCORES + 1].tolist())
        return cls(len(column), blank, finite.size, has_fractions(finite), points)

    @classmethod
    def of_texts(cls, column: Any, name: str) -> Facts:
        """Return facts about the texts in some rows."""
        if pa.types.is_dictionary(column.type):
            lengths = pc.utf8_length(as_text(column, name))
            column = pa.chunked_array([chunk.dictionary.take(pc.unique(chunk.indices)) for chunk in column.chunks])
        else:
            column = as_text(column, name)
            lengths = pc.utf8_length(column)
        found = pc.unique(as_text(column, name)).drop_null()
        few = frozenset(found.to_pylist()) if len(found) <= MOST_COUNTED else None
        return cls(texts=few, letters=pc.sum(lengths).as_py() or 0, written=len(lengths) - lengths.null_count)

    def __add__(self, other: Facts) -> Facts:
        texts = None if self.texts is None or other.texts is None else self.texts | other.texts
        return Facts(
            self.n + other.n, self.blank + other.blank, self.numbers + other.numbers, self.fractions or other.fractions,
            frozenset(sorted(self.distinct | other.distinct)[: MOST_SCORES + 1]),
            texts if texts is None or len(texts) <= MOST_COUNTED else None,
            self.letters + other.letters, self.written + other.written,
        )  # fmt: skip


class Profile:
    """One column, profiled as far as a caller needs it.

    column, name: All rows or the first rows, and the name.
    facts, unique: Facts of all rows, if `column` contains only the first rows.
    """

    def __init__(self, column: Any, name: str, facts: Facts | None = None, unique: bool = False) -> None:
        self._column, self.name, self._facts, self._unique = column, name, facts, unique
        self.asked = False  # whether an answer needed more than the format of the first cells
        self.labels: frozenset[str] = frozenset()  # labels that it shares with a related column (`share_labels`)

    def __len__(self) -> int:
        return len(self._column) if self._facts is None else self._facts.n

    @cached_property
    def is_readable(self) -> bool:
        """Whether it contains text or numbers and not lists or bytes."""
        try:
            as_text(self._column.slice(0, 1), self.name)
        except InputError:
            return False
        return True

    @property
    def unread(self) -> str:
        """Why the column is not examined further; empty if it is."""
        if not self.is_readable:
            return "neither text nor numbers"
        return "long text" if self.mean_length > LONG_TEXT else ""

    @cached_property
    def _numbers(self) -> Facts:
        self.asked = True
        return self._facts or sum((Facts.of_numbers(block, self.name) for block in blocks(self._column)), Facts())

    @cached_property
    def _texts(self) -> Facts:
        self.asked = True
        if self._facts is not None:
            return self._facts
        whole = pa.types.is_floating(self._column.type) and is_whole(self._column)
        return sum((Facts.of_texts(labelled(block, whole), self.name) for block in blocks(self._column)), Facts())

    @property
    def is_blank(self) -> bool:
        """Whether every cell is blank."""
        return self._numbers.blank == len(self)

    @property
    def n_distinct(self) -> int:
        """The number of distinct texts, at most `MOST_COUNTED` + 1."""
        texts = self._texts.texts
        return MOST_COUNTED + 1 if texts is None else len(texts)

    @property
    def texts(self) -> frozenset[str]:
        """The distinct texts; empty if there are too many."""
        return self._texts.texts or frozenset()

    @property
    def are_letter_grades(self) -> bool:
        """Whether the texts are the letter grades of teachers, including F."""
        known = {text.casefold() for text in self.texts if text}
        return "f" in known and all(len(text) < 3 for text in known) and bool(in_order(known))

    @property
    def are_dates(self) -> bool:
        """Whether the texts begin with a date."""
        return any(self.texts) and all(map(_DATE.match, filter(None, self.texts)))

    def varies_within(self, people: Profile) -> bool:
        """Return whether most people with several rows have several values in the first cells, as of an item."""
        who = people.first_texts[1]
        pairs = np.unique(np.column_stack([who, self.first_texts[1]]), axis=0)
        again, several = np.bincount(who) > 1, np.bincount(pairs[:, 0]) > 1
        return bool(again.sum() >= LEAST_BANDED and 2 * several.sum() > again.sum())

    @property
    def points(self) -> frozenset[Any]:
        """The labels or the distinct numbers, at most one more than human scores have."""
        return self.labels or self._numbers.distinct

    @property
    def mean_length(self) -> float:
        """The mean number of characters of the texts."""
        return self._texts.letters / self._texts.written if self._texts.written else 0.0

    @cached_property
    def first_numbers(self) -> Floats:
        """The numbers of the first cells, also in words such as "7 / 10"; NaN for other cells and for codes."""
        first = self._column.slice(0, FIRST_CELLS)
        if not self.is_readable:
            return np.full(len(first), np.nan)
        return bare(read_scores(first, self.name).numbers if self._written.in_words else _numbers(first, self.name))

    @cached_property
    def first_texts(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The distinct texts of the first cells, and the index of each cell's text."""
        coded = encode(self._column.slice(0, FIRST_CELLS), self.name)
        return coded.labels, coded.codes

    @cached_property
    def has_numbers(self) -> bool:
        """Whether any cell is a number; usually the first cells show it."""
        return bool(np.isfinite(self.first_numbers).any()) or self._numbers.numbers > 0

    @cached_property
    def _written(self) -> Written:
        return read_scores(self._column.slice(0, FIRST_CELLS), self.name).written

    @property
    def has_scores(self) -> bool:
        """Whether any cell is a number, or the first cells are labels or words that can be read as scores."""
        return self.is_readable and (bool(self.labels) or self.has_numbers or all_words(self._written))

    @property
    def known_words(self) -> frozenset[str]:
        """The words among the first cells that can be read as scores, if there are few other words and no numbers."""
        words = self.is_readable and not self.has_numbers and len(self._written.unknown) < MOST_WORDS
        return self._written.words if words else frozenset()

    @property
    def is_numeric(self) -> bool:
        """Whether every cell that is not blank is a number."""
        return 0 < self._numbers.numbers == len(self) - self._numbers.blank

    @property
    def is_mostly_numeric(self) -> bool:
        """Whether most cells that are not blank are numbers."""
        return 2 * self._numbers.numbers > len(self) - self._numbers.blank

    @property
    def is_fractional(self) -> bool:
        """Whether it contains numbers that are not multiples of 0.5, which engines give and raters do not."""
        return self.is_numeric and self._numbers.fractions

    @property
    def is_fine(self) -> bool:
        """Whether it contains more different numbers than human scores have, or numbers that engines give."""
        return self.is_fractional or (self.is_numeric and len(self.points) > MOST_SCORES and not self.is_id_like)

    @property
    def is_score_like(self) -> bool:
        """Whether it contains labels or a few repeated multiples of 0.5, as ratings do."""
        if self.labels:
            return True
        few = 2 <= len(self.points) <= MOST_SCORES and 2 * len(self.points) <= self._numbers.numbers
        return few and self.is_numeric and not self._numbers.fractions

    @cached_property
    def _differ_at_first(self) -> bool:
        """Whether the first texts all differ; if two are equal, no other row changes the answer."""
        first = as_text(self._column.slice(0, FIRST_CELLS), self.name)
        return int(pc.count_distinct(first, mode="all").as_py()) == len(first)

    @property
    def is_unique(self) -> bool:
        """Whether all texts differ."""
        if not self._differ_at_first:
            return False
        self.asked = True
        if self._facts is not None:
            return self._unique
        if self._texts.texts is not None:
            return len(self._texts.texts) == len(self)
        prints = np.sort(fingerprints(self._column, self.name))  # three times as fast as counting texts
        return not (self._column.null_count or np.any(prints[1:] == prints[:-1]))

    @property
    def is_id_like(self) -> bool:
        """Whether the cells are filled, all different, and neither prose nor measurements."""
        if len(self) < 2 or not self._differ_at_first or self._numbers.blank:
            return False
        return not self.is_fractional and self.mean_length <= LONG_ID and self.is_unique

    @property
    def is_mostly_distinct(self) -> bool:
        """Whether most of the first texts differ, as IDs do of which copies of rows repeat a few."""
        texts, codes = self.first_texts
        return self.is_id_like or (2 * len(texts) > len(codes) and not self.is_fractional)

    @property
    def numbers_rows(self) -> bool:
        """Whether the first numbers are whole and rise from row to row, as IDs do."""
        steps = np.diff(self.first_numbers)
        return len(steps) >= 2 * LEAST_DISTINCTIVE and bool((steps > 0).all() and (steps % 1 == 0).all())

    def is_shuffled(self, other: Profile) -> bool:
        """Return whether both are IDs with the same texts, in another order."""
        first, others = (as_text(each._column.slice(0, FIRST_CELLS), each.name) for each in (self, other))
        return self.is_id_like and other.is_id_like and self.texts == other.texts and not first.equals(others)

    def levels_problem(self, most: int) -> str:
        """Return why the column cannot be a subgroup with at most `most` levels; empty if it can."""
        if self.n_distinct < 2:
            return "only one value"
        if self.n_distinct > most:
            more = self.n_distinct > MOST_COUNTED
            return f"more than {MOST_COUNTED:,} distinct values" if more else f"{self.n_distinct:,} distinct values"
        if 2 * self.n_distinct > len(self):
            return "fewer than two responses per value"
        if self.mean_length > LONGEST_LABEL:
            return f"values longer than {LONGEST_LABEL:,} characters"
        return ""

    def follows(self, score: Profile) -> bool:
        """Return whether the texts are bands of a score, or occur only with some of its values."""
        columns = self._column, score._column
        pairs = [each.slice(0, FIRST_CELLS) for each in columns], columns
        return all(len(text) >= LEAST_BANDED and _follows(text, number, self.name) for text, number in pairs)

    def marks(self, score: Profile) -> bool:
        """Return whether its only two values mark the rows with a score and those without."""
        codes = encode(self._column, self.name).codes, is_blank(score._column, score.name)
        pairs, times = np.unique(np.column_stack(codes), axis=0, return_counts=True)
        return len(pairs) == 2 and bool((pairs[0] != pairs[1]).all() and times.min() >= LEAST_BANDED)

    def correlation(self, other: Profile) -> float:
        """Return the correlation of its first numbers with another column; 1 if they are too few, NaN if constant."""
        pair = [bare(read_scores(each._column.slice(0, FIRST_CELLS), each.name).numbers) for each in (self, other)]
        both = np.stack(pair)[:, np.isfinite(pair).all(axis=0)]
        if both.shape[1] < LEAST_BANDED:
            return 1.0
        with np.errstate(all="ignore"):
            return float(np.corrcoef(both).min())

    def tracks(self, other: Profile, least: float = LEAST_TRACKED) -> bool:
        """Return whether its first numbers correlate with another column, or are too few to check."""
        return not self.correlation(other) < least

    @property
    def scored(self) -> Floats:
        """The first numbers without gaps."""
        return self.first_numbers[np.isfinite(self.first_numbers)]

    def has_range_of(self, other: Profile) -> bool:
        """Return whether its numbers, many enough to show it, have the range of another column, or half of it."""
        own, others = self.scored, other.scored
        if min(len(own), len(others)) < 2 * LEAST_BANDED:
            return False
        span, beyond = np.ptp(others), max(others.min() - own.min(), own.max() - others.max())
        return bool(beyond <= MOST_BEYOND * span and 2 * np.ptp(own) >= span > 0)

    def puts_into_words(self, other: Profile) -> bool:
        """Return whether each of its words stands for one number of the other."""
        codes, numbers = self.first_texts[1], other.first_numbers
        pairs = np.unique(np.column_stack([codes, numbers])[np.isfinite(numbers)], axis=0)
        return not self.has_numbers and 1 < len(pairs) == len({*pairs[:, 0]}) == len({*pairs[:, 1]})

    @cached_property
    def first_words(self) -> tuple[tuple[str, ...], NDArray[np.intp]] | None:
        """The few words that repeat in the first cells, and the index of each cell's word or -1; None if many."""
        if not self.is_readable or not CODES.issuperset(self.scored):
            return None
        texts, codes = self.first_texts
        words = [same_label(text) for text in texts]
        known = sorted({word for word in words if word and not (cell(word).none or cell(word).score in CODES)})
        fits = 2 <= len(known) <= MOST_SHARED and 2 * len(known) <= len(codes) and max(map(len, known)) <= LONG_ID
        place = {word: at for at, word in enumerate(known)}
        return (tuple(known), np.array([place.get(word, -1) for word in words])[codes]) if fits else None

    def longest_label(self) -> int:
        """Return the number of characters of the longest text."""
        return pc.max(pc.utf8_length(as_text(self._column, self.name))).as_py() or 0


Profiles = dict[str, Profile]


def profiles_of(table: Any) -> Profiles:
    """Return the columns of a table."""
    return share_labels({name: Profile(table[name], name) for name in table.schema.names})


def share_labels(columns: Profiles) -> Profiles:
    """Return the columns with the labels each shares with another, if the two agree more often than by chance.

    Two columns of scores in words mostly have the same few words.  So do two flags, but they do not agree, and copies,
    which always agree.
    """
    worded = {name: words for name, each in columns.items() if (words := each.first_words)}
    known = sorted({word for words, _ in worded.values() for word in words})
    names, places = [*worded], dict(zip(known, range(len(known)), strict=True))
    coded = np.array([np.array([*map(places.get, words), -1])[codes] for words, codes in worded.values()])
    for place, own in enumerate(coded):
        both = (own >= 0) & (coded >= 0)
        n, same = both.sum(axis=1), (both & (own == coded)).sum(axis=1)
        for other in place + np.flatnonzero(((same < n) & (same > LEAST_KAPPA * n) & (n >= LEAST_BANDED))[place:]):
            first, second = (set(worded[names[at]][0]) for at in (place, other))
            pair = coded[(place, int(other)), :][:, both[other]]
            common = np.isin(pair, [places[word] for word in first & second]).mean(axis=1)
            if len(first & second) < 2 or len(first | second) > MOST_SHARED or common.min() < LEAST_COMMON:
                continue
            shares = [np.bincount(codes, minlength=len(places)) / n[other] for codes in pair]
            observed, expected = same[other] / n[other], float(shares[0] @ shares[1])
            for at in (place, other) if LEAST_KAPPA * (1 - expected) < observed - expected else ():
                columns[names[at]].labels |= first | second
    for name in names:  # raters who rarely agree exactly share no labels by chance
        if side_of(name)[0] and len(in_order(worded[name][0])) > 2:
            columns[name].labels |= {*worded[name][0]}
    return columns


def _follows(texts: Any, scores: Any, name: str) -> bool:
    coded, numbers = encode(texts, name), read_scores(scores, name).numbers
    filled = coded.where(str.strip)
    there = np.isfinite(numbers)
    with_text, without = (np.unique(numbers[there & each]) for each in (filled, ~filled))
    if without.size:
        repeat = 2 * (with_text.size + without.size) <= there.sum()
        return bool(repeat) and with_text.size > 0 and not np.intersect1d(with_text, without).size
    pairs = np.unique(np.column_stack([numbers, coded.codes])[there], axis=0)
    bands = int(np.count_nonzero(np.diff(pairs[:, 1]))) + 1
    fewer = len(pairs) > bands or bands > 2
    return fewer and with_text.size == len(pairs) >= bands == np.unique(pairs[:, 1]).size > 1


LEAST_DISTINCTIVE = 10  # the fewest rows that show that ratings follow from others

MOST_COMPARED = 12  # the most columns of which every pair is compared with each other column

MOSTLY, ALIKE, TIMES_AS_FAR = 0.9, 0.9, 3.0
"""The share of rows in which a sum or mean must match, except for adjudicated rows; the kappa from which one column may
copy another; and how many times farther from both all other columns must be.
"""


def follow_from_others(ratings: Mapping[str, Floats]) -> dict[str, str]:
    """Return the columns of ratings that are not independent, and why: computed from others, resolved, or adjudicated.

    Computed columns are sums, means, rounded means, medians, and the higher or lower of two.  An adjudicated score is
    equal to both ratings if they agree, and between them otherwise.  An independent rater is outside the range of two
    others about half as often as these differ (of two labels: if they agree).  If more than one column may follow from
    others, a column without a number in its name is preferred.

    >>> one, two = np.arange(200) % 5.0, np.arange(200) % 7 % 5.0
    >>> follow_from_others({"human": np.maximum(one, two), "human1": one, "human2": two})
    {'human': "derived from 'human1' and 'human2'; if it is an independent rating, name all 3 columns with --human"}
    >>> follow_from_others({"rater_1": one, "rater_2": two, "rater_3": np.arange(200) % 3.0})
    {}
    """
    found: dict[str, str] = {}
    for name in sorted(sorted(ratings, key=natural, reverse=True), key=lambda name: name[-1:].isdigit()):
        others = [other for other in ratings if other != name and other not in found]
        pairs = combinations(others, 2) if len(others) < MOST_COMPARED else ()
        for some in (*pairs, *[tuple(others)] * (len(others) > 2)):
            named = f"; if it is an independent rating, name all {len(some) + 1} columns with --human"
            if _is_made_of(ratings[name], np.column_stack([ratings[other] for other in some])):
                of = f"{', '.join(map(repr, some[:-1]))} and {some[-1]!r}" if len(some) < 4 else "the other ratings"
                found[name] = f"derived from {of}{named}"
                break
            if len(some) == 2 and _settles(ratings[name], *(ratings[other] for other in some)):
                of = f"rates only responses on which {some[0]!r} and {some[1]!r} differ, as adjudicators do"
                found[name] = f"{of}{named}"
                break
    return found


def _is_made_of(scores: Floats, others: Floats) -> bool:
    """Return whether scores are computed from others, or are between two others in all rows."""
    there = np.isfinite(scores) & np.isfinite(others).all(axis=1)
    own, others = scores[there], others[there]
    low, high = (others.min(axis=1), others.max(axis=1)) if len(own) else (own, own)
    apart = low < high
    differ, several = np.count_nonzero(apart), len(np.unique(others)) > 2
    if differ >= LEAST_DISTINCTIVE:
        mean, middle = others.mean(axis=1), np.median(others, axis=1)
        for way in (others.sum(axis=1), mean):
            hits = np.abs(own - way) < 0.006
            new = ~np.isin(way, others).all()  # raters do not give this score
            if hits.all() or (new and min(hits.mean(), hits[apart].mean()) >= MOSTLY):
                return True
        ways = (np.floor(mean + 0.5), np.rint(mean), middle, low, high)
        if several and differ >= 2 * LEAST_DISTINCTIVE and any(np.array_equal(own, way) for way in ways):
            return True
    if others.shape[1] > 2 or len(own) - differ < LEAST_DISTINCTIVE or np.any((own < low) | (own > high)):
        return False
    return bool(differ / 2 * (several or 1 - differ / len(own)) >= LEAST_DISTINCTIVE)


LEAST_GAP = 0.5  # how much more often raters differ on responses with a third rating if it settles differences


def _settles(third: Floats, one: Floats, two: Floats) -> bool:
    """Return whether a third rating exists mostly where two ratings, which exist without it too, are far apart."""
    both, settled = np.isfinite(one) & np.isfinite(two), np.isfinite(third)
    there, without = both & settled, both & ~settled
    if (settled & ~both).any() or min(there.sum(), without.sum()) < LEAST_DISTINCTIVE:
        return False
    gaps = np.abs(one - two)
    far = [(np.mean(gaps[there] >= gap), np.mean(gaps[without] >= gap)) for gap in np.unique(gaps[both]) if gap > 0]
    return any(with_it >= MOSTLY and with_it - other >= LEAST_GAP for with_it, other in far)


def copy_among(ratings: Mapping[str, Floats]) -> tuple[str, str, float] | None:
    """Return a column of ratings that nearly equals one other and no third, the other, and their share of agreement.

    >>> one, two = np.arange(90) % 5.0, np.arange(90) % 7 % 5.0
    >>> copy_among({"a": one, "b": two, "c": np.where(np.arange(90) % 30, one, two)})
    ('c', 'a', 0.97...)
    """
    names = sorted(ratings, key=natural)[:MOST_COMPARED]
    kappas = {frozenset(pair): exact_agreement(*(ratings[name] for name in pair)) for pair in combinations(names, 2)}
    for first, second in combinations(names, 2):
        same, kappa = kappas[frozenset((first, second))]
        pairs = (frozenset(pair) for pair in product((first, second), names))
        others = [kappas[pair][1] for pair in pairs if len(pair | {first, second}) > 2]
        if kappa >= ALIKE and all(1 - other >= TIMES_AS_FAR * (1 - kappa) for other in others):
            return second, first, same
    return None


GOING = 0.5  # scores that correlate less with ratings may measure something different


def goes_with(own: Profile, people: Sequence[Profile], systems: Sequence[Profile], *, typed: bool = False) -> str:
    """Return whose range a column has that correlates with the ratings: "people", "engine", or "".

    A copy of scores, and a column that follows from ratings, does not count. One with twice as many scores as a rater
    gave goes with people even if its range is wider, unless the raters were `typed`.
    """
    apart = [each for each in systems if not any(one.has_range_of(each) or each.has_range_of(one) for one in people)]
    sides = {"people": people, "engine": apart}
    sparse = [each for each in people if 2 * len(each.scored) <= len(own.scored)] if not typed else []
    whose = "people" if any(each.has_range_of(own) for each in sparse) else ""
    whose = whose or next((side for side, those in sides.items() if any(map(own.has_range_of, those))), "")
    if not any(own.tracks(each, GOING) for each in people):
        return ""
    copies = any(own.tracks(each, RESCALED if each in people else SAME_SCORES) for each in (*people, *systems))
    made = own.name in follow_from_others({each.name: each.first_numbers for each in (own, *people)})
    return "" if copies or made else whose


SAME_SCORES, RESCALED = 0.97, 0.9999
"""The correlation above which columns are versions of an engine's scores, and one score on two scales."""


def exact_agreement(one: Floats, two: Floats) -> tuple[float, float]:
    """Return the share of rows in which two columns agree, and kappa; both are 0 if there are too few rows."""
    both = np.isfinite(one) & np.isfinite(two)
    if np.count_nonzero(both) < 2 * LEAST_DISTINCTIVE:
        return 0.0, 0.0
    same = float(np.mean(one[both] == two[both]))
    chance = sum(float(np.mean(one[both] == point) * np.mean(two[both] == point)) for point in np.unique(one[both]))
    return same, (same - chance) / (1 - chance) if chance < 1 else 0.0


def has_fractions(numbers: Floats) -> bool:
    """Return whether any number is not a multiple of 0.5."""
    with np.errstate(over="ignore"):  # twice a number with 308 digits is infinite, hence whole
        return bool(np.any(2 * numbers != np.rint(2 * numbers)))


def nearest_scales(low: float, high: float, n: int) -> list[tuple[int, int]]:
    """Return the one or two scales whose ends are nearest to an engine's scores: its own points, or 0 to 1, 10, or 100.

    For two labels, and for scores that start at 1 and exceed their number, the range of the scores is such a scale too.

    >>> nearest_scales(0.5, 6.4, 6), nearest_scales(3, 97, 6)
    ([(1, 6), (0, 5)], [(0, 100)])
    """
    own = [(int(np.floor(low)), int(np.ceil(high)))] if n == 2 or (low == 1 and high > n) else []
    ends = [(0, n - 1), (1, n), (0, 1), (0, 10), (0, 100), *own]
    known = sorted(ends, key=lambda e: abs(low - e[0]) + abs(high - e[1]))
    return [each for each in dict.fromkeys(known) if low >= each[0] - 1 and high <= each[1] + 2][:2] or known[:1]


def order_of_labels(times: Floats) -> list[int]:
    """Return labels in the order of the first axis of a correspondence analysis of their confusions (Greenacre 1984).

    times (responses, labels): How often a response has each label.

    >>> order_of_labels(np.array([[2, 0, 0], [1, 0, 1], [0, 0, 2], [0, 1, 1], [0, 2, 0]]))
    [0, 2, 1]
    """
    pairs = times.T @ times - np.diag(times.sum(axis=0))
    share = np.maximum(pairs.sum(axis=1), 1e-9)
    pairs, share = pairs / share.sum(), share / share.sum()
    root = np.sqrt(np.outer(share, share))
    found = np.linalg.eigh(pairs / root - root)[1][:, -1] / np.sqrt(share)
    found = found.round(9)  # equal places stay in the given order on every machine
    return [int(place) for place in np.argsort(found * (1 if found[0] <= found[-1] else -1), kind="stable")]
