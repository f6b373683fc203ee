"""``frugaltree warm-up``: compile before anybody waits."""

from __future__ import annotations

import json
import time

from rich.console import Console


def run(console: Console, learners: str | None, jobs: int | None, *, as_json: bool) -> None:
    """Compile the kernels of some learners, or of all, and say how it went."""
    progress = Console(stderr=True)
    with progress.status("Loading"):
        from frugaltree import warm_up
        from frugaltree.kernels.code_store import machine_roots, shipped_folder, writable_folder
    start = time.perf_counter()
    chosen = None if learners is None else [key.strip() for key in learners.split(",")]
    n = warm_up(chosen, n_jobs=jobs, verbose=0 if as_json else 1)
    seconds, folder = time.perf_counter() - start, writable_folder()
    if as_json:
        kept = None if folder is None else str(folder)
        print(json.dumps({"compiled": n, "seconds": round(seconds, 1), "folder": kept}))
        return
    if not n:
        where = "came with the package" if shipped_folder() else "is there already"
        said = f"Nothing to compile: all machine code {where}."
    elif folder is None:
        roots = " and ".join(map(str, machine_roots()))
        said = (
            f"{n} kernels were compiled, but cannot be kept: {roots} cannot be written to; set "
            "FRUGALTREE_CACHE_DIR to a folder that can."
        )
    else:
        said = f"{n} kernels compiled in {seconds:.0f} s; they are kept in {folder.parent}."
    console.print(said, highlight=False, markup=False, soft_wrap=True)
