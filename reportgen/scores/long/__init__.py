"""Files with one row per rating, as tables of responses."""

from reportgen.scores.long.layout import RUN, LongColumns, long_columns
from reportgen.scores.long.reader import LongReader

__all__ = ["RUN", "LongColumns", "LongReader", "long_columns"]
