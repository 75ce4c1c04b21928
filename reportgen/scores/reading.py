"""Read a file or frame into a `ScoreTable`, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.design import roles as role_rules
from reportgen.design.derived import ask_about_repeats, first_of_copies, notes_on_copies, with_derived
from reportgen.design.profiles import profiles_of
from reportgen.design.ratings import long_columns, sides_of
from reportgen.design.readings import RUN, ColumnRoles, LongColumns
from reportgen.design.score_columns import clear_humans, named_systems, options_of, plays_other_part, with_columns
from reportgen.errors import NO_ROWS, InputError, QuestionError, SettingsError, shortened
from reportgen.scores import screening
from reportgen.scores.accounting import Counted, account_of, on_one_scale, shared_scores
from reportgen.scores.joining import repeats_in, with_labels
from reportgen.scores.left_out import named_raters, refuse_one_left, without_columns
from reportgen.scores.pivot import LongReader, trimmed
from reportgen.scores.table import (
    ANY,
    WEIGHTS,
    Account,
    Design,
    RaterIds,
    RatingTable,
    ResponsesToRead,
    Rows,
    SampleWeights,
    ScoreTable,
    SourceFacts,
)  # fmt: skip
from reportgen.scores.writing import with_labels_found
from reportgen.settings import Settings, override
from reportgen.sources import column_names
from reportgen.sources import columns as arrow
from reportgen.sources.columns import Coded, Floats, Mask
from reportgen.sources.digests import fingerprints
from reportgen.sources.files import called, paths_of
from reportgen.sources.judge_readers import in_force, reader_for, recognised, table_of
from reportgen.sources.readers import about, open_reader, refuse_unreadable
from reportgen.sources.tabular import Reader, TableReader
from reportgen.sources.written import is_refusal
from reportgen.wording.names import natural
from reportgen.wording.numbers import many

LONGEST_NAME = 1000  # the longest name of a column in characters

MOST_OFFERED = 3  # the most columns that a question offers as the engine


class Opened(NamedTuple):
    """An open source: its reader, its settings, and the name of the judge output reader, if any."""

    reader: Reader
    settings: Settings
    foreign: str = ""
    how: Mapping[str, str] = MappingProxyType({})  # how columns were found that the settings do not name
    notes: tuple[str, ...] = ()
    long: LongColumns | None = None  # the columns of a file with one row per rating

    def laid_out(self) -> Opened:
        """Return the source with its layout detected and column patterns expanded."""
        data = self.settings.data
        long = long_columns(self.reader, data)
        if long is None:
            data = with_columns(profiles_of(self.reader.head), data)
        reader = with_derived(self.reader, data.model_copy(update={"id": long.id})) if long else self.reader
        return self._replace(reader=reader, settings=self.settings.model_copy(update={"data": data}), long=long)


class Loaded(NamedTuple):
    """A file read once: its columns, their roles, and other information from a file of ratings."""

    table: Any
    roles: ColumnRoles
    reader: Reader
    long: LongReader | None
    settings: Settings
    besides: SourceFacts


def read(source: Any, settings: Settings | None = None) -> ScoreTable:
    """Read the scores of one system and prepare them for evaluation.

    A response counts if it has a first human score and a system score; other human scores may be missing.  Responses
    are excluded in this order: by flags, by the first human score, by the system score, by the number of responses of
    their candidate.

    source: Path of a CSV, TSV, XLSX, JSON-lines or Parquet file, a pattern of paths, a folder of Parquet files, a list
        of paths, a pandas frame, or any object with ``__arrow_c_stream__``.
    settings: Declarations about the data; everything else is detected.
    Raises InputError: The file cannot be read, IDs repeat, human scores are outside the declared scale, or fewer than
        two responses are left.
    Raises SettingsError: A named column does not exist or has two roles, or the scores cannot be identified.

    >>> import pyarrow as pa
    >>> frame = pa.table({"id": ["a", "b", "c"], "human": [1, 2, 4], "system": [1.2, 2.1, 3.3]})
    >>> scores = read(frame)
    >>> scores.kept, scores.scale.assumed, [role.columns for role in scores.roles]
    (3, True, [('system',), ('human',), ('id',)])
    """
    with named(source):
        loaded = _load(opened(source, settings or Settings()))
        return _prepared(loaded, role_rules.the_system(loaded.roles, loaded.settings.data))


def read_tables(source: Any, settings: Settings | None = None, file: Opened | None = None) -> tuple[RatingTable, ...]:
    """Read a file once and prepare the same as `read_systems`; a file without engine scores has its ratings only.

    source, settings: As for `read_systems`.
    file: The source, if it is open already.

    >>> import pyarrow as pa
    >>> table = pa.table({"rater_1": [1, 2, 4], "rater_2": [1, 3, None]})
    >>> (ratings,) = read_tables(table, override(Settings(), ratings_only=True))
    >>> ratings.raters, ratings.systems, ratings.kept
    (('rater_1', 'rater_2'), (), 3)
    """
    settings = settings or Settings()
    with named(source):
        loaded = _load(file or opened(source, settings))
        one, every = loaded.settings.data.system, loaded.roles.columns("system")
        if not every:
            return (_prepared(loaded, None),)
        return on_one_scale([_prepared(loaded, name) for name in (every if one is None else (one,))], loaded.settings)


def ask_for_engine(part: Opened) -> NoReturn:
    """Raise the question which column of a source without engine scores contains them, judged by one part."""
    _refuse_undeclared(_load(part.laid_out(), whole=False))


def _refuse_undeclared(loaded: Loaded) -> NoReturn:
    """Raise the question whether all scores are ratings by people."""
    roles, columns = loaded.roles, profiles_of(loaded.reader.head)
    people, clear = roles.columns("human"), clear_humans(columns)
    doers = [name for name in clear if column_names.has_word("perhaps_engine", column_names.words_of(name))]
    rest = [name for name in columns if name not in clear and column_names.side_of(name)[0] != "people"]
    rest += doers if len(doers) < len(clear) else []
    made = [name for name, why in roles.left_out.items() if why.startswith(("derived", "rates only"))]
    free = {name: columns[name] for name in (*roles.left_out, *people) if name in rest and name not in made}
    likely = [n for n, each in free.items() if each.n_distinct > 1 and each.has_scores and not plays_other_part(n)]
    likely = [n for n in likely if any(columns[n].tracks(columns[one]) for one in people if one != n)] or likely
    ways: list[tuple[str, tuple[str, ...]]] = [("all scores are human ratings", ("--ratings-only",))]
    for name in sorted(likely, key=lambda n: (n not in people, columns[n].is_fractional, natural(n)))[-MOST_OFFERED:]:
        others = [one for one in people if one != name and not loaded.long]
        way = f"the engine scores are in '{name}'", (*options_of("--human", others, columns), "--system", name)
        ways.insert(name in people and name not in doers, way)
    text = "no column looks like engine scores. Are all scores human ratings? If a column contains engine scores, add "
    text += "--system NAME. If they are in another file, evaluate that file, and add this one with --labels-file FILE."
    raise QuestionError(text, ways)


def read_systems(source: Any, settings: Settings | None = None) -> tuple[ScoreTable, ...]:
    """Read a file once and prepare the scores of every system in it, the baseline first.

    source, settings: As for `read`.  The systems are those named by ``system`` or ``systems``, otherwise all systems
        found.

    >>> import pyarrow as pa
    >>> frame = pa.table({"human": [1, 2, 4], "model": [1.2, 2.1, 3.3], "judge": [1, 3, 4]})
    >>> [scores.columns("system") for scores in read_systems(frame)]
    [('judge',), ('model',)]
    """
    tables = read_tables(source, settings)
    if not isinstance(tables[0], ScoreTable):
        raise SettingsError(f"{name_of(source)}: {role_rules.NO_ENGINE}")
    return tuple(table for table in tables if isinstance(table, ScoreTable))


def settings_of_systems(source: Any, settings: Settings) -> dict[str, Settings]:
    """Return for each of two or more named systems the settings that evaluate it among the others."""
    names = named_systems(settings.data)
    if any(column_names.WILD.search(name) for name in names):
        with named(source):
            file = opened(source, settings)
            names = named_systems(file.settings.data)
            if file.long is not None:
                data, rater = file.settings.data, file.long.rater
                labels = trimmed(file.reader.look([rater]), rater).labels
                columns = [name for name in file.reader.head.schema.names if name not in file.long.all()]
                names = sides_of(labels, columns, rater, data).named
    return {name: override(settings, system=name, systems=names) for name in names} if len(names) > 1 else {}


def named(source: Any) -> AbstractContextManager[None]:
    """Add the name of the source to errors raised while reading it."""
    return about(name_of(source), (InputError, SettingsError))


def name_of(source: Any) -> str:
    """Return the name of a source for messages."""
    paths = paths_of(source)
    return str(getattr(source, "connection", "data frame")) if paths is None else called(paths)


def read_columns(source: str | Path | Sequence[Path], encoding: str | None = None) -> Any:
    """Return every column of a source of `read` as an Arrow table of strings, all rows."""
    with named(source):
        reader = open_reader(source, encoding)
        table = reader.load(reader.head.schema.names)
        return pa.table({name: arrow.as_text(table[name], name) for name in table.schema.names})


def opened(source: Any, settings: Settings) -> Opened:
    """Open a source, with only the rows that the setting ``only`` selects."""
    if settings.data.format is not None and isinstance(paths_of(source), tuple):
        raise SettingsError("--format: only one file of judge outputs can be read; give one file.")
    name = recognised(Path(source), settings.data.format) if isinstance(source, str | Path) else ""
    if not name:
        reader = open_reader(source, settings.data.encoding)
        return _complete(Opened(reader, settings, notes=tuple(reader.notes)), settings)
    refuse_unreadable(Path(source))
    try:
        found = reader_for(name).read(Path(source), settings.data)
    except RecursionError:
        raise InputError("its values are nested too deeply to be judge outputs.") from None
    data = in_force(settings.data, found)
    reader = table_of(found, Path(source), name)
    own = settings.model_copy(update={"data": data})
    proposed = [found.data.get(key) or () for key in ("id", "system", "systems", "human")]  # of columns and raters
    names = [each for part in proposed for each in ((part,) if isinstance(part, str) else part)]
    how = dict.fromkeys(names, f"from the '{name}' format")
    return _complete(Opened(reader, own, name, how, found.notes), settings)


def _complete(found: Opened, asked: Settings) -> Opened:
    """Return a source with the labels of a second file, if any, and without unwanted rows."""
    settings = found.settings
    reader, data, how, notes = with_labels(
        found.reader, settings.data, asked.data, named=asked.privacy.show_response_ids
    )
    derived = with_derived(reader, data)
    found = found._replace(
        reader=role_rules.selected(derived, data), settings=settings.model_copy(update={"data": data}),
        how={**found.how, **how}, notes=(*found.notes, *notes, *(derived.notes if derived is not reader else ())),
    )  # fmt: skip
    return found.laid_out()


def read_part(part: Opened) -> ScoreTable:
    """Return the prepared scores of one part of a source, as a separate source; errors do not name it."""
    loaded = _load(part.laid_out(), whole=False)
    return _prepared(loaded, role_rules.the_system(loaded.roles, loaded.settings.data))


def _load(source: Opened, *, whole: bool = True) -> Loaded:
    """Read the columns with a role; errors do not name the file yet. `whole`: the source contains every rater."""
    reader, settings, foreign, roles = source.reader, source.settings, source.foreign, source.long
    memory = pa.default_memory_pool()
    memory.release_unused()  # return the memory of the first look to the system
    data, long = settings.data, None
    if data.ratings_only and named_systems(data):
        raise SettingsError("--ratings-only and --system contradict each other; remove one of them.")
    if roles is not None:
        by_format = f"from the '{foreign}' format" * bool(foreign)
        how = {part: source.how.get(getattr(roles, part) or "", by_format or own) for part, own in roles.how.items()}
        reader = long = LongReader(reader, roles._replace(how=how), data, screening.excludes_zeros(settings), whole)
        settings = settings.model_copy(update={"data": long.data})
        systems = () if data.ratings_only else (*long.sides.systems, *long.sides.columns)
        data = long.data.model_copy(
            update={"id": roles.id, "human": long.human, "system": None, "systems": systems, "runs": None}
        )
    table, assigned = role_rules.columns_that_matter(reader, data)
    for name in table.column_names:
        if len(name) > LONGEST_NAME:
            text = f"the name of column '{shortened(name)}' has {len(name):,} characters"
            raise InputError(f"{text}; rename it to at most {LONGEST_NAME:,}.")
    if long is None:
        table, without = without_columns(table, assigned, data.without, all_known=whole)
        refuse_one_left(without, len(assigned.columns("human")), len(assigned.columns("system")))
    else:
        without = long.without
    assigned.relabel(source.how)
    scores = [name for part in ("human", "system", "run") for name in assigned.columns(part)]
    data = with_labels_found(data, table, scores)
    labels = {"labels": data.labels, "unordered": data.unordered, "missing": data.missing}
    settings = settings.model_copy(update={"data": settings.data.model_copy(update=labels)})
    role_rules.baseline_first(assigned, settings.data)
    if table.num_rows == 0:
        raise InputError(NO_ROWS)
    memory.release_unused()
    table, reader, copies = _distinct(table, assigned, reader, named=settings.privacy.show_response_ids)
    memory.release_unused()
    besides = SourceFacts(
        source=reader.source(table.num_rows), roles=long.roles.summary() if long else (),
        left_out=tuple(long.left_out.items()) if long else (), ratings=long.ratings if long else None,
        without=without, systems=assigned.columns("system"), read_by=foreign,
        notes=(*source.notes, *copies, *(long.warnings if long else ())),
    )  # fmt: skip
    loaded = Loaded(table, assigned, reader, long, settings, besides)
    if whole and not (data.ratings_only or assigned.columns("system")):
        _refuse_undeclared(loaded)
    return loaded


@overload
def _prepared(loaded: Loaded, system: str) -> ScoreTable: ...
@overload
def _prepared(loaded: Loaded, system: None) -> RatingTable: ...
def _prepared(loaded: Loaded, system: str | None) -> RatingTable:
    """Return the prepared scores of one system; ratings only without an engine."""
    table, reader, long, settings = loaded.table, loaded.reader, loaded.long, loaded.settings
    roles = loaded.roles if system is None else loaded.roles.of_system(system)
    screened = screening.screen(table, roles, settings)
    design = Design(None, "unordered")
    if system is not None:
        design = long.design if long else screening.designed(screened.counts, roles, settings)
        if design.record and not long:
            roles = roles.of_record(design.record)
            screened = screening.screen(table, roles, settings)
        elif design.interchangeable:
            screened = screening.screen(table, roles, settings, interchangeable=True)
    screening.refuse_unusable(screened.counts, roles, settings, reader.place)
    kept = screened.screening.kept
    own, human = screened.system.numbers[kept], screened.human[kept]
    groups = {name: arrow.encode(table[name], name) for name in roles.columns("group")}
    for name, coded in groups.items():
        role_rules.refuse_long_label(name, max(map(len, coded.labels), default=0))
    levels = {name: len(coded.labels) for name, coded in groups.items()}
    arrow.refuse_many_levels(levels, settings.statistics.max_levels)
    shared = shared_scores((*roles.columns("system"), *roles.columns("human")), (own, *human.T)[system is None :])
    if long:  # IDs identify raters, so two raters are not one column
        shared = {pair: found for pair, found in shared.items() if system in pair}
    counted = Counted(screened.counts, human, None, shared)
    item_scores, item_notes = screening.scores_of_items(table, roles, screened, reader) if system else (None, [])
    besides = replace(loaded.besides, design=design)
    own_groups = {name: arrow.levels(coded, kept) for name, coded in groups.items()}
    raters = long.rater_ids.of(kept) if long else named_raters(table, roles, kept)
    ids = roles.columns("id")
    ratings: dict[str, Any] = dict(
        **vars(account_of(counted, roles, reader.place, settings, besides, item_notes)),
        human=human,
        groups=arrow.with_intersections(own_groups, settings.data.intersections),
        candidates=screened.candidates[kept] if screened.candidates is not None else None,
        ids=arrow.as_text(table[ids[0]], ids[0]).filter(arrow.mask_to_arrow(kept)).combine_chunks() if ids else None,
        rows=Rows(kept, ~screened.unflagged),
        items=_items(table, roles, kept, own_groups, settings),
    )
    if system is None:
        if any(map(roles.columns, WEIGHTS)):
            raise SettingsError("--weight: raters-only reports are not weighted; remove it.")
        columns = np.where(np.isfinite(human), np.arange(human.shape[1], dtype=np.int32), np.int32(-1))
        return RatingTable(**ratings, rater_ids=raters or RaterIds(columns, roles.columns("human")))
    unused = unused_numbers(reader, roles) if not long and screening.is_unscored(screened).any() else None
    return ScoreTable(
        **ratings, rater_ids=raters, system=own, runs=screening.further_runs(table, roles, screened, settings),
        item_scores=item_scores, length=lengths(table, roles, kept),
        weights=sample_weights(table, roles, kept, human, reader),
        unscored=screening.unscored(screened, unused), ratings_alone=screening.ratings_alone(screened),
        to_read=responses_to_read(table, roles, screened, reader) if settings.reading.read else None,
    )  # fmt: skip


def _items(table: Any, roles: ColumnRoles, kept: Mask, groups: Mapping[str, Coded], settings: Settings) -> Coded | None:
    """Return the items of the responses that count, if they are known and not too many."""
    name = column_names.item_column(roles.columns("item"), roles.columns("group"), settings.data.item)
    if name is None or name in groups:
        return None if name is None else groups[name]
    counted = arrow.as_text(table[name], name).filter(arrow.mask_to_arrow(kept))
    if pc.count_distinct(counted, mode="all").as_py() > settings.statistics.max_levels:
        return None
    return arrow.levels(arrow.encode(counted), np.ones(len(counted), np.bool_))


def _distinct(table: Any, roles: ColumnRoles, reader: Reader, *, named: bool) -> tuple[Any, Reader, tuple[str, ...]]:
    """Return a table without rows that repeat an ID and all values, and a note; prompt for what other repeats are."""
    for column in roles.columns("id"):
        ids = arrow.as_text(table[column], column)
        surplus = len(ids) - pc.count_distinct(ids, mode="all").as_py()
        if not surplus:
            continue
        rows = first_of_copies([fingerprints(arrow.as_text(table[name], name), name) for name in table.column_names])
        if len(rows) == len(ids) - surplus:
            places = [reader.place(int(row)) for row in rows]
            own = TableReader(table.take(pa.array(rows)), reader.source(len(ids)), place=places.__getitem__)
            note = f"{many(surplus, 'row repeats', 'rows repeat')} the ID and scores of an earlier row, counted once"
            return own.look(table.column_names), own, (note,)
        ask_about_repeats(reader, roles, column, repeats_in(ids, column, surplus, reader, named=named))
    return table, reader, () if roles.columns("id") else notes_on_copies(reader)


def resolved(settings: Settings, scores: Account, file: Path | tuple[Path, ...] | None = None) -> Settings:
    """Return `settings` with every role as it was found, so that they reproduce the run."""
    wide = scores.ratings is None
    data = spelled(scores.columns, settings)
    data |= dict.fromkeys(("rater", "score", "time", "run"))
    data["ratings_only"] = not scores.systems
    if wide:
        out = scores.without
        data["record"] = ANY if scores.design.interchangeable else settings.data.record
        for part, more in (("human", out.columns), ("rater_ids", out.rater_ids), ("rating_times", out.times)):
            data[part] = (*data[part], *more)
    else:
        data |= {"layout": "long", **dict.fromkeys(("runs", "rater_ids", "rating_times"))}
        parts = {"rater": "rater", "score": "score", "time": "time", "run": RUN}
        data |= {part: _one(scores.columns(role)) for part, role in parts.items()}
        data["systems"] = scores.systems if len(scores.systems) > 1 else None
        data["human"] = settings.data.human  # raters, as the user named them; their ratings are packed into columns
    if len(scores.scale.labels) > 2 or not scores.scale.ordered:
        data |= {"labels": scores.scale.labels or None, "unordered": not scores.scale.ordered}
    if scores.read_by:  # the reader detects its columns again
        data |= {"format": scores.read_by, "layout": None, "score": settings.data.score}
        if not scores.scale.assumed and not scores.scale.labels:
            data["scale"] = scores.scale
        data |= {} if wide else dict.fromkeys(("id", "rater", "time", "run"))
    return override(settings, **data, **({"file": file} if file is not None else {}))


def spelled(columns: Callable[[str], tuple[str, ...]], settings: Settings) -> dict[str, Any]:
    """Return the settings that assign every column of a file of responses its role."""
    data: dict[str, Any] = {role: _one(columns(role)) for role in ("system", *role_rules.SINGLE) if role != "text"}
    data |= {role: "" for role in ("id", "candidate", "item") if getattr(settings.data, role) == ""}
    data |= {"layout": "wide", "systems": None, "baseline": None, "groups": columns("group"), "human": columns("human")}
    return data | {"runs": columns("run"), "rater_ids": columns("rater"), "rating_times": columns("time")}


def _one(columns: Sequence[str]) -> str | None:
    return next(iter(columns), None)


def all_resolved(
    settings: Settings, tables: Sequence[Account], file: Path | tuple[Path, ...] | None = None
) -> Settings:
    """Return `settings` with every role as it was found, so that they reproduce the run for all systems of a file."""
    found = resolved(settings, tables[0], file)
    if len(tables) == 1:
        return found
    return override(found, system=None, systems=[table.columns("system")[0] for table in tables], runs=None)


def responses_to_read(table: Any, roles: ColumnRoles, screened: screening.Screened, reader: Reader) -> ResponsesToRead:
    """Return the responses that count, and those that people scored and the system did not."""
    bare = screened.unflagged & np.isfinite(screened.human).any(axis=1) & ~np.isfinite(screened.system.numbers)
    here = screened.screening.kept | bare
    rows = np.flatnonzero(here)

    def cells(name: str) -> Any:
        return arrow.as_text(table[name], name).filter(arrow.mask_to_arrow(here))

    def texts(name: str) -> list[str]:
        return [value or "" for value in cells(name).to_pylist()]

    system = np.where(np.isfinite(screened.system.numbers), screened.system.numbers, np.nan)[rows]
    given = texts(screened.system.name)
    answers = tuple(text.strip() if missing else "" for text, missing in zip(given, np.isnan(system), strict=True))
    ids = roles.columns("id")
    column = roles.columns("text")
    return ResponsesToRead(
        tuple(texts(ids[0])) if ids else tuple(f"row {reader.place(int(row))}" for row in rows),
        tuple(texts(column[0])) if column else (),
        np.where(np.isfinite(screened.human), screened.human, np.nan)[rows],
        system,
        answers,
        tuple(map(is_refusal, answers)),
        {name: arrow.encode(cells(name), name) for name in roles.columns("group")},
    )


def sample_weights(table: Any, roles: ColumnRoles, kept: Mask, human: Floats, reader: Reader) -> SampleWeights | None:
    """Return the weights of the responses that count, all above 0; None without weights."""
    weights = []
    needed = np.ones(len(human), np.bool_), np.isfinite(human).sum(axis=1) > 1
    for role, here in zip(WEIGHTS, needed, strict=True):
        weight = np.ones(len(human))
        for name in roles.columns(role):
            numbers = arrow.as_numbers(table[name], name)[kept]
            wrong = np.flatnonzero(here & ~((numbers > 0) & np.isfinite(numbers)))
            if wrong.size:
                row = reader.place(int(np.flatnonzero(kept)[wrong[0]]))
                text = f"column '{name}' has no weight above 0 for {many(len(wrong), 'response')} (first: row {row})"
                raise InputError(f"{text}; correct the weights, or remove --{role.replace('_', '-')}.")
            weight[here] = numbers[here] / numbers[here].max(initial=0.0)  # so that their sum is finite
        weights.append(weight)
    alike = all(len(np.unique(each[here])) < 2 for each, here in zip(weights, needed, strict=True))
    return None if alike else SampleWeights(*weights)


def unused_numbers(reader: Reader, roles: ColumnRoles) -> dict[str, Floats]:
    """Return the columns of numbers that are neither scores nor IDs, such as the confidence of the engine."""
    every = profiles_of(reader.head)
    unused = [every[name] for name in (*roles.left_out, *roles.columns("length")) if name in every]
    table = reader.load([each.name for each in unused if each.is_readable and each.is_numeric and not each.is_id_like])
    return {name: arrow.as_numbers(table[name], name) for name in table.column_names}


def lengths(table: Any, roles: ColumnRoles, kept: Mask) -> Floats | None:
    """Return (n,) lengths of the responses that count, from a column of numbers or texts; NaN if unknown."""
    for name in roles.columns("length"):
        numbers = arrow.as_numbers(table[name], name)[kept]
        numbers[~np.isfinite(numbers)] = np.nan
        if np.isfinite(numbers).any():
            return numbers
        texts = pc.utf8_trim_whitespace(arrow.as_text(table[name], name))
        counted = arrow.to_numpy(pc.utf8_length(texts), np.float64, np.nan)[kept]
        if not counted.any():
            raise InputError(f"length column '{name}' is blank; expected lengths or response texts.")
        counted[counted == 0] = np.nan
        return counted
    return None
