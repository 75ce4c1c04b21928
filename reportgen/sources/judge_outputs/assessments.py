"""Scores one at a time, each of one response by a person or a judge: which are compared, as one row per rating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.values import YES_OR_NO, columns_of, quoted
from reportgen.wording.numbers import many

RATER, SCORE = "rater", "score"


class Assessment(NamedTuple):
    """One assessment: of which response, what, by whom, whether a person, its value as text."""

    response: str
    name: str
    by: str
    human: bool
    value: str | None


class Words(NamedTuple):
    """What a tool calls its assessments: its name, the column of responses, one of them, several, what holds them."""

    tool: str
    id: str
    one: str = "score"
    many: str = "scores"
    holder: str = "file holds"


def compared(found: Sequence[Assessment], data: DataSettings, words: Words) -> ReadScores:
    """Return one row per rating: the assessments of one name, those of people beside those of judges.

    Raises
    ------
    InputError
        There are none, or several names could be meant, or there are none of people and no labels are joined.
    """
    found = [row._replace(by=row.by.strip()) for row in found]
    name = _name(found, data, words)
    judges = {data.system, *(data.systems or ())}
    rows = [
        row._replace(by=row.name) if row.name in judges and not row.human else row
        for row in found
        if row.name == name or (row.name in judges and not row.human) or (row.human and row.name == f"expected_{name}")
    ]
    return _long(rows, name, words)


def _name(found: Sequence[Assessment], data: DataSettings, words: Words) -> str:
    """Return the name of the assessments that are compared."""
    if not found:
        raise InputError(f"the {words.holder} no {words.many}; there is nothing to evaluate.")
    names = list(dict.fromkeys(row.name for row in found))
    if data.score is not None:
        if data.score not in names:
            raise InputError(f"no {words.one} is named '{data.score}'; there are {quoted(names)}.")
        return data.score
    by_people, by_judges = ({row.name for row in found if row.human is human} for human in (True, False))
    if not by_people:
        return _of_judges(names, data, words)
    both = [name for name in names if name in by_judges and {name, f"expected_{name}"} & by_people]
    if len(both) == 1:
        return both[0]
    if both:
        typed = write_command("--score", both[0])
        raise InputError(f"people and judges gave several {words.many}: {quoted(both)}; name one: {typed}.")
    named = [name for name in names if name in by_people]
    if {data.system, *(data.systems or ())} & by_judges and len(named) == 1:
        return named[0]
    raise InputError(
        f"no {words.one} has values both of people ({quoted(sorted(by_people))}) and of judges "
        f"({quoted(sorted(by_judges)) or 'none'}); give them one name, or name each with --score and --system."
    )


def _of_judges(names: Sequence[str], data: DataSettings, words: Words) -> str:
    """Return the name of the assessments that are compared with labels of a second file."""
    if data.labels_file is None:
        raise InputError(
            f"only judges gave {words.many} ({quoted(names[:3])}); join the labels that people gave: "
            f"--labels-file FILE {write_command('--id', words.id)}."
        )
    named = [name for name in names if name in (data.system, *(data.systems or ()))]
    if len(names) > 1 and not named:
        raise InputError(
            f"judges gave several {words.many}: {quoted(names)}; name one: {write_command('--score', names[0])}."
        )
    return (named or names)[0]


def _long(rows: Sequence[Assessment], name: str, words: Words) -> ReadScores:
    """Return one row per assessment."""
    values = {row.value.strip().lower() for row in rows if row.value is not None}
    answers = bool(values & set(YES_OR_NO)) and values <= {*YES_OR_NO, "unknown", "0", "1"}
    people, judges = _names(row for row in rows if row.human), _names(row for row in rows if not row.human)
    clash = set(people) & set(judges)

    def cells(row: Assessment) -> dict[str, str | None]:
        value = row.value
        if answers and value is not None:
            value = YES_OR_NO.get(value.strip().lower(), value)
        by = f"{row.by} (human)" if row.human and row.by in clash else row.by
        return {words.id: row.response, RATER: by, SCORE: value}

    data: dict[str, Any] = {"layout": "long", "id": words.id, "rater": RATER, "score": SCORE, "systems": tuple(judges)}
    if people and all(people):  # one without a name is nobody that could be named
        data["human"] = tuple(f"{by} (human)" if by in clash else by for by in people)
    told = [
        f"{words.tool}: {words.many} named '{name}'; those of {quoted(judges)} are the judges', "
        f"{many(len(people), 'person', 'people')} rated."
    ]
    if answers:
        data["scale"] = {"low": 0, "high": 1}
        told.append(f"{words.tool}: yes and true are taken as 1, no and false as 0.")
    return ReadScores(columns_of([cells(row) for row in rows]), data, tuple(told))


def _names(rows: Iterable[Assessment]) -> list[str]:
    """Return who gave assessments, in order of appearance."""
    return list(dict.fromkeys(row.by for row in rows))
