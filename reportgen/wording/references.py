"""Sources of thresholds, each reference once."""

from __future__ import annotations

from collections.abc import Iterable


def joined(sources: Iterable[str]) -> tuple[str, ...]:
    """Return sources with every reference once, followed by all that it is quoted for.

    Parameters
    ----------
    sources
        Each a reference, or "reference: what it says"; empty ones and repetitions are left out.

    Examples
    --------
    >>> joined(["Smith (2012): at least .70", "Smith (2012): less than .15", "ours", "Smith (2012): at least .70"])
    ('Smith (2012): at least .70, less than .15', 'ours')
    """
    found: dict[str, list[str]] = {}
    for source in dict.fromkeys(source for source in sources if source):
        reference, _, said = source.partition(": ")
        found.setdefault(reference, []).extend([said] if said else [])
    return tuple(f"{reference}: {', '.join(said)}" if said else reference for reference, said in found.items())
