"""References as plain text, one a line."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.wording.bibliography import Work, in_full_of


def text(works: Iterable[Work]) -> str:
    """Return references as text.

    Examples
    --------
    >>> from reportgen.wording.bibliography import work
    >>> print(text([work("wilson_1927")]).partition(". Journal")[0])
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference
    """
    return "".join(f"{in_full_of(each).replace('*', '')}\n" for each in works)
