"""Whether the files of a report, its numbers and its data belong together: one answer for each question.

Nothing that a report names is followed but the scores, which must have the hash that is stored of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportgen import reports
from reportgen.storing import results_file
from reportgen.verbs.verification.answers import Answer, Standing
from reportgen.verbs.verification.attested import of_attestation
from reportgen.verbs.verification.data import Data, of_data
from reportgen.verbs.verification.numbers import of_numbers
from reportgen.verbs.verification.pages import of_pages
from reportgen.verbs.verification.stored import Stored, of_configuration, of_results, of_tables

__all__ = ["Answer", "Standing", "verify"]


def verify(
    run: Path,
    data: Sequence[Path] = (),
    *,
    labels_file: Path | None = None,
    training_file: Path | None = None,
    templates: Path | None = None,
    logo: Path | None = None,
    docx_template: Path | None = None,
) -> tuple[Answer, ...]:
    """Return whether the files of a report, its numbers and its data belong together.

    Parameters
    ----------
    run
        The folder of a report, or its results.json.
    data
        The scores; where none are named, those that the report's configuration names, if they are there unchanged.
    labels_file
        The human labels, where they were joined to the scores.
    training_file
        What scores were rescaled with, where they were.
    templates, logo, docx_template
        What pages were made with, where it was not what is shipped.

    Returns
    -------
    tuple of Answer
        One for each question; later ones rest on earlier ones.

    Raises
    ------
    ReportgenError
        A file cannot be read, is a link, or is not what its name says.
    """
    looks = {"templates": templates, "logo": logo, "docx_template": docx_template}
    results = reports.results_of(run)
    stored = Stored(results_file.read(results), results)
    attested = of_attestation(stored)
    configured = of_configuration(stored)
    found = of_data(stored, Data(tuple(data), labels_file, training_file), configured)
    return (
        of_results(stored),
        *attested,
        *([configured] if configured else []),
        *of_tables(stored),
        *of_pages(stored, {key: path for key, path in looks.items() if path is not None}),
        found.answer,
        of_numbers(stored, found),
    )
