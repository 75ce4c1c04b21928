"""A section of another installed package, as its author would write it."""

from dataclasses import dataclass
from typing import ClassVar

from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class EssayLength(Section):
    """Says one sentence, so that a test can find it."""

    name: ClassVar[str] = "essay_length"
    title: ClassVar[str] = "Essay length"

    unit: str = "words"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the sentence."""
        kept = evaluation.facts["responses_kept"]
        return Findings(headline=f"The length of {kept} essays is counted in {self.unit}.")
