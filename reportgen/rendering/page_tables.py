"""Prepare tables and requirements for their templates: every cell becomes finished text.

A requirement has a strip: estimate, interval, and limit on a fixed scale.
"""

import math
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby
from typing import NamedTuple

from markupsafe import Markup

from reportgen.charts import theme
from reportgen.charts.marks import Box, Dot, Path, Text
from reportgen.charts.marks import Mark as Drawn
from reportgen.charts.static import drawn
from reportgen.charts.svg import clean, element, one_line, words
from reportgen.charts.theme import Colours, shorten, shorten_apart, width
from reportgen.rendering.filters import anchor, together
from reportgen.results import Cell, Check, Column, Estimate, Kind, Mark, Row, Table, Term, contain, scale_ends
from reportgen.wording.numbers import bound, decimals, in_cell, num, places_needed, with_interval
from reportgen.wording.vocabulary import Vocabulary

PAPER_COLUMNS = 9  # most columns of a table on paper

PAPER_LINE = 104.0  # width of a table on paper

GAP, CLOSE_GAP, PAIRED_GAP = 2.3, 1.6, 1.4
"""Space before a column; the same if columns are closer to fit, and in a table next to another one."""

MARK = 2.0  # width of the sign before row names

WORD = 16  # words in a table of up to this many letters never break

WHOLE = 20  # short texts of up to this width do not break if there is room

LONG_NAME = 28.0  # width of a one-line name in a table next to another one

SMALLEST_NAME = 11.5  # smallest width of the name column


def digits(text: str) -> float:
    """Measure text in widths of a digit.

    >>> digits("4812"), digits("[0.66, 0.75]") < 9.5
    (4.0, True)
    """
    return round(width(text, 1.0) / width("0", 1.0), 1)


def heading(label: str) -> float:
    """Return the width that a heading needs on two lines; words of more than `WORD` letters can break.

    >>> heading("QWK") == digits("QWK"), heading("Rater mean") == digits("Rater")
    (True, True)
    """
    words = label.split()
    breaks = range(1, len(words)) or (len(words),)
    lines = (max(digits(" ".join(words[:place])), digits(" ".join(words[place:]))) for place in breaks)
    return min(min(lines, default=0.0), max(longest_word((label,)), digits(label) / 2))


def longest_word(texts: Iterable[str]) -> float:
    """Return the width of the longest word, of which at most `WORD` letters count."""
    return max((digits(word[:WORD]) for text in texts for word in text.split()), default=0.0)


def unbroken(texts: Iterable[str], *, name: bool) -> float:
    """Return the width of the widest text that stays on one line; row names have room for `WHOLE`."""
    parts = (part for text in texts for part in ((text,) if name or len(text) <= WHOLE else text.split()))
    return min(float(WHOLE), max(map(digits, parts), default=0.0))


def fitting(widths: Sequence[float], least: Sequence[float]) -> tuple[int, bool]:
    """Return how many columns fit on paper, at least the name and one other, and whether they must be close.

    Close columns have their `least` widths: their names and words take more lines.

    >>> fitting([20.0, 30.0, 30.0], [8.0, 30.0, 30.0]), fitting([20.0, 45.0, 45.0], [8.0, 45.0, 45.0])
    ((3, False), (3, True))
    >>> fitting([20.0, 45.0, 55.0], [8.0, 45.0, 55.0]), fitting([10.0] * 9, [8.0] * 9)
    ((2, False), (9, True))
    """
    most = min(len(widths), PAPER_COLUMNS)
    if _line(widths[:most], GAP) <= PAPER_LINE:
        return most, False
    while most > 2 and _line(least[:most], CLOSE_GAP) > PAPER_LINE:
        most -= 1
    return most, _line(widths[:most], GAP) > PAPER_LINE


def _line(widths: Sequence[float], gap: float) -> float:
    return sum(widths) + gap * max(0, len(widths) - 1)


Letters = dict[str, str]  # letters of reasons for undefined values, in order of first use

LONGEST_NAME = 100  # most letters of a row or column name on the page

POINTS = "points"  # unit of a column of differences between percentages

SHORT = 8  # a table of at most this many lines stays on one page

SMALL, FACTS = 16, 12  # most lines of a table next to another one, and of a list of facts in one column on paper

CAPTION = 60  # captions of at most this many letters are not split

_CONDITIONS = re.compile(r"([^()].{9,}?) \(((?:[^()]|\([^()]*\))+)\)")  # a caption that ends with a parenthesis

MARKS: dict[Mark, str] = {"flagged": "▲", "reference": "◇", "insufficient": "–"}
"""Signs of rows, before their names; notes explain them."""

Thresholds = Mapping[tuple[str, str], tuple[float, ...]]  # bounds in checks of a statistic, by its metric and kind

NONE: Thresholds = {}


class CellView(NamedTuple):
    """One cell: its text, its interval, the letter of its note, and its link target.

    `raw` is the unrounded number followed by the ends of its interval; empty if the text already shows all digits.
    """

    text: str
    limits: str = ""
    note: str = ""
    href: str = ""
    raw: str = ""


class ColumnView:
    """One column; `name` is for screen readers if there is no heading.

    Widths are in digits: `limits_width` of the widest interval, `head` of the heading on two lines, `whole` of the
    longest short text, and `word` of the longest word, which stays whole on narrow screens.
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
    """One row; `mark` names its style, `sign` appears before its name."""

    cells: tuple[CellView, ...]
    mark: Mark
    sign: str


class RowGroup(NamedTuple):
    """Rows under a heading that their first cells share; no heading if each row has its own name."""

    title: str
    rows: tuple[RowView, ...]


class TableView:
    """A table for its template; if it is `listed`, a page that shows some of its rows links to its CSV file.

    `small` is the width on paper, in digits, of a table with few lines, otherwise 0. `title` and `conditions` are the
    two parts of its caption. A `grouped` table has headings over rows, and does not show their first cells. `marks` are
    those of its rows, with their signs. `empty` names omitted columns without values, with a reason that they share.
    """

    def __init__(self, table: Table, *, listed: bool = True, thresholds: Thresholds = NONE) -> None:
        always = ("overall", "reference", "flagged")
        kept = [row for at, row in enumerate(table.rows) if at < table.max_rows or row.mark in always]
        empty = _empty_columns(table, kept)
        shown = [index for index, column in enumerate(table.columns) if column.shown and index not in empty]
        letters: Letters = {}
        body = _rows(table, kept, shown, letters, thresholds)
        self.columns = tuple(
            ColumnView(table, index, [row.cells[at] for row in body], names=not at) for at, index in enumerate(shown)
        )
        self.rows = body
        self.groups = _groups(body) if len(self.columns) > 2 else (RowGroup("", body),)
        self.grouped = any(group.title for group in self.groups)
        marks = {row.mark for row in body}
        self.marks = {mark: sign for mark, sign in MARKS.items() if mark in marks}
        widths = [_widths(self.columns, body, self.grouped, names) for names in (WHOLE, 0.0, LONG_NAME)]
        most, self.close = fitting(*widths[:2])
        for place, column in enumerate(self.columns):
            column.on_paper = place < most + self.grouped
            column.whole += MARK * (bool(self.marks) and place == self.grouped)
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


def thresholds_of(checks: Sequence[Check]) -> Thresholds:
    """Return the bounds of the checks, so that tables and checks show numbers near a bound with equal precision."""
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
    # columns of the same statistics, such as of an old and a new engine, have the same decimals
    needs = [(column_decimals(kept, index, table.columns[index], thresholds),
              [getattr(row.cells[index], "metric", index) for row in kept]) for index in shown]  # fmt: skip
    places = [{kind: max(each.get(kind, 0) for each, same in needs if same == of) for kind in own} for own, of in needs]

    own = [" ".join(cell.split()) for row in kept if shown and isinstance(cell := row.cells[shown[0]], str)]
    names = dict(zip(own, shorten_apart(own, LONGEST_NAME), strict=True))

    def cells(row: Row) -> Iterator[CellView]:
        for place, (index, lead) in enumerate(zip(shown, leads, strict=True)):
            cell = _name(row, index, table.columns, names) if not place else row.cells[index]
            found = _cell(cell, table.columns[index], letters, places[place])
            yield found._replace(href=_href(row.cells[lead]) if lead >= 0 else "")

    return tuple(RowView(tuple(cells(row)), row.mark, MARKS.get(row.mark, "")) for row in kept)


def _groups(rows: tuple[RowView, ...]) -> tuple[RowGroup, ...]:
    """Group the rows by the repeated words in their first cells; one group if there are none.

    Rows are grouped if a word in the first column covers two rows on average and none comes back later; each row of a
    group then needs a name in its second cell. A single row without one keeps its first cell as its name, and gets no
    heading. Links are kept.
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


def _widths(columns: Sequence[ColumnView], rows: Sequence[RowView], grouped: bool, names: float) -> list[float]:
    found, marked = [], any(row.sign for row in rows)
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
    """Return the columns in which no row has a value, with the reason if they share one."""
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
    """Split a caption into the table's title and, if it is long, the conditions in parentheses after it.

    >>> _caption("Agreement on score points (engine score rounded; 200 responses, both scored)")
    ('Agreement on score points', 'engine score rounded; 200 responses, both scored')
    """
    found = _CONDITIONS.fullmatch(text) if len(text) > CAPTION else None
    return (found[1], found[2]) if found else (text, "")


def _letter(letters: Letters, reason: str) -> str:
    if not reason:
        return ""
    return letters.setdefault(reason, chr(ord("a") + len(letters)) if len(letters) < 26 else str(len(letters) - 25))


def _cell(cell: Cell, column: Column, letters: Letters, decimals: Mapping[Kind, int]) -> CellView:
    # A difference of percentages is also a percentage: only its column knows that it has a sign.
    signed = True if column.kind == "difference" or column.unit == POINTS else None
    if isinstance(cell, Estimate):
        return estimate_view(cell, letters, (), signed, decimals.get(cell.kind))
    if cell is None or isinstance(cell, str):
        return CellView(together(one_line(cell or "")))
    kind = "count" if isinstance(cell, int) and column.kind in USUAL else column.kind
    text = in_cell(num(cell, kind, signed=signed, places=decimals.get(kind)))
    return CellView(text, raw=_unrounded(text, cell))


def _unrounded(text: str, *numbers: float | None) -> str:
    """Return numbers with all digits; empty if `text` already shows them, as for whole numbers.

    >>> _unrounded("0.71", 0.7105, 0.66, 0.75), _unrounded("0.5", 0.5), _unrounded("4,812", 4812), _unrounded("–", None)
    ('0.7105 0.66 0.75', '', '', '')
    """
    known = [repr(number) for number in numbers if number is not None]
    told = len(known) < 2 and (isinstance(numbers[0], int) or known in ([], [text]))
    return "" if told or numbers[0] is None else " ".join(known)


def _href(cell: Cell) -> str:
    """Return a relative link to a file next to the page: no scheme, no host.

    >>> _href("../a b/report.html"), _href("javascript:x"), _href("//host/x"), _href(None)
    ('../a%20b/report.html', 'javascript%3Ax', 'host/x', '')
    """
    return urllib.parse.quote(cell.lstrip("/"), safe="/") if isinstance(cell, str) else ""


def _name(row: Row, index: int, columns: Sequence[Column], names: Mapping[str, str]) -> Cell:
    """Return the name of a row, shortened, with the unit if only some numbers are percentages."""
    cell = row.cells[index]
    if not isinstance(cell, str):
        return cell
    others = (pair for pair in zip(row.cells, columns, strict=True) if pair[1].kind != "percent" and not pair[1].unit)
    mixed = any(isinstance(each, Estimate) and each.kind == "percent" and column.shown for each, column in others)
    text = names[" ".join(cell.split())]
    return f"{text} (%)" if mixed and "%" not in text else text


def estimate_view(
    estimate: Estimate, letters: Letters, thresholds: Sequence[float | None], signed: bool | None, places: int | None
) -> CellView:
    """Return an estimate as a cell: value, interval, and the letter of the reason if it has no value."""
    written = with_interval(estimate, *thresholds, signed=signed, places=places)
    value, bracket, limits = in_cell(written).partition(" [")
    note = _letter(letters, estimate.reason if estimate.value is None else estimate.interval_reason)
    ends = (estimate.low, estimate.high) if bracket else ()
    raw = _unrounded(value, estimate.value, *ends)
    return CellView(value, f"[{limits}" if bracket else "", note, raw=raw)


def _visible(label: str) -> str:
    return clean(label) if any(unicodedata.category(letter)[0] not in "CZ" for letter in label) else ""


USUAL: Mapping[Kind, int] = {"coefficient": 2, "difference": 2, "score": 2, "percent": 1}
"""Default decimals of a column; numbers without a unit have as many as their size requires."""

LEAST = 2  # minimum decimals of a column of numbers without a unit if one of them needs as many

SPAN = 3  # largest range of magnitudes within which numbers without a unit share their decimals


def column_decimals(rows: Sequence[Row], index: int, column: Column, thresholds: Thresholds) -> dict[Kind, int]:
    """Return the decimals of a column's cells by kind.

    All cells have as many as the one that needs most, to stay on its side of a limit or to keep the ends of its
    interval distinct. More than one extra decimal requires that half of the cells need it, so a single small value does
    not lengthen the whole column.

    >>> from reportgen.results import Estimate
    >>> rows = [Row((Estimate("qwk", value, 90, value - 0.1, value + 0.1),)) for value in (0.698, 0.8)]
    >>> column_decimals(rows, 0, Column("a", "A", "coefficient"), {("qwk", "coefficient"): (0.7,)})
    {'coefficient': 3}
    """
    needs: dict[Kind, list[int]] = {}
    for row in rows:
        cell, kind, bounds = row.cells[index], column.kind, tuple[float, ...]()
        if isinstance(cell, Estimate):
            kind, bounds = cell.kind, thresholds.get((cell.metric, cell.kind), ())
        small = kind == "coefficient" and isinstance(cell, float) and abs(cell) < 0.1  # two digits, as of a margin
        needed = 3 if small else places_needed(cell, kind, *bounds)
        # exactly 0 without an interval is 0 with any number of decimals
        nothing = (cell.value, cell.low) == (0, None) if isinstance(cell, Estimate) else cell == 0
        if needed is not None and not nothing:
            needs.setdefault(kind, []).append(needed)
    return {kind: n for kind, places in needs.items() if (n := _agreed(kind, sorted(places))) is not None}


def _agreed(kind: Kind, places: Sequence[int]) -> int | None:
    middle = places[len(places) // 2]
    if kind in USUAL:
        return min(places[-1], max(USUAL[kind] + 1, middle))
    return min(places[-1], max(LEAST, middle)) if places[-1] - places[0] <= SPAN else None


WIDTH, HEIGHT, MARGIN = 168.0, 38.0, 15.0
TOP, FLOOR, FOOT = 2.0, 21.0, 35.0  # top edge of the shaded part, the axis, and the baseline of its numbers

SMALL_STRIP = 112.0, 15.0  # width, and the axis, of strips that share a scale

LETTERS = 12.3  # size of the numbers in pixels


class CheckView:
    """A check for its template, with its written result, also without its interval, and its strip."""

    def __init__(
        self, check: Check, colours: Colours, words: Vocabulary, along: Sequence[Check] = (), places: int | None = None
    ) -> None:
        self.check = check
        self.estimate = estimate_view(check.estimate, {}, (check.low, check.high), None, places)
        found, kind = [(each.estimate, each.low, each.high) for each in along or (check,)], check.estimate.kind
        needed = (decimals(each.value or 0.0, kind, *limits, n=each.n) for each, *limits in found)
        self.value = num(check.estimate.value, kind, places=max(needed))
        self.strip = Markup(strip(check, colours, words, along))


def check_views(checks: Sequence[Check], colours: Colours, words: Vocabulary) -> list[CheckView]:
    """Return the checks of a table; its coefficients and their differences have the same number of decimals."""
    alike = [check.estimate.kind in ("coefficient", "difference") for check in checks]
    needed = [places_needed(it.estimate, it.estimate.kind, it.low, it.high) for it in compress(checks, alike)]
    places = _agreed("coefficient", sorted(filter(None, needed))) if any(needed) else None
    given = [places if each else None for each in alike]
    return [CheckView(check, colours, words, (), many) for check, many in zip(checks, given, strict=True)]


def strip(check: Check, colours: Colours, vocabulary: Vocabulary, along: Sequence[Check], *, axis: bool = False) -> str:
    """Draw the strip of one check.

    The part that must contain the whole interval is shaded. A limit is a line; its number is in the column of the
    requirement. A dotted line marks what an engine without error would reach, and a diamond what a second rater
    reaches. The dot is hollow if the check is inconclusive or out of reach, and orange only if it is not met.

    Strips of the checks `along` one scale share an `axis`, a strip with numbers only.
    """
    spoken = vocabulary.say(Term("strip_axis" if axis else "strip_said", check=check))
    width, floor = size = SMALL_STRIP if along else (WIDTH, FLOOR)
    ground, numbers, result = _parts(check, vocabulary.say(Term("not_measured")), _scale_of(along or (check,)), size)
    top, height = (FLOOR + 3, HEIGHT - FLOOR - 3) if axis else (0.0, floor + 4)
    shown: list[Sequence[Drawn]] = [numbers] if axis else [ground, result]
    return element(
        "svg", element("title", words(spoken)) + "".join(drawn(part, colours) for part in shown), aria_label=spoken,
        role="img", xmlns="http://www.w3.org/2000/svg", class_="strip", viewBox=f"0 {top:.0f} {width:.0f} {height:.0f}",
        width=width, height=height, font_family=theme.FONTS, font_size=LETTERS,
    )  # fmt: skip


def _scale_of(checks: Sequence[Check]) -> tuple[float, float]:
    """Return the ends of a scale that contains all estimates and limits; a much wider interval is cut."""
    limits = [limit for check in checks for limit in (check.low, check.high) if limit is not None]
    estimates = [each for check in checks for each in (check.estimate, check.best, check.second) if each]
    low, high = contain(scale_ends(checks[0].estimate.kind, limits), [each.value for each in estimates])
    ends = [end for check in checks for end in (check.estimate.low, check.estimate.high) if end is not None]
    return contain((low, high), [min(max(end, 2 * low - high), 2 * high - low) for end in ends])


def _parts(
    check: Check, not_measured: str, scale: tuple[float, float], size: tuple[float, float]
) -> tuple[list[Drawn], list[Text], list[Drawn]]:
    """Return the background of a strip, the numbers below the axis, and the result."""
    ground: list[Drawn] = []
    told, found = list[Text](), list[Drawn]()
    (wide, floor), (low, high) = size, scale
    estimate, middle = check.estimate, (TOP + floor) / 2
    limits = [limit for limit in (check.low, check.high) if limit is not None]
    best, second = (each.value if each else None for each in (check.best, check.second))

    def across(value: float) -> float:
        return min(max(MARGIN + (wide - 2 * MARGIN) * ((value - low) / (high - low)), 2.0), wide - 2.0)

    start, stop = across(low if check.low is None else check.low), across(high if check.high is None else check.high)
    if limits:  # the part that must contain the whole interval
        ground.append(Box(start, TOP, max(0.0, stop - start), floor - TOP, "engine", f"{theme.BAND}"))
    ground.append(Path(((MARGIN, floor), (wide - MARGIN, floor)), "muted"))
    lines = limits if estimate.value is not None else []  # they would cross the words
    ground += [Path(((x, TOP), (x, floor + 3)), "text", 1.1) for x in map(across, lines)]
    if best is not None:
        ground.append(Path(((across(best), TOP), (across(best), floor)), "text", 1.4, "fine"))

    labels = [(value, bound(value, estimate.kind)) for value in limits]
    if len(limits) == 2 and -limits[0] == limits[1] and stop - start < 0.6 * LETTERS * len(labels[0][1]) + 4:
        labels = [(0.0, f"±{bound(limits[1], 'coefficient')}")]  # no room for two labels
    taken: list[tuple[float, float]] = []
    for place, (value, label) in enumerate([*labels, *((end, bound(end, estimate.kind)) for end in scale)]):
        half = 0.3 * LETTERS * len(label)
        x = min(max(across(value), half), wide - half)
        if all(abs(x - other) > half + before + 4 for other, before in taken):
            taken.append((x, half))
            told.append(Text(label, x, FOOT, "middle", *(("text",) if place < len(labels) else ("quiet", theme.PALE))))

    if estimate.value is None:
        half = 0.25 * LETTERS * len(not_measured)
        found.append(Text(not_measured, min(max((start + stop) / 2, half), wide - half), middle + 4, "middle"))
        return ground, told, found
    if second is not None:
        found.append(Dot(across(second), floor - 5.0, "diamond", "human", hollow=True, width=1.2))
    ink = "flag" if check.outcome == "not met" else "engine"
    if estimate.low is not None and estimate.high is not None:
        found.append(Path(((across(estimate.low), middle), (across(estimate.high), middle)), ink, 2.6))
    hollow = check.outcome in ("out of reach", "not yet known", "insufficient")
    found.append(Dot(across(estimate.value), middle, "circle", ink, hollow, 2 if hollow else 0.5))
    return ground, told, found
