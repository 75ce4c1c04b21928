"""The folder of an rsmeval run: ``output`` with the tables, ``report`` with the pages.

Beside RSMTool's files the folder ``report`` holds ours: results.json and config.toml, named after the
experiment, and the folder of our tables, which carry the intervals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.errors import OutputError
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.rsmtool.composition import composition_tables
from reportgen.rsmtool.evaluation_tables import evaluation_tables
from reportgen.rsmtool.fields import PRIVATE
from reportgen.rsmtool.rows import RowTable, candidate_count, row_tables
from reportgen.rsmtool.run import PeerRun
from reportgen.rsmtool.table import PeerTable
from reportgen.rsmtool.write import write_tables
from reportgen.scores import ScoreTable, read_columns
from reportgen.storing import check_replaceable, replaced
from reportgen.storing.report_folder import check_writable

OUTPUT, REPORT = "output", "report"

WHOLE = (
    *("pred_processed", "test_metadata", "test_other_columns", "test_human_scores", "test_excluded_responses"),
    *("test_responses_with_excluded_flags", "test_excluded_composition", "data_composition", "true_score_eval"),
    *("eval", "eval_short", "consistency", "degradation", "disattenuated_correlations"),
    *("confMatrix", "confMatrix_h1h2", "score_dist"),
)
"""The tables about all responses."""

BY_GROUP = (
    *("data_composition", "eval", "consistency", "disattenuated_correlations"),
    *("estimates_osa", "estimates_osd", "estimates_csd", "fairness_metrics"),
)
"""The tables about each subgroup, whose names go on with ``_by_`` and the subgroup."""

ENDINGS = (".csv", ".tsv", ".xlsx")
"""What the names of tables end with, by ``file_format``."""


def check(folder: Path, force: bool = False) -> None:
    """Refuse a folder that cannot be written to, or whose ``output`` holds anything unless `force` is set.

    Raises
    ------
    OutputError
        The folder is refused.
    """
    check_writable(folder)
    check_replaceable(folder)
    _refuse(folder, force)


def _refuse(folder: Path, force: bool) -> None:
    """Refuse a folder whose ``output`` holds anything, or is none."""
    output = folder / OUTPUT
    if output.exists() and not output.is_dir():
        raise OutputError(f"'{output}' is a file; name another folder.")
    if output.is_dir() and any(output.iterdir()) and not force:
        raise OutputError(
            f"'{output}' is not empty; name another folder, or replace the experiment's own files with --force."
        )


@contextmanager
def staged(folder: Path, run: PeerRun, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `folder` when the block ends well; else it is deleted.

    With `force` the tables of an earlier run of the same experiment are replaced; all other files stay.

    Raises
    ------
    OutputError
        `folder` is refused (see `check`), or the disk refuses a file.
    """
    check(folder, force)
    folder = folder.absolute()
    with replaced(folder, lambda _, place: _is_own(place, run.id), lambda: _refuse(folder, force)) as new:
        yield new


def write_output(
    run: PeerRun, scores: ScoreTable, tallied: TalliedScores, folder: Path, *, private: bool = False
) -> None:
    """Write the folder ``output``: every table of RSMTool, and the configuration with its defaults.

    Parameters
    ----------
    private
        Leave out the tables that have a row for each response.
    """
    candidate = run.fields["candidate_column"]
    source = read_columns(run.predictions, run.settings.data.encoding)
    rows = row_tables(scores, source, tallied.preparation, candidate)
    tables: list[PeerTable | RowTable] = [
        *(() if private else rows),
        *composition_tables(scores, tallied, candidate_count(rows)),
        *evaluation_tables(tallied, fairness="fairness_analyses" in run.chosen),
    ]
    write_tables(tables, folder, run.id, run.format)
    text = json.dumps(_told(run.fields), indent=4, ensure_ascii=False)
    (folder / _configuration(run.id)).write_text(text + "\n", encoding="utf-8")


def _told(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration as RSMTool writes it: without our own field unless it is set."""
    return {name: value for name, value in fields.items() if name != PRIVATE or value}


def _configuration(experiment_id: str) -> str:
    """Return the name of the file that holds the configuration."""
    return f"{experiment_id}_rsmeval.json"


def _is_own(place: PurePosixPath, experiment_id: str) -> bool:
    """Return whether a file is a table that a run of the experiment writes, by its name."""
    prefix = f"{experiment_id}_"
    if place.parent.as_posix() != OUTPUT or place.suffix not in ENDINGS or not place.name.startswith(prefix):
        return False
    table = place.stem.removeprefix(prefix)
    return table in WHOLE or table.startswith(tuple(f"{name}_by_" for name in BY_GROUP))
