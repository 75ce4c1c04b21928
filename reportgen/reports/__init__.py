"""Create each kind of report, with the same functions for the command line and for Python."""
