"""What a run left that was killed while it replaced files: undone by the next run that writes there.

Those who only read undo nothing: they say that the folder is torn, and what to type.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath

from reportgen.errors import InputError, OutputError, write_command
from reportgen.storing.asides import PREFIX, Aside, Moves, names_aside
from reportgen.storing.handles import Handle

KEPT = "reportgen-kept-"
"""What the name of a folder begins with in which the files of an earlier report stay that could not be put back."""


def recover(folder: Path) -> bool:
    """Put back the files that killed runs had set aside in `folder`, and remove what such runs left.

    Only what this program wrote, in this folder and for this user, is acted on, and nothing of a run that lives.
    A run that makes a folder works in the one above, so that one is put in order, too.

    Returns
    -------
    bool
        Whether an earlier report was put back.

    Raises
    ------
    OutputError
        A file of the earlier report could not be put back.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    _recovered(next((place for place in folder.parents if place.exists()), folder))
    return _recovered(folder)


def _recovered(folder: Path) -> bool:
    """Put one folder in order; return whether an earlier report was put back."""
    try:
        home = Handle.open(folder)
    except (OSError, ValueError):  # there is no such folder
        return False
    if not names_aside(home):
        home.close()
        return False
    with home, home.alone():
        return sum(_settled(home, name) for name in names_aside(home)) > 0


def refuse_torn(results: Path) -> None:
    """Refuse a file of results in a folder in which a run was killed while it replaced it.

    Raises
    ------
    InputError
        Says which folder is torn, and what puts the earlier report back.
    """
    for folder in results.absolute().parents[:2]:  # its own, or the one of an experiment or of several systems
        with suppress(OSError), Handle.open(folder) as home:
            place = PurePosixPath(results.absolute().relative_to(folder).as_posix())
            torn = [_torn(home, name) for name in names_aside(home)]
            if any(place in (*moves.new, *moves.old) for moves in torn):
                raise InputError(
                    f"'{folder}' is torn: a run was stopped while it replaced the report; put the earlier one back "
                    f"with: {write_command('reportgen', 'recover', str(folder))}"
                )


def give_up(aside: Aside, stuck: list[PurePosixPath]) -> OutputError:
    """Keep what could not be put back where a person sees it; return the error that says so."""
    kept = aside.name.replace(PREFIX, KEPT)
    with suppress(OSError):
        aside.home.rename(aside.name, aside.home, kept)
    return OutputError(
        f"'{aside.home.path / stuck[0]}' could not be put back; the files of the earlier report are in "
        f"'{aside.home.path / kept}'."
    )


def _settled(home: Handle, name: str) -> bool:
    """Undo what a dead run did, and remove what it left; return whether anything was put back."""
    try:
        handle = home.below(name)
    except OSError:  # a file, or a link
        return False
    with handle:
        aside = Aside(home, name, handle)
        with suppress(OSError):
            if aside.is_empty() and aside.is_mine():
                aside.remove()
                return False
            if not (aside.is_bound() and aside.is_mine() and aside.lives() is False):
                return False
            if not aside.is_moving():
                aside.remove()
                return False
        moves = aside.moves()
        if moves is None:
            return False
        stuck = aside.undo(moves)
        if stuck:
            raise give_up(aside, stuck)
        aside.remove()
        return True


def _torn(home: Handle, name: str) -> Moves:
    """Return what a dead run was moving; nothing when it was not, or when it is not known to be one of this folder."""
    with suppress(OSError), home.below(name) as handle:
        aside = Aside(home, name, handle)
        if aside.is_bound() and aside.lives() is False:
            return aside.moves() or Moves()
    return Moves()
