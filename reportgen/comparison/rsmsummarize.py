"""Write the tables of rsmsummarize, with the same rows, columns, and values."""

from collections.abc import Sequence

import numpy as np

from reportgen.rsmtool.config import NAMES
from reportgen.rsmtool.tables import PAIR, PeerTable, Value
from reportgen.runs.model import NumberPlace, Run
from reportgen.runs.peers import INDEX, Experiment

_SHORT, _TRUE, _OF_MODELS = (NAMES["summary"][name] for name in ("eval_short", "true_score_eval", "of_models"))


def summary_tables(
    names: Sequence[str], runs: Sequence[Run], experiments: Sequence[Experiment | None]
) -> list[PeerTable]:
    """Return every table that rsmsummarize writes, with rows named by `names`; empty tables are omitted."""
    named = list(zip(names, runs, experiments, strict=True))
    tables = [_eval_short([(name, run) for name, run, _ in named])]
    files = [(name, experiment) for name, _, experiment in named if experiment is not None]
    tables.append(_true_scores(files))
    trained = [(name, experiment) for name, experiment in files if experiment.tool == "rsmtool"]
    tables += [_model_summary(trained), _betas(trained)]
    tables += [_concatenated(name, trained) for name in _OF_MODELS]
    return [table for table in tables if table.rows]


def _eval_short(runs: Sequence[tuple[str, Run]]) -> PeerTable:
    columns = (*_SHORT, "system score type", "truncation range", "wtkappa")
    rows: list[tuple[Value, ...]] = []
    for _, run in runs:
        low, high = run.preparation.bounds
        cells = [_number(run, *column.partition(" ")[::2]) for column in _SHORT]
        family = run.score_types[-1].key.split("_")[0]
        rows.append((*cells, family, f"[{low}, {high}]", _number(run, "wtkappa", "")))
    return PeerTable("eval_short", columns, tuple(rows), tuple(name for name, _ in runs))


def _number(run: Run, name: str, of_rounded: str) -> float:
    if name == "N":
        return run.n
    found = run.estimate(NumberPlace(f"system.{PAIR[name]}", run.score_types[-1].key if of_rounded else ""))
    return np.nan if found is None or found.value is None else found.value


def _true_scores(files: Sequence[tuple[str, Experiment]]) -> PeerTable:
    """Return the row of the trimmed primary score of every run that has one."""
    rows, index = [], []
    for name, experiment in files:
        short = experiment.table("eval_short")
        family = "scale" if short and any(column.endswith(".scale_trim") for column in short[0]) else "raw"
        for row in experiment.table("true_score_eval"):
            if row[INDEX] == f"{family}_trim":
                rows.append((*(_cell(row[column]) for column in _TRUE), family))
                index.append(name)
    return PeerTable("true_score_eval", (*_TRUE, "system score type"), tuple(rows), tuple(index))


def _model_summary(files: Sequence[tuple[str, Experiment]]) -> PeerTable:
    rows, index = [], []
    for name, experiment in files:
        weights = [float(row["standardized"]) for row in experiment.table("betas")]
        settings = experiment.configuration
        learner, label = str(settings.get("model", "")), str(settings.get("train_label_column", ""))
        rows.append((len(weights), sum(weight < 0 for weight in weights), learner, label))
        index.append(name)
    columns = ("N features", "N negative", "learner", "train_label")
    return PeerTable("model_summary", columns, tuple(rows), tuple(index))


def _betas(files: Sequence[tuple[str, Experiment]]) -> PeerTable:
    models = [{row["feature"]: _cell(row["standardized"]) for row in each.table("betas")} for _, each in files]
    features = sorted({feature for model in models for feature in model})
    rows = tuple(tuple(model.get(feature, np.nan) for model in models) for feature in features)
    return PeerTable("betas", tuple(name for name, _ in files), rows, tuple(features))


def _concatenated(name: str, files: Sequence[tuple[str, Experiment]]) -> PeerTable:
    found = [(model, experiment.table(name)[:1]) for model, experiment in files]
    found = [(model, first) for model, first in found if first]
    columns = tuple(dict.fromkeys(column for _, (first,) in found for column in first if column != INDEX))
    rows = tuple(tuple(_cell(first.get(column, "")) for column in columns) for _, (first,) in found)
    return PeerTable(name, columns, rows, tuple(model for model, _ in found))


def _cell(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
