"""Convert an rsmeval configuration to our settings, plus what only RSMTool's layout needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale
from reportgen.rsmtool import config
from reportgen.rsmtool.config import KEPT, NAMES, PRIVATE, Fields, located
from reportgen.scores import ScoreTable, resolved
from reportgen.settings import RESCALED, Settings, from_keywords, load, override, parse
from reportgen.settings.kinds import MOST_POINTS


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
    if isinstance(source, Path) and config.answers_rsmeval(source):
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
    fields = config.read_fields(content, where)
    predictions = located(fields["predictions_file"], folder)
    if not predictions.is_file():
        raise InputError(f"{where}: predictions_file '{fields['predictions_file']}' was not found; check the path.")
    try:
        chosen, order = config.sections_of(fields, folder, "rsmeval")
    except ValueError as error:
        raise SettingsError(f"{where}: {error}") from None
    settings = _settings(fields, folder, order)
    notes = [config.NOT_LOGGED] if fields["use_wandb"] else []
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
        "sections": [entry for entry in order if isinstance(entry, str)] if config.has_choice(fields) else None,
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
