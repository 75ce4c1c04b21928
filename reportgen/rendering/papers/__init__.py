"""Tables and figures for papers, in the style of the APA: as LaTeX, Markdown, Word, and as tables of great_tables."""
