"""Every statement that Loukina et al. (2020) make about data, judged by the numbers of the replay and of new data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.studies.printed import in_section
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.on_metrics import claims_on_metrics
from reportgen.studies.prmse_stability.on_prmse import claims_on_prmse
from reportgen.studies.statements import Statement

ELSEWHERE = {
    "asap_agreement": "1",
    "training_noise": "1",
    "systematic_noise": "2",
    "many_annotators": "2",
    "evaluation_set": "2",
    "inseparable": "6",
    "compare_items": "6",
    "hard_responses": "6",
    "other_data_sets": "6",
    "raters_randomized": "7",
    "raters_alike": "7",
    "random_sample": "7",
    "with_other_metrics": "7",
}
"""Statement -> section, of what these simulated scores cannot show: real data, training, raters who are not alike."""


def statements(replayed: Measures, fresh: Sequence[Measures]) -> Iterator[Statement]:
    """Yield every statement with its outcome.

    Parameters
    ----------
    replayed
        The paper's own data.
    fresh
        Data sets of the same design, drawn afresh.
    """
    for claim in (*claims_on_metrics(), *claims_on_prmse()):
        yield claim.statement(replayed, fresh)
    for key, section in ELSEWHERE.items():
        yield Statement(in_section(section), key, None)
