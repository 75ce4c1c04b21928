"""How Sphinx makes the site: Markdown as it stands, no request to any other host."""

project = "reportgen"
author = "the authors of reportgen"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "reportgen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
templates_path: list[str] = []
myst_heading_anchors = 4

suppress_warnings = [
    "myst.header",  # the API pages start their headings where the docstring stands
    "misc.highlighting_failure",  # shortened JSON and templates are shown as plain text
]
