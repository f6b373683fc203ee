"""The page can be used by everybody: axe-core finds nothing serious in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, frontier
from frugaltree.datasets import load, load_costs

pytestmark = pytest.mark.xdist_group("browser")

AXE = "axe-core@4.10.3"

CHECK = """async () => (await axe.run()).violations.map((one) => ({
  id: one.id, impact: one.impact, help: one.help,
  nodes: one.nodes.slice(0, 3).map((node) => node.html),
}))"""


@pytest.fixture(scope="session")
def axe():
    """Return the program that looks for barriers, fetched once by npm."""
    folder = Path(__file__).parents[2] / ".venv" / "npm"
    found = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not found.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("no npm here to fetch axe-core: apt-get install npm")
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "install", "--no-save", "--prefix", str(folder), AXE],
            capture_output=True,
            text=True,
            timeout=180,
        )
        if done.returncode or not found.exists():
            pytest.skip(f"npm cannot fetch axe-core: {done.stderr[-200:]}")
    return found.read_text("utf-8")


@pytest.fixture(scope="module")
def small():
    X, y = load("heart", return_X_y=True)
    errors = {("healthy", "sick"): 900, ("sick", "healthy"): 200}
    costs = load_costs("heart", errors=errors, delayed=False)
    learner = FrugalTreeClassifier(costs, max_steps=60, max_depth=2, random_state=0)
    found = frontier(learner, X, y, folds=2)
    return found.points[-1].estimator, (X, y), {"folds": 2, "frontier": found}


@pytest.fixture(scope="module")
def large():
    X, y = load("krk", return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:8_000]
    costs = Costs(dict.fromkeys(X.columns, 1.0), errors=100)
    return EG2Classifier(costs).fit(X[rows], y[rows]), (), {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_serious_is_found(open_page, axe, request, scheme, size, width):
    model, data, more = request.getfixturevalue(size)
    page = open_page(model, *data, width=width, **more)
    page.emulate_media(color_scheme=scheme)
    page.locator("#consultation .choices button, #consultation form button").first.click()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    if size == "small":
        page.locator('[data-price="class 1"]').fill("-1")
    page.evaluate(axe)
    found = [one for one in page.evaluate(CHECK) if one["impact"] in ("serious", "critical")]
    assert found == []
