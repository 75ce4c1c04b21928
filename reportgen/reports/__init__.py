"""What reportgen does with one report, as functions: evaluate scores, render a stored report, load or check one.

The command line and the Python API call the same ones.
"""

from reportgen.reports.citing import cite
from reportgen.reports.composing import make_report, provenance_of, section_results, versions_here
from reportgen.reports.evaluating import evaluate, refuse_early
from reportgen.reports.outcome import Outcome
from reportgen.reports.pages import look_of, write_pages, write_shared
from reportgen.reports.private_settings import with_settings
from reportgen.reports.rendering import render_report, stored_look
from reportgen.reports.rsmeval import evaluate_rsmeval
from reportgen.reports.source_kinds import is_judge_outputs, is_rsmtool
from reportgen.reports.stored_reports import check, load, results_of

__all__ = [
    "Outcome",
    "check",
    "cite",
    "evaluate",
    "evaluate_rsmeval",
    "is_judge_outputs",
    "is_rsmtool",
    "load",
    "look_of",
    "make_report",
    "provenance_of",
    "refuse_early",
    "render_report",
    "results_of",
    "section_results",
    "stored_look",
    "versions_here",
    "with_settings",
    "write_pages",
    "write_shared",
]
