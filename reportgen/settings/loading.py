"""Read settings from TOML, YAML, JSON, and keywords, and write them; word every error in one sentence."""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from reportgen.errors import SettingsError, describe_failure, did_you_mean, install_command
from reportgen.results import Scale
from reportgen.settings.kinds import CONFIG_SUFFIXES, TOLD, files, moved, problem
from reportgen.settings.models import Settings

MOST_BYTES = 10_000_000  # most bytes of a settings or policy file

Model = TypeVar("Model", bound=BaseModel)


def load(path: str | Path) -> Settings:
    """Return the settings in a TOML, YAML or JSON file; relative paths start at its folder."""
    path = Path(path)
    return validated(Settings, _rooted(parse(path), path.parent), str(path))


def parse(path: Path, what: str = "file") -> dict[str, Any]:
    """Return the unchecked content of a TOML, YAML, or JSON file; `what` names it in errors."""
    try:
        if path.exists() and not path.is_file():
            raise SettingsError(f"{what} '{path}' is not a regular file; save it as a file first.")
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise SettingsError(f"{what} '{path}' is larger than {MOST_BYTES // 10**6} MB; is it another file?")
        content = _parse(text.decode("utf-8-sig"), path)
    except FileNotFoundError:
        raise SettingsError(f"{what} '{path}' was not found; check the path.") from None
    except (OSError, ValueError) as error:  # ValueError: text in another encoding, or an impossible path
        raise SettingsError(f"{what} '{path}' cannot be read as UTF-8 text: {error}") from None
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: expected tables such as [data] and [report], found {type(content).__name__}.")
    return content


def from_keywords(**keywords: Any) -> Settings:
    """Return settings from flat keywords, each the name of a key in a configuration file.

    >>> settings = from_keywords(system="engine", human=["h1", "h2"], scale="1:6", title="Pilot")
    >>> settings.data.human, settings.data.scale.high, settings.report.title
    (('h1', 'h2'), 6.0, 'Pilot')
    """
    return override(Settings(), **keywords)


def from_stored(content: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """Return settings from results.json; relative paths start at `folder`."""
    return validated(Settings, _rooted(dict(content), folder) if folder else dict(content), "stored settings")


def override(settings: Settings, **keywords: Any) -> Settings:
    """Return `settings` with the given keys replaced; a key is named as in a configuration file.

    ``sections`` is the list of sections when it is a list, and their options when it is a mapping.
    """
    content, home = settings.model_dump(exclude_unset=True), Settings.keywords()
    for key, given in keywords.items():
        value = _as_text(given)
        if key == "sections" and isinstance(value, Mapping):
            content["sections"] = value
        elif key == "traits":
            content["traits"] = value
        else:
            if key not in home:
                raise SettingsError(f"'{key}' is not a setting{did_you_mean(key, home)}")
            table, name = home[key]
            content.setdefault(table, {})[name] = value
    return validated(Settings, content, "settings")


def _as_text(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_as_text, value)) if type(value) in (list, tuple) else value
    return fspath(value) if isinstance(value, PathLike) else value


def _parse(text: str, path: Path) -> Any:
    suffix = path.suffix.lower()
    try:
        if suffix == ".toml":
            return tomllib.loads(text)
        if suffix == ".json":
            return json.loads(_without_comments(text), object_pairs_hook=lambda pairs: _without_repeats(pairs, path))
        if suffix in (".yaml", ".yml"):
            return _parse_yaml(text, path)
    except (ValueError, RecursionError) as error:
        raise _syntax_error(path, suffix[1:].upper(), error) from None
    raise SettingsError(f"{path}: expected a file name that ends in {', '.join(CONFIG_SUFFIXES)}.")


def _without_repeats(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    """Reject a JSON object with repeated keys: one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise SettingsError(_twice(path, Counter(key for key, _ in pairs).most_common(1)[0][0]))
    return found


def _twice(path: Path, key: object, where: str = "") -> str:
    return f"{path}: the key '{str(key)[:60]}' occurs twice in one table{where}; remove one of them."


def _parse_yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise SettingsError(f"{path}: YAML requires an extra package; run: {install_command(extra='yaml')}") from None

    class Loader(yaml.SafeLoader):
        """Rejects repeated keys, and aliases, which can expand without limit."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise SettingsError(f"{path}: YAML aliases (*NAME) are not supported; replace each with its value.")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            times = Counter(str(key.value) for key, _ in node.value)
            for key, _ in node.value:
                if times[str(key.value)] > 1:
                    raise SettingsError(_twice(path, key.value, f" (line {key.start_mark.line + 1})"))
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _syntax_error(path, "YAML", error) from None


def _syntax_error(path: Path, kind: str, error: Exception) -> SettingsError:
    """Return an error with the line and the column where a parser stopped."""
    what, place = describe_failure(error), ""
    if mark := getattr(error, "problem_mark", None):
        what = getattr(error, "problem", what).replace("'<stream end>'", "the end of the file")
        place = f", line {mark.line + 1}, column {mark.column + 1}"
    elif found := re.fullmatch(r"(.*?):? \(?(?:at )?line (\d+),? column (\d+).*", what):
        what, place = found[1], f", line {found[2]}, column {found[3]}"
    return SettingsError(f"{path}{place}: not valid {kind} ({what[:1].lower()}{what[1:]}); {TOLD['syntax'][kind]}")


def _without_comments(text: str) -> str:
    """Blank comments in JSON text, keeping line numbers."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return token.sub(blank, text)


def _rooted(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    return moved(content, Settings, lambda path: str(folder / path))


def validated(model: type[Model], content: dict[str, Any], where: str) -> Model:
    """Check the content of a file."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        said = problem(model, error)
        raise SettingsError(f"{where}: {said}" + ("" if said.endswith("?") else ".")) from None
    except (OverflowError, RecursionError):
        raise SettingsError(f"{where}: a number is too large, or values are nested too deeply.") from None


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
    for trait in settings.traits or ():
        lines += _lines("[[traits]]", {key: value for key, value in trait if value is not None})
    for name, options in settings.sections.items():
        lines += _lines(f"[sections.{_key(name)}]", options)
    if settings.rsmeval is not None:
        lines += _lines(f"# {Settings.model_fields['rsmeval'].description}\n[rsmeval]", settings.rsmeval)
    return "\n".join(lines) + "\n"


def _lines(heading: str, values: Mapping[str, Any]) -> list[str]:
    return ["", heading, *(f"{_key(key)} = {as_toml(value)}" for key, value in values.items())]


def _table_lines(name: str, model: BaseModel) -> Iterator[str]:
    """Yield one table: each key with its description, commented out if unset."""
    yield f"[{name}]"
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_none=True)
        yield f"# {field.description}"
        yield f"# {key} is not set" if value is None else f"{key} = {as_toml(value)}"


def as_toml(value: Any) -> str:
    r"""Convert a value to TOML.

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
    letters = json.dumps(str(value), ensure_ascii=False)
    # write a character that is invisible or changes text direction as an escape
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in letters)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else as_toml(key)


def stored(settings: Settings) -> dict[str, Any]:
    """Return the settings for results.json, with only the names of files and without hidden rater names."""
    exclude: dict[str, Any] = {**files(type(settings)), "rsmeval": True}
    kept = settings.model_dump(mode="json", exclude_none=True, exclude=exclude)
    data = settings.data
    if not data.show_rater_names and (data.layout != "wide" or data.rater_ids):
        kept["data"].pop("without", None)
    return moved(kept, type(settings), lambda path: Path(path).name)


def as_seen_from(settings: Settings, folder: Path) -> Settings:
    """Return `settings` with every path relative to `folder`."""
    content = settings.model_dump(exclude_unset=True)
    return type(settings).model_validate(
        moved(content, type(settings), lambda path: _path_from(folder, path), recognised=True)
    )


def _path_from(folder: Path, path: str) -> str:
    target = Path(path).resolve()
    try:
        return Path(os.path.relpath(target, folder.resolve())).as_posix()
    except ValueError:
        return target.as_posix()
