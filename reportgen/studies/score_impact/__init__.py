"""Test how the accuracy of one item's automated score affects the reported scores.

Repeats Casabianca et al. (2023) on a simulated test of the same design, or tests given data under the same conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale, Source, Term
from reportgen.scale_scores import FEWEST_CALIBRATED, MOST_CALIBRATED_SCORE, Reporting
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.studies.score_impact import forms
from reportgen.studies.score_impact.forms import HUMAN, FormResult, Test, analyse, synthetic_test
from reportgen.studies.score_impact.tables import condition, facts_of, statements_of, tables_of
from reportgen.studies.statements import Statement, judge_in_sets
from reportgen.studies.study import Floats, Study, StudyResults, Work, simulated
from reportgen.wording.vocabulary import english

PAPER_REPORTING = Reporting(38.87, 1512.12, 1150, 1950, (1529.0, 1595.0, 1646.0), forms.ABILITY_MEAN, forms.ABILITY_SD)
"""The paper's written language score."""

PAPER_LIKE_SEED = 21
"""Seed of a test with alpha (.874), rater agreement (.826), and PRMSE (.988) near the paper's .875, .823, and .986."""

FORM = Term("your_test")

OF_OTHERS = 2000  # most test takers of each additional simulated test


class ScoreImpact(Study):
    """Eighteen versions of one item's automated score, and the resulting scale scores."""

    name: ClassVar[str] = "score-impact"

    seed: int = Field(default=PAPER_LIKE_SEED, ge=0, description="Seed of everything drawn at random.")
    responses: int = Field(default=11_532, ge=500, le=200_000)
    double_scored: int = Field(default=568, ge=20)
    data_sets: int = Field(default=10, ge=1, le=1000)
    file: Path | None = None
    items: tuple[str, ...] = ()
    human: str | None = None
    human2: str | None = None
    system: str | None = None
    lowest: tuple[int, ...] = ()
    rater_error_variance: float | None = Field(default=None, ge=0)
    scoring: Literal["irt", "summed"] = "irt"
    slope: float | None = Field(default=None, gt=0)
    intercept: float | None = None
    low: float | None = None
    high: float | None = None
    cuts: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> ScoreImpact:
        if self.double_scored > self.responses:
            raise ValueError(
                f"double_scored: expected at most {self.responses} (responses), found {self.double_scored}"
            )
        if list(self.cuts) != sorted(set(self.cuts)):
            raise ValueError("cuts: expected scale scores in ascending order")
        named = (*self.items, *(each for each in (self.human, self.human2, self.system) if each is not None))
        twice = [name for place, name in enumerate(named) if name in named[:place]]
        if twice:
            raise ValueError(f"items, human, human2, and system require different columns, found '{twice[0]}' twice")
        if self.file is None and (self.items or self.human or self.system):
            raise ValueError("items, human, and system are columns of a file; add file")
        return self

    def results(self, work: Work) -> StudyResults:
        """Return item statistics, scale scores, precision, and levels for every condition and form."""
        rng, said, names = self._rng(), list[Statement](), None
        if self.file is None:
            source, test = simulated(self, self.responses), synthetic_test(rng, self.responses, self.double_scored)
        else:
            source, test, names = own_test(self, self.file)
        here = analyse(test, self._reporting(test), self.rater_error_variance, rng, work)
        problems = [form.reported[HUMAN].problem for form in here.forms]
        if self.file is not None and all(problems):
            raise InputError(
                f"{self.file}: no scale scores could be made with the human score: {problems[0]} (items as in --items, "
                "the studied one last; scores from each item's lowest), or use --scoring summed."
            )
        # smaller tests, because each is calibrated 57 times
        size = {name: min(getattr(self, name), OF_OTHERS) for name in ("responses", "double_scored")}
        if self.file is None and self.scoring == "irt":
            others = work.map("simulated tests", methodcaller("statements"), self.others(self.data_sets, **size))
            said = judge_in_sets([statements_of(here), *others])
        return StudyResults(
            source,
            Scale(test.start, test.start + test.most[test.studied], 1, assumed=False),
            tables_of(here, said),
            facts={**facts_of(here, names), "sets": {"n": self.data_sets - 1, "responses": size["responses"]}},
            warnings=_warnings(here.forms),
        )

    def statements(self) -> list[Statement]:
        """Return the paper's statements, checked in one simulated test."""
        rng = self._rng()
        test = synthetic_test(rng, self.responses, self.double_scored)
        return statements_of(analyse(test, self._reporting(test), self.rater_error_variance, rng, Work()))

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, 7])

    def _reporting(self, test: Test) -> Reporting:
        """Return the transformation to scale scores: as requested, as in the paper, or on the given test's scale."""
        asked = {key: getattr(self, key) for key in ("slope", "intercept", "low", "high")}
        asked = {key: value for key, value in asked.items() if value is not None}
        other = PAPER_REPORTING
        if self.file is not None:
            slope, intercept, offset = asked.get("slope", 1.0), asked.get("intercept", 0.0), 0.0
            low, high = -4.0, 4.0
            if self.scoring == "summed":
                offset = low = float(sum(test.lowest))
                high = offset + sum(test.most)
            other = Reporting(slope, 0.0, slope * low + intercept, slope * high + intercept, ())
            asked["intercept"] = intercept + slope * offset
        made = replace(other, cuts=self.cuts or other.cuts, summed=self.scoring == "summed", **asked)
        if not made.low < made.high:
            why = f"study score-impact: low, high: expected a lowest scale score below the highest, found {made.low:g} "
            raise SettingsError(f"{why}and {made.high:g}.")
        return made


def _warnings(forms: Sequence[FormResult]) -> tuple[str, ...]:
    """Warn about calibrations that did not converge, and scores that could not be computed."""
    told, say = [], english().say
    for form in forms:
        for name, reported in form.reported.items():
            where = f"{say(form.name)}, {say(condition(name))}"
            if reported.problem:
                told.append(f"{where}: no scores ({reported.problem}).")
            elif reported.calibration is not None and not reported.calibration.converged:
                told.append(f"{where}: the calibration did not converge; do not rely on its numbers.")
    return tuple(told)


def own_test(design: ScoreImpact, file: Path) -> tuple[Source, Test, dict[str, Any]]:
    """Return the source, the test takers with all item scores, and the names of columns of a file."""
    if design.human is None or design.system is None or not design.items:
        raise SettingsError("study score-impact: --file requires --items, --human, and --system.")
    if design.human2 is None and design.rater_error_variance is None:
        raise SettingsError("study score-impact: rater error requires --human2 or --rater-error-variance.")
    names, human = (*design.items, design.human), [design.human, *([design.human2] if design.human2 else [])]
    settings = from_keywords(system=design.system, human=human, record=design.human, item_scores=list(design.items))
    scores = read(file, settings)
    complete = scores.with_all_items
    if scores.item_scores is None or complete.sum() < FEWEST_CALIBRATED:
        raise InputError(
            f"{file}: expected at least {FEWEST_CALIBRATED} test takers with all item scores, found {complete.sum()}."
        )
    items = np.column_stack([scores.item_scores, scores.human[:, 0]])[complete]
    for name, own in zip(names, items.T, strict=True):
        if (own != np.rint(own)).any():
            raise InputError(f"{file}: column '{name}': expected whole item scores.")
        if own.max() == own.min():
            raise InputError(f"{file}: column '{name}': all scores are {own.max():g}; remove the item.")
    second = scores.human[complete, 1] if design.human2 else np.full(len(items), np.nan)
    lowest = _lowest(design.lowest, names, items, file)
    items = items - lowest
    most, start = tuple(int(column.max()) for column in items.T), float(lowest[-1])
    test = Test(
        items.astype(np.int64), most, len(most) - 1, scores.system[complete] - start, second - start,
        {FORM: tuple(range(len(most)))}, tuple(int(each) for each in lowest),
    )  # fmt: skip
    told = {
        "file": file.name, "left_out": int(scores.read - complete.sum()), "item": design.human,
        "lowest": {name: int(low) for name, low in zip(names, lowest, strict=True) if low},
        "lowest_given": bool(design.lowest),
    }  # fmt: skip
    return scores.source, test, told


def _lowest(given: Sequence[int], names: Sequence[str], scores: Floats, file: Path) -> Floats:
    if len(given) not in (0, 1, len(names)):
        why = f"study score-impact: lowest: expected one score, or one for each of {len(names)} items (the studied one "
        raise SettingsError(f"{why}last), found {len(given)}.")
    found = scores.min(axis=0)
    lowest = found if not given else np.broadcast_to(np.array(given, np.float64), found.shape)
    for name, low, least, top in zip(names, lowest, found, scores.max(axis=0), strict=True):
        if least < low:
            raise InputError(f"{file}: column '{name}': expected scores of {low:g} or more, found {least:g}.")
        if top - low > MOST_CALIBRATED_SCORE:
            why = f"{file}: column '{name}': expected whole item scores within {MOST_CALIBRATED_SCORE} of the lowest, "
            raise InputError(f"{why}found {top:g} above {low:g}.")
    return np.asarray(lowest, np.float64)
