"""Simulate a test, versions of its automated score, and the scores of its forms.

The data of Casabianca et al. (2023) are not available, so a test with the same size, kinds of items, reliability, and
agreement on the studied item is simulated. The paper multiplies its bias by 1.1 to 30 and adds it to a score that
already contains it, so that small multiples cancel it; this module does the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.item_response import Item, log_probabilities
from reportgen.metrics import PrmseComponents, prmse_components, quadratic_weighted_kappa, rater_error_variance
from reportgen.scale_scores import Reported, Reporting, base_items, report_scores
from reportgen.studies.study import Floats, Work

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Test:
    """Scores of a test.

    scores (n, items): integer item scores, with the first human score of the studied item.
    most (items,): highest score of each item.
    studied: column of the studied item.
    automated (n,): its automated score, not rounded.
    second (n,): its second human score, NaN if missing.
    forms: columns of a form by name, the studied item last.
    lowest (items,): original lowest score of each item; scores here start at 0.
    """

    __test__ = False  # an educational test, not a pytest class

    scores: Integers
    most: tuple[int, ...]
    studied: int
    automated: Floats
    second: Floats
    forms: dict[str, tuple[int, ...]]
    lowest: tuple[int, ...] = ()

    @property
    def start(self) -> int:
        """The lowest score of the studied item."""
        return self.lowest[self.studied] if self.lowest else 0


SELECTED, CONSTRUCTED = 26, (4, 4, 3, 2, 2, 2)
"""Number of right-or-wrong reading items, and highest scores of the writing items; the last one is studied."""

ABILITY_MEAN, ABILITY_SD = 1.09, 1.5  # of the population on the base scale

SLOPES = (0.55, 0.50, 0.62, 0.80, 0.75)
STEPS = ((-1.3, 0.2, 1.6, 3.2), (-0.9, 0.5, 1.9, 3.4), (-0.5, 1.0, 2.6), (-0.8, 1.2), (-0.4, 1.6))
"""Step parameters of the constructed-response items that are not studied."""

QUALITY_ON_ABILITY, RATER_SD, CUTS = 0.72, 0.245, (-1.476, -0.025)
ENGINE_CORRELATION, ENGINE_SD, ENGINE_BIAS = 0.993, 0.572, -0.0197
"""The studied item: correlation of response quality with ability, rater noise, cuts for shares of .07, .42, and .51;
the engine's correlation with the true score, its SD, and its bias in SDs of the true score."""


def synthetic_test(rng: np.random.Generator, n: int, double_scored: int) -> Test:
    """Simulate a test of 32 items whose last one is scored by two raters and an engine."""
    slopes = rng.lognormal(np.log(0.62), 0.25, SELECTED)
    difficulties = rng.normal(0.6, 0.9, SELECTED)
    items = [Item(float(slope), (float(step),)) for slope, step in zip(slopes, difficulties, strict=True)]
    items += [Item(slope, steps) for slope, steps in zip(SLOPES, STEPS, strict=True)]
    ability = rng.normal(ABILITY_MEAN, ABILITY_SD, n)
    scores = np.zeros((n, SELECTED + len(CONSTRUCTED)), dtype=np.int64)
    for column, item in enumerate(items):
        below = np.exp(log_probabilities(item, ability)).cumsum(axis=0)
        scores[:, column] = (rng.random(n) > below).sum(axis=0).clip(max=item.most)
    first, second, automated = _studied_item(rng, (ability - ABILITY_MEAN) / ABILITY_SD)
    scores[:, -1] = first
    twice = np.zeros(n, bool)
    twice[rng.permutation(n)[:double_scored]] = True
    most = (1,) * SELECTED + CONSTRUCTED
    last = len(most) - 1
    constructed = (*range(SELECTED, SELECTED + 2), last)
    forms = {
        "26 SR, 6 CR": tuple(range(len(most))),
        "26 SR, 3 CR": (*range(SELECTED), *constructed),
        "13 SR, 3 CR": (*range(0, SELECTED, 2), *constructed),
    }
    return Test(scores, most, last, automated, np.where(twice, second, np.nan), forms)


def _studied_item(rng: np.random.Generator, ability: Floats) -> tuple[Floats, Floats, Floats]:
    """Simulate first human, second human, and automated scores of the studied item."""
    from scipy.special import ndtr

    n = len(ability)
    quality = QUALITY_ON_ABILITY * ability + np.sqrt(1 - QUALITY_ON_ABILITY**2) * rng.normal(size=n)
    cuts = np.sqrt(1 + RATER_SD**2) * np.array(CUTS)
    first, second = (
        ((quality + RATER_SD * rng.normal(size=n))[:, None] > cuts).sum(axis=1).astype(np.float64) for _ in range(2)
    )
    true = ndtr((quality[:, None] - cuts) / RATER_SD).sum(axis=1)
    noise = true.std() * np.sqrt(1 / ENGINE_CORRELATION**2 - 1)
    raw = true + noise * rng.normal(size=n)
    automated = first.mean() + ENGINE_BIAS * true.std() + ENGINE_SD * (raw - raw.mean()) / raw.std()
    return first, second, automated


HUMAN, AUTOMATED = "Human score", "Automated score"
CORRELATIONS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70)
MULTIPLES = (1.1, 1.2, 2.0, 4.0, 10.0, 20.0, 30.0)


class Accuracy(NamedTuple):
    """Accuracy of an automated score as a predictor of the true score of the item."""

    components: PrmseComponents  # rho, delta, gamma, and PRMSE, all with divisor n
    qwk: float  # quadratic weighted kappa of the unrounded score with the first human score


def error_variance(first: Floats, second: Floats) -> float:
    """Return the rater error variance from the double-scored responses."""
    return float(rater_error_variance(np.column_stack([first, second])))


def accuracy(scores: Floats, first: Floats, variance: float) -> Accuracy:
    """Return the accuracy of an automated score, from the first human score and the given error variance."""
    return Accuracy(
        prmse_components(scores, first[:, None], error_variance=variance), quadratic_weighted_kappa(first, scores)
    )


def conditions(automated: Floats, first: Floats, variance: float, rng: np.random.Generator) -> dict[str, Floats]:
    """Return every version of the automated score, by condition."""
    start = accuracy(automated, first, variance).components
    mean, sd = automated.mean(), automated.std()
    true_sd = np.sqrt(first.var() - variance)
    centred, noise = automated - mean, rng.normal(size=len(automated))
    made = {AUTOMATED: automated}
    for pi in CORRELATIONS:
        made[f"pi{100 * pi:.0f}"] = (pi * centred / sd + np.sqrt(1 - pi**2) * noise) * pi * sd + mean
    for multiple in MULTIPLES:
        made[f"delta_x{multiple:.2f}".removesuffix(".00")] = automated + multiple * abs(start.delta) * true_sd
    made["gamma_plus_0.5"] = centred * (start.gamma + 0.5) + mean
    made["invgamma"] = centred / start.gamma + mean
    made["SD match"] = centred * first.std() / sd + mean
    made["Mean & SD match"] = centred * first.std() / sd + first.mean()
    made["Mean & SD match true"] = centred * true_sd / sd + first.mean()
    return made


def rounded(scores: Floats, most: int) -> NDArray[np.int64]:
    """Return scores rounded half up, as operational scores are, and limited to the item's scale."""
    return np.clip(np.floor(scores + 0.5), 0, most).astype(np.int64)


class FormResult(NamedTuple):
    """Reported scores of one form for each condition, the human score first."""

    name: str
    reported: Mapping[str, Reported]

    def numbers(self, condition: str) -> dict[str, float]:
        """Return a condition's scale scores and precision, numbers at each level, and percentages that moved.

        Differences are from the human score, and from the unchanged engine score; nan without scores.
        """
        own, human, engine = (self.reported[name] for name in (condition, HUMAN, AUTOMATED))
        gap, from_engine, moved = own.scores - human.scores, own.scores - engine.scores, own.levels - human.levels
        rmsd, spread = np.sqrt((gap**2).mean()), human.scores.std()
        levels = {"exact": moved == 0, "lower": moved < 0, "higher": moved > 0}
        levels = {key: 100 * such.mean() for key, such in levels.items()}
        levels |= {f"level_{k + 1}": (own.levels == k).sum() for k in range(int(human.levels.max()) + 1)}
        found = {
            "mean_human": gap.mean(), "rmsd_human": rmsd, "rmsd_share": 100 * rmsd / spread if spread > 0 else np.nan,
            "sd": own.scores.std(), "mean_engine": from_engine.mean(), "rmsd_engine": np.sqrt((from_engine**2).mean()),
            "alpha": own.alpha, "csem": own.standard_error,
            **(dict.fromkeys(levels, np.nan) if own.problem else levels),
        }  # fmt: skip
        return {key: float(value) for key, value in found.items()}


def analyse_form(form: str, test: Test, versions: Mapping[str, Floats], reporting: Reporting) -> FormResult:
    """Compute the scale scores of one form with the human score and with every version of the automated one."""
    columns = list(test.forms[form])
    most = [test.most[column] for column in columns]
    scores = test.scores[:, columns]
    human = report_scores(scores, most, reporting)
    base = base_items(human.calibration, reporting) if human.calibration else None
    start = human.calibration.items if human.calibration else None
    reported = {HUMAN: human}
    for name, version in versions.items():
        if human.problem:
            reported[name] = Reported.none(len(scores), "there is no human calibration to link to")
            continue
        changed = scores.copy()
        changed[:, -1] = rounded(version, most[-1])
        reported[name] = report_scores(changed, most, reporting, base, start)
    return FormResult(form, reported)


class Analysed(NamedTuple):
    """A test under every condition: automated scores (versions), their accuracy (items), and its forms."""

    test: Test
    reporting: Reporting
    variance: float
    versions: Mapping[str, Floats]
    items: Mapping[str, Accuracy]
    forms: Sequence[FormResult]

    def item_numbers(self) -> dict[str, dict[str, float]]:
        """Return accuracy, mean, SD, and number at each score point, by condition, the human score first."""
        scores, most = self.test.scores[:, self.test.studied], self.test.most[self.test.studied]
        whole = {HUMAN: scores} | {name: rounded(version, most) for name, version in self.versions.items()}
        found: dict[str, dict[str, float]] = {}
        for name, own in whole.items():
            counts = np.bincount(own, minlength=most + 1)
            found[name] = {"mean": self.test.start + float(own.mean()), "sd": float(own.std(ddof=1))}
            found[name] |= {f"share_{point}": int(count) for point, count in enumerate(counts)}
            if name in self.items:
                parts = self.items[name].components
                found[name] |= {key: getattr(parts, key) for key in ("prmse", "rho", "gamma", "delta")}
                found[name]["qwk"] = self.items[name].qwk
        return found


def analyse(test: Test, reporting: Reporting, variance: float | None, rng: np.random.Generator, work: Work) -> Analysed:
    """Analyze a test under every condition; the rater error variance is estimated by default."""
    first = test.scores[:, test.studied].astype(np.float64)
    if variance is None:
        variance = error_variance(first, test.second)
    versions = conditions(test.automated, first, variance, rng)
    one_form = partial(analyse_form, test=test, versions=versions, reporting=reporting)
    forms = work.map("test forms", one_form, test.forms)
    items = {name: accuracy(scores, first, variance) for name, scores in versions.items()}
    return Analysed(test, reporting, variance, versions, items, forms)
