"""Group columns with special names or a single level."""

from functools import partial

import pandas as pd
from simulated import evaluation_of, framed, simulated

from report_sections.group_differences import GroupDifferences
from report_sections.lookup import group_checks
from reportgen.results import Estimate
from reportgen.testing import text_of


def frame(n: int = 400, seed: int = 5) -> pd.DataFrame:
    """Return two raters, an engine and two groups."""
    scores = simulated(n, seed, noise=0.4)
    sex = scores.rng.choice(["f", "m"], n)
    place = scores.rng.choice(["town", "village", "farm"], n, p=[0.5, 0.3, 0.2])
    return framed(scores, engine="system", sex=sex, place=place)


evaluated = partial(evaluation_of, system="system", human=["h1", "h2"], scale="1:6")


def test_group_names_like_table_keys_do_not_collide() -> None:
    data = frame()
    names = ["g", "g.csd", "g.means", "g: f", "csd.g"]
    renamed = data.assign(**{column: data["sex"] if place % 2 else data["place"] for place, column in enumerate(names)})
    found = evaluated(renamed, groups=names)
    families = ("by_group", "fairness.explained", "fairness.osa", "fairness.osd", "fairness.csd", "fairness.means")
    keys = [f"{family}.{column}" for family in families for column in names]
    assert set(keys) <= set(found.tables)
    assert len({found.tables[key].file_name for key in keys}) == len(keys)
    assert [len(group_checks(found, column)) for column in names] == [3, 2, 3, 2, 3]
    shown = GroupDifferences().findings(found)
    charts = [chart.key for chart in shown.charts]
    assert len(set(charts)) == len(charts)


def test_single_level_is_not_compared() -> None:
    found = evaluated(frame().assign(one="all the same"), groups=["one", "sex"])
    assert not group_checks(found, "one")
    assert len(group_checks(found, "sex")) == 2
    assert [row.mark for row in found.tables["by_group.one"].rows] == ["overall", ""]
    assert not any(isinstance(cell, Estimate) for cell in found.tables["by_group.one"].column("dsm"))
    assert "fairness.explained.one" not in found.tables
    assert "All responses belong to one group of one, so there is nothing" in text_of(GroupDifferences(), found)


def test_mean_of_fractional_response_is_hidden() -> None:
    found = evaluated(frame(60), groups=["place"], record="any", withhold_small_groups=False)
    cells = [cell for row in found.tables["fairness.means.place"].rows for cell in row.cells[1:]]
    assert None in cells
    assert all(cell.n for cell in cells if isinstance(cell, Estimate))
