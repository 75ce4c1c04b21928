"""Sources with the responses to many items, read in batches, with the scale of each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.design.readings import BY_CONTENTS
from reportgen.design.roles import refuse_long_label, values_of
from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.results import Role, Scale
from reportgen.scores import screening
from reportgen.scores.items import roles_of_parts
from reportgen.scores.reading import Opened
from reportgen.scores.scale import BETWEEN, NO_SCALE, NO_SCORE
from reportgen.settings import Settings
from reportgen.sources import columns as arrow
from reportgen.sources.columns import Floats
from reportgen.sources.digests import Rows
from reportgen.sources.files import paths_of
from reportgen.sources.readers import open_reader
from reportgen.sources.tabular import Reader

UNIT_SEPARATOR = "\x1f"  # separates the name of an item from a level within it in a label; neither contains it

BATCH_ROWS = 1 << 18

Codes = NDArray[np.integer]

Labelled = tuple[Codes, Sequence[str]]  # codes and labels of every row


@dataclass(frozen=True)
class ItemSource:
    """A source with the responses to many items: the columns to read, and how to screen its rows.

    reader, roles, left_out: The open files, the columns of each role, and why other columns have none.
    by, system, human, groups: Columns of the item, engine scores, human scores, and groups.
    scales: Item -> its scale; an item without one raises an error.  None if items do not have separate scales.
    """

    reader: Reader
    roles: tuple[Role, ...]
    left_out: tuple[tuple[str, str], ...]
    by: tuple[str, ...]
    system: str
    human: tuple[str, ...]
    groups: tuple[str, ...]
    scale: Scale | None  # the declared scale of every item, if any; human scores outside it raise an error
    scales: Mapping[str, Scale] | None
    zeros_out: bool  # whether a human score of 0 counts as missing
    id: str  # column of IDs that are compared within items; empty for none

    def limits_of(self, items: Labelled) -> tuple[Any, Any]:
        """Return the lowest and highest human score of each item, (rows,) each, or single limits for all items."""
        if self.scales is None:
            return (self.scale.low, self.scale.high) if self.scale else (-np.inf, np.inf)
        own = [self.scales.get(label) for label in items[1]]
        low = np.array([each.low if each else np.inf for each in own])[items[0]]
        return low, np.array([each.high if each else -np.inf for each in own])[items[0]]


def open_item_source(
    source: Any, settings: Settings, scales: Mapping[str, Scale] | None = None, status: Silent | None = None
) -> ItemSource:
    """Open the files of a source; all rows are used to find the columns' roles.

    scales: Item -> its declared scale, if items have separate scales.
    status: Receives the number of rows read while finding roles.
    """
    if paths_of(source) is None:
        raise SettingsError("tables of items are made of files; write the frame to a Parquet file first.")
    reader = open_reader(source, settings.data.encoding)
    if not reader.in_batches:
        raise InputError("tables of items are made of CSV, TSV and Parquet files; convert it, or use reportgen batch.")
    if not reader.head.num_rows:
        raise InputError("the file has no rows below its header; expected one row per response.")
    first = Opened(reader, settings).laid_out()
    if first.long is not None:
        raise SettingsError("ratings in rows cannot be read here; write one row per response, or use reportgen batch.")
    settings = first.settings
    roles = roles_of_parts(reader, settings, status or Silent())
    id_column = next((column for column, how in roles.parts.get("id", ()) if how != BY_CONTENTS), "")
    system, human, groups = roles.columns("system")[0], roles.columns("human"), roles.columns("group")
    for name in dict.fromkeys((*settings.data.by, *groups, system, *human, *filter(None, (id_column,)))):
        arrow.as_text(reader.head[name], name)  # raises for other types before anything is counted
    return ItemSource(
        reader, roles.summary(), tuple(roles.left_out.items()), settings.data.by, system, human, groups,
        settings.data.scale, scales, screening.excludes_zeros(settings), id_column,
    )  # fmt: skip


class Refusal(NamedTuple):
    """A score that cannot be evaluated: its row in the batch (or piece), and the message."""

    row: int
    reason: str


@dataclass(frozen=True)
class ScreenedBatch:
    """A batch of responses that count, and why others do not.

    human, system: (kept, raters), (kept,): scores.
    items, groups: Codes and labels of the rows kept.
    rated: (raters + 1,): number of responses that each human score column rates, and that any of them rates.
    alone: (m, raters), (m,): responses with two or more ratings and no engine score, and the codes of their items in
        `all_items`; None if not requested.
    """

    human: Floats
    system: Floats
    items: Labelled
    groups: Mapping[str, Labelled]
    all_items: Labelled  # codes and labels of all rows
    excluded: dict[str, NDArray[np.intp]]  # reason -> excluded rows; all rules, in order
    refused: dict[str, Refusal]  # item -> its first score that cannot be evaluated; rows with these scores are not kept
    ids: Rows | None = None  # the IDs of all rows, with their items; None if not requested
    rated: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    alone: tuple[Floats, Codes] | None = None

    def at(self, rows: NDArray[np.intp]) -> ScreenedBatch:
        """Return only some of the rows kept."""
        groups = {name: (codes[rows], labels) for name, (codes, labels) in self.groups.items()}
        used, codes = np.unique(self.items[0][rows], return_inverse=True)
        items = codes, [self.items[1][code] for code in used.tolist()]
        return ScreenedBatch(self.human[rows], self.system[rows], items, groups, items, {}, {})


def unscreened_batches(source: ItemSource) -> Iterator[Any]:
    """Yield all rows in batches for `screened`."""
    texts = list(dict.fromkeys((*source.by, *source.groups)))
    numbers = [name for name in dict.fromkeys((source.system, *source.human)) if name not in texts]
    ids = [source.id] if source.id and source.id not in (*texts, *numbers) else []
    for _, table in source.reader.batches([*texts, *numbers, *ids], texts, BATCH_ROWS):
        yield from table.combine_chunks().to_batches()


def ids_in_items(source: ItemSource) -> Iterator[Rows]:
    """Yield the IDs of all rows within their items, batch by batch."""
    names = tuple(dict.fromkeys((source.id, *source.by)))
    for _, table in source.reader.batches(names, source.by, BATCH_ROWS):
        for batch in table.combine_chunks().to_batches():
            yield _ids(batch, _items(batch, source.by), source)


def _ids(batch: Any, items: Labelled, source: ItemSource) -> Rows:
    units = pa.DictionaryArray.from_arrays(arrow.whole_to_arrow(items[0]), arrow.texts_to_arrow(items[1]))
    return Rows(arrow.labelled(batch.column(source.id), whole=False), units)


def screened(batch: Any, source: ItemSource) -> ScreenedBatch:
    """Return the rows of a batch that count; the others are excluded in the same order as in `read`."""
    steps = screening.Screening(np.ones(batch.num_rows, bool))
    items = _items(batch, source.by)
    low, high = source.limits_of(items)
    zeros_out = source.zeros_out & (low <= high)
    first, system = screening.numbers_in(batch, source.human[0]), screening.numbers_in(batch, source.system)
    screening.screen_scores(steps, first, "human", zeros_out)
    screening.screen_scores(steps, system, "system", exclude_zeros=False)
    kept = steps.kept.copy()
    human = np.empty((len(source.human), batch.num_rows))
    human[0] = first.numbers
    for rater, name in enumerate(source.human[1:], start=1):
        human[rater] = screening.usable(arrow.as_numbers(batch[name], name), zeros_out)
    usable = np.isfinite(human)
    usable[0] &= ~(zeros_out & (first.numbers == 0))
    rated = np.append(usable.sum(axis=1), usable.any(axis=0).sum())
    apart = np.flatnonzero(np.isnan(system.numbers) & (usable.sum(axis=0) > 1) & ~kept)
    alone = np.where(usable[:, apart], human[:, apart], np.nan).T, items[0][apart]
    limits = {name: (np.maximum(low, -screening.LARGEST), np.minimum(high, screening.LARGEST)) for name in source.human}
    limits[source.system] = -screening.LARGEST, screening.LARGEST
    engine = system.numbers
    refused = _refused({source.system: engine, **dict(zip(source.human, human, strict=True))}, kept, items, limits)
    groups = {name: values_of(pa.chunked_array([batch.column(name)]), name) for name in source.groups}
    for name, (_, labels) in groups.items():
        refuse_long_label(name, max(map(len, labels), default=0))
    every = items
    if not kept.all():
        rows = np.flatnonzero(kept)
        human, engine, items = human[:, rows], engine[rows], (items[0][rows], items[1])
        groups = {name: arrow.Coded(codes[rows], labels) for name, (codes, labels) in groups.items()}
    ids = _ids(batch, every, source) if source.id else None
    return ScreenedBatch(human.T, engine, items, groups, every, steps.excluded, refused, ids, rated, alone)


def _refused(
    scores: Mapping[str, Floats], kept: NDArray[np.bool_], items: Labelled, limits: Mapping[str, tuple[Any, Any]]
) -> dict[str, Refusal]:
    """Return the items with scores outside `limits` (per column, for all rows or each), and drop their rows."""
    found: dict[str, Refusal] = {}
    wrong = np.zeros(len(kept), bool)
    for name, values in scores.items():
        low, high = limits[name]
        out = kept & ((values < low) | (values > high))
        if not out.any():
            continue
        wrong |= out
        rows = np.flatnonzero(out)
        codes, first = np.unique(items[0][rows], return_index=True)
        ends = [np.broadcast_to(end, len(kept)) for end in (low, high)]
        for code, row in zip(codes.tolist(), rows[first].tolist(), strict=True):
            item = items[1][code]
            if item not in found or row < found[item].row:
                found[item] = Refusal(row, _score_error(name, *(float(each[row]) for each in (values, *ends))))
    kept[wrong] = False
    return found


def _score_error(name: str, score: float, low: float, high: float) -> str:
    """Return the error for a score that is not from `low` to `high`."""
    if low > high:
        return NO_SCALE
    if abs(score) > screening.LARGEST or (low, high) == (-screening.LARGEST, screening.LARGEST):
        return screening.absurd_score_error(name, score)
    start = f"column '{name}' contains the score {score:g}, outside the declared scale {low:g} to {high:g}; "
    return f"{start}correct it, or declare the scale that scores are on{'' if score else NO_SCORE}"


def _named_items(batch: Any, name: str, by: Sequence[str]) -> Labelled:
    """Return the codes and labels of one item column; raise if a name contains the separator."""
    codes, labels = values_of(pa.chunked_array([batch.column(name)]), name)
    for sign in (UNIT_SEPARATOR, *[BETWEEN] * (len(by) > 1)):
        for label in labels:
            if sign in label:
                text = f"column '{name}' contains {label!r}: {sign!r} stands between the parts of names here; "
                raise InputError(f"{text}expected values without it.")
    return codes, labels


def _items(batch: Any, by: Sequence[str]) -> Labelled:
    codes, labels = _named_items(batch, by[0], by)
    for name in by[1:]:
        more, further = _named_items(batch, name, by)
        used, codes = np.unique(codes.astype(np.int64) * len(further) + more, return_inverse=True)
        labels = [f"{labels[code // len(further)]}{BETWEEN}{further[code % len(further)]}" for code in used.tolist()]
    return codes, labels
