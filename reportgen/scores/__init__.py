"""Scores in: files and frames read, column roles found, responses screened."""

from reportgen.scores.items import ItemRows, Items, open_items
from reportgen.scores.reading import read, read_columns, read_systems
from reportgen.scores.spelled_out import all_resolved, resolved
from reportgen.scores.table import Account, Exclusion, Outputs, RaterIds, Ratings, Rows, ScoreTable, Training
from reportgen.sources.columns import Coded
from reportgen.sources.databases import Query
from reportgen.sources.fetched import Fetched
from reportgen.sources.files import SUFFIXES, paths_of, sha256_of
from reportgen.sources.size import MANY_ROWS, is_large

__all__ = [
    "MANY_ROWS",
    "SUFFIXES",
    "Account",
    "Coded",
    "Exclusion",
    "Fetched",
    "ItemRows",
    "Items",
    "Outputs",
    "Query",
    "RaterIds",
    "Ratings",
    "Rows",
    "ScoreTable",
    "Training",
    "all_resolved",
    "is_large",
    "open_items",
    "paths_of",
    "read",
    "read_columns",
    "read_systems",
    "resolved",
    "sha256_of",
]
