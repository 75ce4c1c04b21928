"""Identify, read, and check rsmeval configurations, and convert them and their sections to ours."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, StrictFloat, StrictInt, TypeAdapter, ValidationError
from pydantic import Field as Limits

from reportgen.errors import InputError, SettingsError, did_you_mean, shortened
from reportgen.results import ReportKind, Scale
from reportgen.scores import ScoreTable, resolved
from reportgen.sections import DEFAULT_ORDERS
from reportgen.settings import CONFIG_SUFFIXES, RESCALED, Settings, from_keywords, load, override, parse
from reportgen.settings.kinds import MOST_POINTS, lists_by_key, problem, split

NAMES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
"""RSMTool's names of fields by tool, sections, tables, frames, and statistics."""

TOOLS: Mapping[str, list[str]] = NAMES["tools"]
"""The fields that identify a configuration of each tool, most specific tool first."""


def _number(value: object) -> object:
    with suppress(ValueError):
        return float(value) if isinstance(value, str) else value
    return value


def _identifier(value: str) -> str:
    if not re.fullmatch(r"[^\s/\\\x00]{1,200}", value) or value in (".", ".."):
        raise ValueError(f"expected at most 200 characters, no blank and no slash, found {shortened(repr(value))}")
    return value


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(f"expected a whole number, found {str(value).lower()}")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError(f"expected text that is not blank, found {value!r}")
    return value


Text = Annotated[str, AfterValidator(_not_blank)]
Identifier = Annotated[str, AfterValidator(_identifier)]
Number = Annotated[StrictInt | Annotated[StrictFloat, Limits(allow_inf_nan=False)], BeforeValidator(_number)]
NotNegative = Annotated[Number, Limits(ge=0)]
Whole = Annotated[int, Limits(ge=0), BeforeValidator(_no_truth)]
Names = Annotated[list[Text], BeforeValidator(split)]
Flags = Annotated[dict[str, list[str | bool | int | float]], BeforeValidator(lists_by_key)]
Format = Annotated[
    Literal["csv", "tsv", "xlsx"], BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
]

PRIVATE = "privacy"  # reportgen's field; without small groups and single responses, also in RSMTool's tables

NOT_LOGGED = "use_wandb is set, but nothing is logged: reportgen writes files only."

_TYPES: Mapping[str, Any] = {
    **{"any text": str, "bool": bool, "flags": Flags, "format": Format, "identifier": Identifier, "names": Names},
    **{"not negative": NotNegative, "number": Number, "text": Text, "whole": Whole},
    "whole or by group": Whole | dict[str, Whole],
}
"""Pydantic types by kind of field."""

KEPT = "rsmeval"  # the table in our configurations for an rsmeval configuration

Fields = Mapping[str, Any]  # every field of an rsmeval configuration with its value or default


def tool_of(content: Mapping[str, Any]) -> str | None:
    """Return the RSMTool tool of a configuration; None if it is not an RSMTool configuration.

    >>> tool_of({"experiment_id": "pilot", "predictions_file": "scores.csv"}), tool_of({"summary_id": "all"})
    ('rsmeval', 'rsmsummarize')
    >>> tool_of({"data": {"file": "scores.csv"}}) is None
    True
    """
    ours, theirs = set(Settings.model_fields), set(NAMES["fields"]["rsmeval"])  # both have "privacy"
    if (ours - theirs) & set(content):
        return None
    marked = (tool for tool, marks in TOOLS.items() if not set(content).isdisjoint(marks))
    return next(marked, "rsmeval" if (theirs - ours) & set(content) else None)


def tool_of_file(path: Path) -> str | None:
    """Return the RSMTool tool that a file configures; only JSON files can."""
    return tool_of(parse(path)) if path.suffix.lower() == ".json" else None


def answers_rsmeval(path: Path) -> bool:
    """Return whether a file is a reportgen configuration with an rsmeval configuration in it (see `spelled_out`)."""
    return path.suffix.lower() in CONFIG_SUFFIXES and path.is_file() and KEPT in parse(path)


def read_fields(content: Mapping[str, Any], where: str) -> Fields:
    """Return the checked fields of an rsmeval configuration; `where` is its path, for messages.

    >>> given = {"experiment_id": "pilot", "predictions_file": "p.csv", "system_score_column": "engine"}
    >>> fields = read_fields({**given, "trim_min": "1", "trim_max": 6, "subgroups": "L1, gender"}, "config.json")
    >>> fields["trim_min"], fields["subgroups"], fields["human_score_column"]
    (1.0, ['L1', 'gender'], 'sc1')
    """
    fields = fields_of(content, "rsmeval", where)
    problem = _contradiction(fields)
    if problem:
        raise SettingsError(f"{where}: {problem}")
    return fields


def fields_of(content: Mapping[str, Any], tool: str, where: str) -> Fields:
    """Return every field of a tool with its value or default."""
    found, known = tool_of(content), NAMES["fields"][tool]
    if found != tool:
        raise SettingsError(f"{where}: {_other_tool(found, tool)}")
    for name in content:
        if name not in known:
            owner = next((other for other, marks in TOOLS.items() if name in marks), None)
            whose = f" but of {owner}; remove it." if owner else did_you_mean(name, known)
            raise SettingsError(f"{where}: '{name}' is not a field of {tool}{whose}")
    return {name: _value(name, field, content.get(name), tool, where) for name, field in known.items()}


def _value(name: str, field: Mapping[str, Any], given: Any, tool: str, where: str) -> Any:
    kind = _TYPES[field["type"]]
    if given is None:
        if "required" in field:
            raise SettingsError(f"{where}: {tool} requires the field '{name}'; add it.")
        return deepcopy(field.get("default"))
    try:
        return TypeAdapter(kind).validate_python(given)
    except ValidationError as error:
        raise SettingsError(f"{where}: {name}: {problem(kind, error)}.") from None


def _other_tool(found: str | None, wanted: str) -> str:
    """Return the command to run instead for another tool's configuration."""
    commands = {"rsmcompare": "compare", "rsmsummarize": "summarize", "rsmeval": "evaluate"}
    if found in commands:
        return f"this configures {found}, not {wanted}; run: reportgen {commands[found]} CONFIG OUT_DIR"
    if wanted != "rsmeval":
        command = f"reportgen {commands[wanted]} DIR DIR --out OUT_DIR"
        return f"this is not a configuration of {wanted}; for finished runs, run: {command}"
    if found is None:
        return "not an rsmeval configuration: it has neither 'predictions_file' nor 'system_score_column'."
    return (
        f"this configures {found}, which uses models, but reportgen evaluates existing scores; give an rsmeval "
        "configuration or the score file."
    )


def _contradiction(fields: Fields) -> str:
    """Return the error for the first two contradictory fields; empty if there are none."""
    columns = ("human_score_column", "system_score_column", "second_human_score_column")
    for index, name in enumerate(columns):
        for other in columns[:index]:
            if fields[name] is not None and fields[name] == fields[other]:
                return f"{other} and {name} both name '{fields[name]}'; choose another column for one of them."
    if fields["trim_min"] > fields["trim_max"]:
        return f"trim_min ({fields['trim_min']:g}) is greater than trim_max ({fields['trim_max']:g}); swap them."
    if fields["min_items_per_candidate"] and not fields["candidate_column"]:
        return "min_items_per_candidate requires a candidate_column; add it."
    if fields["use_wandb"] and not (fields["wandb_project"] and fields["wandb_entity"]):
        return "use_wandb requires both wandb_project and wandb_entity; add them."
    sizes, groups = fields["min_n_per_group"], fields["subgroups"]
    if sizes and not groups:
        return "min_n_per_group requires subgroups; add them."
    if isinstance(sizes, dict) and sorted(sizes) != sorted(groups):
        return f"min_n_per_group names {', '.join(sizes) or 'no group'}; expected exactly {', '.join(groups)}."
    return ""


OURS: Mapping[str, Mapping[str, list[str]]] = NAMES["sections"]
"""Our sections for each section of each tool, in the tool's default order."""

KINDS: Mapping[str, ReportKind] = {"rsmeval": "evaluation", "rsmcompare": "comparison", "rsmsummarize": "summary"}
"""The matching kind of our reports for each tool."""

_FAIRNESS = "fairness_analyses"


def sections_of(fields: Mapping[str, Any], folder: Path, tool: str) -> tuple[list[str], list[str | Path]]:
    """Return the chosen sections by RSMTool's names, and ours for custom notebooks (also relative to `folder`)."""
    notebooks = _notebooks(fields, folder, tool)
    chosen = _chosen(fields, notebooks, tool)
    if has_choice(fields):
        return chosen, _our_sections(chosen, notebooks, tool)
    return chosen, [*DEFAULT_ORDERS[KINDS[tool]], *notebooks]


def has_choice(fields: Mapping[str, Any]) -> bool:
    """Return whether the configuration chooses or orders sections; otherwise ours keep their order."""
    return fields["general_sections"] != ["all"] or bool(fields["section_order"])


def located(path: str, folder: Path) -> Path:
    """Return a path if it exists, otherwise the path from `folder`."""
    return Path(path) if Path(path).exists() else folder / path


def _notebooks(fields: Mapping[str, Any], folder: Path, tool: str) -> list[Path]:
    found = [located(path, folder) for path in fields["custom_sections"] or ()]
    for path in found:
        if not path.is_file() or path.suffix.lower() != ".ipynb":
            raise ValueError(f"custom_sections: '{path}' is not an existing notebook (.ipynb); check the path.")
    stems = [path.stem for path in found]
    for stem in stems:
        if stems.count(stem) > 1 or stem in OURS[tool]:
            raise ValueError(f"custom_sections: '{stem}' names two sections; rename one notebook.")
    return found


def _chosen(fields: Mapping[str, Any], notebooks: Sequence[Path], tool: str) -> list[str]:
    """Return the chosen sections by RSMTool's names, in order; a notebook is named by its file stem."""
    asked = list(OURS[tool]) if fields["general_sections"] == ["all"] else fields["general_sections"]
    for name in asked:
        if name not in OURS[tool]:
            raise ValueError(f"general_sections: {tool} has no section '{name}'{did_you_mean(name, OURS[tool])}")
    if not fields["subgroups"]:
        by_group = [name for name in asked if name.endswith("by_group") or name == _FAIRNESS]
        if by_group and fields["general_sections"] != ["all"]:
            raise ValueError(f"general_sections: '{by_group[0]}' requires subgroups; add them, or remove the section.")
        asked = [name for name in asked if name not in by_group]
    general = [name for name in OURS[tool] if name in asked]
    return _ordered([*general, *(notebook.stem for notebook in notebooks)], fields["section_order"])


def _ordered(chosen: list[str], order: list[str] | None) -> list[str]:
    if not order:
        return chosen
    missing = [name for name in chosen if name not in order]
    extra = [name for name in order if name not in chosen]
    if missing or extra or len(order) != len(chosen):
        texts = [f"missing: {', '.join(missing)}"] if missing else []
        texts += [f"not chosen: {', '.join(extra)}"] if extra else []
        raise ValueError(
            f"section_order: expected every chosen section once ({', '.join(texts) or 'one is listed twice'})."
        )
    return order


def _our_sections(chosen: Sequence[str], notebooks: Sequence[Path], tool: str) -> list[str | Path]:
    files = {notebook.stem: notebook for notebook in notebooks}
    entries: dict[str | Path, None] = {DEFAULT_ORDERS[KINDS[tool]][0]: None}
    for name in chosen:
        entries.update(dict.fromkeys([files[name]] if name in files else OURS[tool][name]))
    return list(entries)


@dataclass(frozen=True)
class PeerRun:
    """One run of rsmeval."""

    fields: Fields  # every field of the configuration with its value or default
    predictions: Path  # the score file
    folder: Path  # the folder from which the configuration's relative paths start if they do not exist here
    settings: Settings  # the equivalent reportgen settings, with overrides
    chosen: tuple[str, ...]  # the sections by RSMTool's names, in order
    order: tuple[str | Path, ...]  # our sections and the custom notebooks, in order
    notes: tuple[str, ...] = ()  # sentences for the terminal and the report

    @property
    def id(self) -> str:
        """The experiment ID, which is the prefix of every file name."""
        return str(self.fields["experiment_id"])

    @property
    def prefix(self) -> str:
        """Prefix of every file name."""
        return f"{self.id}_"

    @property
    def format(self) -> str:
        """The format of the tables: csv, tsv, or xlsx."""
        return str(self.fields["file_format"])

    def prepared(self, scores: ScoreTable) -> ScoreTable:
        """Add the scale and the notes of the configuration to the scores."""
        return replace(scores, scale=self._scale(scores), warnings=(*scores.warnings, *self.notes))

    def _scale(self, scores: ScoreTable) -> Scale:
        """Return the scale from trim_min to trim_max if the human scores are on it, otherwise the detected one."""
        low, high, step = scores.trim_min, scores.trim_max, scores.scale.step
        points = [(end - low) / (step or 1.0) for end in (scores.scale.low, scores.scale.high, high)]
        inside = low < high and points[0] >= 0 and points[1] <= points[2] < MOST_POINTS
        on_points = not step or all(point == int(point) for point in points)
        declared = inside and on_points and scores.scale.assumed
        return Scale(low, high, step, assumed=False) if declared else scores.scale


def spelled_out(settings: Settings, scores: ScoreTable, run: PeerRun) -> Settings:
    """Return `settings` with detected roles and scale, and the configuration: together they reproduce the run."""
    settings = resolved(settings, scores, run.predictions).model_copy(update={KEPT: _set_fields(run)})
    if scores.scale.assumed:
        return settings
    return override(settings, scale=scores.scale)


def _set_fields(run: PeerRun) -> dict[str, Any]:
    """Return the set fields of the configuration, with resolved paths, for our configuration."""
    fields = {name: value for name, value in run.fields.items() if value is not None}
    fields["predictions_file"] = str(run.predictions)
    if "scale_with" in fields:
        fields["scale_with"] = _scale_with(fields["scale_with"], run.folder)
    if "custom_sections" in fields:
        fields["custom_sections"] = [str(located(path, run.folder)) for path in fields["custom_sections"]]
    return fields


def load_run(source: Path | Mapping[str, Any], given: Mapping[str, Any]) -> PeerRun:
    """Return the run that a configuration describes.

    source: A JSON file, or its content; relative paths start from the current folder, or else from the folder of the
        file. Or a reportgen configuration that contains one of rsmeval.
    given: reportgen settings that override the configuration, by keyword.
    """
    if isinstance(source, Path) and answers_rsmeval(source):
        settings = load(source)
        run = _run(settings.rsmeval or {}, Path(), f"{source}: [{KEPT}]")
        file = settings.data.file if isinstance(settings.data.file, Path) else run.predictions
        run = replace(run, settings=settings, predictions=file)
    elif isinstance(source, Path):
        run = _run(parse(source), source.parent, str(source))
    else:
        run = _run(source, Path(), "configuration")
    settings = override(run.settings, **given)
    if settings.data.labels_file is not None:
        why = "--labels-file: an rsmeval configuration has its human scores in predictions_file; evaluate that "
        raise SettingsError(f"{why}file instead: reportgen evaluate SCORES --labels-file FILE --id ID")
    if settings.reading.read is not None:
        why = "--read: a report in RSMTool's layout does not include a review list; evaluate the score file of the "
        raise SettingsError(f"{why}configuration.")
    return replace(run, settings=settings.model_copy(update={KEPT: settings.rsmeval or _set_fields(run)}))


def _run(content: Mapping[str, Any], folder: Path, where: str) -> PeerRun:
    fields = read_fields(content, where)
    predictions = located(fields["predictions_file"], folder)
    if not predictions.is_file():
        raise InputError(f"{where}: predictions_file '{fields['predictions_file']}' was not found; check the path.")
    try:
        chosen, order = sections_of(fields, folder, "rsmeval")
    except ValueError as error:
        raise SettingsError(f"{where}: {error}") from None
    settings = _settings(fields, folder, order)
    notes = [NOT_LOGGED] if fields["use_wandb"] else []
    if fields["exclude_zero_scores"] and fields["trim_min"] == 0:
        notes.append("trim_min is 0, but exclude_zero_scores excludes responses with a human score of 0.")
    return PeerRun(fields, predictions, folder, settings, tuple(chosen), tuple(order), tuple(notes))


_ALIKE = ("exclude_zero_scores", "trim_min", "trim_max", "trim_tolerance", "rater_error_variance", "description")
"""Fields with the same name as our settings."""


def _settings(fields: Fields, folder: Path, order: list[str | Path]) -> Settings:
    """Convert the configuration to our settings; unset fields keep our defaults."""
    humans = (fields["human_score_column"], fields["second_human_score_column"])
    keywords = {
        "system": fields["system_score_column"],
        "human": [name for name in humans if name],
        "record": humans[0],
        "id": fields["id_column"],
        "groups": fields["subgroups"],
        "candidate": fields["candidate_column"] if fields["candidate_column"] != fields["id_column"] else None,
        "flags": {column: _spellings(values) for column, values in (fields["flag_column"] or {}).items()},
        **{name: fields[name] for name in _ALIKE},
        "scale_with": _scale_with(fields["scale_with"], folder),
        "min_items_per_candidate": fields["min_items_per_candidate"] or None,
        "peer_tables": fields[PRIVATE] or None,
        **_least_sizes(fields["min_n_per_group"]),
        "title": f"Evaluation {fields['experiment_id']}",
        "sections": [entry for entry in order if isinstance(entry, str)] if has_choice(fields) else None,
    }
    return from_keywords(**{key: value for key, value in keywords.items() if value is not None})


def _spellings(values: list[str | float]) -> list[str | float]:
    spelled: list[str | float] = []
    for value in values:
        word = str(value)
        spelled += [float(value), word, word.lower(), word.upper()] if isinstance(value, bool) else [value]
    return spelled


def _scale_with(value: str | None, folder: Path) -> str | None:
    return value if value is None or value in RESCALED else str(located(value, folder))


def _least_sizes(sizes: int | dict[str, int] | None) -> dict[str, Any]:
    if isinstance(sizes, dict):
        own = {name: max(size, 1) for name, size in sizes.items()}
        return {"min_n_by_group": own, "min_n_per_group": min(own.values(), default=None)}
    return {"min_n_per_group": sizes} if sizes else {}


_HOME = Path(__file__).parent
_IMPORTS, _FRAMES = ((_HOME / f"{name}.py.txt").read_text(encoding="utf-8") for name in ("imports", "frames"))
"""Imports and names of RSMTool's headers, and rsmeval's frames."""


def of_rsmeval(run: PeerRun, output: Path) -> str:
    """Return the code that defines rsmeval's names; `output` is the folder of its tables."""
    fields = run.fields
    # columns that contain text, by their names in the input and in the tables
    texts = (fields["id_column"], fields["candidate_column"], "spkitemid", "candidate", *fields["subgroups"])
    names: Mapping[str, Any] = {
        **{name: fields[name] for name in ("description", "exclude_zero_scores", "second_human_score_column")},
        "experiment_id": run.id, "context": "rsmeval", "use_scaled_predictions": fields["scale_with"] is not None,
        "groups_desc": fields["subgroups"], "groups_eval": fields["subgroups"],
        "min_items": fields["min_items_per_candidate"] or 0, "min_n_per_group": fields["min_n_per_group"] or {},
        "model_name": "", "use_thumbnails": False, "rater_error_variance": fields["rater_error_variance"],
        "file_format": run.format, "output_dir": str(output.resolve()),
        "figure_dir": str(output.resolve().parent / "figure"), "test_file_location": str(run.predictions.resolve()),
        "_texts": dict.fromkeys(filter(None, texts), "str"), "_blank": {"sc1": [""], "sc2": [""]},
    }  # fmt: skip
    return defining(names) + _FRAMES.format(frames=NAMES["frames"])


def defining(names: Mapping[str, Any]) -> str:
    """Return the code with the imports of RSMTool's headers that assigns each name."""
    return _IMPORTS.format(assignments="\n".join(f"{name} = {value!a}" for name, value in names.items()))
