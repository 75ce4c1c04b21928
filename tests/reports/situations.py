"""Files of scores of many designs, with the settings that declare each design, made from seeded random numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Situation:
    """One file and how it is declared.

    Parameters
    ----------
    frame
        The scores.
    settings
        What the run is given besides.
    """

    frame: pd.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)


def rated(
    n: int = 300,
    raters: int = 2,
    *,
    seed: int = 1,
    error: float = 0.6,
    engine_error: float = 0.5,
    low: float = 1,
    high: float = 6,
    step: float = 1,
    engine_step: float = 0,
    bias: float = 0,
    double: int | None = None,
) -> pd.DataFrame:
    """Return responses with raters `human1`, `human2`, ... and a score `engine`; `double` of them are scored twice."""
    rng = np.random.default_rng(seed)
    true = rng.normal((low + high) / 2, (high - low) / 5, n)
    unit = (high - low) / 5

    def given(errors: float, points: float, shift: float = 0) -> Floats:
        scores = true + shift + rng.normal(0, errors * unit, n)
        return np.clip(low + points * np.rint((scores - low) / points) if points else scores.round(3), low, high)

    columns: dict[str, Any] = {"id": [f"r{row}" for row in range(n)]}
    columns |= {f"human{place + 1}": given(error, step) for place in range(raters)}
    frame = pd.DataFrame(columns | {"engine": given(engine_error, engine_step, bias * unit)})
    for place in range(1, raters):
        if double is not None:
            frame.loc[double:, f"human{place + 1}"] = np.nan
    return frame


def grouped(frame: pd.DataFrame, groups: int, *, bias: float = 0, name: str = "first_language") -> pd.DataFrame:
    """Return responses with a column of groups; the engine gives the first one `bias` more."""
    rng = np.random.default_rng(7)
    group = rng.integers(0, groups, len(frame))
    engine = np.clip(frame["engine"] + bias * (group == 0), frame["engine"].min(), frame["engine"].max())
    return frame.assign(engine=engine, **{name: [f"L{place}" for place in group]})


def gaps(frame: pd.DataFrame, raters: int) -> pd.DataFrame:
    """Return responses of which each rater has scored some at random, one rater at least."""
    rng = np.random.default_rng(11)
    keep = rng.random((len(frame), raters)) < 0.6
    keep[np.arange(len(frame)), rng.integers(0, raters, len(frame))] = True
    return frame.assign(**{f"human{k + 1}": frame[f"human{k + 1}"].where(keep[:, k]) for k in range(raters)})


def labelled(names: tuple[str, ...], columns: tuple[str, ...], n: int = 240, right: float = 0.8) -> pd.DataFrame:
    """Return columns of labels, each with its share of the true ones, the later the better."""
    rng = np.random.default_rng(13)
    true = rng.integers(0, len(names), n)
    data: dict[str, Any] = {"id": [f"r{row}" for row in range(n)]}
    for place, column in enumerate(columns):
        same = rng.random(n) < right + 0.05 * place
        data[column] = [names[each] for each in np.where(same, true, rng.integers(0, len(names), n))]
    return pd.DataFrame(data)


def _systems(frame: pd.DataFrame, **errors: float) -> pd.DataFrame:
    rng = np.random.default_rng(17)
    engine = frame.pop("engine")
    return frame.assign(
        **{name: np.clip(engine + rng.normal(0, error, len(frame)), 1, 6) for name, error in errors.items()}
    )


def _mixed() -> Situation:
    """One system agrees more closely, the other has the right mean and spread."""
    frame = rated(1500, engine_error=0.35, double=600)
    rng = np.random.default_rng(19)
    close = np.clip(frame["engine"] + 0.35, 1, 6)
    frame = frame.assign(alpha_v1=np.clip(frame.pop("engine") + rng.normal(0, 0.8, 1500), 1, 6), beta_v2=close)
    return Situation(frame, {"systems": ["alpha_v1", "beta_v2"], "scale": "1:6"})


def _long_ratings() -> Situation:
    frame = gaps(rated(200, 4), 4).drop(columns="engine").melt("id", var_name="rater", value_name="score").dropna()
    return Situation(frame.reset_index(drop=True), {"ratings_only": True, "scale": "1:6"})


def _judge() -> Situation:
    frame = labelled(("fail", "pass"), ("human_verdict", "llm_judge"), 150)
    return Situation(frame, {"human": ["human_verdict"], "system": "llm_judge"})


def _candidates() -> Situation:
    frame = rated(320)
    return Situation(
        frame.assign(candidate=[f"c{row // 4}" for row in range(320)]), {"candidate": "candidate", "scale": "1:6"}
    )


def _items() -> Situation:
    frame = rated(600)
    return Situation(
        frame.assign(prompt=[f"P{row % 3}" for row in range(600)]),
        {"item": "prompt", "groups": ["prompt"], "scale": "1:6"},
    )


def _test(**settings: Any) -> Situation:
    rng = np.random.default_rng(23)
    frame = rated(500, engine_error=0.3)
    items = {f"item{place}": rng.integers(0, 2, 500) for place in range(1, 5)}
    return Situation(frame.assign(**items), {"scale": "1:6", "item_scores": list(items), **settings})


def _one_shared(n: int = 120) -> Situation:
    return Situation(rated(n, raters=2, double=1), {"scale": "1:6"})


def _ratings_of_two(double: int) -> Situation:
    frame = rated(120, double=double).drop(columns="engine")
    return Situation(frame, {"ratings_only": True, "human": ["human1", "human2"], "scale": "1:6"})


def _runs() -> Situation:
    frame = rated(150, engine_step=1)
    rng = np.random.default_rng(29)
    engine = frame.pop("engine")
    runs = {
        f"judge_run_{k}": np.clip(engine + rng.integers(-1, 2, 150) * (rng.random(150) < 0.2), 1, 6) for k in (1, 2, 3)
    }
    return Situation(frame.assign(**runs), {"system": "judge_run_1", "runs": list(runs)[1:], "scale": "1:6"})


def _traits() -> Situation:
    ideas, voice = (rated(150, seed=seed).set_index("id") for seed in (3, 4))
    frame = ideas.add_prefix("ideas_").join(voice.add_prefix("voice_")).reset_index()
    return Situation(frame, {"scale": "1:6"})


def _lower(frame: pd.DataFrame, points: float) -> pd.DataFrame:
    """Return the same scores some points lower, not below 1: most responses get the lowest one."""
    columns = [str(column) for column in frame if column != "id"]
    return frame.assign(**{column: np.clip(frame[column] - points, 1, 6) for column in columns})


def _plain(frame: pd.DataFrame, **settings: Any) -> Situation:
    return Situation(frame, {"scale": "1:6", **settings})


KINDS = ("letter", "story", "essay")
LANGUAGE = ["first_language"]
ANY = {"record": "any"}

SITUATIONS: Mapping[str, Callable[[], Situation]] = {
    "two raters": lambda: _plain(rated()),
    "two raters, groups": lambda: _plain(grouped(rated(900), 3), groups=LANGUAGE),
    "interchangeable": lambda: _plain(rated(400), **ANY),
    "interchangeable, gaps": lambda: _plain(gaps(rated(400, 3), 3), **ANY),
    "one rater": lambda: _plain(rated(200, 1)),
    "three raters, gaps": lambda: _plain(rated(300, 3, double=200)),
    "labels": lambda: Situation(
        labelled(KINDS, ("human1", "human2", "engine")), {"labels": ",".join(KINDS), "unordered": True}
    ),
    "labels, one rater": lambda: Situation(
        labelled(KINDS, ("human1", "engine")), {"labels": ",".join(KINDS), "unordered": True}
    ),
    "labels, systems": lambda: Situation(
        labelled(KINDS, ("human1", "human2", "gemini_flash", "gpt_mini")),
        {"labels": ",".join(KINDS), "unordered": True, "systems": ["gemini_flash", "gpt_mini"]},
    ),
    "labels, ratings": lambda: Situation(
        labelled(KINDS, ("human1", "human2", "human3")),
        {"labels": ",".join(KINDS), "unordered": True, "ratings_only": True, "human": ["human1", "human2", "human3"]},
    ),
    "continuous": lambda: Situation(rated(low=0, high=1, step=0), {"scale": "0:1:0"}),
    "continuous, one rater": lambda: Situation(rated(raters=1, low=0, high=1, step=0), {"scale": "0:1:0"}),
    "systems": lambda: _plain(
        _systems(rated(400), gemini_flash=0.1, hter_0=0.6, gpt_few_run1=1.2),
        systems=["gemini_flash", "hter_0", "gpt_few_run1"],
    ),
    "systems, mixed": _mixed,
    "systems, opposite errors": lambda: Situation(
        rated(900, engine_error=0.3).rename(columns={"engine": "a_1"}).assign(
            b_2=lambda f: np.clip(f.a_1 - 0.5, 1, 6), a_1=lambda f: np.clip(f.a_1 + 0.5, 1, 6)
        ),
        {"systems": ["a_1", "b_2"], "scale": "1:6"},
    ),
    "zero or one": lambda: Situation(rated(300, low=0, high=1, engine_step=1, engine_error=1.5, error=1.2)),
    "words": lambda: Situation(labelled(("fail", "pass"), ("human1", "human2", "engine"))),
    "judge": _judge,
    "half points": lambda: Situation(rated(step=0.5, engine_step=0.5, low=1, high=5), {"scale": "1:5:0.5"}),
    "hundred points": lambda: Situation(rated(low=0, high=100), {"scale": "0:100"}),
    "beyond the scale": lambda: _plain(rated().assign(engine=lambda f: f.engine + 1.5)),
    "weight": lambda: _plain(rated(600, engine_error=0.3), impact_weight=3.0),
    "test": _test,
    "test, heavy item": lambda: _test(impact_weight=5.0, impact_cuts=(8.0, 14.0)),
    "ratings": _long_ratings,
    "ratings, two": lambda: _ratings_of_two(60),
    "ratings, one shared": lambda: _ratings_of_two(1),
    "few double": lambda: _plain(rated(600, double=40)),
    "eight double": lambda: _plain(rated(200, double=8)),
    "one shared": _one_shared,
    "perfect engine": lambda: _plain(rated().assign(engine=lambda f: f.human1)),
    "constant engine": lambda: _plain(rated().assign(engine=3.0)),
    "reversed engine": lambda: _plain(rated().assign(engine=lambda f: 7 - f.engine), system_scale="1:6"),
    "worse engine": lambda: _plain(rated(engine_error=1.5)),
    "severe engine": lambda: _plain(rated(engine_error=0.3, bias=-0.8)),
    "noisy raters": lambda: _plain(rated(800, error=2.5)),
    "reversed, noisy": lambda: _plain(rated(600, error=1.0).assign(engine=lambda f: 7 - f.engine), system_scale="1:6"),
    "unfair": lambda: _plain(grouped(rated(1500), 3, bias=0.8), groups=LANGUAGE),
    "two unfair": lambda: _plain(grouped(rated(1500, engine_error=0.2, error=0.3), 2, bias=0.5), groups=LANGUAGE),
    "tiny groups": lambda: _plain(grouped(rated(65), 30), groups=LANGUAGE),
    "many groups": lambda: _plain(grouped(rated(900), 40, bias=1.0), groups=LANGUAGE),
    "five responses": lambda: _plain(rated(5)),
    "traits": _traits,
    "candidates": _candidates,
    "items": _items,
    "runs": _runs,
    "only accuracy required": lambda: _plain(rated(1200, error=1.0, engine_error=0.25), policy="prmse"),
    "only fairness required": lambda: _plain(
        grouped(rated(2000, engine_error=0.2), 2), policy="fairness", groups=LANGUAGE
    ),
    "excellent": lambda: _plain(grouped(rated(3000, engine_error=0.25, error=0.4), 2), groups=LANGUAGE),
    "skewed": lambda: _plain(_lower(rated(500), 2)),
}  # fmt: skip
"""How each file is made, by what is particular about it."""
