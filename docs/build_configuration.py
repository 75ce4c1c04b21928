"""Write the tables of docs/configuration.md from the fields of the settings: `make docs`."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel

from reportgen.settings import Settings, TraitSettings
from reportgen.settings.flags import flags_of, typed
from reportgen.settings.loading import as_toml

PAGE = Path(__file__).parent / "configuration.md"


def rows(table: str) -> list[str]:
    """Return the lines of the table of one table of settings."""
    lines = ["| Key | Description | Default | Option |", "|---|---|---|---|"]
    keywords = {place: keyword for keyword, place in Settings.keywords().items()}
    for key, field in Settings.table(table).model_fields.items():
        keyword = keywords[table, key]
        flags = flags_of(keyword, typed()[keyword][-1]) if keyword in typed() else ()
        default = "built-in" if isinstance(field.default, BaseModel) else f"`{as_toml(field.default)}`"
        default = "unset" if field.default is None else default
        lines.append(f"| `{key}` | {field.description} | {default} | {' '.join(f'`{flag}`' for flag in flags)} |")
    return lines


def rows_of_traits() -> list[str]:
    """Return the lines of the table of one trait, which no option sets."""
    lines = ["| Key | Description | Default | Option |", "|---|---|---|---|"]
    for key, field in TraitSettings.model_fields.items():
        default = "required" if field.is_required() else "unset" if field.default is None else f"`{field.default}`"
        lines.append(f"| `{key}` | {field.description} | {default} |  |")
    return lines


def page(text: str) -> str:
    """Return the text of the page with current tables."""
    for table, lines in [*((name, rows(name)) for name in Settings.TABLES), (r"\[traits\]", rows_of_traits())]:
        made = "\n".join(lines)
        found = re.compile(rf"(\n## \[{table}\]\n(?:(?!\n## ).)*?\n)\| Key \|[^\n]*\n(?:\|[^\n]*\n)+", re.DOTALL)
        if place := found.search(text):
            text = f"{text[: place.end(1)]}{made}\n{text[place.end() :]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
