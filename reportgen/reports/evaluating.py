"""Scores in, a folder with a report out: the story of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import sections
from reportgen.errors import SettingsError
from reportgen.reports.composing import make_report
from reportgen.reports.outcome import Outcome
from reportgen.reports.pages import look_of, write_pages
from reportgen.scores import Account, paths_of, read, resolved
from reportgen.settings import Settings, write_config
from reportgen.storing import results_file
from reportgen.storing.csv_tables import write_tables
from reportgen.storing.report_folder import staged
from reportgen.wording.vocabulary import english

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores


def evaluate(
    source: Any,
    folder: Path | None,
    settings: Settings,
    *,
    tables_only: bool = False,
    force: bool = False,
    kernel: str | None = None,
    command: str = "",
    scores: Account | None = None,
    tallied: TalliedScores | None = None,
    home: Path | None = None,
    above: bool = False,
) -> Outcome:
    """Read scores, evaluate them, and write the report.

    Parameters
    ----------
    source
        Path or paths of a data file, or a frame.
    folder
        Where to write; None computes and writes nothing.
    settings
        Resolved settings.
    tables_only
        Write results.json, tables and config.toml, and no pages.
    force
        Replace a report that is there.
    kernel
        Jupyter kernel that executes the notebook; None executes it in this process.
    command
        The command line, for the provenance section.
    scores
        What `source` holds, when it is read already.
    tallied
        The counted scores, when they are counted already.
    home
        Where the report is to be in the end, when that is not `folder`: paths in it are relative to this.
    above
        Whether what reports share stands in the folder that holds the report's.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be.
    """
    refuse_early(settings)
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = scores or read(source, settings)
    if not scores.systems and settings.report.sections is None:
        chosen = sections.load(None, settings.sections, "raters")
    if folder is not None and not tables_only and "pdf" in settings.report.formats:
        _refuse_costly_pages(scores, tallied)
    home = home or folder
    spelled_out = resolved(settings, scores, paths_of(source))
    report = make_report(scores, spelled_out, chosen, command, tallied)
    failed = {section.name for section in report.sections if section.error}
    if folder is None:
        return Outcome(report, None, scores, tuple(sorted(failed)))
    with staged(folder, force) as stage:
        results_file.write(report, stage / "results.json")
        write_tables(map(english().file, report.evaluation.tables.values()), stage / "tables")
        write_config(spelled_out, stage / "config.toml", home)
        if not tables_only:
            failed |= write_pages(report, stage, settings, kernel, chosen=chosen, above=above)
    return Outcome(report, folder, scores, tuple(sorted(failed)))


def _refuse_costly_pages(scores: Account, tallied: TalliedScores | None) -> None:
    """Raise when a PDF of so many groupings needs more memory than a run may take."""
    from reportgen.evaluation.outlay import refuse_costly_pages

    groups = tallied.groups if tallied is not None else getattr(scores, "groups", ())
    refuse_costly_pages(len(groups))


def refuse_early(settings: Settings) -> None:
    """Raise for settings that cannot be met, before anything is read.

    Raises
    ------
    SettingsError, TemplateError
        They are about finished runs, or name a format whose package, a folder of templates, a logo or a
        policy that is missing; or something in the policy is not right.
    """
    from reportgen import rendering
    from reportgen.policies import load_policy

    if settings.runs.kind is not None:
        verb = {"comparison": "compare", "summary": "summarize"}[settings.runs.kind]
        raise SettingsError(f"the configuration is about finished runs; type: reportgen {verb} CONFIG OUT_DIR")
    load_policy(settings.verdict.policy)
    rendering.check(look_of(settings), settings.report.formats)
