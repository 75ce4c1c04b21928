"""Compare runs: changes between two runs, and summaries of any number of runs."""
