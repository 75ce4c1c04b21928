"""Evaluation reports for automated scoring engines."""
