"""One estimand has one interval, or says whose it is: Phi and ICC(A,1) of raters drawn at random."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.sections import Term


@pytest.mark.parametrize(("share", "same"), [(1.0, True), (0.5, False)])
def test_one_estimand_has_one_interval_or_two_labels(share: float, same: bool) -> None:
    """Phi of one rating is ICC(A,1) where every rater rated everything: for raters drawn at random, both."""
    rng = np.random.default_rng(6)
    true, severity = rng.normal(3, 1, 200), np.array([-0.4, 0.0, 0.4])
    ratings = np.clip(np.rint(true[:, None] + severity + rng.normal(0, 0.6, (200, 3))), 1, 6)
    ratings[rng.random(200) >= share, 2] = np.nan
    frame = pd.DataFrame(dict(zip(("h1", "h2", "h3"), ratings.T, strict=True)) | {"engine": true})
    found = reportgen.evaluate(frame, system="engine", scale="1:6", sections=[]).evaluation
    icc, phi = (found.estimates[f"reliability.{key}"] for key in ("icc_a1", "dependability"))
    assert ((icc.low, icc.high) == (phi.low, phi.high)) is same
    note = found.tables["reliability.more_ratings"].notes[0]
    assert note == Term("phi_of_raters", sampled=same)
