"""Which requirement asks for what: items of four frameworks, and what of a report answers each.

Requirements are told in our own words.  `Item.seen` says how the number of each was checked.  The official editions
were not at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ANNEX_IV = "EU AI Act, Annex IV"
NIST = "NIST AI RMF 1.0"
STANDARDS = "Standards (AERA, APA & NCME, 2014)"
WILLIAMSON = "Williamson, Xi & Breyer (2012)"

Seen = Literal["reproduction", "summary", "notes"]
"""How the number of an item was checked: in a public reproduction of the text, in a summary by others, or not."""

STARS: dict[Seen, str] = {"reproduction": "", "summary": "*", "notes": "**"}
"""What stands after the number of an item."""

SEEN_NOTES: dict[Seen, str] = {
    "reproduction": "Numbers without a star were seen in public reproductions of the text, not in the official "
    "edition.",
    "summary": "* The number was seen in summaries by others only.",
    "notes": "** The number, or its threshold, could not be checked against the text: hold it against the original "
    "before you quote it.",
}
"""What a table says about the numbers of its items."""


@dataclass(frozen=True)
class Item:
    """One requirement.

    Parameters
    ----------
    framework, number
        Where it stands.
    asks
        What it asks for.
    estimates, tables
        Keys of estimates and tables that answer it from the data.
    fields
        Fields of the card that answer it.
    person
        What a person has to do besides.
    seen
        How its number was checked.
    """

    framework: str
    number: str
    asks: str
    estimates: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    person: str = ""
    seen: Seen = "notes"


AGREEMENT = ("system.qwk", "system.r", "system.exact_agreement", "system.rmse", "system.smd")
HUMANS = ("human.qwk", "human.r", "human.exact_agreement")
GROUPS = ("largest_group_difference",)

ITEMS = (
    Item(WILLIAMSON, "construct", "the engine's features fit the construct and the rubric",
         fields=("construct.definition", "construct.rubric", "engine.inputs"), person="judge the fit"),
    Item(WILLIAMSON, "human scoring", "the quality of the human scores that are the yardstick",
         estimates=HUMANS, tables=("human_human.agreement",), fields=("construct.rater_training",)),
    Item(WILLIAMSON, "agreement", "quadratic weighted kappa and correlation with human scores of at least .70",
         estimates=("system.qwk", "system.r"), tables=("system_human.association",)),
    Item(WILLIAMSON, "degradation", "agreement at most .10 below that of two raters",
         estimates=("degradation.qwk", "degradation.r"), tables=("human_human.degradation",)),
    Item(WILLIAMSON, "standardized difference", "a standardized mean difference of at most .15",
         estimates=("system.smd",), tables=("system_human.descriptives",)),
    Item(WILLIAMSON, "groups", "a standardized difference of at most .10 in every group",
         estimates=GROUPS, tables=("by_group",)),
    Item(WILLIAMSON, "other measures", "relations to other measures of the candidates",
         person="supply the study; it needs data that a file of scores has not"),
    Item(WILLIAMSON, "consequences", "effects on reported scores and decisions",
         estimates=("true_score.prmse",), fields=("use.stakes", "use.role"), person="judge the effect on decisions"),
    Item(STANDARDS, "2.7", "consistency of raters where scoring is subjective",
         estimates=HUMANS, tables=("human_human.agreement",)),
    Item(STANDARDS, "3.8", "comparable scoring of constructed responses across groups",
         estimates=GROUPS, tables=("by_group",)),
    Item(STANDARDS, "4.18", "scoring procedures, criteria and training told in enough detail",
         fields=("construct.rubric", "construct.rater_training")),
    Item(STANDARDS, "4.19", "automated scoring: its characteristics, and evidence of its quality at each score level",
         estimates=AGREEMENT, tables=("confusion.system", "calibration"), fields=("engine.inputs",)),
    Item(STANDARDS, "6.8", "the rules of scoring and their quality control",
         estimates=("true_score.prmse",), tables=("true_score.prmse",), fields=("monitoring.plan",)),
    Item(ANNEX_IV, "1(a)", "intended purpose, provider, version and its relation to earlier ones",
         fields=("use.intended", "engine.owner", "engine.version", "engine.relation"), seen="summary"),
    Item(ANNEX_IV, "2(a)", "how it was developed; models and tools of third parties",
         fields=("engine.inputs", "engine.third_parties")),
    Item(ANNEX_IV, "2(b)", "design: logic, key choices and their reasons",
         fields=("engine.inputs", "rationale.metrics"), person="attach the design documents"),
    Item(ANNEX_IV, "2(d)", "training data: provenance, scope, characteristics, labelling",
         fields=("development.training_data", "development.separation")),
    Item(ANNEX_IV, "2(e), 3", "human oversight", fields=("oversight.human", "oversight.appeals")),
    Item(ANNEX_IV, "2(g)", "validation and testing: data, metrics, discriminatory effects; reports dated and signed",
         estimates=(*AGREEMENT, "true_score.prmse", *GROUPS),
         tables=("data.composition", "system_human.association", "by_group"), person="sign and date",
         seen="reproduction"),
    Item(ANNEX_IV, "2(h)", "cybersecurity", person="supply; it does not follow from scores"),
    Item(ANNEX_IV, "3", "capabilities and limits, accuracy for groups of persons; foreseeable harms",
         estimates=GROUPS, tables=("by_group",), fields=("risk.limits", "risk.harms"), seen="reproduction"),
    Item(ANNEX_IV, "4", "why the metrics are appropriate", fields=("rationale.metrics",)),
    Item(ANNEX_IV, "5", "risk management", fields=("risk.record",)),
    Item(ANNEX_IV, "6", "changes over the life of the system", tables=("packet.changes",),
         fields=("standards.changes", "engine.relation"), seen="summary"),
    Item(ANNEX_IV, "7", "standards applied", fields=("standards.applied",)),
    Item(ANNEX_IV, "8", "declaration of conformity", person="attach a copy"),
    Item(ANNEX_IV, "9", "monitoring after deployment", fields=("monitoring.plan", "monitoring.next_review"),
         seen="summary"),
    Item(NIST, "MAP 1.1", "intended purpose, context of use, users and expectations",
         fields=("use.intended", "use.users", "use.out_of_scope", "use.stakes")),
    Item(NIST, "MEASURE 1.1", "metrics chosen for the most significant risks; what is not measured is documented",
         fields=("rationale.metrics",), person="name what is not measured", seen="reproduction"),
    Item(NIST, "MEASURE 2.1", "test sets, metrics and tools are documented",
         tables=("data.composition", "packet.reproducibility"), seen="reproduction"),
    Item(NIST, "MEASURE 2.3", "performance in conditions like those of deployment",
         estimates=AGREEMENT, fields=("development.evaluation_sampling",), seen="reproduction"),
    Item(NIST, "MEASURE 2.5", "valid and reliable; limits of generalization",
         estimates=("true_score.prmse", "system.qwk", *HUMANS), fields=("risk.limits", "development.stress_tests"),
         seen="reproduction"),
    Item(NIST, "MEASURE 2.10", "privacy", tables=("privacy.withheld",), person="judge the risk", seen="reproduction"),
    Item(NIST, "MEASURE 2.11", "fairness and bias", estimates=GROUPS, tables=("by_group",), seen="reproduction"),
    Item(NIST, "MEASURE 2.13", "whether the metrics and processes of evaluation work",
         fields=("rationale.metrics",), person="judge", seen="reproduction"),
    Item(NIST, "MEASURE 3.3", "feedback and appeals", fields=("oversight.appeals",), seen="reproduction"),
    Item(NIST, "MANAGE 1.1", "whether it serves its purpose and goes on: the decision", person="decide and sign"),
    Item(NIST, "MANAGE 4.1", "monitoring, override and change after deployment",
         fields=("monitoring.plan", "oversight.human")),
)  # fmt: skip
"""Every item, framework by framework."""
