"""The settings as keywords of functions, for type checkers; docs/build_keywords.py makes this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from os import PathLike
from typing import Any, Literal, TypedDict

from reportgen.results import Scale

StrPath = str | PathLike[str]

class ReportKeywords(TypedDict, total=False):
    """Settings of render, export, and summarize."""

    title: str
    description: str
    engine: str
    engine_version: str
    created: date | str | None
    logo: StrPath | None
    docx_template: StrPath | None
    colours: Mapping[str, str | None]
    sections: Sequence[StrPath] | Mapping[str, Any] | None
    templates: StrPath | None
    language: str
    formats: Sequence[Literal["html", "pdf", "docx", "brief"]] | str
    interactive: bool
    plotly: Literal["inside", "beside", "none"]
    page: Literal["A4", "Letter"]

class ItemKeywords(TypedDict, total=False):
    """Settings of item_tables."""

    file: StrPath | Sequence[StrPath] | None
    connection: str | None
    query: str | None
    format: str | None
    system: str | None
    baseline: str | None
    human: Sequence[str] | None
    record: str | None
    without: Sequence[str]
    ratings_only: bool
    id: str | None
    labels_file: StrPath | None
    labels_id: str | None
    groups: Sequence[str] | None
    intersections: Sequence[Sequence[str]] | Literal["all pairs"] | str
    item: str | None
    candidate: str | None
    cluster: str | None
    length: str | None
    text: str | None
    position: str | None
    weight: str | None
    double_weight: str | None
    scale: str | Scale | Sequence[float] | Mapping[str, float] | None
    system_scale: str | Scale | Sequence[float] | Mapping[str, float] | None
    scales: StrPath | None
    labels: Sequence[str] | str | None
    unordered: bool
    missing: Sequence[str] | str
    layout: Literal["wide", "long"] | None
    rater: str | None
    score: str | None
    time: str | None
    run: str | None
    unparseable: Literal["missing", "refuse"]
    encoding: str | None
    rater_ids: Sequence[str] | None
    rating_times: Sequence[str] | None
    show_rater_names: bool
    item_scores: Sequence[str]
    flags: Mapping[str, Sequence[str | float]]
    only: Mapping[str, str]
    trait_column: str | None
    trait: str | None
    exclude_zero_scores: bool | None
    trim_min: float | None
    trim_max: float | None
    trim_tolerance: float
    scale_with: StrPath | None
    min_items_per_candidate: int | None
    confidence_level: float
    min_n_per_group: int
    min_n_by_group: Mapping[str, int]
    max_levels: int
    rater_error_variance: float | None
    annotator_min_ratings: int
    annotator_rounded: bool
    annotator_margin: float
    seed: int
    intervals: Literal["jackknife", "bootstrap"]
    raters: Literal["sample", "fixed"]
    replicates: int
    withhold_small_groups: bool
    unprotected: bool
    show_response_ids: bool
    peer_tables: bool

class ScoreKeywords(ItemKeywords, ReportKeywords, total=False):
    """Settings of compare."""

    impact_scoring: Literal["summed", "irt"]
    impact_weight: float | None
    impact_share: float | None
    impact_machine_scored: int
    impact_slope: float
    impact_intercept: float
    impact_low: float | None
    impact_high: float | None
    impact_cuts: Sequence[float]
    read: int | None
    blind: bool
    policy: StrPath
    primary: Literal["prmse", "qwk", "r", "kappa"] | None
    smallest_difference: float

class EvaluateKeywords(ScoreKeywords, total=False):
    """Settings of evaluate, batch, and look."""

    runs: Sequence[str] | None
    systems: Sequence[str] | None
    traits: Sequence[Mapping[str, Any]] | None
