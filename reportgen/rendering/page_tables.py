"""A table or a requirement made ready for its template: every cell a finished text.

A requirement has a strip: estimate, interval, and limit on a scale that never moves.
"""

from __future__ import annotations

import math
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from reportgen.charts import theme
from reportgen.charts.marks import Box, Dot, Path, Text
from reportgen.charts.marks import Mark as Drawn
from reportgen.charts.static import drawn
from reportgen.charts.svg import clean, element, words
from reportgen.charts.theme import Colours, shorten, shorten_apart, width
from reportgen.rendering.filters import anchor, sign, together
from reportgen.results import Cell, Check, Column, Estimate, Kind, Mark, Row, Table, Term, scale_ends
from reportgen.wording.numbers import bound, in_cell, num, places_needed, with_interval
from reportgen.wording.vocabulary import Vocabulary

PAPER_COLUMNS = 7  # columns a table has at most on paper

PAPER_LINE = 104.0  # width of a table on paper

GAP, CLOSE_GAP, PAIRED_GAP = 2.3, 1.6, 1.4
"""Space before a column; the same where columns stand closer to fit, and in a table beside another one."""

MARK = 2.0  # width of the sign before the names of rows

WORD = 16  # letters up to which a word in a table is never broken

WHOLE = 20  # width up to which a text of a few words in a table is not broken, where there is room

LONG_NAME = 28.0  # width of a name that has one line in a table beside another one

SMALLEST_NAME = 11.5  # width that the column of names has at least


def digits(text: str) -> float:
    """Return the width of a text in widths of a digit.

    Examples
    --------
    >>> digits("4812"), digits("[0.66, 0.75]") < 9.5
    (4.0, True)
    """
    return round(width(text, 1.0) / width("0", 1.0), 1)


def heading(label: str) -> float:
    """Return the width that a heading needs on two lines; a word of more than `WORD` letters can be broken.

    Examples
    --------
    >>> heading("QWK") == digits("QWK"), heading("Rater mean") == digits("Rater")
    (True, True)
    """
    words = label.split()
    breaks = range(1, len(words)) or (len(words),)
    lines = (max(digits(" ".join(words[:place])), digits(" ".join(words[place:]))) for place in breaks)
    return min(min(lines, default=0.0), max(longest_word((label,)), digits(label) / 2))


def longest_word(texts: Iterable[str]) -> float:
    """Return the width of the longest word, of which `WORD` letters count."""
    return max((digits(word[:WORD]) for text in texts for word in text.split()), default=0.0)


def unbroken(texts: Iterable[str], *, name: bool) -> float:
    """Return the width of the widest text that is to stay on one line, or of a word of a longer one.

    A name of a row has room for `WHOLE`, however long it is.
    """
    parts = (part for text in texts for part in ((text,) if name or len(text) <= WHOLE else text.split()))
    return min(float(WHOLE), max(map(digits, parts), default=0.0))


def fitting(widths: Sequence[float], least: Sequence[float]) -> tuple[int, bool]:
    """Return how many columns paper has room for, the name and one other at least, and whether they must be close.

    Columns that are close have their `least` widths: their names and words take more lines.

    Examples
    --------
    >>> fitting([20.0, 30.0, 30.0], [8.0, 30.0, 30.0]), fitting([20.0, 45.0, 45.0], [8.0, 45.0, 45.0])
    ((3, False), (3, True))
    >>> fitting([20.0, 45.0, 55.0], [8.0, 45.0, 55.0]), fitting([10.0] * 9, [8.0] * 9)
    ((2, False), (7, False))
    """
    most = min(len(widths), PAPER_COLUMNS)
    if _line(widths[:most], GAP) <= PAPER_LINE:
        return most, False
    while most > 2 and _line(least[:most], CLOSE_GAP) > PAPER_LINE:
        most -= 1
    return most, _line(widths[:most], GAP) > PAPER_LINE


def _line(widths: Sequence[float], gap: float) -> float:
    return sum(widths) + gap * max(0, len(widths) - 1)


Letters = dict[str, str]  # reasons for undefined values, each with its letter, in the order of their first use

LONGEST_NAME = 100  # letters of the name of a row or column on the page

POINTS = "points"  # unit of a column of differences between percentages

SHORT = 6  # lines up to which a table is kept on one page

SMALL = 16  # lines up to which a table can share the width of a page with another one

FACTS = 12  # lines above which names and their values, as in a list of settings, stand in two columns on paper

CAPTION = 60  # letters of a caption up to which it is not parted

_CONDITIONS = re.compile(r"([^()].{9,}?) \(((?:[^()]|\([^()]*\))+)\)")  # a caption that ends with a parenthesis

MARKS: dict[Mark, str] = {"flagged": "▲", "reference": "◇", "insufficient": "–"}
"""The signs of rows, before their names; notes tell what they mean."""

Thresholds = Mapping[tuple[str, str], tuple[float, ...]]
"""The bounds that checks have for a statistic, by its metric and kind."""

NONE: Thresholds = {}


class CellView(NamedTuple):
    """One cell: what is printed, the interval beside it, the letter of the note that explains it, where it leads.

    `raw` is the number unrounded, with the ends of its interval after it; empty where the printed text has it all.
    """

    text: str
    limits: str = ""
    note: str = ""
    href: str = ""
    raw: str = ""


class ColumnView:
    """One column; `name` is read aloud where there is no heading.

    Widths are in digits: `limits_width` is that of the widest interval, `head` what the heading needs on two lines,
    `whole` that of the longest short text, `word` that of the longest word, which stays whole on narrow screens.
    """

    def __init__(self, table: Table, index: int, cells: Sequence[CellView], *, names: bool) -> None:
        column, held = table.columns[index], [row.cells[index] for row in table.rows]
        numeric = sum(isinstance(cell, (int, float, Estimate)) for cell in held)
        figures = column.kind != "text" or numeric > len(held) / 2
        short = shorten_apart([each.label for each in table.columns], LONGEST_NAME)[index]
        self.label = _visible(short)
        self.name = _visible(column.key.replace("_", " ")) or f"Column {index + 1}"
        self.unit = clean(column.unit)
        self.figures = figures
        self.on_paper = True
        self.limits_width = max((digits(cell.limits) for cell in cells), default=0.0)
        self.head = heading(f"{short} ({column.unit})" if column.unit else short)
        self.whole = 0.0 if figures else unbroken((cell.text for cell in cells), name=names)
        self.word = 0.0 if figures else longest_word(cell.text for cell in cells)
        self.largest_first = column.kind == "count"


class RowView(NamedTuple):
    """One row; `mark` names its style, `sign` stands before its name."""

    cells: tuple[CellView, ...]
    mark: Mark
    sign: str


class RowGroup(NamedTuple):
    """Rows under a heading that their first cells share; without one where each has a name of its own."""

    title: str
    rows: tuple[RowView, ...]


class TableView:
    """A table as its template prints it; a `listed` one has a CSV file, to which a page that shows some rows leads.

    `small` is the width on paper, in digits, of one of a few lines, else 0.  `title` and `conditions` are its caption
    in two parts.  In a `grouped` table the first cells are not shown.  `empty` names columns without a value that are
    left out, with the reason if it is the same for all.
    """

    def __init__(self, table: Table, *, listed: bool = True, thresholds: Thresholds = NONE) -> None:
        kept = _kept(table)
        empty = _empty_columns(table, kept)
        shown = [index for index, column in enumerate(table.columns) if column.shown and index not in empty]
        letters: Letters = {}
        body = _rows(table, kept, shown, letters, thresholds)
        self.columns = tuple(
            ColumnView(table, index, [row.cells[place] for row in body], names=not place)
            for place, index in enumerate(shown)
        )
        self.groups = _groups(body) if len(self.columns) > 2 else (RowGroup("", body),)
        marked = any(row.sign for row in body)
        widths = [_widths(self.columns, body, self.grouped, marked, names) for names in (WHOLE, 0.0, LONG_NAME)]
        most, self.close = fitting(*widths[:2])
        for place, column in enumerate(self.columns):
            column.on_paper = place < most + self.grouped
            column.whole += MARK * (marked and place == self.grouped)
        lines = len(body) + sum(bool(group.title) for group in self.groups)
        self.id = anchor("table", table.key)
        self.caption = clean(table.caption)
        self.title, self.conditions = _caption(self.caption)
        self.empty = tuple((clean(shorten(table.columns[index].label, LONGEST_NAME)), clean(why))
                           for index, why in empty.items())  # fmt: skip
        self.reasons = tuple((letter, clean(reason)) for reason, letter in letters.items())
        self.notes = tuple(together(clean(note)) for note in table.notes)
        self.left_out = len(table.rows) - len(kept)
        self.elsewhere = clean(f"tables/{table.file_name}") if listed else "results.json"
        self.short = lines <= SHORT
        self.facts = len(self.columns) == 2 and not any(column.figures for column in self.columns) and lines > FACTS
        paper = widths[2][:PAPER_COLUMNS]
        self.small = math.ceil(sum(paper) + PAIRED_GAP * (len(paper) - 1)) if lines <= SMALL else 0
        self.sortable = len(kept) > 2

    @cached_property
    def rows(self) -> tuple[RowView, ...]:
        """All rows, in their order."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def grouped(self) -> bool:
        """Whether rows stand under headings."""
        return any(group.title for group in self.groups)

    @cached_property
    def marks(self) -> dict[str, str]:
        """The marks that rows have, with their signs."""
        found = {row.mark for row in self.rows}
        return {mark: sign for mark, sign in MARKS.items() if mark in found}


def thresholds_of(checks: Sequence[Check]) -> Thresholds:
    """Return the bounds of the checks, so that a table writes a number near one as exactly as its check does."""
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for check in checks:
        key = (check.estimate.metric, check.estimate.kind)
        bounds_of_check = tuple(bound for bound in (check.low, check.high) if bound is not None)
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), *bounds_of_check)))
    return found


def _rows(
    table: Table, kept: Sequence[Row], shown: Sequence[int], letters: Letters, thresholds: Thresholds
) -> tuple[RowView, ...]:
    targets = {column.key: index for index, column in enumerate(table.columns)}
    leads = [targets.get(table.columns[index].link, -1) for index in shown]
    places = [column_decimals(kept, index, table.columns[index], thresholds) for index in shown]

    first = [row.cells[shown[0]] for row in kept] if shown else []
    own = [" ".join(cell.split()) for cell in first if isinstance(cell, str)]
    names = dict(zip(own, shorten_apart(own, LONGEST_NAME), strict=True))

    def cells(row: Row) -> Iterator[CellView]:
        for place, (index, lead) in enumerate(zip(shown, leads, strict=True)):
            cell = _name(row, index, table.columns, names) if not place else row.cells[index]
            found = _cell(cell, table.columns[index], letters, places[place])
            yield found._replace(href=_href(row.cells[lead]) if lead >= 0 else "")

    return tuple(RowView(tuple(cells(row)), row.mark, MARKS.get(row.mark, "")) for row in kept)


def _groups(rows: tuple[RowView, ...]) -> tuple[RowGroup, ...]:
    """Return the rows under the words that their first cells repeat; one group where they do not.

    Rows are grouped where a word of the first column stands for two of them on average, and none comes back later;
    each row of a group then needs a name in its second cell. A row that stands alone and has none keeps its first
    cell as its name, and no heading. What leads somewhere keeps its link.
    """
    alone = (RowGroup("", rows),)
    if any(row.cells[0].href or row.cells[0].limits or row.cells[0].note for row in rows):
        return alone
    runs = [(name, tuple(run)) for name, run in groupby(rows, lambda row: row.cells[0].text)]
    named = [len(run) for _, run in runs if len(run) > 1 or run[0].cells[1].text]
    if not named or 2 * len(named) > sum(named) or len({name for name, _ in runs}) < len(runs):
        return alone
    if any(not row.cells[1].text for _, run in runs if len(run) > 1 for row in run):
        return alone
    return tuple(RowGroup(name if len(run) > 1 or run[0].cells[1].text else "", run) for name, run in runs)


def _widths(
    columns: Sequence[ColumnView], rows: Sequence[RowView], grouped: bool, marked: bool, names: float
) -> list[float]:
    """Return the widths of the columns that are seen, on paper; `names` and words longer than that take more lines."""
    found = []
    for place, column in enumerate(columns[int(grouped) :], start=int(grouped)):
        written = max((digits(row.cells[place].text) for row in rows), default=0.0)
        if place == int(grouped):
            found.append(max(SMALLEST_NAME, min(written, names), column.word, column.head) + MARK * marked)
        elif column.figures:
            limits = column.limits_width + 0.8 if column.limits_width else 0.0
            found.append(max(written + limits, column.head))
        else:
            found.append(max(min(written, names, WHOLE), column.word, column.head))
    return found


def _empty_columns(table: Table, rows: Sequence[Row]) -> dict[int, str]:
    """Return the columns in which no row has a value, with the reason that all of them share, if they do."""
    shown = [index for index, column in enumerate(table.columns) if column.shown]
    found = {}
    for index in shown[1:]:
        cells = [row.cells[index] for row in rows]
        if cells and all(map(_without_value, cells)):
            reasons = {cell.reason for cell in cells if isinstance(cell, Estimate)} - {""}
            found[index] = reasons.pop() if len(reasons) == 1 else ""
    return found if len(found) < len(shown) - 1 else {}


def _without_value(cell: Cell) -> bool:
    value = cell.value if isinstance(cell, Estimate) else cell
    return value is None or (not value.strip() if isinstance(value, str) else not math.isfinite(value))


def _caption(text: str) -> tuple[str, str]:
    """Return what a caption says a table is, and in a long one the conditions in parentheses behind it.

    Examples
    --------
    >>> _caption("Agreement on score points (engine score rounded; 200 responses, both scored)")
    ('Agreement on score points', 'engine score rounded; 200 responses, both scored')
    >>> _caption("Groups (n)")
    ('Groups (n)', '')
    """
    found = _CONDITIONS.fullmatch(text) if len(text) > CAPTION else None
    return (found[1], found[2]) if found else (text, "")


def _letter(letters: Letters, reason: str) -> str:
    """Return the letter of a reason, the same for the same reason; no reason, no letter."""
    if not reason:
        return ""
    number = len(letters)
    return letters.setdefault(reason, chr(ord("a") + number) if number < 26 else str(number - 25))


def _cell(cell: Cell, column: Column, letters: Letters, decimals: Mapping[Kind, int]) -> CellView:
    # A difference of percentages is a percentage too: only its column knows that it has a sign.
    signed = True if column.kind == "difference" or column.unit == POINTS else None
    if isinstance(cell, Estimate):
        return estimate_view(cell, letters, (), signed, decimals.get(cell.kind))
    if isinstance(cell, str):
        return CellView(together(clean(" ".join(cell.split()))))
    text = "" if cell is None else in_cell(num(cell, column.kind, signed=signed, places=decimals.get(column.kind)))
    return CellView(text, raw=_unrounded(text, cell))


def _unrounded(text: str, *numbers: float | None) -> str:
    """Return numbers with all their digits; nothing where `text` tells them all, as it does of whole numbers.

    Examples
    --------
    >>> _unrounded("0.71", 0.7105, 0.66, 0.75), _unrounded("0.5", 0.5), _unrounded("4,812", 4812), _unrounded("–", None)
    ('0.7105 0.66 0.75', '', '', '')
    """
    known = [repr(number) for number in numbers if number is not None]
    told = len(known) < 2 and (isinstance(numbers[0], int) or known in ([], [text]))
    return "" if told or numbers[0] is None else " ".join(known)


def _href(cell: Cell) -> str:
    """Return a path as a link that stays among the files beside the page: no scheme, no host.

    Examples
    --------
    >>> _href("../a b/report.html"), _href("javascript:x"), _href("//host/x"), _href(None)
    ('../a%20b/report.html', 'javascript%3Ax', 'host/x', '')
    """
    return urllib.parse.quote(cell.lstrip("/"), safe="/") if isinstance(cell, str) else ""


def _name(row: Row, index: int, columns: Sequence[Column], names: Mapping[str, str]) -> Cell:
    """Return the name of a row, not too long, with the unit of percentages among other numbers; else as it is."""
    cell = row.cells[index]
    if not isinstance(cell, str):
        return cell
    others = (pair for pair in zip(row.cells, columns, strict=True) if pair[1].kind != "percent" and not pair[1].unit)
    mixed = any(isinstance(each, Estimate) and each.kind == "percent" and column.shown for each, column in others)
    text = names[" ".join(cell.split())]
    return f"{text} (%)" if mixed and "%" not in text else text


def estimate_view(
    estimate: Estimate,
    letters: Letters,
    thresholds: Sequence[float | None],
    signed: bool | None = None,
    places: int | None = None,
) -> CellView:
    """Return an estimate as a cell: its value, its interval, and the letter of the reason where there is none."""
    written = with_interval(estimate, *thresholds, signed=signed, places=places)
    value, bracket, limits = in_cell(written).partition(" [")
    note = _letter(letters, estimate.reason if estimate.value is None else estimate.interval_reason)
    ends = (estimate.low, estimate.high) if bracket else ()
    raw = _unrounded(value, estimate.value, *ends)
    return CellView(value, f"[{limits}" if bracket else "", note, raw=raw)


def _visible(label: str) -> str:
    return clean(label) if any(unicodedata.category(letter)[0] not in "CZ" for letter in label) else ""


def _kept(table: Table) -> list[Row]:
    """Return the rows the page shows: the first `max_rows`, and all that are marked as important."""
    rows = table.rows
    if len(rows) <= table.max_rows:
        return list(rows)
    return [
        row
        for index, row in enumerate(rows)
        if index < table.max_rows or row.mark in ("overall", "reference", "flagged")
    ]


USUAL: Mapping[Kind, int] = {"coefficient": 2, "difference": 2, "score": 2, "percent": 1}
"""Decimals that a column has where nothing asks for more; a number of no unit has as many as its size asks for."""

LEAST = 2  # decimals that a column of numbers of no unit has at least where one of them needs as many

SPAN = 3  # orders of magnitude between numbers of no unit up to which a column writes them with the same decimals


def column_decimals(rows: Sequence[Row], index: int, column: Column, thresholds: Thresholds) -> dict[Kind, int]:
    """Return the decimals of a column's cells, by their kind.

    All cells have as many as the one that needs most: to keep to its side of a limit, or to tell the ends of its
    interval apart.  More than one beyond the usual only where half of the cells need them: a small value alone does
    not make a column of long numbers.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> rows = [Row((Estimate("qwk", value, 90, value - 0.1, value + 0.1),)) for value in (0.698, 0.8)]
    >>> column_decimals(rows, 0, Column("a", "A", "coefficient"), {("qwk", "coefficient"): (0.7,)})
    {'coefficient': 3}
    """
    needs: dict[Kind, list[int]] = {}
    for row in rows:
        cell, kind = row.cells[index], column.kind
        bounds: tuple[float, ...] = ()
        if isinstance(cell, Estimate):
            kind, bounds = cell.kind, thresholds.get((cell.metric, cell.kind), ())
        needed = places_needed(cell, kind, *bounds)
        # exactly 0, without an interval, is 0 with any number of decimals
        nothing = (cell.value, cell.low) == (0, None) if isinstance(cell, Estimate) else cell == 0
        if needed is not None and not nothing:
            needs.setdefault(kind, []).append(needed)
    found = ((kind, _agreed(kind, sorted(places))) for kind, places in needs.items())
    return {kind: places for kind, places in found if places is not None}


def _agreed(kind: Kind, places: Sequence[int]) -> int | None:
    """Return the decimals of cells that need so many, fewest first; None where each keeps its own."""
    middle = places[len(places) // 2]
    if kind in USUAL:
        return min(places[-1], max(USUAL[kind] + 1, middle))
    return min(places[-1], max(LEAST, middle)) if places[-1] - places[0] <= SPAN else None


WIDTH, HEIGHT, MARGIN = 168.0, 38.0, 8.0
TOP, FLOOR, FOOT = 2.0, 21.0, 35.0  # upper edge of the shaded part, the axis, and the line on which its numbers stand

LETTERS = 10.7  # size of the numbers in pixels


class CheckView:
    """A check as its template prints it, with its strip."""

    def __init__(self, check: Check, colours: Colours, words: Vocabulary) -> None:
        say = words.phrases("say")
        self.label, self.group = clean(check.label), clean(check.group)
        self.reason = clean(check.estimate.reason)
        self.estimate = estimate_view(check.estimate, {}, (check.low, check.high))
        self.n = num(None if check.withheld else check.estimate.n)
        self.required = say.required(check)
        self.strip = Markup(strip(check, colours, words))
        self.outcome = check.outcome
        self.outcome_word = say.outcome(check)
        self.sign = sign(check.outcome)


def strip(check: Check, colours: Colours, vocabulary: Vocabulary) -> str:
    """Return the strip of one check.

    The part where the whole interval must lie is shaded; a limit is a line with its number, the ends of the scale
    stand in pale ink.  A dotted line is what an engine without error would reach.  The dot is hollow while the check
    is undecided or out of reach, and orange only when it is not met; what lies beyond an end of the scale is an arrow
    at that end.
    """
    spoken, not_measured = vocabulary.say(Term("strip_said", check=check)), vocabulary.say(Term("not_measured"))
    return element(
        "svg",
        element("title", words(spoken)) + "".join(drawn(part, colours) for part in _parts(check, not_measured)),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=spoken,
        class_="strip",
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        width=WIDTH,
        height=HEIGHT,
        font_family=theme.FONTS,
        font_size=LETTERS,
    )


def _parts(check: Check, not_measured: str) -> tuple[list[Drawn], list[Drawn], list[Drawn]]:
    """Return the ground of a strip, the numbers below the axis, and what was found."""
    ground: list[Drawn] = []
    told: list[Drawn] = []
    found: list[Drawn] = []
    estimate, middle = check.estimate, (TOP + FLOOR) / 2
    low, high = scale_ends(estimate.kind, (check.low, check.high))
    limits = [limit for limit in (check.low, check.high) if limit is not None]

    def across(value: float) -> float:
        """Return the place of a value; beyond an end it is a little beyond the axis."""
        return min(max(MARGIN + (WIDTH - 2 * MARGIN) * ((value - low) / (high - low)), 2.0), WIDTH - 2.0)

    start, stop = across(low if check.low is None else check.low), across(high if check.high is None else check.high)
    if limits:  # the part where the whole interval must lie
        ground.append(Box(start, TOP, max(0.0, stop - start), FLOOR - TOP, "engine", f"{theme.BAND}"))
    ground.append(Path(((MARGIN, FLOOR), (WIDTH - MARGIN, FLOOR)), "muted"))
    ground += [Path(((x, TOP), (x, FLOOR + 3)), "text", 1.1) for x in map(across, limits)]
    best = check.best.value if check.best else None
    if best is not None and low <= best <= high:
        ground.append(Path(((across(best), TOP), (across(best), FLOOR)), "text", 1.4, "fine"))

    taken: list[tuple[float, float]] = []
    for limit in limits:
        label = bound(limit, estimate.kind)
        half = 0.3 * LETTERS * len(label)
        x = min(max(across(limit), half), WIDTH - half)
        if all(abs(x - other) > half + before for other, before in taken):
            taken.append((x, half))
            told.append(Text(label, x, FOOT, "middle", "text"))
    for end, x, at, side in ((low, 5.0, "start", 0.5), (high, WIDTH - 5.0, "end", -0.5)):
        label = bound(end, estimate.kind)
        width = 0.6 * LETTERS * len(label)
        if all(abs(other - (x + side * width)) > half + width / 2 + 6 for other, half in taken):
            told.append(Text(label, x, FOOT, at, opacity=theme.PALE))

    if estimate.value is None:
        half = 0.25 * LETTERS * len(not_measured)
        found.append(Text(not_measured, min(max((start + stop) / 2, half), WIDTH - half), middle + 4, "middle"))
        return ground, told, found
    ink = "flag" if check.outcome == "not met" else "engine"
    if estimate.low is not None and estimate.high is not None:
        found.append(Path(((across(estimate.low), middle), (across(estimate.high), middle)), ink, 2.6))
    if estimate.value < low:
        found.append(Dot(6.0, middle, "left", ink, width=0.0))
    elif estimate.value > high:
        found.append(Dot(WIDTH - 6.0, middle, "right", ink, width=0.0))
    else:
        hollow = check.outcome in ("out of reach", "not yet known", "insufficient")
        found.append(Dot(across(estimate.value), middle, "circle", ink, hollow, 2 if hollow else 0.5))
    return ground, told, found
