"""Scores in: files and frames read, column roles found, responses screened."""

from reportgen.scores.databases import Query
from reportgen.scores.fetched import Fetched
from reportgen.scores.files import SUFFIXES, paths_of, sha256_of
from reportgen.scores.items import ItemRows, Items, open_items
from reportgen.scores.reading import read, read_columns, read_systems
from reportgen.scores.size import MANY_ROWS, is_large
from reportgen.scores.spelled_out import all_resolved, resolved
from reportgen.scores.table import Account, Coded, Exclusion, Outputs, RaterIds, Ratings, Rows, ScoreTable, Training

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
