"""Put machine code into a wheel, where it was compiled beforehand (``make wheel``)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface[Any]):
    """Adds the folder that ``tools/compile_kernels.py`` has filled; without one, nothing."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Tell what the wheel holds, and where it can be installed."""
        folder = os.environ.get("FRUGALTREE_COMPILED")
        if folder and version != "editable":
            build_data["force_include"][str(Path(folder, "compiled"))] = (
                "frugaltree/kernels/compiled"
            )
            build_data["pure_python"] = False
            build_data["tag"] = Path(folder, "tag").read_text().strip()
