"""Define the settings as frozen pydantic models; ``settings.toml`` describes each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic.types import StringConstraints

from reportgen.settings import kinds
from reportgen.settings.kinds import COLOUR, LANGUAGE, TOLD, lists_by_key

LARGEST_WHOLE = 10**18 - 1  # largest integer: every reader of results.json must be able to read it

HIGHEST_CONFIDENCE = 0.9999  # highest confidence level; beyond it, intervals depend on tails that no sample shows

Format = Literal["html", "pdf", "docx", "brief"]
Name = Annotated[str, StringConstraints(min_length=1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""Names; a single name is a list of one."""

Off = Literal[""]  # no column, although one would be detected

Colour = Annotated[str, StringConstraints(pattern=COLOUR)]


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for each in pair for text in _texts_in(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts_in(each))


class Strict(BaseModel):
    """Frozen; rejects unknown keys, and numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give each field its description and its option from ``settings.toml``."""
        super().__pydantic_init_subclass__(**kwargs)
        told = TOLD.get(cls.__name__.removesuffix("Settings").lower() or "settings", {})
        for key, field in cls.model_fields.items() if told else ():
            said = told.get(key, {"description": getattr(field.annotation, "__doc__", None)})
            field.description = field.description or said["description"]
            field.metadata += [kinds.Option(**said["option"])] if "option" in said else []

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_or_impossible_text(cls, value: object, about: ValidationInfo) -> object:
        """Reject booleans as numbers, and text that is not valid Unicode."""
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
        types = set(_types_in(cls.model_fields[about.field_name or ""].annotation))
        # models validate themselves
        models = any(is_dataclass(each) or hasattr(each, "model_fields") for each in types)
        texts = _texts_in(value) if not models or isinstance(value, str) else ()
        unwritable = next((each for each in texts if not kinds.is_text(each)), None)
        if unwritable is not None:
            raise ValueError(f"expected text in UTF-8, found {ascii(unwritable)[:80]}")
        if Path in types and any(isinstance(part, str) and (not part or "\0" in part) for part in parts):
            raise ValueError("expected a path, found an empty text or a null character")
        found = next((part for part in parts if isinstance(part, bool)), None)
        if found is None or models or {bool, Any} & types:
            return value
        raise ValueError(f"expected a number or text, found {found}")


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from _types_in(part)


class DataSettings(Strict):
    """Where the scores are, and the roles of columns."""

    file: Path | Annotated[tuple[Path, ...], Field(min_length=1)] | None = None
    connection: Name | None = None
    query: Name | None = None
    format: Name | None = None
    system: Name | None = None
    systems: Names | None = None
    baseline: Name | None = None
    human: Names | None = None
    record: Name | None = None
    without: Names = ()
    ratings_only: bool = False
    id: Name | Off | None = None
    labels_file: Path | None = None
    labels_id: Name | None = None
    groups: Names | None = None
    intersections: tuple[tuple[Name, ...], ...] | Literal["all pairs"] = ()
    item: Name | Off | None = None
    candidate: Name | Off | None = None
    cluster: Name | None = None
    length: Name | None = None
    text: Name | None = None
    position: Name | None = None
    weight: Name | Off | None = None
    double_weight: Name | None = None
    scale: kinds.DeclaredScale | None = None
    system_scale: kinds.DeclaredEnds | None = None
    scales: Path | None = None
    labels: tuple[Name, ...] | None = None
    unordered: bool = False
    missing: tuple[Name, ...] = ()
    layout: Literal["wide", "long"] | None = None
    rater: Name | None = None
    score: Name | None = None
    time: Name | None = None
    run: Name | None = None
    runs: Names | None = None
    unparseable: Literal["missing", "refuse"] = "missing"
    encoding: Name | None = None
    rater_ids: Names | None = None
    rating_times: Names | None = None
    show_rater_names: bool = False
    item_scores: Names = ()
    flags: Annotated[dict[str, tuple[str | float, ...]], BeforeValidator(lists_by_key)] = {}
    by: Names = ()
    only: dict[str, str] = {}

    trait_column: Name | Off | None = None
    trait: Name | None = None

    @field_validator("system", mode="before")
    @classmethod
    def _one(cls, value: object) -> object:
        """Reject several columns, and name the setting that accepts them."""
        if isinstance(value, list | tuple):
            raise ValueError(f"expected one column, found {len(value)}; to evaluate multiple engines, use systems")
        return value

    @field_validator("labels", "missing", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """Accept "No,Partly,Yes", and labels or codes that look like numbers."""
        listed = kinds.split(value)
        return [kinds.as_label(each) for each in listed] if isinstance(listed, list | tuple) else listed

    @field_validator("labels")
    @classmethod
    def _different(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Reject too few, too many, or repeated labels."""
        if value is None:
            return None
        if not 2 <= len(value) <= kinds.MOST_LABELS:
            file = f"; for a file of human scores, use --labels-file {value[0]}" if "." in "".join(value[:1]) else ""
            raise ValueError(f"expected 2 to {kinds.MOST_LABELS} labels, found {len(value)}{file}")
        seen: set[str] = set()
        for label in value:
            if (known := kinds.same_label(label)) in seen:
                raise ValueError(f"the label '{label[:40]}' is listed twice; case is ignored")
            seen.add(known)
        return value

    @model_validator(mode="after")
    def _scales_fit(self) -> DataSettings:
        """Reject an engine scale without a human scale, and a scale with labels."""
        if (own := self.system_scale) is not None and own.low == own.high:
            raise ValueError(f"the ends of system_scale must differ, found {own.low:g}:{own.high:g}")
        if own is not None and self.scale is None and not self.labels:
            raise ValueError("--system-scale requires the scale of the human scores; for example, --scale 1:5")
        if self.labels is not None and (self.scale is not None or self.scales is not None):
            raise ValueError("--labels and --scale cannot be combined; use --labels for words and --scale for numbers")
        return self

    @field_validator("connection")
    @classmethod
    def _without_credentials(cls, value: str | None) -> str | None:
        """Reject credentials; the error does not repeat them."""
        if value is not None and ("@" in value or "?" in value):
            raise ValueError("expected no credentials; set them in the environment, for example PGPASSWORD")
        return value

    @field_validator("intersections", mode="before")
    @classmethod
    def _crossed(cls, value: object) -> object:
        """Accept "gender,language" for a list, and "all" for all pairs."""
        if value in ("all", ["all"], "all pairs", ["all pairs"]):
            return "all pairs"
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            return value
        crossed = [re.split(r"\s*,\s*", each.strip()) if isinstance(each, str) else each for each in listed]
        if any(isinstance(each, list) and "" in each for each in crossed):
            raise ValueError(f"expected group columns separated by commas, found {listed[0]!r}")
        return crossed

    @field_validator("human", "systems")
    @classmethod
    def _at_least_one(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value == ():
            raise ValueError("name at least one column of scores, or remove the key")
        return value


class TraitSettings(Strict):
    """One trait of the responses: its columns, its scale, and its weight in the composite."""

    name: Name
    human: Names | None = None
    system: Name | None = None
    scale: kinds.DeclaredScale | None = None
    weight: float = Field(default=1.0, ge=0)

    @model_validator(mode="after")
    def _both_or_none(self) -> TraitSettings:
        """Reject a trait with ratings but no system, or the reverse."""
        if (self.human is None) != (self.system is None) or self.human == ():
            raise ValueError("set both human and system, or neither if a column contains the trait")
        return self


class PreparationSettings(Strict):
    """Which responses count, and how system scores are prepared."""

    exclude_zero_scores: bool | None = None
    trim_min: float | None = None
    trim_max: float | None = None
    trim_tolerance: float = Field(default=0.4998, ge=0)
    scale_with: Annotated[Name | None, kinds.PathWhen(kinds.is_training_file)] = None
    min_items_per_candidate: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _check(self) -> PreparationSettings:
        if self.trim_min is not None and self.trim_max is not None and self.trim_min > self.trim_max:
            raise ValueError(f"trim_min ({self.trim_min:g}) is greater than trim_max ({self.trim_max:g}); swap them")
        return self


class StatisticsSettings(Strict):
    """How statistics are computed."""

    confidence_level: float = Field(default=0.95, ge=0.01, le=HIGHEST_CONFIDENCE)
    min_n_per_group: int = Field(default=10, ge=1, le=LARGEST_WHOLE)
    min_n_by_group: dict[str, Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]] = {}
    max_levels: int = Field(default=5000, ge=2, le=LARGEST_WHOLE)
    rater_error_variance: float | None = Field(default=None, ge=0)
    annotator_min_ratings: int = Field(default=2, ge=2, le=100)
    annotator_rounded: bool = True
    annotator_margin: float = Field(default=0.15, ge=0, lt=1)
    seed: int = Field(default=1, ge=0, le=LARGEST_WHOLE)
    intervals: Literal["jackknife", "bootstrap"] = "jackknife"
    raters: Literal["sample", "fixed"] = "sample"
    replicates: int = Field(default=2000, ge=100, le=100_000)


class ImpactSettings(Strict):
    """How test scores are reported, to show how the engine's score of one item affects them."""

    scoring: Literal["summed", "irt"] = "summed"
    weight: float | None = Field(default=None, gt=0)
    share: float | None = Field(default=None, gt=0, le=100)
    machine_scored: int = Field(default=1, ge=1)
    slope: float = Field(default=1.0, gt=0)
    intercept: float = 0.0
    low: float | None = None
    high: float | None = None
    cuts: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> ImpactSettings:
        """Reject unordered ends and cut scores, and a weight with scoring = "irt"."""
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must be below high ({self.high:g})")
        if list(self.cuts) != sorted(set(self.cuts)):
            raise ValueError("cuts must be ascending scale scores without duplicates")
        if self.scoring == "irt" and self.weight is not None:
            raise ValueError('scoring = "irt" does not support item weights; remove weight, or set scoring = "summed"')
        return self


class PrivacySettings(Strict):
    """What outputs hide."""

    @property
    def protects_slices(self) -> bool:
        """Whether small values of `by` are hidden."""
        return self.withhold_small_groups and not self.unprotected

    withhold_small_groups: bool = True
    unprotected: bool = False
    show_response_ids: bool = False
    peer_tables: bool = False


class ReadingSettings(Strict):
    """Which responses are listed for human review."""

    read: int | None = Field(default=None, ge=1, le=10_000)
    blind: bool = False


class VerdictSettings(Strict):
    """What decides whether scores can be used, and which engine is better."""

    policy: Annotated[Name, kinds.PathWhen(kinds.is_policy_path)] = "default"
    primary: Literal["prmse", "qwk", "r", "kappa"] | None = None
    smallest_difference: float = Field(default=0.05, ge=0, lt=1)


class ColourSettings(Strict):
    """The report's colors, as CSS hexadecimal codes."""

    engine: Colour | None = None
    human: Colour | None = None
    flag: Colour | None = None
    muted: Colour | None = None


class ReportSettings(Strict):
    """The content and the look of the report."""

    title: str = ""
    description: str = ""
    engine: str = ""
    engine_version: str = ""
    created: date | None = None
    logo: Path | None = None
    docx_template: Path | None = None
    colours: ColourSettings = ColourSettings()
    sections: Annotated[tuple[Name, ...] | None, kinds.PathWhen(kinds.is_path), BeforeValidator(kinds.split)] = None
    templates: Path | None = None
    language: str = Field(default="en", pattern=LANGUAGE)
    formats: Annotated[tuple[Format, ...], BeforeValidator(kinds.split)] = ("html", "pdf")
    interactive: bool = True
    plotly: Literal["inside", "beside", "none"] = "inside"
    page: Literal["A4", "Letter"] = "A4"


class RunsSettings(Strict):
    """Which finished runs `compare` or `summarize` uses."""

    kind: Literal["comparison", "summary"] | None = None
    sources: tuple[Path, ...] = ()
    names: tuple[Name, ...] = ()
    systems: Names = ()


class Settings(Strict):
    """All settings of a run."""

    data: DataSettings = DataSettings()
    preparation: PreparationSettings = PreparationSettings()
    statistics: StatisticsSettings = StatisticsSettings()
    impact: ImpactSettings = ImpactSettings()
    privacy: PrivacySettings = PrivacySettings()
    reading: ReadingSettings = ReadingSettings()
    verdict: VerdictSettings = VerdictSettings()
    report: ReportSettings = ReportSettings()
    runs: RunsSettings = RunsSettings()
    sections: dict[str, dict[str, Any]] = {}
    labels: dict[Name, Name] = {}
    traits: tuple[TraitSettings, ...] | None = None
    rsmeval: dict[str, Any] | None = None

    TABLES: ClassVar[tuple[str, ...]] = (
        *("runs", "data", "preparation", "statistics", "impact", "privacy", "reading", "verdict", "report"),
    )
    LISTED: ClassVar[str] = "reportgen init"  # command that lists the settings
    PREFIXED: ClassVar[tuple[str, ...]] = ("runs", "impact")
    """Tables whose name prefixes the keyword: ``impact_cuts`` is ``cuts`` in ``[impact]``."""

    @field_validator("traits")
    @classmethod
    def _traits_differ(cls, value: tuple[TraitSettings, ...] | None) -> tuple[TraitSettings, ...] | None:
        """Reject traits with the same name, traits with and without columns, and zero weights."""
        if value is None:
            return value
        names = [trait.name for trait in value]
        if len(set(names)) < len(names):
            raise ValueError(
                f"'{next(name for name in names if names.count(name) > 1)}' occurs twice; list each name once"
            )
        if len({trait.system is None for trait in value}) > 1:
            raise ValueError("set human and system for every trait, or for none if a column contains the trait")
        if not any(trait.weight for trait in value):
            raise ValueError("expected a weight above 0 for at least one trait")
        return value

    @model_validator(mode="after")
    def _impact_has_items(self) -> Settings:
        """Reject settings of reported scores that need scores of the other items."""
        if self.data.item_scores:
            return self
        impact = self.impact
        needy = {"scoring": impact.scoring == "irt", "cuts": bool(impact.cuts)}
        needy |= {key: getattr(impact, key) is not None for key in ("low", "high")}
        found = next((key for key, given in needy.items() if given), None)
        if found is not None:
            raise ValueError(f"impact.{found} requires the scores of the other items; add item_scores to [data]")
        return self

    @model_validator(mode="after")
    def _reading_is_asked_for(self) -> Settings:
        """Reject settings about responses to review if none are requested."""
        found = "data.text" if self.data.text is not None else "reading.blind" if self.reading.blind else ""
        if found and self.reading.read is None:
            raise ValueError(f"{found} requires a review list; for example, --read 40")
        return self

    @classmethod
    def keywords(cls) -> dict[str, tuple[str, str]]:
        """Return (table, key) of every setting by keyword.

        >>> Settings.keywords()["scale"], Settings.keywords()["impact_cuts"]
        (('data', 'scale'), ('impact', 'cuts'))
        """
        return {
            f"{table}_{key}" if table in cls.PREFIXED else key: (table, key)
            for table in cls.TABLES
            for key in cls.table(table).model_fields
        }

    @classmethod
    def table(cls, name: str) -> type[BaseModel]:
        """Return the model of a table of settings."""
        return cast("type[BaseModel]", cls.model_fields[name].annotation)
