"""Finished runs, of reportgen or of RSMTool: read from their folders into one form."""

from reportgen.runs.configurations import (
    Asked,
    open_folder,
    open_folders,
    read_comparison,
    read_summary,
    refuse_same_names,
    refuse_scales,
)
from reportgen.runs.model import Confusion, CountedRows, NumberPlace, Run, RunRows, positions_of
from reportgen.runs.ours import (
    run_of_report,
    run_of_scores,
    runs_counted_on_shared,
    runs_of_columns,
    runs_of_counts,
    runs_of_tables,
    runs_on_shared,
)
from reportgen.runs.peers import Experiment

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
