"""Word documents, and tables and figures as files for a paper."""
