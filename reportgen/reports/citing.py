"""How to cite reportgen, and the works behind the numbers of a report."""

from __future__ import annotations

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Report


def cite(report: Report | None = None, form: str = "text") -> str:
    """Return references: reportgen itself, and the works behind the numbers of a report.

    Parameters
    ----------
    report
        Of any kind, fresh or stored; left out, reportgen alone is cited.
    form
        "bibtex", "csl" (CSL-JSON) or "text".

    Raises
    ------
    SettingsError
        There is no such form.
    """
    from reportgen.citations import FORMATS, SOFTWARE, works_behind
    from reportgen.wording.bibliography import work

    if form not in FORMATS:
        raise SettingsError(f"format: unknown format {form!r}{did_you_mean(form, FORMATS)}")
    keys = () if report is None else works_behind(report.evaluation)
    return FORMATS[form]([SOFTWARE, *map(work, keys)])
