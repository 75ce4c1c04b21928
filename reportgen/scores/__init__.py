"""Scores in: files and frames read, column roles found, responses screened."""

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
from reportgen.sources.databases import Query
from reportgen.sources.files import SUFFIXES, paths_of, sha256_of

__all__ = [
    "SUFFIXES", "Account", "Coded", "Exclusion", "Outputs", "Query", "RaterIds", "RatingTable", "Ratings", "Rows",
    "ScoreTable", "Training", "all_resolved", "paths_of", "read", "read_columns", "read_systems", "read_tables",
    "resolved", "sha256_of",
]  # fmt: skip
