"""From scores and settings to an evaluation: every table, with intervals."""
