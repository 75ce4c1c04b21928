"""How Sphinx makes the site: Markdown as it stands, the look of the reports, no request to any other host."""

project = "reportgen"
author = "the authors of reportgen"
extensions = ["myst_parser"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.header",  # the API pages start their headings where the docstring stands
    "misc.highlighting_failure",  # shortened JSON and templates are shown as plain text
]

html_theme = "furo"
html_title = "reportgen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "font-stack": "'Source Sans Pro', system-ui, sans-serif",
        "color-foreground-primary": "#1c2530",
        "color-foreground-secondary": "#59636f",
        "color-foreground-muted": "#59636f",
        "color-background-secondary": "#f5f7f9",
        "color-background-border": "#e3e7ec",
        "color-brand-primary": "#143d66",
        "color-brand-content": "#143d66",
        "color-brand-visited": "#143d66",
    },
    "dark_css_variables": {
        "color-foreground-primary": "#e6e9ee",
        "color-foreground-secondary": "#a5aeba",
        "color-foreground-muted": "#a5aeba",
        "color-background-primary": "#151a21",
        "color-background-secondary": "#1c232c",
        "color-background-border": "#323b47",
        "color-brand-primary": "#7fb2e5",
        "color-brand-content": "#7fb2e5",
        "color-brand-visited": "#7fb2e5",
    },
}
