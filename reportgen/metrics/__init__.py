"""Statistics of agreement, accuracy, group differences and true scores.

Each function takes plain arrays (NaN is missing) and returns a number or a small named result; its
docstring gives formula, shapes, range, degenerate cases and source.  `METRICS` is the catalogue of
what reports print.  The formulas themselves, on sums of many slices at once, are in
`reportgen.metrics.pair`, `tables`, `true_score`, and `chance_corrected`.

>>> round(quadratic_weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3]), 3)
0.875
"""

from reportgen.metrics.alternative_annotators import AlternativeAnnotatorTest, alternative_annotator_test
from reportgen.metrics.calibrated_means import CalibratedMean, calibrated_mean
from reportgen.metrics.catalogue import METRICS, Metric, Transform
from reportgen.metrics.chance_corrected import (
    Coefficient,
    brennan_prediger,
    cohen_kappa,
    cohen_kappa_gradient,
    cohen_kappa_of_tables,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    scott_pi,
)
from reportgen.metrics.double_scoring import (
    double_scores_for_half_width,
    double_scores_for_power,
    double_scores_for_threshold,
    prmse_half_width,
    prmse_power,
    prmse_standard_error,
)
from reportgen.metrics.given_true_score import (
    CovariateAssociation,
    GroupDifferences,
    association_given_true_score,
    group_differences_given_true_score,
    minimum_detectable_difference,
)
from reportgen.metrics.krippendorff import krippendorff_alpha
from reportgen.metrics.many_groups import Shrunken, benjamini_hochberg, holm, shrunken_differences
from reportgen.metrics.pair import PairStatistic
from reportgen.metrics.proportional_reduction import (
    PrmseComponents,
    TrueScore,
    prmse,
    prmse_components,
    rater_error_variance,
    true_score_variance,
)
from reportgen.metrics.raters import (
    PairedTest,
    RaterDrift,
    RaterHabits,
    RaterProfiles,
    RaterSeverity,
    UnlikeRater,
    correlation_difference,
    paired_mean_difference,
    pitman_morgan,
    rater_drift,
    rater_habits,
    rater_profiles,
    rater_severity,
    unlike_raters,
)
from reportgen.metrics.reliability import (
    CronbachAlpha,
    Generalizability,
    IntraclassCorrelation,
    RunVariance,
    cronbach_alpha,
    generalizability,
    intraclass_correlation,
    prmse_of_mean_of_runs,
    run_variance,
    spearman_brown,
)
from reportgen.metrics.reported_scores import expected_true_scores, required_prmse, standardized_disagreements
from reportgen.metrics.tables import (
    CategoryValue,
    LabelAgreement,
    TableStatistic,
    TwoCategories,
    balanced_accuracy,
    f1_score,
    label_agreement,
    matthews_correlation,
    negative_predictive_value,
    positive_predictive_value,
    sensitivity,
    specific_agreement,
    specificity,
    two_categories,
    wilson_interval,
)
from reportgen.metrics.traits import (
    AddedValue,
    TraitCorrelations,
    added_value,
    composite_prmse,
    rater_error_covariance,
    trait_correlations,
)
from reportgen.metrics.two_scores import (
    Population,
    difference_of_standardized_means,
    exact_agreement,
    kendall_tau_b,
    macro_averaged_rmse,
    mean_absolute_error,
    mean_squared_error,
    pearson_r,
    percent_agreement,
    quadratic_weighted_kappa,
    r_squared,
    root_mean_squared_error,
    scorer,
    spearman_rho,
    standardized_mean_difference,
)

__all__ = [
    "METRICS", "AddedValue", "AlternativeAnnotatorTest", "CalibratedMean", "CategoryValue", "Coefficient",
    "CovariateAssociation", "CronbachAlpha", "Generalizability", "GroupDifferences", "IntraclassCorrelation",
    "LabelAgreement", "Metric", "PairStatistic", "PairedTest", "Population", "PrmseComponents", "RaterDrift",
    "RaterHabits", "RaterProfiles", "RaterSeverity", "RunVariance", "Shrunken", "TableStatistic", "TraitCorrelations",
    "Transform", "TrueScore", "TwoCategories", "UnlikeRater", "added_value", "alternative_annotator_test",
    "association_given_true_score", "balanced_accuracy", "benjamini_hochberg", "brennan_prediger", "calibrated_mean",
    "cohen_kappa", "cohen_kappa_gradient", "cohen_kappa_of_tables", "composite_prmse", "conger_kappa",
    "correlation_difference", "cronbach_alpha", "difference_of_standardized_means", "double_scores_for_half_width",
    "double_scores_for_power", "double_scores_for_threshold", "exact_agreement", "expected_true_scores", "f1_score",
    "fleiss_kappa", "generalizability", "group_differences_given_true_score", "gwet_ac", "holm",
    "intraclass_correlation", "kendall_tau_b", "krippendorff_alpha", "label_agreement", "macro_averaged_rmse",
    "matthews_correlation", "mean_absolute_error", "mean_squared_error", "minimum_detectable_difference",
    "negative_predictive_value", "paired_mean_difference", "pearson_r", "percent_agreement", "pitman_morgan",
    "positive_predictive_value", "prmse", "prmse_components", "prmse_half_width", "prmse_of_mean_of_runs",
    "prmse_power", "prmse_standard_error", "quadratic_weighted_kappa", "r_squared", "rater_drift",
    "rater_error_covariance", "rater_error_variance", "rater_habits", "rater_profiles", "rater_severity",
    "required_prmse", "root_mean_squared_error", "run_variance", "scorer", "scott_pi", "sensitivity",
    "shrunken_differences", "spearman_brown", "spearman_rho", "specific_agreement", "specificity",
    "standardized_disagreements", "standardized_mean_difference", "trait_correlations", "true_score_variance",
    "two_categories", "unlike_raters", "wilson_interval",
]  # fmt: skip
