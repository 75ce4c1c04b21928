"""What the keys of estimates are called in a packet."""

from __future__ import annotations

from reportgen.metrics import METRICS

FAMILIES = {
    "system": "engine-human", "human": "human-human", "degradation": "degradation of", "true_score": "true score:",
    "disattenuated": "disattenuated",
}  # fmt: skip
"""Families of estimates in words."""


OF_RATERS = {
    "h_mean": "first rater's mean", "h_sd": "first rater's SD", "system_mean": "second rater's mean",
    "system_sd": "second rater's SD",
}  # fmt: skip
"""Metrics whose names speak of an engine, for two raters."""


def name_of(key: str) -> str:
    """Return an estimate's key in words.

    Examples
    --------
    >>> name_of("system.qwk"), name_of("human.r"), name_of("largest_group_difference"), name_of("levels.macro_rmse")
    ('engine-human QWK', 'human-human r', 'largest group difference', 'levels macro rmse')
    """
    family, _, metric = key.partition(".")
    if family == "human" and metric in OF_RATERS:
        return OF_RATERS[metric]
    if family in FAMILIES and metric in METRICS:
        unit = " (%)" if METRICS[metric].kind == "percent" else ""
        return f"{FAMILIES[family]} {METRICS[metric].abbreviation}{unit}".strip()
    return key.replace("_", " ").replace(".", " ")
