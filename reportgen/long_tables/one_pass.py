"""One pass over the responses to all items, each counted on its scale; where scales are not declared, one before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from reportgen.errors import InputError, SettingsError, write_command
from reportgen.evaluation.many_items.counting import ItemCounters, ItemCountPlan, Pass, count_items, scales_of
from reportgen.evaluation.preparation import rounding_on
from reportgen.machine.progress import Silent
from reportgen.results import Scale
from reportgen.scores.design import design_of
from reportgen.scores.item_sources import ItemSource
from reportgen.scores.scale import trim_bounds, trim_tolerance
from reportgen.settings import Settings
from reportgen.sources.batches import told_of
from reportgen.tally.rounding import TrimBounds


def counted(
    opened: ItemSource,
    settings: Settings,
    declared: Mapping[str, Scale] | None,
    hands: ItemCounters,
    status: Silent,
) -> tuple[Pass, ItemCountPlan]:
    """Return what a pass over all responses finds, and how it was made: on which scales.

    Raises
    ------
    InputError
        The source cannot be read, or no response has both scores.
    """
    plan = _plan(opened, settings, _scales(opened, settings, declared, hands, status))
    with _told(opened, status) as pieces:
        passed = count_items(pieces, plan, hands)
    _refuse_gaps(passed, opened, settings)
    status.stage("making the tables")
    return passed, plan


def _refuse_gaps(passed: Pass, opened: ItemSource, settings: Settings) -> None:
    """Raise where the first column of human scores is not the score of record."""
    human, (*rated, responses) = opened.wanted.human, passed.rated.tolist()
    if len(human) > 1 and responses and design_of(human, rated, responses, settings.data.record).record != 0:
        raise SettingsError(
            f"'{human[0]}' holds {rated[0]:,} scores of {responses:,} responses that people rated, and tables need one "
            f"score of record: name it with {write_command('--record', human[0])}, or use reportgen batch "
            "--tables-only, where raters may stand in for each other."
        )


def _scales(
    opened: ItemSource,
    settings: Settings,
    declared: Mapping[str, Scale] | None,
    hands: ItemCounters,
    status: Silent,
) -> dict[str, Scale]:
    """Return the scale of each item, under no name where all have one."""
    if settings.data.scale is not None:
        return {"": settings.data.scale}
    if declared is not None:
        return dict(declared)
    with _told(opened, status) as pieces:
        return scales_of(pieces, hands)


def _plan(opened: ItemSource, settings: Settings, scale_of: Mapping[str, Scale]) -> ItemCountPlan:
    """Return what a process needs to count its share."""
    scales = tuple(sorted(set(scale_of.values()), key=lambda scale: (scale.low, scale.high, scale.step)))
    if not scales:
        raise InputError(
            "no response has a human score and an engine score that are numbers; for words use reportgen batch."
        )
    ends = [(*trim_bounds(settings.preparation, scale), trim_tolerance(settings, scale)) for scale in scales]
    bounds = tuple(
        TrimBounds.of(low - tolerance, high + tolerance, rounding_on(scale, as_rsmtool=settings.rsmeval is not None))
        for (low, high, tolerance), scale in zip(ends, scales, strict=True)
    )
    places = {item: scales.index(scale) for item, scale in scale_of.items()} if len(scales) > 1 else None
    withholds = settings.privacy.withhold_small_groups and bool(opened.wanted.groups)
    return ItemCountPlan(opened.wanted, scales, bounds, places, withholds)


@contextmanager
def _told(opened: ItemSource, status: Silent) -> Iterator[ItemSource]:
    """Yield a source of whose rows the status hears while they are read."""
    with told_of([piece for _, piece in opened.pieces], status) as pieces:
        numbers = (number for number, _ in opened.pieces)
        yield replace(opened, pieces=tuple(zip(numbers, pieces, strict=True)))
