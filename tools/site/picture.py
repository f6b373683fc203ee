"""The picture at the top of the README: ``python -m tools.site.picture`` takes it anew.

It is the page about the heart model as Chromium shows it; what it takes is in the tests' group.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.site import DOCS, live

SIZE = {"width": 1000, "height": 890}


def take(out: Path) -> None:
    """Write a picture of the page's first screen to ``out``."""
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with TemporaryDirectory() as folder, sync_playwright() as play:
        live.make(Path(folder))
        shown = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = shown.new_page(viewport=SIZE, color_scheme="light")
        page.goto((Path(folder) / "heart.html").as_uri())
        page.screenshot(path=out)
        shown.close()


if __name__ == "__main__":
    take(DOCS / "page.png")
