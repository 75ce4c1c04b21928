"""Test which agreement coefficients are reliable for a given distribution of scores.

Repeats the stresses of Yannakoudakis and Cummins (2015), "Evaluating the performance of automated text scoring systems"
(BEA workshop), and applies the same four to your own score file.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from reportgen.errors import InputError
from reportgen.results import Column, Row, Scale, Source, Table, Term
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.studies.agreement_robustness import sweeps
from reportgen.studies.agreement_robustness.sweeps import SPREADS, WEIGHTS, Integers, Sweep, coefficients, correlations
from reportgen.studies.statements import Paper, Statement, judge_in_sets, published_table, statements_table
from reportgen.studies.study import Floats, Study, StudyResults, Work, known, simulated, table

LEAST_SIMILAR = 0.70  # lower end of the axis of figure 2 (right): the similarity of the least similar passing shares

FEWEST_POINTS, MOST_POINTS = 3, 101

ON_PAPER = ("kappa_quadratic", "bp_quadratic", "ac_quadratic", "kappa_linear", "bp_linear", "ac_linear", "pa", "mae")

PAPER = Paper(Path(__file__).with_name("paper.toml"))
STEADY: float = PAPER.constants["steady"]

SHARES_ALIKE, SHARES_UNLIKE = ((60, 15), (15, 10)), ((60, 5), (25, 10))
"""Two tables with the same agreement (.70) and the same pooled shares, but similar and dissimilar shares of each
scorer."""

ALWAYS_PASS = ((80, 20), (0, 0))
"""A system that passes everyone, with the gold scores and the agreement of table 1 (right)."""

HIGHER = 3  # points by which all scores of an example are too high, on a scale of ten

COARSE, FEW, FINE = 3, 5, 40
"""Points of the scale: the fewest of section 4.4, the number up to which quadratic kappa increases most, and all."""

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear")
"""Coefficients in figures of pass and fail, for which linear and quadratic weights are equal."""

ALIKE = 0.99  # similarity from which passing shares count as equal

FAR, NEAR_MISSES = 5, 0.5
"""Two systems: one with this many points of ten as error of every score, one with one point in this share of scores."""

Positive = Annotated[float, Field(gt=0)]


class AgreementRobustness(Study):
    """Agreement coefficients under four stresses: prevalence, marginals, size of errors, length of the scale."""

    name: ClassVar[str] = "agreement-robustness"

    responses: int = Field(default=5000, ge=100, le=1_000_000)
    replicates: int = Field(default=5, ge=1, le=10_000)
    data_sets: int = Field(default=10, ge=1, le=1000)
    spreads: tuple[Positive, ...] = (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)
    sizes: tuple[Annotated[float, Field(ge=1)], ...] = (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)
    file: Path | None = None
    human: str | None = None
    system: str | None = None
    score_scale: str | None = None

    def results(self, work: Work) -> StudyResults:
        """Compute the stresses on synthetic scores, on realistic ones, or on a given score file."""
        source, scale, own = simulated(self, self.responses), Scale(1, 10, 1, assumed=False), None
        if self.file is not None:
            source, scale, *own = own_scores(self, self.file)
        papers, apart, names = self._run_sweeps(work)
        others = work.map("repetitions", methodcaller("statements"), self.others(self.data_sets))
        of_own = self._of_own(work, scale.points(), *own) if own else []
        tables = [
            statements_table(judge_in_sets([PAPER.statements(names), *others])),
            published_table(PAPER.printed(names), 40),
            *(_sweep_table(sweep) for sweep in (*papers, *of_own, apart)),
            _movement_table(of_own or papers),
        ]
        told = {"n": len(own[0]), "points": len(scale.points()), "name": source.name} if own else None
        facts = {"responses": self.responses, "replicates": self.replicates, "steady": STEADY, "own": told}
        return StudyResults(source, scale, tuple(tables), facts)

    def _of_own(self, work: Work, points: Sequence[float], gold: Integers, system: Integers) -> list[Sweep]:
        error = float(np.abs(gold - system).mean())
        stress = partial(sweeps.sweep_own_errors, design=self, gold=gold, labels=points, error=error)
        errors = work.map("stresses on your scores", stress, ("marginals", "magnitude"))
        return [*sweeps.sweeps_of_scores("own", sweeps.table_of(gold, system, len(points))[None], points), *errors]

    def statements(self) -> list[Statement]:
        """Return the paper's statements, checked in one repetition."""
        return PAPER.statements(self._run_sweeps(Work())[2])

    def _run_sweeps(self, work: Work) -> tuple[list[Sweep], Sweep, dict[str, Any]]:
        """Return the stresses on synthetic and on simulated real-like scores, those with another mean, and names."""
        synthetic = work.map("stresses", partial(sweeps.sweep_synthetic, design=self), sweeps.STRESSES)
        like, apart = (np.array([self._real_like(k, off) for k in range(self.replicates)]) for off in (0.0, _apart()))
        points = range(1, sweeps.REAL_LIKE_POINTS + 1)
        stressed = [*synthetic, *sweeps.sweeps_of_scores("real_like", like, points)]
        far = sweeps.threshold_sweep("real_apart", apart, points)
        return stressed, far, names_of({each.stress: each for each in stressed}, far, like, self.seed)

    def _real_like(self, number: int, apart: float) -> Floats:
        return sweeps.real_like_table(np.random.default_rng([self.seed, 9, number]), apart)


def _apart() -> float:
    """Return the distance in SDs of two normal means whose passing shares differ as in figure 2 (right)."""
    from scipy.stats import norm

    return float(2 * norm.ppf(1 - LEAST_SIMILAR / 2))


def own_scores(design: AgreementRobustness, file: Path) -> tuple[Source, Scale, Integers, Integers]:
    """Return the first human score and the system's, (n,) each, in steps of the scale from 0, limited to it."""
    given: dict[str, Any] = {"human": design.human, "system": design.system, "scale": design.score_scale, "groups": []}
    scores = read(file, from_keywords(**{key: value for key, value in given.items() if value is not None}))
    points = scores.scale.points()
    if not FEWEST_POINTS <= len(points) <= MOST_POINTS:
        found = len(points) or "a continuous one"
        why = f"{file}: expected a scale of {FEWEST_POINTS} to {MOST_POINTS} points, found {found}; declare one with "
        raise InputError(f"{why}--score-scale, such as 1:6.")
    gold, system_points = (
        np.clip(np.rint((values - scores.scale.low) / scores.scale.step), 0, len(points) - 1).astype(np.int64)
        for values in (scores.human[:, 0], scores.system)
    )
    return scores.source, scores.scale, gold, system_points


def _sweep_table(sweep: Sweep) -> Table:
    shown = (*TWO_POINTS, "pa") if sweep.beside else ON_PAPER
    columns = (
        Column("x", Term(f"along.{sweep.stress}")),
        *(Column(name, kind="coefficient") for name in sweep.beside),
        *(Column(name, kind="coefficient", shown=name in shown) for name in sweep.mean),
        Column("largest_sd", kind="coefficient", shown=False),
    )
    cells = [*sweep.beside.values(), *sweep.mean.values(), sweep.largest_sd]
    rows = [Row((float(x), *(known(values[place]) for values in cells))) for place, x in enumerate(sweep.x)]
    title = Term("stress_title", stress=Term(f"stress.{sweep.stress}"), scores=Term(f"scores.{sweep.scores}"))
    return table(f"{sweep.scores}.{sweep.stress}", rows, *columns, shown=12, title=title)


def _movement_table(along: Sequence[Sweep]) -> Table:
    rows = [
        Row((Term(f"coefficient.{name}"), *(sweep.range(name) for sweep in along)))
        for name in along[0].mean
        if name not in ("pa", "mae")
    ]
    columns = (
        Column(f"{sweep.scores}_{sweep.stress}", Term(f"changed.{sweep.stress}"), "coefficient") for sweep in along
    )
    return table("movement", rows, *columns, coefficient="text")


def names_of(stressed: Mapping[str, Sweep], apart: Sweep, like: Floats, seed: int) -> dict[str, Any]:
    """Return the numbers for statements, by their names in ``paper.toml``.

    stressed: coefficients by stress, on synthetic or simulated real-like scores.
    apart: pass and fail for a system with another mean, whose shares are as dissimilar as in figure 2 (right).
    like (sets, points, points): simulated tables of the examination scripts.
    """
    printed = PAPER.constants["counts"].values()
    tables = {name: _without_weights(np.array(counts, float))
              for name, counts in zip(("left", "right", "one", "other"), printed, strict=True)}  # fmt: skip
    alike, unlike, always = (
        coefficients(np.array(each, float), "identity") for each in (SHARES_ALIKE, SHARES_UNLIKE, ALWAYS_PASS)
    )
    tilts = [np.array([sweeps.tilted(table, factor) for table in like]) for factor in (SPREADS[0], SPREADS[-1])]
    fine, coarse = correlations(like), correlations(sweeps.rebinned(like, COARSE))
    ties = np.array([fine[name].mean() - coarse[name].mean() for name in fine])
    vary = [coarse[name].std(ddof=1) / fine[name].std(ddof=1) for name in fine] if len(like) > 1 else []
    threshold, sizes = stressed["threshold"], stressed["magnitude"]
    same = threshold.beside["similarity"] >= ALIKE
    lowest = threshold["kappa_linear"][same].argmin()
    stresses = [stressed[key] for key in ("prevalence", "marginals", "spread", "rebinning")]
    return {
        **stressed, **tables, **_examples(seed), "apart": apart, "alike": alike, "unlike": unlike,
        "always": always, "narrow": correlations(tilts[0]), "wide": correlations(tilts[1]), "fine": fine,
        "ties": ties, "ties_vary": vary,
        "tied": [_tied(like), _tied(sweeps.rebinned(like, COARSE))],
        "kappas": [coefficients(like, weights)["kappa"].mean() for weights in ("identity", *WEIGHTS)],
        "agreement": sweeps.percent_agreement(like).mean(),
        "shorter": {
            weights: [coefficients(sweeps.rebinned(like, size), weights)["kappa"].mean() for size in (2, FEW, FINE)]
            for weights in WEIGHTS
        },
        "alpha_from_scott": max(
            np.abs(sweep[f"alpha_{weights}"] - sweep[f"scott_{weights}"]).max()
            for sweep in (*stressed.values(), apart)
            for weights in WEIGHTS
        ),
        "both": [_passing(threshold), _passing(apart)],
        "lowest_where_alike": [threshold[name][same][lowest] for name in ("kappa_linear", "pa")],
        "with_similarity": lambda name: _rank_correlation(apart.beside["similarity"], apart[name]),
        "robust": _robust(sizes, stresses), "robust_of_all": _robust(sizes, [*stresses, threshold]),
        "farthest": lambda along, value: along[np.abs(along - value).argmax()],
    }  # fmt: skip


def _without_weights(counts: Floats) -> dict[str, Floats]:
    chance = {f"chance_{name}": value for name, value in sweeps.chance_agreement(counts, "identity").items()}
    return coefficients(counts, "identity") | chance | {"pa": sweeps.percent_agreement(counts)}


def _tied(tables: Floats) -> float:
    share = tables.sum(axis=-2) / tables.sum(axis=(-2, -1))[..., None]
    return float((share**2).sum(axis=-1).mean())


def _examples(seed: int) -> dict[str, Any]:
    """Return the constructed examples of effects that correlations and agreement do not detect."""
    draw = partial(sweeps.gaussian_scores, n=5000)
    rng = np.random.default_rng([seed, 21])
    gold = draw(rng, points=10 - HIGHER, mean=(9 - HIGHER) / 2, sd=1.0)
    higher = sweeps.table_of(gold, gold + HIGHER, 10)
    unrelated, related = np.zeros((FINE, FINE)), np.diag(np.r_[np.full(5, 10.0), np.zeros(FINE - 5)])
    unrelated[:3, :3], unrelated[-1, -1], related[0, -1] = 10, 1, 1
    rng = np.random.default_rng([seed, 22])
    gold = draw(rng, points=10 - FAR, mean=(9 - FAR) / 2, sd=0.5)
    # quadratic AC, tau-b, and mean error of a system with large errors, and of one with small errors
    tables = [sweeps.table_of(gold, system, 10) for system in (gold + FAR, sweeps.moved(rng, gold, 10, NEAR_MISSES, 1))]
    far, near = (
        np.array([sweeps.panel(table)["ac_quadratic"], correlations(table)["tau_b"], sweeps.panel(table)["mae"]])
        for table in tables
    )
    return {
        "shifted": correlations(higher) | {"pa": sweeps.percent_agreement(higher)},
        "unrelated": correlations(unrelated), "related": correlations(related), "far_off": far, "nearly_right": near,
    }  # fmt: skip


def _passing(sweep: Sweep) -> dict[str, Any]:
    """Return the values of figures 1 (right) and 3 for pass and fail by passing score."""
    gaps = np.array([np.abs(sweep[name] - sweep["pa"]) for name in TWO_POINTS])
    most, probability = sweep.beside["prevalence"].argmax(), sweep.beside["probability"]
    places = probability.argmin(), np.abs(probability - 0.5).argmin(), probability.argmax()
    low, half, high = (sweep["kappa_linear"][place] for place in places)
    return {
        "moves": sweep.ranges(TWO_POINTS),
        "mean_gaps": np.nanmean(gaps, axis=1),
        "gaps_of_most": gaps[1:, most],
        "largest_gaps": gaps[1:].max(axis=1),
        "of_most": [sweep[name][most] for name in ("kappa_linear", "pa")],
        "by_weights": max(np.abs(sweep[f"{name}_linear"] - sweep[f"{name}_quadratic"]).max()
                          for name in ("kappa", "bp", "ac")),
        "by_probability": [low, half, high],
        "lower_at_ends": max(low, high) < half - STEADY,
    }  # fmt: skip


def _rank_correlation(one: Floats, other: Floats) -> float:
    first, second = (np.argsort(np.argsort(values)).astype(float) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _robust(sizes: Sweep, stresses: Sequence[Sweep]) -> dict[str, Any]:
    """Return the largest changes of quadratic AC, BP, and kappa, and whether the first two change least."""
    most = {name: max(sweep.range(name) for sweep in stresses) for name in sizes.mean}
    noticing = [name for name in most if name not in ("pa", "mae") and sizes.range(name) > STEADY]
    best = sorted(noticing, key=lambda name: most[name])[:2]
    moves = [most[f"{name}_quadratic"] for name in ("ac", "bp", "kappa")]
    return {"moves": moves, "best": set(best) == {"ac_quadratic", "bp_quadratic"}}
