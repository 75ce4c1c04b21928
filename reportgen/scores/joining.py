"""Join human labels from a second file to the rows of the first by ID."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.profiles import Profile, profiles_of
from reportgen.design.ratings import long_columns, sides_of
from reportgen.design.readings import BY_NAME, LongColumns, choose
from reportgen.design.score_columns import humans_in
from reportgen.errors import InputError, SettingsError, listed, shortened
from reportgen.results import Source, SourceFile
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.columns import as_text, at_rows, encode, to_numpy
from reportgen.sources.files import sha256_of_files
from reportgen.sources.readers import about, open_reader
from reportgen.sources.tabular import Place, Reader, TableReader, repeats_error
from reportgen.wording.numbers import count, many

Rows = NDArray[np.int64]

NOWHERE = -1  # the row of an ID that the other file does not have


def with_labels(
    reader: Reader, data: DataSettings, asked: DataSettings, *, named: bool
) -> tuple[Reader, DataSettings, dict[str, str], tuple[str, ...]]:
    """Return a source with the labels of ``labels_file``, joined by ID; unchanged without such a file.

    Also returns its settings, how columns were found, and notes for the report.  In a file of engines' scores, one row
    each, ``human`` may name columns with one score per response: they are joined as if they came from a second file.

    IDs are equal if their texts are: ``007`` is not ``7``.  Whole numbers of a typed file have no ``.0``.

    reader: The first file.
    data, asked: The settings in force, and those that the user set.
    named: Whether errors may show IDs.
    """
    in_file = data.layout == "long" and {*(data.human or ())} <= {*reader.head.schema.names} and bool(data.human)
    if data.labels_file is None and not in_file:
        if data.labels_id is not None:
            raise SettingsError("--labels-id names a column of a labels file; name that file with --labels-file FILE.")
        return reader, data, {}, ()
    file, second = "the file", reader
    if data.labels_file is not None:
        if data.labels_file.is_dir():
            raise SettingsError(f"--labels-file: '{data.labels_file}' is a folder; give the labels file.")
        file = shortened(data.labels_file.name)
        with about(f"labels file {file}"):
            second = open_reader(data.labels_file, data.encoding)
        if (digest := second.source(0).sha256) and digest == reader.source(0).sha256:
            raise InputError(f"labels file {file} is the same as the score file; give the labels file.")
    own, other = id_columns(reader, second, data, file)
    ours, theirs = _layouts(reader, second, data, other)
    first = Side.of("the file of scores", reader, own, ours)
    labels = Side.of(file, second, other, theirs)
    labels = labels if data.labels_file else labels.of_responses(data.human or ())
    for side in (first, labels):
        refuse_repeated(side, named=named)
    notes = (*second.notes, *_matched(first, labels)) if data.labels_file else ()
    human = human_labels(labels, asked, set(first.table.schema.names))
    engines = [name for name in human if asked.human is None and column_names.names_engine(name)]
    if engines:
        raise InputError(f"labels file {file}: '{engines[0]}' looks like an engine; name the labels with --human NAME.")
    refuse_two_sources(first, labels, human, data, asked)
    new, name_notes = new_names(first, labels, human)
    whole, update = together(first, labels, human, new)
    given = asked.model_dump()
    if first.long is not None and asked.human is None:
        update["human"] = _people(first, labels, [new[name] for name in human], data)
    if asked.human is not None and "human" in update:
        beside = dict(zip(human, update["human"], strict=True))
        update["human"] = tuple(beside.get(name, name) for name in asked.human)
    how = {} if asked.human is not None else {new[name]: f"from {file}" for name in human}
    how |= {update[part]: BY_NAME for part in ("rater", "score", "time", "run") if update.get(part) and not given[part]}
    in_force = DataSettings.model_validate(data.model_dump(exclude_unset=True) | update)
    return whole, in_force, how, (*notes, *name_notes)


def _people(first: Side, labels: Side, columns: list[str], data: DataSettings) -> tuple[str, ...] | None:
    """Return the human raters of stacked ratings; None if a rater has no name, so that names or a question decide."""
    people = (*(data.human or _by_name(first, data)), *(columns or _by_name(labels, DataSettings())))
    return tuple(dict.fromkeys(people)) if all(people) else None


def _by_name(side: Side, data: DataSettings) -> tuple[str, ...]:
    assert side.long is not None
    return sides_of(encode(side.table[side.long.rater]).labels, side.others, side.long.rater, data).people


def _layouts(first: Reader, labels: Reader, data: DataSettings, id_column: str) -> tuple[DataSettings, DataSettings]:
    """Return the declared layout of each file: parts of ratings may be columns of the second file only."""
    names = first.head.schema.names
    own = {renamed(name, names): name for name in labels.head.schema.names}
    given = {part: getattr(data, part) for part in ("rater", "score", "time", "run")}
    theirs = {part: own[name] for part, name in given.items() if name not in names and name in own}
    if not theirs:
        return data, DataSettings(id=id_column, layout=None if data.labels_file else "wide")
    plain = data.model_copy(update={"layout": "wide", **dict.fromkeys(given)})
    return plain, DataSettings.model_validate({"id": id_column, "layout": "long", **theirs})


def _matched(first: Side, labels: Side) -> tuple[str, ...]:
    """Return how many labels matched a response, and how many responses have no label."""
    n, found = len(labels.ids), int(pc.sum(pc.is_in(labels.ids, value_set=first.known)).as_py() or 0)
    bare, lonely = _lonely(first, labels), _lonely(labels, first)
    near = len(set(map(_loosely, bare)) & set(map(_loosely, lonely)))
    unlike = "whitespace, capital letters, leading zeros, or '.0'"
    if not found:
        hint = f" ({near:,} would match without {unlike})" if near else ""
        why = f"no ID in column '{labels.id}' of {labels.name} matches an ID in column '{first.id}' of the scores{hint}"
        raise InputError(f"{why}; use the same IDs in both files, or name other columns with --id and --labels-id.")
    notes = [f"All {many(n, 'label')} from {labels.name} were matched to a response."]
    if found < n:
        alone = f"{many(n - found, 'is', 'are')} only in {labels.name}"
        notes = [f"{count(found)} of {many(n, 'label')} were matched to a response; {alone}."]
    if near:
        notes.append(f"{many(near, 'label')} would match if IDs had the same {unlike}; edit the IDs to join them.")
    nameless = first.ids.null_count
    if without := len(bare) + nameless:
        responses = many(len(first.known) + nameless, "response")
        notes.append(f"{count(without)} of {responses} {'has' if without == 1 else 'have'} no label.")
    return tuple(notes)


def _lonely(side: Side, other: Side) -> list[Any]:
    known = side.known
    return list(known.filter(pc.invert(pc.is_in(known, value_set=other.known))).to_pylist())


def _loosely(text: str) -> str:
    """Return an ID without what different programs add or drop: spaces, case, zeros in front, and ".0"."""
    return text.strip().casefold().removesuffix(".0").lstrip("0") or "0"


class LabelledReader(TableReader):
    """Two files as one source; places refer to the files.

    `ours` and `theirs`, (n,) each, are the rows in the first and second file, `NOWHERE` if only one file has the row.
    """

    def __init__(self, table: Any, ours: Rows, theirs: Rows, first: Side, labels: Side) -> None:
        def place(index: int) -> Place:
            if (row := int(ours[index])) != NOWHERE:
                return first.reader.place(row)
            return Place(labels.reader.place(int(theirs[index])).row, labels.name)

        own, other = (each.reader.source(each.table.num_rows) for each in (first, labels))
        files = (*(own.files or (_file(own),)), _file(other))
        digest, size = sha256_of_files(each.sha256 for each in files), own.bytes + other.bytes
        both = Source(f"{own.name} with {other.name}", digest, size, own.rows, own.format, files)
        super().__init__(table, own if first.reader is labels.reader else both, place=place)

    def source(self, rows: int) -> Source:
        """Return both files, with the rows of the first."""
        return super().source(self._source.rows if self._source else rows)


def together(
    first: Side, labels: Side, human: Sequence[str], new: Mapping[str, str]
) -> tuple[LabelledReader, dict[str, Any]]:
    """Return both files as one table, and its column roles as keys of the settings.

    A response keeps its rows whether it has a label or not; labels without a response are dropped.  Ratings are
    stacked, and a file's values for a response are repeated in each of its rows.

    human: The columns of human labels.
    new: Column of labels -> its name in the table.
    """
    n, beside, back = len(first.ids), first.rows_in(labels), labels.rows_in(first)
    found = np.flatnonzero(back != NOWHERE)
    more, rater = np.tile(found, 1 if labels.long else len(human)), np.arange(len(human))
    if first.long is not None:
        ours = np.concatenate([np.arange(n), np.full(len(more), NOWHERE)])
        theirs = np.concatenate([np.full(n, NOWHERE) if labels.long else beside, more])
    elif labels.long is not None:
        bare = np.flatnonzero(beside == NOWHERE)
        ours, theirs = np.concatenate([back[found], bare]), np.concatenate([found, np.full(len(bare), NOWHERE)])
    else:
        ours, theirs = np.arange(n), beside
    below = {*human, *(labels.long.all() if labels.long else ())} if first.long else set()

    def as_one(columns: Mapping[str, Any]) -> LabelledReader:
        return LabelledReader(pa.table(columns), ours, theirs, first, labels)

    columns = {name: at_rows(first.table[name], ours) for name in first.table.schema.names}
    columns |= {own: at_rows(labels.table[name], theirs) for name, own in new.items() if name not in below}
    if first.long is None and labels.long is None:
        return as_one(columns), {"id": first.id, "human": tuple(new[name] for name in human)}
    parts = ("rater", "score", "time", "run")
    if first.long is None:
        data = {part: new[name] for part in parts if (name := getattr(labels.long, part))}
        return as_one(columns), {"layout": "long", "id": first.id, **data}
    rows = np.where(ours == NOWHERE, theirs, NOWHERE)
    added = [(first.id, labels.ids, rows)]
    if labels.long is not None:
        pairs = [(getattr(first.long, part), getattr(labels.long, part)) for part in parts[:3]]
        added += [(own, as_text(labels.table[name], name), rows) for own, name in pairs if own and name]
    else:
        whose = np.concatenate([np.full(n, NOWHERE), np.repeat(rater, len(found))])
        scores = [chunk for name in human for chunk in _chunks(as_text(labels.table[name], name))]
        places = np.where(whose == NOWHERE, NOWHERE, whose * len(labels.ids) + rows)
        added.append((first.long.rater, pa.array([new[name] for name in human], pa.string()), whose))
        added.append((first.long.score, pa.chunked_array(scores, pa.string()), places))
    for own, texts, places in added:
        whole = as_text(columns[own], own), at_rows(texts, places)
        columns[own] = pc.coalesce(*(pa.chunked_array(_chunks(each), pa.string()).combine_chunks() for each in whole))
    data = {part: getattr(first.long, part) for part in ("id", *parts)}
    return as_one(columns), {"layout": "long", **data}


def _chunks(column: Any) -> list[Any]:
    return list(getattr(column, "chunks", [column]))


def _file(source: Source) -> SourceFile:
    return SourceFile(source.name, source.sha256, source.bytes, source.rows)


class Side(NamedTuple):
    """One of the two files.

    name, reader, table: Its name, its reader, all its rows.
    id, ids: Its ID column, and the IDs as text, null if blank.
    long: The roles of its columns if it has a row for each rating.
    """

    name: str
    reader: Reader
    table: Any
    id: str
    ids: Any
    long: LongColumns | None

    @classmethod
    def of(cls, name: str, reader: Reader, id_column: str, data: DataSettings) -> Side:
        """Read a whole file."""
        long = long_columns(reader, data)
        table = reader.load(reader.head.schema.names)
        text = as_text(table[id_column], id_column).combine_chunks()
        blank = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(text), ""), True)
        return cls(name, reader, table, id_column, pc.if_else(blank, None, text), long)

    def of_responses(self, names: Sequence[str]) -> Side:
        """Return the IDs and the named columns, one row per ID; raise if a column differs between rows of an ID."""
        codes = encode(pa.chunked_array([self.ids])).codes
        rows = np.sort(np.unique(codes, return_index=True)[1])
        for name in names:
            if len(np.unique(np.stack([codes, encode(self.table[name], name).codes]), axis=1).T) > len(rows):
                raise InputError(f"column '{name}' differs between rows with the same '{self.id}'; expected one score.")
        return self._replace(table=self.table.select([self.id, *names]).take(rows), ids=self.ids.take(rows))

    @property
    def others(self) -> list[str]:
        """All columns except the ID."""
        return [name for name in self.table.schema.names if name != self.id]

    @property
    def known(self) -> Any:
        """The distinct IDs."""
        return pc.unique(self.ids.drop_null())

    def rows_in(self, other: Side) -> NDArray[np.int64]:
        """Return for each row the first row of the other file with its ID, `NOWHERE` if there is none."""
        return to_numpy(pc.index_in(self.ids, value_set=other.ids, skip_nulls=True), np.int64, NOWHERE)


def id_columns(first: Reader, labels: Reader, data: DataSettings, file: str) -> tuple[str, str]:
    """Return the ID columns of both files."""
    ours, theirs = first.head.schema.names, labels.head.schema.names
    shared = [name for name in theirs if name in ours]
    own = data.id or column_names.first_of_long("id", shared)
    if own is None:
        both = f"the files share the columns {listed(shared)}; choose the ID with --id NAME."
        why = f"the files share no column, so {file} cannot be joined to the scores"
        raise SettingsError(both if shared else f"{why}; name the IDs with --id NAME and --labels-id NAME.")
    column_names.refuse_unknown([own], ours, "id column")
    other = data.labels_id or own
    if other not in theirs:
        text = f"{file} has no ID column '{other}'; specify its ID column with --labels-id"
        raise SettingsError(f"{text}, such as {listed(theirs)}.")
    return own, other


def refuse_repeated(side: Side, *, named: bool) -> None:
    """Raise if two rows have the same ID, unless rows are ratings; the error shows the ID only if `named`."""
    surplus = len(side.ids) - side.ids.null_count - len(side.known)
    if side.long is not None or not surplus:
        return
    problem = repeats_in(pa.chunked_array([side.ids]), side.id, surplus, side.reader, named=named)
    hint = "each label must belong to one row: make IDs unique, or name other columns with --id and --labels-id."
    raise InputError(f"{side.name}: {problem}; {hint}")


def repeats_in(ids: Any, column: str, n: int, reader: Reader, *, named: bool) -> str:
    """Return the sentence about the IDs of all rows, of which `n` repeat an earlier one; it shows one if `named`."""
    codes = encode(ids)
    first = int(np.flatnonzero(np.bincount(codes.codes) > 1)[0])
    rows = [reader.place(int(row)) for row in np.flatnonzero(codes.codes == first)[:2]]
    return repeats_error(column, n, codes.labels[first] if named else None, rows)


def human_labels(labels: Side, data: DataSettings, taken: set[str]) -> list[str]:
    """Return the columns of human labels, with their names in the label file, in the order of the raters.

    data: Settings of the user, who may use the names of the label file or of the joined table.
    taken: Columns of the first file.
    """
    if labels.long is not None:
        return []
    if data.human is not None:
        by_name = {new: name for name in labels.others for new in (renamed(name, taken), name)}
        scored = [new for new, name in by_name.items() if Profile(labels.table[name], name).has_scores]
        named = ([each] if each in by_name else column_names.matched(each, scored) for each in data.human)
        return list(dict.fromkeys(by_name[name] for those in named for name in those))
    free = {name: each for name, each in profiles_of(labels.table.select(labels.others)).items() if each.is_readable}
    found = list(humans_in(free, labels.others, engine_known=True))
    if not found and len(free) != 1:
        text = f"it is unclear which columns of {labels.name} contain the human labels (found {listed(list(free))}); "
        raise SettingsError(f"{text}name them with --human NAME.")
    return list(choose(found, f"which columns of {labels.name} contain the human labels?").value[0] if found else free)


def new_names(first: Side, labels: Side, human: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the name of each label column in the joined table, and notes about them.

    A column that repeats a column of the first file is excluded and has no name.  If the first file has a row for each
    rating, a column of human labels is a rater.
    """
    taken = set(first.table.schema.names)
    raters = set(encode(first.table[first.long.rater]).labels) if first.long else set()
    parts = {*human, *(labels.long.all() if labels.long else ())}
    beside = [name for name in labels.others if first.long is None or name not in parts]
    both = [name for name in beside if name in taken]
    same = [name for name in both if name not in parts and _agree(first, labels, name)]
    new = {name: renamed(name, taken if name in beside else raters) for name in labels.others if name not in same}
    notes = [f"Both files have {listed(same)}, with the same values."] if same else []
    text = "Both files have '{}'; the column in {} is renamed to '{}'."
    notes += [text.format(name, labels.name, new[name]) for name in both if name not in same]
    return new, tuple(notes)


def renamed(name: str, taken: Iterable[str]) -> str:
    """Return a name that the first file does not have.

    >>> renamed("score", {"id", "score"}), renamed("human", {"id", "score"})
    ('score (labels)', 'human')
    """
    while name in taken:
        name = f"{name} (labels)"
    return name


def refuse_two_sources(
    first: Side, labels: Side, human: Sequence[str], data: DataSettings, asked: DataSettings
) -> None:
    """Raise if both files contain human scores and the user did not name the ones that count."""
    if asked.human is not None or first.long is not None:
        return
    every = (Profile(first.table[name], name) for name in first.others if column_names.is_human_name(name))
    own = list(data.human or (each.name for each in every if each.is_readable and each.has_scores))
    if own:
        theirs = human or [labels.long.score if labels.long else labels.id]
        where = f"{listed(own)} in the score file, {listed(list(theirs))} in {labels.name}"
        raise SettingsError(f"both files contain human scores ({where}); choose columns with --human NAME.")


def _agree(first: Side, labels: Side, name: str) -> bool:
    if not all(Profile(side.table[name], name).is_readable for side in (first, labels)):
        return False
    own = at_rows(as_text(first.table[name], name), labels.rows_in(first))
    return bool(pc.all(pc.fill_null(pc.equal(own, as_text(labels.table[name], name)), True)).as_py())
