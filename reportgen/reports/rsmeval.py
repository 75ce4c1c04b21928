"""An rsmeval configuration in, RSMTool's folders out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen import sections
from reportgen.reports.single import Outcome, provenance_of, refuse_early, report_of, write_files
from reportgen.scores import read
from reportgen.storing.report_folder import Writing


def evaluate_rsmeval(source: Path | Mapping[str, Any], given: Mapping[str, Any], writing: Writing) -> Outcome:
    """Evaluate what an rsmeval configuration names, and write RSMTool's folders.

    source: The configuration: a JSON file, or what it says.
    given: Settings that win over the configuration, by keyword.
    writing: Tables go into the folder ``output`` of its folder, pages and results.json into ``report``.
    """
    from reportgen import rsmtool
    from reportgen.evaluation import evaluate, tally_screened

    run = rsmtool.load_run(source, given)
    settings, folder, force = run.settings, writing.folder, writing.force
    refuse_early(settings)
    if folder is not None:
        rsmtool.check(folder, force)
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = run.prepared(read(run.predictions, settings))
    settings = rsmtool.spelled_out(settings, scores, run)
    tallied = tally_screened(scores, settings)
    private = settings.privacy.peer_tables
    of_peer = tallied if private or not tallied.withheld.least else tally_screened(scores, settings, withhold=False)
    made = evaluate(scores, settings, provenance_of(settings, writing.command), tallied)
    if folder is None:
        return Outcome(report_of(made, scores, settings, chosen), None, scores)
    with rsmtool.staged(folder, run, force) as stage:
        output, pages = stage / rsmtool.OUTPUT, stage / rsmtool.REPORT
        rsmtool.write_output(run, scores, of_peer, output, private=private)
        if not writing.tables_only:
            chosen = rsmtool.with_notebooks(chosen, run.order, rsmtool.of_rsmeval(run, output), output, writing.kernel)
        report = report_of(made, scores, settings, chosen)
        home = folder / rsmtool.REPORT
        writing = replace(writing, prefix=run.prefix, home=home)
        failed = write_files(report, pages, settings, writing, chosen=chosen, config=True)
    return Outcome(report, home, scores, failed, run.prefix)
