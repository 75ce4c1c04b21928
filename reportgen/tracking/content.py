"""What a tracker is told about a report: settings, numbers, tables and files; never the score of one response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.results import Report, Table
from reportgen.rsmtool.layout import BY_GROUP, WHOLE
from reportgen.runs.peer_files import Experiment
from reportgen.runs.peer_numbers import number
from reportgen.storing.report_folder import OWN_FILES
from reportgen.wording.vocabulary import english

PEER_METRICS = ("consistency", "eval_short", "true_score_eval")
"""Tables of rsmeval whose numbers it logs one by one."""

PEER_ROWS = (
    *("pred_processed", "test_metadata", "test_other_columns", "test_human_scores", "test_excluded_responses"),
    "test_responses_with_excluded_flags",
)
"""Tables of rsmeval with one row per response: they stay here."""

Lines = tuple[list[str], list[list[Any]]]
"""Header and rows of a table."""


@dataclass(frozen=True)
class Content:
    """What is told.

    Parameters
    ----------
    title, kind, sha256
        Name of the report, what it is about, and the hash of its data.
    settings
        Dotted key -> value, as in a configuration.
    metrics
        Name -> number.
    tables
        Name -> header and rows.
    files
        Path in the report -> file.
    """

    title: str
    kind: str
    sha256: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, float]
    tables: Mapping[str, Lines]
    files: Mapping[str, Path]


def content_of(report: Report, folder: Path | None, prefix: str = "") -> Content:
    """Return what is told about a report in `folder`, whose pages' names begin with `prefix`."""
    tables = {f"tables/{table.key}": english().file(table).flat() for table in report.evaluation.tables.values()}
    metrics = dict(_metrics(report))
    if folder is not None and prefix:
        peer = Experiment(folder.parent, prefix.removesuffix("_"), "rsmeval", {})
        tables |= {f"rsmeval/{name}": lines for name, lines in _peer_tables(peer)}
        metrics |= dict(_peer_metrics(peer))
    return Content(
        title=report.title,
        kind=report.evaluation.kind,
        sha256=report.evaluation.source.sha256,
        settings=dict(_flat(report.evaluation.settings)),
        metrics=metrics,
        tables=tables,
        files=_files(folder, prefix, list(report.evaluation.tables.values())) if folder is not None else {},
    )


def _metrics(report: Report) -> Iterator[tuple[str, float]]:
    """Yield every headline number with its limits, and how many criteria are met."""
    for key, estimate in report.evaluation.estimates.items():
        for name, value in ((key, estimate.value), (f"{key}.low", estimate.low), (f"{key}.high", estimate.high)):
            if value is not None:
                yield name, float(value)
        yield f"{key}.n", float(estimate.n)
    for outcome, times in Counter(check.outcome for check in report.evaluation.checks).items():
        yield f"criteria.{outcome.replace(' ', '_')}", float(times)


def _peer_metrics(peer: Experiment) -> Iterator[tuple[str, float]]:
    """Yield the numbers that rsmeval logs, under its names: tool, table, column, and row where there are several."""
    for name in PEER_METRICS:
        for row in peer.table(name):
            index, *cells = row.items()
            for column, cell in cells:
                value = number(cell)
                if value:  # rsmeval leaves out 0, too
                    yield f"rsmeval/{name}.{column}" + (f".{index[1]}" if index[1] not in ("", "0") else ""), value


def _peer_tables(peer: Experiment) -> Iterator[tuple[str, Lines]]:
    """Yield rsmeval's tables about all responses and about groups."""
    groups = [name for start in BY_GROUP for name in peer.names(f"{start}_by_")]
    for name in dict.fromkeys((*WHOLE, *groups)):
        rows = [] if name in PEER_ROWS else peer.table(name)
        if rows:
            yield name, (list(rows[0]), [list(row.values()) for row in rows])


def _files(folder: Path, prefix: str, tables: list[Table]) -> dict[str, Path]:
    """Return the files of a report: its own, and no other in the folder."""
    names = [f"{prefix}{name}" for name in OWN_FILES] + [f"tables/{table.file_name}" for table in tables]
    return {name: folder / name for name in names if (folder / name).is_file()}


def _flat(settings: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting under its dotted key."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{start}{key}.")
        elif value is not None:
            yield f"{start}{key}", value
