"""What the words in the columns of scores mean, if that is certain; else what to ask."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS, same_label
from reportgen.sources import column_names
from reportgen.sources.columns import encode
from reportgen.sources.written import LONGEST_LABEL, Written, as_written, cell, first_words, pair_of

MOST_LISTED = 10
"""Words that a question lists."""

InColumns = Mapping[str, Written]
"""Score column -> how its cells are written."""

LONGEST_SAID, MOST_WORDS_SAID = 20, 2
"""Characters and words of a cell that a message may repeat."""


def refuse_unclear(written: InColumns, data: DataSettings) -> None:
    """Raise when it is not certain what the words in columns of scores mean."""
    for name, found in written.items():
        if data.labels is None:
            _refuse_unknown_words(name, found, written)
        elif found.words and found.numbers and (len(data.labels) > 2 or found.beyond):
            raise InputError(
                f"column '{name}' holds numbers beside the labels {_said(data.labels)}; write the label in every row."
            )
    _refuse_two_kinds(written, data)
    if data.labels is not None and not any(found.words for found in written.values()):
        raise InputError(
            f"no cell holds one of the labels {_said(data.labels)}; give the words as the file has them, or declare "
            "numbers with --scale."
        )
    totals = sorted({total for found in written.values() for total in found.totals})
    if len(totals) > 1:
        said = _said([f"{total:g}" for total in totals])
        raise InputError(
            f"scores such as '4/5' are out of different totals ({said}); write them as numbers on one scale."
        )


def _refuse_unknown_words(name: str, found: Written, written: InColumns) -> None:
    """Raise for words that belong to no pair, or to several, and for words among numbers."""
    if found.words and found.numbers:
        known = pair_of(found.words)
        typed = write_command("--labels", ",".join(word.replace(",", " ") for word in known or ()))
        positions = f", or type {typed} if 0 and 1 stand for these" if known else ""
        said = _said(first_words(found.words))
        raise InputError(
            f"column '{name}' holds {said} in some rows, and numbers in others; write one of them in every row"
            f"{'' if found.beyond else positions}."
        )
    names = any(not word[0].isdigit() for word in found.unknown)  # "4_5" is a number that is badly written
    unknown = names and not found.numbers and 2 <= len(found.unknown) <= MOST_LISTED
    if not (found.unknown or pair_of(found.words) is None if found.words else unknown):
        return
    if not found.words and column_names.names_somebody(name):
        raise InputError(
            f"column '{name}' holds words whose order is not known; list the labels from lowest to highest, as in "
            "--labels LOWEST,...,HIGHEST, or add --unordered."
        )
    columns = [each for each in written.values() if not each.numbers]
    used = {word for each in columns for word in each.words}
    others = {same_label(word): word for each in columns for word in each.unknown}
    spelled = dict(zip(used, as_written(list(used), columns), strict=True))
    words = [spelled.get(word, word) for word in _in_likely_order(used, others.values())]
    if any(map(is_text, words)):
        raise InputError(f"column '{name}' holds texts, and scores were expected; name another column.")
    none = f" (and {_said(found.without)} for no score)" if found.without else ""
    raise InputError(
        f"column '{name}' holds words whose order is not known: {_said(words)}{none}; list the labels "
        "that are scores from lowest to highest, as in --labels LOWEST,...,HIGHEST, or add --unordered."
    )


def is_text(cell: str) -> bool:
    """Return whether a cell may be a text, which no message repeats: of more than 20 characters or two words.

    Examples
    --------
    >>> is_text("not scored"), is_text("I live at"), is_text("a" * 21)
    (False, True, True)
    """
    return len(cell) > LONGEST_SAID or len(cell.split()) > MOST_WORDS_SAID


def _in_likely_order(used: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return known words by what they count as, and the others behind them; letters alone mean nothing together."""
    known = list(used)
    if all(len(word) == 1 for word in known):
        return list(first_words((*known, *others)))
    return [*sorted(known, key=lambda word: (cell(word).score, word)), *first_words(others)]


def _refuse_two_kinds(written: InColumns, data: DataSettings) -> None:
    """Raise for words in one column and numbers that cannot mean the same in another."""
    words = next((name for name, found in written.items() if found.words), None)
    if words is None:
        return
    others = (name for name, found in written.items() if not found.words and found.numbers)
    wrong = [name for name in others if written[name].beyond or len(data.labels or ()) > 2]
    if wrong:
        raise InputError(
            f"column '{words}' holds words and column '{wrong[0]}' numbers, and which word each number stands for is "
            "not known; write the same in both, or name others with --human and --system."
        )
    scale = data.scale
    if scale is not None and (scale.low, scale.high) != (0, 1):
        raise InputError(
            f"column '{words}' holds words, and the declared scale is {scale.low:g} to {scale.high:g}; leave out the "
            "scale, and declare the words with --labels, the lowest first."
        )


def named_points(written: InColumns, cast: ColumnRoles, data: DataSettings) -> tuple[str, ...]:
    """Return what the points of the scale are called, lowest first, when scores are words: as raters call them."""
    if data.labels is not None:
        return data.labels
    for name in (*cast.columns("human"), *cast.columns("system")):
        pair = pair_of(written[name].words) if name in written and written[name].words else None
        if pair is not None:
            return as_written(pair, [written[each] for each in cast.columns("human") if each in written])
    return ()


def told_of_writing(written: InColumns, cast: ColumnRoles, data: DataSettings) -> list[str]:
    """Return a sentence for each way in which scores are no plain numbers.

    Examples
    --------
    >>> cast = ColumnRoles({"human": [("rater", "")], "system": [("judge", "")]})
    >>> rater, judge = Written(words=frozenset({"pass", "fail"})), Written(9)
    >>> told_of_writing({"rater": rater, "judge": judge}, cast, DataSettings())
    ["'rater' holds fail and pass, 'judge' holds numbers; fail counts as 0, pass as 1."]
    """
    told = [_told_of_words(written, cast, data)] if any(found.words for found in written.values()) else []
    for name, found in written.items():
        if found.in_words:
            cells = "1 cell" if found.in_words == 1 else f"{found.in_words:,} cells"
            hold = "holds" if found.in_words == 1 else "hold"
            score = f"{cell(found.example).score:g}"
            told.append(f"{cells} of '{name}' {hold} a score in words; '{found.example}' is read as {score}.")
        if found.none and name not in cast.columns("system"):
            ratings = "1 cell" if found.none == 1 else f"{found.none:,} cells"
            say = "says" if found.none == 1 else "say"
            told.append(f"{ratings} of '{name}' {say} that there is no score: {_said(found.without)}.")
    return told


def _told_of_words(written: InColumns, cast: ColumnRoles, data: DataSettings) -> str:
    """Return which columns hold words, and what these count as."""
    points = named_points(written, cast, data)
    if data.unordered:
        return f"Labels have no order: {_said(points)}."
    if data.labels is not None:
        return f"Labels count as numbers: {_said([f'{point} is {place}' for place, point in enumerate(points)])}."
    held: dict[str, list[str]] = {}
    for name, found in written.items():
        pair = pair_of(found.words) if found.words else None
        held.setdefault(" and ".join(as_written(pair, written.values())) if pair else "numbers", []).append(f"'{name}'")
    kinds = [f"{_together(names)} {'holds' if len(names) == 1 else 'hold'} {what}" for what, names in held.items()]
    if len(kinds) == 1:
        return f"{kinds[0]}, which count as 0 and 1."
    return f"{', '.join(kinds)}; {points[0]} counts as 0, {points[1]} as 1."


def with_labels_found(data: DataSettings, table: Any, names: Sequence[str]) -> DataSettings:
    """Return settings with the labels that columns hold, when these have no order and are not declared."""
    if not data.unordered or data.labels is not None:
        return data
    found: dict[str, Counter[str]] = {}
    numeric = True
    for name in names:
        coded = encode(table[name], name)
        times = np.bincount(coded.codes, minlength=len(coded.labels)).tolist()
        for text, n in zip(map(str.strip, coded.labels), times, strict=True):
            read = cell(text)
            if text and not read.none and len(text) <= LONGEST_LABEL:
                found.setdefault(same_label(text), Counter())[text] += n
                numeric = numeric and read.is_score and not read.label
    if numeric or len(found) < 2:
        return data
    if len(found) > MOST_LABELS:
        raise InputError(
            f"the columns of scores hold {len(found):,} different words; expected {MOST_LABELS} labels at most."
        )
    often = (min(spelled, key=lambda text: (-spelled[text], text)) for spelled in found.values())
    labels = tuple(sorted(often, key=str.casefold))
    return data.model_copy(update={"labels": labels})


def _together(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _said(words: Sequence[str]) -> str:
    return ", ".join(words[:MOST_LISTED]) + (", ..." if len(words) > MOST_LISTED else "")
