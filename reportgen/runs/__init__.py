"""Finished runs, of reportgen or of RSMTool: read from their folders into one form."""

from reportgen.runs.ids import positions_of
from reportgen.runs.model import Confusion, Place, Rows, Run
from reportgen.runs.opening import open_folder, open_folders, refuse_same_names, refuse_scales
from reportgen.runs.ours import run_of_scores

__all__ = [
    "Confusion",
    "Place",
    "Rows",
    "Run",
    "open_folder",
    "open_folders",
    "positions_of",
    "refuse_same_names",
    "refuse_scales",
    "run_of_scores",
]
