"""The catalogue describes every metric in the vocabulary of the results."""

import inspect
import subprocess
import sys
from math import inf

from reportgen import metrics


def test_metrics_are_described() -> None:
    for key, metric in metrics.METRICS.items():
        assert metric.key == key
        assert metric.misnamed() == "", key
        assert metric.range[0] < metric.range[1], key
        assert not metric.label, "its name is in the vocabulary"
        assert metric.formula, key
        assert metric.source, key


def test_transforms_match_ranges() -> None:
    """A transform maps the range to the real line, so intervals stay in the range."""
    for metric in metrics.METRICS.values():
        positive = dict.fromkeys(("log", "variance"), (0, inf))
        ends = positive | {"fisher": (-1, 1), "log1m": (-inf, 1), "wilson": (0, 100), "logit": (0, 1)}
        if metric.transform != "none":
            assert metric.range == ends[metric.transform], metric.key


def test_every_public_name_is_documented_with_a_source() -> None:
    for name in metrics.__all__:
        if name.islower() and not name.startswith("cohen_kappa_"):
            text = inspect.getdoc(getattr(metrics, name)) or ""
            for part in ("Result: ", "Source: ", "Examples\n---"):
                assert part in text, (name, part)


def test_import_of_metrics_loads_no_scipy() -> None:
    """scipy and pandas are imported only when they are needed."""
    code = "import sys, reportgen.metrics; print('scipy' in sys.modules, 'pandas' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False", "False"]
