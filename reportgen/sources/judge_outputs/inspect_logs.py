"""Logs of Inspect, as JSON and as ``.eval`` archives, read without the inspect package.

A log has ``eval`` (task, model) and ``samples``, each with ``id``, ``epoch``, ``input``, ``target``,
``metadata`` and ``scores``: scorer -> ``value``, ``answer``.  An ``.eval`` file is a ZIP archive with
``header.json`` (while running ``_journal/start.json``; ``start.json`` in early ones) and one JSON file per
sample and epoch in ``samples/``.  Documented at https://inspect.aisi.org.uk/eval-logs.html (EvalLog,
EvalSample, Score) and https://inspect.aisi.org.uk/scorers.html (the letters C, I, P and N).

The judge is the model that was evaluated, when the scorer only compares its answer with a numeric target:
then answers are the scores, and targets those of the human.  Else the scorer is the judge, and its values
are the scores.  Columns of ``metadata`` are columns of the responses, human scores among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.pivoting import Output, judged
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import (
    Archive,
    columns_of,
    mostly_numbers,
    opening,
    parsed,
    quoted,
    score_of,
    text_of,
)

LETTERS = {"C": "1", "I": "0", "P": "0.5", "N": "0"}
"""Inspect's own values: correct, incorrect, partial, no answer, and the numbers it takes them for."""

HEADERS = ("header.json", "start.json", "_journal/start.json")
ID, TARGET = "sample", "target"

Sample = dict[str, Any]
Scores = dict[str, dict[str, Any]]


class InspectLog:
    """Reads logs of Inspect."""

    title = "Inspect logs (.eval, .json)"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is an ``.eval`` archive, or a JSON file that begins like a log."""
        suffix = path.suffix.lower()
        if suffix == ".eval":
            return True
        start = opening(path) if suffix == ".json" else ""
        return '"eval"' in start and '"status"' in start and '"task"' in start

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per sample.

        Raises
        ------
        InputError
            It holds no scored samples, or more than one score could be meant.
        """
        model, samples = _log(path)
        scores = [_scores(sample) for sample in samples]
        scorers = list(dict.fromkeys(name for found in scores for name in found))
        if not scorers:
            raise InputError("the log holds no scores; score it first: inspect score LOG --scorer NAME.")
        people = [name for name in scorers if column_names.is_human_name(name)]
        judges = _judges([name for name in scorers if name not in people], data)
        answers = _are_answers(judges, samples, scores)
        return _rows(samples, scores, judges, people, model if answers else "", data)


def _log(path: Path) -> tuple[str, list[Sample]]:
    """Return the evaluated model and the samples, in the order of epochs."""
    if path.suffix.lower() == ".json":
        content = parsed(path)
        header = content if isinstance(content, dict) else {}
        samples = header.get("samples") or []
    else:
        archive = Archive(path)
        names = [name for name in archive.names if name.startswith("samples/") and name.endswith(".json")]
        known = next((name for name in HEADERS if name in archive.names), None)
        if known is None:
            raise InputError(f"no Inspect log: the archive holds none of {quoted(HEADERS)}.")
        content = next(archive.parsed([known]))
        header = content if isinstance(content, dict) else {}
        samples = [_kept(sample) for sample in archive.parsed(names)]
    model = header.get("eval", {}).get("model") if isinstance(header.get("eval"), dict) else None
    if not isinstance(samples, list) or not samples or not all(isinstance(sample, dict) for sample in samples):
        raise InputError("the log holds no samples; was it written with --no-log-samples?")
    return str(model or "model"), sorted(samples, key=lambda sample: _epoch(sample))


def _kept(sample: Any) -> Any:
    """Return what matters of a sample; its transcript may be large."""
    wanted = ("id", "epoch", "target", "metadata", "scores", "error")
    return {key: sample.get(key) for key in wanted} if isinstance(sample, dict) else sample


def _epoch(sample: Sample) -> int:
    """Return the number of the epoch."""
    epoch = sample.get("epoch")
    return epoch if isinstance(epoch, int) else 1


def _scores(sample: Sample) -> Scores:
    """Return scorer -> score; scores of several values become one each."""
    found: Scores = {}
    given = sample.get("scores")
    for name, score in (given if isinstance(given, dict) else {}).items():
        if not isinstance(score, dict):
            continue
        value = score.get("value")
        if isinstance(value, dict):
            found |= {f"{name}.{key}": {"value": part} for key, part in value.items()}
        else:
            found[str(name)] = score
    return found


def _judges(scorers: Sequence[str], data: DataSettings) -> tuple[str, ...]:
    """Return the scorers whose scores are evaluated."""
    named = (
        data.systems or tuple(name for name in (data.score, data.system) if name is not None and name in scorers)[:1]
    )
    chosen = tuple(name for name in named if name in scorers)
    if data.score is not None and data.score not in scorers:
        raise InputError(f"no scorer is named '{data.score}'; there are {quoted(scorers)}.")
    if chosen:
        return chosen
    if not scorers:
        raise InputError("every scorer is named like a human; name the judge with --system NAME.")
    if len(scorers) > 1:
        raise InputError(
            f"several scorers gave scores: {quoted(scorers)}; name the judge, as in "
            f"{write_command('--score', scorers[0])}, or several with --system NAME for each."
        )
    return (scorers[0],)


def _are_answers(judges: Sequence[str], samples: Sequence[Sample], scores: Sequence[Scores]) -> bool:
    """Return whether the scorer only compares the model's answer with a numeric target."""
    given = [found[judges[0]] for found in scores if judges[0] in found]
    values = [text_of(score.get("value")) for score in given]
    return (
        len(judges) == 1
        and all(value in (*LETTERS, "0", "1", None) for value in values)
        and mostly_numbers(text_of(score.get("answer")) for score in given)
        and mostly_numbers(map(_target, samples))
    )


def _target(sample: Sample) -> str | None:
    """Return the target as text; of several, none."""
    target = sample.get("target")
    if isinstance(target, list):
        target = target[0] if len(target) == 1 else None
    return text_of(target)


def _rows(
    samples: Sequence[Sample], scores: Sequence[Scores], judges: Sequence[str], people: Sequence[str], model: str,
    data: DataSettings,
) -> ReadScores:  # fmt: skip
    """Return one row per sample; per epoch, too, where people scored what the model put out."""
    letters = not model and any(text_of(found[name].get("value")) in LETTERS for found in scores for name in found)
    repeated = len({_epoch(sample) for sample in samples}) > 1
    numeric_targets = mostly_numbers(map(_target, samples))
    responses: dict[str, dict[str, str | None]] = {}
    outputs: list[Output] = []
    for sample, found in zip(samples, scores, strict=True):
        key = str(sample.get("id")) + (f", epoch {_epoch(sample)}" if people and repeated else "")
        known: dict[str, str | None] = {ID: key, **_metadata(sample)}
        if numeric_targets:
            known[TARGET] = _target(sample)
        known |= {name: _value(found.get(name), letters) for name in people}
        responses.setdefault(key, known)
        for judge in judges:
            value = _answer(found.get(judge)) if model else _value(found.get(judge), letters)
            outputs.append(Output(key, model or judge, value))
    named = tuple(dict.fromkeys(output.judge for output in outputs))
    found_data: dict[str, Any] = {"layout": "wide", "id": ID, "systems": named}
    if people:
        found_data["human"] = tuple(people)
    elif data.human is None and numeric_targets:
        found_data["human"] = (TARGET, *_human_columns(responses.values()))
    if letters:
        found_data["scale"] = {"low": 0, "high": 1}
    told = [_told(named, model)]
    if found_data.get("human", ())[:1] == (TARGET,):
        told.append("Inspect: numeric targets are taken as the first human score.")
    if letters:
        told.append("Inspect: the values C, I, P and N are taken as 1, 0, 0.5 and 0.")
    if repeated:
        told.append(
            "Inspect: every epoch is a response of its own, as people scored it."
            if people
            else "Inspect: epochs are taken as repeated runs of the judge."
        )
    return ReadScores(columns_of(judged(outputs, responses)), found_data, tuple(told))


def _told(judges: Iterable[str], model: str) -> str:
    """Say what is taken for the judge's scores."""
    if model:
        return f"Inspect: the answers of '{model}' are taken as scores; the scorer only compares them with the target."
    return f"Inspect: the values of {quoted(judges)} are taken as scores."


def _human_columns(rows: Iterable[dict[str, str | None]]) -> list[str]:
    """Return the columns named like human scores, in the order of the numbers in their names."""
    names = dict.fromkeys(name for row in rows for name in row if column_names.is_human_name(name))
    return sorted(names, key=column_names.rater_order)


def _metadata(sample: Sample) -> dict[str, str | None]:
    """Return the metadata of a sample as columns."""
    given = sample.get("metadata")
    return {str(name): text_of(value) for name, value in (given if isinstance(given, dict) else {}).items()}


def _value(score: dict[str, Any] | None, letters: bool) -> str | None:
    """Return the value of a score."""
    text = score_of(score.get("value")) if score else None
    return LETTERS.get(text, text) if letters and text is not None else text


def _answer(score: dict[str, Any] | None) -> str | None:
    """Return the answer of the model."""
    return score_of(score.get("answer")) if score else None
