"""Runs side by side, every one against the first, as the content of a report."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.comparison.change_tables import OVERALL, RATERS, TRUE_SCORE, comparison_tables
from reportgen.comparison.changes import Pair
from reportgen.comparison.decisions import decisions_of, verdict_of
from reportgen.comparison.engines import engines_table, ratings_differ
from reportgen.comparison.movement import movement_tables
from reportgen.comparison.ranking import ranking_table
from reportgen.comparison.same_responses import sets_of_same_responses
from reportgen.comparison.withholding import withheld_from
from reportgen.errors import InputError
from reportgen.policies import load_policy
from reportgen.results import Check, Estimate, Evaluation, Source
from reportgen.results.term import Term
from reportgen.runs import NumberPlace, Run, refuse_same_names, refuse_scales
from reportgen.settings import Settings
from reportgen.verdicts import check


def compare_runs(runs: Sequence[Run], settings: Settings, provenance: Mapping[str, Any]) -> Evaluation:
    """Return what changes from the first run to each of the others.

    Parameters
    ----------
    runs
        Two or more, the one that the others are compared with first.
    settings, provenance
        Kept as they are.

    Raises
    ------
    InputError
        There are fewer than two runs, two of one name, or two on different scales.
    """
    if len(runs) < 2:
        raise InputError(f"a comparison needs two runs or more, found {len(runs)}; name another one.")
    refuse_same_names(runs)
    refuse_scales(runs)
    runs = [run.withholding(settings.privacy.withhold_small_groups) for run in runs]
    pairs = [Pair.of(runs[0], run) for run in runs[1:]]
    tables = [*comparison_tables(runs, pairs), *movement_tables(pairs)]
    tables += withheld_from([run for pair in pairs for run in (pair.old, pair.new)])
    engines = engines_table(pairs)
    tables += [engines] if engines is not None else []
    same = sets_of_same_responses(runs) if len(runs) > 2 else []
    ranking = ranking_table(same, "comparison.ranking")
    tables += [ranking] if ranking.rows else []
    return Evaluation(
        source=together(runs),
        roles=(),
        scale=runs[0].scale,
        score_types=runs[0].score_types,
        groups=tuple(dict.fromkeys(name for pair in pairs for name in pair.groupings)),
        raters=runs[0].raters,
        settings=settings.model_dump(mode="json", exclude_none=True),
        facts={
            "runs": [run.name for run in runs],
            "pairs": [_facts(pair) for pair in pairs],
            "decisions": decisions_of(runs, settings.verdict.policy),
            "confidence_level": runs[0].level,
            "min_n_per_group": runs[0].min_n,
        },
        estimates=_estimates(pairs),
        tables={table.key: table for table in tables},
        checks=tuple(
            each
            for each in checks_of(runs, settings.verdict.policy)
            if all(pair.compared(each.statistic) == "judged" for pair in pairs)
        ),
        warnings=tuple(_warnings(pairs)),
        provenance=provenance,
        kind="comparison",
    )


def together(runs: Sequence[Run]) -> Source:
    """Return several sources as one: its hash is that of theirs in order; runs of one source have that one."""
    if len({run.source.sha256 for run in runs}) == 1:
        return runs[0].source
    digest = hashlib.sha256("\n".join(run.source.sha256 for run in runs).encode()).hexdigest()
    sizes, rows = (sum(getattr(run.source, name) for run in runs) for name in ("bytes", "rows"))
    return Source(f"{len(runs)} runs", digest, sizes, rows, "runs")


def checks_of(runs: Sequence[Run], policy: str) -> tuple[Check, ...]:
    """Return the requirements on all responses of every run, as its verdict has them; the group of a check is the run.

    A run without a verdict whose scores cannot be read is checked by its stored estimates.
    """
    found = [each for run in runs for each in _checks_of(run, policy)]
    order = list(dict.fromkeys(each.statistic for each in found))
    return tuple(sorted(found, key=lambda each: order.index(each.statistic)))


def _checks_of(run: Run, policy: str) -> list[Check]:
    verdict = verdict_of(run, policy)
    if verdict is not None:
        return [replace(each, group=run.name) for each in verdict.checks if not each.column]
    return [
        check(criterion, estimate, group=run.name, min_n=run.min_n)
        for criterion in load_policy(policy).criteria
        if not criterion.groups and (estimate := run.estimate(NumberPlace(criterion.statistic))) is not None
    ]


def _facts(pair: Pair) -> dict[str, Any]:
    """Return what sections say about a pair."""
    sharing = pair.sharing
    return {
        "old": pair.old.name, "new": pair.new.name, "paired": sharing.paired, "reason": sharing.reason,
        "shared": sharing.n, "old_only": sharing.old_only, "new_only": sharing.new_only,
        "different": sharing.different, "old_n": pair.old.n, "new_n": pair.new.n, "state": sharing.state,
        **({"comparable": sharing.comparable, "ratings_differ": told} if (told := ratings_differ(pair)) else {}),
        **(_raters_of(pair) if sharing.state != "same ratings" else {}),
    }  # fmt: skip


def _raters_of(pair: Pair) -> dict[str, Any]:
    """Return what tells the raters of two runs apart: how many there are, and how many responses two of them scored."""
    found = pair.change("human.r")
    twice = (0, 0) if found is None else (found.old.n, found.new.n)
    return {
        "raters_differ": pair.raters_differ, "first_ratings_same": pair.first_ratings_same,
        "old_raters": len(pair.old.raters), "new_raters": len(pair.new.raters),
        "old_double_scored": twice[0], "new_double_scored": twice[1],
    }  # fmt: skip


def _estimates(pairs: Sequence[Pair]) -> dict[str, Estimate]:
    """Return old, new and change of every overall statistic, the runs told by number."""
    estimates = {}
    for number, pair in enumerate(pairs, start=2):
        for line in (*OVERALL, *RATERS, *TRUE_SCORE):
            score = line.score(pair)
            change = pair.change(line.key, score)
            if change is not None:
                key = f"{line.key}.rounded" if score[0] else line.key
                estimates[f"run1.{key}"] = change.old
                estimates[f"run{number}.{key}"] = change.new
                estimates[f"change{number}.{key}"] = change.difference
    return estimates


def _warnings(pairs: Sequence[Pair]) -> list[Term]:
    """Return what is said about what is compared with what."""
    told: list[Term] = []
    for pair in pairs:
        sharing, names = pair.sharing, {"old": pair.old.name, "new": pair.new.name}
        if differ := ratings_differ(pair):
            told.append(Term("ratings_differ", **names, **differ, then=Term(f"compared.{sharing.comparable}")))
        if not sharing.paired:
            known = sharing.state == "same ratings"
            told.append(Term("not_paired", **names, old_n=pair.old.n, new_n=pair.new.n, why=sharing.reason, same=known))
        if sharing.paired and sharing.old_only + sharing.new_only + sharing.different:
            left = {"old_only": sharing.old_only, "new_only": sharing.new_only, "different": sharing.different}
            told.append(Term("left_out", **names, n=sharing.n, **left))
        told += _preparation(pair, names)
    return told


def _preparation(pair: Pair, names: Mapping[str, str]) -> list[Term]:
    """Return warnings about scores that were prepared in different ways."""
    told = []
    bounds = [run.preparation.bounds for run in (pair.old, pair.new)]
    if bounds[0] != bounds[1]:
        first, second = (Term("numbers_from_to", low=float(low), high=float(high)) for low, high in bounds)
        told.append(Term("trimmed_differently", **names, first=first, second=second))
    kinds = [run.score_types[-1].key.split("_")[0] for run in (pair.old, pair.new) if run.score_types]
    if len(set(kinds)) > 1:
        told.append(Term("differ_in_kind", **names))
    return told
