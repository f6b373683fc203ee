"""The decorators of kernels and their parts.

Numba's own cache has four traps, each with a test in ``tests/kernels/test_jit.py``:

* it stamps a cached kernel with its *own* file only, so an edited helper in another file would
  go unnoticed and the old machine code would run. Here the stamp is a digest of all kernels;
* it is unpickled before its stamp is looked at, which fails where another version has written it
  and a class has moved since, or where it is damaged. Here it then counts as empty;
* where no cache folder is writable it refuses to define the function at all. Here the kernel is
  then compiled anew in every process instead;
* recursion crashes a cached kernel on its second run, so no kernel recurses.

And its compiler optimises a function once alone and again within each function that calls it,
directly or not, and makes machine code of it every time. Here a part is optimised and made into
machine code only as a piece of the kernels that use it: a quarter less to compile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import CPUDispatcher

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Kernels allocate nothing, so no references need counting: a quarter less to compile."""


@cache
def folder_digest() -> str:
    """Return a digest of every kernel source file."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on first use, without the GIL, cached between processes.

    For kernels that Python calls. They take arrays and scalars, write into arrays, never raise
    and never recurse. ``.py_func`` runs the same code interpreted, which suits a handful of
    numbers better than loading compiled code does.
    """
    if not _compiles():
        return _interpreted(function)
    try:
        dispatcher = numba.njit(cache=True, pipeline_class=_KernelCompiler, **OPTIONS)(function)
    except RuntimeError:  # "cannot cache function": no writable folder anywhere
        return numba.njit(pipeline_class=_KernelCompiler, **OPTIONS)(function)
    _stamp_with_folder(dispatcher)
    return dispatcher


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel, with its parts linked in.

    Numba optimises it three times: function by function, a little, and in full. The first two
    are for counting references, of which kernels have none. Its parts are made private to it, so
    that LLVM may change how they are called: a record of arrays is handed over as hundreds of
    numbers, of which a part uses a few. Without that, ACT takes 1.5 to 2.2 times as long.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _PartLibrary(JITCodeLibrary):
    """The code of a part, to be linked into kernels; by itself it is never run."""

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: only code that raises exceptions asks for its environment."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no machine code."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _KernelCompiler(CompilerBase):
    """Numba's usual compiler, into a library of ours."""

    library: type[JITCodeLibrary] = _KernelLibrary

    def define_pipelines(self) -> list[Any]:
        """Return Numba's usual passes."""
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


class _PartCompiler(_KernelCompiler):
    library = _PartLibrary


class _Part(CPUDispatcher):
    """A compiled function with no door to Python: called from there, it runs interpreted."""

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)


def part(function: Callable[..., Any]) -> Any:
    """Compile ``function`` as a part of the kernels that call it.

    Without a door to Python it compiles a third faster. Called from Python it runs interpreted,
    which is what a test, or a handful of numbers, wants.
    """
    return _closed(function)


def atom(function: Callable[..., Any]) -> Any:
    """Compile ``function`` as a small part, repeated wherever it is called.

    A call hands over every array of every argument, one by one; for a few steps of arithmetic
    that takes longer than the steps.
    """
    return _closed(function, forceinline=True)


def section(function: Callable[..., Any]) -> Any:
    """Paste ``function`` into the kernels that it is a section of, before compiling.

    For the large steps of a kernel, called once in it and written apart to be read. As parts
    they would be optimised once alone and again with everything around them.
    """
    if not _compiles():
        return _interpreted(function)
    return numba.njit(inline="always", **OPTIONS)(function)


def _closed(function: Callable[..., Any], **more: Any) -> Any:
    """Compile ``function`` without a door to Python."""
    if not _compiles():
        return _interpreted(function)
    closed: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    closed["pipeline_class"] = _PartCompiler
    dispatcher: Any = numba.njit(**OPTIONS, **closed, **more)(function)
    dispatcher.__class__ = _Part
    return dispatcher


def _compiles() -> bool:
    return not getattr(numba.config, "DISABLE_JIT", False)


def _interpreted(function: Callable[..., Any]) -> Any:
    function.py_func = function  # type: ignore[attr-defined]
    return function


def _stamp_with_folder(dispatcher: Any) -> None:
    """Make the cached code stale as soon as any kernel file changes."""
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = folder_digest()
        cache_file._load_index = _forgiving(cache_file._load_index, {})
        cache_file.load = _forgiving(cache_file.load, None)


def _forgiving(read: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """Return what reads a cache, and finds nothing in one that cannot be read."""

    def reading(*args: Any) -> Any:
        try:
            return read(*args)
        except Exception:  # unpickling may raise anything
            return nothing

    return reading
