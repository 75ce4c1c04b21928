"""Whether a file has one row per response or one per rating, and which columns say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reportgen.errors import QuestionError, SettingsError, did_you_mean, listed, write_command
from reportgen.results import Role
from reportgen.scores.contents import Contents
from reportgen.scores.systems import systems_by_name
from reportgen.scores.table import BY_CONTENTS, BY_NAME, NAMED
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.sources.batches import Wanted, in_batches
from reportgen.sources.column_names import matched
from reportgen.sources.columns import as_text
from reportgen.sources.digests import Fingerprints, fingerprints
from reportgen.sources.tabular import Reader, all_rows
from reportgen.wording.names import natural

RUN = "repeated run"
"""The part of the column that tells runs apart; the columns of runs that it makes are called runs."""

WHAT_TO_TYPE = {"id": "--id", "rater": "--rater", "score": "--score"}
"""Parts without which ratings cannot be read, and how each is named."""


class LongColumns(NamedTuple):
    """The columns of a file of ratings.

    Parameters
    ----------
    id, rater, score
        Which response, who rated it, the rating.
    time, run
        When, and which run of a system; None without.
    how
        For each part how it was found.
    """

    id: str
    rater: str
    score: str
    time: str | None
    run: str | None
    how: dict[str, str]

    def all(self) -> set[str]:
        """Return every one of these columns."""
        return {name for name in (self.id, self.rater, self.score, self.time, self.run) if name}

    def told(self) -> tuple[Role, ...]:
        """Return the parts that only a file of ratings has, as told in the report."""
        columns = {"rater": self.rater, "score": self.score, "time": self.time, RUN: self.run}
        return tuple(
            Role(part, (column,), self.how["run" if part == RUN else part])
            for part, column in columns.items()
            if column
        )


def long_columns(reader: Reader, data: DataSettings) -> LongColumns | None:
    """Return the columns of a file with one row per rating; None for one row per response.

    A file is taken for one of ratings when that is declared, or when its rows name a response again, under another
    rater, and a column each is named like a rater and like a score; a column of responses may have any name where
    raters cross it.  All rows are looked at where the first do not say it: a file may be sorted by rater.

    Parameters
    ----------
    reader
        The source.
    data
        What is declared.

    Raises
    ------
    SettingsError
        A column that is named does not exist.
    QuestionError
        Ratings are declared and cannot be found, or it is not certain what each row is.
    """
    if data.layout == "wide":
        return None
    names = reader.head.schema.names
    given = {part: getattr(data, part) for part in ("id", "rater", "score", "time", "run")}
    for part, column in given.items():
        if column is not None and column not in names:
            raise SettingsError(f"{part} column '{column}' does not exist{did_you_mean(column, names)}")
    found = {part: column or _found(part, reader.head, given) for part, column in given.items()}
    again, by_contents = _named_again(reader, found, given["id"], data), False
    if data.layout == "long" or not _names_columns(data, reader.head, found):
        crossed = crossing(reader, data, given, again)
        if crossed is not None:
            again, found, by_contents = crossed.id, found | crossed._asdict(), again is None and given["id"] is None
    if data.layout is None and data.rater is None and again is None:
        return None
    found["id"] = again or found["id"]
    missing = [part for part in WHAT_TO_TYPE if found[part] is None]
    if missing:
        raise QuestionError(
            f"one row per rating needs the columns of response, rater and score; no {missing[0]} column was found; "
            f"name it with {WHAT_TO_TYPE[missing[0]]} NAME, or type --layout wide."
        )
    _refuse_two_parts(found)
    how = {part: NAMED if given[part] else BY_NAME for part in found}
    how |= {"id": BY_CONTENTS} if by_contents else {}
    return LongColumns(str(found["id"]), str(found["rater"]), str(found["score"]), found["time"], found["run"], how)


def _found(part: str, head: Any, given: dict[str, str | None]) -> str | None:
    """Return the column whose name fits a part that is not declared."""
    taken = {column for column in given.values() if column}
    free = [name for name in head.schema.names if name not in taken]
    if part == "score":
        readable = (Contents(head[name], name) for name in free)
        texts = [contents for contents in readable if contents.is_readable]
        numeric = [contents.name for contents in texts if contents.has_scores]
        labels = [contents.name for contents in texts if contents.n_distinct <= MOST_LABELS]
        return column_names.first_of_long(part, numeric) or column_names.first_of_long(part, labels)
    return column_names.first_of_long(part, free)


def _named_again(reader: Reader, found: Mapping[str, str | None], given: str | None, data: DataSettings) -> str | None:
    """Return the likeliest column of ids that names a response again under another rater; None when none does."""
    rater, names = found["rater"], reader.head.schema.names
    if rater is None or found["score"] is None or (data.layout is None and _names_columns(data, reader.head, found)):
        return None
    ids = [given] if given else [name for name in column_names.all_of_long("id", names) if name not in found.values()]
    ids = ids if given else [*filter(None, [found["id"]]), *ids]
    if not ids:
        return None
    first = prints_of_head(reader, [*ids, rater])
    for name in ids:
        if _apart(first[name], first[rater]):
            return name
    every = prints_of_all(reader, [*ids, rater])
    return next((name for name in ids if _apart(every[name], every[rater])), None)


def _names_columns(data: DataSettings, head: Any, found: Mapping[str, str | None]) -> bool:
    """Return whether a human score is named that is a column, or by a pattern of columns with numbers."""
    names = head.schema.names
    free = (Contents(head[name], name) for name in names if name not in found.values())
    numeric = [each.name for each in free if each.is_readable and each.has_scores]
    return any(each in names or matched(each, numeric) for each in data.human or ())


def _apart(responses: Fingerprints, raters: Fingerprints) -> bool:
    """Return whether responses come again, most of them under another rater; one rater may come again, in runs."""
    distinct, rows = np.unique(responses, return_inverse=True)
    again = int((np.bincount(rows) > 1).sum())
    names, codes = np.unique(raters, return_inverse=True)
    if not again or len(names) < 2:
        return False
    pairs = np.unique(rows.astype(np.int64) * len(names) + codes)
    by_several = int((np.bincount(pairs // len(names), minlength=len(distinct)) > 1).sum())
    return 2 * by_several >= again


def _refuse_two_parts(found: dict[str, str | None]) -> None:
    """Raise when one column is to play two parts."""
    seen: dict[str, str] = {}
    for part, column in found.items():
        if column in seen:
            raise SettingsError(
                f"column '{column}' cannot be both {seen[column]} and {part}; name another column for one of them."
            )
        if column is not None:
            seen[column] = part


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


def prints_of_head(reader: Reader, names: Sequence[str]) -> dict[str, Fingerprints]:
    """Return the fingerprints of some columns in the first rows."""
    return _prints([reader.head], names)


def prints_of_all(reader: Reader, names: Sequence[str]) -> dict[str, Fingerprints]:
    """Return the fingerprints of some columns in all rows."""
    return _prints(_tables(reader, names), names)


def _tables(reader: Reader, names: Sequence[str]) -> Iterator[Any]:
    """Yield some columns of all rows, batch by batch where the source has batches."""
    batched = in_batches(reader)
    if batched is None:
        yield all_rows(reader, names)
        return
    for piece in batched.pieces(names):
        yield from piece.batches(Wanted(tuple(names)))


def _prints(tables: Iterable[Any], names: Sequence[str]) -> dict[str, Fingerprints]:
    """Return the fingerprints of columns."""
    found: dict[str, list[Fingerprints]] = {name: [] for name in names}
    for table in tables:
        for name in found:
            found[name].append(fingerprints(as_text(table[name], name), name))
    return {name: np.concatenate(parts) if parts else np.empty(0, np.uint64) for name, parts in found.items()}
