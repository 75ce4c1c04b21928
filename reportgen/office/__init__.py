"""Tables and figures as files for a paper."""
