"""Compare the calibration of a mixed test with an independent package, if it is installed (pip install mirt)."""

import numpy as np
import pytest

from reportgen.item_response import calibrate
from reportgen.studies.score_impact.forms import synthetic_test

mirt = pytest.importorskip("mirt")


def test_calibration_matches_mirt() -> None:
    test = synthetic_test(np.random.default_rng([21, 7]), 4000, 400)
    found = calibrate(test.scores, test.most)
    families = ["2PL" if most == 1 else "GPCM" for most in test.most]
    fitted = mirt.fit_mirt(
        test.scores, model=families, n_categories=[most + 1 for most in test.most], n_quadpts=41, tol=1e-6,
        compute_standard_errors=False,
    ).model.parameters  # fmt: skip
    binary = [item for item in found.items if item.most == 1]
    partial = [item for item in found.items if item.most > 1]
    np.testing.assert_allclose([item.slope for item in binary], np.ravel(fitted["2PL.discrimination"]), atol=0.002)
    np.testing.assert_allclose([item.steps[0] for item in binary], np.ravel(fitted["2PL.difficulty"]), atol=0.002)
    np.testing.assert_allclose([item.slope for item in partial], np.ravel(fitted["GPCM.discrimination"]), atol=0.002)
    for item, steps in zip(partial, np.asarray(fitted["GPCM.steps"]), strict=True):
        np.testing.assert_allclose(item.steps, steps[: item.most], atol=0.002)
