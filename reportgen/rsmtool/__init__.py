"""Drop-in for RSMTool: its configurations in, its folder layout and tables out, cell for cell.

Names of files, rows and columns here are RSMTool's (Apache-2.0, Educational Testing Service), so
that what reads its output reads ours.
"""

from reportgen.rsmtool.config import answers_rsmeval, tool_of, tool_of_file
from reportgen.rsmtool.layout import OUTPUT, REPORT, check, staged, with_notebooks, write_output
from reportgen.rsmtool.run import PeerRun, load_run, of_rsmeval, spelled_out

__all__ = [
    "OUTPUT",
    "REPORT",
    "PeerRun",
    "answers_rsmeval",
    "check",
    "load_run",
    "of_rsmeval",
    "spelled_out",
    "staged",
    "tool_of",
    "tool_of_file",
    "with_notebooks",
    "write_output",
]
