"""Files of scores as people make them, drawn at random: who rated, how they are called, in which layout and order."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

PEOPLE = (
    "human{n}", "h{n}", "rater_{n}", "annotator_{n:02d}", "expert_{n}", "R{n}", "teacher{n}", "hter_{n}", "grader {n}",
    "score_human_{n}", "human_score_{n}", "reader-{n}",
)  # fmt: skip
"""How the columns, or the names, of raters are made."""

ENGINES = (
    "system", "engine", "model", "llm_judge", "gpt-4o", "chatgpt_few", "gemini_flash", "claude-3-opus", "command-r",
    "sonnet", "o3", "phi_mini", "machine_score", "prediction", "llama3", "mistral_large",
)  # fmt: skip
"""How engines are called."""

WORDS = (("no", "yes"), ("fail", "pass"), ("False", "True"), ("incorrect", "correct"), ("bad", "good"))


@dataclass(frozen=True)
class DrawnFile:
    """One file, and what is true of it.

    Parameters
    ----------
    frame
        Its rows.
    long
        Whether each row is a rating.
    people, engines
        Columns, or names of raters, that are people and engines.
    ratings
        Response -> person -> score; what people gave.
    settings
        What the user types beside the name of the file.
    """

    frame: pd.DataFrame
    long: bool
    people: tuple[str, ...]
    engines: tuple[str, ...]
    ratings: dict[str, dict[str, float]]
    settings: dict[str, Any] = field(default_factory=dict)


def drawn_file(seed: int) -> DrawnFile:
    """Return the file of a seed."""
    rng = np.random.default_rng(seed)
    n, raters = int(rng.integers(20, 60)), int(rng.integers(1, 7))
    low, points = float(rng.choice([0, 1])), int(rng.integers(2, 7))
    ability = rng.normal(0, 1, n)
    scores = _graded(ability[:, None] + rng.normal(0, 0.5, (n, raters)), low, points)
    if rng.random() < 0.6 and raters > 1:
        scores[rng.random(scores.shape) < rng.uniform(0.1, 0.6)] = np.nan
    people = _alike(rng, raters)
    names = tuple(rng.choice(ENGINES, int(rng.integers(1, 4)), replace=False).tolist())
    engines = {name: _scored(rng, ability, low, points) for name in names}
    words = points == 2 and rng.random() < 0.5
    ids = [f"{rng.choice(['essay', 'resp', 'A'])}-{number:04d}" for number in rng.permutation(n)]
    besides = _besides(rng, n)
    long = bool(rng.random() < 0.5)
    ratings = {
        id_: {who: float(score) for who, score in zip(people, row, strict=True) if np.isfinite(score)}
        for id_, row in zip(ids, scores, strict=True)
    }
    if long:
        frame = _long(rng, ids, people, scores, engines, besides)
    else:
        columns = dict(zip(people, scores.T, strict=True)) | engines | _runs(rng, engines)
        frame = pd.DataFrame({"response_id": ids, **columns, **besides})
    if words:
        scored = [name for name in frame if name in (*people, "score") or str(name).startswith(names)]
        frame = _in_words(frame, scored, low, WORDS[int(rng.integers(len(WORDS)))])
    return DrawnFile(_mixed(rng, frame, long), long, people, names, ratings)


def _graded(scores: np.ndarray, low: float, points: int) -> np.ndarray:
    """Return scores on the points of a scale, its ends among them."""
    graded = low + np.clip(np.rint((scores + 1.5) / 3 * (points - 1)), 0, points - 1)
    graded[:2, :] = [[low], [low + points - 1]]
    return np.asarray(graded)


def _scored(rng: np.random.Generator, ability: np.ndarray, low: float, points: int) -> np.ndarray:
    """Return an engine's scores, on points or between them."""
    found = ability + rng.normal(0, 0.5, len(ability))
    if points == 2 or rng.random() < 0.4:
        return _graded(found[:, None], low, points)[:, 0]
    return np.round(low + (found + 1.5) / 3 * (points - 1), 2)


def _alike(rng: np.random.Generator, raters: int) -> tuple[str, ...]:
    """Return names of one pattern."""
    pattern, first = str(rng.choice(PEOPLE)), int(rng.integers(0, 2))
    return tuple(pattern.format(n=first + number) for number in range(raters))


def _besides(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Return columns that are no scores."""
    every = {
        "gender": rng.choice(["f", "m"], n),
        "prompt": rng.choice([f"P{number}" for number in range(4)], n),
        "word_count": rng.integers(50, 400, n),
        "essay_text": ["Some words about " + "x" * int(size) for size in rng.integers(1, 40, n)],
        "submitted": pd.date_range("2026-01-01", periods=n, freq="h").strftime("%Y-%m-%d %H:%M"),
    }
    kept = rng.choice(list(every), int(rng.integers(0, 4)), replace=False)
    return {name: every[name] for name in kept}


def _runs(rng: np.random.Generator, engines: dict[str, Any]) -> dict[str, Any]:
    """Return columns of further runs of an engine, or none."""
    name, own = next(iter(engines.items()))
    if rng.random() < 0.7:
        return {}
    return {f"{name}_run{number}": rng.permutation(own) for number in (2, 3)}


def _long(
    rng: np.random.Generator, ids: list[str], people: Any, scores: Any, engines: Any, besides: dict[str, Any]
) -> pd.DataFrame:
    """Return a row for each rating; an engine may be a rater, or have a column beside."""
    every = dict(zip(people, scores.T, strict=True))
    if len(engines) == 1 and rng.random() < 0.4:
        besides = {**besides, **engines}
    else:
        every |= engines
    parts = [pd.DataFrame({"response_id": ids, "rater": name, "score": own, **besides}) for name, own in every.items()]
    return pd.concat(parts).dropna(subset=["score"])


def _in_words(frame: pd.DataFrame, columns: Any, low: float, words: tuple[str, str]) -> pd.DataFrame:
    named = {low: words[0], low + 1: words[1]}
    return frame.assign(**{name: frame[name].map(named) for name in columns})


def _mixed(rng: np.random.Generator, frame: pd.DataFrame, long: bool) -> pd.DataFrame:
    """Return the rows in some order (of files of ratings also sorted by rater), and the columns in some order."""
    columns = rng.permutation(frame.columns)
    if long and rng.random() < 0.4:
        return frame.sort_values(["rater", "response_id"])[columns].reset_index(drop=True)
    return frame.sample(frac=1, random_state=int(rng.integers(1 << 30)))[columns].reset_index(drop=True)
