"""Evaluations of simulated files: full, without a second rater, without groups, undefined, hostile, many groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from simulated import evaluation_of, framed, simulated

from reportgen.results import Evaluation, Ruling
from reportgen.verdicts.judging import decision_of

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'name'",
    "line\nbreak\ttab",
    "עברית",
    "x" * 300,
    "😀 {{ 7*7 }} {% raw %}",
    "=cmd()|'/c calc'!A0",
    "**bold** `code` | pipe",
)

LANGUAGES = (("Hindi", 700, 0.0), ("Spanish", 500, -0.25), ("Thai", 380, 0.08), ("Urdu", 20, 0.2))


def evaluation(
    *, levels: Sequence[tuple[str, int, float]] = LANGUAGES, column: str = "L1", raters: int = 2,
    undefined: bool = False, more: Mapping[str, str] | None = None, **settings: Any,
) -> Evaluation:  # fmt: skip
    """Return the evaluation of an engine that rates levels of a group by some points too high; no rater gives 6."""
    names, sizes, shifts = zip(*levels, strict=True)
    n = sum(sizes)
    scores = simulated(n, 11, raters, twice=0.4, error=0.5, noise=0.35, ends=(1, 5))
    engine = np.clip(scores.engine + np.repeat(shifts, sizes), 1, 5.4)
    frame = framed(scores, "human").assign(engine=3.0 if undefined else engine, id=[f"r{i}" for i in range(n)])
    frame = frame.assign(comment="free text", **{column: np.repeat(np.array(names, object), sizes)}, **(more or {}))
    frame.loc[[14, 90, n // 2, n - 1], "human1"] = np.nan
    given: dict[str, Any] = {"groups": (column, *(more or ())), "scale": "1:6", "human": list(frame.columns[:raters])}
    given |= {"min_n_per_group": 30, "withhold_small_groups": False, **settings}
    return evaluation_of(frame, system="engine", id="id", **given)


@cache
def cases() -> dict[str, Evaluation]:
    """Return every kind of evaluation that a section must be able to show, each with what its requirements decide."""
    hostile = tuple((name, 180 - place, 0.1 * (-1) ** place) for place, name in enumerate(HOSTILE))
    many = tuple((f"School {place}", 100 - place, -0.8 * (place % 6 == 0)) for place in range(60))
    full = evaluation()
    return {
        "full": full,
        "no second human": evaluation(raters=1),
        "no groups": evaluation(groups=()),
        "bare": evaluation(raters=1, groups=(), scale=None),
        "undefined": evaluation(undefined=True),
        "hostile": evaluation(levels=hostile, column=HOSTILE[0], more={"second\ncolumn": "plain"}),
        "many groups": evaluation(levels=many, column="school"),
        "empty": ruled(
            replace(full, facts={}, estimates={}, tables={}, checks=(), provenance={}, settings={}, groups=())
        ),
    }


def ruled(found: Evaluation) -> Evaluation:
    """Return an evaluation with the decision of its requirements."""
    return replace(found, ruling=Ruling("default", "", decision_of(found.checks)))
