"""From sweeps to the tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.agreement_robustness.coefficients import COEFFICIENTS, WEIGHTS, coefficients, percent_agreement
from reportgen.studies.agreement_robustness.sweeps import Sweep
from reportgen.studies.printed import in_figure, in_section, in_table, published_columns

FAMILIES = ("kappa", "scott", "bp", "ac", "alpha")
NAMES = (*(f"{name}_{weights}" for weights in WEIGHTS for name in COEFFICIENTS), "pa", "mae")
"""Keys of the columns of a table of a stress."""

ON_PAPER = ("kappa_quadratic", "bp_quadratic", "ac_quadratic", "kappa_linear", "bp_linear", "ac_linear", "pa", "mae")

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear", "pa")
"""With pass and fail only, linear and quadratic weights are the same."""

PUBLISHED = (
    ("1, left", ((40, 10), (10, 40)), {"kappa": 0.60, "bp": 0.60, "ac": 0.60}),
    ("1, right", ((64, 4), (16, 16)), {"kappa": 0.49, "bp": 0.60, "ac": 0.67}),
    ("2, left", ((20, 0), (60, 20)), {"kappa": 0.12}),
    ("2, right", ((60, 15), (20, 5)), {"kappa": 0.00}),
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
            rows.append(Row((in_table(place), Term(f"family.{name}"), value, here, here - value, _agrees(value, here))))
    return Table("study.published", "", published_columns(), tuple(rows))


def _agrees(printed: float, here: float) -> Term:
    return Term("yes" if abs(here - printed) <= HALF_UNIT + 1e-9 else "no")


def sweep_table(sweep: Sweep) -> Table:
    """Return every coefficient along one stress."""
    shown = TWO_POINTS if sweep.beside else ON_PAPER
    columns = (
        Column("x", Term(f"along.{sweep.stress}")),
        *(Column(name, kind="coefficient") for name in sweep.beside),
        *(Column(name, kind="coefficient", shown=name in shown) for name in NAMES),
        Column("largest_sd", kind="coefficient", shown=False),
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
    title = Term("stress_title", stress=Term(f"stress.{sweep.stress}"), scores=Term(f"scores.{sweep.scores}"))
    return Table(sweep.key, title, columns, tuple(rows), max_rows=12)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def claims_table(synthetic: Mapping[str, Sweep], real_like: Sequence[Sweep]) -> Table:
    """Return what the paper says its figures show, and whether it is so here."""
    by_stress = {sweep.stress: sweep for sweep in (*synthetic.values(), *real_like)}
    prevalence, marginals, magnitude = (by_stress[key] for key in ("prevalence", "marginals", "magnitude"))
    threshold, rebinning = by_stress["threshold"], by_stress["rebinning"]
    middle = len(marginals.x) // 2
    distance = {name: _distance(threshold, f"{name}_linear") for name in FAMILIES}
    fall = {name: rebinning.mean[name][0] - rebinning.mean[name][-1] for name in NAMES}
    claims = (
        (in_figure("1"), "still",
         _still(prevalence, "bp_quadratic", 0.75), prevalence.range("bp_quadratic")),
        (in_figure("1"), "kappa_moves",
         prevalence.range("kappa_quadratic") > prevalence.range("ac_quadratic"), prevalence.range("kappa_quadratic")),
        (in_figure("1"), "ac_rises", prevalence.mean["ac_quadratic"][0]
         > prevalence.mean["ac_quadratic"][-1], prevalence.range("ac_quadratic")),
        (in_figure("2"), "bp_marginals", marginals.range("bp_linear") < SAME,
         marginals.range("bp_linear")),
        (in_figure("2"), "kappa_lowest",
         abs(int(np.argmin(marginals.mean["kappa_quadratic"])) - middle) <= 1, marginals.range("kappa_quadratic")),
        (in_figure("2"), "others_highest", all(
            abs(int(np.argmax(marginals.mean[name])) - middle) <= 1 for name in ("ac_quadratic", "bp_quadratic")),
         marginals.range("ac_quadratic")),
        (in_figure("3"), "kappa_threshold",
         distance["kappa"] > max(distance["bp"], distance["ac"]), distance["kappa"]),
        (in_figure("4"), "quadratic_fall", all(
            magnitude.mean[f"{name}_quadratic"][0] > magnitude.mean[f"{name}_quadratic"][-1] for name in FAMILIES),
         magnitude.range("kappa_quadratic")),
        (in_figure("4"), "linear_stay", all(
            magnitude.mean[f"{name}_linear"][-1] > magnitude.mean[f"{name}_linear"][0] - 1e-3 for name in FAMILIES),
         magnitude.range("kappa_linear")),
        (in_section("4.4"), "kappa_cut", fall["kappa_quadratic"]
         > max(fall["bp_quadratic"], fall["ac_quadratic"]), float(fall["kappa_quadratic"])),
    )  # fmt: skip
    columns = (Column("place"), Column("claim"), Column("holds"), Column("by", kind="coefficient"))
    rows = tuple(
        Row((place, Term(f"claim.{claim}"), Term("yes" if holds else "no"), float(by)))
        for place, claim, holds, by in claims
    )
    return Table("study.claims", "", columns, rows)


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
        Row((Term(f"coefficient.{name}"), *(sweep.range(name) for sweep in sweeps)))
        for name in NAMES
        if name not in ("pa", "mae")
    ]  # fmt: skip
    columns = (
        Column("coefficient"),
        *(Column(f"{sweep.scores}_{sweep.stress}", Term(f"changed.{sweep.stress}"), "coefficient") for sweep in sweeps),
    )
    return Table("study.movement", "", columns, tuple(rows))
