"""Terms of the vocabulary, views by name, and fields that are stored unless they have their default."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Literal


class Term(str):
    """A word or sentence of the vocabulary (``templates/words``): its key, and the values that fill it.

    It can replace any text in a result: a cell, a caption, an axis title, a reason. Its plain text is its key, followed
    by its values.

    Parameters
    ----------
    key
        Its name in the vocabulary.
    **values
        Numbers, names from the data, estimates, lists of these, or other terms.

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
        """Create the term; its text is its key and its values."""
        held = ", ".join(f"{name}={value!r}" for name, value in values.items())
        term = super().__new__(cls, f"{key}({held})" if held else key)
        term.key, term.values = key, values
        return term

    def __repr__(self) -> str:
        """Return the code that creates it."""
        held = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"Term({self.key!r}, {held})" if held else f"Term({self.key!r})"

    def __reduce__(self) -> Any:
        """Support copying and sending to another process."""
        return partial(Term, self.key, **self.values), ()


GROUP = "reportgen.views"

Name = Literal[
    "html_of_report", "html_of_verdict", "html_of_chart", "figure_of_chart",
    "html_of_table", "latex_of_table", "markdown_of_table", "great_table_of_table",
    "sentence_of_check", "sentence_of_verdict", "page_of_report", "dict_of_report",
]  # fmt: skip


def shown(result: object, name: Name) -> Any:
    """Return the view of a result by name."""
    return _view(name)(result)


@cache
def _view(name: Name) -> Any:
    """Return a view provided by reportgen: an entry point, or a neighbor of the whole-report view."""
    from importlib import import_module
    from importlib.metadata import entry_points

    offered = {each.name: each for each in entry_points(group=GROUP) if each.value.startswith("reportgen.")}
    if name in offered:
        return offered[name].load()
    return getattr(import_module(offered["html_of_report"].module), name)


UNLESS_DEFAULT: Mapping[str, bool] = {"stored unless default": True}
"""Marks a field that results.json contains only if it differs from its default."""
