"""Finished runs, of reportgen or of RSMTool: read from their folders into one form."""

from reportgen.runs.columns import (
    runs_counted_on_shared,
    runs_of_columns,
    runs_of_counts,
    runs_of_tables,
    runs_on_shared,
)
from reportgen.runs.configurations import Asked, read_comparison, read_summary
from reportgen.runs.ids import positions_of
from reportgen.runs.model import Confusion, CountedRows, NumberPlace, Run, RunRows
from reportgen.runs.opening import open_folder, open_folders, refuse_same_names, refuse_scales
from reportgen.runs.ours import run_of_report, run_of_scores
from reportgen.runs.peer_files import Experiment

__all__ = [
    "Asked",
    "Confusion",
    "CountedRows",
    "Experiment",
    "NumberPlace",
    "Run",
    "RunRows",
    "open_folder",
    "open_folders",
    "positions_of",
    "read_comparison",
    "read_summary",
    "refuse_same_names",
    "refuse_scales",
    "run_of_report",
    "run_of_scores",
    "runs_counted_on_shared",
    "runs_of_columns",
    "runs_of_counts",
    "runs_of_tables",
    "runs_on_shared",
]
