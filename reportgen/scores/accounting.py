"""Summarize how scores were prepared, from counts, in the same way for rows in memory and for batches.

The summary includes doubts about the data: a column given twice, and scores of 0 that may mean no score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError, did_you_mean, write_command
from reportgen.results import Scale
from reportgen.scores import scale, screening
from reportgen.scores.left_out import left_out_sentence
from reportgen.scores.screening import LARGEST, ScreeningCounts
from reportgen.scores.table import Account, SourceFacts, Training
from reportgen.scores.writing import named_points, notes_on_writing
from reportgen.settings import Settings
from reportgen.settings.kinds import MOST_POINTS
from reportgen.sources import column_names
from reportgen.sources.columns import Floats, as_numbers
from reportgen.sources.readers import about, open_reader
from reportgen.sources.tabular import Place
from reportgen.wording.numbers import many

AccountType = TypeVar("AccountType", bound=Account)  # an account of scores, with or without their rows


class Counted(NamedTuple):
    """Counts over the responses of a file.

    human, times: Human scores that count, of any shape, NaN if missing, and how often each was given; None for once.
    """

    screening: ScreeningCounts  # counts of the screening
    human: Floats
    times: Floats | None
    shared: Mapping[tuple[str, str], SharedScores]  # two score columns -> the scores they share


def account_of(
    found: Counted,
    roles: ColumnRoles,
    place: Callable[[int], Place],
    settings: Settings,
    besides: SourceFacts,
    items: Sequence[str] = (),
) -> Account:
    """Return how the scores of a file were prepared; `items` are sentences about item scores."""
    counts = found.screening
    score_scale = scale_found(settings, counts, roles, found.human, found.times)
    names, engine, given = besides.columns("score") or roles.columns("human"), counts.engine, settings.data.missing
    if given != ("none",):
        systems = ", ".join(roles.columns("system"))
        screening.refuse_apart(score_scale, names, found.human, found.times, engine, systems, given)
    trim_min, trim_max = scale.trim_bounds(settings.preparation, score_scale)
    rescaling, training = rescaling_of(settings)
    data, low, high = settings.data, score_scale.low, score_scale.high
    own = data.system_scale
    mapped = own is not None and (own.low, own.high) != (low, high)
    engines = roles.columns("system") if mapped else ()
    doubts = tuple(notes_on_copies({pair: each for pair, each in found.shared.items() if not set(pair) & set(engines)}))
    may_be_none = not score_scale.labels and len(score_scale.points()) != 2  # 0 is not a label or one of two
    zeros = counts.zeros if may_be_none else 0
    text = [*doubts, left_out_sentence(besides.without)]
    unknown = may_be_none and score_scale.assumed and settings.preparation.exclude_zero_scores is None
    if unknown and roles.columns("system") and not data.missing:
        screening.refuse_disordered(counts.ratings, counts.engine, score_scale, roles.columns("human"))
    if zeros and unknown and low >= 0:
        counted = many(zeros, "human score is 0 and counts as a score", "human scores are 0 and count as scores")
        text.append(f"{counted}; to count {'it' if zeros == 1 else 'them'} as missing, add --exclude-zero-scores.")
    text += [*notes_on_writing(counts.written, roles, data), *besides.notes]
    text += [*screening.notes(counts.missing, place), *items]
    text += [
        f"'{name}' contains items; to use them as groups, add {write_command('--group', name)}."
        for name in roles.columns("item")
        if data.groups is None and name not in roles.columns("group")
    ]
    if own is not None and mapped:
        text.append(f"Engine scores are mapped from {own.low:g} to {own.high:g} onto {low:g} to {high:g}.")
    if between := scale.between_points(score_scale, found.human, found.times):
        text.append(f"Human scores between the points of the declared scale: {between:,}.")
    left_out = tuple({**dict(besides.left_out), **roles.left_out}.items())
    return Account(
        **vars(replace(besides, roles=(*roles.summary(), *besides.roles), left_out=left_out)),
        scale=score_scale, trim_min=trim_min, trim_max=trim_max,
        trim_tolerance=scale.trim_tolerance(settings, score_scale), as_rsmtool=settings.rsmeval is not None,
        rescaling=rescaling, training=training, exclusions=screening.exclusions(counts.rules, place),
        composition=screening.composition(counts, settings), read=counts.read, flagged=counts.flagged, kept=counts.kept,
        warnings=tuple(filter(None, text)), zeros=zeros, doubts=doubts, outputs=counts.outputs,
    )  # fmt: skip


def scale_found(
    settings: Settings, counts: ScreeningCounts, roles: ColumnRoles, human: Floats, times: Floats | None
) -> Scale:
    """Return the score scale: from the labels, as declared, or spanned by the scores."""
    labels = named_points(counts.written, roles, settings.data)
    declared = Scale(0.0, len(labels) - 1.0, 1.0, assumed=False, labels=labels) if labels else settings.data.scale
    found = scale.score_scale(declared, human, times, counts.engine)
    percent = any(counts.written[n].example.endswith("%") for n in roles.columns("human") if n in counts.written)
    tops = {100.0} if percent else {column_names.highest_in(name) for name in roles.columns("human")}
    tops |= {top for name in roles.columns("human") if name in counts.written for top in counts.written[name].totals}
    top = next(iter(tops := {top for top in tops if top == top}), np.nan)
    whole = found.assumed and found.step and (top - found.low) % found.step == 0
    if len(tops) == 1 and whole and found.high < top <= found.low + MOST_POINTS * found.step:
        found = replace(found, high=top)
    low = 0.0 if percent else min(map(column_names.lowest_in, roles.columns("human")), default=np.nan)
    if found.assumed and found.step and low < found.low <= low + MOST_POINTS * found.step:
        found = replace(found, low=low) if (found.low - low) % found.step == 0 else found
    return replace(found, ordered=False) if settings.data.unordered else found


def on_one_scale(accounts: Sequence[AccountType], settings: Settings) -> tuple[AccountType, ...]:
    """Return the accounts of one file's systems with a common scale, if each scale was inferred from the scores."""
    scales = [account.scale for account in accounts]
    if len(set(scales)) == 1 or not all(each.assumed for each in scales) or len({each.step for each in scales}) > 1:
        return tuple(accounts)
    one = replace(scales[0], low=min(each.low for each in scales), high=max(each.high for each in scales))
    low, high = scale.trim_bounds(settings.preparation, one)
    return tuple(replace(account, scale=one, trim_min=low, trim_max=high) for account in accounts)


def rescaling_of(settings: Settings) -> tuple[Literal["none", "asis", "training"], Training | None]:
    """Return how system scores are rescaled, and the training moments."""
    given = settings.preparation.scale_with
    if given is None:
        return "none", None
    if given == "asis":
        return "asis", None
    return "training", UNCHANGED if given == "raw" else read_training(given)


HUMAN, PREDICTION = "sc1", "prediction"

SMALLEST_SD = 1e-6
"""A smaller standard deviation counts as 0: dividing by it would produce numbers too large to represent."""

UNCHANGED = Training(0.0, 1.0, 0.0, 1.0)
"""Rescaling without effect: with scale_with "raw", the given scores appear under two names, as in RSMTool."""


def read_training(path: str | Path) -> Training:
    """Return the mean and standard deviation (n - 1) of the scores and predictions in a training file."""
    with about(f"scale_with: '{path}'"):
        reader = open_reader(path)
        names = list(reader.head.schema.names)
        for column in (HUMAN, PREDICTION):
            if column not in names:
                raise InputError(f"a training file needs the column '{column}'{did_you_mean(column, names)}")
        table = reader.load([HUMAN, PREDICTION])
        human, prediction = (_moments(as_numbers(table[name], name), name) for name in (HUMAN, PREDICTION))
    return Training(*prediction, *human)


def _moments(values: Floats, name: str) -> tuple[float, float]:
    values = values[~np.isnan(values)]
    if values.size > 1 and np.abs(values).max() <= LARGEST and (sd := float(values.std(ddof=1))) >= SMALLEST_SD:
        return float(values.mean()), sd
    text = f"column '{name}' needs numbers within {LARGEST:,.0f} of 0, with a standard deviation "
    raise InputError(f"{text}of at least {SMALLEST_SD:f}.")


MANY_SCORES = 6  # two columns do not share this many distinct scores by chance in a few responses

LEAST_SHARED = {2: 200, 3: 30, 4: 30, 5: 30, MANY_SCORES: 10}
"""Distinct scores -> equal responses required: raters who agree on 97% of two categories, or 85% of a few scores, give
the same scores to this many responses in fewer than 1% of files.
"""

LEAST_OTHERS = 10
"""One in this many responses must have a score other than the most common score, which is weak evidence."""


class SharedScores(NamedTuple):
    """Two score columns in responses that have both: n, whether always equal, and the counts of the lowest scores."""

    n: int = 0
    equal: bool = True
    scores: tuple[tuple[float, int], ...] = ()

    @classmethod
    def of(cls, a: Floats, b: Floats) -> SharedScores:
        """Compare two columns of one table, each of shape (n,), NaN if missing."""
        shared = ~np.isnan(a) & ~np.isnan(b)
        n, both = int(shared.sum()), a[shared]
        if not n or not np.array_equal(both, b[shared]):
            return cls(n, n == 0)
        scores, times = np.unique(both, return_counts=True)
        return cls(n, True, tuple(zip(scores[:MANY_SCORES].tolist(), times[:MANY_SCORES].tolist(), strict=True)))

    def with_more(self, other: SharedScores) -> SharedScores:
        """Return the comparison over two tables."""
        times = Counter(dict(self.scores)) + Counter(dict(other.scores))
        return SharedScores(self.n + other.n, self.equal and other.equal, tuple(sorted(times.items())[:MANY_SCORES]))

    @property
    def doubtful(self) -> bool:
        """Whether both are probably one column; a constant score does not count as evidence."""
        if not self.equal or len(self.scores) < 2:
            return False
        least = LEAST_SHARED[len(self.scores)]
        return self.n >= least and (self.n - max(times for _, times in self.scores)) * LEAST_OTHERS >= least


def shared_scores(names: Sequence[str], scores: Sequence[Floats]) -> dict[tuple[str, str], SharedScores]:
    """Compare each two score columns, system first, (n,) each, in the responses that have both."""
    pairs = zip(combinations(names, 2), combinations(scores, 2), strict=True)
    return {pair: SharedScores.of(*columns) for pair, columns in pairs}


def notes_on_copies(shared: Mapping[tuple[str, str], SharedScores]) -> list[str]:
    """Return a sentence for each pair of columns that are equal in all responses that have both scores.

    >>> engine = np.arange(12.0)
    >>> notes_on_copies(shared_scores(["engine", "h1", "h2"], [engine, engine, engine + 1]))
    ["The scores of 'engine' and 'h1' are identical in all 12 responses that have both; one may be a copy."]
    """
    return [
        f"The scores of '{first}' and '{second}' are identical in all {found.n:,} responses that have both; "
        "one may be a copy."
        for (first, second), found in shared.items()
        if found.doubtful
    ]
