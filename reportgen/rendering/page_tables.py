"""A table or a list of checks made ready for its template: every cell a finished text."""

from __future__ import annotations

import math
import unicodedata
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from reportgen.charts.svg import clean
from reportgen.charts.theme import Colours
from reportgen.rendering.escaping import anchor, together
from reportgen.rendering.strip import bounds, strips
from reportgen.results import Cell, Check, Column, Estimate, Row, Table
from reportgen.wording.numbers import in_cell, num, with_interval

LONGEST_NAME = 100
"""Letters of the name of a row or column on the page."""

POINTS = "points"
"""Unit of a column of differences between percentages."""

PAPER_COLUMNS = 7
"""Columns a table has at most on paper."""

SHORT = 6
"""Lines up to which a table is kept on one page."""

SMALL = 16
"""Lines up to which a table can share the width of a page with another one."""

FACTS = 12
"""Lines above which names and their values, as in a list of settings, stand in two columns on paper."""


WORD = 16
"""Letters up to which a word in a table is never broken."""

WHOLE = 20
"""Letters up to which a text of a few words in a table is not broken, where there is room."""

LINE = 80
"""Letters a row may have on screen; in a wider table an interval stands under its estimate instead of beside it."""

NAME = 11.5
"""Widths of a digit that the column of names has at least, on paper."""

LONG_NAME = 28.0
"""Widths of a digit of a name that has one line in a table beside another one."""

PAPER_LINE = 104
"""The same on paper, in widths of a digit."""

CLOSE = 100
"""Widths of a digit above which columns that stay beside each other stand closer: letters are not all alike."""

MARKS = {"": "", "overall": "", "reference": "reference", "flagged": "▲ flagged", "insufficient": "– not judged"}
"""The word, and where it matters the sign, of a row's mark."""

OUTCOMES = {"met": "✓", "not met": "✗", "not yet known": "○", "insufficient": "–"}
"""The sign that goes with the word of an outcome."""


Thresholds = Mapping[tuple[str, str], tuple[float, ...]]
"""What the checks hold a statistic to, by its metric and kind."""

NONE: Thresholds = {}


@dataclass(frozen=True)
class CellView:
    """One cell: what is printed, the interval beside it, the letter of the note that explains it, where it leads."""

    text: str
    limits: str = ""
    note: str = ""
    href: str = ""


@dataclass(frozen=True)
class ColumnView:
    """One column: its heading, whether its figures stand to the right, whether paper has room for it.

    `name` is read aloud where there is no heading; `head` is what the heading needs on two lines,
    `whole` the length of the longest short text and `word` that of the longest word, which
    stays whole on narrow screens.
    """

    label: str
    name: str
    unit: str
    figures: bool
    on_paper: bool
    limits_width: int
    head: int
    whole: int
    word: int


@dataclass(frozen=True)
class RowView:
    """One row; `mark` names its style, `word` says it."""

    cells: tuple[CellView, ...]
    mark: str
    word: str


@dataclass(frozen=True)
class TableView:
    """A table as its template prints it; `small` is the width on paper, in digits, of one of a few lines, else 0."""

    id: str
    caption: str
    columns: tuple[ColumnView, ...]
    rows: tuple[RowView, ...]
    reasons: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    left_out: int
    elsewhere: str
    stacked: bool
    stacked_on_paper: bool
    close: bool
    short: bool
    small: int
    facts: bool
    sortable: bool


@dataclass(frozen=True)
class CheckView:
    """A check as its template prints it."""

    label: str
    group: str
    reason: str
    estimate: CellView
    n: str
    bounds: str
    strip: Markup
    outcome: str
    sign: str


def thresholds_of(checks: Sequence[Check]) -> Thresholds:
    """Return the bounds of the checks, so that a table writes a number near one as exactly as its check does."""
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for check in checks:
        key = (check.estimate.metric, check.estimate.kind)
        bounds_of_check = tuple(bound for bound in (check.low, check.high) if bound is not None)
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), *bounds_of_check)))
    return found


def view(table: Table, *, listed: bool = True, thresholds: Thresholds = NONE) -> TableView:
    """Return `table` ready to print; a `listed` table has a CSV, to which a capped page points."""
    shown = [index for index, column in enumerate(table.columns) if column.shown]
    letters = _Letters()
    kept = _kept(table)
    targets = {column.key: index for index, column in enumerate(table.columns)}
    leads = [targets.get(table.columns[index].link, -1) for index in shown]
    body = tuple(
        RowView(
            tuple(
                replace(
                    _cell(
                        _name(row, index, table.columns) if not place else row.cells[index],
                        table.columns[index],
                        letters,
                        thresholds,
                    ),
                    href=_href(row.cells[lead]) if lead >= 0 else "",
                )
                for place, (index, lead) in enumerate(zip(shown, leads, strict=True))
            ),
            row.mark,
            MARKS[row.mark],
        )
        for row in kept
    )
    columns = tuple(
        ColumnView(
            _visible(shortened(table.columns[index].label)),
            _visible(table.columns[index].key.replace("_", " ")) or f"Column {place + 1}",
            clean(table.columns[index].unit),
            _figures(table, index),
            place < PAPER_COLUMNS,
            max((len(row.cells[place].limits) for row in body), default=0),
            _head(table.columns[index]),
            0 if _figures(table, index) else _whole((row.cells[place].text for row in body), name=not place),
            0 if _figures(table, index) else _word(row.cells[place].text for row in body),
        )
        for place, index in enumerate(shown)
    )
    printed = _printed_width(columns, body)
    stacked = printed > PAPER_LINE
    lines = len(body) * (2 if stacked else 1)
    return TableView(
        id=anchor("table", table.key),
        caption=clean(table.caption),
        columns=columns,
        rows=body,
        reasons=letters.reasons(),
        notes=tuple(together(clean(note)) for note in table.notes),
        left_out=len(table.rows) - len(kept),
        elsewhere=clean(f"tables/{table.file_name}") if listed else "results.json",
        short=lines <= SHORT,
        facts=len(columns) == 2 and not any(column.figures for column in columns) and lines > FACTS,
        small=math.ceil(_printed_width(columns, body, names=LONG_NAME)) if lines <= SMALL else 0,
        stacked=_width(columns, body) > LINE,
        stacked_on_paper=stacked,
        close=CLOSE < printed <= PAPER_LINE,
        sortable=len(kept) > 2,
    )


def check_views(checks: Sequence[Check], colours: Colours) -> list[CheckView]:
    """Return the checks ready to print, each with its strip."""
    return [
        CheckView(
            label=clean(check.label),
            group=clean(check.group),
            reason=clean(check.estimate.reason),
            estimate=_estimate(check.estimate, _Letters(), (check.low, check.high)),
            n=num(None if check.withheld else check.estimate.n),
            bounds=bounds(check),
            strip=Markup(strip),
            outcome=check.outcome,
            sign=OUTCOMES[check.outcome],
        )
        for check, strip in zip(checks, strips(checks, colours), strict=True)
    ]


class _Letters:
    """Gives every reason for an undefined value a letter, the same for the same reason."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def of(self, reason: str) -> str:
        """Return the letter of a reason; no reason, no letter."""
        if not reason:
            return ""
        number = len(self._letters)
        return self._letters.setdefault(reason, chr(ord("a") + number) if number < 26 else str(number - 25))

    def reasons(self) -> tuple[tuple[str, str], ...]:
        """Return letters and reasons in the order of their first use."""
        return tuple((letter, clean(reason)) for reason, letter in self._letters.items())


def _cell(cell: Cell, column: Column, letters: _Letters, thresholds: Thresholds) -> CellView:
    # A difference of percentages is a percentage too: only its column knows that it has a sign.
    signed = True if column.kind == "difference" or column.unit == POINTS else None
    if isinstance(cell, Estimate):
        return _estimate(cell, letters, thresholds.get((cell.metric, cell.kind), ()), signed)
    if isinstance(cell, str):
        return CellView(together(clean(" ".join(cell.split()))))
    return CellView("" if cell is None else in_cell(num(cell, column.kind, signed=signed)))


def _href(cell: Cell) -> str:
    """Return a path as a link that stays among the files beside the page: no scheme, no host.

    Examples
    --------
    >>> _href("../a b/report.html"), _href("javascript:x"), _href("//host/x"), _href(None)
    ('../a%20b/report.html', 'javascript%3Ax', 'host/x', '')
    """
    return urllib.parse.quote(cell.lstrip("/"), safe="/") if isinstance(cell, str) else ""


def _name(row: Row, index: int, columns: Sequence[Column]) -> Cell:
    """Return the name of a row, not too long, with the unit of percentages among other numbers; else as it is."""
    cell = row.cells[index]
    if not isinstance(cell, str):
        return cell
    text = shortened(" ".join(cell.split()))
    return f"{text} (%)" if "%" not in text and _percentages(row, columns) else text


def _percentages(row: Row, columns: Sequence[Column]) -> bool:
    """Return whether a row has percentages in columns that are not percentages by themselves."""
    return any(
        isinstance(cell, Estimate) and cell.kind == "percent" and column.shown
        for cell, column in zip(row.cells, columns, strict=True)
        if column.kind != "percent" and not column.unit
    )


def shortened(text: str) -> str:
    """Return a name of a row or column as the page has it: a long one without its middle, which the CSV keeps.

    Breaking names of hundreds of letters into narrow columns takes a page of paper its time.

    Examples
    --------
    >>> shortened("a name"), len(shortened("x" * 300))
    ('a name', 100)
    """
    if len(text) <= LONGEST_NAME:
        return text
    tail = LONGEST_NAME // 4
    return f"{text[: LONGEST_NAME - tail - 1]}…{text[-tail:]}"


def _estimate(
    estimate: Estimate, letters: _Letters, thresholds: Sequence[float | None], signed: bool | None = None
) -> CellView:
    value, bracket, limits = in_cell(with_interval(estimate, *thresholds, signed=signed)).partition(" [")
    note = letters.of(estimate.reason if estimate.value is None else estimate.interval_reason)
    return CellView(value, f"[{limits}" if bracket else "", note)


def _width(columns: Sequence[ColumnView], rows: Sequence[RowView]) -> int:
    """Return the letters of the widest row, with gaps, its name counted as at most twenty."""
    widths = [
        max((len(row.cells[place].text) for row in rows), default=0) + column.limits_width + 2
        for place, column in enumerate(columns)
        if column.on_paper
    ]
    return min(widths[0], 20) + sum(widths[1:]) if widths else 0


def _printed_width(columns: Sequence[ColumnView], rows: Sequence[RowView], names: float = WHOLE) -> float:
    """Return the width of the widest row on paper in widths of a digit; longer `names` than that take more lines.

    A column is at least as wide as its heading on two lines.  Letters are narrower than digits there.
    """
    widths = []
    for place, column in enumerate(columns):
        if column.on_paper:
            written = max((len(row.cells[place].text) for row in rows), default=0)
            content = written + 0.86 * column.limits_width if column.figures else 0.87 * written
            head = 0.87 * column.head
            widths.append(max(NAME, min(content, names), head) if place == 0 else max(content, head) + 2)
    return sum(widths)


def _head(column: Column) -> int:
    """Return the letters that the heading of a column needs on two lines; a word of any length can be broken."""
    heading = shortened(f"{column.label} ({column.unit})" if column.unit else column.label)
    return max(len(heading) // 2, min(WORD, max(map(len, heading.split()), default=0)))


def _visible(label: str) -> str:
    """Return a heading, or nothing when none of its characters can be seen."""
    return clean(label) if any(unicodedata.category(letter)[0] not in "CZ" for letter in label) else ""


def _word(texts: Iterable[str]) -> int:
    """Return the letters of the longest word, at most `WORD`."""
    return min(WORD, max((len(word) for text in texts for word in text.split()), default=0))


def _whole(texts: Iterable[str], *, name: bool) -> int:
    """Return the letters of the longest text that is to stay on one line, or of a word of a longer one.

    A name of a row has room for as many letters, however long it is.
    """
    parts = (part for text in texts for part in ((text,) if name or len(text) <= WHOLE else text.split()))
    return min(WHOLE, max(map(len, parts), default=0))


def _figures(table: Table, index: int) -> bool:
    """Return whether a column holds figures: by its kind, else by what is in it."""
    cells = [row.cells[index] for row in table.rows]
    numeric = sum(isinstance(cell, (int, float, Estimate)) for cell in cells)
    return table.columns[index].kind != "text" or numeric > len(cells) / 2


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
