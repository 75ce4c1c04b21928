"""Manage the resources of a run: memory, processes, signals, temporary files, and progress lines."""
