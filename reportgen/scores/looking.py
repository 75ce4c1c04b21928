"""Describe a file of scores without evaluating it: facts, open questions, and possible analyses."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from reportgen.design.profiles import profiles_of
from reportgen.design.readings import ColumnRoles, merge_roles
from reportgen.design.roles import assign_roles, named_roles, shortlist, values_of
from reportgen.errors import InputError, QuestionError, ReportgenError, SettingsError, without_options
from reportgen.results import Role, Scale, Source
from reportgen.scores.left_out import people_of
from reportgen.scores.reading import Opened, name_of, named, opened, read_tables
from reportgen.scores.table import Account, RatingTable
from reportgen.scores.traits import Traits, traits_in
from reportgen.settings import Settings, override
from reportgen.settings.flags import given_by

_OF_SCALE = ("low", "high", "step", "assumed")


class GroupSizes(NamedTuple):
    """A group column: the number of groups, the number that are too small to be shown, and the minimum size."""

    column: str
    groups: int
    small: int
    least: int


class Analysis(NamedTuple):
    """A possible analysis, and what the file lacks for it; empty if it lacks nothing."""

    name: str
    missing: str = ""


@dataclass(frozen=True)
class Look:
    """The contents of a file of scores.

    long, why: Whether it has one row per rating, and the evidence.
    roles, left_out: The columns of each role as far as known, and why other columns have none.
    traits, notes: The traits, each with an account in `accounts`, and how they were found; empty without traits.
    """

    source: Source  # the file, with its rows
    long: bool
    why: str
    accounts: tuple[Account, ...]  # how the scores of each system are prepared; empty while a question is open
    roles: tuple[Role, ...]
    left_out: tuple[tuple[str, str], ...]
    groups: tuple[GroupSizes, ...] = ()
    questions: tuple[str, ...] = ()  # what must be answered before the file is evaluated, and the options to add
    answer: tuple[str, ...] = ()  # options of the first answer
    analyses: tuple[Analysis, ...] = ()  # possible analyses, and the columns that others lack
    traits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the contents in lines, without any cell."""
        lines = [f"{self.source.name}: {self.source.rows:,} rows, one per {'rating' if self.long else 'response'}"]
        lines += [f"{each.role}: {', '.join(each.columns)} ({each.how})" for each in self.roles if each.columns]
        if self.scale is not None:
            lines.append(f"scale: {self.scale.low:g} to {self.scale.high:g}")
        if not self.questions:
            lines.append(f"can be computed: {', '.join(each.name for each in self.analyses if not each.missing)}")
            lines += [f"not computed: {each.name}; requires {each.missing}" for each in self.analyses if each.missing]
        return "\n".join([*lines, *(f"question: {each}" for each in self.questions)])

    @property
    def scale(self) -> Scale | None:
        """The scale, declared or inferred from the ratings; None while a question is open."""
        return self.accounts[0].scale if self.accounts else None

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns, or raters, of a role."""
        return tuple(column for found in self.roles if found.role == role for column in found.columns)

    def as_json(self) -> dict[str, Any]:
        """Return the same as plain data."""
        account = self.accounts[0] if self.accounts else None
        return {
            "file": self.source.name,
            "rows": self.source.rows,
            "layout": "long" if self.long else "wide",
            "layout_because": self.why,
            "responses": account.read if account else None,
            "responses_that_count": account.kept if account else None,
            "raters": people_of(account).n if account else None,
            "engines": list(self.columns("system")),
            "roles": [{"role": each.role, "columns": list(each.columns), "how": each.how} for each in self.roles],
            "columns_not_used": dict(self.left_out),
            "scale": {part: getattr(account.scale, part) for part in _OF_SCALE} if account else None,
            "zeros": account.zeros if account else None,
            "responses_by_ratings": {str(k): n for k, n in ratings_per_response(account).items()} if account else {},
            "groups": [each._asdict() for each in self.groups],
            "left_out": [{"because": out.reason, "responses": out.n} for out in account.exclusions] if account else [],
            "notes": list(account.warnings) if account else [],
            "doubts": list(account.doubts) if account else [],
            "traits": list(self.traits),
            "questions": list(self.questions),
            "analyses": [{"name": each.name, "missing": each.missing or None} for each in self.analyses],
        }


def read_parts(source: Any, settings: Settings) -> tuple[Opened, Traits | None, tuple[RatingTable, ...]]:
    """Return an open source, its traits if it has several, and the prepared scores of each trait or system."""
    with named(source):
        file = opened(source, settings)
        traits = traits_in(file)
        if traits:
            return file, *traits.read()
    return file, None, read_tables(source, settings, file)


def look(source: Any, settings: Settings | None = None, read: Any = read_parts) -> Look:
    """Return the contents of a file of scores; errors of `read_tables` become questions.

    source, settings: As for `read_tables`.  `read` may raise the questions of an evaluation too.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = look(pa.table({"id": list("abc"), "h1": [1, 2, 4], "h2": [1, 3, 4], "engine": [1.2, 2.1, 3.3]}))
    >>> [each.name for each in found.analyses if not each.missing][:2], found.questions
    (['agreement between engine and raters', 'rank correlations'], ())
    >>> look(pa.table({"a": [1, 2, 4], "b": [1, 3, 4]})).accounts
    ()
    """
    settings = settings or Settings()
    try:
        file, traits, accounts = read(source, settings)
    except (InputError, SettingsError) as error:
        question = settled(source, error, settings, read) if isinstance(error, QuestionError) else error
        return _questioned(source, settings, question)
    first = accounts[0]
    every = [role for account in accounts for role in account.roles]
    roles = merge_roles((role.role, name, role.how) for role in every for name in role.columns)
    groups = tuple(group_sizes(first, settings))
    of_all = (Analysis("composite of the traits, and halo"),) if traits else ()
    return Look(
        traits.source if traits else first.source, first.ratings is not None, _why(file), accounts, roles,
        first.left_out, groups, analyses=(*_analyses(first, groups, settings), *of_all),
        traits=tuple(part.name for part in traits.parts) if traits else (), notes=traits.notes if traits else (),
    )  # fmt: skip


MOST_SETTLED = 3  # the most further questions that an answer settles


def settled(source: Any, question: QuestionError, settings: Settings, read: Any = read_parts) -> QuestionError:
    """Return a question whose answers also give the likelier answer to each question that would follow.

    Answers that lead to another error are dropped if another answer does not.  `read` raises the next question.
    """
    choices, failed, texts = list[tuple[str, Sequence[str]]](), list[tuple[str, Sequence[str]]](), [question.text]

    def followed(means: str, words: Sequence[str], left: int) -> None:
        try:
            if left and words:
                read(source, override(settings, **_given_by(source, words, settings)))
        except QuestionError as following:
            texts.extend([following.text.removeprefix(f"{name_of(source)}: ")] * (not choices))
            ways = [way for way in following.choices if words[0] != "batch" or way[1][0] != "batch"]
            for further, more in ways[: 1 if choices or left < MOST_SETTLED else 2]:
                kept = without_options(list(words), list(more))
                both = f"{means}{';' if ',' in means else ', and'} {further}"
                # the name of a command comes first
                followed(both, (*kept, *more) if more[0][0] == "-" else (*more, *kept), left - 1)
        except ReportgenError:
            failed.append((means, words))
        else:
            choices.extend([(means, words)] * ([*words] not in [[*known] for _, known in choices]))

    for means, options in question.choices:
        followed(means, options, MOST_SETTLED)
    text, notes = " Also, ".join(dict.fromkeys(texts)), tuple[str, ...]()
    with suppress(ReportgenError):
        notes = tuple(opened(source, settings).reader.notes)
    return QuestionError(text, choices or failed or question.choices, question.otherwise, notes)


def _given_by(source: Any, words: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Return the settings of an answer; of a batch, those of the report for the first value of its column."""
    if words[0] != "batch":
        return given_by(tuple(words))
    _, _, name, *others = words
    first = values_of(opened(source, settings).reader.head[name], name)
    return given_by(others) | {"only": {**settings.data.only, name: first.labels[first.codes[0]]}, "trait_column": ""}


def ratings_per_response(scores: Account) -> dict[int, int]:
    """Return number of ratings -> responses that count; empty if rows are not in memory.

    >>> from reportgen.scores import read
    >>> import pyarrow as pa
    >>> ratings_per_response(read(pa.table({"h1": [1, 2, 4], "h2": [1, None, 4], "engine": [1.2, 2.1, 3.3]})))
    {1: 1, 2: 2}
    """
    if not isinstance(scores, RatingTable):
        return {}
    each, n = np.unique(np.isfinite(scores.human).sum(axis=1), return_counts=True)
    return dict(zip(each.tolist(), n.tolist(), strict=True))


def group_sizes(scores: Account, settings: Settings) -> Iterator[GroupSizes]:
    """Yield for each group column the number of groups, and of groups that are too small to be shown."""
    if not isinstance(scores, RatingTable):
        return
    for name, coded in scores.groups.items():
        least = settings.statistics.min_n_by_group.get(name, settings.statistics.min_n_per_group)
        sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.labels))
        yield GroupSizes(name, int((sizes > 0).sum()), int(((sizes > 0) & (sizes < least)).sum()), least)


def _analyses(scores: Account, groups: Sequence[GroupSizes], settings: Settings) -> Iterator[Analysis]:
    """Yield the possible analyses of scores, and what others lack."""
    ratings, required = ratings_per_response(scores), max(settings.statistics.min_n_per_group, 2)
    twice = sum(n for k, n in ratings.items() if k > 1) if ratings else required * (len(scores.raters) > 1)
    judged = any(each.groups - each.small > 1 for each in groups) or (not ratings and bool(scores.columns("group")))
    without = "" if scores.columns("system") else "engine scores"
    least = f" of at least {groups[0].least} responses" if groups else ""
    second = f"at least {required} double-scored responses; found {twice}" * (twice < required)
    lacks = {
        "agreement between engine and raters": without,
        "rank correlations": without,
        "PRMSE": without or second,
        "fairness across groups": without or f"a group column with at least two groups{least}" * (not judged),
        "rater reliability": second,
        "alternative annotator test": without or "at least three raters" * (not twice or people_of(scores).n < 3),
    }
    yield from starmap(Analysis, lacks.items())


def _why(found: Opened) -> str:
    columns, specified = found.long, found.settings.data.layout is not None
    if columns is None or specified:
        return "specified" if specified else "detected"
    return f"detected: each '{columns.id}' has rows with different values of '{columns.rater}'"


def _questioned(source: Any, settings: Settings, question: ReportgenError) -> Look:
    """Describe a file as far as known while a question is open."""
    with named(source):
        try:
            found = opened(source, settings)
            why = _why(found)
        except QuestionError:  # the question is about the layout
            of_ratings = dict.fromkeys(("id", "rater", "score", "time", "run"))
            found = opened(source, override(settings, layout="wide", **of_ratings))
            why = "until the question is answered"
    reader, settings, columns = found.reader, found.settings, found.long
    head = reader.head
    if columns is None:
        assigned, wanted = ColumnRoles(), []
        with suppress(SettingsError):
            assigned = named_roles(head.schema.names, settings.data)
            wanted = shortlist(profiles_of(head), assigned)
        table = reader.load(wanted or head.schema.names[:1])
        rows = int(table.num_rows)
        with suppress(ReportgenError):  # this question is already listed
            assign_roles(profiles_of(table.select(wanted)), settings.data, assigned)
    else:
        assigned, rows = ColumnRoles(), int(reader.load([columns.id]).num_rows)
        assigned.assign("id", [columns.id], columns.how["id"])
    roles = (*assigned.summary(), *(columns.summary() if columns else ()))
    unused = tuple(assigned.left_out.items())
    open_ = (str(question).removeprefix(f"{name_of(source)}: "),)
    answer = next((tuple(options) for _, options in getattr(question, "choices", ())), ())
    return Look(reader.source(rows), columns is not None, why, (), roles, unused, questions=open_, answer=answer)
