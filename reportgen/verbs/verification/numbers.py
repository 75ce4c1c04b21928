"""Whether the numbers of a report are those of its scores: they are computed again, by the settings that are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.policies import shipped_policies
from reportgen.results import Evaluation
from reportgen.settings import RESCALED, Settings, from_stored
from reportgen.storing.differences import differences
from reportgen.storing.json_values import encode
from reportgen.storing.writing import Writing
from reportgen.verbs.verification.answers import Answer, compared
from reportgen.verbs.verification.data import UNTOLD, Data, FoundData
from reportgen.verbs.verification.stored import ONE, Stored

ABOUT = "numbers"

FOLLOWED = ("data", "preparation", "statistics", "impact", "privacy", "traits")
"""Tables of settings that numbers follow from; none other is followed, so that nothing is logged, loaded or written."""

OF_THE_SOURCE = ("file", "connection", "query", "labels_file", "scales", "by")
"""Settings of data that lead to a source; the one who looks names it."""

COMPARED = ("scale", "score_types", "groups", "estimates", "statistics", "tables", "checks")
"""Parts of an evaluation that are compared; of its facts, the numbers are."""

COMPUTING = ("python", "reportgen", "numpy", "scipy", "pyarrow")
"""Programs that may change a number."""

PACKET = "packet."
"""What the keys of the tables begin with that a packet adds."""


def of_numbers(stored: Stored, found: FoundData) -> Answer:
    """Return whether the numbers of a report are those that its scores give."""
    if stored.evaluation.kind not in ONE:
        return Answer(ABOUT, "cannot be told", f"this is a {stored.evaluation.kind}; name the folder of one report")
    if found.data is None:
        differs = found.answer.standing == "differs"
        return Answer(ABOUT, "cannot be told", "these are other scores, so nothing was computed" if differs else UNTOLD)
    try:
        fresh = _computed(stored, found.data)
    except InputError as error:
        return Answer(ABOUT, "cannot be told", f"the scores cannot be read as they were: {error}".rstrip("."))
    old, new = _numbers(stored.evaluation), _numbers(_judged_alike(fresh, stored.evaluation))
    count = _count(old)
    why_not = stored.other_versions(*COMPUTING) or ("a configuration of rsmeval" if _is_of_rsmeval(stored) else "")
    return compared(ABOUT, list(differences(old, new)), f"{count:,} numbers, computed again, are those stored", why_not)


def _is_of_rsmeval(stored: Stored) -> bool:
    """Return whether a report answers rsmeval, some of whose settings are not among those of reportgen."""
    return bool(stored.prefix) or (stored.settings is not None and stored.settings.rsmeval is not None)


def _computed(stored: Stored, data: Data) -> Evaluation:
    """Return what the scores give, by the settings of the report.

    Raises
    ------
    InputError
        They cannot be read by these settings.
    """
    from reportgen.verbs import systems

    try:
        outcome = systems.evaluate(data.source, _settings(stored, data), Writing())
    except ReportgenError as error:
        raise InputError(str(error)) from None
    if outcome.parts:
        raise InputError("they hold several systems or traits, and the report does not say which is its own")
    return outcome.report.evaluation


def _settings(stored: Stored, data: Data) -> Settings:
    """Return the settings that numbers follow from, with the source that was named."""
    told = stored.settings.model_dump(exclude_unset=True) if stored.settings is not None else stored.evaluation.settings
    kept = {name: _table(told[name]) for name in FOLLOWED if told.get(name)}
    kept["data"] = {key: value for key, value in kept.get("data", {}).items() if key not in OF_THE_SOURCE}
    if data.labels_file is not None:
        kept["data"]["labels_file"] = data.labels_file
    scaling = kept.get("preparation", {}).get("scale_with")
    if scaling is not None and scaling not in RESCALED:
        if data.training_file is None:
            raise SettingsError("scores were rescaled with a training file; name it with --training-file.")
        kept["preparation"]["scale_with"] = str(data.training_file)
    asked = told.get("verdict")
    policy = asked.get("policy") if isinstance(asked, Mapping) else None
    shipped = {"policy": policy} if policy in shipped_policies() else {}
    return from_stored({**kept, "verdict": shipped, "report": {"sections": [], "formats": []}})


def _table(value: Any) -> Any:
    """Return a copy of a table of settings; anything else as it is."""
    return dict(value) if isinstance(value, Mapping) else value


def _judged_alike(fresh: Evaluation, old: Evaluation) -> Evaluation:
    """Return an evaluation judged by the requirements of another, whose policy may be elsewhere."""
    from reportgen.verdicts import again

    if old.ruling is None or not old.statistics:
        return fresh
    verdict = again(replace(fresh, checks=old.checks, settings=old.settings), old.ruling)
    return replace(fresh, checks=verdict.checks)


def _numbers(evaluation: Evaluation) -> dict[str, Any]:
    """Return the numbers of an evaluation, as they are stored; without the marks of a policy in tables."""
    content = {name: encode(getattr(evaluation, name)) for name in COMPARED}
    tables = {key: table for key, table in content["tables"].items() if not key.startswith(PACKET)}
    for table in tables.values():
        for row in table["rows"]:
            row.pop("mark", None)
    facts = {key: value for key, value in encode(evaluation.facts).items() if isinstance(value, int | float)}
    return {**content, "tables": tables, "facts": facts}


def _count(value: Any) -> int:
    """Return how many numbers there are in a value."""
    if isinstance(value, Mapping):
        return sum(map(_count, value.values()))
    if isinstance(value, list):
        return sum(map(_count, value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))
