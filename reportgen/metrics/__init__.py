"""Statistics of agreement, accuracy, group differences, and true scores.

Each function takes plain arrays and returns a number or a small named result. Its docstring includes the formula, the
range, degenerate cases, and the source. `METRICS` lists the statistics of reports. The formulas for the sums of many
slices are in `reportgen.metrics.pair`, `tables`, `true_score`, and `chance_corrected`.

Common parameters, which functions do not describe again:

* `human`, `system`, `first`, `second`: (n,) scores or labels. NaN and masked values are missing, and pairs with a
  missing score are dropped.
* `ratings`, `runs`: (n, raters) or (n, runs) scores or labels, NaN if missing.
* `raters`: the integer code of the rater of each rating, from 0; negative if unknown.
* `categories`, `weights`: see `cohen_kappa`, and `two_categories` for two categories.
* `sample_weight`: (n,) how often each response counts, 0 or more; default: 1. Integer weights repeat rows.
* `error_variance`: the variance of one rater's error; estimated from the data by default.
* `prmse`, `human_r`, `double_scored`, `n`: see `prmse_standard_error`.
* `level`: the coverage of intervals, between 0 and 1.

Functions raise `ValueError`, which names the argument, if lengths or shapes differ, a score is infinite, a label is not
one of the categories, or an argument is out of range.

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
