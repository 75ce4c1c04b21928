"""Statistics of agreement, accuracy, group differences and true scores.

Each function takes plain arrays and returns a number or a small named result.  Its docstring gives the formula, the
range, degenerate cases and the source.  `METRICS` is the catalogue of what reports print.  The formulas themselves,
on sums of many slices at once, are in `reportgen.metrics.pair`, `tables`, `true_score`, and `chance_corrected`.

Parameters that a function does not describe mean the same in all of them:

* `human`, `system`, `first`, `second`: (n,) scores or labels.  NaN or a mask is a missing one, and a pair with a
  missing side is dropped.
* `ratings`, `runs`: (n, raters) or (n, runs) scores or labels, NaN where there is none.
* `raters`: the integer code of who gave each rating, 0 up; negative where nobody is named.
* `categories`, `weights`: as for `cohen_kappa`, and of two categories as for `two_categories`.
* `sample_weight`: (n,) how often each response counts, 0 or more; once by default.  Integer weights repeat rows.
* `error_variance`: the variance of one rater's error where it is known from elsewhere; else it is estimated.
* `prmse`, `human_r`, `double_scored`, `n`: as for `prmse_half_width`.
* `level`: the coverage of intervals, between 0 and 1.

A function raises `ValueError`, which names the argument, when lengths or shapes do not fit, a score is infinite, a
label is not among the categories, or another argument is out of its range.

>>> round(quadratic_weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3]), 3)
0.875
"""

import types

from reportgen.metrics.alternative_annotators import *
from reportgen.metrics.calibrated_means import *
from reportgen.metrics.catalogue import *
from reportgen.metrics.chance_corrected import *
from reportgen.metrics.double_scoring import *
from reportgen.metrics.given_true_score import *
from reportgen.metrics.krippendorff import *
from reportgen.metrics.many_groups import *
from reportgen.metrics.pair import *
from reportgen.metrics.proportional_reduction import *
from reportgen.metrics.raters import *
from reportgen.metrics.reliability import *
from reportgen.metrics.reported_scores import *
from reportgen.metrics.tables import *
from reportgen.metrics.traits import *
from reportgen.metrics.two_scores import *

__all__ = [name for name, held in globals().items() if name[0] != "_" and not isinstance(held, types.ModuleType)]
