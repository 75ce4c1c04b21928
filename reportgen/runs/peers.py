"""Runs of RSMTool and rsmeval: their files, the scores from their processed predictions, the rest from their tables."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, describe_failure
from reportgen.evaluation import Preparation
from reportgen.evaluation.points import GIVEN, RESCALED
from reportgen.evaluation.tables.agreement import ALL_DATA
from reportgen.evaluation.tables.build import CONTINUOUS, DISCRETE_METRICS
from reportgen.metrics import METRICS
from reportgen.results import Estimate, Scale, ScoreType, Source
from reportgen.rsmtool.tables import PAIR
from reportgen.rsmtool.write import file_name
from reportgen.runs.model import Confusion, NumberPlace, Run, RunRows, positions_of
from reportgen.sources.columns import as_numbers, as_text, encode, levels
from reportgen.sources.readers import open_reader
from reportgen.sources.tabular import file_source
from reportgen.sources.workbooks import first_sheet

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


SUFFIXES = (".csv", ".tsv", ".xlsx")
TOOLS = ("rsmeval", "rsmtool")
"""Tools whose experiments hold the evaluation of a system, as their configuration files are named."""

INDEX = ""
"""Column of row names: the first one, which has no name."""

Record = dict[str, str]


@dataclass(frozen=True)
class Experiment:
    """One experiment of rsmeval or rsmtool.

    Parameters
    ----------
    folder
        The folder that holds ``output``.
    id
        What its files begin with.
    tool
        "rsmeval" or "rsmtool".
    configuration
        Its settings; empty when the file is not there.
    """

    folder: Path
    id: str
    tool: str
    configuration: dict[str, Any]

    def path(self, name: str) -> Path | None:
        """Return the file of a table, or None when the experiment did not write it."""
        candidates = (self.folder / "output" / f"{self.id}_{name}{suffix}" for suffix in SUFFIXES)
        return next((path for path in candidates if path.is_file()), None)

    @property
    def kind(self) -> str:
        """The format of its tables: csv, tsv or xlsx."""
        path = self.path("eval")
        return path.suffix[1:] if path else "csv"

    def table(self, name: str) -> list[Record]:
        """Return the rows of a table, every cell as text; none when the experiment did not write it."""
        path = self.path(name)
        return [] if path is None else list(_records(path))

    def names(self, start: str) -> list[str]:
        """Return the names of the tables that begin with `start`."""
        prefix = f"{self.id}_"
        files = (self.folder / "output").glob(f"{escape(prefix + start)}*")
        return sorted({file.stem.removeprefix(prefix) for file in files if file.suffix.lower() in SUFFIXES})


def experiments(folder: Path) -> list[Experiment]:
    """Return the experiments in a folder, by the configurations in its ``output``.

    Raises
    ------
    InputError
        A configuration is no JSON.
    """
    return [
        Experiment(folder, file.stem.removesuffix(f"_{tool}"), tool, _configuration(file))
        for file in sorted((folder / "output").glob("*.json"))
        for tool in TOOLS
        if file.stem.endswith(f"_{tool}")
    ]


def experiment(folder: Path, name: str) -> Experiment:
    """Return the experiment of a name in a folder.

    Raises
    ------
    InputError
        The folder, its ``output`` or the experiment's files are not there, or come in several formats.
    """
    output = folder / "output"
    if not output.is_dir():
        raise InputError(f"'{folder}' holds no folder 'output'; name the folder that an experiment was written to.")
    suffixes = {file.suffix.lower() for file in output.glob(f"{escape(name)}_*")} & set(SUFFIXES)
    if not suffixes:
        there = ", ".join(f"'{each.id}'" for each in experiments(folder)) or "none"
        raise InputError(f"'{output}' holds no tables of the experiment '{name}'; experiments there: {there}.")
    if len(suffixes) > 1:
        raise InputError(f"'{output}' holds tables of '{name}' as {' and '.join(sorted(suffixes))}; keep one format.")
    known = {each.id: each for each in experiments(folder)}
    return known.get(name) or Experiment(folder, name, "rsmeval", {})


def _configuration(file: Path) -> dict[str, Any]:
    """Return the settings an experiment kept."""
    try:
        content = json.loads(_text_of(file, "utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"{file}: cannot be read as JSON ({describe_failure(error)}); run the experiment again."
        ) from None
    return content if isinstance(content, dict) else {}


def _text_of(path: Path, encoding: str) -> str:
    """Return the text of an ordinary file; a pipe would be waited for."""
    if not path.is_file():
        raise OSError(f"{path.name} is not an ordinary file")
    return path.read_text(encoding=encoding)


def _records(path: Path) -> Iterator[Record]:
    """Yield the rows of a table as text."""
    lines = _sheet(path) if path.suffix == ".xlsx" else _delimited(path)
    if not lines:
        return
    header, *body = lines
    for line in body:
        yield dict(zip(header, line, strict=False))


def _delimited(path: Path) -> list[list[str]]:
    """Return a CSV or TSV file as text."""
    try:
        text = _text_of(path, "utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix == ".tsv" else ","))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"'{path}' cannot be read as a table ({error}); run the experiment again.") from None


def _sheet(path: Path) -> list[list[str]]:
    """Return the first sheet of a workbook as text."""
    try:
        return [[cell or "" for cell in row] for row in first_sheet(path)]
    except InputError as error:
        raise InputError(f"'{path}': {error}") from None


NO_INTERVAL = "the run's files hold no interval"

_TRUE = {
    "Variance of errors": "true_score.error_variance",
    "True score var": "true_score.true_variance",
    "MSE true": "true_score.mse_true",
    "PRMSE true": "true_score.prmse",
}
_DISATTENUATED = {"corr_HM": "system.r", "corr_HH": "human.r", "corr_disattenuated": "disattenuated.r"}


def stored_numbers(experiment: Experiment, family: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield every number in an experiment's tables, and where it belongs."""
    trimmed, rounded = f"{family}_trim", f"{family}_trim_round"
    yield from _by_type(experiment.table("eval"), "system", trimmed, rounded)
    for row in experiment.table("consistency"):
        yield from ((NumberPlace(key), estimate) for key, estimate in _pairs(row, "human"))
    yield from _by_type(experiment.table("degradation"), "degradation", trimmed, rounded)
    both = "".join(row["N"] for row in experiment.table("consistency"))
    for name, keys in (("disattenuated_correlations", _DISATTENUATED), ("true_score_eval", _TRUE)):
        for row in experiment.table(name):
            yield from _named({"N": both, **row}, keys, trimmed)
    yield from _by_group(experiment, trimmed, rounded)


def _by_type(rows: list[Record], family: str, trimmed: str, rounded: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the statistics of every score type; the primary ones twice."""
    for row in rows:
        for key, estimate in _pairs(row, family, continuous=not row[INDEX].endswith("_round")):
            yield NumberPlace(key, row[INDEX]), estimate
            if row[INDEX] == (rounded if key.split(".")[1] in DISCRETE_METRICS else trimmed):
                yield NumberPlace(key), estimate


def _named(row: Record, keys: dict[str, str], trimmed: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the numbers of a row by score type; those of the trimmed score are the primary ones."""
    for column, key in keys.items():
        estimate = _estimate(_metric(key), row.get(column, ""), whole(row.get("N multiple") or row.get("N") or "0"))
        yield NumberPlace(key, row[INDEX]), estimate
        if row[INDEX] == trimmed:
            yield NumberPlace(key), estimate


def _metric(key: str) -> str:
    return "disattenuated_r" if key == "disattenuated.r" else key.split(".")[1]


def group_tables(experiment: Experiment, start: str) -> dict[str, str]:
    """Return the tables by group, each with the column it is about, in the order of the configuration."""
    there = experiment.names(start)
    wanted = experiment.configuration.get("subgroups") or []
    named = {file_name(f"{start}{group}"): group for group in wanted}
    return {name: named.get(name, name.removeprefix(start)) for name in [*named, *there] if name in there}


def _by_group(experiment: Experiment, trimmed: str, rounded: str) -> Iterator[tuple[NumberPlace, Estimate]]:
    """Yield the numbers of every level of every subgroup."""
    for name, group in group_tables(experiment, "eval_by_").items():
        for row in _levels(experiment, name):
            flat = {column.removesuffix(f".{trimmed}"): cell for column, cell in row.items()}
            flat |= {metric: row.get(f"{metric}.{rounded}", "") for metric in ("kappa", "exact_agr", "adj_agr")}
            for key, estimate in _pairs(flat, "system"):
                yield NumberPlace(key, "", group, row[INDEX]), estimate
            flat = {column.removesuffix(f".{rounded}"): cell for column, cell in row.items()}
            for key, estimate in _pairs(flat, "system"):
                yield NumberPlace(key, rounded, group, row[INDEX]), estimate
    for name, group in group_tables(experiment, "consistency_by_").items():
        for row in _levels(experiment, name):
            yield from ((NumberPlace(key, "", group, row[INDEX]), estimate) for key, estimate in _pairs(row, "human"))
    for name, group in group_tables(experiment, "disattenuated_correlations_by_").items():
        for row in _levels(experiment, name):
            for column, key in _DISATTENUATED.items():
                if key != "system.r":
                    yield NumberPlace(key, "", group, row[INDEX]), _estimate(_metric(key), row.get(column, ""), 0)


def _levels(experiment: Experiment, name: str) -> list[Record]:
    """Return the rows of a table by group that are about one level: the first "All data" is about all of them."""
    rows = experiment.table(name)
    whole = next((row for row in rows if row[INDEX] == ALL_DATA), None)
    return [row for row in rows if row is not whole]


def _pairs(row: Record, family: str, *, continuous: bool = False) -> Iterator[tuple[str, Estimate]]:
    """Yield the statistics of two scores in a row, by our names."""
    n = whole(row.get("N", "0"))
    for column, cell in row.items():
        metric = PAIR.get(column)
        if metric is None:
            continue
        if continuous and metric in DISCRETE_METRICS:
            yield f"{family}.{metric}", Estimate(metric, None, n, kind=METRICS[metric].kind, reason=CONTINUOUS)
        else:
            yield f"{family}.{metric}", _estimate(metric, cell, n)


def _estimate(metric: str, cell: str, n: int) -> Estimate:
    """Return a number of a table as an estimate without interval."""
    kind = METRICS[metric].kind
    value = number(cell)
    if value is None:
        return Estimate(metric, None, n, kind=kind, reason="blank in the run's files")
    return Estimate(metric, value, n, kind=kind, interval_reason=NO_INTERVAL)


def number(cell: str) -> float | None:
    """Return a cell as a finite number, or None."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def whole(cell: str) -> int:
    """Return a cell as a count; 0 when it is none."""
    return int(number(cell) or 0)
