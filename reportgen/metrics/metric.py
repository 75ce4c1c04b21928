"""What a catalogue says about one metric: how it is computed; what it is called stands in the vocabulary."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Transform = Literal["none", "fisher", "log", "log1m", "logit", "wilson"]
"""The scale on which an interval is symmetric.

none: the statistic itself; fisher: atanh x; log: log x; log1m: log(1 - x); logit: log(x / (1 - x)); wilson: Wilson's
score interval for a proportion.
"""

Place = Literal[
    "system_human.association",
    "system_human.agreement",
    "by_group",
    "human_human.agreement",
    "human_human.by",
    "human_human.degradation",
]
"""Tables whose statistics are those that say so.  Those of ``system_human.agreement`` compare points of the scale."""


@dataclass(frozen=True)
class Metric:
    """One printed statistic.

    Parameters
    ----------
    key
        Its name in settings, results.json and tables.
    kind
        How its number is written; the words of `reportgen.results.Kind`.
    range
        The lowest and highest value it can take.
    better
        Where a good system lies: "high", "low", "zero", or "" for a description.
    formula
        In plain text; h is the human score, s the system score, n the number of responses.
    source
        Author and year; docs/metrics.md has the full reference.
    transform
        The scale on which its interval is symmetric.
    in_theory
        Where the quantity itself lies, when estimates of it may lie beyond; None where that is `range`.
    tables
        Keys of the tables it is a column or a row of, in reports and in tables of many items alike.
    label, abbreviation, question
        How it is written out and in a narrow column, and what it answers, where a package brings it; the words of
        reportgen's own stand in the vocabulary (``templates/words``) under the same key.
    """

    key: str
    kind: Literal["count", "coefficient", "difference", "score", "percent", "number"]
    range: tuple[float, float]
    better: Literal["high", "low", "zero", ""]
    formula: str
    source: str
    transform: Transform = "none"
    in_theory: tuple[float, float] | None = None
    tables: tuple[Place, ...] = ()
    label: str = ""
    abbreviation: str = ""
    question: str = ""

    @property
    def possible(self) -> tuple[float, float]:
        """The lowest and highest value of the quantity itself."""
        return self.in_theory or self.range


def _described() -> Mapping[str, Mapping[str, Any]]:
    found = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))
    return {
        key: {"key": key} | {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        for key, fields in found.items()
    }


DESCRIBED = _described()
"""The fields of every metric that ``catalogue.toml`` describes, by key and in its order."""
