"""Which machine code runs here: the processor, and what else it must fit.

Wheels carry machine code for a few *levels* of processors, each defined by features that it may
use. Code compiled on this machine may use whatever this processor has.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba

X86_64_V2 = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
X86_64_V3 = X86_64_V2 | {
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave",
}  # fmt: skip


class Level(NamedTuple):
    """A kind of processor that machine code is made for.

    Attributes
    ----------
    name
        What LLVM calls it.
    machine, system
        The architecture, and the system if it is that of one only.
    needs
        The features that a processor must have, as LLVM names them.
    """

    name: str
    machine: str
    system: str = ""
    needs: frozenset[str] = frozenset()


LEVELS = (
    Level("x86-64-v3", "x86_64", needs=X86_64_V3),
    Level("x86-64-v2", "x86_64", needs=X86_64_V2),
    Level("apple-m1", "arm64", system="Darwin"),
    Level("generic", "arm64", needs=frozenset({"neon"})),
)
"""What wheels carry machine code for, the best of an architecture first."""


def machine_name(name: str) -> str:
    """Return one name for an architecture, whatever the system calls it.

    >>> machine_name("AMD64"), machine_name("aarch64")
    ('x86_64', 'arm64')
    """
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(name.lower(), name.lower())


def levels_here() -> list[Level]:
    """Return the levels of this architecture and system, the best first."""
    machine, system = machine_name(platform.machine()), platform.system()
    levels = [level for level in LEVELS if level.machine == machine]
    own = [level for level in levels if level.system == system]
    return own or [level for level in levels if not level.system]


@cache
def features_here() -> frozenset[str]:
    """Return the features of this processor, as LLVM names them."""
    try:
        return frozenset(name for name, has in llvm.get_host_cpu_features().items() if has)
    except RuntimeError:  # LLVM cannot tell
        return frozenset()


def usable_levels(features: Collection[str] | None = None) -> list[str]:
    """Return the names of the levels whose code a processor can run, the best first.

    Parameters
    ----------
    features
        What the processor has, this one's by default.

    Examples
    --------
    >>> usable_levels(()) in ([], ["apple-m1"])
    True
    """
    found = features_here() if features is None else features
    return [level.name for level in levels_here() if level.needs <= frozenset(found)]


@cache
def sources_digest() -> str:
    """Return a digest of every kernel source file."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def code_key() -> dict[str, str]:
    """Return what machine code must agree with, the processor excepted.

    The sources of all kernels, Numba and what it was told, Python, and the system.
    """
    told = {
        name: getattr(numba.config, name, None)
        for name in ("BOUNDSCHECK", "OPT", "USING_SVML", "DEBUG_INFO_DEFAULT", "ENABLE_PROFILING")
    }
    return {
        "sources": sources_digest(),
        "numba": numba.__version__,
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "options": repr(sorted(told.items())),
        "python": f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}",
        "system": llvm.get_process_triple(),
    }


def processor_key() -> dict[str, str]:
    """Return for which processor Numba compiles now."""
    config: Any = numba.config
    name, features = config.CPU_NAME, config.CPU_FEATURES
    return {
        "processor": llvm.get_host_cpu_name() if name is None else str(name),
        "features": ",".join(sorted(features_here())) if features is None else str(features),
    }
