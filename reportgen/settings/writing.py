"""Settings as a commented ``config.toml`` that reproduces the run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from reportgen.results import Scale
from reportgen.settings.loading import PATHS, is_path, is_policy_path, with_paths
from reportgen.settings.models import RESCALED, Settings


def write_config(settings: Settings, path: Path, relative_to: Path | None = None) -> None:
    """Write `settings` as TOML to `path`, its file paths relative to `relative_to` (the folder of `path`)."""
    path.write_text(config_text(settings, relative_to or path.parent), encoding="utf-8")


def config_text(settings: Settings, folder: Path) -> str:
    """Return `settings` as commented TOML for a file in `folder`."""
    settings = as_seen_from(settings, folder)
    verb = {"comparison": "compare", "summary": "summarize"}.get(settings.runs.kind or "")
    verb = verb or ("batch" if settings.data.by else "evaluate")
    lines = [f"# The settings of this report: `reportgen {verb} config.toml OUT_DIR` makes it again."]
    for table in Settings.TABLES:
        if table == "runs" and settings.runs.kind is None:
            continue
        lines += ["", *_table_lines(table, getattr(settings, table))]
    for name, options in settings.sections.items():
        lines += ["", f"[sections.{_key(name)}]"]
        lines += [f"{_key(key)} = {as_toml(value)}" for key, value in options.items()]
    if settings.rsmeval is not None:
        lines += ["", f"# {Settings.model_fields['rsmeval'].description}", "[rsmeval]"]
        lines += [f"{_key(key)} = {as_toml(value)}" for key, value in settings.rsmeval.items()]
    return "\n".join(lines) + "\n"


def _table_lines(name: str, model: BaseModel) -> Iterator[str]:
    """Yield one table: for each key its sentence and its value, commented out when unset."""
    yield f"[{name}]"
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_none=True)
        yield f"# {field.description}"
        yield f"# {key} is not set" if value is None else f"{key} = {as_toml(value)}"


def as_toml(value: Any) -> str:
    r"""Return a value as TOML.

    Examples
    --------
    >>> print(as_toml({"engine": '#12"', "n": (1, 2.5, True)}))
    {engine = "#12\"", n = [1, 2.5, true]}
    """
    if isinstance(value, Scale):
        return as_toml(":".join(f"{part:.15g}" for part in (value.low, value.high, value.step)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {as_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(as_toml(part) for part in value) + "]"
    return "".join(map(_letter, json.dumps(str(value), ensure_ascii=False)))


def _letter(letter: str) -> str:
    """Return a letter of a text of TOML; one that cannot be seen, or turns the line around, by its number."""
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def _key(key: str) -> str:
    """Return a key as TOML, quoted unless it is bare."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else as_toml(key)


def stored(settings: Settings) -> dict[str, Any]:
    """Return the settings that results.json keeps: values, and of a file at most its name.

    Results travel; where files are stays in config.toml.
    """
    exclude: dict[str, Any] = {
        "data": {"file", "scales"}, "report": {"logo", "templates"}, "runs": {"sources"}, "rsmeval": True
    }  # fmt: skip
    kept = settings.model_dump(mode="json", exclude_none=True, exclude=exclude)
    if kept["preparation"].get("scale_with") not in (None, *RESCALED):
        kept["preparation"]["scale_with"] = Path(kept["preparation"]["scale_with"]).name
    if settings.report.sections is not None:
        kept["report"]["sections"] = [Path(name).name if is_path(name) else name for name in settings.report.sections]
    if is_policy_path(settings.verdict.policy):
        kept["verdict"]["policy"] = Path(str(settings.verdict.policy)).name
    return kept


def as_seen_from(settings: Settings, folder: Path) -> Settings:
    """Return `settings` with every path relative to `folder`, for a file that is kept there."""
    tables: dict[str, Any] = {}
    for table, key in PATHS:
        model = tables.get(table, getattr(settings, table))
        value = getattr(model, key)
        if isinstance(value, tuple):
            model = model.model_copy(update={key: tuple(Path(_path_from(folder, path)) for path in value)})
        elif value is not None and str(value) not in RESCALED:
            model = model.model_copy(update={key: type(value)(_path_from(folder, value))})
        tables[table] = model
    report = settings.report
    if report.sections is not None:
        sections = tuple(_path_from(folder, name) if is_path(name) else name for name in report.sections)
        tables["report"] = tables["report"].model_copy(update={"sections": sections})
    if settings.runs.sources:
        sources = tuple(Path(_path_from(folder, path)) for path in settings.runs.sources)
        tables["runs"] = settings.runs.model_copy(update={"sources": sources})
    if is_policy_path(settings.verdict.policy):
        tables["verdict"] = settings.verdict.model_copy(
            update={"policy": _as_path(_path_from(folder, settings.verdict.policy))}
        )
    if settings.rsmeval is not None:
        tables["rsmeval"] = with_paths(settings.rsmeval, lambda path: _path_from(folder, path))
    return settings.model_copy(update=tables)


def _as_path(path: str) -> str:
    """Return a path that cannot be taken for a name."""
    return path if is_policy_path(path) else f"./{path}"


def _path_from(folder: Path, path: str | Path) -> str:
    """Return `path` as seen from `folder`; absolute where no relative path exists (another drive)."""
    target = Path(path).resolve()
    try:
        return Path(os.path.relpath(target, folder.resolve())).as_posix()
    except ValueError:
        return target.as_posix()
