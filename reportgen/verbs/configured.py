"""What is to be evaluated, and with which settings: a configuration names its scores, anything else is them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen import reports
from reportgen.errors import SettingsError
from reportgen.settings import CONFIG_SUFFIXES, Settings, from_keywords, load, override
from reportgen.sources.files import paths_of


def configured(source: Any, keywords: Mapping[str, Any]) -> tuple[Any, Settings]:
    """Return the scores, or the query for them, and the settings; keywords win over what a configuration says.

    A frame of any kind is returned as a table of Arrow.

    Parameters
    ----------
    source
        A file of scores, several, a frame, a query or a configuration.
    keywords
        Settings by keyword.

    Raises
    ------
    SettingsError
        A setting is not right, or the configuration names no scores.
    """
    from reportgen.sources.databases import Query, query_of

    if isinstance(source, Query):
        return source, from_keywords(**{**keywords, "connection": source.connection, "query": source.sql})
    if paths_of(source) is None:
        from reportgen.sources.frames import arrow_table

        source = arrow_table(source)
    is_file = isinstance(source, str | Path) and str(source).lower().endswith(CONFIG_SUFFIXES)
    if not is_file or reports.is_judge_outputs(source, keywords.get("format")):
        return source, from_keywords(**keywords)

    settings = override(load(source), **keywords)
    query = query_of(settings.data)
    if query is None and settings.data.file is None and settings.runs.kind is None:
        raise SettingsError(f'{source}: names no file of scores; add file = "scores.csv" under [data].')
    return query or settings.data.file or source, settings
