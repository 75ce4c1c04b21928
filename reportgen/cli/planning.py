"""The command that plans double scoring."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli.commands import flag, option, with_settings
from reportgen.errors import InputError, SettingsError
from reportgen.storing.report_folder import Writing

if TYPE_CHECKING:
    from reportgen.metrics.double_scoring import PrmsePlan, Prospect
    from reportgen.results import Evaluation

COUNTS = (100, 250, 500, 1000, 2000)  # numbers of double-scored responses that the default table shows

OPTIONS = "replace --from with expected values, for example --prmse 0.8 --human-r 0.65."


@with_settings("confidence_level")
def plan(
    given: dict[str, Any],
    prmse: Annotated[float | None, option()] = None,
    human_r: Annotated[float | None, option()] = None,
    n2: Annotated[list[int] | None, typer.Option("--n2", min=2, metavar="COUNT")] = None,
    n: Annotated[int | None, typer.Option(min=2, metavar="COUNT")] = None,
    half_width: Annotated[list[float] | None, option()] = None,
    threshold: Annotated[list[float] | None, typer.Option(min=0, max=1)] = None,
    power: Annotated[float | None, option()] = None,
    source: Annotated[Path | None, option("FILE", "--from")] = None,
    as_json: Annotated[bool, flag("--json")] = False,
) -> None:
    """Plan how many responses to double-score."""
    from reportgen.metrics.double_scoring import prospects

    confidence = given.get("confidence_level")
    taken = [name for name, value in (("prmse", prmse), ("human-r", human_r), ("n", n)) if value is not None]
    if source and taken:
        raise SettingsError(f"--{taken[0]}: --from provides it; remove --{taken[0]}.")
    made = _from_file(source, confidence) if source else _from_options(prmse, human_r, n, given)
    counts = tuple(n2 or ())
    if n is not None and max(counts, default=0) > n:
        raise SettingsError(f"--n2: must be at most --n {n}, found {max(counts)}; for example, --n2 {n}.")
    if made.double is None and not (counts or half_width or threshold):
        counts = tuple(count for count in COUNTS if n is None or count <= n)
    if any(not width > 0 for width in half_width or ()):
        raise SettingsError("--half-width: must be greater than 0; for example, --half-width 0.05.")
    least, what = _power(power, threshold or ()), "given" if n2 else "example"
    found = prospects(made, counts, half_width or (), threshold or (), least, what)
    as_data = {"plan": asdict(made), "prospects": [asdict(each) for each in found]}
    typer.echo(json.dumps(as_data, indent=2) if as_json else _table(made, found, least))


def _from_options(prmse: float | None, human_r: float | None, n: int | None, given: dict[str, Any]) -> PrmsePlan:
    from reportgen.metrics.double_scoring import PrmsePlan
    from reportgen.settings import from_keywords

    typed = {"--prmse 0.8": prmse, "--human-r 0.65": human_r}
    for example, value in typed.items():
        if value is not None and not 0 < value <= 1:
            raise SettingsError(
                f"{example.split()[0]}: must be between 0 and 1, found {value:g}; for example, {example}."
            )
    if prmse is None or human_r is None:
        missing = [example for example, value in typed.items() if value is None]
        flags = " and ".join(example.split()[0] for example in missing)
        raise SettingsError(f"plan requires {flags}; for example, {' '.join(missing)}")
    return PrmsePlan(prmse, human_r, n, level=from_keywords(**given).statistics.confidence_level)


def _power(given: float | None, thresholds: Sequence[float]) -> float | None:
    """Return the power as a share; a number above 1 is a percentage."""
    if given is None:
        return None
    if not thresholds:
        raise SettingsError("--power requires --threshold; for example, --threshold 0.7 --power 80.")
    share = given / 100 if given > 1 else given
    if not 0 < share < 1:
        raise SettingsError(f"--power: must be between 0 and 100, found {given:g}; for example, --power 80.")
    return share


def _from_file(path: Path, confidence: float | None) -> PrmsePlan:
    from reportgen.metrics.double_scoring import FEWEST, plan_from_data
    from reportgen.wording.numbers import many

    evaluation = _evaluation(path, confidence)
    found = {key: evaluation.estimates.get(f"true_score.{key}") for key in ("prmse", "true_variance", "error_variance")}
    values = {key: each.value for key, each in found.items() if each is not None and each.value is not None}
    prmse = found["prmse"]
    if prmse is None or len(values) < len(found):
        raise InputError(f"{path}: PRMSE cannot be estimated (there may be too few double-scored responses); {OPTIONS}")
    width = None if prmse.low is None or prmse.high is None else prmse.high - prmse.low
    kept = int(evaluation.facts.get("responses_kept") or prmse.n)
    plan = plan_from_data(**values, n=kept, double=prmse.n, width=width, level=prmse.level)
    if plan is None:
        why = (
            f"only {many(prmse.n, 'response is', 'responses are')} double-scored, but at least {FEWEST} are required"
            if prmse.n < FEWEST
            else f"PRMSE ({values['prmse']:.2f}) or one of its variances is out of range"
        )
        raise InputError(f"{path}: {why}; {OPTIONS}")
    return plan


def _evaluation(path: Path, confidence: float | None) -> Evaluation:
    from reportgen.reports import single

    if path.is_dir() or path.suffix.lower() == ".json":
        if confidence is not None:
            raise SettingsError("--confidence: results.json already contains intervals; remove --confidence.")
        return single.load(path).evaluation
    from reportgen.reports.single import configured
    from reportgen.scores import read

    given: dict[str, Any] = {} if confidence is None else {"confidence_level": confidence}
    scores, settings = configured(path, given | {"sections": "data"})
    single.refuse_early(settings)
    return single.evaluate_scores(scores, read(scores, settings), settings, Writing()).report.evaluation


def _table(plan: PrmsePlan, found: Sequence[Prospect], least: float | None) -> str:
    from reportgen.wording.numbers import count, coverage, fixed, num

    where = "" if plan.n is None else f", {count(plan.n)} responses"
    now = "" if plan.double is None else f", {count(plan.double)} of them double-scored"
    powers = any(each.power is not None for each in found)
    at = {each.threshold for each in found if each.threshold is not None}
    places = next((p for p in range(2, 9) if fixed(plan.prmse, p) not in {fixed(each, p) for each in at}), 2)
    lines = [
        f"PRMSE {fixed(plan.prmse, places)}, interrater correlation {fixed(plan.human_r, 2)}{where}{now}",
        f"{'':<24}{'double-scored':>14}{'total':>22}   PRMSE +/-{'   power' if powers else ''}",
    ]
    for each in found:
        twice = "out of reach" if each.double is None else count(each.double)
        all_ = "large (not limiting)" if each.n is None else count(each.n)
        half = "" if each.half_width is None else num(each.half_width, "coefficient", places=3)
        power = "" if each.power is None else f"   {fixed(100 * each.power, 0):>3}%"
        lines.append(f"{each.what:<24}{twice:>14}{all_ if each.double is not None else '':>22}   {half:>9}{power}")
    if plan.double is not None:
        text = "Interrater correlation: true-score variance / (true-score + rater error variance), from all ratings. "
        lines.append(f"{text}The report's r uses only double-scored responses.")
    lines.append(f"+/- is half the width of the expected {coverage(plan.level)}% interval.")
    if powers:
        value = fixed(min(at), places) if len(at) == 1 else "the threshold"
        text = f"Power: probability that the interval excludes {value} if PRMSE is {fixed(plan.prmse, places)}; "
        lines.append(f"{text}80% is customary.")
        lines += ["Without --power, the expected interval only just excludes the threshold."] * (least is None)
    return "\n".join(lines)
