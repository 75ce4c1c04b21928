"""Read runs of RSMTool and rsmeval: their tables, and the scores in their processed predictions."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, describe_failure, did_you_mean
from reportgen.evaluation import Preparation
from reportgen.evaluation.points import GIVEN, RESCALED
from reportgen.evaluation.statistics import DISCRETE_METRICS
from reportgen.evaluation.tables.agreement import ALL_DATA
from reportgen.evaluation.tables.build import CONTINUOUS
from reportgen.metrics import METRICS
from reportgen.results import Estimate, Scale, ScoreType, Source
from reportgen.rsmtool.config import NAMES
from reportgen.rsmtool.tables import PAIR
from reportgen.rsmtool.write import SUFFIXES, file_name
from reportgen.runs.model import NumberPlace, Run, RunRows, positions_of
from reportgen.sources.columns import as_numbers, as_text, encode, levels
from reportgen.sources.delimited import delimited_rows
from reportgen.sources.documents import largest_sheet
from reportgen.sources.readers import open_reader
from reportgen.sources.tabular import Reader, file_source

ID, HUMAN, SECOND = "spkitemid", "sc1", "sc2"
TOLERANCE = 0.4998


def read_experiment(experiment: Experiment, *, scaled: bool | None = None) -> Run:
    """Read an experiment of rsmeval or rsmtool as a run.

    scaled: Whether to use the rescaled scores; None for the scores that the experiment reports. If it has only one
        kind, that kind is used.
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
        n=len(rows.system),
        raters=_raters(experiment),
        groups=tuple(rows.groups),
        score_types=tuple(ScoreType(name, _label(name), not name.endswith("_round")) for name in ordered),
        preparation=Preparation((low, high), tolerance, None, as_is=family == RESCALED),
        rows=rows,
        description=str(experiment.configuration.get("description") or ""),
        rater_error_variance=experiment.configuration.get("rater_error_variance"),
        stored=dict(_stored(experiment, family, tuple(rows.groups))),
    )


def _family(experiment: Experiment, types: list[str], scaled: bool | None) -> str:
    there = {name.split("_")[0] for name in types}
    if scaled is None:
        columns = [column for row in experiment.table("eval_short")[:1] for column in row]
        scaled = any(column.endswith(f".{RESCALED}_trim") for column in columns)
    wanted = RESCALED if scaled else GIVEN
    return wanted if wanted in there else next(iter(sorted(there)))


def _label(score_type: str) -> str:
    """Return a score type in words: "As given, trimmed and rounded"."""
    start = "Rescaled" if score_type.startswith(RESCALED) else "As given"
    return start + {"": "", "trim": ", trimmed", "trim_round": ", trimmed and rounded"}[score_type.partition("_")[2]]


def _trimming(experiment: Experiment) -> tuple[float, float, float]:
    """Return the lowest and highest score point, and the tolerance beyond them."""
    kept = experiment.table("postprocessing_params")
    given = {**experiment.configuration, **(kept[0] if kept else {})}
    try:
        tolerance = given.get("trim_tolerance")
        tolerance = TOLERANCE if tolerance in (None, "") else float(tolerance)
        return float(given["trim_min"]), float(given["trim_max"]), tolerance
    except (KeyError, TypeError, ValueError):
        text = f"'{experiment.folder / 'output'}': the experiment '{experiment.id}' has no trim_min and trim_max; "
        raise InputError(f"{text}expected them in {experiment.id}_{experiment.tool}.json.") from None


def _raters(experiment: Experiment) -> tuple[str, ...]:
    settings = experiment.configuration
    first = settings.get("human_score_column") or settings.get("test_label_column") or HUMAN
    second = settings.get("second_human_score_column")
    return (first, second) if second else (first,)


def _rows(experiment: Experiment, family: str) -> tuple[RunRows, Source]:
    path = experiment.path("pred_processed")
    if path is None:
        raise InputError(
            f"'{experiment.folder / 'output'}': the experiment '{experiment.id}' has no table 'pred_processed', which "
            "contains its scores; run the experiment again."
        )
    reader = open_reader(path)
    columns = reader.head.schema.names
    for column in (ID, HUMAN, family):
        if column not in columns:
            raise InputError(f"'{path}': expected the column '{column}', found {', '.join(columns[:8])}.")
    table = reader.load([ID, HUMAN, family])
    ids = as_text(table[ID]).combine_chunks()
    human = [as_numbers(table[HUMAN])]
    if (second := experiment.path("test_human_scores")) is not None:  # if the experiment saved them
        kept, at = _columns_by_id(open_reader(second), ids, [SECOND])
        human.append(np.where(at >= 0, as_numbers(kept[SECOND])[at], np.nan))
    rows = RunRows(ids, as_numbers(table[family]), np.column_stack(human), _groups(experiment, ids))
    return rows, file_source(path, table.num_rows, "rsmtool")


def _groups(experiment: Experiment, ids: object) -> dict[str, tuple[NDArray[np.int32], tuple[str, ...]]]:
    """Return the subgroups of every response, if the experiment saved them."""
    path, wanted = experiment.path("test_metadata"), experiment.configuration.get("subgroups") or []
    if path is None or not wanted:
        return {}
    reader = open_reader(path)
    names = [name for name in wanted if name in reader.head.schema.names]
    table, at = _columns_by_id(reader, ids, names)
    if (at < 0).any():
        return {}
    every = np.ones(table.num_rows, np.bool_)
    coded = {name: levels(encode(table[name], name), every) for name in names}
    return {name: (each.codes[at], each.labels) for name, each in coded.items()}


def _columns_by_id(reader: Reader, ids: object, columns: Sequence[str]) -> tuple[Any, NDArray[np.intp]]:
    table = reader.load([ID, *columns])
    return table, positions_of(ids, as_text(table[ID]).combine_chunks())


TOOLS = ("rsmeval", "rsmtool")  # tools that evaluate a system, as their configuration files are named

INDEX = ""  # column of row names: the first one, which has no name

Record = dict[str, str]


@dataclass(frozen=True)
class Experiment:
    """One experiment of rsmeval or rsmtool."""

    folder: Path  # the folder that contains ``output``
    id: str  # prefix of its files
    tool: str  # "rsmeval" or "rsmtool"
    configuration: dict[str, Any]  # its settings; empty if the file does not exist

    def path(self, name: str) -> Path | None:
        """Return the file of a table, or None if it does not exist."""
        candidates = (self.folder / "output" / f"{self.id}_{name}{suffix}" for suffix in SUFFIXES)
        return next((path for path in candidates if path.is_file()), None)

    @property
    def kind(self) -> str:
        """The format of its tables: csv, tsv, or xlsx."""
        path = self.path("eval")
        return path.suffix[1:] if path else "csv"

    def table(self, name: str) -> list[Record]:
        """Return the rows of a table with every cell as text; none if it does not exist."""
        path = self.path(name)
        if path is None:
            return []
        try:
            if path.suffix == ".xlsx":
                lines = largest_sheet(path)[0]
            else:
                with path.open(encoding="utf-8-sig", newline="") as file:
                    rows = delimited_rows(file, delimiter="\t" if path.suffix == ".tsv" else ",")
                    lines = [list[str | None](row) for row in rows]
        except InputError as error:
            raise InputError(f"'{path}': {error}") from None
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"'{path}' cannot be read as a table ({error}); run the experiment again.") from None
        return [{key or "": cell or "" for key, cell in zip(lines[0], row, strict=False)} for row in lines[1:]]


def experiments(folder: Path) -> list[Experiment]:
    """Return the experiments in a folder, from the configurations in its ``output``."""
    return [
        Experiment(folder, file.stem.removesuffix(f"_{tool}"), tool, _configuration(file))
        for file in sorted((folder / "output").glob("*.json"))
        for tool in TOOLS
        if file.stem.endswith(f"_{tool}")
    ]


def experiment(folder: Path, name: str) -> Experiment:
    """Return an experiment in a folder by name."""
    output = folder / "output"
    if not output.is_dir():
        raise InputError(f"'{folder}' does not contain a folder 'output'; give the output folder of an experiment.")
    suffixes = {file.suffix.lower() for file in output.glob(f"{escape(name)}_*")} & set(SUFFIXES)
    if not suffixes:
        known = did_you_mean(name, [each.id for each in experiments(folder)])
        raise InputError(f"'{output}' does not contain tables of the experiment '{name}'{known}")
    if len(suffixes) > 1:
        raise InputError(f"'{output}' has tables of '{name}' as {' and '.join(sorted(suffixes))}; keep one format.")
    return {each.id: each for each in experiments(folder)}.get(name) or Experiment(folder, name, "rsmeval", {})


def _configuration(file: Path) -> dict[str, Any]:
    try:
        if not file.is_file():  # reading a pipe would block
            raise OSError(f"{file.name} is not a regular file")
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"{file}: cannot be read as JSON ({describe_failure(error)}); run the experiment again."
        ) from None
    return content if isinstance(content, dict) else {}


_OF_RATERS = {
    "consistency": {column: f"human.{metric}" for column, metric in PAIR.items()},
    "degradation": {column: f"degradation.{metric}" for column, metric in PAIR.items()},
    "disattenuated_correlations": {"corr_HH": "human.r", "corr_disattenuated": "disattenuated.r"},
    "true_score_eval": {column: f"true_score.{name}" for column, name in NAMES["true_scores"].items()},
}
"""Tables of numbers that depend on second human scores, which not every experiment saves: statistic by column."""


def _stored(experiment: Experiment, family: str, groups: Sequence[str]) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the numbers in an experiment's tables that depend on second human scores, with their places."""
    both = "".join(row["N"] for row in experiment.table("consistency"))
    for name, keys in _OF_RATERS.items():
        for row in experiment.table(name):
            for key, estimate in _estimates(row, keys, both, row[INDEX]):
                primary = f"{family}_trim_round" if key.split(".")[1] in DISCRETE_METRICS else f"{family}_trim"
                yield NumberPlace(key, row[INDEX]), estimate
                if row[INDEX] in ("", primary):
                    yield NumberPlace(key), estimate
        for group in groups:
            rows = experiment.table(file_name(f"{name}_by_{group}"))
            whole = next((row for row in rows if row[INDEX] == ALL_DATA), None)  # a group can have this name, too
            for row in (row for row in rows if row is not whole):
                for key, estimate in _estimates(row, keys, "0", ""):
                    yield NumberPlace(key, "", group, row[INDEX]), estimate


def _estimates(row: Record, keys: Mapping[str, str], both: str, score: str) -> Iterator[tuple[str, Estimate]]:
    n = int(number(row.get("N multiple") or row.get("N") or both) or 0)
    continuous = score and not score.endswith("_round")
    for column, key in keys.items():
        metric = "disattenuated_r" if key == "disattenuated.r" else key.split(".")[1]
        empty = Estimate(metric, None, n, kind=METRICS[metric].kind)
        if continuous and metric in DISCRETE_METRICS:
            yield key, replace(empty, reason=CONTINUOUS)
        elif (value := number(row.get(column, ""))) is not None:
            yield key, replace(empty, value=value, interval_reason="the run's files contain no interval")
        elif column in row:
            yield key, replace(empty, reason="blank in the run's files")


def number(cell: str) -> float | None:
    """Return a cell as a finite number, or None."""
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
