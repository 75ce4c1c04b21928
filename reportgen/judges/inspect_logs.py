"""Reader of Inspect logs, JSON and ``.eval`` archives, without the inspect package.

A log has ``eval`` (task, model) and ``samples``, each with ``id``, ``epoch``, ``input``, ``target``, ``metadata``, and
``scores``: scorer -> ``value``, ``answer``.  An ``.eval`` file is a ZIP archive with ``header.json`` (while running
``_journal/start.json``; ``start.json`` in early versions) and one JSON file per sample and epoch in ``samples/``.
Documented at https://inspect.aisi.org.uk/eval-logs.html (EvalLog, EvalSample, Score) and
https://inspect.aisi.org.uk/scorers.html (the letters C, I, P and N).

If the scorer only compares the model's answer with a numeric target, the evaluated model is the judge: its answers are
the scores, and the targets are the human scores.  Otherwise the scorer is the judge, and its values are the scores.
Columns of ``metadata``, which may include human scores, become columns of the responses.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, listed
from reportgen.judges.pivoting import Output, Row, by_response, chosen, flat, human_columns
from reportgen.judges.records import DescribedReader, archived, field, in_utf8, mostly_numbers, score_of, text_of
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.documents import json_in
from reportgen.sources.judge_readers import ReadScores

LETTERS = {"C": "1", "I": "0", "P": "0.5", "N": "0"}
"""Inspect's values (correct, incorrect, partial, no answer) and the numbers that Inspect converts them to."""

HEADERS = ("header.json", "start.json", "_journal/start.json")
ID, TARGET = "sample", "target"

Sample = Mapping[str, Any]
Scores = dict[str, Mapping[str, Any]]


class InspectLog(DescribedReader):
    """Reader of Inspect logs."""

    key = "inspect"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is an ``.eval`` archive or a JSON file that begins like a log."""
        return path.suffix.lower() == ".eval" or super().recognises(path)

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per sample, or one row per sample and epoch if people scored the model's output."""
        model, samples = _log(path)
        scores = [_scores(sample) for sample in samples]
        names = dict.fromkeys(name for found in scores for name in found)
        people = [name for name in names if column_names.is_human_name(name)]
        judges = chosen((name for name in names if name not in people), data)
        targets = mostly_numbers(map(_target, samples))
        answers = targets and _are_answers(judges, scores)
        letters = not answers and any(
            text_of(score.get("value")) in LETTERS for each in scores for score in each.values()
        )
        repeated = any(_epoch(sample) != _epoch(samples[0]) for sample in samples)
        responses: dict[str, Row] = {}
        outputs = []
        for sample, found in zip(samples, scores, strict=True):
            key = str(sample.get("id")) + (f", epoch {_epoch(sample)}" if people and repeated else "")
            known = {ID: key, **flat(sample.get("metadata"))} | ({TARGET: _target(sample)} if targets else {})
            known |= {name: LETTERS.get(str(known[name]), known[name]) for name in human_columns(known) if letters}
            known |= {name: _value(found.get(name), letters) for name in people}
            if answers:
                given = {model: score_of(found.get(judges[0], {}).get("answer"))}
            else:
                given = {name: _value(found.get(name), letters) for name in judges}
            outputs.append(Output(key, responses.setdefault(key, known), given))
        human = people or (
            [TARGET, *human_columns(name for row in responses.values() for name in row)] if targets else []
        )
        systems = [model] if answers else judges
        notes = _notes(systems, answers=answers, letters=letters, targets=targets and not people and data.human is None)
        if repeated and people:
            notes.append("Inspect: every epoch is a separate response because people scored each one.")
        elif repeated:
            notes.append("Inspect: epochs are treated as repeated runs of the judge.")
        rows = (*responses.values(), *(output.scores for output in outputs))
        partly = any(str(value) == LETTERS["P"] for row in rows for value in row.values())
        scale = {"low": 0.0, "high": 1.0, "step": 0.5 if partly else 1.0} if letters else None
        return by_response(outputs, data, judges=systems, id_column=ID, human=human, notes=notes, scale=scale)


def _notes(systems: Sequence[str], *, answers: bool, letters: bool, targets: bool) -> list[str]:
    texts = [
        f"Inspect: the answers of {listed(systems)} are used as scores; the scorer only compares them with the target."
        if answers
        else f"Inspect: the values of {listed(systems)} are used as scores."
    ]
    if targets:
        texts.append("Inspect: numeric targets are used as the first human score.")
    if letters:
        texts.append("Inspect: the values C, I, P, and N are used as 1, 0, 0.5, and 0.")
    return texts


def _log(path: Path) -> tuple[str, list[Sample]]:
    """Return the evaluated model and the samples, sorted by epoch."""
    if path.suffix.lower() == ".json":
        with in_utf8():
            header, _ = json_in(path)
        samples = field(header, "samples") if isinstance(header, Mapping) else None
    else:
        headers: dict[str, Any] = {}
        samples = []
        for name, content in archived(path, "samples", HEADERS):
            if name in HEADERS:
                headers[name] = content
            else:
                # keep only the fields that are used; transcripts can be large
                wanted = ("id", "epoch", "target", "metadata", "scores")
                own = isinstance(content, Mapping)
                samples.append({key: content.get(key) for key in wanted} if own else content)
        header = next((headers[name] for name in HEADERS if name in headers), None)
    if not isinstance(samples, list) or not samples or not all(isinstance(sample, Mapping) for sample in samples):
        raise InputError("the log contains no samples; was it written with --no-log-samples?")
    model = field(header, "eval.model") if isinstance(header, Mapping) else None
    return str(model or "model"), sorted(samples, key=_epoch)


def _epoch(sample: Sample) -> int:
    epoch = sample.get("epoch")
    return epoch if isinstance(epoch, int) else 1


def _scores(sample: Sample) -> Scores:
    """Return scorer -> score; a score with several values becomes one score for each."""
    found: Scores = {}
    given = sample.get("scores")
    for name, score in given.items() if isinstance(given, Mapping) else ():
        value = score.get("value") if isinstance(score, Mapping) else None
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": {"value": part} for key, part in value.items()}
        elif isinstance(score, Mapping):
            found[str(name)] = score
    return found


def _are_answers(judges: Sequence[str], scores: Sequence[Scores]) -> bool:
    given = [found[judges[0]] for found in scores if judges[0] in found]
    values = {text_of(score.get("value")) for score in given}
    return (
        len(judges) == 1
        and values <= {*LETTERS, "0", "1", None}
        and mostly_numbers(text_of(score.get("answer")) for score in given)
    )


def _target(sample: Sample) -> str | None:
    target = sample.get("target")
    if isinstance(target, list):
        target = target[0] if len(target) == 1 else None
    return text_of(target)


def _value(score: Mapping[str, Any] | None, letters: bool) -> str | None:
    text = score_of(score.get("value")) if score else None
    return LETTERS.get(text, text) if letters and text is not None else text
