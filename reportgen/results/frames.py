"""pandas, where a frame is asked for: whoever works without frames need not install it."""

from __future__ import annotations

from types import ModuleType

from reportgen.errors import SettingsError


def pandas(purpose: str) -> ModuleType:
    """Return the package.

    Raises
    ------
    SettingsError
        It is not installed; `purpose` says what needs it.

    Examples
    --------
    >>> pandas("a frame").__name__
    'pandas'
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise SettingsError(f"{purpose} needs one more package; type: pip install 'reportgen[pandas]'") from None
    return pandas
