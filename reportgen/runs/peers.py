"""Runs of RSMTool and rsmeval: the scores from their processed predictions, the rest from their tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.evaluation import Preparation
from reportgen.evaluation.preparation import GIVEN, RESCALED
from reportgen.results import Scale, ScoreType, Source
from reportgen.runs.ids import positions_of
from reportgen.runs.model import Confusion, Run, RunRows
from reportgen.runs.peer_files import INDEX, Experiment
from reportgen.runs.peer_numbers import group_tables, number, stored_numbers, whole
from reportgen.sources.columns import as_numbers, as_text, encode, levels
from reportgen.sources.readers import open_reader
from reportgen.sources.tabular import file_source

ID, HUMAN, SECOND = "spkitemid", "sc1", "sc2"
TOLERANCE = 0.4998


def read_experiment(experiment: Experiment, *, scaled: bool | None = None) -> Run:
    """Return an experiment of rsmeval or rsmtool as a run.

    Parameters
    ----------
    scaled
        Whether the rescaled scores are the ones to look at; None for what the experiment itself
        reports.  Where it has only one kind, that kind is used.

    Raises
    ------
    InputError
        The experiment has no evaluation, or its files do not fit together.
    """
    types = [row[INDEX] for row in experiment.table("eval") if row.get(INDEX)]
    if not types:
        raise InputError(f"'{experiment.folder / 'output'}': the experiment '{experiment.id}' has no table 'eval'.")
    family = _family(experiment, types, scaled)
    low, high, tolerance = _trimming(experiment)
    rows, source = _rows(experiment, family)
    ordered = sorted(types, key=lambda name: (name.split("_")[0] == family, types.index(name)))
    return Run(
        name=experiment.id,
        origin="rsmtool" if experiment.tool == "rsmtool" else "rsmeval",
        created="",
        source=source,
        scale=Scale(low, high, 1.0, assumed=experiment.configuration.get("trim_min") is None),
        n=whole(experiment.table("eval")[0].get("N", "0")),
        raters=_raters(experiment),
        groups=tuple(group_tables(experiment, "eval_by_").values()),
        score_types=tuple(ScoreType(name, _label(name), not name.endswith("_round")) for name in ordered),
        preparation=Preparation((low, high), tolerance, None, as_is=family == RESCALED),
        rows=rows,
        no_rows="" if rows else "the run keeps no processed predictions",
        description=str(experiment.configuration.get("description") or ""),
        rater_error_variance=experiment.configuration.get("rater_error_variance"),
        stored=dict(stored_numbers(experiment, family)),
        stored_confusion=_confusion(experiment),
    )


def _family(experiment: Experiment, types: list[str], scaled: bool | None) -> str:
    """Return the kind of score that the run is about: "raw" or "scale"."""
    there = {name.split("_")[0] for name in types}
    if scaled is None:
        columns = [column for row in experiment.table("eval_short")[:1] for column in row]
        scaled = any(column.endswith(f".{RESCALED}_trim") for column in columns)
    wanted = RESCALED if scaled else GIVEN
    return wanted if wanted in there else next(iter(sorted(there)))


def _label(score_type: str) -> str:
    """Return a score type in words.

    Examples
    --------
    >>> _label("raw_trim_round"), _label("scale")
    ('As given, trimmed and rounded', 'Rescaled')
    """
    start = "Rescaled" if score_type.startswith(RESCALED) else "As given"
    return start + {"": "", "trim": ", trimmed", "trim_round": ", trimmed and rounded"}[score_type.partition("_")[2]]


def _trimming(experiment: Experiment) -> tuple[float, float, float]:
    """Return lowest and highest score point, and the tolerance beyond them."""
    kept = experiment.table("postprocessing_params")
    given = {**experiment.configuration, **(kept[0] if kept else {})}
    try:
        tolerance = given.get("trim_tolerance")
        return (
            float(given["trim_min"]),
            float(given["trim_max"]),
            TOLERANCE if tolerance in (None, "") else float(tolerance),
        )
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"'{experiment.folder / 'output'}': the experiment '{experiment.id}' does not say trim_min and trim_max; "
            f"expected them in {experiment.id}_{experiment.tool}.json."
        ) from None


def _raters(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of the human score columns."""
    settings = experiment.configuration
    first = settings.get("human_score_column") or settings.get("test_label_column") or HUMAN
    second = settings.get("second_human_score_column")
    return (first, second) if second else (first,)


def _rows(experiment: Experiment, family: str) -> tuple[RunRows | None, Source]:
    """Return the scores of an experiment, and the file they come from."""
    path = experiment.path("pred_processed")
    if path is None:
        table = experiment.path("eval") or experiment.folder
        return None, file_source(table, whole(experiment.table("eval")[0].get("N", "0")), "rsmtool")
    reader = open_reader(path)
    columns = reader.head.schema.names
    for column in (ID, HUMAN, family):
        if column not in columns:
            raise InputError(f"'{path}': expected the column '{column}', found {', '.join(columns[:8])}.")
    table = reader.load([ID, HUMAN, family])
    ids = as_text(table[ID]).combine_chunks()
    human = np.column_stack([as_numbers(table[HUMAN]), *_second_scores(experiment, ids)])
    rows = RunRows(ids, as_numbers(table[family]), human, _groups(experiment, ids))
    return rows, file_source(path, table.num_rows, "rsmtool")


def _second_scores(experiment: Experiment, ids: object) -> Iterator[NDArray[np.float64]]:
    """Yield the second human scores, where the experiment kept them."""
    path = experiment.path("test_human_scores")
    if path is None:
        return
    table = open_reader(path).load([ID, SECOND])
    at = positions_of(ids, as_text(table[ID]).combine_chunks())
    yield np.where(at >= 0, as_numbers(table[SECOND])[at], np.nan)


def _groups(experiment: Experiment, ids: object) -> dict[str, tuple[NDArray[np.int32], tuple[str, ...]]]:
    """Return the subgroups of every response, where the experiment kept them."""
    path = experiment.path("test_metadata")
    wanted = experiment.configuration.get("subgroups") or []
    if path is None or not wanted:
        return {}
    reader = open_reader(path)
    names = [name for name in wanted if name in reader.head.schema.names]
    table = reader.load([ID, *names])
    at = positions_of(ids, as_text(table[ID]).combine_chunks())
    if (at < 0).any():
        return {}
    groups = {}
    for name in names:
        coded = levels(encode(table[name], name), np.ones(table.num_rows, np.bool_))
        groups[name] = (coded.codes[at], coded.labels)
    return groups


def _confusion(experiment: Experiment) -> Confusion | None:
    """Return the confusion matrix that an experiment kept; None when it is not there or not square."""
    table = experiment.table("confMatrix")
    points = [number(row.get(INDEX, "")) for row in table]
    columns = [column for row in table[:1] for column in row if column != INDEX]
    known = tuple(point for point in points if point is not None)
    if not table or [number(column) for column in columns] != points or len(known) < len(points):
        return None
    counts = [[whole(row.get(column, "")) for column in columns] for row in table]
    return Confusion(known, np.array(counts, np.int64))
