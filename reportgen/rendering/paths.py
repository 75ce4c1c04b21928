"""Where the shipped templates live."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import TemplateError, did_you_mean
from reportgen.rendering import discovery
from reportgen.wording.vocabulary import TEMPLATES as TEMPLATES


def shipped(name: str) -> tuple[Path, Path]:
    """Return a shipped template and the place under a user's folder that replaces it.

    Parameters
    ----------
    name
        A section ("summary"), or a template by its path ("html/print.css") or a part of its name
        that only one template has ("print.css").

    Returns
    -------
    tuple of Path
        The file, and its path relative to the user's folder.

    Raises
    ------
    TemplateError
        If there is none; the nearest name is said.

    Examples
    --------
    >>> shipped("print.css")[1].as_posix()
    'html/print.css'
    """
    if name in discovery.names():
        place = Path("sections", name, "section.md.j2")
        own = discovery.template_of(name)
        return (own or TEMPLATES / "notebook" / "section.md.j2"), place
    every = (path for path in sorted(TEMPLATES.rglob("*")) if path.is_file())
    files = {
        path.relative_to(TEMPLATES).as_posix(): path for path in every if TEMPLATES / "languages" not in path.parents
    }
    found = [
        place
        for place in files
        if place == name or Path(place).name in (name, f"{name}.j2", f"{name}.html.j2", f"{name}.md.j2")
    ]
    if len(found) != 1:
        known = [*discovery.names(), *files]
        raise TemplateError(
            f"template {name!r}: expected the name of a section or of a shipped template{did_you_mean(name, known)}"
        )
    return files[found[0]], Path(found[0])
