"""Writing files so that a failure destroys nothing."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import BinaryIO

from frugaltree.exceptions import FrugaltreeError, MissingFile


def check_place(path: str | os.PathLike[str], what: str) -> Path:
    """Return where a path leads, if a file may be there.

    Examples
    --------
    >>> check_place("no/such/folder/model.json", "the model")
    Traceback (most recent call last):
    frugaltree.exceptions.MissingFile: the folder ...folder does not exist; create it to save the
    model in it.
    """
    path = Path(path).resolve()
    try:
        if path.is_dir():
            raise FrugaltreeError(f"{path} is a folder; add a file name to save {what} in it.")
        if path.exists() and not path.is_file():
            raise FrugaltreeError(f"{path} is not an ordinary file; choose another for {what}.")
        if not path.parent.is_dir():
            raise MissingFile(
                f"the folder {path.parent} does not exist; create it to save {what} in it."
            )
    except PermissionError as error:
        raise _refused(path, what, error) from error
    return path


def write_at_once(path: str | os.PathLike[str], content: bytes, what: str) -> None:
    """Write a file whole: whoever reads it meanwhile sees the old one or the new one.

    What a link points to is replaced, not the link, and the file keeps its rights. ``what`` names
    the content in messages, such as ``"the model"``.
    """
    with replacing(path, what) as file:
        file.write(content)


@contextmanager
def replacing(
    path: str | os.PathLike[str], what: str, *, alone: bool = False
) -> Iterator[BinaryIO]:
    """Open a draft that takes the place of a file once it is written without an error.

    Who is killed leaves a draft, perhaps a large one. The next who writes there ``alone``, with
    nobody else about to, removes it.
    """
    path = check_place(path, what)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        if alone:
            for left in path.parent.glob(f".{escape(path.name)}.{'?' * 32}.tmp"):
                left.unlink(missing_ok=True)
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except OSError as error:
        if alone and isinstance(error, FileNotFoundError) and path.parent.is_dir():
            error.strerror = "another one writes there"
        raise _refused(path, what, error) from error
    finally:
        draft.unlink(missing_ok=True)


def _refused(path: Path, what: str, error: OSError) -> FrugaltreeError:
    return FrugaltreeError(
        f"{what} cannot be written to {path} ({error.strerror or error}); free the place or "
        "choose another."
    )
