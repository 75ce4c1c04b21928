"""Tables of judge outputs: one row per rating, or one row per response with a column for each judge."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reportgen.errors import InputError, QuestionError, did_you_mean, listed, write_command
from reportgen.judges.records import columns_of, text_of
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_readers import ReadScores
from reportgen.sources.written import cell
from reportgen.wording.numbers import many

RATER, SCORE = "rater", "score"

Row = dict[str, str | None]


def chosen(names: Iterable[str], data: DataSettings, candidates: Iterable[str] | None = None) -> list[str]:
    """Return the judge's scores: the ones the user named, otherwise the only candidate.

    >>> chosen(["quality", "tone"], DataSettings(score="tone")), chosen(["quality"], DataSettings())
    (['tone'], ['quality'])
    """
    every = list(dict.fromkeys(names))
    if data.score is not None:
        if data.score not in every:
            raise InputError(f"no score is named '{data.score}'{did_you_mean(data.score, every)}")
        return [data.score]
    named = [name for name in systems_of(data) if name in every]
    found = named or list(dict.fromkeys(every if candidates is None else candidates))
    if not found:
        raise InputError("the file does not contain scores of a judge; export them too.")
    if not named and len(found) > 1:
        text = f"the judge's score could be {listed(found, 'or')}. Which one is it?"
        raise QuestionError(text, [(f"the judge's score is '{name}'", ("--score", name)) for name in found[:2]])
    return found


def systems_of(data: DataSettings) -> list[str]:
    """Return the systems that the user named."""
    return [name for name in (data.system, *(data.systems or ())) if name is not None]


class Rating(NamedTuple):
    """One rating: the response, the rating's name, the rater, whether the rater is a person, and the value as text."""

    response: str
    name: str
    by: str
    human: bool
    value: str | None


def by_rating(found: Sequence[Rating], data: DataSettings, *, tool: str, id_column: str) -> ReadScores:
    """Return one row per rating, for the human and judge ratings that have the same name."""
    name = _compared(found, data, id_column)
    judges = systems_of(data)
    kept = [
        row._replace(by=row.name) if row.name in judges and not row.human else row
        for row in found
        if row.name == name or (row.name in judges and not row.human) or (row.human and row.name == f"expected_{name}")
    ]
    by_judges = {row.by for row in kept if not row.human}
    kept = [row._replace(by=f"{row.by} (human)") if row.human and row.by in by_judges else row for row in kept]
    systems, people = (list(dict.fromkeys(row.by for row in kept if row.human is human)) for human in (False, True))
    settings: dict[str, Any] = {"layout": "long", "id": id_column, "rater": RATER, "score": SCORE}
    settings["systems"] = tuple(systems)
    if people and all(people):  # a person without a name cannot be named
        settings["human"] = tuple(people)
    text = (
        f"{tool}: the ratings '{name}' are from {listed(systems)} ({many(len(systems), 'judge')}) and from "
        f"{many(len(people), 'person', 'people')}."
    )
    rows: list[Row] = [{id_column: row.response, RATER: row.by, SCORE: row.value} for row in kept]
    return ReadScores(columns_of(rows), settings, (text,))


def _compared(found: Sequence[Rating], data: DataSettings, id_column: str) -> str:
    """Return the name of the ratings to compare."""
    names = [row.name for row in found]
    people, judges = (dict.fromkeys(row.name for row in found if row.human is human) for human in (True, False))
    if data.score is not None or not found:
        return chosen(names, data)[0]
    if not people:
        if data.labels_file is None:
            raise InputError(_join_labels(judges, id_column))
        return chosen(names, data)[0]
    both = [name for name in judges if {name, f"expected_{name}"} & set(people)]
    if len(both) == 1:
        return both[0]
    if not both and set(systems_of(data)) & set(judges) and len(people) == 1:
        return next(iter(people))
    if not both:
        if not judges:
            raise InputError(f"people scored {listed(people)}, but judges scored nothing; export their scores too.")
        first = next(iter(people))
        ways = [(f"compare '{name}' with '{first}'", ("--system", name, "--score", first)) for name in judges]
        text = f"people scored {listed(people)}, but judges scored {listed(judges)}. Which scores should be compared?"
        raise QuestionError(text, ways[:2])
    return chosen(both, data)[0]


def _join_labels(judges: Iterable[str], id_column: str) -> str:
    return (
        f"the file contains only the judge's scores, {listed(judges)}; join the human labels with "
        f"--labels-file FILE {write_command('--id', id_column)}, or name their column with --human NAME."
    )


class Output(NamedTuple):
    """One row of a file: the response ID, the other columns, and the score of each judge."""

    response: str
    known: Row
    scores: Mapping[str, str | None]


def by_response(
    outputs: Sequence[Output], data: DataSettings, *, tool: str = "", judges: Sequence[str] = (), id_column: str = "",
    join_by: str = "", human: Sequence[str] = (), notes: Sequence[str] = (), scale: Mapping[str, float] | None = None,
) -> ReadScores:  # fmt: skip
    """Return one row per response, with its columns, the score of every judge, and the scores of repeated runs.

    outputs: In the order of their runs.
    judges: The scores to evaluate; by default `chosen` selects them.
    tool, id_column, join_by: The tool that wrote the file, for the note if none is given; the ID column, and the
        column to join labels by if it differs.
    human: Columns of human scores; if empty, they are detected by name.
    notes, scale: Notes about how columns were used, and the scale.

    >>> runs = [Output("a", {"human": "3"}, {"gpt": "3"}), Output("a", {"human": "3"}, {"gpt": "4"})]
    >>> by_response(runs, DataSettings(), tool="T").columns
    {'human': ['3'], 'gpt': ['3'], 'gpt run 2': ['4']}
    """
    if not judges:
        names = dict.fromkeys(name for output in outputs for name in output.scores)
        rated = {_bare(name) for name in human_columns(name for output in outputs for name in output.known)}
        judges = chosen(names, data, [name for name in names if _bare(name) in rated] or None)
    rows: dict[str, Row] = {}
    known: dict[str, Row] = {}
    runs: Counter[tuple[str, str]] = Counter()
    for output in outputs:
        if known.setdefault(output.response, output.known) != output.known:
            why = f"two rows have the same '{id_column or 'id'}' but differ in other columns; "
            raise InputError(f"{why}make IDs unique, or name one file of one run.")
        variables = {f"{key} (variable)" if key in judges else key: each for key, each in output.known.items()}
        row = rows.setdefault(output.response, variables)
        for judge in judges:
            if judge not in output.scores:
                continue
            runs[output.response, judge] += 1
            run = runs[output.response, judge]
            name = judge if run == 1 else f"{judge} run {run}"
            row[name] = output.scores[judge]
    columns = columns_of(list(rows.values()))
    people = tuple(human) or _people(columns, judges)
    if not people and data.labels_file is None and data.human is None:
        raise InputError(_join_labels(judges, data.id or join_by or id_column or "NAME"))
    settings: dict[str, Any] = {"layout": "wide", "systems": tuple(judges)}
    if id_column:
        settings["id"] = id_column
    found_anyway = (column_names.is_human_name(name) or column_names.may_be_human_name(name) for name in people)
    if human or (people and not any(found_anyway)):
        settings["human"] = people
    if scale:
        settings["scale"] = dict(scale)
    taken = f"{tool}: the scores of {listed(judges)} are used as the judge's scores, one row per response."
    return ReadScores(columns, settings, tuple(notes) or (taken,))


def _people(columns: Mapping[str, Sequence[str | None]], judges: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that may contain human scores, in rater order; only columns with the clearest names."""
    others = {name: own for name, own in columns.items() if name not in judges}
    free = [name for name, own in others.items() if any(cell(each).is_score for each in own if each)]
    people, judged = human_columns(free), {_bare(name) for name in judges}
    perhaps = [name for name in free if column_names.may_be_human_name(name.rsplit(".", 1)[-1])]
    return tuple([name for name in people if _bare(name) in judged] or people or perhaps)


def _bare(name: str) -> tuple[str, ...]:
    """Return the words of a score's name, except words for people or engines."""
    return column_names.side_of(name.rsplit(".", 1)[-1])[1] or (name,)


def human_columns(names: Iterable[str]) -> list[str]:
    """Return the columns whose name, or its last part, is a name of human scores, in rater order.

    >>> human_columns(["reference.human_2", "feedback.quality", "human_1", "expert_clarity"])
    ['expert_clarity', 'human_1', 'reference.human_2']
    """
    last = {name: name.rsplit(".", 1)[-1] for name in names}
    found = [name for name, own in last.items() if column_names.is_human_name(own)]
    called = [name for name, own in last.items() if column_names.side_of(own)[0] == "people"]
    others = [name for name in called if not (column_names.names_somebody(name) or column_names.ends_like_id(name))]
    return sorted(dict.fromkeys((*found, *others)), key=column_names.rater_order)


def flat(values: Any, prefix: str = "") -> Row:
    """Flatten an object into columns; names of nested values are joined with a dot.

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
