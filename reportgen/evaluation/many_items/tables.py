"""All tables of all items: one for each kind, a row for each item and whatever it is divided into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from reportgen.evaluation.estimates import estimate_slices, rounded_agreement, without_points
from reportgen.evaluation.many_items.counted import EVERY, Chunk, ItemsStudy
from reportgen.evaluation.many_items.grouped import BY_GROUP, SYSTEM_BY_GROUP, group_tables
from reportgen.evaluation.many_items.long import Columns, LongTable, filled, stacked
from reportgen.evaluation.many_items.overall import overall_tables
from reportgen.evaluation.many_items.points import point_tables
from reportgen.evaluation.many_items.score_levels import level_tables
from reportgen.evaluation.many_items.singly import single_tables
from reportgen.evaluation.points import in_whole_points
from reportgen.machine.worker_processes import ahead
from reportgen.tally import TRIMMED, error_sums

CAPTIONS = {
    "data.groups": "Evaluated responses by group",
    "confusion.system": "First human score by engine score, trimmed and rounded: pairs that occur",
    "confusion.human": "First human score by second: pairs that occur, of responses that both scored",
    "distribution": "Score distribution of the first human score and the engine score, trimmed and rounded",
    "human_human.agreement": "Agreement of the first two human raters, on the responses that both scored",
    "human_human.degradation": "Engine-human agreement minus human-human agreement",
    "human_human.disattenuated": "Correlation of engine and human scores, corrected for the unreliability of one "
    "human score",
    "system_human.descriptives": "Means and standard deviations of the first human score and of each form of the "
    "engine score",
    "system_human.association": "Association of the engine score with the first human score",
    "system_human.agreement": "Agreement of the engine score with the first human score on score points",
    "true_score.prmse": "Engine score as a predictor of the true score (the mean over all possible raters)",
    "calibration": "Mean first human score by engine score: a calibrated engine has equal means in every row",
    "levels.by_human": "What the engine gives at each first human score, engine score trimmed",
    "levels.overall": "Large errors, ends of the scale that are kept, and slopes",
    "by_group": "Engine and first human score by group, engine score trimmed; agreement of rounded scores",
    "human_human.by": "Agreement of the first two human raters by group, on the responses that both scored",
    "human_human.disattenuated.by": "Correlation of engine and human scores by group, corrected for the unreliability "
    "of one human score",
    "fairness.explained": "How much of the engine's error a group column explains",
    "fairness.contrasts": "Squared error (osa), error (osd) and error at equal first human score (csd): the reference "
    "group's own value, and differences from it",
    "fairness.given_true_score": "Engine score given the true score: difference from the largest group, and from all "
    "others (SD: of human scores)",
    "panel.agreement": "Agreement of engine and first human score, and of raters, on the points of the scale",
    "panel.pairs": "Agreement of every pair of raters, on the responses that both scored",
    "panel.divergence": "Where kappa and Gwet's AC part: the difference, what each takes for agreement by chance, and "
    "prevalence",
    "not_made": "Tables that were asked for and cannot be made of an item",
}
"""Table -> what it says, in the order of the report; keys are those of one item's tables."""


def item_tables(studies: Iterable[ItemsStudy], threads: ThreadPoolExecutor | None = None) -> list[LongTable]:
    """Return every table of all items; its column `_item` has the item's place among those of all studies together.

    Parameters
    ----------
    threads
        Who makes them, some items at a time; None for the thread that asks.
    """
    parts: dict[str, list[Columns]] = {}
    first = 0
    chunks = (chunk for tallied in studies for chunk in tallied.chunks())
    for items, made in ahead(threads, _tables_of, chunks):
        for key, columns in made:
            columns["_item"] = columns["_item"] + first
            parts.setdefault(key, []).append(columns)
        first += items
    return [LongTable(key, caption, stacked(filled(parts[key]))) for key, caption in CAPTIONS.items() if key in parts]


def _tables_of(chunk: Chunk) -> tuple[int, list[tuple[str, Columns]]]:
    """Return the number of some items, and their tables."""
    return len(chunk.items), list(_of_chunk(chunk))


def _of_chunk(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of every table of some items."""
    tallied = chunk.tallied
    yield from point_tables(chunk)
    if in_whole_points(tallied.scale):
        yield from level_tables(chunk)
    yield from overall_tables(chunk)
    if tallied.also:
        yield from single_tables(chunk, tallied.also)
    if not chunk.groups:
        return
    trimmed = estimate_slices(
        chunk.tally, EVERY, TRIMMED, tallied.level, tallied.rater_error_variance, None, tallied.worst_errors(TRIMMED),
        chunk.inside(), BY_GROUP if len(tallied.raters) > 1 else SYSTEM_BY_GROUP,
    )  # fmt: skip
    rounded = rounded_agreement(chunk.tally, EVERY, trimmed, tallied.level)
    if not tallied.preparation.rounding.points:
        trimmed, rounded = trimmed.on_continuous_scale(), without_points(rounded)
    errors = error_sums(chunk.tally, EVERY, TRIMMED)
    for grouping in chunk.groups:
        yield from group_tables(chunk, grouping, trimmed, rounded, errors)
