"""Which tests ``make quick`` leaves out: those that run commands, draw many samples or make many pages."""

from pathlib import Path

TESTS = Path(__file__).parent
SLOW = frozenset((
    "test_cli.py", "test_error_sentences.py", "batches", "browser", "cli/test_check_command.py",
    "api/test_impossible_paths.py", "cli/test_cite.py", "cli/test_doors.py", "cli/test_failures.py",
    "cli/test_files_evaluated.py", "cli/test_plan.py", "cli/test_streams.py",
    "comparison/test_comparing.py", "comparison/test_comparison_configurations.py",
    "comparison/test_paired.py",
    "comparison/test_ratings_that_differ.py", "evaluation/test_combinations.py", "evaluation/test_false_alarms.py",
    "evaluation/test_human_raters.py", "evaluation/test_identical_scores.py",
    "evaluation/test_intervals_that_hold.py", "evaluation/test_invariances.py",
    "scores/test_drawn_layouts.py", "scores/test_standing_apart.py", "evaluation/test_panel_and_levels.py",
    "evaluation/test_reported_scores.py", "evaluation/test_true_scores.py", "fuzz",
    "item_response/test_item_response.py", "long_tables", "machine/test_shell_limits.py",
    "machine/test_stopping.py", "metrics/test_repeated_runs.py", "metrics/test_unlike_raters.py", "packet",
    "passes/test_agreement.py", "pdf",
    "passes/test_candidates.py", "passes/test_hostile_sources.py", "passes/test_refusals.py",
    "passes/test_systems_in_batches.py", "plugins/test_customizing.py", "plugins/test_isolation.py",
    "plugins/test_statistics.py", "plugins/test_ten_changes.py",
    "privacy/test_planted_names.py", "privacy/test_private_outputs.py", "privacy/test_slices.py",
    "project/test_action.py", "project/test_pipeline_page.py",
    "project/test_examples.py", "project/test_commands_on_pages.py",
    "project/test_packaging.py", "project/test_readme.py", "project/test_site.py", "project/test_snippets_on_pages.py",
    "reading_lists/test_reading_lists.py", "rendering/test_broken_templates.py", "rendering/test_pages.py",
    "rendering/test_pdf.py", "rendering/test_screen_page.py",
    "rendering/test_stored_results.py", "rendering/test_testing.py", "rendering/test_unshowable.py",
    "rendering/test_word.py", "rendering/test_word_opened.py", "rendering/test_papers.py",
    "verbs/test_export.py", "cli/test_word_and_export.py",
    "report_sections/test_agreement_said.py", "report_sections/test_every_section.py",
    "report_sections/test_raters_said.py", "report_sections/test_spanish_said.py",
    "report_sections/test_studies_said.py",
    "report_sections/test_panel_and_levels_said.py", "reports",
    "rsmtool/test_rsmeval_cases.py", "rsmtool/test_rsmeval_folders.py", "runs", "scores/test_item_scores.py",
    "scores/test_left_out.py", "scores/test_people.py",
    "scores/test_labels.py", "scores/test_traits_read.py", "evaluation/test_traits_together.py",
    "metrics/test_trait_statistics.py",
    "sources/test_databases.py", "sources/test_fetched.py", "sources/test_judge_outputs.py",
    "sources/test_mutated_judge_outputs.py", "sources/test_queries.py", "sources/test_workbooks.py",
    "storing/test_kills.py", "storing/test_replacement.py",
    "storing/test_strange_batches.py", "studies/test_agreement_robustness.py",
    "studies/test_agreement_robustness_in_print.py", "studies/test_prmse_stability.py",
    "studies/test_prmse_stability_in_print.py", "studies/test_rating_completion.py",
    "studies/test_rating_completion_in_print.py", "studies/test_score_impact.py",
    "studies/test_score_impact_in_print.py",
    "tally/test_clusters.py", "tally/test_intervals.py", "verbs", "verdicts/test_verdicts.py",
))  # fmt: skip
"""Files and folders of tests that take more than a second and a half of a processor."""


def is_slow(path: Path) -> bool:
    """Return whether a file or folder is left out."""
    if not path.is_relative_to(TESTS):
        return False
    place = path.relative_to(TESTS)
    return any(each.as_posix() in SLOW for each in (place, *place.parents))
