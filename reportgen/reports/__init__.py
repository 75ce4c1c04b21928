"""What reportgen does: one module for each kind of report, the same functions for the command line and for Python."""
