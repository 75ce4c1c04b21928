"""Scores in: files and frames read, column roles found, responses screened."""

from reportgen.scores.reading import read, resolved
from reportgen.scores.table import Coded, Exclusion, ScoreTable, Training

__all__ = ["Coded", "Exclusion", "ScoreTable", "Training", "read", "resolved"]
