"""Whether raters cross responses whose column has any name: each response comes again with another rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reportgen.errors import QuestionError, listed, write_command
from reportgen.scores.contents import Contents
from reportgen.scores.long.prints import prints_of_all, prints_of_head
from reportgen.scores.systems import systems_by_name
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.fingerprints import Fingerprints
from reportgen.sources.tabular import Reader
from reportgen.wording.names import natural

NEARLY = 0.02
"""The largest share of rows in which a rater rates a response once more."""

EXPECTED = 5.0
"""Repeated pairs of response and rater that chance would make: where so many are missing, raters cross responses."""

BY_CHANCE = 0.1
"""The largest share of these that there may be."""

LONGEST = 1000
"""Characters on average up to which the texts that were rated may name them."""

MOST_CANDIDATES = 12
"""Columns that are looked at as ids, the likeliest by their names."""


class Crossing(NamedTuple):
    """The columns of response and rater, and of the score where that is certain."""

    id: str
    rater: str
    score: str


class Pairs(NamedTuple):
    """How a column of ids meets one of raters: whether it may be one of responses, and whether chance is ruled out."""

    may_be: bool
    sure: bool


def meeting(ids: Fingerprints, raters: Fingerprints, runs: Fingerprints | None = None) -> Pairs:
    """Return whether ids come again under other raters and hardly ever under the same, shape (n,) each.

    Where raters were scores, or ids numbers of another kind, pairs of both would come again as often as chance has it.

    Parameters
    ----------
    runs
        Further what tells the ratings of one rater apart; None without.

    Examples
    --------
    >>> bottles, judges = np.repeat(np.arange(8, dtype=np.uint64), 9), np.tile(np.arange(9, dtype=np.uint64), 8)
    >>> meeting(bottles, judges), meeting(bottles // np.uint64(4), judges)
    (Pairs(may_be=True, sure=True), Pairs(may_be=False, sure=False))
    """
    n = len(ids)
    rows, codes = (np.unique(each, return_inverse=True)[1].astype(np.int64) for each in (ids, raters))
    n_ids, n_raters = int(rows.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    if n_raters < 2 or n_ids < 2 or n_ids == n:
        return Pairs(False, False)
    pairs = np.unique(rows * n_raters + codes)
    told_apart = len(pairs)
    if runs is not None:
        run = np.unique(runs, return_inverse=True)[1].astype(np.int64)
        told_apart = len(np.unique((rows * n_raters + codes) * (int(run.max(initial=0)) + 1) + run))
    raters_of = np.bincount(pairs // n_raters, minlength=n_ids)
    several = int((raters_of > 1).sum())
    if several < 2 or n - told_apart > NEARLY * n:
        return Pairs(False, False)
    shares = np.bincount(codes, minlength=n_raters) / n
    expected = float((raters_of * (raters_of - 1) / 2).sum() * (shares**2).sum())
    by_chance = n - told_apart <= BY_CHANCE * expected and expected >= EXPECTED
    return Pairs(by_chance or 2 * several >= n_ids, by_chance)


def crossing(
    reader: Reader, data: DataSettings, given: Mapping[str, str | None], known: str | None = None
) -> Crossing | None:
    """Return the columns of a file of ratings whose ids have a name of their own; None when rows are responses.

    A column that is named like raters comes again while another's values come again across it: every response once
    under each of its raters.  All rows are looked at; neither their order nor that of columns decides.

    Parameters
    ----------
    reader, data
        The source, and what is declared.
    given
        Part -> its column, None where it is not declared.
    known
        The column of responses where its name says so already.

    Raises
    ------
    QuestionError
        Raters come again, and it is not certain which column names what they rate, or which holds their scores.
    """
    head = _Head.of(reader, data, given)
    found = (_by_rater(reader, head, rater, given, known) for rater in head.raters)
    return next((each for each in found if each is not None), None)


class _Head(NamedTuple):
    """The first rows: what each column holds, columns that may be of raters, and those with scores."""

    columns: dict[str, Contents]
    raters: list[str]
    scores: list[str]
    engines: list[str]

    @classmethod
    def of(cls, reader: Reader, data: DataSettings, given: Mapping[str, str | None]) -> _Head:
        table = reader.head
        every = {name: Contents(table[name], name) for name in table.schema.names}
        columns = {name: each for name, each in every.items() if each.is_readable}
        taken = {data.system, *(data.systems or ()), *(data.human or ()), *(data.groups or ()), data.candidate}
        taken |= {column for column in given.values() if column}
        free = [name for name in columns if name not in taken]
        rater = given["rater"]
        raters = [rater] if rater else [
            name for name in column_names.all_of_raters(free) if not columns[name].is_fractional
        ]  # fmt: skip
        scored = [name for name in columns if name not in raters and columns[name].has_scores]
        engines = systems_by_name(scored, people_named=True)
        scores = [name for name in scored if name in free and name not in engines and _names_score(name)]
        return cls(columns, raters, [given["score"]] if given["score"] else scores, engines)


def _names_score(name: str) -> bool:
    """Return whether a name may be one of scores that people gave."""
    return column_names.first_of_long("score", [name]) is not None or column_names.is_human_name(name)


def _by_rater(
    reader: Reader, head: _Head, rater: str, given: Mapping[str, str | None], known: str | None
) -> Crossing | None:
    """Return the columns of ratings if one column names the raters."""
    scores = [name for name in head.scores if name != rater]
    if not scores:
        return None
    run = given["run"] or column_names.first_of_long("run", head.columns)
    named = given["id"] or known
    wanted = [named] if named else _candidates(head, rater, run)
    first = prints_of_head(reader, [*wanted, rater, *([run] if run else [])])
    wanted = [name for name in wanted if _alive(first, name, rater, run)]
    parts = [] if named else _parts_of_id(head)
    if not wanted and not parts:
        return None
    needed = [*wanted, *parts, rater, *scores, *head.engines, *([run] if run else [])]
    every = prints_of_all(reader, list(dict.fromkeys(needed)))
    met = {name: meeting(every[name], every[rater], every[run] if run else None) for name in wanted}
    certain = not head.columns[rater].is_numeric or column_names.normalised(rater).endswith("id")
    engines = [name for name in head.engines if name not in scores and len(np.unique(every[name])) > 1]
    ids = [
        name
        for name, pairs in met.items()
        if (pairs.sure or (pairs.may_be and (engines or _names_something(name, named))))
        and _may_be_response(every[name], engines, scores, every)
    ]
    if not ids:
        _refuse_two_parts_of_id(
            parts, rater, scores, engines, every, certain=certain and not _has_response(head, every)
        )
        return None
    id_column = _finest(ids, every)
    if id_column is not None:
        score = _score(id_column, rater, scores, engines, every)
        if score is None:
            return None
        doubted = _may_be_person(id_column, engines, given) or (not given["id"] and _has_response(head, every))
        if known or ((met[id_column].sure or certain) and not doubted):
            return Crossing(id_column, rater, score)
    elif column_names.names_writer(rater):
        return None
    score = given["score"] or column_names.first_of_long("score", scores) or scores[0]
    raise QuestionError(_question(ids if id_column is None else [id_column], rater, score))


def _candidates(head: _Head, rater: str, run: str | None) -> list[str]:
    """Return the columns that may name what was rated, the likeliest first, whatever their order."""
    found = [
        name
        for name, contents in head.columns.items()
        if name not in (rater, run, *head.scores, *head.engines)
        and not contents.is_fractional
        and contents.mean_length <= LONGEST
        and contents.n_blank < len(contents)
        and not column_names.is_group_name(name)
        and not column_names.is_measure_name(name)
    ]
    return sorted(found, key=lambda name: (not column_names.ends_like_id(name), natural(name)))[:MOST_CANDIDATES]


def _alive(first: Mapping[str, Fingerprints], name: str, rater: str, run: str | None) -> bool:
    """Return whether the first rows leave open that a column names what was rated."""
    beside = [first[each].astype(np.uint64) for each in (name, rater, run) if each]
    n = len(beside[0])
    again = n - len(np.unique(np.stack(beside, axis=1), axis=0))
    return again <= max(2, 0.2 * n)


def _same_within(ids: Fingerprints, values: Fingerprints) -> bool:
    """Return whether a column says the same in every row of a response, but for few."""
    distinct, rows = np.unique(ids, return_inverse=True)
    both = np.unique(np.stack([rows.astype(np.uint64), values], axis=1), axis=0)
    return len(both) - len(distinct) <= NEARLY * len(ids)


def _finest(ids: Sequence[str], every: Mapping[str, Fingerprints]) -> str | None:
    """Return the one column that tells responses apart at least as finely as all others; None when there is none."""
    ranked = sorted(ids, key=lambda name: (not column_names.ends_like_id(name), natural(name)))
    finest = [name for name in ranked if all(_same_within(every[name], every[other]) for other in ids)]
    return finest[0] if finest else None


def _parts_of_id(head: _Head) -> list[str]:
    """Return the columns of candidate and item where there are both: together they may name a response."""
    names = sorted(head.columns)
    found = [column_names.first_candidate(names), column_names.first_item(names)]
    return [name for name in found if name and name not in head.raters] if all(found) else []


def _refuse_two_parts_of_id(
    parts: Sequence[str], rater: str, scores: Sequence[str], engines: Sequence[str],
    every: Mapping[str, Fingerprints], *, certain: bool,
) -> None:  # fmt: skip
    """Raise where no column names what raters rate, but `parts` do so together."""
    if not parts or column_names.names_writer(rater):
        return
    both = np.stack([every[name] for name in parts], axis=1)
    ids = np.unique(both, axis=0, return_inverse=True)[1].ravel().astype(np.uint64)
    met = meeting(ids, every[rater])
    if certain and met.may_be and _may_be_response(ids, engines, scores, every):
        score = column_names.first_of_long("score", scores) or scores[0]
        raise QuestionError(
            f"the file may have one row per rating: {listed(parts)} together name what '{rater}' rated; add a column "
            f"that joins both, and type --layout long --id NAME {write_command('--rater', rater, '--score', score)}, "
            "or for one row per response --layout wide."
        )


def _has_response(head: _Head, every: Mapping[str, Fingerprints]) -> bool:
    """Return whether a column that is named like one of responses differs in every row."""
    named = [name for name in head.columns if name in every and column_names.names_response(name)]
    return any(len(np.unique(every[name])) == len(every[name]) for name in named)


def _names_something(name: str, named: str | None) -> bool:
    """Return whether a column is named as one of responses, or is called like one."""
    return name == named or column_names.ends_like_id(name)


def _may_be_response(
    ids: Fingerprints, engines: Sequence[str], scores: Sequence[str], every: Mapping[str, Fingerprints]
) -> bool:
    """Return whether engines say one thing of what a column names or, where they differ, people do."""
    of_engines = all(_same_within(ids, every[engine]) for engine in engines)
    return of_engines or any(_same_within(ids, every[score]) for score in scores)


def _score(
    id_column: str, rater: str, scores: Sequence[str], engines: Sequence[str], every: Mapping[str, Fingerprints]
) -> str | None:
    """Return the column of the raters' scores; None when rows are responses.

    Raises
    ------
    QuestionError
        Human scores stand beside those of raters, the same in every row of a response.
    """
    ids, writers = every[id_column], column_names.names_writer(rater)
    carried = [name for name in scores if _same_within(ids, every[name])]
    differ = [name for name in scores if name not in carried]
    judged = [name for name in engines if not _same_within(ids, every[name])] or differ
    people = [name for name in carried if column_names.is_human_name(name) or judged != differ or writers]
    if people and judged:
        raise QuestionError(
            f"column '{people[0]}' says the same in every row of a response, while '{judged[0]}' differs by '{rater}'; "
            f"put '{people[0]}' into a file with one row per '{id_column}', and type "
            f"{write_command('--layout', 'long', '--id', id_column, '--rater', rater, '--score', judged[0])} "
            "--labels-file FILE."
        )
    return None if writers else column_names.first_of_long("score", differ or scores)


def _may_be_person(id_column: str, engines: Sequence[str], given: Mapping[str, str | None]) -> bool:
    """Return whether a column may name who wrote several responses, and nothing says that it is one response."""
    return not given["id"] and not engines and column_names.first_candidate([id_column]) is not None


def _question(ids: Sequence[str], rater: str, score: str) -> str:
    """Return what to ask of a file that may have one row per rating."""
    what = f"column '{ids[0]}' names" if len(ids) == 1 else f"columns {listed(sorted(ids, key=natural)[:4])} may name"
    return (
        f"the file may have one row per rating: {what} what was rated, and '{rater}' who rated it; for this type "
        f"{write_command('--layout', 'long', '--id', ids[0], '--rater', rater, '--score', score)}, and for one row "
        "per response --layout wide."
    )
