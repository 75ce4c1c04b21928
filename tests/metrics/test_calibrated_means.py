"""The calibrated mean is unbiased, covered by its interval, and more precise than the human mean."""

import numpy as np
import pytest

from reportgen.metrics import calibrated_mean


@pytest.mark.parametrize(("noise", "bias"), [(0.3, 1.0), (3.0, -0.5)])
def test_calibrated_mean_interval_covers(noise: float, bias: float) -> None:
    rng = np.random.default_rng(11)
    held, values, shorter = 0, [], []
    for _ in range(600):
        true = rng.normal(3.0, 1.0, 1060)
        human = true + rng.normal(0, 0.5, 1060)
        system = 0.8 * true + bias + rng.normal(0, noise, 1060)
        found = calibrated_mean(system[:60], human[:60], system[60:])
        held += found.low <= 3.0 <= found.high
        values.append(found.value)
        shorter.append(found.standard_error / (human[:60].std(ddof=1) / np.sqrt(60)))
    assert 0.93 < held / 600 < 0.97
    assert np.mean(values) == pytest.approx(3.0, abs=0.02)
    assert np.mean(shorter) < (0.65 if noise < 1 else 1.01)


def test_calibrated_mean_takes_clusters_as_units() -> None:
    rng = np.random.default_rng(12)
    held = alone = 0
    for _ in range(400):
        person = np.repeat(rng.normal(3.0, 1.0, 90), 4)
        human = person + rng.normal(0, 0.3, 360)
        system = person + 0.5 + rng.normal(0, 0.3, 360)
        codes = np.repeat(np.arange(90), 4)
        parts = system[:160], human[:160], system[160:]
        found = calibrated_mean(*parts, clusters=(codes[:160], codes[160:]))
        held += found.low <= 3.0 <= found.high
        plain = calibrated_mean(*parts)
        alone += plain.low <= 3.0 <= plain.high
    assert 0.915 < held / 400 < 0.98
    assert alone / 400 < 0.8


def test_calibrated_mean_with_constant_system_is_human_mean() -> None:
    found = calibrated_mean([2.0, 2.0, 2.0], [1.0, 2.0, 4.0], [2.0, 2.0])
    assert found.value == pytest.approx(7 / 3)
    assert found.slope == 0


def test_undefined_calibrated_mean_has_reason() -> None:
    found = calibrated_mean([1.0, np.nan, 3.0], [1.0, 2.0, 3.0], [2.0, 2.0])
    assert np.isnan(found.value)
    assert found.reason.startswith("2 responses with both scores and 2")
    with pytest.raises(ValueError, match="lengths"):
        calibrated_mean([1.0], [1.0, 2.0], [2.0])
    with pytest.raises(ValueError, match="level"):
        calibrated_mean([1.0], [1.0], [2.0], level=1.0)
    with pytest.raises(ValueError, match="clusters"):
        calibrated_mean([1.0, 2, 3], [1.0, 2, 3], [2.0, 3], clusters=([1], [2]))
    with pytest.raises(ValueError, match="clusters"):
        calibrated_mean([1.0], [1.0], [2.0], clusters=([1, 2], [2]))
