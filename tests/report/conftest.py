"""A browser for the page; without Chromium or playwright its tests are skipped."""

from __future__ import annotations

import shutil

import pytest

from frugaltree.report import write_report

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

LOCAL = ("file:", "blob:")
"""Where a page may reach: its own file, and what it makes itself."""


@pytest.fixture(scope="package")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Return what opens a page; whatever goes wrong in it, or leaves it, fails the test."""
    troubles, contexts = [], {}

    def show(model, *data, width=1200, language="en", **more):
        write_report(model, tmp_path / "page.html", *data, **more)
        context = contexts.get(language) or browser.new_context(locale=language)
        contexts[language] = context
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith(LOCAL) or troubles.append(r.url))
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield show
    for context in contexts.values():
        context.close()
    assert troubles == []
