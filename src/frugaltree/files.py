"""Writing files so that a failure destroys nothing."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

from frugaltree.exceptions import FrugaltreeError, MissingFile


def write_at_once(path: str | os.PathLike[str], content: bytes, what: str) -> None:
    """Write a file whole: whoever reads it meanwhile sees the old one or the new one.

    What a link points to is replaced, not the link, and the file keeps its rights. ``what`` names
    the content in messages, such as ``"the model"``.

    Examples
    --------
    >>> write_at_once("no/such/folder/model.json", b"{}", "the model")
    Traceback (most recent call last):
    frugaltree.exceptions.MissingFile: the folder ...folder does not exist; create it to save the
    model in it.
    """
    path = Path(path).resolve()
    if path.is_dir():
        raise FrugaltreeError(f"{path} is a folder; add a file name to save {what} in it.")
    if path.exists() and not path.is_file():
        raise FrugaltreeError(f"{path} is not an ordinary file; choose another for {what}.")
    if not path.parent.is_dir():
        raise MissingFile(
            f"the folder {path.parent} does not exist; create it to save {what} in it."
        )
    draft = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except OSError as error:
        raise FrugaltreeError(
            f"{what} cannot be written to {path} ({error.strerror or error}); free the place or "
            "choose another."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
