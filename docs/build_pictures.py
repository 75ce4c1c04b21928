"""Draws a picture of every statistic into docs/pictures: `make docs`.

A picture shows what the statistic does to a few scores. Its numbers are those of `reportgen.metrics` on these scores.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from drawings import (
    COUNTS,
    ENGINE,
    FIRST,
    FLAG,
    HUMAN,
    POINTS,
    SECOND,
    SYSTEM,
    TRUE,
    bars,
    bells,
    beyond_chance,
    carried_over,
    clouds,
    counted,
    errors,
    explained,
    heap,
    intervals,
    matrix,
    number,
    ordered,
    pairs,
    parts,
    rated,
    rising,
    slopes_of_error,
    sloping,
    two_by_two,
)  # fmt: skip
from grimp import build_graph

from reportgen import metrics

PICTURES = Path(__file__).parent / "pictures"

RATINGS = np.column_stack([FIRST, SECOND])
PARTS = metrics.prmse_components(1.5 * SYSTEM - 1.1, RATINGS)
TRUTH = metrics.prmse(SYSTEM, RATINGS)
RELIABILITY = TRUTH.true_variance / (TRUTH.true_variance + TRUTH.error_variance)
"""What the twelve responses tell of true scores; the parts of PRMSE are those of a worse engine."""


def agreement() -> dict[str, str]:
    """Return the pictures of agreement beyond chance, by key."""
    ways: dict[str, tuple[Callable[..., metrics.Coefficient], str]] = {
        "kappa": (metrics.cohen_kappa, "each side's own shares"),
        "scott": (metrics.scott_pi, "both sides' shares together"),
        "bp": (metrics.brennan_prediger, "every score equally often"),
        "ac": (metrics.gwet_ac, "share × (1 − share)"),
    }
    named = {"kappa": "kappa", "scott": "scott", "bp": "bp", "ac1": "ac"}
    drawn = {key: beyond_chance(*ways[way]) for key, way in named.items()}
    for stem, way in (("kappa", "kappa"), ("bp", "bp"), ("ac2", "ac")):
        for weights in ("linear", "quadratic"):
            drawn[f"{stem}_{weights}"] = beyond_chance(*ways[way], weights)
    chance = "two scores drawn from all"
    for level, weights in (("nominal", "identity"), ("ordinal", "ordinal"), ("interval", "quadratic")):
        drawn[f"alpha_{level}"] = beyond_chance(metrics.krippendorff_alpha, chance, weights, level)
    kappa = metrics.cohen_kappa(*pairs(), categories=POINTS).value
    ac = metrics.gwet_ac(np.column_stack(pairs()), categories=POINTS).value
    rows = (("Gwet's AC1", ac, ENGINE), ("Cohen's kappa", kappa, HUMAN), ("difference", ac - kappa, FLAG))
    return drawn | {"ac_less_kappa": bars(rows=rows, words="Two ways to correct for chance")}


def cells() -> dict[str, str]:
    """Return the pictures of percentages of score points, by key."""
    here = 2
    return {
        "n": counted(lit=lambda *_: True, lines=("Every response with both scores", "is in one of the cells.")),
        "exact_agreement": counted(lit=lambda row, column: row == column, lines=("Both scores are the same.",)),
        "adjacent_agreement": counted(
            lit=lambda row, column: abs(row - column) <= 1, lines=("The scores differ by", "one point at most.")
        ),
        "scored_lower": counted(
            lit=lambda row, column: column < row, lines=("The score is lower", "than the rater's.")
        ),
        "scored_higher": counted(
            lit=lambda row, column: column > row, lines=("The score is higher", "than the rater's.")
        ),
        "off_by_two": counted(
            lit=lambda row, column: abs(row - column) >= 2, lines=("The scores differ by", "two points or more.")
        ),
        "recall": counted(
            lit=lambda row, column: row == column == here,
            of=lambda row, _: row == here,
            lines=("Of responses with human score 3,", "those that the engine gives 3."),
        ),
        "precision": counted(
            lit=lambda row, column: row == column == here,
            of=lambda _, column: column == here,
            lines=("Of responses with engine score 3,", "those that raters give 3."),
        ),
        "share_difference": bars(
            rows=[
                (f"score 4, {who}", share, ink)
                for who, share, ink in (
                    ("human", COUNTS[3].sum() / 100, HUMAN),
                    ("engine", COUNTS[:, 3].sum() / 100, ENGINE),
                    ("difference", (COUNTS[:, 3].sum() - COUNTS[3].sum()) / 100, FLAG),
                )
            ],
            words="Shares of one score: the engine gives it less often",
            of=0.3,
        ),
    }


def categories() -> dict[str, str]:
    """Return the pictures of two categories, by key."""

    def share(above: str, below: str, cell: dict[str, int]) -> float:
        return 100 * sum(cell[name] for name in above.split()) / sum(cell[name] for name in below.split())

    def twice(name: str, cell: dict[str, int]) -> float:
        return 2 * cell[name] / (2 * cell[name] + cell["FP"] + cell["FN"])

    every = "TP FN FP TN"
    rows = {
        "sensitivity": ("TP", "TP FN", ("Of the raters' higher category,", "what the engine finds.")),
        "specificity": ("TN", "TN FP", ("Of the raters' lower category,", "what the engine finds.")),
        "positive_predictive_value": ("TP", "TP FP", ("Of the engine's higher category,", "what raters put there.")),
        "negative_predictive_value": ("TN", "TN FN", ("Of the engine's lower category,", "what raters put there.")),
        "base_rate": ("TP FN", every, ("The raters' higher category,", "of all.")),
        "positive_share": ("TP FP", every, ("The engine's higher category,", "of all.")),
    }
    drawn = {
        key: two_by_two(above, below, lines, partial(share, above, below))
        for key, (above, below, lines) in rows.items()
    }
    lines = ("Twice the dark cell, over that", "and the pale ones.")
    for key, cell in (("f1", "TP"), ("positive_agreement", "TP"), ("negative_agreement", "TN")):
        drawn[key] = two_by_two(cell, "FP FN", lines, partial(twice, cell), percent=False)

    def matthews(cell: dict[str, int]) -> float:
        ends = (cell["TP"] + cell["FN"], cell["TP"] + cell["FP"], cell["TN"] + cell["FP"], cell["TN"] + cell["FN"])
        return (cell["TP"] * cell["TN"] - cell["FP"] * cell["FN"]) / math.sqrt(math.prod(ends))

    lines = ("Dark cells times each other,", "less pale ones times each other.")
    drawn["matthews"] = two_by_two(above="TP TN", below="FP FN", lines=lines, value=matthews, percent=False)
    both = (("sensitivity", 0.84, HUMAN), ("specificity", 0.72, HUMAN), ("balanced accuracy", 0.78, ENGINE))
    return drawn | {"balanced_accuracy": bars(rows=both, words="The mean of both, whatever their sizes")}


def distances() -> dict[str, str]:
    """Return the pictures of order and distance, by key."""
    off = SYSTEM - FIRST
    root = math.sqrt(np.mean(off**2))
    levels = [math.sqrt(np.mean(off[level == FIRST] ** 2)) for level in np.unique(FIRST)]
    by_level = [(f"human score {level}", value, HUMAN) for level, value in enumerate(levels, start=1)]
    band = np.rint(SYSTEM) == 3
    means = float(np.mean(SYSTEM[band])), float(np.mean(FIRST[band]))
    return {
        "r": sloping(
            FIRST, SYSTEM, "human score", "engine score", ("How close the dots lie", "to one straight line."), "r"
        ),
        "r_squared": explained(),
        "rmse": errors(
            lines=("The root of the mean squared line:", "long lines count most."), value=f"RMSE = {number(root)}"
        ),
        "mae": errors(lines=("The mean length of the lines.",), value=f"MAE = {number(float(np.mean(np.abs(off))))}"),
        "mean_error": rated(
            "human",
            ("Engine less human score:", "errors up and down cancel."),
            f"mean error = {number(float(off.mean()))}",
        ),
        "level_rmse": errors(
            level=3,
            lines=("The same as RMSE, among responses", "of one human score: here 3."),
            value=f"RMSE at 3 = {number(levels[2])}",
        ),
        "macro_rmse": bars(
            rows=[*by_level, ("mean of all levels", float(np.mean(levels)), ENGINE)],
            words="RMSE of each human score; each weighs the same",
        ),
        "calibration_gap": bars(
            rows=(
                ("engine mean", means[0], ENGINE),
                ("human mean", means[1], HUMAN),
                ("human − engine", means[1] - means[0], FLAG),
            ),
            words="Responses of one engine score: here 3",
            of=4,
        ),
        "calibration_slope": sloping(
            SYSTEM, FIRST, "engine score", "human score", ("How steep the line is.", "1 is the dashed line."), "slope"
        ),
        "error_slope": slopes_of_error(perfect=False),
        "expected_error_slope": slopes_of_error(perfect=True),
        "tau_b": ordered(ranks=False),
        "spearman": ordered(ranks=True),
        "qwk": errors(
            lines=(
                "1 less the mean squared error over",
                "what chance would make of it: QWK",
                "does not ask scores to be whole.",
            ),
            value=f"QWK = {number(metrics.quadratic_weighted_kappa(FIRST, SYSTEM))}",
        ),
    }


def spreads() -> dict[str, str]:
    """Return the pictures of means and spreads, by key."""
    true_sd = math.sqrt(TRUTH.true_variance)
    heaps = {
        f"{stem}_{what}": heap(scores=scores, ink=ink, who=who, spread=what == "sd")
        for stem, scores, ink, who in (("h", FIRST, HUMAN, "human"), ("system", SYSTEM, ENGINE, "engine"))
        for what in ("mean", "sd")
    }
    wide = (240.0, 75.0, "human scores: true scores and rater error")
    narrow = (240.0, 52.0, "true scores")
    shift = ((200.0, 60.0, "human"), (255.0, 55.0, "engine"))
    return heaps | {
        "smd": bells(first=shift[0], second=shift[1], words="The distance of the means, in human SDs"),
        "delta": bells(
            first=(200.0, 50.0, "true scores"),
            second=shift[1],
            words="The distance of the means, in SDs of true scores",
        ),
        "dsm": bells(
            first=(200.0, 60.0, "the group, by raters"),
            second=(290.0, 60.0, "by the engine"),
            words="Where both place one group among all, in SDs of all",
        ),
        "gamma": bells(
            first=(240.0, 50.0, "as wide as the accuracy warrants"),
            second=(240.0, 75.0, "the engine's scores: too wide"),
            words="The spread of the engine's scores over the best one",
        ),
        "true_sd": bells(
            first=wide, second=narrow, words=f"The spread that is left without rater error: SD {number(true_sd)}"
        ),
        "true_variance": rated(
            "spread",
            ("How far the ticks of different", "responses lie apart."),
            f"variance = {number(TRUTH.true_variance)}",
        ),
        "error_variance": rated(
            "ratings",
            ("How far two ratings of the same", "response lie apart."),
            f"variance = {number(TRUTH.error_variance)}",
        ),
        "mse_true": rated(
            "true",
            ("How far the engine lies from true", "scores, as the ratings tell it."),
            f"mean squared error = {number(TRUTH.mse)}",
        ),
    }


def true_scores() -> dict[str, str]:
    """Return the pictures of what is predicted of true scores, by key."""
    two, own, total = metrics.pearson_r(FIRST, SECOND), 0.81, 0.74
    follows, agrees = (
        [function(each, SYSTEM) for each in (FIRST, SECOND)]
        for function in (metrics.pearson_r, metrics.quadratic_weighted_kappa)
    )
    alike = {"r": two, "qwk": metrics.quadratic_weighted_kappa(FIRST, SECOND)}
    worth = TRUTH.error_variance / TRUTH.mse
    mean_of = {k: 1 - TRUTH.error_variance / (k * TRUTH.true_variance) for k in (1, 2, 3)}
    ratings = [(f"mean of {k} ratings" if k > 1 else "one rating", value, HUMAN) for k, value in mean_of.items()]
    ceiling = math.sqrt(RELIABILITY)
    rounded = metrics.prmse(np.rint(SYSTEM), RATINGS).prmse
    loss = (
        ("lost to scale", PARTS.best_prmse * (1 - PARTS.gamma) ** 2, "#c3c9d1"),
        ("lost to bias", PARTS.delta**2, FLAG),
    )
    whole = (("PRMSE", PARTS.prmse, ENGINE), *loss, ("out of reach", 1 - PARTS.best_prmse, "#eef0f3"))
    drawn = {
        "prmse": bars(
            rows=(("error of the mean", TRUTH.true_variance, HUMAN), ("error of the engine", TRUTH.mse, ENGINE)),
            words=f"Squared error against true scores: PRMSE = {number(TRUTH.prmse)}",
            of=1.6,
        ),
        "disattenuated_r": bars(
            rows=(
                ("r with a rater", follows[0], HUMAN),
                ("root of r of two raters", math.sqrt(two), HUMAN),
                ("first over second", follows[0] / math.sqrt(two), ENGINE),
            ),
            words="What the correlation would be without rater error",
            of=1.2,
        ),
        "rho": sloping(
            TRUE,
            SYSTEM,
            "true score",
            "engine score",
            ("How close the dots lie to a line,", "if true scores could be seen."),
            "r",
        ),
        "slope": sloping(
            SYSTEM,
            TRUE,
            "engine score",
            "true score",
            ("The line that predicts true scores", "from the engine's score."),
            "slope",
        ),
        "intercept": sloping(
            SYSTEM,
            TRUE,
            "engine score",
            "true score",
            ("Where that line begins,", "at an engine score of 0."),
            "intercept",
        ),
        "rounding_cost": bars(
            rows=(
                ("as given", TRUTH.prmse, ENGINE),
                ("rounded", rounded, HUMAN),
                ("difference", TRUTH.prmse - rounded, FLAG),
            ),
            words="PRMSE before and after rounding",
        ),
        "relative_error": bars(
            rows=(("one rating", TRUTH.error_variance, HUMAN), ("engine", TRUTH.mse, ENGINE)),
            words=f"Squared error against true scores: ratio {number(1 / worth)}",
            of=0.4,
        ),
        "rating_equivalents": bars(
            rows=(*ratings, ("engine", TRUTH.prmse, ENGINE)),
            words=f"PRMSE: the engine is equivalent to {number(worth)} ratings",
        ),
        "prmse_of_ratings": bars(rows=ratings, words="More ratings predict true scores better"),
        "human_reliability": parts(
            pieces=(("response", RELIABILITY, ENGINE), ("rater error", 1 - RELIABILITY, HUMAN)),
            words="The variance of one rating",
        ),
        "true_r": bars(
            rows=(
                ("a second rater", two, HUMAN),
                ("the engine", follows[0], ENGINE),
                ("true scores: the ceiling", ceiling, FLAG),
            ),
            words="Correlation with the first rater",
        ),
        "true_qwk": bars(
            rows=(
                ("a second rater", alike["qwk"], HUMAN),
                ("the engine", agrees[0], ENGINE),
                ("true scores", 2 * RELIABILITY / (1 + RELIABILITY), FLAG),
            ),
            words="QWK with the first rater",
        ),
        "prmse_own": parts(
            pieces=(("predicted from the trait's own score", own, ENGINE), ("not", 1 - own, HUMAN)),
            words="Differences among true scores of a trait",
        ),
        "prmse_total": parts(
            pieces=(("predicted from the total of all traits", total, ENGINE), ("not", 1 - total, HUMAN)),
            words="Differences among true scores of a trait",
        ),
        "added_value": bars(
            rows=(
                ("from the trait's own score", own, ENGINE),
                ("from the total", total, HUMAN),
                ("difference", own - total, FLAG),
            ),
            words="How well the trait's true score is predicted",
        ),
    }
    named = {
        "best_prmse": "Reached by the best rescaling: all but the pale part",
        "scale_loss": "What a wrong spread of the scores costs",
        "bias_loss": "What a wrong mean of the scores costs",
    }
    for key, words in named.items():
        drawn[key] = parts(pieces=whole, words=words)
    for name, with_engine in (("r", follows), ("qwk", agrees)):
        title = {"r": "Correlation", "qwk": "QWK"}[name]
        rows = (("engine and first rater", with_engine[0], ENGINE), ("engine and second rater", with_engine[1], ENGINE))
        less = ("difference", float(np.mean(with_engine)) - alike[name], FLAG)
        drawn[f"exchange_{name}"] = bars(
            rows=(*rows, ("first and second rater", alike[name], HUMAN), less),
            words=f"{title}: the mean of the first two, less the third",
        )
        gap = ("difference", with_engine[1] - with_engine[0], FLAG)
        drawn[f"rater_gap_{name}"] = bars(rows=(*rows, gap), words=f"{title}: the second less the first")
    return drawn


def traits() -> dict[str, str]:
    """Return the pictures of several traits, by key."""
    other = 1.3 + 0.55 * TRUE + np.tile([0.6, -0.6, 0.3], 4)
    seen = {
        "true": (TRUE, other),
        "rater": (FIRST, np.rint(other + FIRST - TRUE)),
        "system": (SYSTEM, 0.5 * (other + SYSTEM)),
    }
    said_of = {"true": "true score", "rater": "rater", "system": "engine"}
    drawn = {
        f"trait_r_{who}": sloping(
            x, y, f"ideas, {said_of[who]}", f"voice, {said_of[who]}", ("Two traits of the same response.",), "r"
        )
        for who, (x, y) in seen.items()
    }
    rows = [
        (f"of {words}", float(np.corrcoef(*seen[who])[0, 1]), ink)
        for who, words, ink in (("system", "engine scores", ENGINE), ("true", "true scores", HUMAN))
    ]
    drawn["trait_r_excess"] = bars(
        rows=(*rows, ("difference", rows[0][1] - rows[1][1], FLAG)), words="Correlation of two traits"
    )
    return drawn | {"halo": carried_over(one=FIRST - TRUE, two=np.rint(other + FIRST - TRUE) - other)}


def subjects() -> dict[str, str]:
    """Return the pictures of subjects that no single statistic shows, by name."""
    with_rater, two = metrics.pearson_r(FIRST, SYSTEM), metrics.pearson_r(FIRST, SECOND)
    found = [("met", 0.74, 0.80, 0.86), ("inconclusive", 0.62, 0.71, 0.80), ("not met", 0.55, 0.61, 0.67)]
    groups = [("group A", -0.34, -0.26, -0.18), ("group B", -0.21, -0.09, 0.03), ("group C", -0.07, 0.02, 0.11)]
    raters = [("rater 1", -0.05, 0.03, 0.11), ("rater 2", 0.16, 0.25, 0.34), ("rater 3", -0.39, -0.28, -0.17)]
    widths = [(n, metrics.prmse_half_width(0.8, 0.65, n, 5000)) for n in range(100, 2001, 100)]
    powers = [(n, metrics.prmse_power(0.8, 0.7, 0.65, n, 5000)) for n in range(25, 601, 25)]
    rows = (("engine and first rater", with_rater, ENGINE), ("two raters", two, HUMAN))
    return {
        "intervals": intervals(found, (0.7,), (0.5, 1), "The whole interval decides: required is at least 0.70"),
        "many_groups": intervals(groups, (-0.1, 0.1), (-0.4, 0.4), "Judged together: intervals are wider"),
        "raters": intervals(raters, (0.0,), (-0.5, 0.5), "How lenient each rater is, in points"),
        "given_true_score": clouds(
            ("One group's true scores are lower.", "At equal true score both get", "the same: one line for both."),
            "true score", items=False,
        ),
        "items": clouds(
            ("An engine that knows only the item", "agrees across items, though it", "tells nothing within an item."),
            "human score", items=True,
        ),
        "degradation": bars((*rows, ("degradation", with_rater - two, FLAG)), "Correlation: the first less the second"),
        "double_scores": rising(widths, "responses scored twice", "Half-width of the interval of PRMSE", 0.2),
        "assurance": rising(powers, "responses scored twice", "How probable a clear answer is, if PRMSE is 0.80", 1),
        "reliability": parts(
            (("responses", 0.7, ENGINE), ("raters' severity", 0.1, FLAG), ("rest", 0.2, HUMAN)), "Why ratings differ"
        ),
        "annotators": bars(
            [(f"without annotator {place}", share, ENGINE) for place, share in enumerate((0.62, 0.48, 0.71), start=1)],
            "Share of responses where the judge is as near to the others",
        ),
    }  # fmt: skip


NUMBER = (
    *("sources", "design", "scores", "tally", "metrics", "evaluation", "verdicts", "report_sections", "storing"),
    "rendering",
)
"""The rooms that a statistic passes, in this order."""


def imports_of_rooms() -> dict[str, set[str]]:
    """Return the rooms that each room imports directly, in the order of the import contract."""
    rooms = [room for layer in _contract()["layers"] for room in layer.split(" | ") if room != "__main__"]
    graph = build_graph("reportgen", "report_sections", cache_dir=None)

    def room_of(module: str) -> str:
        parts = module.split(".")
        return parts[0] if parts[0] == "report_sections" else parts[1] if len(parts) > 1 else ""

    found: dict[str, set[str]] = {room: set() for room in ("report_sections", *rooms)}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = room_of(module), room_of(imported)
            if one != other and not {one, other} & {"", "__main__"}:
                found[one].add(other)
    if unknown := set(map(room_of, graph.modules)) - {"", "__main__"} - set(found):
        raise ValueError(f"not in a layer of the import contract: {', '.join(sorted(unknown))}")
    return found


def _contract() -> dict[str, Any]:
    settings = tomllib.loads((PICTURES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    contract: dict[str, Any] = settings["tool"]["importlinter"]["contracts"][0]
    return contract


def rooms() -> str:
    """Return the picture of the rooms: the path of a number, and which room imports which."""
    return matrix(imports_of_rooms(), NUMBER)


def pictures() -> dict[str, str]:
    """Return the picture of every statistic by key, and the picture of the packages."""
    return (
        agreement()
        | cells()
        | categories()
        | distances()
        | spreads()
        | true_scores()
        | traits()
        | subjects()
        | {"rooms": rooms()}
    )


def main() -> None:
    """Write every picture without output."""
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    for key, picture in pictures().items():
        (PICTURES / f"{key}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
