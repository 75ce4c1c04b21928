"""Files in any layout: nobody is taken for somebody else, and no rating is lost without a word; else it is asked."""

import numpy as np
import pytest
from drawn_layouts import DrawnFile, drawn_file
from score_files import Write

from reportgen.errors import InputError, SettingsError
from reportgen.scores import ScoreTable, read_systems

FILES = 520
BATCH = 40

MOST_ASKED = 0.1
"""Share of files of which something may be asked."""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, FILES, BATCH))
def test_any_layout_is_read_for_what_it_is_or_asked_about(write: Write, first: int) -> None:
    asked = 0
    for seed in range(first, first + BATCH):
        file = drawn_file(seed)
        path = write(file.frame.to_csv(index=False), f"drawn{seed}.csv")
        try:
            tables = read_systems(path)
        except (InputError, SettingsError):  # what leaves with exit code 2
            asked += 1
            continue
        for table in tables:
            refuse_wrong(file, table, seed)
    assert asked <= MOST_ASKED * BATCH


def refuse_wrong(file: DrawnFile, table: ScoreTable, seed: int) -> None:
    """Fail where a machine is among the people, a person among the systems, or a rating is gone."""
    names = set(table.rater_ids.names if table.rater_ids else table.columns("human"))
    people = {"score"} if file.long and names == {"score"} else set(file.people)  # one rater: a row for each response
    assert names == people, seed
    assert len(names) == len(file.people), seed
    assert set(table.systems) <= set(file.engines), seed
    assert table.ids is not None, seed
    given = sum(len(file.ratings[response]) for response in table.ids.to_pylist())
    assert np.isfinite(table.human).sum() == given, seed
    assert table.kept + sum(out.n for out in table.exclusions) == table.read, seed
