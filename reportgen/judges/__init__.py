"""Readers of LLM judge output files."""
