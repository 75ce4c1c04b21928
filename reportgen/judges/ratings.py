"""Readers of tables with one row per rating; `tools.toml` describes the columns of each tool."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, QuestionError, listed
from reportgen.judges.pivoting import Output, Rating, by_rating, by_response, human_columns, systems_of
from reportgen.judges.records import DescribedReader, field, names_of, rows_of, score_of, text_of
from reportgen.settings import DataSettings
from reportgen.sources.documents import value_in
from reportgen.sources.judge_readers import ReadScores

Rows = list[tuple[int, Mapping[str, Any]]]  # objects, each with its row number in the file


class RatingsReader(DescribedReader):
    """Reader of a table with one row per rating."""

    id_column: str  # name of the response column
    columns: Sequence[str] | None = None
    response: Sequence[str]
    whole: Sequence[str] = ()
    name: Sequence[str]
    kind: Sequence[str]
    value: Sequence[str]
    person: Sequence[str]
    judge: Sequence[str] = ()
    people: Sequence[str]
    judges: Sequence[str]

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per rating."""
        rows = self.rows(path)
        texts: tuple[str, ...] = ()
        names = [text_of(field(row, *self.name)) for _, row in rows]
        sources = [(text_of(field(row, *self.kind)) or "").upper() for _, row in rows]
        rated = {name for name, source in zip(names, sources, strict=True) if source in self.people}
        if rated and not {*sources}.isdisjoint(self.judges):  # what only another source scored is of no use
            known = {*self.people, *self.judges, *map(str.upper, (*(data.human or ()), *systems_of(data)))}
            told = zip(rows, names, sources, strict=True)
            rows = [row for row, name, source in told if source in known or name in rated]
            if len(rows) < len(sources):
                texts = (f"{self.tool}: scores of another source that people did not give are excluded.",)
        found = [self.rating(row, number, data) for number, row in rows]
        if self.whole and not _meet(found):
            wholes = [
                each._replace(response=text_of(field(row, *self.whole)) or each.response)
                for each, (_, row) in zip(found, rows, strict=True)
            ]
            if _meet(wholes):
                found = wholes
                texts += (
                    f"{self.tool}: people and judges scored different parts of a trace; their scores are used as "
                    "scores of the whole trace.",
                )
        scores = by_rating(found, data, tool=self.tool, id_column=self.id_column)
        kinds = {str(field(row, *self.kind)) for _, row in rows}
        return replace(scores, notes=(*scores.notes, *texts), used=("human",) if kinds & set(data.human or ()) else ())

    def rows(self, path: Path) -> Rows:
        """Return every rating."""
        return list(enumerate(rows_of(path, self.inside, self.columns), 1))

    def rating(self, row: Mapping[str, Any], number: int, data: DataSettings) -> Rating:
        """Return a row as a rating."""
        response, name = (text_of(field(row, *paths)) for paths in (self.response, self.name))
        if not response or not name:
            raise InputError(
                f"row {number}: expected a rating of {self.tool}, with a name in {listed(self.name)} and the response "
                f"in {listed(self.response)}."
            )
        kind = text_of(field(row, *self.kind)) or ""
        human = self.is_human(kind, data)
        by = text_of(field(row, *(self.person if human else self.judge))) or ("" if human else kind)
        return Rating(response, name, by.strip(), human, score_of(field(row, *self.value)))

    def is_human(self, kind: str, data: DataSettings) -> bool:
        """Return whether a kind of rater is human; prompt the user if the file does not show it."""
        if kind.upper() in self.people or kind in (data.human or ()):
            return True
        if kind.upper() in self.judges or kind in systems_of(data):
            return False
        named = kind if 0 < len(kind) <= 30 and kind.isprintable() else "NAME"
        ways = [("a judge gave them", ("--system", named)), ("people gave them", ("--human", named))]
        raise QuestionError(f"it is unclear who gave the ratings with source '{named}'. A judge, or people?", ways)


def _meet(found: Sequence[Rating]) -> bool:
    people, judges = ({each.response for each in found if each.human is human} for human in (True, False))
    return bool(people & judges)


class Phoenix(RatingsReader):
    """Reader of Phoenix annotations."""

    key = "phoenix"


class MlflowAssessments(RatingsReader):
    """Reader of MLflow assessments: each trace contains a list of them, which is text in a CSV file."""

    key = "mlflow"

    def rows(self, path: Path) -> Rows:
        """Return the assessments of all traces, except overridden ones."""
        return [
            (number, {**each, "trace_id": trace.get("trace_id")})
            for number, row in super().rows(path)
            for trace in [row["info"] if isinstance(row.get("info"), Mapping) else row]  # as Trace.to_json has them
            for each in _listed(trace.get("assessments"), number)
            if each.get("valid") is not False
        ]


def _listed(cell: Any, number: int) -> list[Mapping[str, Any]]:
    cell = cell.strip() or None if isinstance(cell, str) else cell
    found = value_in(cell) if isinstance(cell, str) else cell or []
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise InputError(f"row {number}: expected a list of assessment objects, in JSON or Python syntax.")
    return found


class Langfuse(RatingsReader):
    """Reader of Langfuse scores; comments are skipped, and categories may have numbers."""

    key = "langfuse"

    def rows(self, path: Path) -> Rows:
        """Return the scores; categories are numbers if every category of a score has one, otherwise words."""
        rows, pairs = [], defaultdict[str, set[tuple[str | None, str | None]]](set)
        for number, row in super().rows(path):
            kind, word = field(row, "dataType", "data_type"), field(row, "stringValue", "string_value")
            if str(kind).upper() not in ("TEXT", "CORRECTION"):
                category = str(row.get("name")) if str(kind).upper() == "CATEGORICAL" else None
                rows.append((number, row, category, word))
                if category is not None:
                    pairs[category].add((text_of(word), text_of(row.get("value"))))
        words = {
            name
            for name, found in pairs.items()
            if len(found) < 2 or any(len(set(each)) < len(found) for each in zip(*found, strict=True))
        }
        return [
            (number, {**row, "value": word} if category in words and word is not None else row)
            for number, row, category, word in rows
        ]


class LangSmith(RatingsReader):
    """Reader of LangSmith feedback and experiment tables."""

    key = "langsmith"

    def recognises(self, path: Path) -> bool:
        """Return whether a file has the columns of feedback or of an experiment, or begins like their JSON."""
        return super().recognises(path) or _is_experiment(path)

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per feedback, or one row per run of an experiment."""
        if not _is_experiment(path):
            return super().read(path, data)
        rows = rows_of(path)
        people = {*(data.human or ()), *human_columns(name for row in rows for name in row)}
        outputs = []
        for number, row in enumerate(rows):
            scores = {name for name in row if name.startswith(FEEDBACK) and name not in people}
            known = {name: text_of(value) for name, value in row.items() if name and name not in scores}
            outputs.append(Output(str(number), known, {name: score_of(row[name]) for name in row if name in scores}))
        has_id = any("id" in output.known for output in outputs)
        return by_response(outputs, data, tool=self.tool, id_column="id" if has_id else "example_id")


FEEDBACK = "feedback."


def _is_experiment(path: Path) -> bool:
    names = names_of(path)
    return {"example_id", "execution_time"} <= names and any(name.startswith(FEEDBACK) for name in names)
