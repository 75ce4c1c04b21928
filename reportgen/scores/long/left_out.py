"""The people of a file of ratings without those who are left out because the user asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.scores.left_out import chosen
from reportgen.scores.long.pivot import RatingFile
from reportgen.scores.table import LeftOut


def without(
    file: RatingFile, people: Sequence[str], wanted: Sequence[str], *, all_known: bool = True
) -> tuple[tuple[str, ...], LeftOut]:
    """Return the people whose ratings count, and what is left out.

    Raises
    ------
    SettingsError
        As for `chosen`.
    """
    if not wanted:
        return tuple(people), LeftOut()
    out = chosen(wanted, [name for name in people if name], all_known=all_known)
    n = int((file.by(out) & file.filled).sum())
    return tuple(name for name in people if name not in out), LeftOut(len(out), n)
