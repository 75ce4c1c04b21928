"""The settings of a run as frozen pydantic models.

Each field is the one place that explains a setting: the JSON Schema, the comments of a written
``config.toml``, the options of the command line and the error messages all take it from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic.types import StringConstraints

from reportgen.settings.kinds import (
    MOST_LABELS,
    DeclaredEnds,
    DeclaredScale,
    Option,
    PathWhen,
    as_label,
    is_path,
    is_policy_path,
    is_text,
    is_training_file,
    same_label,
    split,
)
from reportgen.settings.wording import COLOUR, LANGUAGE

LARGEST_WHOLE = 10**18 - 1
"""No whole number of the settings is larger: it must be readable in results.json."""

HIGHEST_CONFIDENCE = 0.9999
"""Beyond it intervals rest on tails that no sample shows, and at last on rounding."""

Format = Literal["html", "pdf", "docx", "brief"]
Name = Annotated[str, StringConstraints(min_length=1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""Several names; one stands for a list of it."""

Off = Literal[""]
"""Says that no column plays a part that is found by its name otherwise."""

Colour = Annotated[str, StringConstraints(pattern=COLOUR)]


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts, keys and paths in a value of a setting."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for each in pair for text in _texts_in(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts_in(each))


class Strict(BaseModel):
    """Frozen; refuses keys it does not know, and numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_or_impossible_text(cls, value: object, about: ValidationInfo) -> object:
        """Refuse true and false where a number is expected, which Python counts as 1 and 0, and a text that is none."""
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
        types = set(_types_in(cls.model_fields[about.field_name or ""].annotation))
        models = any(is_dataclass(each) or hasattr(each, "model_fields") for each in types)  # these look for themselves
        texts = _texts_in(value) if not models or isinstance(value, str) else ()
        unwritable = next((each for each in texts if not is_text(each)), None)
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
    """Where the scores are, and which column plays which part."""

    file: Path | Annotated[tuple[Path, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="The file of scores, relative to this configuration file; a list of files, a pattern such as "
        "part-*.csv, or a folder of Parquet files is read as one.",
    )
    connection: Annotated[
        Name | None,
        Option(metavar="URI", help="Database: duckdb:FILE or postgresql://HOST/DATABASE. Omit INPUT."),
    ] = Field(
        default=None,
        description="The database of scores, duckdb:FILE or postgresql://HOST/DATABASE, without credentials: those "
        "stand in the environment (PGUSER, PGPASSWORD, or the whole URI in REPORTGEN_CONNECTION).",
    )
    query: Annotated[Name | None, Option(metavar="SQL")] = Field(
        default=None, description="SQL SELECT statement that returns the scores."
    )
    format: Annotated[Name | None, Option(metavar="NAME")] = Field(
        default=None, description="Reader for LLM judge outputs (see `reportgen readers`). Default: detected."
    )
    system: Annotated[
        Name | None,
        Option(
            metavar="NAME",
            help="Engine score column, engine named as a rater, or a pattern such as 'gpt*'.",
            several="systems",
        ),
    ] = Field(default=None, description="The column of system scores, or a pattern of several.")
    systems: Names | None = Field(
        default=None,
        description="Every system to evaluate and compare: columns of system scores; in the long layout also "
        "names of raters that are systems; names, or patterns such as 'gpt*'.",
    )
    baseline: Annotated[Name | None, Option(metavar="SYSTEM")] = Field(
        default=None, description="Engine to compare the others with. Default: the first."
    )
    human: Annotated[
        Names | None,
        Option(metavar="NAME", help="Human score column, human rater, or a pattern such as 'expert_*'."),
    ] = Field(
        default=None,
        description="The columns of human scores, in the long layout the raters who are persons; names, or patterns.",
    )
    record: Annotated[Name | None, Option(metavar="RATER|any")] = Field(
        default=None,
        description="Rater whose score is the score of record, or 'any' if raters are interchangeable. "
        "Default: detected.",
    )
    without: Annotated[Names, Option(metavar="RATER")] = Field(
        default=(), description="Rater to exclude: a column of human scores, a name, or a pattern such as 'temp_*'."
    )
    ratings_only: Annotated[bool, Option("--ratings-only")] = Field(
        default=False, description="Evaluate the raters only; ignore engine scores."
    )
    id: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Response ID column. Default: detected."
    )
    labels_file: Annotated[Path | None, Option(metavar="FILE")] = Field(
        default=None,
        description="File of human scores to join to the first file by response ID; any score format.",
    )
    labels_id: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="ID column in labels_file. Default: same name as in the first file."
    )
    groups: Annotated[
        Names | None,
        Option(
            "--group",
            metavar="COLUMN",
            help="Group to test for fairness.",
            none="--no-groups",
            none_help="Don't detect group columns.",
        ),
    ] = Field(default=None, description="The subgroup columns; an empty list for none. Default: detected.")
    intersections: Annotated[
        tuple[tuple[Name, ...], ...] | Literal["all pairs"],
        Option("--intersect", metavar="COLUMN,COLUMN", help="Groups to test in combination; 'all' for every pair."),
    ] = Field(
        default=(),
        description='Lists of group columns to cross, as in [["gender", "first_language"]]; "all pairs" for every two.',
    )
    item: Annotated[Name | Off | None, Option(metavar="COLUMN", help="Item or prompt column; '' for none.")] = Field(
        default=None,
        description="The column that names the prompt, question or task; an empty text for none. Default: detected.",
    )
    candidate: Annotated[Name | Off | None, Option(metavar="COLUMN", help="Test-taker column; '' for none.")] = Field(
        default=None,
        description="The column that names who gave the response; an empty text for none. Default: detected.",
    )
    length: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None,
        description="Response length, or text whose characters are counted. Tests whether the engine rewards length.",
    )
    text: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Response text, for the review list. Reports never show it."
    )
    position: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Position of the response in the judge's input. Also tested as a group."
    )
    scale: Annotated[DeclaredScale | None, Option(metavar="LOW:HIGH")] = Field(
        default=None,
        description="Score scale, such as 1:6 or 0:4:0.5. Default: detected from the human scores.",
    )
    system_scale: Annotated[DeclaredEnds | None, Option(metavar="LOW:HIGH", help="The engine's own scale.")] = Field(
        default=None,
        description='The scale of the system scores if it differs from `scale`, "low:high" as in 0:1: its ends are '
        "mapped onto those of `scale`.",
    )
    scales: Annotated[
        Path | None, Option(metavar="FILE", help="CSV file with a scale for each item: columns of --by, and 'scale'.")
    ] = Field(
        default=None,
        description="`reportgen batch` and `tables`: a CSV file with the scale of each item, in the columns of `by` "
        "and one called scale, as in 1:6 or 0:4:0.5.",
    )
    labels: Annotated[
        tuple[Name, ...] | None,
        Option(
            metavar='"LOW,...,HIGH"', help="Labels used as scores, lowest first, such as No,Partly,Yes.", listed=True
        ),
    ] = Field(
        default=None,
        description="The words that stand in the place of scores, lowest first; unset for numbers, and for pairs "
        "such as no and yes, fail and pass.",
    )
    unordered: Annotated[bool, Option(help="Labels have no order.")] = Field(
        default=False, description="Whether no label, or no number, lies above another: they are names of categories."
    )
    layout: Annotated[Literal["wide", "long"] | None, Option(metavar="wide|long")] = Field(
        default=None, description="One row per response (wide) or per rating (long). Default: detected."
    )
    rater: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Long layout: rater column."
    )
    score: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Long layout: rating column. In judge outputs: which score to use."
    )
    time: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Long layout: time column, as numbers or dates such as 2026-03-31."
    )
    run: Annotated[Name | None, Option(metavar="COLUMN")] = Field(
        default=None, description="Long layout: column that identifies repeated runs of an engine."
    )
    runs: Names | None = Field(
        default=None,
        description="Wide layout: the columns of further runs of the system on the same responses; "
        "an empty list for none. Default: detected.",
    )
    unparseable: Literal["missing", "refuse"] = Field(
        default="missing",
        description="A system score that is text and no number: a missing score, and counted, or a reason to stop.",
    )
    encoding: Annotated[Name | None, Option(help="Text encoding of the file, such as latin-1. Default: utf-8.")] = (
        Field(
            default=None,
            description="Text encoding of the file. Default: UTF-8, or UTF-16 with a byte order mark.",
        )
    )
    rater_ids: Names | None = Field(
        default=None,
        description="Wide layout: the columns that name who gave each human score, in the order of `human`.",
    )
    rating_times: Names | None = Field(
        default=None,
        description="Wide layout: the columns that say when each human score was given, in the order of `human`; "
        "one for all of them.",
    )
    show_rater_names: Annotated[bool, Option("--show-rater-names/--no-show-rater-names")] = Field(
        default=False, description="Show rater names instead of Rater 1, Rater 2, ..."
    )
    item_scores: Annotated[
        Names, Option("--item-score", metavar="COLUMN", help="Score on another item of the same test.")
    ] = Field(
        default=(),
        description="The columns of the test taker's scores on the other items of the test, for the section on "
        "reported scores; an empty list for none.",
    )
    flags: dict[str, tuple[str | float, ...]] = Field(
        default={}, description="For each flag column the values of the responses that are kept."
    )
    by: Annotated[Names, Option(metavar="COLUMN", help="Column whose values are the items.")] = Field(
        default=(), description="`reportgen batch`: the columns for each of whose values a report is made."
    )
    only: dict[str, str] = Field(
        default={},
        description='Values of the only rows that are read, as in {item = "P01"}; the other rows are as if not there.',
    )

    trait_column: Annotated[
        Name | Off | None, Option(metavar="COLUMN", help="Trait each row belongs to; '' for none.")
    ] = Field(
        default=None,
        description="The column that names the trait that a row is about; an empty text for none. Default: detected.",
    )
    trait: Annotated[Name | None, Option(metavar="NAME")] = Field(
        default=None, description="Evaluate only this trait. Default: all traits."
    )

    @field_validator("system", mode="before")
    @classmethod
    def _one(cls, value: object) -> object:
        """Refuse several columns where one is expected, and say where several belong."""
        if isinstance(value, list | tuple):
            raise ValueError(
                f"expected one column, found {len(value)}; name several as systems when you evaluate, and make a "
                "batch, or tables of items, of one system at a time"
            )
        return value

    @field_validator("labels", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """Accept ``"No,Partly,Yes"`` where a list is expected, and labels that look like numbers."""
        listed = split(value)
        return [as_label(each) for each in listed] if isinstance(listed, list | tuple) else listed

    @field_validator("labels")
    @classmethod
    def _different(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Refuse fewer than two labels, more than a person can tell apart, and one that is given twice."""
        if value is None:
            return None
        if not 2 <= len(value) <= MOST_LABELS:
            raise ValueError(f"expected 2 to {MOST_LABELS} labels, found {len(value)}")
        seen: set[str] = set()
        for label in value:
            if (known := same_label(label)) in seen:
                raise ValueError(f"the label '{label[:40]}' is given twice; upper and lower case are the same")
            seen.add(known)
        return value

    @model_validator(mode="after")
    def _onto_a_scale(self) -> DataSettings:
        """Refuse a scale of the engine without the scale that it is mapped onto."""
        if self.system_scale is not None and self.scale is None:
            raise ValueError("system_scale is mapped onto the scale of the human scores; set scale too, as in 1:5")
        return self

    @model_validator(mode="after")
    def _labels_or_scale(self) -> DataSettings:
        if self.labels is not None and (self.scale is not None or self.scales is not None):
            raise ValueError("labels and a scale are both declared; keep labels for words, a scale for numbers")
        return self

    @field_validator("connection")
    @classmethod
    def _without_credentials(cls, value: str | None) -> str | None:
        """Refuse what would be written into files; the sentence does not say it."""
        if value is not None and ("@" in value or "?" in value):
            raise ValueError("a configuration holds no credentials; put them into the environment, as in PGPASSWORD")
        return value

    @field_validator("intersections", mode="before")
    @classmethod
    def _crossed(cls, value: object) -> object:
        """Accept "gender,language" for a list of columns, and "all" for all pairs."""
        if value in ("all", ["all"], "all pairs", ["all pairs"]):
            return "all pairs"
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            return value
        crossed = [re.split(r"\s*,\s*", each.strip()) if isinstance(each, str) else each for each in listed]
        if any(isinstance(each, list) and "" in each for each in crossed):
            raise ValueError(f"expected names of group columns with a comma between them, found {listed[0]!r}")
        return crossed

    @field_validator("flags", mode="before")
    @classmethod
    def _one_value_or_many(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {column: kept if isinstance(kept, list | tuple) else [kept] for column, kept in value.items()}

    @field_validator("human", "systems")
    @classmethod
    def _at_least_one(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value == ():
            raise ValueError("name at least one column of scores, or leave the key out")
        return value


class TraitSettings(Strict):
    """One trait of the responses: its columns, its scale, and its weight in the composite."""

    name: Name = Field(description="What the trait is called; with `trait_column` its value there.")
    human: Names | None = Field(
        default=None, description="The columns of its human scores, raters in the same order for every trait."
    )
    system: Name | None = Field(default=None, description="The column of its system scores.")
    scale: DeclaredScale | None = Field(
        default=None, description='Its scale, "low:high" or "low:high:step". Default: that of [data].'
    )
    weight: float = Field(default=1.0, ge=0, description="Its weight in the composite of all traits.")

    @model_validator(mode="after")
    def _both_or_none(self) -> TraitSettings:
        """Refuse a trait with ratings and no system, or the other way round."""
        if (self.human is None) != (self.system is None) or self.human == ():
            raise ValueError("name both human and system, or neither where a column names the trait")
        return self


class PreparationSettings(Strict):
    """Which responses count, and what happens to the system scores."""

    exclude_zero_scores: Annotated[bool | None, Option("--exclude-zero-scores")] = Field(
        default=None, description="Treat a human score of 0 as not scored. If unset, 0 is a score and a note appears."
    )
    trim_min: Annotated[float | None, Option()] = Field(
        default=None, description="Lowest trimmed score. Default: low end of the scale."
    )
    trim_max: Annotated[float | None, Option()] = Field(
        default=None, description="Highest trimmed score. Default: high end of the scale."
    )
    trim_tolerance: Annotated[float, Option()] = Field(
        default=0.4998,
        ge=0,
        description="How far trimmed scores may exceed trim_min and trim_max, in scale steps.",
    )
    scale_with: Annotated[Name | None, PathWhen(is_training_file)] = Field(
        default=None,
        description='A training file with columns "sc1" and "prediction" to rescale system scores with; '
        '"asis" when they are already rescaled; "raw" to show them as given, and once more under the names of rescaled '
        "scores.",
    )
    min_items_per_candidate: int | None = Field(
        default=None, ge=1, description="Candidates with fewer responses than this are left out."
    )

    @model_validator(mode="after")
    def _check(self) -> PreparationSettings:
        if self.trim_min is not None and self.trim_max is not None and self.trim_min > self.trim_max:
            raise ValueError(f"trim_min ({self.trim_min:g}) must not lie above trim_max ({self.trim_max:g})")
        return self


class StatisticsSettings(Strict):
    """How the numbers are judged."""

    confidence_level: Annotated[float, Option("--confidence")] = Field(
        default=0.95, ge=0.01, le=HIGHEST_CONFIDENCE, description="Confidence level of every interval, at most 0.9999."
    )
    min_n_per_group: Annotated[int, Option("--min-n")] = Field(
        default=10,
        ge=1,
        le=LARGEST_WHOLE,
        description="Smallest group to test and show (see privacy).",
    )
    min_n_by_group: dict[str, Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]] = Field(
        default={},
        description="For single group columns the number that judges them, where it differs from min_n_per_group.",
    )
    max_levels: int = Field(
        default=5000,
        ge=2,
        le=LARGEST_WHOLE,
        description="A group column of more distinct values stops the run: it looks like one of ids. More take memory "
        "and time, some 90 kB each; above 2 GB say --memory.",
    )
    rater_error_variance: float | None = Field(
        default=None,
        ge=0,
        description="The variance of a rater's errors, if known. Default: estimated.",
    )
    annotator_min_ratings: int = Field(
        default=2,
        ge=2,
        le=100,
        description="Ratings that a response needs to count in the alternative annotator test; its authors ask for 2.",
    )
    annotator_rounded: bool = Field(
        default=True,
        description="Whether the alternative annotator test rounds the system's scores to score points.",
    )
    annotator_margin: float = Field(
        default=0.15,
        ge=0,
        lt=1,
        description="By what share of responses the system may agree less with the other raters than the rater whom it "
        "replaces: 0.2 for experts, 0.15 for trained raters, 0.1 for crowds.",
    )
    seed: Annotated[int, Option()] = Field(default=1, ge=0, le=LARGEST_WHOLE, description="Random seed.")
    intervals: Literal["jackknife", "bootstrap"] = Field(
        default="jackknife",
        description="How intervals of headline statistics are made: by the infinitesimal jackknife, or by resampling.",
    )
    replicates: int = Field(default=2000, ge=100, le=100_000, description="How many resamples the bootstrap draws.")


class ImpactSettings(Strict):
    """How the scores of the test are reported, to say what the engine's score of one item does to them."""

    scoring: Literal["summed", "irt"] = Field(
        default="summed",
        description='What is reported: the sum of item scores ("summed"), or ability by item response theory ("irt").',
    )
    weight: float | None = Field(
        default=None,
        gt=0,
        description="The weight of the evaluated item in the sum; unset for 1. Without item scores it is what the "
        "section needs.",
    )
    slope: float = Field(default=1.0, gt=0, description="Scale score per unit of the sum, or of ability.")
    intercept: float = Field(default=0.0, description="The scale score where the sum, or ability, is 0.")
    low: float | None = Field(
        default=None, description="The lowest scale score; unset for none, with irt for that of an ability of -4."
    )
    high: float | None = Field(
        default=None, description="The highest scale score; unset for none, with irt for that of an ability of 4."
    )
    cuts: tuple[float, ...] = Field(
        default=(), description="The scale scores at which performance levels begin, all but the lowest level."
    )

    @model_validator(mode="after")
    def _check(self) -> ImpactSettings:
        """Refuse ends and cut scores in the wrong order, and a weight where items have none."""
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must lie below high ({self.high:g})")
        if list(self.cuts) != sorted(set(self.cuts)):
            raise ValueError("cuts must be scale scores in rising order, none twice")
        if self.scoring == "irt" and self.weight is not None:
            raise ValueError('an item has no weight in scoring = "irt"; remove weight, or set scoring = "summed"')
        return self


class PrivacySettings(Strict):
    """What the outputs do not tell."""

    @property
    def protects_slices(self) -> bool:
        """Whether what is made of each value of by is withheld where few responses have it."""
        return self.withhold_small_groups and not self.unprotected

    withhold_small_groups: Annotated[
        bool, Option("--withhold/--no-withhold", help="Hide or show groups smaller than --min-n.")
    ] = Field(
        default=True,
        description="Whether groups of fewer than min_n_per_group responses, and what would tell them by "
        "subtraction, are left out of every output.",
    )
    unprotected: Annotated[bool, Option("--unprotected", help="Include results based on few responses.")] = Field(
        default=False,
        description="Whether batch and tables also make what they make of values of by that have fewer than "
        "min_n_per_group responses; their outputs then say that they are not protected.",
    )
    show_response_ids: bool = Field(
        default=False, description="Whether messages may name responses by their ids; reports never do."
    )
    peer_tables: bool = Field(
        default=False,
        description="Whether tables in RSMTool's layout also withhold small groups and the rows of single responses.",
    )


class ReadingSettings(Strict):
    """Which responses people are to read."""

    read: Annotated[
        int | None, Option(metavar="N", help="Also list N responses for human review, outside the report.")
    ] = Field(
        default=None,
        ge=1,
        le=10_000,
        description="How many responses to list for people to read, in a folder beside the report; unset for none.",
    )
    blind: Annotated[bool, Option("--blind")] = Field(
        default=False, description="Hide scores and reasons on the page of responses to read."
    )


class VerdictSettings(Strict):
    """What decides whether the scores may be used."""

    policy: Annotated[Name, Option(metavar="NAME|FILE"), PathWhen(is_policy_path)] = Field(
        default="default",
        description="Policy to check against: a built-in name (`reportgen policy list`) or the path of a file.",
    )


class ColourSettings(Strict):
    """The report's inks, as CSS hexadecimal colours."""

    engine: Colour | None = Field(default=None, description="The colour of the engine's scores.")
    human: Colour | None = Field(default=None, description="The colour of human scores.")
    flag: Colour | None = Field(default=None, description="The colour of what exceeds a threshold.")
    muted: Colour | None = Field(default=None, description="The colour of what stands back.")


class ReportSettings(Strict):
    """What the report holds, and how it looks."""

    title: Annotated[str, Option(help="Title of the report.")] = Field(
        default="", description="Title of the report. Default: made from the name of the file."
    )
    description: Annotated[str, Option()] = Field(default="", description="One paragraph below the title.")
    engine: Annotated[str, Option(metavar="NAME")] = Field(
        default="", description="Engine name to show. Default: the name of its column."
    )
    engine_version: Annotated[str, Option(metavar="VERSION")] = Field(default="", description="Engine version to show.")
    created: Annotated[date | None, Option(metavar="YYYY-MM-DD")] = Field(
        default=None, description="Date on the report, YYYY-MM-DD. Default: today."
    )
    logo: Annotated[Path | None, Option(metavar="FILE")] = Field(
        default=None, description="Logo at the top of the report (SVG, PNG, or JPEG)."
    )
    docx_template: Annotated[Path | None, Option(metavar="FILE")] = Field(
        default=None,
        description="Word document (.docx) that supplies styles, paper, header, and footer for report.docx.",
    )
    colours: ColourSettings = Field(default=ColourSettings(), description="The inks of the report.")
    sections: Annotated[tuple[Name, ...] | None, Option(metavar="NAME|FILE,...", listed=True), PathWhen(is_path)] = (
        Field(
            default=None,
            description="Sections to include, in order: names or .py files. Default: all built-in sections.",
        )
    )
    templates: Annotated[Path | None, Option()] = Field(
        default=None, description="Folder of templates that override built-in ones."
    )
    language: Annotated[str, Option(metavar="LANGUAGE", help="Language of the pages.")] = Field(
        default="en", pattern=LANGUAGE, description='The language of the pages: "en", or one that is shipped.'
    )
    formats: Annotated[
        tuple[Format, ...], Option(metavar="html,pdf,docx,brief", help="Pages to write.", listed=True)
    ] = Field(
        default=("html", "pdf"),
        description="The pages to make; `docx` is a Word document, `brief` the first two pages alone, as brief.pdf. "
        "An empty list: the notebook.",
    )
    interactive: bool = Field(
        default=True, description='Whether charts in the HTML can be opened; false is the same as `plotly = "none"`.'
    )
    plotly: Annotated[Literal["inside", "beside", "none"], Option(help="Location of the Plotly library.")] = Field(
        default="inside",
        description="Where the library that opens charts in the HTML is (2 MB): inside each page; beside, as one "
        "file for all reports of a folder; or none, and charts are plain pictures.",
    )
    page: Literal["A4", "Letter"] = Field(default="A4", description="The paper of the PDF.")

    @field_validator("sections", "formats", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return split(value)


class RunsSettings(Strict):
    """Which finished runs `compare` or `summarize` is about."""

    kind: Literal["comparison", "summary"] | None = Field(
        default=None, description='What is made of them: "comparison" or "summary".'
    )
    sources: tuple[Path, ...] = Field(
        default=(), description="Their folders, an RSMTool configuration, or the file of scores that holds the systems."
    )
    names: tuple[Name, ...] = Field(default=(), description="What to call them, in order; empty for their own names.")
    systems: Names = Field(
        default=(), description="The columns of system scores in the file, the one that others are compared with first."
    )


class Settings(Strict):
    """Everything a run is asked to do."""

    data: DataSettings = Field(
        default=DataSettings(), description="Where the scores are, and which column plays which part."
    )
    preparation: PreparationSettings = Field(
        default=PreparationSettings(), description="Which responses count, and what happens to the system scores."
    )
    statistics: StatisticsSettings = Field(default=StatisticsSettings(), description="How the numbers are judged.")
    impact: ImpactSettings = Field(
        default=ImpactSettings(),
        description="How the scores of the test are reported, to say what the engine's score of one item does to them.",
    )
    privacy: PrivacySettings = Field(default=PrivacySettings(), description="What the outputs do not tell.")
    reading: ReadingSettings = Field(default=ReadingSettings(), description="Which responses people are to read.")
    verdict: VerdictSettings = Field(
        default=VerdictSettings(), description="What decides whether the scores may be used."
    )
    report: ReportSettings = Field(default=ReportSettings(), description="What the report holds, and how it looks.")
    runs: RunsSettings = Field(
        default=RunsSettings(), description="Which finished runs `compare` or `summarize` is about."
    )
    sections: dict[str, dict[str, Any]] = Field(default={}, description="Options of each section, by its name.")
    labels: dict[Name, Name] = Field(
        default={}, description="What columns and groups of the data are called on the pages, by their own names."
    )
    traits: tuple[TraitSettings, ...] | None = Field(
        default=None,
        description="The traits that responses are scored on, each with a report of its own, and a page for all.",
    )
    rsmeval: dict[str, Any] | None = Field(
        default=None,
        description="The rsmeval configuration that the report answers, in RSMTool's layout and with its notebooks; "
        "the other tables win over it.",
    )

    TABLES: ClassVar[tuple[str, ...]] = (
        "runs",
        "data",
        "preparation",
        "statistics",
        "impact",
        "privacy",
        "reading",
        "verdict",
        "report",
    )
    PREFIXED: ClassVar[tuple[str, ...]] = ("runs", "impact")
    """Tables whose keys need the table's name in front to be clear: ``impact_cuts`` is ``cuts`` of ``[impact]``."""

    @field_validator("traits")
    @classmethod
    def _traits_differ(cls, value: tuple[TraitSettings, ...] | None) -> tuple[TraitSettings, ...] | None:
        """Refuse two traits of one name, traits with and without columns, and weights that are all 0."""
        if value is None:
            return value
        names = [trait.name for trait in value]
        if len(set(names)) < len(names):
            raise ValueError(f"'{next(name for name in names if names.count(name) > 1)}' stands twice; name each once")
        if len({trait.system is None for trait in value}) > 1:
            raise ValueError("name human and system for every trait, or for none where a column names the trait")
        if not any(trait.weight for trait in value):
            raise ValueError("expected a weight above 0 for at least one trait")
        return value

    @model_validator(mode="after")
    def _impact_has_items(self) -> Settings:
        """Refuse what cannot be known of reported scores without the scores of the other items."""
        if self.data.item_scores:
            return self
        impact = self.impact
        needy = {"scoring": impact.scoring == "irt", "cuts": bool(impact.cuts)}
        needy |= {key: getattr(impact, key) is not None for key in ("low", "high")}
        found = next((key for key, given in needy.items() if given), None)
        if found is not None:
            raise ValueError(
                f"impact.{found} needs the scores of the other items; name their columns with item_scores under [data]"
            )
        return self

    @model_validator(mode="after")
    def _reading_is_asked_for(self) -> Settings:
        """Refuse what says how responses are read when none are to be."""
        found = "data.text" if self.data.text is not None else "reading.blind" if self.reading.blind else ""
        if found and self.reading.read is None:
            raise ValueError(f"{found} is for a list of responses to read; say how many, as in --read 40")
        return self

    @classmethod
    def keywords(cls) -> dict[str, tuple[str, str]]:
        """Return the flat keyword of every setting, with its table and its key there.

        Examples
        --------
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
        model = cls.model_fields[name].annotation
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise TypeError(f"'{name}' is no table of settings")
        return model

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of a configuration file."""
        return cls.model_json_schema()
