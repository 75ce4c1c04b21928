"""Every statistic that a criterion can be about has a name that can be read."""

from __future__ import annotations

import numpy as np
import pandas as pd

import reportgen
from reportgen.policies import Criterion
from reportgen.policies.models import name_of


def test_every_statistic_of_a_judge_with_runs_and_raters_has_a_name() -> None:
    rng = np.random.default_rng(3)
    true = rng.normal(3.5, 1, 300)
    columns = {f"human{k}": np.clip(np.rint(true + rng.normal(0, 0.5, 300)), 1, 6) for k in (1, 2, 3)}
    columns |= {name: true + rng.normal(0, 0.4, 300) for name in ("system", "system_run2")}
    columns |= {"group": np.array(["a", "b"] * 150), "words": rng.integers(50, 500, 300)}
    found = reportgen.evaluate(pd.DataFrame(columns), scale="1:6", length="words", runs=["system_run2"]).evaluation
    assert "judges.advantage" in found.estimates
    named = {key: Criterion.model_construct(statistic=key).name for key in found.estimates}
    assert [key for key, name in named.items() if name == key] == []
    assert all(name[:1].isupper() for name in named.values())


def test_a_statistic_of_an_own_section_is_called_by_the_end_of_its_key() -> None:
    assert name_of("own.hours_saved") == "Hours saved"
    assert Criterion(statistic="judges.advantage", low=0.5).short_name == "Average advantage probability over raters"
