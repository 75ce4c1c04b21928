"""Run reportgen from the command line."""
