"""The row-level tables of an rsmeval run: one row per response, as Arrow tables.

Cells of columns that play no part are the file's own text, letter for letter, but for truth values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.evaluation.preparation import Preparation
from reportgen.scores import ScoreTable
from reportgen.sources.bridge import floats_to_arrow, integers_to_arrow, mask_to_arrow
from reportgen.sources.columns import NO_INFO, as_numbers

ID, FIRST, SECOND, RAW, CANDIDATE = "spkitemid", "sc1", "sc2", "raw", "candidate"
RESERVED = (ID, FIRST, SECOND, "length", RAW, CANDIDATE)
"""The names RSMTool gives to columns by the part they play."""

_TRUTH = {word: word.title() for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
"""How files spell truth values -> how RSMTool writes them."""


@dataclass(frozen=True)
class RowTable:
    """A table with one row per response: its name, and an Arrow table."""

    name: str
    data: Any


def row_tables(scores: ScoreTable, source: Any, preparation: Preparation, candidate: str | None) -> list[RowTable]:
    """Return every row-level table; those without rows are left out.

    Parameters
    ----------
    scores
        Prepared scores.
    source
        Every column of their file as an Arrow table of strings, all rows.
    preparation
        How system scores are rescaled and trimmed.
    candidate
        The column of candidates, if any; may be that of the ids.
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
    tables = [RowTable("pred_processed", predictions), RowTable("test_metadata", metadata)]
    elsewhere = {*predictions.schema.names, *metadata.schema.names}
    if len(scores.raters) > 1:
        tables.append(RowTable("test_human_scores", _human_scores(scores, kept[ID])))
        elsewhere.add(SECOND)
    others = [name for name in kept.schema.names if name not in elsewhere]
    tables.append(RowTable("test_other_columns", kept.select([ID, *others])))
    tables.append(RowTable("test_excluded_responses", _excluded(given, ~(scores.rows.kept | scores.rows.flagged))))
    flagged = given.filter(mask_to_arrow(scores.rows.flagged))
    tables.append(RowTable("test_responses_with_excluded_flags", flagged))
    return [table for table in tables if table.data.num_rows]


def candidate_count(tables: Iterable[RowTable]) -> int | None:
    """Return the number of distinct candidates, blank as one of them; None without a column of candidates."""
    metadata = next(table.data for table in tables if table.name == "test_metadata")
    if CANDIDATE not in metadata.schema.names:
        return None
    return int(pc.count_distinct(metadata[CANDIDATE], mode="all").as_py())


def new_names(columns: Iterable[str], scores: ScoreTable, candidate: str | None) -> dict[str, str]:
    """Return for each column of the file the name RSMTool gives it.

    Columns that play a part get its name; other columns of a reserved name are put between ``##``.
    """
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
    """Return a column of truth values as "True" and "False", however the file spells them; any other as it is."""
    for part in (column.slice(0, 100), column):
        spelled = set(pc.unique(part).to_pylist()) - {None, ""}
        if not spelled or not spelled <= set(_TRUTH):
            return column
    found = pc.index_in(column, value_set=pa.array(list(_TRUTH)))
    return pc.coalesce(pc.take(pa.array(list(_TRUTH.values())), found), column)


def _with_levels(source: Any, groups: Iterable[str]) -> Any:
    """Return the columns with blank subgroup cells filled in."""
    for group in groups:
        blank = pc.equal(pc.binary_length(pc.fill_null(pc.utf8_trim_whitespace(source[group]), "")), 0)
        filled = pc.if_else(blank, NO_INFO, source[group])
        source = source.set_column(source.schema.names.index(group), group, filled)
    return source


def _predictions(scores: ScoreTable, preparation: Preparation, ids: Any) -> Any:
    """Return the first human score and every type of the system score; rounded ones are integers."""
    columns: dict[str, Any] = {ID: ids, FIRST: floats_to_arrow(scores.human[:, 0])}
    for family, system in preparation.families(scores.system).items():
        trimmed = np.clip(system, *preparation.bounds)
        columns[family] = floats_to_arrow(system)
        columns[f"{family}_trim"] = floats_to_arrow(trimmed)
        rounded = np.rint(trimmed).astype(np.int64)
        columns[f"{family}_trim_round"] = integers_to_arrow(rounded, np.ones(len(rounded), dtype=np.bool_))
    return pa.table(columns)


def _human_scores(scores: ScoreTable, ids: Any) -> Any:
    """Return both human scores; the second is blank where there is none."""
    first, second = (floats_to_arrow(scores.human[:, rater]) for rater in (0, 1))
    return pa.table({ID: ids, FIRST: first, SECOND: second})


def _excluded(given: Any, out: NDArray[np.bool_]) -> Any:
    """Return the excluded responses, the id first; what is no number is blank."""
    excluded = given.filter(mask_to_arrow(out))
    numbers: Mapping[str, Any] = {name: floats_to_arrow(as_numbers(excluded[name])) for name in (FIRST, RAW)}
    others = [name for name in excluded.schema.names if name != ID]
    return pa.table({ID: excluded[ID], **{name: numbers.get(name, excluded[name]) for name in others}})
