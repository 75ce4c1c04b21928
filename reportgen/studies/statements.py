"""Compare the statements and numbers of a paper with the results here, as defined in the study's ``paper.toml``.

Jinja expressions define our numbers, such as ``here = "[kappa, bp]"``, and the rule of a statement, such as
``holds = "here[0] < here[1]"``, in which ``here`` and ``printed`` are arrays.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, StrictUndefined

from reportgen.results import Column, Kind, Row, Table, Term
from reportgen.studies.study import Floats

KEY = "study.statements"

DIFFERS, MIXED, REPEATS, UNTESTABLE = ORDER = ("differs", "mixed", "repeats", "untestable")
"""Outcomes in the order of the table: failed replications come first."""

MOST = 0.9  # share of the data sets that counts as most of them

MOST_ROWS = 100  # most statements in a report; more than any paper has

MOST_LISTED = 4  # most numbers in a cell; of more, it shows the lowest and the highest

NEAR = 0.2  # relative difference up to which a size counts as repeated

ROUNDING = 1e-4  # tolerance for the rounding of published numbers


def near(here: Any, printed: Any) -> bool:
    """Return whether every number is within a fifth of the published one.

    >>> near([2.1, -1.1], [2.5, -1.0]), near([1.9], [2.5])
    (True, False)
    """
    own, print_ = np.asarray(here, np.float64), np.asarray(printed, np.float64)
    return bool((np.abs(own - print_) <= NEAR * np.abs(print_)).all())


def of_what(of: object, what: str, **values: object) -> Term:
    """Return the description of a published number: its condition and its kind.

    >>> str(of_what("a", "mean"))
    "published.of(of='a', what=Term('published.mean'))"
    """
    return Term("published.of", of=of, what=Term(f"published.{what}", **values))


@cache
def _compiled(expression: str) -> Any:
    environment = Environment(undefined=StrictUndefined)
    environment.globals = {
        "min": np.min, "max": np.max, "abs": np.abs, "mean": np.mean, "sum": np.sum, "ptp": np.ptp, "near": near,
        "diff": np.diff, "round": round,
        "ends": lambda values: [values[0], values[-1]],
        "extremes": lambda values: [np.min(values), np.max(values)],
        "rising": lambda values: bool((np.diff(values) > 0).all()),
        "falling": lambda values: bool((np.diff(values) < 0).all()),
        "term": Term, "of_what": of_what,
    }  # fmt: skip
    return environment.compile_expression(expression, undefined_to_none=False)


@dataclass(frozen=True)
class Statement:
    """One statement of a paper, whose word is ``statement.KEY``.

    printed, here: the published numbers and ours.
    of_these_data: whether it is about single values of the paper's data, which new data cannot reproduce.
    """

    place: Term
    key: str
    holds: bool | None  # whether it is true for our numbers; None if they cannot show it
    printed: Sequence[float] = ()
    here: Sequence[float] = ()
    kind: Kind = "score"
    of_these_data: bool = False
    afresh: Sequence[float] = ()  # means of the numbers in additional data sets
    sets: tuple[bool, ...] = ()  # whether it is true in each data set, if there are multiple

    @property
    def outcome(self) -> str:
        """The outcome; most of multiple data sets must agree."""
        if self.holds is None:
            return UNTESTABLE
        share = float(np.mean(self.sets or (self.holds,)))
        return REPEATS if self.holds and share >= MOST else DIFFERS if not self.holds and 1 - share >= MOST else MIXED


class Printed(NamedTuple):
    """A published number: its place and meaning, its value, our value, its kind's note, and our other value."""

    place: Term
    what: Term
    value: float
    here: float
    entry: Mapping[str, Any] = MappingProxyType({})
    beside: float | None = None


class Paper:
    """The file of a paper.

    ``statements`` have `here`, `holds` and `printed`: numbers, an expression, or true for the expression of `here` on
    printed numbers. ``printed`` numbers are in `rows` (or in constants of that name) and `columns`; `here` finds ours
    by the `row`, the `column`, and its position `k`, and `beside` another one. ``stand_in`` are numbers of unavailable
    data.
    """

    def __init__(self, file: Path) -> None:
        self._file, self.content = file, tomllib.loads(file.read_text(encoding="utf-8"))
        self.constants: Mapping[str, Any] = self.content.get("constants", {})

    def _value(self, entry: str, expression: str, names: Mapping[str, Any]) -> Any:
        try:
            return _compiled(expression)({**self.constants, **names})
        except Exception as error:
            raise ValueError(f"{self._file}: {entry}: '{expression}': {error}") from error

    def _numbers(self, entry: str, expression: str, names: Mapping[str, Any]) -> Floats:
        return np.ravel(np.asarray(self._value(entry, expression, names), np.float64))

    def statements(self, found: Mapping[str, Any], in_print: Mapping[str, Any] | None = None) -> list[Statement]:
        """Return every statement with its outcome; without known numbers, it cannot be shown."""
        made = []
        for key, entry in self.content["statements"].items():
            here, printed = self._numbers(key, entry.get("here", "[]"), found), entry.get("printed", ())
            printed = entry["here"] if printed is True else printed
            printed = self._numbers(key, printed, in_print or {}) if isinstance(printed, str) else np.array(printed)
            names = {**found, "here": here, "printed": printed}
            shown = len(here) and np.isfinite(here).all()
            holds = bool(self._value(key, entry["holds"], names)) if shown else None
            kind, of_these = entry.get("kind", self.content["kind"]), entry.get("of_these_data", False)
            made.append(Statement(_place(entry), key, holds, printed.tolist(), here.tolist(), kind, of_these))
        return made

    def printed(self, found: Mapping[str, Any]) -> Iterator[Printed]:
        """Yield every published number with our value, if there is one."""
        for number, entry in enumerate(self.content["printed"], start=1):
            of, rows = f"printed {number}", entry["rows"]
            for row, values in (self.constants[rows] if isinstance(rows, str) else rows).items():
                for k, (column, value) in enumerate(zip(entry["columns"], values, strict=False)):
                    names = {**found, "row": row, "column": column, "k": k, "value": value}
                    here = float(self._value(of, entry["here"], names))
                    if not np.isnan(here):
                        beside = float(self._value(of, entry["beside"], names)) if "beside" in entry else None
                        what, own = self._value(of, entry["what"], names), type(value)(here)  # counts stay whole
                        yield Printed(_place(entry), what, value, own, entry, beside)

    def stand_in(self, key: str, found: Mapping[str, Any]) -> Table:
        """Compare published numbers of data with the simulated data's; multiple numbers become a range."""
        rows = []
        for number, entry in enumerate(self.content["stand_in"], start=1):
            of = f"stand_in {number}"
            both = (entry["printed"], self._numbers(of, entry["here"], found))
            cells = (_several(numbers, entry["kind"], most=1) for numbers in both)
            rows.append(Row((self._value(of, entry["what"], found), *cells)))
        return Table(key, "", (Column("what"), Column("published"), Column("here")), tuple(rows))


def _place(entry: Mapping[str, Any]) -> Term:
    for where in ("section", "figure", "table"):
        if where in entry:
            return Term(f"printed.{where}", at=entry[where])
    return Term(f"printed.{entry['part']}")


def _published_columns(kind: Kind, *last: Column) -> tuple[Column, ...]:
    return (
        Column("place"), Column("what"), Column("published", kind=kind), Column("here", kind=kind),
        Column("difference", "", *(("percent", Term("points")) if kind == "percent" else ("difference",))), *last,
    )  # fmt: skip


def published_table(numbers: Iterable[Printed], shown: int, afresh: Sequence[Sequence[Printed]] = ()) -> Table:
    """Return every published number with ours, and whether they agree apart from rounding.

    afresh: the same numbers in additional data sets, shown as means; the numbers `here` are then replayed.
    """
    rows = []
    for k, one in enumerate(numbers):
        gap = one.here - one.value
        same = abs(gap) <= one.entry.get("half_unit", 0.005) + ROUNDING
        agrees = Term("stand_in" if one.entry.get("stand_in") else "yes" if same else "no")
        more = [float(np.mean([run[k].here for run in afresh]))] if afresh else []
        rows.append(Row((one.place, one.what, one.value, one.here, gap, agrees, *more)))
    columns = _published_columns("score", Column("agrees"))
    if afresh:
        columns = tuple(replace(each, label=REPLAYED) if each.key == "here" else each for each in columns)
        columns = (*columns, Column("fresh", AFRESH, "score"))
    return Table("study.published", "", columns, tuple(rows), max_rows=shown)


def gaps_table(key: str, kind: Kind, numbers: Iterable[Printed], shown: int, beside: str = "") -> Table:
    """Return every printed number with ours and their ratio, largest gap first, and other numbers of `beside`."""
    rows = [
        Row((one.place, one.what, one.value, one.here, one.here - one.value,
             one.here / one.value if one.here * one.value > 0 else None, *([one.beside] if beside else [])))
        for one in sorted(numbers, key=lambda one: -abs(one.here - one.value))
    ]  # fmt: skip
    more = (Column("ratio", kind="coefficient"), *([Column(beside, kind=kind)] if beside else []))
    return Table(f"study.published.{key}", "", _published_columns(kind, *more), tuple(rows), max_rows=shown)


REPLAYED, AFRESH = Term("replayed"), Term("drawn_afresh")
"""Headings of columns: from the paper's own random numbers, or from new ones."""


def judge_in_sets(sets: Sequence[Sequence[Statement]]) -> list[Statement]:
    """Return the statements with the numbers of the first data set, and whether each is true in every one.

    >>> sets = [[Statement(Term("place"), "key", holds)] for holds in (True, False, True)]
    >>> judge_in_sets(sets)[0].outcome
    'mixed'
    """
    judged = []
    for first, *others in zip(*sets, strict=True):
        asked = (first, *others)[: 1 if first.of_these_data else None]
        holds = tuple(one.holds for one in asked if one.holds is not None)
        afresh = np.mean([one.here for one in others], axis=0).tolist() if others else ()
        judged.append(replace(first, sets=holds, afresh=afresh))
    return judged


def statements_table(statements: Iterable[Statement], *, replayed: bool = False) -> Table:
    """Return every statement with its outcome and both numbers, failed replications first.

    replayed: Whether the first data set is the paper's own: the numbers of the others are then listed with it.
    """
    rows = [
        Row((
            Term(f"statement.{one.key}"), one.place, Term(f"statement_{one.outcome}"),
            one.holds if one.holds is None else Term("times_of", times=sum(sets), sets=len(sets)),
            *(_several(values, one.kind) for values in (one.printed, one.here, one.afresh)[: 2 + replayed]),
        ))
        for one in sorted(statements, key=lambda one: ORDER.index(one.outcome))
        for sets in [one.sets or (bool(one.holds),)]
    ]  # fmt: skip
    columns = (Column("statement"), Column("place"), Column("outcome"), Column("times"), Column("published"))
    here = (Column("here", REPLAYED), Column("fresh", AFRESH)) if replayed else (Column("here"),)
    return Table(KEY, "", (*columns, *here), tuple(rows), max_rows=MOST_ROWS)


def _several(values: Sequence[float] | Floats, kind: Kind, most: int = MOST_LISTED) -> Term | None:
    numbers = [float(value) for value in values]
    if len(numbers) > most:
        return Term("lowest_to_highest", low=min(numbers), high=max(numbers), kind=kind)
    return Term("in_order", values=numbers, kind=kind) if numbers else None
