"""Write tables as files with RSMTool's names and formats, including those with a row for every response."""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import OutputError
from reportgen.evaluation.points import Preparation
from reportgen.rsmtool.tables import PeerTable
from reportgen.scores import ScoreTable
from reportgen.sources.columns import NO_INFO, as_numbers, floats_to_arrow, integers_to_arrow, mask_to_arrow

ID, FIRST, SECOND, RAW, CANDIDATE = "spkitemid", "sc1", "sc2", "raw", "candidate"
RESERVED = (ID, FIRST, SECOND, "length", RAW, CANDIDATE)  # the names that RSMTool gives to columns by role

SUFFIXES = (".csv", ".tsv", ".xlsx")  # suffixes of table names, by ``file_format``

_TRUTH = {word: word.title() for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
"""How RSMTool writes each spelling of a boolean."""


def row_tables(scores: ScoreTable, source: Any, preparation: Preparation, candidate: str | None) -> dict[str, Any]:
    """Return every table with one row per response, by name, as Arrow tables; empty ones are omitted.

    scores: Prepared scores.
    source: Every column of their file as an Arrow table of strings, all rows.
    preparation: The rescaling and trimming of system scores.
    candidate: The candidate column, if any; it can be the ID column.
    """
    source = pa.table({name: _as_pandas_writes(source[name]) for name in source.schema.names})
    source = _with_levels(source, scores.columns("group"))
    names = new_names(source.schema.names, scores, candidate)
    given = pa.table({names[name]: source[name] for name in source.schema.names})
    if candidate is not None and candidate == scores.columns("id")[0]:
        given = given.append_column(CANDIDATE, given[ID])
    kept = given.filter(mask_to_arrow(scores.rows.kept))
    predictions = _predictions(scores, preparation, kept[ID])
    metadata = kept.select([ID, *scores.columns("group"), *([CANDIDATE] if candidate else [])])
    tables = {"pred_processed": predictions, "test_metadata": metadata}
    elsewhere = {*predictions.schema.names, *metadata.schema.names}
    if len(scores.raters) > 1:
        first, second = (floats_to_arrow(scores.human[:, rater]) for rater in (0, 1))
        tables["test_human_scores"] = pa.table({ID: kept[ID], FIRST: first, SECOND: second})
        elsewhere.add(SECOND)
    others = [name for name in kept.schema.names if name not in elsewhere]
    tables["test_other_columns"] = kept.select([ID, *others])
    tables["test_excluded_responses"] = _excluded(given, ~(scores.rows.kept | scores.rows.flagged))
    tables["test_responses_with_excluded_flags"] = given.filter(mask_to_arrow(scores.rows.flagged))
    return {name: table for name, table in tables.items() if table.num_rows}


def candidate_count(metadata: Any) -> int | None:
    """Count the distinct candidates, including blank as one; None without a candidate column."""
    if CANDIDATE not in metadata.schema.names:
        return None
    return int(pc.count_distinct(metadata[CANDIDATE], mode="all").as_py())


def new_names(columns: Iterable[str], scores: ScoreTable, candidate: str | None) -> dict[str, str]:
    """Map columns to their names in RSMTool: by role, or between ``##`` if the name is reserved."""
    parts = dict(zip(scores.raters[1:2], [SECOND], strict=False))
    parts |= {candidate: CANDIDATE} if candidate else {}
    parts |= {scores.columns("id")[0]: ID, scores.raters[0]: FIRST, scores.columns("system")[0]: RAW}
    kept = {*parts, *scores.columns("group")}
    columns = list(columns)
    names = {}
    for column in columns:
        name = parts.get(column, column)
        while column not in kept and (name in RESERVED or (name != column and name in columns)):
            name = f"##{name}##"
        names[column] = name
    return names


def _as_pandas_writes(column: Any) -> Any:
    """Return a boolean column as "True" and "False", whatever its spelling; other columns are unchanged."""
    for part in (column.slice(0, 100), column):
        spelled = set(pc.unique(part).to_pylist()) - {None, ""}
        if not spelled or not spelled <= set(_TRUTH):
            return column
    found = pc.index_in(column, value_set=pa.array(list(_TRUTH)))
    return pc.coalesce(pc.take(pa.array(list(_TRUTH.values())), found), column)


def _with_levels(source: Any, groups: Iterable[str]) -> Any:
    for group in groups:
        blank = pc.equal(pc.binary_length(pc.fill_null(pc.utf8_trim_whitespace(source[group]), "")), 0)
        filled = pc.if_else(blank, NO_INFO, source[group])
        source = source.set_column(source.schema.names.index(group), group, filled)
    return source


def _predictions(scores: ScoreTable, preparation: Preparation, ids: Any) -> Any:
    columns: dict[str, Any] = {ID: ids, FIRST: floats_to_arrow(scores.human[:, 0])}
    for family, system in preparation.families(scores.system).items():
        trimmed = np.clip(system, *preparation.bounds)
        columns[family] = floats_to_arrow(system)
        columns[f"{family}_trim"] = floats_to_arrow(trimmed)
        rounded = np.rint(trimmed).astype(np.int64)
        columns[f"{family}_trim_round"] = integers_to_arrow(rounded)
    return pa.table(columns)


def _excluded(given: Any, out: NDArray[np.bool_]) -> Any:
    excluded = given.filter(mask_to_arrow(out))
    numbers: Mapping[str, Any] = {name: floats_to_arrow(as_numbers(excluded[name])) for name in (FIRST, RAW)}
    others = [name for name in excluded.schema.names if name != ID]
    return pa.table({ID: excluded[ID], **{name: numbers.get(name, excluded[name]) for name in others}})


MOST_ROWS = 1_048_575  # most rows of a worksheet below its header

Line = Sequence[Any]

_BATCH = 65_536  # rows of a table to convert to Python objects at a time


def write_tables(
    tables: Iterable[PeerTable], folder: Path, experiment_id: str, kind: str, rows: Mapping[str, Any] | None = None
) -> None:
    """Write every table to ``folder/<id>_<name>.<kind>``, unrounded.

    Text is not changed, because programs join these files by IDs and levels.

    kind: csv, tsv, or xlsx.
    rows: Additional Arrow tables, by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = rows or {}
    if kind == "xlsx" and (long := [name for name, table in rows.items() if table.num_rows > MOST_ROWS]):
        raise OutputError(f"{long[0]} has more than {MOST_ROWS:,} rows; set file_format to csv or tsv.")
    lines = {name: _lines_of_rows(table) for name, table in rows.items()}
    for name, found in (lines | {table.name: _lines(table) for table in tables}).items():
        path = folder / f"{experiment_id}_{file_name(name)}.{kind}"
        if kind == "xlsx":
            _write_workbook(found, path)
            continue
        with path.open("w", encoding="utf-8", newline="") as file:  # floats keep their decimal point, as in 3.0
            csv.writer(file, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n").writerows(found)


def file_name(name: str) -> str:
    """Return a table name that is safe in a file name, because subgroups can have any name.

    >>> file_name("eval_by_L1"), file_name("eval_by_a/b")
    ('eval_by_L1', 'eval_by_a_b')
    """
    return re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", name)[:150]


def _write_workbook(lines: Iterable[Line], path: Path) -> None:
    """Write a table as the only sheet of a workbook; text stays text, even if it looks like a formula."""
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", value))
        made.data_type = "s"
        return made

    for line in lines:
        sheet.append([cell(value) for value in line])
    book.save(path)


def _lines(table: PeerTable) -> Iterator[Line]:
    named = table.index is not None
    yield ("", *table.columns) if named else table.columns
    for name, row in zip(table.index or table.rows, table.rows, strict=True):
        line = (name, *row) if named else row
        yield tuple(None if isinstance(cell, float) and math.isnan(cell) else cell for cell in line)


def _lines_of_rows(table: Any) -> Iterator[Line]:
    yield table.schema.names
    for batch in table.to_batches(_BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
