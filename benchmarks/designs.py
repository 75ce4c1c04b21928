"""Measure what reports say of samples of every design: `python benchmarks/designs.py [SAMPLES] [DESIGN]`.

A design draws responses, and decides which of them people score, and score twice.  The truth is what a report says of
400,000 responses of which nothing is left out.  Prints a Markdown row for each design: bias and coverage of 95 %
intervals; samples whose report calls a requirement met, or not met, that is not so in the population; and what the
reports answer and doubt.  500 samples of a design take one to four minutes.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import reportgen
from reportgen.results import Evaluation
from reportgen.tally.sums import Floats
from reportgen.verdicts.judging import decision_of, judge

POPULATION = 400_000

Columns = dict[str, Any]
Rng = np.random.Generator

SHORT = {
    "system.qwk": "QWK", "system.smd": "SMD", "system.rmse": "RMSE", "system.r": "r", "system.kappa": "kappa",
    "system.exact_agreement": "exact", "system.adjacent_agreement": "adjacent", "system.h_mean": "human mean",
    "human.qwk": "human QWK", "human.kappa": "human kappa", "human.exact_agreement": "human exact",
    "degradation.qwk": "degradation", "true_score.error_variance": "rater error", "true_score.prmse": "PRMSE",
    "system.sensitivity": "sensitivity", "system.specificity": "specificity", "panel.alpha_interval": "alpha",
    "panel.kappa_quadratic": "kappa_q", "panel.human.alpha_interval": "human alpha",
    "panel.human.kappa_quadratic": "human kappa_q", "levels.calibration_slope": "calibration slope",
    "levels.error_slope": "error slope", "levels.expected_error_slope": "expected error slope",
    "levels.macro_rmse": "macro RMSE",
}  # fmt: skip
TWICE = ("system.qwk", "system.smd", "human.qwk", "degradation.qwk", "true_score.error_variance", "true_score.prmse")


class Design(NamedTuple):
    """How responses are drawn, and which of them, or of their scores, a sample has.

    population: (generator, responses) -> columns.
    part: Takes scores, or responses, of a sample away.
    keys: Statistics that are measured.
    told: Settings of a sample; `truth` those of the population.
    of: The responses that an answer is about; all of them when left out.
    """

    population: Callable[[Rng, int], Columns]
    part: Callable[[Rng, Columns], None] = lambda *_: None
    n: int = 2000
    keys: tuple[str, ...] = TWICE
    told: Mapping[str, Any] = {}
    truth: Mapping[str, Any] = {}
    of: Callable[[Columns], Any] | None = None


def usual(rng: Rng, n: int, error: float = 0.4, raters: int = 2) -> Columns:
    """Return ratings on 1 to 6, and an engine with error."""
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, raters))), 1, 6)
    return {f"h{k + 1}": human[:, k] for k in range(raters)} | {"engine": true + rng.normal(0, error, n)}


def twice(probability: Callable[[Columns], Any]) -> Callable[[Rng, Columns], None]:
    """Return what leaves second ratings with a probability; a column has their weights."""

    def part(rng: Rng, columns: Columns) -> None:
        kept = np.broadcast_to(probability(columns), columns["h1"].shape)
        columns["h2"] = np.where(rng.random(len(kept)) < kept, columns["h2"], np.nan)
        columns["w2"] = 1 / kept

    return part


def differ(columns: Columns) -> Floats:
    """Return the probability of a second rating: 1 where engine and rater differ."""
    return np.where(np.abs(columns["h1"] - columns["engine"]) > 1, 1, 0.05)


def rare(columns: Columns) -> Floats:
    """Return the probability of a second rating: 1 at both ends of the scale."""
    return np.where((columns["h1"] == 1) | (columns["h1"] == 6), 1, 0.1)


def outer(columns: Columns) -> Floats:
    """Return the probability of a second rating: most in the outer fifth of engine scores."""
    return np.where(np.abs(columns["engine"] - 3.5) > 1.38, 0.8, 0.1)


def two_phases(rng: Rng, columns: Columns) -> None:
    """Score the ends of the engine's scale more often, and again where engine and rater differ."""
    twice(differ)(rng, columns)
    first = np.where(np.abs(columns["engine"] - 3.5) > 1.5, 0.8, 0.1)
    chosen = rng.random(len(first)) < first
    columns["w1"] = 1 / first
    columns.update({name: each[chosen] for name, each in columns.items()})


def words(rng: Rng, n: int) -> Columns:
    """Return verdicts of people and of a judge, as words."""
    good = rng.random(n) < 0.85
    judge_says = rng.random(n) < np.where(good, 0.95, 0.31)
    return {name: np.where(each, "pass", "fail") for name, each in (("human", good), ("judge", judge_says))}


def labelled(columns: Columns) -> Floats:
    """Return the probability of a label: half of what the judge fails, and a twentieth of what it passes."""
    return np.where(columns["judge"] == "fail", 0.5, 0.05)


def by_verdict(rng: Rng, columns: Columns) -> None:
    """Leave labels by the judge's verdict."""
    share = labelled(columns)
    columns["human"] = np.where(rng.random(len(share)) < share, columns["human"], "")
    columns["w1"] = 1 / share


def above(_: Rng, columns: Columns) -> None:
    """Let people score only what the engine scores highly."""
    for name in ("h1", "h2"):
        columns[name] = np.where(columns["engine"] > 4.4, columns[name], np.nan)


def with_confidence(rng: Rng, n: int) -> Columns:
    """Return an engine that errs less where it is confident."""
    sure, columns = rng.random(n), usual(rng, n, 0.0)
    return columns | {"engine": columns["engine"] + rng.normal(0, 1, n) * (0.9 - 0.8 * sure), "confidence": sure}


def routed(_: Rng, columns: Columns) -> None:
    """Leave to people what the engine is not sure of."""
    columns["engine"] = np.where(columns["confidence"] > 0.3, columns["engine"], np.nan)


def drawn(raters: int, sd: float, groups: int = 0) -> Callable[[Rng, int], Columns]:
    """Return what draws two ratings of each response by raters whose severity varies; no two alike in a population.

    groups: Of so many groups, each has raters of its own.
    """

    def population(rng: Rng, n: int) -> Columns:
        size = raters if n < POPULATION else 2 * n
        true, severity = rng.normal(3.5, 1, n), rng.normal(0, sd, size)
        who = np.argsort(rng.random((n, size)), axis=1)[:, :2] if size == raters else np.arange(2 * n).reshape(n, 2)
        group = rng.integers(0, max(groups, 1), n)
        if groups and size == raters:
            severity = rng.normal(0, sd, groups * raters)
            who += raters * group[:, None]
        human = np.clip(np.rint(true[:, None] + severity[who] + rng.normal(0, 0.5, (n, 2))), 1, 6)
        named = {f"who{k + 1}": np.char.add("R", who[:, k].astype(str)) for k in range(2)} if size == raters else {}
        named |= {"group": np.char.add("g", group.astype(str))} if groups else {}
        return {"h1": human[:, 0], "h2": human[:, 1], "engine": true + rng.normal(0, 0.45, n)} | named

    return population


def of_raters(raters: int, sd: float, n: int = 400, groups: int = 0) -> Design:
    """Return a design whose raters are named, and are a sample."""
    keys = (*TWICE, "system.rmse", "system.r", "system.exact_agreement", "system.kappa", "human.kappa", "system.h_mean")
    told = {"rater_ids": ["who1", "who2"], "record": "any", "groups": ["group"] if groups else []}
    return Design(drawn(raters, sd, groups), n=n, keys=keys, told=told, truth={"record": "any"})


def resolved(_: Rng, columns: Columns) -> None:
    """Add the score that follows from two ratings."""
    columns["final"] = (columns["h1"] + columns["h2"]) / 2


def gaps(rng: Rng, columns: Columns) -> None:
    """Leave two to five ratings of each response."""
    left = rng.integers(2, 6, len(columns["h1"]))
    order = np.argsort(rng.random((len(left), 5)), axis=1).argsort(axis=1)
    for k in range(5):
        columns[f"h{k + 1}"] = np.where(order[:, k] < left, columns[f"h{k + 1}"], np.nan)


def few_twice(_: Rng, columns: Columns) -> None:
    """Leave twenty second ratings."""
    columns["h2"] = np.where(np.arange(len(columns["h2"])) < 20, columns["h2"], np.nan)


def of_candidates(rng: Rng, n: int) -> Columns:
    """Return responses of candidates, ten each."""
    who = np.arange(n) // 10
    true = 3.5 + rng.normal(0, 0.7, n // 10)[who] + rng.normal(0, 0.7, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    engine = true + rng.normal(0, 0.25, n // 10)[who] + rng.normal(0, 0.3, n)
    return {"h1": human[:, 0], "h2": human[:, 1], "engine": engine, "candidate": who}


def in_classes(rng: Rng, n: int) -> Columns:
    """Return responses of candidates, four each, five candidates to a class."""
    room, who = np.arange(n) // 20, np.arange(n) // 4
    true = 3.5 + rng.normal(0, 0.5, n // 20)[room] + rng.normal(0, 0.6, n // 4)[who] + rng.normal(0, 0.6, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    engine = true + rng.normal(0, 0.2, n // 20)[room] + rng.normal(0, 0.2, n // 4)[who] + rng.normal(0, 0.25, n)
    return {"h1": human[:, 0], "h2": human[:, 1], "engine": engine, "candidate": who, "class": room}


def hundred(rng: Rng, n: int) -> Columns:
    """Return whole scores from 0 to 100 by raters and engine."""
    given = np.clip(np.rint(rng.normal(60, 15, n)[:, None] + rng.normal(0, 6, (n, 3))), 0, 100)
    return dict(zip(("h1", "h2", "engine"), given.T, strict=True))


def skewed(rng: Rng, n: int) -> Columns:
    """Return skewed scores."""
    true = np.minimum(1.2 + rng.gamma(1.0, 0.7, n), 6)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.4, (n, 2))), 1, 6)
    return {"h1": human[:, 0], "h2": human[:, 1], "engine": true + rng.normal(0, 0.35, n)}


SECOND = {"double_weight": "w2"}
VERDICTS = ("system.sensitivity", "system.specificity")
DESIGNS = {
    "a random part scored twice": Design(usual, twice(lambda _: 0.3)),
    "scored twice where engine and rater differ": Design(usual, twice(differ)),
    "the same, weighted": Design(usual, twice(differ), told=SECOND),
    "rare scores scored twice": Design(usual, twice(rare)),
    "rare scores, weighted": Design(usual, twice(rare), told=SECOND),
    "outer fifth by engine score scored twice": Design(usual, twice(outer)),
    "outer fifth, weighted": Design(usual, twice(outer), told=SECOND),
    "weights of both phases": Design(usual, two_phases, 10_000, told={**SECOND, "weight": "w1"}),
    "labels by the judge's verdict": Design(
        words, by_verdict, keys=VERDICTS,
        of=lambda columns: np.random.default_rng(1).random(POPULATION) < labelled(columns),
    ),
    "labels by the judge's verdict, weighted": Design(words, by_verdict, keys=VERDICTS, told={"weight": "w1"}),
    "people score where the engine's score is high": Design(usual, above, of=lambda columns: columns["engine"] > 4.4),
    "routed by confidence": Design(with_confidence, routed, of=lambda columns: columns["confidence"] > 0.3),
    "4 raters, severity SD .3": of_raters(4, 0.3),
    "4 raters, n 1,000": of_raters(4, 0.3, 1000),
    "8 raters": of_raters(8, 0.3),
    "20 raters": of_raters(20, 0.3),
    "4 raters, SD 0": of_raters(4, 0.0),
    "20 raters, SD 0": of_raters(20, 0.0),
    "4 raters in each of two groups": of_raters(4, 0.3, groups=2),
    "a final score beside its ratings": Design(usual, resolved, 500),
    "two to five of five ratings": Design(
        lambda rng, n: usual(rng, n, raters=5), gaps, 300,
        ("system.exact_agreement", "system.adjacent_agreement", "human.exact_agreement", "system.qwk"),
        {"record": "any"}, {"record": "any"},
    ),
    "20 responses": Design(usual, n=20, keys=(*TWICE, *(key for key in SHORT if key.startswith("panel.")))),
    "20 of 200 scored twice": Design(usual, few_twice, 200, (*TWICE, *(key for key in SHORT if "panel.h" in key))),
    "20 candidates": Design(
        of_candidates, n=200, keys=("system.qwk", *(key for key in SHORT if "slope" in key)),
        told={"candidate": "candidate"},
    ),
    "40 classes": Design(in_classes, n=800, told={"candidate": "candidate", "cluster": "class"}),
    "40 classes, not named": Design(in_classes, n=800, told={"candidate": "candidate"}),
    "0 to 100": Design(hundred, n=200, keys=("system.qwk", "system.kappa", "human.kappa", "system.exact_agreement")),
    "skewed": Design(skewed, n=200, keys=("levels.macro_rmse", "system.rmse", "system.qwk")),
}  # fmt: skip


def report(columns: Columns, settings: Mapping[str, Any]) -> Evaluation:
    """Return what a report says."""
    scale = {} if "judge" in columns else {"scale": "0:100" if np.nanmax(columns["h1"]) > 6 else "1:6"}
    return reportgen.evaluate(columns, **({"groups": []} | scale | dict(settings))).evaluation


class Found(NamedTuple):
    """What reports on samples say.

    true, bias, covered, given: By statistic, the value in the population, the mean error, and shares of intervals that
        hold the value, and of samples with an interval.
    told: How often reports answer, doubt, and are wrong.
    """

    true: dict[str, float]
    bias: dict[str, float]
    covered: dict[str, float]
    given: dict[str, float]
    told: dict[str, float]


def run(design: Design, samples: int) -> Found:
    """Return what reports on samples of a design say."""
    everybody = design.population(np.random.default_rng(0), POPULATION)
    if design.of is not None:
        chosen = design.of(everybody)
        everybody = {name: each[chosen] for name, each in everybody.items()}
    everybody.pop("group", None)
    population = report(everybody, design.truth)
    true = {key: population.estimates[key].value or 0.0 for key in design.keys}
    right = {each.statistic: judge(each.estimate, each.low, each.high, strict=each.strict, by="estimate")
             for each in _checks(population)} | {"system.dsm": "met"}  # fmt: skip
    errors, held, told = defaultdict[str, list[float]](list), defaultdict[str, list[bool]](list), Counter[str]()
    for seed in range(1, samples + 1):
        rng = np.random.default_rng([len(design.keys), design.n, seed])
        columns = design.population(rng, design.n)
        design.part(rng, columns)
        made = report(columns, design.told)
        for key, value in true.items():
            found = made.estimates[key]
            if found.value is not None:
                errors[key].append(found.value - value)
            if found.low is not None and found.high is not None:
                held[key].append(found.low <= value <= found.high)
        checks = list(_checks(made))
        told[{"deploy": "yes", "do not deploy": "no"}.get(decision_of(checks), "open")] += 1
        told["wrong"] += any({each.outcome, right[each.statistic]} == {"met", "not met"} for each in checks)
        told.update({f"doubted: {getattr(each, 'key', 'others').removeprefix('doubt.').replace('_', ' ')}"
                     for each in made.facts["doubts"]})  # fmt: skip
        told["PRMSE not tested"] += any(each.statistic == "true_score.prmse" and each.doubt == "second ratings"
                                        for each in checks)  # fmt: skip
        told["groups not compared"] += bool(made.facts["no_difference_given_true_score"].get("group"))
        told["answer limited to a part"] += bool(made.verdict and made.verdict.scope)
    return Found(
        true,
        {key: float(np.mean(errors[key] or np.nan)) for key in true},
        {key: float(np.mean(held[key] or np.nan)) for key in true},
        {key: len(held[key]) / samples for key in true},
        {key: times / samples for key, times in told.items()},
    )


def _checks(made: Evaluation) -> Iterator[Any]:
    """Yield the requirements, those on groups where there are any."""
    checks = made.verdict.checks if made.verdict else ()
    yield from (each for each in checks if each.statistic != "system.dsm" or each.group)


def row(name: str, n: int, found: Found, samples: int) -> str:
    """Return a row of the table."""
    bias = ", ".join(f"{SHORT[key]} {each:+.3f}" for key, each in found.bias.items())
    held = []
    for key, share in found.given.items():
        part = "" if share > 0.99 else f" (of {share:.0%})"
        held.append(f"{SHORT[key]} " + (f"{100 * found.covered[key]:.1f}{part}" if share else "not printed"))
    says = ", ".join(f"{what} {share:.1%}" for what, share in found.told.items() if share and what != "wrong")
    return f"| {name} | {n:,} | {samples} | {bias} | {', '.join(held)} | {found.told['wrong']:.1%} | {says} |"


SYSTEMS: Mapping[str, tuple[int, tuple[float, ...], int]] = {
    "two equal engines": (500, (0.5, 0.5), 0),
    "eight equal engines": (500, (0.5,) * 8, 0),
    "two equal engines, ten groups": (1000, (0.5, 0.5), 10),
    "one engine .08 better": (1000, (0.78, 0.5), 0),
}
"""Responses, SD of each engine's error, and groups."""


def compared(seed: int, n: int, sds: tuple[float, ...], groups: int) -> dict[str, bool]:
    """Return which differences a report on engines finds; some of their error is shared."""
    rng = np.random.default_rng(seed)
    columns, shared = usual(rng, n, 0.0), rng.normal(0, 0.3, n)
    true = columns.pop("engine")
    twice(lambda _: 0.2)(rng, columns)
    columns |= {f"e{k}": true + shared + rng.normal(0, sd, n) for k, sd in enumerate(sds, 1)}
    columns |= {
        "id": np.arange(n).astype(str),
        "group": np.char.add("g", rng.integers(0, max(groups, 1), n).astype(str)),
    }
    del columns["w2"]
    made = reportgen.compare(
        columns, systems=[f"e{k}" for k in range(1, len(sds) + 1)], human=["h1", "h2"], id="id", scale="1:6",
        groups=["group"] if groups else [],
    )  # fmt: skip
    found = {section.name: section.findings.values for section in made.sections}
    cases = {pair["case"] for pair in found["comparison_summary"]["pairs"]}
    ranks = made.evaluation.records("comparison.ranking")
    columns_of_groups = found["comparison_groups"].get("columns", ()) if groups else ()
    return {
        "better or worse in the headline": bool(cases & {"better", "worse"}),
        "ranks differ": any(each.count("last_rank") < len(sds) for each in ranks),
        "a group gains or loses": any(each["better"] or each["worse"] for each in columns_of_groups),
    }


def main(samples: int, only: str) -> None:
    """Print the rows."""
    print("| design | n | samples | bias | coverage, % | wrong | the report says |\n|---|--:|--:|---|---|--:|---|")
    for name, design in DESIGNS.items():
        if only in name:
            print(row(name, design.n, run(design, samples), samples), flush=True)
    for name, (n, sds, groups) in SYSTEMS.items():
        if only in name:
            every = [compared(seed, n, sds, groups) for seed in range(samples)]
            says = ", ".join(f"{key} {np.mean([each[key] for each in every]):.1%}" for key in every[0])
            print(f"| {name} | {n:,} | {samples} |  |  |  | {says} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, sys.argv[2] if len(sys.argv) > 2 else "")
