"""What statistics are called: by the vocabulary, or by the package that brings one."""

from __future__ import annotations

from reportgen.metrics import METRICS
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import Entry, Form, english


def name_of(statistic: str, form: Form = "name") -> str:
    """Return what a statistic is called, as a heading says it; the end of its key when it has no name.

    Parameters
    ----------
    form
        "short" gives the name for where there is little room.

    Examples
    --------
    >>> name_of("judges.advantage"), name_of("human.qwk", "short")
    ('Average advantage probability over raters', 'QWK of two raters')
    >>> name_of("panel.human.kappa_linear"), name_of("panel.tau_b_unrounded"), name_of("own.thing")
    ('Linear weighted kappa of two raters', "Kendall's tau-b, engine unrounded", 'Thing')
    >>> name_of("r", "short")
    'r'
    >>> name_of("true_score.prmse_of_ratings_2")
    'PRMSE of the mean of ratings (2)'
    """
    return capital(english().statistic(statistic, form, brought(statistic.rpartition(".")[2])))


def brought(metric: str) -> Entry | None:
    """Return what a package says of its statistic; None where it is one of reportgen's own, or nobody's."""
    found = METRICS.get(metric)
    if found is None or not found.label:
        return None
    return Entry(metric, found.label, found.abbreviation, found.question, direction=found.better)


def entry_of(metric: str) -> Entry:
    """Return what is known of a metric of the catalogue: by the vocabulary, or by the package that brings it."""
    return english().entries.get(metric) or brought(metric) or english().entry(metric)
