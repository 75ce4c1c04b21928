"""Files of scores read batch by batch for many items: screened as `reportgen.scores.read` screens, kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.results import Role, Source, SourceFile
from reportgen.scores.batches import flat
from reportgen.scores.bridge import into_numpy, mask_to_arrow, to_numpy
from reportgen.scores.byte_ranges import ByteRange, byte_ranges
from reportgen.scores.columns import NO_INFO, as_numbers, as_text, is_blank
from reportgen.scores.files import called, parts_of, paths_of, sha256_of_files
from reportgen.scores.items import roles_of_parts
from reportgen.scores.parquet import ParquetReader
from reportgen.scores.preparation import LARGEST
from reportgen.scores.readers import refuse_unreadable
from reportgen.scores.screening import excludes_zeros
from reportgen.scores.table import Floats
from reportgen.scores.tabular import TableReader, file_source
from reportgen.settings import Settings

BATCH_ROWS = 1 << 18

BETWEEN = " · "
"""What stands between the values of several columns that name an item."""

Codes = NDArray[np.integer]
Labelled = tuple[Codes, list[str]]


@dataclass(frozen=True)
class RowGroups:
    """Row groups of one Parquet file, one after the other."""

    path: Path
    numbers: tuple[int, ...]
    rows: int

    def batches(self, texts: Sequence[str], numbers: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow record batches; `texts` as codes where they are text."""
        try:
            with pq.ParquetFile(self.path, read_dictionary=flat(self.path, texts)) as file:
                yield from file.iter_batches(BATCH_ROWS, columns=[*texts, *numbers], row_groups=list(self.numbers))
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"not a readable Parquet file: {' '.join(str(error).split())[:200]}.") from None


@dataclass(frozen=True)
class Wanted:
    """Which columns are read, and how their rows are screened; can be sent to another process.

    Parameters
    ----------
    by, system, human, groups
        Columns that name the item, of engine scores, of human scores and of groups.
    zeros_out
        Whether a human score of 0 counts as none.
    """

    by: tuple[str, ...]
    system: str
    human: tuple[str, ...]
    groups: tuple[str, ...]
    zeros_out: bool


@dataclass(frozen=True)
class ItemSource:
    """Files that hold the responses to many items.

    Parameters
    ----------
    source, roles
        Where the scores come from (rows are not counted yet), and which column plays which part.
    parts
        Ranges of rows, each of which can be read by itself.
    wanted
        What is read of them.
    left_out
        (column, reason) of columns that play no part.
    """

    source: Source
    roles: tuple[Role, ...]
    parts: tuple[RowGroups | ByteRange, ...]
    wanted: Wanted
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Screened:
    """A batch of responses that count, and of those that do not why.

    Parameters
    ----------
    human, system
        (kept, raters), (kept,): scores.
    items, groups
        Codes and labels, of the rows that are kept.
    all_items
        Codes and labels of all rows.
    excluded
        Reason -> rows left out for it.
    """

    human: Floats
    system: Floats
    items: Labelled
    groups: dict[str, Labelled]
    all_items: Labelled
    excluded: dict[str, NDArray[np.intp]]


def open_item_source(source: Any, settings: Settings) -> ItemSource:
    """Return the files of a source, cut into parts; columns find their parts on the first rows.

    Raises
    ------
    InputError, SettingsError
        A file cannot be read, its format cannot be read in batches, or the columns of scores cannot be told.
    """
    paths = paths_of(source)
    if paths is None:
        raise SettingsError("tables of items are made of files; write the frame to a Parquet file first.")
    several = parts_of(paths)
    files = [part.path for part in several.files] if several else [paths if isinstance(paths, Path) else paths[0]]
    if several and any(part.columns for part in several.files):
        raise SettingsError("tables of items: folders named like grade=6 are not read here; name the files themselves.")
    opened = [_opened(path, settings, called(paths) if several else str(path)) for path in files]
    (head, _), *_ = opened
    if not head.table.num_rows:
        raise InputError(f"{files[0].name}: the file has no rows below its header; expected one row per response.")
    roles, left_out, wanted = _roles(head, settings)
    for path, (other, _) in zip(files, opened, strict=True):
        missing = [
            name for name in (*wanted.by, wanted.system, *wanted.human, *wanted.groups) if name not in other.names
        ]
        if missing:
            raise InputError(f"{path.name}: there is no column '{missing[0]}', which other files of the source have.")
    sources = [file_source(path, 0, path.suffix.lower()[1:]) for path in files]
    whole = sources[0]
    if len(sources) > 1:
        whole = Source(
            several.name if several else "", sha256_of_files(each.sha256 for each in sources),
            sum(each.bytes for each in sources), 0, sources[0].format,
            tuple(SourceFile(each.name, each.sha256, each.bytes, 0) for each in sources),
        )  # fmt: skip
    return ItemSource(whole, roles, tuple(chain.from_iterable(parts for _, parts in opened)), wanted, left_out)


@dataclass(frozen=True)
class _Head:
    """The first rows of a file, and the names of its columns."""

    table: Any
    names: tuple[str, ...]


def _opened(path: Path, settings: Settings, name: str) -> tuple[_Head, list[RowGroups | ByteRange]]:
    """Return the first rows of a file and its parts."""
    try:
        refuse_unreadable(path)
        if path.suffix.lower() == ".parquet":
            head = ParquetReader(path).head
            metadata = pq.read_metadata(path)
            rows = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
            groups: list[RowGroups | ByteRange] = [
                RowGroups(path, (number,), size) for number, size in enumerate(rows) if size
            ]
            return _Head(head, tuple(head.schema.names)), groups
        if path.suffix.lower() in (".csv", ".tsv"):
            ranges = byte_ranges(path, settings.data.encoding)
            batches = list(ranges[0].batches(ranges[0].names))
            table = (
                pa.Table.from_batches(batches)
                if batches
                else pa.table({name: [""] for name in ranges[0].names}).slice(1)
            )
            return _Head(table, ranges[0].names), list(ranges)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    raise InputError(
        f"{name}: tables of items are made of CSV, TSV and Parquet files; convert it, or use reportgen batch."
    )


def _roles(head: _Head, settings: Settings) -> tuple[tuple[Role, ...], tuple[tuple[str, str], ...], Wanted]:
    """Return the parts of columns, as the first rows tell them."""
    reader = TableReader(head.table, Source("", "", 0, 0, ""), 1)
    cast = roles_of_parts(reader, settings)
    wanted = Wanted(
        settings.data.by,
        cast.columns("system")[0],
        cast.columns("human"),
        cast.columns("group"),
        excludes_zeros(settings),
    )
    return cast.roles(), tuple(cast.left_out.items()), wanted


def reasons(name: str, title: str) -> tuple[str, str, str, str]:
    """Return why a score leaves its response out: it is blank, no number, infinite, 0; in the order of the rules."""
    return (
        f"no {title} score in '{name}'",
        f"the {title} score in '{name}' is not a number",
        f"the {title} score in '{name}' is infinite",
        f"the {title} score in '{name}' is 0",
    )


def all_reasons(wanted: Wanted) -> tuple[str, ...]:
    """Return every reason to leave a response out, in the order of the rules."""
    return (*reasons(wanted.human[0], "human"), *reasons(wanted.system, "system"))


def screened_batches(part: RowGroups | ByteRange, wanted: Wanted) -> Iterator[Screened]:
    """Yield the responses of a part of a file, screened.

    Raises
    ------
    InputError
        The part cannot be read, or holds a score that no scale has.
    """
    texts = list(dict.fromkeys((*wanted.by, *wanted.groups)))
    numbers = list(dict.fromkeys((wanted.system, *wanted.human)))
    try:
        if isinstance(part, ByteRange):
            numbers, texts = [], [*texts, *numbers]
        for batch in part.batches(texts, numbers):
            yield _screened(batch, wanted)
    except InputError as error:
        raise InputError(f"{part.path.name}: {error}") from None


def _screened(batch: Any, wanted: Wanted) -> Screened:
    """Return the rows of a batch that count; the others are left out in the order of `read`."""
    kept = np.ones(batch.num_rows, bool)
    excluded: dict[str, NDArray[np.intp]] = {}

    def exclude(out: NDArray[np.bool_], reason: str) -> None:
        rows = np.flatnonzero(kept & out)
        if rows.size:
            excluded[reason] = rows
            kept[rows] = False

    scores = {}
    for name, title, zeros in ((wanted.human[0], "human", wanted.zeros_out), (wanted.system, "system", False)):
        scores[name] = values = _numbers(batch.column(name), name)
        if not np.isfinite(values).all():
            missing = np.isnan(values)
            blank = missing.copy()
            blank[missing] = is_blank(batch.column(name).filter(mask_to_arrow(missing)), name)
            for out, reason in zip((blank, missing & ~blank, np.isinf(values)), reasons(name, title), strict=False):
                exclude(out, reason)
        if zeros:
            exclude(values == 0, reasons(name, title)[-1])
    human = np.empty((len(wanted.human), batch.num_rows))
    human[0] = scores[wanted.human[0]]
    for rater, name in enumerate(wanted.human[1:], start=1):
        human[rater] = _numbers(batch.column(name), name)
        human[rater][np.isinf(human[rater])] = np.nan
        if wanted.zeros_out:
            human[rater][human[rater] == 0] = np.nan
    system = scores[wanted.system]
    items = _items(batch, wanted.by)
    groups = {name: _coded(batch.column(name), name) for name in wanted.groups}
    every = items
    if not kept.all():
        rows = np.flatnonzero(kept)
        human, system, items = human[:, rows], system[rows], (items[0][rows], items[1])
        groups = {name: (codes[rows], labels) for name, (codes, labels) in groups.items()}
    for name, values in ((wanted.system, system), *zip(wanted.human, human, strict=True)):
        with np.errstate(invalid="ignore"):
            absurd = np.abs(values) > LARGEST
        if absurd.any():
            raise InputError(
                f"column '{name}' holds the score {values[absurd][0]:g}; expected scores within {LARGEST:,.0f} of 0; "
                "correct it, or name another column."
            )
    return Screened(human.T, system, items, groups, every, excluded)


def _numbers(column: Any, name: str) -> Floats:
    """Return a column as numbers, nan where there is none."""
    if pa.types.is_integer(column.type) or (pa.types.is_floating(column.type) and column.type.bit_width >= 32):
        values = np.empty(len(column))
        into_numpy(column, values, np.nan)
        return values
    return as_numbers(pa.chunked_array([column]), name)


def _coded(column: Any, name: str) -> Labelled:
    """Return codes and labels; white space around labels is taken away, blank ones are named."""
    if pa.types.is_nested(column.type):
        column = as_text(pa.chunked_array([column]), name)  # says what is expected
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    texts = as_text(pa.chunked_array([column.dictionary]), name).to_pylist()
    labels = [(text or "").strip() or NO_INFO for text in texts]
    codes = to_numpy(column.indices, np.int32, len(labels))
    return codes, [*labels, NO_INFO] if column.null_count else labels


def _items(batch: Any, by: Sequence[str]) -> Labelled:
    """Return the item of each row: the values of its columns together."""
    codes, labels = _coded(batch.column(by[0]), by[0])
    for name in by[1:]:
        more, further = _coded(batch.column(name), name)
        used, codes = np.unique(codes.astype(np.int64) * len(further) + more, return_inverse=True)
        labels = [f"{labels[code // len(further)]}{BETWEEN}{further[code % len(further)]}" for code in used.tolist()]
    return codes, labels
