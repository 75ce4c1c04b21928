"""How a file that holds human ratings and no engine's score is known."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import SettingsError, listed, write_command
from reportgen.scores.contents import Contents
from reportgen.scores.score_columns import BY_STEM, Questions, may_be_of_raters
from reportgen.scores.table import ColumnRoles
from reportgen.settings import DataSettings
from reportgen.sources import column_names

FEWEST = 2
"""Columns of ratings, or raters, that a report on raters needs."""


def ratings_alone(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles, questions: Questions) -> bool:
    """Return whether a file holds ratings and no engine's score; where a column may be the engine, that is asked.

    Raises
    ------
    SettingsError
        A report on raters is asked for, and fewer than two columns hold ratings.
    """
    human = cast.columns("human")
    if data.ratings_only:
        cast.parts.pop("system", None)
        if len(human) < FEWEST and "human" not in questions.asked:
            _refuse_one_rater(columns)
        return True
    if cast.columns("system") or len(human) < FEWEST or questions.asked:
        return False
    free = cast.free(columns)
    if any(contents.is_fractional for contents in free.values()):
        return False
    maybe = [name for name, contents in free.items() if contents.is_score_like and not column_names.is_group_name(name)]
    unclear = [name for name, how in cast.parts["human"] if how == BY_STEM and not may_be_of_raters(name)]
    if not maybe and not unclear:
        return True
    said = f"no column is named like an engine's score, and {listed(maybe or unclear)} may hold it"
    typed = write_command("--system", (maybe or unclear)[0]) + ", or --ratings-only for a report on the raters"
    questions.asked["system"] = said, maybe or unclear, typed
    return True


def _refuse_one_rater(columns: Mapping[str, Contents]) -> None:
    """Raise where fewer than two columns hold ratings."""
    numeric = [name for name, contents in columns.items() if contents.has_scores]
    raise SettingsError(
        f"a report on raters needs two columns of ratings (columns with numbers: {listed(numeric) or 'none'}); name "
        "each with --human NAME."
    )
