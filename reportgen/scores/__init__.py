"""Scores in: files and frames read, column roles found, responses screened."""

from typing import TYPE_CHECKING, Any

from reportgen.scores.reading import all_resolved, read, read_columns, read_systems, read_tables, resolved
from reportgen.scores.table import (
    Account,
    Exclusion,
    Outputs,
    RaterIds,
    Ratings,
    RatingTable,
    Rows,
    ScoreTable,
    Training,
)
from reportgen.sources.columns import Coded
from reportgen.sources.files import SUFFIXES, paths_of, sha256_of

if TYPE_CHECKING:
    from reportgen.sources.databases import Query

__all__ = [
    "SUFFIXES",
    "Account",
    "Coded",
    "Exclusion",
    "Outputs",
    "Query",
    "RaterIds",
    "RatingTable",
    "Ratings",
    "Rows",
    "ScoreTable",
    "Training",
    "all_resolved",
    "paths_of",
    "read",
    "read_columns",
    "read_systems",
    "read_tables",
    "resolved",
    "sha256_of",
]


def __getattr__(name: str) -> Any:
    """Return `Query`, which few need: databases are not imported for files."""
    if name == "Query":
        from reportgen.sources.databases import Query

        return Query
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
