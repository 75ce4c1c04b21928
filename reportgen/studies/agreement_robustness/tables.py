"""From sweeps to the tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.studies.agreement_robustness.coefficients import COEFFICIENTS, WEIGHTS, coefficients, percent_agreement
from reportgen.studies.agreement_robustness.sweeps import TITLES, Sweep

SHORT: dict[str, str] = {"kappa": "kappa", "scott": "Scott", "bp": "BP", "ac": "AC", "alpha": "alpha"}
NAMES: dict[str, str] = {
    f"{name}_{weights}": f"{weights} {SHORT[name]}" for weights in WEIGHTS for name in COEFFICIENTS
} | {
    "pa": "percent agreement",
    "mae": "MAE",
}
"""Coefficient -> its column heading."""

SCORES = {"synthetic": "synthetic scores", "real_like": "real-like scores", "own": "your scores"}
NOTES = {
    "threshold": (
        "Prevalence: share that both pass. Similarity: 1 less the difference of the two passing shares. Probability: "
        "their mean.",
    )
}
"""What a table's columns mean where their names do not say it."""

ON_PAPER = ("kappa_quadratic", "bp_quadratic", "ac_quadratic", "kappa_linear", "bp_linear", "ac_linear", "pa", "mae")

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear", "pa")
"""With pass and fail only, linear and quadratic weights are the same."""

PUBLISHED = (
    ("table 1, left", ((40, 10), (10, 40)), {"kappa": 0.60, "bp": 0.60, "ac": 0.60}),
    ("table 1, right", ((64, 4), (16, 16)), {"kappa": 0.49, "bp": 0.60, "ac": 0.67}),
    ("table 2, left", ((20, 0), (60, 20)), {"kappa": 0.12}),
    ("table 2, right", ((60, 15), (20, 5)), {"kappa": 0.00}),
)
"""Tables 1 and 2 of the paper: counts (system pass and fail in rows), and what is printed of them."""

HALF_UNIT = 0.005
SAME = 1e-12


def published_table() -> Table:
    """Return the printed coefficients of the paper's tables beside ours."""
    rows = []
    for place, counts, printed in PUBLISHED:
        found = coefficients(np.array(counts, float), "identity") | {"pa": percent_agreement(np.array(counts, float))}
        for name, value in printed.items():
            here = float(found[name])
            rows.append(Row((place, COEFFICIENTS[name], value, here, here - value, _agrees(value, here))))
    columns = (
        Column("place", "Where"), Column("what", "What"), Column("published", "Published", "score"),
        Column("here", "Here", "score"), Column("difference", "Difference", "difference"), Column("agrees", "Repeated"),
    )  # fmt: skip
    notes = (
        "Yannakoudakis and Cummins (2015). Printed numbers have two decimals: a difference below .005 is rounding.",
    )
    return Table("study.published", "Published and repeated coefficients", columns, tuple(rows), notes)


def _agrees(printed: float, here: float) -> str:
    return "yes" if abs(here - printed) <= HALF_UNIT + 1e-9 else "no"


def sweep_table(sweep: Sweep) -> Table:
    """Return every coefficient along one stress."""
    what, along = TITLES[sweep.stress]
    shown = TWO_POINTS if sweep.beside else ON_PAPER
    columns = (
        Column("x", along, "text"),
        *(Column(name, name.capitalize(), "coefficient") for name in sweep.beside),
        *(Column(name, NAMES[name], "coefficient", shown=name in shown) for name in NAMES),
        Column("largest_sd", "Largest SD", "coefficient", shown=False),
    )
    spread = np.array(list(sweep.sd.values()))
    rows = [
        Row((
            x,
            *(_number(values[place]) for values in sweep.beside.values()),
            *(_number(sweep.mean[name][place]) for name in NAMES),
            _number(np.max(spread[:, place])),
        ))
        for place, x in enumerate(sweep.x)
    ]  # fmt: skip
    return Table(sweep.key, f"{what}: {SCORES[sweep.scores]}", columns, tuple(rows), NOTES.get(sweep.stress, ()), 12)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def claims_table(synthetic: Mapping[str, Sweep], real_like: Sequence[Sweep]) -> Table:
    """Return what the paper says its figures show, and whether it is so here."""
    by_stress = {sweep.stress: sweep for sweep in (*synthetic.values(), *real_like)}
    prevalence, marginals, magnitude = (by_stress[key] for key in ("prevalence", "marginals", "magnitude"))
    threshold, rebinning = by_stress["threshold"], by_stress["rebinning"]
    middle = len(marginals.x) // 2
    distance = {name: _distance(threshold, f"{name}_linear") for name in SHORT}
    fall = {name: rebinning.mean[name][0] - rebinning.mean[name][-1] for name in NAMES}
    claims = (
        ("figure 1", "quadratic BP does not move with prevalence, and stays at 0.75",
         _still(prevalence, "bp_quadratic", 0.75), prevalence.range("bp_quadratic")),
        ("figure 1", "quadratic kappa moves with prevalence more than quadratic AC",
         prevalence.range("kappa_quadratic") > prevalence.range("ac_quadratic"), prevalence.range("kappa_quadratic")),
        ("figure 1", "AC rises where one score prevails", prevalence.mean["ac_quadratic"][0]
         > prevalence.mean["ac_quadratic"][-1], prevalence.range("ac_quadratic")),
        ("figure 2", "linear BP does not move with the marginals", marginals.range("bp_linear") < SAME,
         marginals.range("bp_linear")),
        ("figure 2", "kappa is lowest where the system's scores are distributed like the gold scores",
         abs(int(np.argmin(marginals.mean["kappa_quadratic"])) - middle) <= 1, marginals.range("kappa_quadratic")),
        ("figure 2", "AC and quadratic BP are highest there", all(
            abs(int(np.argmax(marginals.mean[name])) - middle) <= 1 for name in ("ac_quadratic", "bp_quadratic")),
         marginals.range("ac_quadratic")),
        ("figure 3", "kappa is further from percent agreement than BP and AC at passing thresholds",
         distance["kappa"] > max(distance["bp"], distance["ac"]), distance["kappa"]),
        ("figure 4", "quadratic coefficients fall as errors grow", all(
            magnitude.mean[f"{name}_quadratic"][0] > magnitude.mean[f"{name}_quadratic"][-1] for name in SHORT),
         magnitude.range("kappa_quadratic")),
        ("figure 4", "linear coefficients do not fall as errors grow", all(
            magnitude.mean[f"{name}_linear"][-1] > magnitude.mean[f"{name}_linear"][0] - 1e-3 for name in SHORT),
         magnitude.range("kappa_linear")),
        ("section 4.4", "quadratic kappa falls most as the scale is cut", fall["kappa_quadratic"]
         > max(fall["bp_quadratic"], fall["ac_quadratic"]), float(fall["kappa_quadratic"])),
    )  # fmt: skip
    columns = (
        Column("place", "Where"), Column("claim", "What the paper says"), Column("holds", "Holds here"),
        Column("by", "By how much", "coefficient"),
    )  # fmt: skip
    rows = tuple(Row((place, claim, "yes" if holds else "no", float(by))) for place, claim, holds, by in claims)
    notes = ("The scores of the paper's examination scripts are not public; figures 1 to 3 (right) and section 4.4 are "
             "repeated on simulated scores from 1 to 40 that correlate .75.",)  # fmt: skip
    return Table("study.claims", "What the paper's figures show", columns, rows, notes)


def _still(sweep: Sweep, name: str, value: float) -> bool:
    return bool(np.abs(sweep.mean[name] - value).max() < SAME)


def _distance(sweep: Sweep, name: str) -> float:
    """Return the mean distance of a coefficient from percent agreement."""
    return float(np.nanmean(np.abs(sweep.mean[name] - sweep.mean["pa"])))


def movement_table(synthetic: Mapping[str, Sweep], scales: Mapping[str, Sequence[Sweep]]) -> Table:
    """Return how far each coefficient moves under each stress; on one's own scores where they are given."""
    scores = "own" if "own" in scales else "real_like"
    sweeps = [*scales[scores]] if scores == "own" else [*synthetic.values(), *scales[scores]]
    rows = [
        Row((NAMES[name], *(sweep.range(name) for sweep in sweeps)))
        for name in NAMES
        if name not in ("pa", "mae")
    ]  # fmt: skip
    columns = (
        Column("coefficient", "Coefficient"),
        *(Column(f"{sweep.scores}_{sweep.stress}", sweep.stress.capitalize(), "coefficient") for sweep in sweeps),
    )
    notes = ("Largest less smallest value along the stress. A coefficient should move with the size of errors, and "
             "little with the rest.",)  # fmt: skip
    where = "your scores" if scores == "own" else "simulated scores"
    return Table(
        "study.movement", f"How far each coefficient moves under each stress: {where}", columns, tuple(rows), notes
    )
