"""Where the machine code of kernels is kept between processes.

Code is looked for in the folders of this machine, then in the one that came with the wheel, if
that fits the processor and everything else (:mod:`frugaltree.kernels.processor`). What is found
nowhere is compiled and written to the first of the machine's folders that can be written to.

A file holds a checksum and Numba's own form of a compiled function. It is written whole or not at
all, and one that is damaged, foreign or unreadable counts as missing: it never gives a wrong
result or an error. A lock beside it is held while it is made, so that of several processes that
need the same kernel one compiles it and the others wait.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from frugaltree.kernels.processor import code_key, processor_key, usable_levels

HEAD = b"frugaltree machine code 1\n"
KEY_FILE = "key.json"
SHIPPED = Path(__file__).parent / "compiled"
"""The code that came with the wheel: a folder for each level of processors."""

MOST_FOLDERS = 12
"""So many versions of the code are kept on a machine; the ones not used for longest go."""


def machine_roots() -> list[Path]:
    """Return the folders that may hold code of this machine, the first choice first.

    ``FRUGALTREE_CACHE_DIR``, or Numba's ``NUMBA_CACHE_DIR``, if set; else one beside the kernels,
    which an environment or a container takes along, and one of the user's.
    """
    chosen = os.environ.get("FRUGALTREE_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen) / "frugaltree"]
    beside = Path(__file__).parent / "__pycache__" / "compiled"
    return [beside, user_cache_path("frugaltree") / "compiled"]


@cache
def machine_folders() -> list[Path]:
    """Return the folders for code that fits this process exactly."""
    key = json.dumps({**code_key(), **processor_key()}, sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()[:20]
    return [root / digest for root in machine_roots()]


@cache
def shipped_folder() -> Path | None:
    """Return the folder of shipped code that runs here, if there is one."""
    if not SHIPPED.is_dir():
        return None
    key = code_key()
    for level in usable_levels():
        with suppress(OSError, ValueError):
            if json.loads((SHIPPED / level / KEY_FILE).read_text()) == key:
                return SHIPPED / level
    return None


def file_name(function: str, arguments: tuple[Any, ...]) -> str:
    """Return the name of the file for a kernel and the types of its arguments."""
    digest = hashlib.sha256(str(arguments).encode()).hexdigest()[:16]
    return f"{re.sub(r'[^A-Za-z0-9_.]', '_', function)}-{digest}"


def read_code(path: Path) -> bytes | None:
    """Return what a file holds, None if that is not what was written."""
    try:
        head, digest, content = path.read_bytes().split(b"\n", 2)
    except (OSError, ValueError):
        return None
    whole = head + b"\n" == HEAD and digest.decode(errors="replace") == _digest(content)
    return content if whole else None


def write_code(path: Path, content: bytes) -> None:
    """Write a file whole; whoever reads it meanwhile sees none, or the old one."""
    draft = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
    try:
        draft.write_bytes(HEAD + _digest(content).encode() + b"\n" + content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache
def writable_folder() -> Path | None:
    """Return the first of the machine's folders that can be written to, made if need be."""
    for folder in machine_folders():
        with suppress(OSError):
            new = not folder.is_dir()
            folder.mkdir(parents=True, exist_ok=True)
            trial = folder / f"{uuid4().hex}.tmp"
            trial.touch()
            trial.unlink()
            os.utime(folder)
            if new:
                _forget_oldest(folder.parent)
            return folder
    return None


def _forget_oldest(root: Path) -> None:
    """Remove the folders of versions that were not used for longest."""
    with suppress(OSError):
        folders = sorted(filter(Path.is_dir, root.iterdir()), key=lambda f: f.stat().st_mtime)
        for old in folders[:-MOST_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)


def is_complete(work: str) -> bool:
    """Tell whether everything that some work needs was compiled before."""
    folders = [*machine_folders(), shipped_folder()]
    return any(folder is not None and (folder / f"{work}.complete").exists() for folder in folders)


def mark_complete(work: str) -> None:
    """Note that everything that some work needs is compiled."""
    folder = writable_folder()
    if folder is not None:
        with suppress(OSError):
            (folder / f"{work}.complete").touch()


class KernelCode(_Cache):
    """The kept machine code of one kernel, for Numba's dispatcher."""

    def __init__(self, function: Any) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._found: dict[tuple[Any, ...], bytes] = {}

    @property
    def cache_path(self) -> str | None:
        """The folder that code is written to."""
        folder = writable_folder()
        return None if folder is None else str(folder)

    def find(self, arguments: tuple[Any, ...]) -> bool:
        """Tell whether there is code for arguments of these types."""
        if arguments not in self._found:
            name = file_name(self._name, arguments)
            folders = [*machine_folders(), shipped_folder()]
            codes = (read_code(folder / name) for folder in folders if folder is not None)
            content = next((code for code in codes if code is not None), None)
            if content is not None:
                self._found[arguments] = content
        return arguments in self._found

    @contextmanager
    def lock(self, arguments: tuple[Any, ...], *, wait: bool = True) -> Iterator[bool]:
        """Hold the right to compile for these types; yield whether it was to be had."""
        from filelock import FileLock, Timeout  # imports asyncio, which predictions do not need

        folder = writable_folder()
        if folder is None:
            yield True
            return
        path = folder / f"{file_name(self._name, arguments)}.lock"
        lock = FileLock(path, is_singleton=True)  # who has it may take it again
        try:
            lock.acquire(timeout=-1 if wait else 0)
        except Timeout:
            yield False
            return
        except (OSError, NotImplementedError):  # no locks on this disk
            yield True
            return
        try:
            yield True
        finally:
            lock.release()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, None if there is none."""
        target_context.refresh()
        arguments = arguments_of(sig)
        if not self.find(arguments):
            return None
        try:
            kept = pickle.loads(self._found.pop(arguments))
            found = CompileResult._rebuild(target_context, *kept)
        except Exception:  # unpickling and linking may raise anything
            return None
        return found if found.signature.args == arguments else None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep a compiled function."""
        folder = writable_folder()
        if folder is not None:
            with suppress(OSError):  # a full disk, say
                path = folder / file_name(self._name, arguments_of(sig))
                write_code(path, dumps(cres._reduce()))

    def enable(self) -> None:
        """Do nothing: it always is."""

    def disable(self) -> None:
        """Do nothing, likewise."""

    def flush(self) -> None:
        """Do nothing: code that no longer fits is never found."""


def arguments_of(sig: Any) -> tuple[Any, ...]:
    """Return the types of the arguments of a signature, which may be just these."""
    return tuple(getattr(sig, "args", sig))
