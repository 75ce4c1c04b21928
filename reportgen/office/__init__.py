"""Write tables and figures as files for a paper."""
