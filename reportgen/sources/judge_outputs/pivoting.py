"""Outputs of judges, one at a time, as one row per response: a column per judge, further ones for its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import YES_OR_NO, columns_of, is_number, quoted, text_of
from reportgen.wording.numbers import many


class Output(NamedTuple):
    """One output: which response it is about, which judge gave it, and its score as text."""

    response: str
    judge: str
    score: str | None


def judged(outputs: Iterable[Output], responses: Mapping[str, Mapping[str, str | None]]) -> list[dict[str, str | None]]:
    """Return one row per response: what is known of it, then the score of every judge and of its further runs.

    Parameters
    ----------
    outputs
        In the order of their runs.
    responses
        Response -> its other columns; a column with the name of a judge is refused.

    Raises
    ------
    InputError
        A judge and a column of the responses have one name.

    Examples
    --------
    >>> outputs = [Output("a", "gpt", "3"), Output("a", "gpt", "4"), Output("b", "gpt", "2")]
    >>> judged(outputs, {"a": {"human": "3"}, "b": {"human": "2"}})
    [{'human': '3', 'gpt': '3', 'gpt run 2': '4'}, {'human': '2', 'gpt': '2'}]
    """
    rows: dict[str, dict[str, str | None]] = {response: dict(known) for response, known in responses.items()}
    count: dict[tuple[str, str], int] = {}
    for output in outputs:
        run = count[output.response, output.judge] = count.get((output.response, output.judge), 0) + 1
        name = output.judge if run == 1 else f"{output.judge} run {run}"
        row = rows[output.response]
        if name in row:
            raise InputError(f"'{name[:60]}' is the name of a judge and of a variable; rename the variable.")
        row[name] = output.score
    return list(rows.values())


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


Row = dict[str, str | None]


def graded(
    known: Sequence[Row], scores: Sequence[Row], data: DataSettings, *, tool: str, id_column: str, join_by: str = ""
) -> ReadScores:
    """Return one row per response: what is known of it, and the score of the metric that is meant.

    Parameters
    ----------
    known
        Of each response its other columns.
    scores
        Of each response the score of every metric.
    data
        What the user declared: ``score`` or ``system`` names a metric, ``systems`` several.
    tool, id_column, join_by
        Who wrote the file; the column that names the responses, and the one that labels may be joined by, when that is
        another.

    Raises
    ------
    InputError
        Several metrics could be meant, or nobody but the judge gave scores and no labels are joined.
    """
    metrics = list(dict.fromkeys(name for row in scores for name in row))
    judges = _judges(metrics, scores, data, tool)
    rows = []
    for own, given in zip(known, scores, strict=True):
        both = sorted(set(own) & set(judges))
        if both:
            raise InputError(f"'{both[0][:60]}' is the name of a metric and of a variable; rename the variable.")
        rows.append(own | {name: given.get(name) for name in judges})
    columns = columns_of(rows)
    people = _people(columns, judges)
    if not people and data.labels_file is None and data.human is None:
        raise InputError(
            f"the file holds the judge's scores alone ({quoted(judges[:3])}); join the labels that people gave: "
            f"--labels-file FILE {write_command('--id', data.id or join_by or id_column)}, or name their column with "
            "--human NAME."
        )
    told = f"{tool}: the scores of {quoted(judges)} are taken as the judge's, one row per response."
    human = {"human": tuple(people)} if people and not any(map(_house_finds, people)) else {}
    return ReadScores(columns, {"layout": "wide", "id": id_column, "systems": tuple(judges), **human}, (told,))


def is_of_people(name: str) -> bool:
    """Return whether the last part of a name says that a column holds the scores of a rater.

    Examples
    --------
    >>> is_of_people("reference.human_1"), is_of_people("feedback.quality")
    (True, False)
    """
    return column_names.is_human_name(name.rsplit(".", 1)[-1])


def flat(values: Any, prefix: str = "") -> Row:
    """Return an object as columns: its own values, and those of objects in it, joined with a dot.

    Examples
    --------
    >>> flat({"human1": 3, "by": {"first": "ann"}, "tags": [1]})
    {'human1': '3', 'by.first': 'ann', 'tags': '[1]'}
    """
    found: Row = {}
    for name, value in values.items() if isinstance(values, Mapping) else ():
        if isinstance(value, Mapping) and not prefix:
            found |= flat(value, f"{name}.")
        else:
            found[f"{prefix}{name}"] = text_of(value)
    return found


def _judges(metrics: Sequence[str], scores: Sequence[Row], data: DataSettings, tool: str) -> list[str]:
    """Return the metrics that are judges."""
    if not metrics or not any(is_number(value) for row in scores for value in row.values()):
        raise InputError(f"no metric of {tool} gives a number; there is nothing to evaluate.")
    if data.score is not None:
        if data.score not in metrics:
            raise InputError(f"no metric is named '{data.score}'; there are {quoted(metrics)}.")
        return [data.score]
    named = [name for name in (data.system, *(data.systems or ())) if name in metrics]
    if named:
        return [str(name) for name in named]
    if len(metrics) > 1:
        raise InputError(
            f"several metrics give scores: {quoted(metrics)}; name one, as in "
            f"{write_command('--score', metrics[0])}, or several, each with --system."
        )
    return list(metrics)


def _people(columns: Mapping[str, Sequence[str | None]], judges: Sequence[str]) -> list[str]:
    """Return the columns that may hold what people gave, in the order of the raters; the clearest names alone."""
    free = [name for name, cells in columns.items() if name not in judges and any(map(is_number, cells))]
    clear = [name for name in free if is_of_people(name)]
    perhaps = [name for name in free if column_names.may_be_human_name(name.rsplit(".", 1)[-1])]
    return sorted(clear or perhaps, key=column_names.rater_order)


def _house_finds(name: str) -> bool:
    """Return whether a column of people's scores is found by its whole name, as in any table."""
    return column_names.is_human_name(name) or column_names.may_be_human_name(name)
