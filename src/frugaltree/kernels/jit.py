"""The decorators of kernels and their parts.

Numba's own cache has traps, each with a test in ``tests/kernels/test_jit.py``:

* it stamps a cached kernel with its *own* file only, so an edited helper in another file would
  go unnoticed and the old machine code would run;
* it is unpickled before its stamp is looked at, which fails where another version has written it
  and a class has moved since, or where it is damaged;
* where no cache folder is writable it refuses to define the function at all;
* code for one processor is not found on another, even if that could run it;
* recursion crashes a cached kernel on its second run, so no kernel recurses.

So machine code is kept by :mod:`frugaltree.kernels.code_store` instead.

And Numba's compiler optimises a function once alone and again within each function that calls it,
directly or not, and makes machine code of it every time. Here a part is optimised and made into
machine code only as a piece of the kernels that use it: a quarter less to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite.binding import Linkage, parse_assembly
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import CPUDispatcher

from frugaltree.kernels.code_store import KernelCode, arguments_of

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Kernels allocate nothing, so no references need counting: a quarter less to compile."""

Arguments = tuple[Any, ...]
"""The types of a kernel's arguments."""

_recorded: set[tuple[Any, Arguments]] | None = None
"""While calls are recorded, the kernels called, with their arguments."""

_before_compiling: list[Callable[[], None]] = []
"""What is to be done before a kernel is compiled; the last counts."""


class Kernel(CPUDispatcher):
    """A function that Python calls: compiled on first use, its machine code kept.

    ``.py_func`` runs the same code interpreted.
    """

    _cache: KernelCode

    def __call__(self, *args: Any) -> Any:
        """Run the kernel, which compiles it or loads its code if need be."""
        if _recorded is not None:
            _recorded.add((self, tuple(map(numba.typeof, args))))
            return self.py_func(*args)
        return super().__call__(*args)

    def is_at_hand(self, arguments: Arguments) -> bool:
        """Tell whether there is machine code for arguments of these types."""
        return arguments in self.overloads or self._cache.find(arguments)

    def compile(self, sig: Any) -> Any:
        """Load the machine code for a signature, or compile it, once for all processes."""
        arguments = arguments_of(sig)
        if self.is_at_hand(arguments):
            return super().compile(sig)
        if _before_compiling:
            _before_compiling[-1]()
        with self._cache.lock(arguments):
            return super().compile(sig)

    def run_at_hand(self, *args: Any) -> Any:
        """Run machine code if it is at hand, else interpreted: nobody waits for a compiler.

        For what takes no longer interpreted than compiling would.
        """
        if (
            self.overloads
            or _recorded is not None
            or self.is_at_hand(tuple(map(numba.typeof, args)))
        ):
            return self(*args)
        return self.py_func(*args)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on first use, without the GIL, kept between processes.

    For kernels that Python calls. They take arrays and scalars, write into arrays, never raise
    and never recurse.
    """
    if not _compiles():
        return _interpreted(function)
    dispatcher = numba.njit(pipeline_class=_KernelCompiler, **OPTIONS)(function)
    dispatcher.__class__ = Kernel
    dispatcher._cache = KernelCode(function)
    return dispatcher


def is_recording() -> bool:
    """Tell whether kernels run interpreted, and calls are recorded."""
    return _recorded is not None


@contextmanager
def recording() -> Iterator[set[tuple[Kernel, Arguments]]]:
    """Run kernels interpreted, and record which are called with what."""
    global _recorded
    before, _recorded = _recorded, set()
    try:
        yield _recorded
    finally:
        _recorded = before


@contextmanager
def before_compiling(action: Callable[[], None]) -> Iterator[None]:
    """Do something before any kernel is compiled, such as compiling several at once."""
    _before_compiling.append(action)
    try:
        yield
    finally:
        _before_compiling.remove(action)


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

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return the machine code, and the names of what is in it.

        Numba adds the code before compiling, so that other functions may link it in: for a kernel
        that is never done, and would take three times the room.
        """
        self._ensure_finalized()
        names = [
            function.name
            for function in self._final_module.functions
            if function.linkage == Linkage.external and not function.is_declaration
        ]
        stubs = "".join(f'define void @"{name}"() {{ ret void }}\n' for name in names)
        return (
            self.name,
            "object",
            (self._get_compiled_object(), parse_assembly(stubs).as_bitcode()),
        )


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
    dispatcher: Any = numba.njit(inline="always", **OPTIONS)(function)
    dispatcher.__class__ = _Part
    return dispatcher


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
    function.py_func = function.run_at_hand = function  # type: ignore[attr-defined]
    return function
