"""Scores in: files and frames read, column roles found, responses screened."""

from reportgen.scores.reading import read, read_columns, resolved
from reportgen.scores.table import Coded, Exclusion, Rows, ScoreTable, Training

__all__ = ["Coded", "Exclusion", "Rows", "ScoreTable", "Training", "read", "read_columns", "resolved"]
