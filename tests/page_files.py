"""The files that commands on pages name, made small: scores in every form, runs, policies, cards."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import judge_files
import numpy as np
import pandas as pd
import postgresql_server
import trait_files
from simulated import simulated

RSMEVAL = Path(__file__).parent / "rsmtool" / "cases" / "zeros-kept"
EXTRA = ("judge", "judge_a", "judge_b", "essay", "item", "prompt", "grade")
"""Columns of scores that a file has where a command names them."""


def frame(named: Sequence[str] = (), n: int = 240) -> pd.DataFrame:
    """Return scores of an engine and two raters, half of them scored twice, with the columns that are named."""
    random = np.random.default_rng(7)
    true = random.normal(3.5, 1, n)
    ratings = np.clip(np.rint(true[:, None] + random.normal(0, 0.5, (n, 2))), 1, 6)
    scores: dict[str, object] = {
        "response": [f"R{place:04d}" for place in range(n)],
        "engine": (true + random.normal(0, 0.4, n)).round(2),
        "rater_1": ratings[:, 0],
        "rater_2": np.where(np.arange(n) % 2, np.nan, ratings[:, 1]),
        "gender": np.where(random.random(n) < 0.5, "female", "male"),
        "first_language": random.choice(["Spanish", "Hindi", "Wolof"], n),
    }
    for name in named:
        if name.startswith("judge"):
            scores[name] = (true + random.normal(0, 0.5, n)).round(2)
        elif name == "essay":
            scores[name] = [f"Essay {place}. " + "It is about the sea. " * (place % 7) for place in range(n)]
        else:
            scores[name] = np.where(np.arange(n) < n / 2, "P017", "P018")
    return pd.DataFrame(scores)


def write_scores(path: Path, named: Sequence[str]) -> None:
    """Write the scores in the form that the name of the file asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = frame(named)
    if path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)


def write_parts(path: Path, named: Sequence[str]) -> None:
    """Write the scores as two files, for a pattern or a folder."""
    pattern = path if "*" in path.name else path / "part-*.parquet"
    pattern.parent.mkdir(parents=True, exist_ok=True)
    for place, part in enumerate(np.array_split(np.arange(240), 2)):
        half, target = frame(named).iloc[part], pattern.with_name(pattern.name.replace("*", str(place)))
        if target.suffix == ".parquet":
            half.to_parquet(target)
        else:
            half.to_csv(target, index=False)


def write_traits(path: Path, _named: Sequence[str]) -> None:
    """Write scores on several traits."""
    pd.DataFrame(trait_files.wide(trait_files.on_points())).to_csv(path, index=False)


def write_ratings(path: Path, _named: Sequence[str]) -> None:
    """Write three raters' scores, without an engine; some were not collected."""
    _, ratings, _, random = simulated(120, 3, 3, mean=3, sd=0.8, error=0.5, ends=(1, 5))
    ratings[random.random((120, 3)) < 0.3] = np.nan
    table = pd.DataFrame(ratings, columns=["rater_1", "rater_2", "rater_3"])
    table.insert(0, "response", [f"R{place}" for place in range(120)])
    table.to_csv(path, index=False)


def write_judge(path: Path, _named: Sequence[str]) -> None:
    """Write a judge's scores, and the labels that people gave in a second file."""
    table = frame().rename(columns={"response": "response_id", "engine": "judge"})
    table[["response_id", "judge"]].to_csv(path, index=False)
    table[["response_id", "rater_1", "rater_2"]].to_csv(path.with_name("labels.csv"), index=False)


def write_rsmeval(path: Path, _named: Sequence[str]) -> None:
    """Write a configuration of rsmeval, with its data."""
    shutil.copytree(RSMEVAL, path.parent, dirs_exist_ok=True, ignore=shutil.ignore_patterns("expected"))
    (path.parent / "config.json").rename(path)


def write_items(path: Path, _named: Sequence[str]) -> None:
    """Write two raters' and an engine's scores on one item, with scores on three other items."""
    items = np.clip(np.rint(frame()[["engine"]].to_numpy() + np.random.default_rng(5).normal(0, 0.8, (240, 3))), 1, 5)
    frame().assign(i1=items[:, 0], i2=items[:, 1], i3=items[:, 2]).to_csv(path, index=False)


def write_database(path: Path, _named: Sequence[str]) -> None:
    """Write a DuckDB file with the table of essays."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(postgresql_server.CREATE)
        connection.execute(postgresql_server.INSERT)


MAKERS: dict[str, Callable[[Path, Sequence[str]], None]] = {
    "scores.csv": write_scores,
    "scores.parquet": write_scores,
    "part-*.csv": write_parts,
    "scores/part-*.csv": write_parts,
    "dataset/": write_parts,
    "traits.csv": write_traits,
    "ratings.csv": write_ratings,
    "judge.csv": write_judge,
    "out.json": lambda path, _: void(judge_files.promptfoo_judges(path)),
    "config_rsmeval.json": write_rsmeval,
    "items.csv": write_items,
    "ours.toml": lambda path, _: void(path.write_text('name = "ours"\ninclude = ["prmse"]\n', encoding="utf-8")),
    "card.toml": lambda path, _: void(path.write_text('[engine]\nname = "engine"\n', encoding="utf-8")),
    "duckdb:scores.duckdb": lambda path, named: write_database(path.with_name("scores.duckdb"), named),
}
"""What a command names -> what makes it."""


def void(_made: object) -> None:
    """Return nothing."""
