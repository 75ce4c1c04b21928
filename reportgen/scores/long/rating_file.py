"""The columns of a file of ratings as codes and numbers, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.scores.long.layout import LongColumns
from reportgen.scores.long.pivot import MOST_RATINGS, NOBODY, Rows
from reportgen.sources.bridge import integers_to_arrow
from reportgen.sources.columns import Coded, Floats, as_text, encode
from reportgen.sources.tabular import Place, Reader
from reportgen.sources.written import read_scores
from reportgen.wording.names import natural


@dataclass(frozen=True)
class RatingFile:
    """A file of ratings.

    Parameters
    ----------
    table, reader, roles
        Its columns, where they came from, which of them says what.
    responses, raters
        Which response each row is about, and whose rating it holds.
    numbers, texts
        The scores as numbers, NaN where there is none, and as they stand there.
    filled
        Where there is a score at all.
    """

    table: Any
    reader: Reader
    roles: LongColumns
    responses: Coded
    raters: Coded
    numbers: Floats
    texts: Any
    filled: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Any, reader: Reader, roles: LongColumns, labels: Sequence[str] | None = None) -> RatingFile:
        """Return the file of a table whose scores are numbers, or words that `labels` declare.

        Raises
        ------
        InputError
            It has no rows, or a row names no response.
        """
        if table.num_rows == 0:
            raise InputError("the file has no rows below its header; expected one row per rating.")
        score = table[roles.score]
        file = cls(
            table, reader, roles, trimmed(table, roles.id), trimmed(table, roles.rater),
            read_scores(score, roles.score, labels).numbers, as_text(score, roles.score).combine_chunks(),
            filled(trimmed(table, roles.score)),
        )  # fmt: skip
        nameless = ~filled(file.responses)
        if nameless.any():
            row = file.row(int(np.flatnonzero(nameless)[0]))
            raise InputError(f"row {row}: column '{roles.id}' is blank; expected the response's id.")
        return file

    def row(self, index: int) -> Place:
        """Return the row of the file, as people count, that holds a rating."""
        return self.reader.place(index)

    def ranked_raters(self) -> Coded:
        """Return the raters as codes in the order of their names, so that the order of rows is in nothing."""
        order = sorted(range(len(self.raters.labels)), key=lambda code: natural(self.raters.labels[code]))
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return Coded(rank[self.raters.codes], tuple(self.raters.labels[code] for code in order))

    def by(self, raters: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows are by one of the named raters."""
        found: NDArray[np.bool_] = np.isin(np.array(self.raters.labels, object), np.array(list(raters), object))
        return found[self.raters.codes]

    def scores(self, rows: Rows) -> Any:
        """Return the scores in the given rows as they stand there, null where there is no row."""
        return taken(self.texts, rows)

    def worst(self, table: Rows, whose: str = "") -> InputError:
        """Return the error for more ratings of one response than there can be."""
        counts = (table >= 0).sum(axis=1)
        response = int(counts.argmax())
        return InputError(
            f"the response in row {self.row(int(table[response].max()))} has {int(counts[response]):,} ratings{whose}, "
            f"expected {MOST_RATINGS} at most; check that '{self.roles.id}' names responses, or type --id NAME."
        )


def trimmed(table: Any, name: str) -> Coded:
    """Return a column as codes, white space around its texts taken away."""
    return encode(pc.utf8_trim_whitespace(as_text(table[name], name)), name)


def filled(coded: Coded) -> NDArray[np.bool_]:
    """Return where a column says anything."""
    has_text = np.array([bool(label) for label in coded.labels], dtype=np.bool_)
    found: NDArray[np.bool_] = has_text[coded.codes] if len(has_text) else np.zeros(len(coded.codes), np.bool_)
    return found


def taken(column: Any, rows: Rows) -> Any:
    """Return a column's values in the given rows, null where the row is `NOBODY`."""
    return column.take(integers_to_arrow(np.where(rows == NOBODY, 0, rows), rows != NOBODY))
