"""Parse scores as people and models write them: numbers, words such as yes and no, text such as "Score: 4"."""

from __future__ import annotations

import operator
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.settings.kinds import same_label
from reportgen.sources.columns import Floats, Mask, as_numbers, as_text, encode, is_blank, mask_to_arrow
from reportgen.wording.names import natural

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PAIRS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = tuple(
    (tuple(bad), tuple(good)) for bad, good in _WORDS["pairs"]
)
"""Words for two categories with their spellings: the one that counts as 0, and the one that counts as 1."""

PERHAPS_NO_SCORE = frozenset(_WORDS["perhaps_no_score"])  # the same, unless it is a label

_NO_SCORE = frozenset(_WORDS["no_score"]) | PERHAPS_NO_SCORE  # words of a rater or an engine that gave no score

_ORDERS = tuple(tuple(order.split(" < ")) for order in _WORDS["orders"])
_NUMBERS = {word: float(number) for number, word in enumerate(_WORDS["numbers"])}

_NUMBER = r"[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)"
_IN_WORDS = re.compile(
    r"(?:(?:the |my |your )?(?:final |overall |total )?(?:score|rating|grade|mark|level|band|points?|stars?)"
    r"\s*(?:is|of|[:=])?\s*)?"
    rf"(?P<score>{_NUMBER})"
    rf"(?:\s*(?:/|out of|of)\s*(?P<total>{_NUMBER}))?"
    r"\s*(?:stars?|points?|pts?|marks?|%|percent|(?:[-\u2013:=.(]|\s\()\s*[^\W\d][^\d()]{0,38}\)?|:\s+[^\W\d].*)?"
)
_MARKED = re.compile(
    rf"(?i:(?:score|rating|grade|mark|verdict)?[^\w\[]{{0,3}}\[\[\s*|\[(?:result|score|rating|verdict)\]\s*(?=\w+\W*$))"
    rf"(?P<label>[^\[\]\n]{{1,20}}?)\s*(?:\]\]|$)"
    rf"|(?P<final>\b(?i:final|overall|total)[\s*_`]+)?\b(?i:score|rating|grade|mark)\b[\"'*_`]*\s*(?:[:=>]|(?i:is|of)\b)[\s\"'*_`(]*(?P<score>{_NUMBER})"
    rf"(?:\s*(?:/|out of)\s*{_NUMBER})?(?![\w%]|\s*[-\u2013]\s*\d)"
    rf"|(?m:^[ \t]*(?P<line>{_NUMBER})(?:/{_NUMBER})?[ \t]*$)"
)
_THOUSANDS = {",": r"\.", ".": ",", **dict.fromkeys("' \u00a0\u202f", "[.,]")}
"""Mark between thousands -> the decimal marks beside it."""

_AROUND = " \t\r\n*_`\"'.!,;()[]"  # characters around a score that have no meaning

_STARS = frozenset("★☆⭐")

LONGEST_LABEL = 40  # the longest text that can be a label

MOST_WORDS = 11  # the most distinct words that do not map to scores to store, one more than messages list


_REFUSAL = re.compile(
    r"\b(sorry|apologi[sz]e|refus\w*|declin\w*|unable|as an ai|i (can ?not|can.?t|won.?t|will not)|not able to)\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Return whether text instead of a score reads like a refusal to score.

    >>> is_refusal("I'm sorry, I can't score this."), is_refusal("Score: 4"), is_refusal("n/a")
    (True, False, False)
    """
    return _REFUSAL.search(text) is not None


def no_score(text: str) -> bool:
    """Return whether a cell marks a missing score.

    >>> no_score("N/A"), no_score("Rater 1")
    (True, False)
    """
    return same_label(text) in _NO_SCORE


class Cell(NamedTuple):
    """The parsed text of a cell."""

    score: float = np.nan  # the score; NaN if there is none
    label: str = ""  # the normalized word for the score; empty for a number
    total: float = np.nan  # the 5 of "4/5"; NaN without a total
    none: bool = False  # whether the cell marks a missing score

    @property
    def is_score(self) -> bool:
        """Whether it is a score."""
        return not np.isnan(self.score)


class Written(NamedTuple):
    """How the cells of a score column are written; the results for two tables add up.

    numbers, beyond: Cells that contain a number, and those whose number is not from 0 to 1.
    words: Labels that occur.
    unknown, cells: Words that do not map to a score, in order, and the number of cells with one.
    in_words, example: Cells such as "Score: 4", and the first of them in alphabetical order.
    totals: Distinct totals of cells such as "4/5".
    none, without: Cells that mark a missing score, and the first distinct texts of them.
    spelled: How labels are written, with case, and the number of cells with each.
    ends: The lowest and the highest number.
    """

    numbers: int = 0
    beyond: int = 0
    words: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    cells: int = 0
    in_words: int = 0
    example: str = ""
    totals: frozenset[float] = frozenset()
    none: int = 0
    without: tuple[str, ...] = ()
    spelled: tuple[tuple[str, int], ...] = ()
    ends: frozenset[float] = frozenset()

    def __add__(self, other: Written) -> Written:  # type: ignore[override]
        """Return how the cells of both tables are written."""
        ours, theirs = self._asdict(), other._asdict()
        return Written(**{name: merge(ours[name], theirs[name]) for name, merge in _MERGES.items()})


_MERGES: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("numbers", "beyond", "cells", "in_words", "none"), operator.add),
    **dict.fromkeys(("unknown", "without"), lambda one, other: first_words((*one, *other))),
    "words": operator.or_,
    "ends": lambda one, other: frozenset(sorted(one | other)[:: max(len(one | other) - 1, 1)]),
    "example": lambda one, other: min(filter(None, (one, other)), default=""),
    "totals": lambda one, other: frozenset(sorted(one | other)[:MOST_WORDS]),
    "spelled": lambda one, other: tuple(sorted((Counter(dict(one)) + Counter(dict(other))).items())),
}


class Reading(NamedTuple):
    """A parsed column of scores: (n,) numbers, NaN if none; cells that mark a missing score; how cells are written."""

    numbers: Floats
    none: Mask
    written: Written


PLAIN = Written()  # only numbers, not counted


def first_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return the first of some distinct words in natural order, one more than messages list."""
    return tuple(sorted(set(words), key=lambda word: (natural(word), word))[:MOST_WORDS])


@lru_cache(maxsize=4096)
def cell(text: str, labels: tuple[str, ...] | None = None) -> Cell:
    """Parse the text of a cell that is not a plain number.

    labels: Words for 0, 1, 2, ...; default: the pairs of `PAIRS`.

    >>> cell("PASS").score, cell("Score: 4").score, cell("3 out of 5")[::2], cell("N/A").none, cell("partly").is_score
    (1.0, 4.0, (3.0, 5.0), True, False)
    >>> cell("partly", ("No", "Partly", "Yes")).score
    1.0
    """
    known = same_label(text)
    places = _PLACES if labels is None else {same_label(label): place for place, label in enumerate(labels)}
    bare = known if known in places or known in _NO_SCORE else known.strip(_AROUND)
    if bare in places:
        return Cell(float(places[bare]), bare)
    if bare in _NO_SCORE or not bare or is_refusal(text):
        return Cell(none=True)
    if set(known) <= _STARS:
        return Cell(float(len(known) - known.count("☆")))
    found = _IN_WORDS.fullmatch(bare)
    if found is None:
        return Cell(_NUMBERS.get(bare, np.nan))
    score, total = ((found[part] or "nan").replace(",", ".") for part in ("score", "total"))
    return Cell(float(score), "", float(total))


def marked_score(text: str) -> tuple[str, str]:
    r"""Return the score in a text and its mark: the only one, in double brackets, at its end, or at its beginning.

    >>> marked_score("The answer is short. Rating: [[7]]"), marked_score("**Score:** 4/5\nIt is clear.")
    (('7', 'Rating: [[7]]'), ('4', 'Score:** 4/5'))
    >>> marked_score("Two of 3 criteria are met. [RESULT] 4")
    ('4', '[RESULT] 4')
    >>> marked_score("A score of 3 for style, a score of 4 for ideas, in all fine."), marked_score("no score")
    (('', ''), ('', ''))
    """
    found = [(each["label"] or each["score"] or each["line"], each) for each in _MARKED.finditer(text)]
    marks = [one for one in found if one[1]["label"]] or [one for one in found if one[1]["final"]] or found
    if len({score for score, _ in marks}) > 1 and not marks[-1][1]["label"]:
        ends = [one for one in marks[-1:] if not re.search(r"\w", text[one[1].end() :])]
        marks = ends or [one for one in marks[:1] if not re.search(r"\w", text[: one[1].start()])]
    return (marks[-1][0], marks[-1][1][0].strip(_AROUND[:4])) if marks else ("", "")


def thousands_mark(column: Any) -> str:
    """Return the mark between the thousands of a column of numbers; empty if marks may be decimal.

    >>> [thousands_mark(pa.chunked_array([each])) for each in (["990", "1,260"], ["1.250,5", "7"], ["85,125", "100"])]
    [',', '.', '']
    """
    texts = [text.strip() for text in pc.unique(column).to_pylist() if text and text.strip()]
    marks = _THOUSANDS if all(re.fullmatch(r"[-+\d.,' \u00a0\u202f]+", text) for text in texts) else {}
    for mark, point in marks.items():
        grouped = re.compile(rf"[+-]?[1-9]\d{{0,2}}((?:{re.escape(mark)}\d{{3}})+)((?:{point}\d+)?)")
        found = [each for each in map(grouped.fullmatch, texts) if each]
        plain = [text for text in texts if re.fullmatch(rf"[+-]?\d+(?:{point}\d+)?", text)]
        if not found or len(found) + len(plain) < len(texts):
            continue
        least = min(float(re.sub(r"\D", "", each[0].removesuffix(each[2]))) for each in found)
        most = max((float(text.replace(",", ".")) for text in plain), default=0)
        if mark not in ",." or any(each[2] or len(each[1]) > 4 for each in found) or (100 <= most < least < 5 * most):
            return mark
    return ""


def read_scores(column: Any, name: str, labels: Sequence[str] | None = None, missing: Sequence[str] = ()) -> Reading:
    """Return a column of scores as numbers, shape (n,), and how they are written.

    labels: As for `cell`; they have priority over numbers.
    missing: Codes and words that mark a missing score.
    """
    words = pa.types.is_boolean(column.type) or labels is not None
    numbers = np.full(len(column), np.nan) if words else as_numbers(column, name)
    codes = {each.score: same_label(text) for text in missing if not np.isnan((each := cell(text, ())).score)}
    given, none, left = numbers, np.isin(numbers, list(codes)), np.isnan(numbers)
    numbers = np.where(none, np.nan, numbers)
    if left.any():
        left &= ~is_blank(column, name)
    plain = numbers[np.isfinite(numbers)]
    why = first_words(codes[code] for code in np.unique(given[none]).tolist())
    beyond, ends = int(((plain < 0) | (plain > 1)).sum()), [plain.min(), plain.max()] if plain.size else []
    written = Written(len(plain), beyond, none=int(none.sum()), without=why, ends=frozenset(ends))
    if not left.any():
        return Reading(numbers, none, written)
    coded = encode(pc.utf8_trim_whitespace(as_text(column, name)).filter(mask_to_arrow(left)), name)
    outs, known = {same_label(text) for text in missing}, None if labels is None else tuple(labels)
    cells = [Cell(none=True) if same_label(label) in outs else cell(label, known) for label in coded.labels]
    cells = [Cell(none=True) if known is None and each.score in codes else each for each in cells]
    scores = np.array([each.score for each in cells])
    if words and labels is not None:  # numbers that are not among the labels
        others = [index for index, each in enumerate(cells) if not each.label]
        parsed = as_numbers(pa.chunked_array([[coded.labels[index] for index in others]], pa.string()), name)
        scores[others] = np.where(np.isnan(parsed), scores[others], parsed)
    numbers[left] = scores[coded.codes]
    none[left] = np.array([each.none for each in cells])[coded.codes]
    times = np.bincount(coded.codes, minlength=len(cells))
    return Reading(numbers, none, written + _written(coded.labels, cells, scores, times))


def _written(texts: Sequence[str], cells: Sequence[Cell], scores: Floats, times: NDArray[np.integer]) -> Written:
    """Return how texts that are not plain numbers are written, given how often each occurs."""
    count, spelled = Counter[str](), Counter[str]()
    unknown, without, examples, numbers, totals, words = [], [], [], set(), set(), set()
    for text, found, score, n in zip(texts, cells, scores.tolist(), times.tolist(), strict=True):
        if found.label:
            words.add(found.label)
            spelled[" ".join(text.split()).strip(_AROUND) or text] += n
        elif found.none:
            count["none"] += n
            without.append(text)
        elif not np.isnan(score):
            numbers.add(score)
            count["numbers"] += n
            count["beyond"] += n * (not 0 <= score <= 1)
            if found.is_score and re.search(r"[^\d.eE+\s-]", text):
                count["in_words"] += n
                examples.append(text)
                totals |= set() if np.isnan(found.total) else {found.total}
        elif len(text) <= LONGEST_LABEL:
            count["cells"] += n
            unknown.append(text)
    return Written(
        **count, words=frozenset(words), unknown=first_words(unknown), totals=frozenset(totals),
        ends=frozenset(sorted(numbers)[:: max(len(numbers) - 1, 1)]),
        example=min(examples, default=""), without=first_words(without), spelled=tuple(sorted(spelled.items())),
    )  # fmt: skip


def as_written(words: Sequence[str], columns: Iterable[Written]) -> tuple[str, ...]:
    """Return words in the case that is most frequent in the columns, the first of ties.

    >>> as_written(("fail", "pass"), [Written(spelled=(("PASS", 3), ("Pass", 9), ("f", 4)))])
    ('fail', 'Pass')
    """
    times = Counter[str]()
    for each in columns:
        times.update(dict(each.spelled))
    found: dict[str, str] = {}
    for text, _ in sorted(times.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault(same_label(text), text)
    return tuple(found.get(word, word) for word in words)


def all_words(written: Written) -> bool:
    """Return whether cells contain only words of one pair (not single letters), or scores in text."""
    worded = pair_of(written.words) is not None and len("".join(written.words)) > 1
    return written.numbers <= written.in_words and not written.cells and (bool(written.in_words) or worded)


def in_order(words: Iterable[str], beside: int = 0) -> tuple[str, ...]:
    """Return words in their known order, the lowest first; empty if it is unknown or letters may be names.

    beside: The most words that may be without a place in that order.

    >>> in_order(["Good", "fair", "Very-good"]), in_order(["A", "B"]), in_order(["b", "A", "F"]), in_order(["red"])
    (('fair', 'Good', 'Very-good'), (), ('F', 'b', 'A'), ())
    """
    known = {re.sub(r"[\s_-]+(?=\w)", " ", same_label(word)): word for word in words}
    if all(len(word) == 1 for word in known) and "f" not in known:
        return ()
    order = max(_ORDERS, key=lambda order: len(known.keys() & set(order)))
    found = tuple(known[word] for word in order if word in known)
    return found if len(known) - len(found) <= beside else ()


def is_low(word: str) -> bool:
    """Return whether a label is a low score in one of some languages.

    >>> [is_low(word) for word in ("Not at all", "Trifft nicht zu", "often")]
    [True, True, False]
    """
    return not {*re.findall(r"\w+", word.casefold())}.isdisjoint(_WORDS["low"])


def pair_of(words: Iterable[str]) -> tuple[str, str] | None:
    """Return the two categories that all the words belong to; None if they are of different pairs.

    >>> pair_of(["f", "passed"]), pair_of(["f"]), pair_of(["yes", "fail"])
    (('fail', 'pass'), ('fail', 'pass'), None)
    """
    return next(((bad[0], good[0]) for bad, good in PAIRS if {*words} <= {*bad, *good}), None)


_PLACES = {word: place for pair in PAIRS for place, spelled in enumerate(pair) for word in spelled}
