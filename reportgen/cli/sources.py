"""What a command line names as the source of scores, and what reports may tell of the command line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError

URI = "--connection"
"""The option whose value may hold credentials."""

UNNAMED = {URI: "URI", "--without": "RATER"}
"""Options whose values may hold credentials, or names of persons -> what stands for them."""


def asked(given: dict[str, Any], paths: list[Path]) -> tuple[Any, Path] | None:
    """Return the query to a database and where the report goes; None when no query is given.

    Parameters
    ----------
    given
        The settings of the command line; the URI of a database loses its credentials there.

    Raises
    ------
    SettingsError
        There is a database without a query, or not one folder beside the query.
    """
    connection, query = given.get("connection"), given.get("query")
    if query is None:
        if connection is not None:
            raise SettingsError("--connection: ask something of the database with --query SQL.")
        return None
    from reportgen.settings import DataSettings
    from reportgen.sources.databases import Query, query_of

    if len(paths) != 1:
        raise SettingsError(f"--query: expected one folder for the report beside it, found {len(paths)} paths.")
    if connection is not None:
        found: Query | None = Query(connection, query)
    else:
        found = query_of(DataSettings(query=query))
    given |= {"connection": found.connection if found else None}
    return found, paths[0]


def is_configuration(path: Path) -> bool:
    """Return whether a path ends like a configuration's."""
    from reportgen.settings import CONFIG_SUFFIXES

    return path.suffix.lower() in CONFIG_SUFFIXES


def command_line(flags: Collection[str] = (), valued: Collection[str] = ()) -> str:
    """Return the command line as reports record it: neither URIs nor raters who are excluded."""
    return shlex.join(command_words(flags, valued))


def command_words(flags: Collection[str] = (), valued: Collection[str] = ()) -> list[str]:
    """Return the words of the command line as reports record it.

    Parameters
    ----------
    flags, valued
        Options without and with a value that change nothing in a report, and are left out.
    """
    words, before = ["reportgen"], ""
    for word in sys.argv[1:]:
        name, equals, _ = word.partition("=")
        if before in UNNAMED:
            words.append(UNNAMED[before])
        elif name in UNNAMED and equals:
            words.append(f"{name}={UNNAMED[name]}")
        elif before not in valued and name not in (*flags, *valued):
            words.append(word)
        before = "" if before in UNNAMED or before in valued else word
    return words
