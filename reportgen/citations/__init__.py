"""How to cite: reportgen itself, and the works behind the numbers of a report, as BibTeX, CSL-JSON and text."""

from __future__ import annotations

from reportgen.citations.bibtex import bibtex
from reportgen.citations.csl import csl_json
from reportgen.citations.software import SOFTWARE
from reportgen.citations.text import text
from reportgen.citations.used import works_behind

__all__ = ["FORMATS", "SOFTWARE", "bibtex", "csl_json", "text", "works_behind"]

FORMATS = {"bibtex": bibtex, "csl": csl_json, "text": text}
"""What writes references, by the name of the format."""
