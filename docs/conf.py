"""Sphinx makes the site of what lies here: ``make docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

project = "frugaltree"
author = "The frugaltree developers"
copyright = "The frugaltree developers"
version = release = re.search(
    r'"(.+)"', (HERE.parent / "src/frugaltree/_version.py").read_text("utf-8")
).group(1)

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "tools.site",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_generated/*.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
python_use_unqualified_type_names = True

PUBLIC = "compare|consult|datasets|exceptions|export|metrics|persist|plots|report|tradeoff"

# Nothing is fetched: what lies outside of this site is text, not a link.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!frugaltree).*"),
    ("py:.*", rf"frugaltree\.(?!({PUBLIC})\.\w+$)\w+\..*"),  # for developers
]
suppress_warnings = ["myst.header"]  # pages of the study that are also parts of another one

html_theme = "pydata_sphinx_theme"
html_title = "frugaltree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_generated/live"]
(HERE / "_generated/live").mkdir(parents=True, exist_ok=True)
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
ALONE = ["index", "install", "first-tree", "live", "faq", "glossary", "changelog"]
html_sidebars = {name: [] for name in [*ALONE, "evidence", "speed", "fuzz"]}
toc_object_entries_show_parents = "hide"
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "use_edit_page_button": False,
}
