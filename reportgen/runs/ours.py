"""Read runs of reportgen from their folders, and make runs of the systems of one score file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.evaluation import Preparation, plan_of, preparation_of
from reportgen.evaluation.sampling import purpose_of
from reportgen.evaluation.statistics import DISCRETE_METRICS
from reportgen.results import Estimate, Evaluation, Report, Source
from reportgen.results.group_statistics import Statistics
from reportgen.runs.model import Confusion, CountedRows, NumberPlace, Run, RunRows
from reportgen.scores import Account, ScoreTable, read, read_systems, sha256_of
from reportgen.settings import Settings, load, override
from reportgen.sources.column_names import WILD
from reportgen.storing import RESULTS_FILE, results_file
from reportgen.wording.numbers import count

CONFIG = "config.toml"

FACTS = ("trim_low", "trim_high", "responses_kept", "min_n_per_group", "confidence_level")
"""Facts without which a run cannot be compared."""


def read_run(folder: Path) -> Run:
    """Read the reportgen run in a folder."""
    report = results_file.read(folder / RESULTS_FILE)
    evaluation = report.evaluation
    if evaluation.kind == "raters":
        raise InputError(f"'{folder}' is a raters-only report; choose reports that evaluate an engine.")
    if evaluation.kind != "evaluation":
        raise InputError(f"'{folder}' is a {evaluation.kind}, not an evaluation of one system; pass its runs instead.")
    missing = [key for key in FACTS if not isinstance(evaluation.facts.get(key), int | float)]
    if missing:
        raise InputError(
            f"'{folder / RESULTS_FILE}': facts.{missing[0]} is not a number; run `reportgen evaluate` again."
        )
    rows, reason = _rows(folder, evaluation.source)
    return run_of_report(report, folder.resolve().name, rows, reason)


def run_of_report(report: Report, name: str, rows: ScoreTable | None = None, no_rows: str = "") -> Run:
    """Convert the evaluation of one system to a run.

    report: The report with its numbers.
    name: Name of the run.
    rows: The scores if available; otherwise `no_rows` is the reason.
    """
    evaluation = report.evaluation
    bounds, design = (evaluation.facts["trim_low"], evaluation.facts["trim_high"]), evaluation.facts.get("design") or {}
    return Run(
        name=name,
        origin="reportgen",
        created=report.created,
        source=evaluation.source,
        scale=evaluation.scale,
        n=evaluation.facts["responses_kept"],
        raters=evaluation.raters,
        groups=evaluation.groups,
        score_types=evaluation.score_types,
        preparation=preparation_of(rows) if rows else Preparation(bounds, 0.0),
        rows=rows_of(rows) if rows else None,
        no_rows=no_rows,
        description=report.description or report.title,
        purpose=str(design.get("purpose") or ""),
        share=(design.get("required") or {}).get("share"),
        rater_error_variance=evaluation.facts.get("rater_error_variance_given"),
        stored=dict(_stored(evaluation)),
        stored_confusion=_confusion(evaluation),
        min_n=evaluation.facts["min_n_per_group"],
        level=evaluation.facts["confidence_level"],
        min_n_by_group=evaluation.facts.get("min_n_by_group") or {},
        verdict=evaluation.verdict,
        ratings_sha256=str(evaluation.facts.get("ratings_sha256") or ""),
    )


def run_of_scores(scores: Account, settings: Settings, counted: CountedRows | None = None) -> Run:
    """Convert prepared or counted scores to a run named after its system."""
    plan = plan_of(scores.raters, scores.scale, settings, preparation_of(scores))
    run = Run(
        **vars(plan),
        name=scores.columns("system")[0],
        origin="scores",
        created="",
        source=scores.source,
        n=scores.kept if counted is None else counted.n,
        groups=scores.columns("group"),
        score_types=(),
        rows=rows_of(scores) if isinstance(scores, ScoreTable) else None,
        counted=counted,
        purpose=purpose_of(scores),
    )
    return run if run.tallied is None else replace(run, score_types=tuple(form.type for form in run.tallied.forms))


def rows_of(scores: ScoreTable) -> RunRows:
    """Return the rows of a table of scores."""
    packed = scores.ratings is not None and not scores.ratings.by_rater
    return RunRows(
        scores.ids, scores.system, scores.human, dict(scores.groups), scores.candidates,
        scores.design.interchangeable, packed, scores.weights, None if scores.as_rsmtool else scores.ratings_alone,
    )  # fmt: skip


def _rows(folder: Path, source: Source) -> tuple[ScoreTable | None, str]:
    """Read the scores of a run again; return None and the reason if that is not possible."""
    config = folder / CONFIG
    if not config.is_file():
        return None, f"{CONFIG} does not exist"
    try:
        settings = load(config)
        file = settings.data.file
        if file is None:
            return None, f"{CONFIG} does not name a data file"
        if sha256_of(file, settings.data.labels_file) != source.sha256:
            return None, f"the data file {source.name} has changed since the run"
        return read(file, settings), ""
    except FileNotFoundError:
        return None, f"the data file {source.name} is not at the path in {CONFIG}"
    except (ReportgenError, OSError) as error:
        return None, f"the data file {source.name} cannot be read: {error}"


def _stored(evaluation: Evaluation) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield every saved number of a run with its place; headline numbers come last, so that they win."""
    known = Statistics(evaluation.statistics)
    for group in evaluation.statistics:
        for series in group.series:
            discrete = series.statistic.partition(".")[2] in DISCRETE_METRICS
            primary = evaluation.facts.get("primary_rounded" if discrete else "primary")
            for held in known.levels(series.statistic, series.score_type, group.column):
                place = NumberPlace(series.statistic, series.score_type, group.column, held.level)
                yield place, held.estimate
                if series.score_type in ("", primary):
                    yield place._replace(score=""), held.estimate
    for key, estimate in evaluation.estimates.items():
        if "." in key:  # the largest group difference has no separate place
            yield NumberPlace(key), estimate


def _confusion(evaluation: Evaluation) -> Confusion | None:
    table = evaluation.tables.get("confusion.system")
    if table is None or len(table.rows) != len(table.columns) - 2:
        return None
    known = dict(zip(evaluation.scale.labels, evaluation.scale.points(), strict=False))
    names = [column.label for column in table.columns[1:-1]]
    points = tuple(known[name] if name in known else float(name.replace("\N{MINUS SIGN}", "-")) for name in names)
    counts = [[int(cell) for cell in row.cells[1:-1] if isinstance(cell, int)] for row in table.rows]
    return Confusion(points, np.array(counts, np.int64))


SUBTRACTED = (
    "Each report decides separately which groups to withhold. The reports of single engines and their comparison use "
    "different responses, so a withheld group could be derived by subtracting one report from another."
)
"""What readers of all reports of one run can derive, for anyone who shares them."""


def runs_of_columns(source: Any, systems: Sequence[str], settings: Settings) -> tuple[list[Run], tuple[str, ...]]:
    """Return one run for each system of a file, on the responses that all of them scored, with notes.

    source: Path of a data file, or a frame.
    systems: Columns of system scores, or raters that are systems; the baseline first.
    settings: Declared settings of the data.
    """
    patterns = any(WILD.search(name) for name in systems)
    if len(systems) < 2 and not patterns:
        raise SettingsError(f"--system: expected at least two engines, found {len(systems)}; repeat --system.")
    first = None if WILD.search(systems[0]) else systems[0]
    tables = read_systems(source, override(settings, systems=tuple(systems), system=None, baseline=first))
    if len(tables) < 2:
        raise SettingsError(f"--system: '{systems[0]}' is one engine, expected at least two; add another --system.")
    runs, notes = runs_on_shared(tables, settings)
    return runs, (*tables[0].notes, *notes)


def runs_on_shared(tables: Sequence[ScoreTable], settings: Settings) -> tuple[list[Run], tuple[str, ...]]:
    """Return one run per table of a file, on the responses that all of them scored, with notes on the others."""
    shared = reduce(np.logical_and, (table.rows.kept for table in tables))
    notes = not_compared(int(shared.sum()), len(shared), tables, settings)
    runs = []
    for table in tables:
        run = run_of_scores(table, settings)
        at = np.flatnonzero(shared[table.rows.kept])
        runs.append(run.of(run.rows.take(at)) if run.rows is not None and len(at) < run.n else run)
    return runs, notes


def not_compared(n: int, read: int, accounts: Sequence[Account], settings: Settings) -> tuple[str, ...]:
    """Return a note on the responses that not all systems scored; raise if the `n` shared ones are too few."""
    if n < 2:
        text = f"only {n} of {read:,} responses have scores from all {len(accounts)} engines, but at least 2 are "
        raise InputError(f"{text}required; choose fewer engines with --system NAME.")
    lost = [
        f"{count(account.kept - n)} that {account.columns('system')[0]} scored but another engine did not"
        for account in accounts
        if account.kept > n
    ]
    if not lost:
        return ()
    compared = (
        f"The engines are compared on the {count(n)} responses that all of them scored. Excluded: {', '.join(lost)}."
    )
    withholds = settings.privacy.withhold_small_groups and accounts[0].columns("group")
    return (compared, SUBTRACTED) if withholds else (compared,)
