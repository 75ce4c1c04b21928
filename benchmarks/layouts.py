"""Draw files of scores in many layouts with known truth, and count how `reportgen evaluate` reads them.

``python benchmarks/layouts.py [FILES] [FIRST_SEED] [FOLDER]`` prints the counts; FOLDER keeps the files that were not
read right.  Every file is the draw of one seed, so that it can be drawn again.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

RATERS = (
    "rater{n}", "Rater {n}", "R{n}", "human_{n}", "h{n}", "grader_{n}", "score_{n}", "Score {n}", "marker{n}",
    "expert_{a}", "annotator_{n:02d}", "teacher {n}", "{first} score", "{first}_reader", "coder_{n}", "evaluator{n}",
    "reviewer {n}", "assessor-{n}", "examiner{n}", "TA {n}", "score_human_{n}", "human score {n}", "rating{n}",
    "mark{n}", "sc{n}", "{name}", "Prof. {name}", "{name}_score", "Bewertung {n}", "evaluador_{n}", "correcteur{n}",
    "kestrel_{n}", "zq{n}", "{first}_read", "HumanRater{n}", "scorer.{n}", "essay_score_{n}",
    "{name} ({low:g}-{high:g})", "moderator {n}", "label_{n}",
)  # fmt: skip
"""How columns of raters are called; some by nothing that says so."""

ENGINES = (
    "system", "engine", "model", "gpt-4o", "claude-3-opus", "AES", "autoscore", "e-rater", "predicted_score", "pred",
    "ai_score", "AI grade", "ml_prediction", "machine", "bert_base", "llm_judge", "svm", "roberta-large", "engine_v2",
    "auto_mark", "computer score", "yhat", "algorithm", "robo", "nn_output", "Prediction", "hal9000", "orbit",
    "score_auto", "gemini_flash", "machine_score", "Engine Score", "llama3", "mistral_large", "o3", "automated_score",
    "score_model",
)  # fmt: skip
"""How columns of engines are called."""

FIRST, NAMES = ("first", "second", "third", "fourth"), ("Anna", "Ben", "Chidi", "Dora")
TRAITS = (
    "ideas",
    "organization",
    "voice",
    "conventions",
    "clarity",
    "TA",
    "CC",
    "LR",
    "content",
    "style",
    "fluency",
    "ta_2",
)
SCALES = ((1, 6, 1), (1, 5, 1), (0, 4, 1), (0, 3, 1), (1, 4, 0.5), (2, 12, 1), (0, 100, 5), (0, 10, 1), (1, 9, 1))
IDS = ("id", "essay_id", "response", "doc", "script", "Case", "Student ID", "SIS id", "nr", "transcript", "answer_key")
WHO = ("rater", "marker", "grader", "Scored by", "annotator", "who", "reviewer_email", "rater_id", "coder", "Kodierer")
POINTS = ("score", "rating", "mark", "points", "Note", "value", "level", "Score given", "grade")


@dataclass
class Drawn:
    """A file and what is true of it.

    columns, cells: Column -> cells as text, and their delimiter.
    human, engines, long, traits: Columns that raters and engines have; of one row per rating the columns of response,
        rater and score, and the engines among the raters; how many traits there are.
    groups, never: Columns that are groups, and that are neither groups nor scores.
    asks: Whether only a question is right.
    ends: What the scores of raters lie between.
    """

    columns: dict[str, list[str]]
    human: set[str]
    engines: set[str]
    ends: tuple[float, float]
    long: tuple[str, ...] = ()
    traits: int = 0
    groups: set[str] = field(default_factory=set)
    never: set[str] = field(default_factory=set)
    asks: bool = False
    delimiter: str = ","
    below: list[list[str]] = field(default_factory=list)

    def text(self) -> str:
        """Return the file."""
        rows = [list(self.columns), *map(list, zip(*self.columns.values(), strict=True)), *self.below]
        quoted = [[f'"{cell}"' if set(cell) & {self.delimiter, '"'} else cell for cell in row] for row in rows]
        return "".join(self.delimiter.join(row) + "\n" for row in quoted)


def drawn(seed: int) -> Drawn:
    """Return the file of a seed."""
    rng = np.random.default_rng(seed)
    n, scale = int(rng.integers(40, 160)), SCALES[int(rng.integers(len(SCALES)))]
    raters, engines = int(rng.integers(1, 5)), int(rng.choice([0, 1, 1, 1, 1, 2, 3]))
    raters = max(raters, 2) if not engines else raters
    made = _Made(rng, n, scale, rng.normal(0, 1, n))
    kind = rng.random()
    file = (
        made.traits()
        if kind < 0.12
        else made.long(max(raters, 2), engines)
        if kind < 0.37
        else made.wide(raters, engines)
    )
    order = rng.permutation(list(file.columns))
    if rng.random() < 0.5:
        file.columns = {str(name): file.columns[str(name)] for name in order}
    if not file.long and rng.random() < 0.08:
        file.below = [["Average", *["3.1"] * (len(file.columns) - 1)]]
    if rng.random() < 0.1:
        file.delimiter = ";"
        file.columns = {name: [_comma(cell) for cell in cells] for name, cells in file.columns.items()}
    return file


def _comma(cell: str) -> str:
    return cell.replace(".", ",") if cell.replace(".", "", 1).isdigit() else cell


@dataclass
class _Made:
    rng: np.random.Generator
    n: int
    scale: tuple[float, float, float]
    ability: np.ndarray

    def points(self, noise: float = 0.5) -> np.ndarray:
        """Return scores on the points of the scale."""
        low, high, step = self.scale
        raw = (low + high) / 2 + (self.ability + self.rng.normal(0, noise, self.n)) * (high - low) / 5
        found = np.clip(low + np.rint((raw - low) / step) * step, low, high)
        found[:2] = low, high
        return found

    def engine(self, kind: str) -> np.ndarray:
        """Return an engine's scores: on points, between them, or on a scale of their own."""
        low, high, _ = self.scale
        if kind == "points":
            return self.points()
        smooth = np.clip((self.points(0.6) + self.rng.normal(0, (high - low) / 30, self.n) - low) / (high - low), 0, 1)
        ends = {"percent": (0, 100), "unit": (0, 1)}.get(kind, (low, high))
        return np.round(ends[0] + smooth * (ends[1] - ends[0]), 0 if kind == "percent" else 2)

    def names(self, raters: int) -> list[str]:
        """Return names of raters made in one way."""
        way = str(self.rng.choice(RATERS))
        ends = {"low": self.scale[0], "high": self.scale[1]}
        return [way.format(n=i + 1, a="abcd"[i], first=FIRST[i], name=NAMES[i], **ends) for i in range(raters)]

    def ids(self) -> dict[str, list[str]]:
        """Return a column of ids, or none."""
        stem = str(self.rng.choice(["", "E-", "resp", "10"]))
        return {str(self.rng.choice(IDS)): [f"{stem}{i + 100}" for i in self.rng.permutation(self.n)]}

    def besides(self, first: np.ndarray, other: np.ndarray) -> tuple[dict[str, list[str]], set[str], set[str]]:
        """Return columns that are no scores of their own, and which of them are groups and never are."""
        rng, n = self.rng, self.n
        mean, texts = (first + other) / 2, ["An answer with some words in it, and more of them. " * 5] * n
        dates = [f"{1 + i % 12}/{1 + i % 28}/2026 10:{i % 60:02d}:00" for i in range(n)]
        bands = np.searchsorted(np.quantile(first, [0.2, 0.4, 0.6, 0.8]), first)
        every: dict[str, Any] = {
            "gender": rng.choice(["f", "m"], n), "first_language": rng.choice(["ar", "es", "zh"], n),
            "wing": rng.choice(["north", "south"], n), "text": [f"{t}{i}" for i, t in enumerate(texts)],
            "word_count": rng.integers(80, 600, n), "Timestamp": dates,
            "date": [f"{1 + i % 28}.1.2026" for i in range(n)], "batch": ["pilot"] * n,
            "passed": np.where(first > np.median(first), "yes", "no"),
            "Final Grade": np.array([*"FDCBA"])[bands], "final_score": np.floor(mean + 0.5), "total": first + other,
            "mean": mean, "confidence": rng.uniform(0.5, 1, n).round(3), "Unnamed: 0": np.arange(n),
            "grammar_errors": rng.integers(0, 30, n), "seconds": rng.uniform(20, 900, n).round(1),
            "comment": rng.choice(["", "see me", "well done", "too short"], n), "rank": rng.permutation(n) + 1,
        }  # fmt: skip
        kept = [str(name) for name in rng.choice(list(every), int(rng.integers(0, 7)), replace=False)]
        found = {name: [_cell(each) for each in every[name]] for name in kept}
        groups = {"gender", "first_language"}.intersection(kept)
        return found, groups, set(kept) - groups - {"wing", "comment", "passed"}

    def wide(self, raters: int, engines: int) -> Drawn:
        """Return a row for each response."""
        rng, names = self.rng, self.names(raters)
        scores = [self.points() for _ in names]
        called = [str(name) for name in rng.choice(ENGINES, engines, replace=False)]
        kind = str(rng.choice(["smooth", "smooth", "points", "points", "percent", "unit"]))
        own = {"percent": (0.0, 100.0), "unit": (0.0, 1.0)}.get(kind, self.scale[:2])
        columns = {**self.ids(), **{name: _cells(own) for name, own in zip(names, scores, strict=True)}}
        columns |= {name: _cells(self.engine(kind)) for name in called}
        more, groups, never = self.besides(scores[0], scores[-1] if raters > 1 else self.points())
        never -= {"final_score", "total", "mean"} if raters < 2 else set()
        more = {
            name: cells for name, cells in more.items() if raters > 1 or name not in ("final_score", "total", "mean")
        }
        asks = bool(engines) and own != self.scale[:2]
        if rng.random() < 0.25:  # some scores are missing, in some way
            code = str(rng.choice(["", "", "NA", "n/a", "99", "-9", "999"]))
            gone = rng.random(self.n) < 0.1
            columns[names[-1]] = [code if out else cell for cell, out in zip(columns[names[-1]], gone, strict=True)]
        return Drawn({**columns, **more}, set(names), set(called), self.scale[:2], (), 0, groups, never, asks)

    def traits(self) -> Drawn:
        """Return a row for each response with several traits, each rated and scored by an engine."""
        rng = self.rng
        traits = [str(each) for each in rng.choice(TRAITS, int(rng.integers(2, 5)), replace=False)]
        people = [str(each) for each in (["h1", "h2"], ["rater1", "rater2"], ["human"])[int(rng.integers(3))]]
        engine = str(rng.choice(["engine", "machine", "gpt4", "model", "pred"]))
        way = str(rng.choice(["{t}_{w}", "{w}_{t}", "{t} {w}", "{w}.{t}"]))
        columns = {**self.ids(), **{way.format(t=t, w=w): _cells(self.points()) for t in traits for w in people}}
        columns |= {way.format(t=t, w=engine): _cells(self.engine("smooth")) for t in traits}
        return Drawn(columns, set(), set(), self.scale[:2], (), len(traits))

    def long(self, raters: int, engines: int) -> Drawn:
        """Return a row for each rating."""
        rng = self.rng
        people = [["R{}", "{n}", "{n} Lee", "marker{}", "{n}@school.org"][int(rng.integers(5))]] * raters
        people = [way.format(i + 1, n=NAMES[i]) for i, way in enumerate(people)]
        called = [
            str(name)
            for name in rng.choice(["gpt-4o", "engine", "claude-3", "llm_judge", "AI"], engines, replace=False)
        ]
        id_, ids = next(iter(self.ids().items()))
        who, points = str(rng.choice(WHO)), str(rng.choice(POINTS))
        scored = [(name, zip(ids, self.points(), strict=True)) for name in (*people, *called)]
        rows = [(key, name, _cell(score)) for name, own in scored for key, score in own
                if name in called or rng.random() < 0.7]  # fmt: skip
        if rng.random() < 0.5:
            rows = [rows[i] for i in rng.permutation(len(rows))]
        columns = dict(zip((id_, who, points), map(list, zip(*rows, strict=True)), strict=True))
        sex = {key: str(rng.choice(["f", "m"])) for key in ids}
        columns |= {"gender": [sex[key] for key in columns[id_]]} if rng.random() < 0.4 else {}
        columns |= (
            {"Timestamp": [f"{1 + i % 12}/{1 + i % 28}/2026 09:00" for i in range(len(rows))]}
            if rng.random() < 0.3
            else {}
        )
        return Drawn(columns, set(), set(called), self.scale[:2], (id_, who, points))


def _cells(scores: np.ndarray) -> list[str]:
    return [_cell(score) for score in scores]


def _cell(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int | np.number) else str(value)


def wrong_in(folder: Path, file: Drawn) -> str:
    """Return what is wrong in the reading of the reports below a folder; empty when nothing is."""
    found = [json.loads(path.read_text())["report"] for path in sorted(folder.rglob("results.json"))]
    found = [each["evaluation"] for each in found if each.get("evaluation")]
    if not found:
        return "no evaluation"
    roles: dict[str, set[str]] = {}
    for role in (role for each in found for role in each["roles"]):
        roles.setdefault(role["role"], set()).update(name.strip() for name in role["columns"])
    if file.traits:
        names = {str(path.parent.relative_to(folder)).split("/")[0] for path in folder.rglob("results.json")} - {"."}
        return "" if len(names) == file.traits else f"{len(names)} traits"
    pairs = {"system": file.engines, "human": file.human}
    if file.long:
        pairs = {"system": file.engines, "rater": {file.long[1]}, "score": {file.long[2]}}
    for role, names in pairs.items():
        if roles.get(role, set()) != names:
            return f"{role}: {sorted(roles.get(role, ()))}"
    groups = roles.get("group", set())
    if not file.groups <= groups or groups & file.never:
        return f"groups: {sorted(groups)}"
    ends = {(each["scale"]["low"], each["scale"]["high"]) for each in found if not each["scale"].get("labels")}
    return f"scales: {ends}" if any(low < file.ends[0] or high > file.ends[1] for low, high in ends) else ""


def run(words: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in a process of its own; return its exit code and what it says of errors."""
    said = folder / "said"
    if not (child := os.fork()):
        code = 98
        try:
            from reportgen.cli.app import main

            os.chdir(folder)
            for stream in (1, 2):
                os.dup2(os.open(said if stream == 2 else os.devnull, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), stream)
            os.environ["COLUMNS"], sys.argv = "400", words
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.read_text(errors="replace")


def outcome(file: Drawn, folder: Path) -> tuple[str, str]:
    """Return how a file is read, and why."""
    (folder / "scores.csv").write_text(file.text())
    code, said = run(["reportgen", "evaluate", "scores.csv", "out", "--tables-only"], folder)
    if code == 0:
        wrong = wrong_in(folder / "out", file) or ("was not asked" if file.asks else "")
        return ("quietly wrong", wrong) if wrong else ("right", "")
    commands = [shlex.split(line) for line in said.splitlines() if line.strip().startswith("reportgen evaluate ")]
    if not commands:
        return "dead end", said
    answers = []
    for number, words in enumerate(commands):
        words[3] = f"out{number}"
        code, again = run(words, folder)
        second = code and "reportgen evaluate" in again
        answers.append(wrong_in(folder / words[3], file) if not code else "asked again" if second else again)
    if "" in answers:
        return "asked, the truth among the commands", said
    return ("asked twice" if "asked again" in answers else "asked without the truth"), f"{said}\n{answers}"


def main(files: int = 1000, first: int = 0, kept: str = "") -> None:
    """Count how so many files are read, from a first seed on."""
    import reportgen.cli.evaluate
    import reportgen.reports.systems  # noqa: F401  # so that no process imports them again

    counts = Counter[str]()
    for seed in range(first, first + files):
        folder = Path(tempfile.mkdtemp())
        how, why = outcome(drawn(seed), folder)
        counts[how] += 1
        if kept and how != "right":
            Path(kept).mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "scores.csv", Path(kept, f"{seed}.csv"))
            Path(kept, f"{seed}.txt").write_text(f"{how}: {why}\n")
        shutil.rmtree(folder)
    for how, number in counts.most_common():
        print(f"{number:6,} {how}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])  # type: ignore[arg-type]
