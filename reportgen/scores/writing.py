"""Interpret words in score columns if their meaning is certain; otherwise prompt."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any, NoReturn

import numpy as np

from reportgen.design.profiles import CODES, FIRST_CELLS, nearest_scales, order_of_labels
from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError, QuestionError, joined
from reportgen.scores.scale import meanings
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS, same_label
from reportgen.sources import column_names
from reportgen.sources import written as texts
from reportgen.sources.columns import encode
from reportgen.wording.names import natural
from reportgen.wording.numbers import many

MOST_LISTED = 12  # the most words that a question lists

MOST_LOST = 0.1  # words that are a larger share of a column are not dropped without a question

InColumns = Mapping[str, texts.Written]  # score column -> how its cells are written

LEAST_REPEATED, MOST_ROWS = 3, 100_000
"""The fewest cells that make a longer text a label, and the most rows used to find the order of labels."""

LONGEST_SHOWN, MOST_WORDS_SHOWN = 20, 2  # the most characters and words of a cell that a message may repeat


def refuse_unclear(written: InColumns, data: DataSettings, systems: Sequence[str] = ()) -> None:
    """Raise if the meaning of words in score columns is not certain."""
    words = {name: found for name, found in written.items() if found.words}
    numbers = {name: found for name, found in written.items() if found.numbers}
    worded = [found for name, found in written.items() if name not in (*systems, *numbers)]
    used = {word for found in worded for word in (*found.words, *found.unknown)}
    order = texts.in_order(used) or (used and texts.pair_of(used)) or ()
    mapped = [*systems] * bool(data.system_scale)
    engines = [numbers[name] for name in systems if name in numbers]
    engines = engines if len(order) > 2 else [each for each in engines if order and each.beyond and not mapped]
    if engines and data.labels is None and not data.unordered:
        labels, given = texts.as_written(order, worded), sorted(engines[0].ends) or [0.0]
        typed = ("--labels", ",".join(labels)) if labels[2:] else ("--scale", "0:1")  # words of a pair are 0 and 1
        ways = [
            (f"{low} means '{labels[0]}', and {high} means '{labels[-1]}'", (*typed, "--system-scale", f"{low}:{high}"))
            for low, high in nearest_scales(given[0], given[-1], len(labels))
        ]
        text = f"the human scores are labels, but the engine scores are numbers from {given[0]:g} to {given[-1]:g}. "
        raise QuestionError(f"{text}What do the numbers mean?", ways, "edit --system-scale")
    for one, two in product(words, numbers):
        unlike = two not in mapped and (numbers[two].beyond or len(data.labels or ()) > 2)
        if unlike or (one == two and not data.labels):
            shown = (*texts.as_written(list(words[one].words), [words[one]]), *words[one].unknown)
            why = _first(texts.first_words(data.labels or shown))
            text = f"column '{one}' contains words ({why}), but column '{two}' contains numbers; recode the words as "
            raise InputError(f"{text}numbers, or name other columns with --human and --system.")
    for name, found in written.items() if data.labels is None else ():
        _refuse_unknown_words(name, found, written)
    if data.labels is not None and not words:
        text = f"no score column contains any of the labels {joined(data.labels)}; write them as they are in the file, "
        raise InputError(f"{text}or remove --labels.")
    if words and data.scale is not None and (data.scale.low, data.scale.high) != (0, 1):
        declared = f"{data.scale.low:g} to {data.scale.high:g}"
        why = f"column '{next(iter(words))}' contains labels, but the scale is {declared}"
        raise InputError(f"{why}; remove --scale, and add --labels LOWEST,...,HIGHEST.")
    totals = sorted({total for found in written.values() for total in found.totals})
    if len(totals) > 1:
        why = joined([f"{total:g}" for total in totals])
        raise InputError(f"scores such as '4/5' have different totals, {why}; convert them to one scale.")


def _refuse_unknown_words(name: str, found: texts.Written, written: InColumns) -> None:
    """Raise for words that belong to no pair, or to more than one."""
    names = any(not word[0].isdigit() for word in found.unknown)  # "4_5" is a mistyped number
    unknown = names and not found.numbers and 2 <= len(found.unknown) <= MOST_LISTED
    if not (found.unknown or texts.pair_of(found.words) is None if found.words else unknown):
        return
    columns = [each for each in written.values() if not each.numbers]
    used = {word for each in columns for word in each.words}
    others = {same_label(word): word for each in columns for word in each.unknown}
    words = texts.first_words((*texts.as_written(list(used), columns), *others.values()))
    if any(map(is_text, words)) or column_names.names_somebody(name):
        raise InputError(f"column '{name}' contains names or text; choose score columns with --human and --system.")
    text = f"{_first(words)}{f' (and {joined(found.without)} for no score)' if found.without else ''}"
    sets = [{*each.words, *each.unknown} for each in columns]
    if len(sets) > 1 and all(one.isdisjoint(two) for one, two in combinations(sets, 2)):
        raise InputError(f"no two score columns have a word in common ({text}); use the same words in all of them.")
    raise QuestionError(
        f"the scores in '{name}' are words: {text}. Are they ordered? If so, add --labels LOWEST,...,HIGHEST. "
        "If these are not scores, choose another column with --human NAME.",
        [("the labels are unordered", ("--unordered",))],
    )


def _first(words: Sequence[str]) -> str:
    """List words of `first_words`, which leaves out the others."""
    return joined([*words[: texts.MOST_WORDS - 1], *["others"] * (len(words) >= texts.MOST_WORDS)], most=len(words))


def is_text(cell: str) -> bool:
    """Return whether a cell may be a text, which no message repeats: longer than 20 characters or two words.

    Words joined by underscores are the name of a label.

    >>> is_text("not scored"), is_text("I live at"), is_text("a" * 21), is_text("partially_correct_incomplete")
    (False, True, True, False)
    """
    name = "_" in cell and cell.isidentifier() and len(cell) <= texts.LONGEST_LABEL
    return not name and (len(cell) > LONGEST_SHOWN or len(cell.split()) > MOST_WORDS_SHOWN)


def named_points(written: InColumns, roles: ColumnRoles, data: DataSettings) -> tuple[str, ...]:
    """Return the labels of the scale's points, lowest first, as raters wrote them, if scores are words."""
    if data.labels is not None:
        return data.labels
    for name in (*roles.columns("human"), *roles.columns("system")):
        pair = texts.pair_of(written[name].words) if name in written and written[name].words else None
        if pair is not None:
            return texts.as_written(pair, [written[each] for each in roles.columns("human") if each in written])
    return ()


def notes_on_writing(written: InColumns, roles: ColumnRoles, data: DataSettings) -> list[str]:
    """Return a sentence for each way in which scores are not plain numbers.

    >>> roles = ColumnRoles({"human": [("rater", "")], "system": [("judge", "")]})
    >>> rater, judge = texts.Written(words=frozenset({"pass", "fail"})), texts.Written(9)
    >>> notes_on_writing({"rater": rater, "judge": judge}, roles, DataSettings())
    ["'rater' contains fail and pass, 'judge' contains numbers; fail counts as 0, pass as 1."]
    """
    notes = [_note_on_words(written, roles, data)] if any(found.words for found in written.values()) else []
    for name, found in written.items():
        if found.in_words:
            one, more = "score in '{}' is not a plain number", "scores in '{}' are not plain numbers"
            cells = many(found.in_words, one.format(name), more.format(name))
            notes.append(f"{cells}; for example, '{found.example}' is read as {texts.cell(found.example).score:g}.")
        if found.none and name not in roles.columns("system"):
            cells = f"{many(found.none, 'cell')} in '{name}' {'contains' if found.none == 1 else 'contain'}"
            notes.append(f"{cells} a missing-value code: {joined(found.without)}.")
    return notes


def _note_on_words(written: InColumns, roles: ColumnRoles, data: DataSettings) -> str:
    """Return which columns contain words, and the scores of these words."""
    points = named_points(written, roles, data)
    if data.unordered:
        return f"Labels have no order: {joined(points)}."
    if data.labels is not None:
        return f"Labels count as numbers: {joined([f'{point} is {place}' for place, point in enumerate(points)])}."
    held: dict[str, dict[str, None]] = {}
    # one column of the file has all ratings if each row has one
    packed = dict.fromkeys(roles.columns("human"), roles.columns("score")[0]) if roles.columns("score") else {}
    for name, found in written.items():
        pair = texts.pair_of(found.words) if found.words else None
        what = " and ".join(texts.as_written(pair, written.values())) if pair else "numbers"
        held.setdefault(what, {})[f"'{packed.get(name, name)}'"] = None
    columns = {what: " and ".join(names).replace(" and ", ", ", max(0, len(names) - 2)) for what, names in held.items()}
    kinds = [f"{names} {'contain' if ' and ' in names else 'contains'} {what}" for what, names in columns.items()]
    if len(kinds) == 1:
        return f"{kinds[0]}, which count as 0 and 1."
    return f"{', '.join(kinds)}; {points[0]} counts as 0, {points[1]} as 1."


def with_labels_found(data: DataSettings, table: Any, names: Sequence[str], unit: str | None = None) -> DataSettings:
    """Return settings with the labels in columns in their known order, if none are declared; `unit` names responses."""
    few = [texts.read_scores(table[name].slice(0, FIRST_CELLS), name, None, data.missing).written for name in names]
    first = sum(few, texts.Written())
    signed = any(map(_SIGNED.fullmatch, first.unknown))
    words = first.numbers <= MOST_LOST * first.cells and first.unknown + tuple(first.words)
    lost = any((each.words and each.numbers) or each.cells > MOST_LOST * (each.cells + each.numbers) for each in few)
    if data.labels is not None or not (data.unordered or words or signed or lost):
        return data
    held, spelled, out = dict[str, Counter[str]](), Counter[str](), {same_label(word) for word in data.missing}
    for name in names:
        coded = encode(table[name], name)
        times = zip(map(str.strip, coded.labels), np.bincount(coded.codes).tolist(), strict=False)
        spelled += (own := Counter({text: n for text, n in times if 0 < len(text) <= texts.LONGEST_LABEL}))
        held[name] = Counter(word for text in own.elements() if (word := same_label(text)) not in out)
    often = {same_label(text): text for text, _ in sorted(spelled.items(), key=lambda each: (-each[1], each[0]))[::-1]}
    known = {word: texts.cell(word) for own in held.values() for word in own}
    # any word may be a label if there is no order
    labels = sorted(w for w, cell in known.items() if not cell.none or (data.unordered and w in texts.PERHAPS_NO_SCORE))
    if signed and not (data.unordered or texts.in_order(labels)) and all(map(_SIGNED.fullmatch, labels)):
        _ask_about_grades(labels)
    codes = [label for label in labels if known[label].score in CODES]
    if words and codes:  # among labels, numbers such as 99 are no scores
        return with_labels_found(data.model_copy(update={"missing": (*data.missing, *codes)}), table, names, unit)
    if not (data.unordered or words or signed):
        _ask_about_lost(held, often, known, data)
        return data
    if len(labels) < 2 or all(known[label].is_score and not known[label].label for label in labels):
        return data
    if not data.unordered:
        order = texts.in_order(often[word] for word in known) or texts.in_order(often[label] for label in labels)
        if len(order) < len(known):
            _ask_about_lost(held, often, known, data)
        if order or texts.pair_of(labels):
            return data if texts.pair_of(labels) else data.model_copy(update={"labels": order})
        unclear = any(is_text(each) and sum(own[each] for own in held.values()) < LEAST_REPEATED for each in labels)
        shared = len(held) < 2 or all(
            any(own.keys() & held[each] for each in held if each != name) for name, own in held.items()
        )
        if unclear or not shared or len(labels) > MOST_LISTED or any(map(column_names.names_somebody, names)):
            return data
        if len(labels) > 2:
            others = [often[each] for each in labels if not known[each].label]
            none = others if len(others) < 3 and texts.pair_of(each for each in labels if known[each].label) else []
            _ask_about_order(table, names, unit, often, labels, none)
    if len(labels) > MOST_LABELS:
        raise InputError(f"the columns of scores contain {len(labels):,} words; expected at most {MOST_LABELS}.")
    named = sorted((often[label] for label in labels), key=lambda label: (not texts.is_low(label), label.casefold()))
    return data.model_copy(update={"labels": tuple(named)})  # two labels are in order, whichever is first


_SIGNED = re.compile(r"(\d{1,2})([+-]?)")
"""A grade such as 2+, 2, or 2-."""


def _ask_about_grades(labels: Sequence[str]) -> NoReturn:
    """Raise a question whether high grades such as 2+ or low ones are the best; 2+ is better than 2 in both cases."""

    def ordered(sign: int) -> str:
        parts = (re.split(r"(?=[+-]|$)", label) for label in labels)
        return ",".join(map("".join, sorted(parts, key=lambda each: (sign * int(each[0]), "- +".find(each[1] or " ")))))

    raise QuestionError(
        "the scores are grades such as '2+' and '2-'. Which grades are better?",
        [("grades with low numbers are better", ("--labels", ordered(-1))),
         ("grades with high numbers are better", ("--labels", ordered(1)))],
    )  # fmt: skip


def _ask_about_lost(
    held: Mapping[str, Counter[str]], often: Mapping[str, str], known: Mapping[str, texts.Cell], data: DataSettings
) -> None:
    """Prompt what words mean that would be lost: among numbers such as 4A, or words such as "unsure" among labels.

    They are lost if they are many cells of a column, if columns of labels share them, or if they are rare, only on one
    side, and not in the known order of the other labels.
    """
    numbers = {word for word, each in known.items() if each.is_score and not each.label}
    unread = {word for word, each in known.items() if not each.none} - numbers
    order = texts.in_order(unread, 2)
    shares = {word: [own[word] / max(own.total(), 1) for own in held.values()] for word in unread.difference(order)}
    apart = {w for w, each in shares.items() if len(order) > 2 and min(each) == 0 and max(each) <= MOST_LOST}
    lost = unread if numbers else apart | (texts.PERHAPS_NO_SCORE & known.keys() if not data.missing else set())
    times = {
        name: (sum(own[word] for word in lost), own.total())
        for name, own in held.items()
        if own.keys() & (numbers or own.keys() - lost)  # a column of nothing else is another question
    }
    name, (n, of) = max(sorted(times.items()), key=lambda each: each[1][0] / each[1][1], default=("", (0, 0)))
    # F may mean false; unsure may be a label if several columns contain it
    shared = any(known[word].label if numbers else sum(word in own for own in held.values()) > 1 for word in lost)
    repeat = 0 < n <= of / 2 and (shared or LEAST_REPEATED * len(lost) <= n)
    few = len(lost) <= MOST_LISTED and (not numbers or repeat)
    if not few or not (shared or apart or n > MOST_LOST * of):
        return
    spelled = sorted((often[word] for word in lost), key=natural)
    points = sorted((often[word] for word, each in known.items() if word in lost or not each.none), key=natural)
    ask, unscored, _ = meanings(quoted := [*map(repr, spelled)])
    none = unscored, ("--missing", ",".join((*data.missing, *spelled)))
    label = f"{joined(quoted)} {'is a label' if len(quoted) == 1 else 'are labels'}, and the labels have"
    loose = f"{label} no order", ("--unordered", "--labels", ",".join(points))
    numbered = all(re.search(r"\d", word) for word in spelled)
    ordered = [(f"{label} this order, lowest first (edit it if needed)", ("--labels", ",".join(points)))] * numbered
    own_words = (own.keys() - lost for own in held.values())  # words that differ are scores only if they have an order
    unlike = not numbers and any(one.isdisjoint(two) for one, two in combinations(own_words, 2))
    raise QuestionError(
        f"{n:,} of {of:,} cells in '{name}' are {joined(quoted, 'or')}. {ask}",
        [*ordered, loose, none] if numbered else [none, *[loose] * (not unlike)],
    )


def _ask_about_order(
    table: Any, names: Sequence[str], unit: str | None, often: Mapping[str, str], labels: Sequence[str],
    none: Sequence[str],
) -> None:  # fmt: skip
    """Raise a question about the order of labels, with a proposal from numbers or confusions; `none` may be no scores.

    Two labels need no order.
    """
    coded = [encode(table[name].slice(0, MOST_ROWS), name) for name in names]
    rows = encode(table[unit].slice(0, MOST_ROWS), unit).codes if unit else np.arange(len(coded[0].codes))
    times = np.zeros((int(rows.max(initial=0)) + 1, len(labels)))
    for each in coded:
        place = np.array([labels.index(word) if (word := same_label(text)) in labels else -1 for text in each.labels])
        here = place[each.codes] >= 0
        np.add.at(times, (rows[here], place[each.codes][here]), 1.0)
    order = [often[labels[place]] for place in order_of_labels(times)]
    low = [place for place, word in enumerate(order) if texts.is_low(word) or texts.cell(word).score == 0]
    order = order[::-1] if low and 2 * sum(low) > (len(order) - 1) * len(low) else order
    numbered = all(re.search(r"\d", word) for word in order)
    order = sorted(order, key=natural) if numbered else order
    raise QuestionError(
        f"the scores are labels: {joined(map(repr, order), most=MOST_LISTED)}. Are they ordered?",
        [("the labels are ordered from lowest to highest as follows (edit if needed)", ("--labels", ",".join(order))),
         *[(meanings([*map(repr, none)])[1], ("--missing", ",".join(none)))] * bool(none),
         ("the labels are unordered", ("--unordered",))][:: 1 if low or numbered else -1],
    )  # fmt: skip
