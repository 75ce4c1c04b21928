"""Responses that a judge graded by one metric or several: one row per response, the judge's score in a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.values import columns_of, is_number, quoted, text_of

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
