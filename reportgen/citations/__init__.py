"""How to cite: reportgen itself, and the works behind the numbers of a report, as BibTeX, CSL-JSON and text."""

from reportgen.citations.formats import bibtex, csl_json, text
from reportgen.citations.used import SOFTWARE, works_behind

__all__ = ["FORMATS", "SOFTWARE", "bibtex", "csl_json", "text", "works_behind"]

FORMATS = {"bibtex": bibtex, "csl": csl_json, "text": text}
"""What writes references, by the name of the format."""
