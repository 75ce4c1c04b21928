"""Generate score tables with hostile changes, as delimited text or JSON Lines."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fuzz.pieces import PLANTED, Draw
from fuzz.spoiling import encoded, spoilt
from fuzz.trees import mutated, nested

SCORES = ("h1", "h2", "engine")
NAMED = ("id", "candidate", "response_id")
"""Columns of response or candidate names; they keep their headers, so no cell may be shown."""

ROLES = (
    "system", "human", "rater", "score", "run", "time", "length", "raw", "prediction", "h3", "judge_run1", "engine2",
    "grade", "h1_rater", "rated_on_1", "position", "item", "sc1", "spkitemid", " h1", "H1", "h1.1",
)  # fmt: skip


@dataclass
class Table:
    """A header and rows of text; rows may be of any length."""

    head: list[str]
    body: list[list[str]]

    def cells(self, column: int) -> list[list[str]]:
        """Return the rows that have a cell in a column."""
        return [row for row in self.body if column < len(row)]

    def rename(self, column: int, name: str) -> None:
        """Rename a column unless its cells must stay hidden."""
        if self.head[column] not in NAMED:
            self.head[column] = name


def wide(n: int = 60) -> Table:
    """Return valid scores, one row per response."""
    chance = random.Random(1)
    head = ["id", "candidate", "gender", "l1", "item", *SCORES]
    body = []
    for i in range(n):
        true = chance.gauss(3.5, 1)
        h1, h2 = (str(max(1, min(6, round(true + chance.gauss(0, 0.6))))) for _ in range(2))
        names = [f"{PLANTED}{i:03d}", f"{PLANTED}C{i // 2:03d}", "MF"[i % 2], ("en", "es", "zh")[i % 3], f"P{i % 3}"]
        body.append([*names, h1, h2 if i % 3 else "", f"{true + chance.gauss(0, 0.5):.3f}"])
    return Table(head, body)


def long() -> Table:
    """Return valid scores, one row per rating."""
    body = []
    for i, (name, _, gender, _, item, h1, h2, engine) in enumerate(wide(40).body):
        for rater, score in (("ann", h1), ("bob", h2 or "3"), ("engine", engine)):
            body.append([name, rater, score, f"2026-01-{1 + i % 28:02d}", gender, item])
    return Table(["response_id", "rater", "score", "time", "gender", "item"], body)


def judged() -> Table:
    """Return valid scores of named raters and of two runs of a judge, with texts."""
    head = ["id", "h1", "h2", "h1_rater", "h2_rater", "rated_on_1", "judge_run1", "judge_run2", "text"]
    body = []
    for i, (name, _, _, _, _, h1, h2, engine) in enumerate(wide().body):
        body.append([name, h1, h2, "ann", "bob", f"2026-01-{1 + i % 28:02d}", engine, engine, "word " * i])
    return Table(head, body)


def _some_cells(draw: Draw, table: Table, column: int) -> None:
    share = draw.choice([0.02, 0.2, 1])
    for row in table.cells(column):
        if draw.happens(share):
            row[column] = draw.text()


def _one_text(draw: Draw, table: Table, column: int) -> None:
    text = draw.text()
    for row in table.cells(column):
        row[column] = text


def _hostile_name(draw: Draw, table: Table, column: int) -> None:
    table.rename(column, draw.text())


def _same_name(draw: Draw, table: Table, column: int) -> None:
    table.rename(column, draw.choice(table.head))


def _other_role(draw: Draw, table: Table, column: int) -> None:
    table.rename(column, draw.choice(ROLES))


def _few_rows(draw: Draw, table: Table, column: int) -> None:
    del table.body[draw.choice([0, 1, 2, 3, 5, 11]) :]


def _ragged_rows(draw: Draw, table: Table, column: int) -> None:
    for row in table.body:
        if draw.happens(0.05):
            row.append(draw.text())
        elif row and draw.happens(0.05):
            row.pop()


def _rows_again(draw: Draw, table: Table, column: int) -> None:
    table.body += [list(row) for row in table.body[: draw.choice([1, 10, 60])]]


def _more_columns(draw: Draw, table: Table, column: int) -> None:
    n = draw.choice([1, 3, 40, 300])
    table.head += [f"x{i}" if draw.happens(0.8) else draw.text() for i in range(n)]
    for row in table.body:
        row += draw.choices(["1", "2", "a", "b", ""], k=n)


def _numbered(draw: Draw, table: Table, column: int) -> None:
    for number, row in enumerate(table.cells(column)):
        row[column] = str(number)


def _levels(draw: Draw, table: Table, column: int) -> None:
    levels = draw.choice([["1", "2", "3"], ["1", "6"], [f"g{i}" for i in range(draw.choice([2, 7, 30]))]])
    for row in table.cells(column):
        row[column] = draw.choice(levels)


def _other_order(draw: Draw, table: Table, column: int) -> None:
    draw.shuffle(table.body)
    order = draw.sample(range(len(table.head)), len(table.head))
    table.head = [table.head[i] for i in order]
    table.body = [[row[i] if i < len(row) else "" for i in order] for row in table.body]


def _no_column(draw: Draw, table: Table, column: int) -> None:
    del table.head[column]
    for row in table.cells(column):
        del row[column]


def _other_units(draw: Draw, table: Table, column: int) -> None:
    factor = draw.choice([1e5, 1e-5, 1e7, -1, 0.1, 1e-300])
    for row in table.cells(column):
        if _number(row[column]) is not None:
            row[column] = repr(float(row[column]) * factor)


def _empty_row(draw: Draw, table: Table, column: int) -> None:
    table.body.insert(draw.randrange(len(table.body) + 1), [""] * draw.choice([0, 1, len(table.head)]))


def _header_again(draw: Draw, table: Table, column: int) -> None:
    table.body.insert(draw.randrange(len(table.body) + 1), list(table.head))


def _gaps(draw: Draw, table: Table, column: int) -> None:
    for row in table.cells(column):
        if draw.happens(0.5):
            row[column] = ""


CHANGES: tuple[Callable[[Draw, Table, int], None], ...] = (
    _some_cells, _one_text, _hostile_name, _same_name, _other_role, _few_rows, _ragged_rows, _rows_again, _more_columns,
    _numbered, _levels, _other_order, _no_column, _other_units, _empty_row, _header_again, _gaps,
)  # fmt: skip


def changed(draw: Draw, table: Table) -> Table:
    """Return the table with one to three hostile changes."""
    for _ in range(draw.choice([1, 1, 2, 3])):
        if table.head:
            draw.choice(CHANGES)(draw, table, draw.randrange(len(table.head)))
    return table


def delimited(draw: Draw, table: Table, comma: str = ",") -> bytes:
    """Write a table as delimited text with any line ends, quotes, and encoding."""
    end = draw.choice(["\n", "\n", "\n", "\r\n", "\r", ""])
    quoted = draw.happens(0.15)

    def cell(text: str) -> str:
        if quoted or (draw.happens(0.97) and any(letter in text for letter in (comma, '"', "\n", "\r"))):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [comma.join(map(cell, row)) for row in (table.head, *table.body)]
    return encoded(draw, "".join(line + (end or draw.choice(["\n", "\r\n", "\r"])) for line in lines))


def json_lines(draw: Draw, table: Table) -> bytes:
    """Write a table as JSON Lines, some with another structure."""
    lines = []
    for row in table.body:
        entry: dict[str, Any] = dict(zip(table.head, map(_number_or_text, row), strict=False))
        if draw.happens(0.03):  # names stay in place
            scores = mutated(draw, {name: entry[name] for name in SCORES if name in entry})
            entry |= scores if isinstance(scores, dict) else {"h1": scores}
        lines.append(json.dumps(entry, ensure_ascii=draw.happens(0.5)))
    text = draw.choice(["\n", "\n", "\r\n", "\n\n"]).join(lines)
    if draw.happens(0.05):
        text = text.replace(":", ":" + nested(draw) + ',"z":', 1)
    return text.encode("utf-8", "surrogatepass")


def perhaps_spoilt(draw: Draw, data: bytes) -> tuple[bytes, bool]:
    """Return the data, damaged with probability 1/4, and whether they are damaged."""
    return (spoilt(draw, data), True) if draw.happens(0.25) else (data, False)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _number_or_text(text: str) -> float | str:
    number = _number(text)
    return text if number is None else number
