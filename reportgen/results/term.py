"""What results are made of: words by their keys, views by their names, fields stored unless they are the default."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal


class Term(str):
    """A word or sentence of the vocabulary (``templates/words``), by its key, with the values that it is filled with.

    It stands wherever a text may stand in a result: in a cell, as a caption, the title of an axis, a reason. As plain
    text it is its key, followed by its values.

    Parameters
    ----------
    key
        Its name among the words of the vocabulary.
    **values
        Numbers, names of the data, estimates, lists of them, further terms.

    Examples
    --------
    >>> Term("first_rater"), Term("fewer_than", least=10)
    (Term('first_rater'), Term('fewer_than', least=10))
    >>> str(Term("fewer_than", least=10)), Term("first_rater") == "first_rater"
    ('fewer_than(least=10)', True)
    """

    __slots__ = ("key", "values")

    key: str
    values: Mapping[str, Any]

    def __new__(cls, key: str, /, **values: Any) -> Term:
        """Make the term; as text it is its key and its values."""
        held = ", ".join(f"{name}={value!r}" for name, value in values.items())
        term = super().__new__(cls, f"{key}({held})" if held else key)
        term.key, term.values = key, values
        return term

    def __repr__(self) -> str:
        """Return how it was made."""
        held = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"Term({self.key!r}, {held})" if held else f"Term({self.key!r})"

    def __reduce__(self) -> Any:
        """Let it be copied and sent to another process."""
        return _made_again, (self.key, dict(self.values))


def _made_again(key: str, values: Mapping[str, Any]) -> Term:
    return Term(key, **values)


GROUP = "reportgen.views"

Name = Literal[
    "html_of_report", "html_of_verdict", "html_of_chart", "figure_of_chart",
    "html_of_table", "latex_of_table", "markdown_of_table", "great_table_of_table",
    "sentence_of_check", "sentence_of_verdict", "page_of_report", "dict_of_report",
]  # fmt: skip


def shown(result: object, name: Name) -> Any:
    """Return a result as one of its views makes it."""
    return _view(name)(result)


@cache
def _view(name: Name) -> Any:
    """Return the view of a name that reportgen itself offers: an entry point, or next to that of a whole report."""
    from importlib import import_module
    from importlib.metadata import entry_points

    offered = {each.name: each for each in entry_points(group=GROUP) if each.value.startswith("reportgen.")}
    if name in offered:
        return offered[name].load()
    return getattr(import_module(offered["html_of_report"].module), name)


UNLESS_DEFAULT: Mapping[str, bool] = {"stored unless default": True}
"""Marks a field that results.json holds only where it is not the default."""
