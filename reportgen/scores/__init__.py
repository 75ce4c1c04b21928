"""Read files and frames, find the column roles, and screen the responses."""

from reportgen.scores.reading import all_resolved, read, read_columns, read_systems, read_tables, resolved
from reportgen.scores.table import Account, Exclusion, RatingTable, ScoreTable
from reportgen.sources.columns import Coded
from reportgen.sources.databases import Query
from reportgen.sources.files import SUFFIXES, paths_of, sha256_of

__all__ = [
    "SUFFIXES", "Account", "Coded", "Exclusion", "Query", "RatingTable",
    "ScoreTable", "all_resolved", "paths_of", "read", "read_columns", "read_systems", "read_tables",
    "resolved", "sha256_of",
]  # fmt: skip
