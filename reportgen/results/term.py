"""A word or sentence by its key: results hold what is said, templates how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
