"""The state of a search in a file, for the next fit to go on from.

A checkpoint is a zip archive. Its first entry says what it is, ``checkpoint.json`` holds the
version, what the search is about and all that is not an array, and each array has an entry of its
own with its bare bytes. Reading one executes nothing. The archive's sizes and checksums tell a
damaged file; its directory comes last, so that a file cut short lacks it. The entry ``seal`` holds
a fingerprint of all the others, so that nothing is taken that was put in or changed later.

Nothing is compressed: level 1 of zlib makes a half-filled table of states some four times smaller,
but takes several times as long to write it, while the search waits.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import FrugaltreeError, InvalidCheckpoint
from frugaltree.files import check_place, replacing

VERSION = 3
"""Version of the format; a later one keeps the mark, and ``version`` in ``checkpoint.json``.

Version 1 had no seal.
"""

MARK, MARK_AT = b"mimetypeapplication/x-frugaltree-checkpoint", 30
"""What every checkpoint has near its start, and where: the name and text of its first entry."""

WHAT = "the checkpoint"
"""What a checkpoint is called in messages."""

CONTENTS = "checkpoint.json"
"""Entry with everything but the arrays."""

SEAL = "seal"
"""Entry with the fingerprint of all others."""

PIECE = 1 << 20
"""Bytes to read or write at once; what was just summed up is still in the processor's cache."""

PLAIN = "biufcmMSU"
"""Kinds of numpy types whose bytes are their values."""

DAMAGE = (
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)
"""What reading a damaged archive may raise."""


def digest_of(parts: Mapping[str, Iterable[npt.NDArray[Any] | bytes | str]]) -> dict[str, str]:
    """Return a fingerprint of each part of what a search is about.

    Two parts have the same one if their items are the same, in the same order: arrays of the same
    type, shape and bytes, whatever their layout in memory and the machine's byte order.

    Examples
    --------
    >>> one = digest_of({"data": [np.arange(3)], "parameters": ["cf=0.25"]})
    >>> two = digest_of({"data": [np.arange(3)], "parameters": ["cf=0.1"]})
    >>> one["data"] == two["data"], one["parameters"] == two["parameters"]
    (True, False)
    """
    return {name: _fingerprint(name, items) for name, items in parts.items()}


def write_checkpoint(
    path: str | os.PathLike[str], digest: Mapping[str, str], state: Mapping[str, Any]
) -> None:
    """Write the state of a search to a file, whole or not at all.

    Whoever reads the file meanwhile sees the old one or the new one, and a write that fails or is
    killed leaves the old one. Arrays in C order are not copied.

    Parameters
    ----------
    path
        Where to; the folder must exist. One search at a time may write there.
    digest
        What the search is about, see :func:`digest_of`.
    state
        Arrays, numbers, texts, None, and lists of all but arrays. Arrays come back in C order,
        numpy's numbers as Python's, tuples as lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name) / "heart.checkpoint"
    >>> write_checkpoint(path, {"data": "a1"}, {"bound": 9.5, "words": np.arange(3)})
    >>> read_checkpoint(path, {"data": "a1"})
    {'bound': 9.5, 'words': array([0, 1, 2])}
    >>> folder.cleanup()
    """
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    entries = {name: f"arrays/{i}" for i, name in enumerate(arrays)}
    contents = {
        "version": VERSION,
        "digest": dict(digest),
        "state": {
            name: _described(name, value, entries[name]) if name in arrays else _plain(name, value)
            for name, value in state.items()
        },
    }
    with replacing(path, WHAT, alone=True) as file, ZipFile(file, "w") as archive:
        name, text = MARK[:8].decode(), MARK[8:]
        archive.writestr(ZipInfo(name), text)
        described = json.dumps(contents).encode()
        archive.writestr(ZipInfo(CONTENTS), described)
        for name, array in arrays.items():
            _write_array(archive, entries[name], array)
        archive.writestr(ZipInfo(SEAL), _seal_of(archive, described))


def read_checkpoint(
    path: str | os.PathLike[str], digest: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the state of a search from its file, None if there is no file yet.

    Parameters
    ----------
    path
        Where it was written.
    digest
        What the search is about; what differs from the file's is named.

    Raises
    ------
    InvalidCheckpoint
        The file is damaged, foreign, newer than this version, or of another search. It stays as
        it is.

    Examples
    --------
    >>> print(read_checkpoint("none.checkpoint", {}))
    None
    >>> read_checkpoint("no/such/folder/a.checkpoint", {})
    Traceback (most recent call last):
    frugaltree.exceptions.MissingFile: the folder ...folder does not exist; create it to save the
    checkpoint in it.
    """
    path = check_place(path, WHAT)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _closed(path, error) from error
    with file:
        _check_mark(path, file)
        try:
            with ZipFile(file) as archive:
                contents = _read_contents(path, archive)
                _check_digest(path, contents["digest"], digest)
                return {
                    name: _read_array(archive, value) if isinstance(value, dict) else value
                    for name, value in contents["state"].items()
                }
        except InvalidCheckpoint:
            raise
        except DAMAGE as error:
            raise InvalidCheckpoint(
                f"the checkpoint {path} is damaged or was cut short; delete it to start anew, or "
                "choose another."
            ) from error


# --------------------------------------------------------------------------- digests


def _fingerprint(part: str, items: Iterable[npt.NDArray[Any] | bytes | str]) -> str:
    total = hashlib.sha256()
    for item in items:
        total.update(_hash_of(part, item))
    return total.hexdigest()


def _hash_of(part: str, item: npt.NDArray[Any] | bytes | str) -> bytes:
    """Return a hash of fixed length, so that items cannot run into each other."""
    if isinstance(item, str):
        return hashlib.sha256(b"str:" + item.encode("utf-8", "surrogatepass")).digest()
    if isinstance(item, bytes):
        return hashlib.sha256(b"bytes:" + item).digest()
    _check_plain(part, item)
    array = item.astype(item.dtype.newbyteorder("<"), copy=False)
    result = hashlib.sha256(f"array:{array.dtype.str}:{array.shape}:".encode())
    result.update(_bytes_of(array).data)
    return result.digest()


# ---------------------------------------------------------------------------- values


def _check_plain(name: str, value: object) -> None:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name!r} has a value of type {type(value).__name__}; turn it into text.")
    if value.dtype.kind not in PLAIN or not value.dtype.itemsize:
        raise TypeError(f"{name!r} is an array of {value.dtype}; give one of numbers or text.")


def _described(name: str, array: npt.NDArray[Any], entry: str) -> dict[str, Any]:
    """Return what it takes to read an array from its bytes."""
    _check_plain(name, array)
    return {"dtype": array.dtype.str, "shape": array.shape, "entry": entry}


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON knows it; an object stands for an array, so none may be there."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(name, one) for one in value]
    raise TypeError(
        f"a checkpoint cannot hold {name!r}, which has a value of type {type(value).__name__}; "
        "give arrays, numbers, text and lists of these."
    )


def _bytes_of(array: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the bytes of an array in C order, its own memory where it is in that order."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _write_array(archive: ZipFile, entry: str, array: npt.NDArray[Any]) -> None:
    flat = _bytes_of(array)
    with archive.open(ZipInfo(entry), "w", force_zip64=True) as out:
        for start in range(0, flat.size, PIECE):
            out.write(flat[start : start + PIECE].data)


def _read_array(archive: ZipFile, described: Mapping[str, Any]) -> npt.NDArray[Any]:
    dtype, shape = np.dtype(str(described["dtype"])), tuple(described["shape"])
    info = archive.getinfo(described["entry"])
    # Before memory is asked for; bytes taken for objects would be taken for addresses.
    if dtype.kind not in PLAIN or info.file_size != prod(shape) * dtype.itemsize:
        raise BadZipFile("an array is not what its description says")
    array = np.empty(shape, dtype)
    flat = _bytes_of(array)
    with archive.open(info) as file:
        for start in range(0, flat.size, PIECE):
            piece = file.read(min(PIECE, flat.size - start))
            flat[start : start + PIECE] = np.frombuffer(piece, np.uint8)
    return array


# ---------------------------------------------------------------------------- checks


def _check_mark(path: Path, file: IO[bytes]) -> None:
    try:
        head = file.read(MARK_AT + len(MARK))
    except OSError as error:
        raise _closed(path, error) from error
    if head[MARK_AT:] != MARK:
        raise InvalidCheckpoint(
            f"{path} is not a checkpoint of a search; choose another file for the checkpoint."
        )


def _read_contents(path: Path, archive: ZipFile) -> dict[str, Any]:
    if any(info.compress_type != ZIP_STORED for info in archive.infolist()):
        raise BadZipFile("an entry is compressed")
    described = archive.read(CONTENTS)
    contents: dict[str, Any] = json.loads(described)
    if contents["version"] > VERSION:
        raise InvalidCheckpoint(
            f"the checkpoint {path} was written by a newer version of frugaltree; update "
            "frugaltree to go on from it, or choose another."
        )
    if contents["version"] < VERSION:
        raise InvalidCheckpoint(
            f"the checkpoint {path} was written by an older version of frugaltree; delete it to "
            "start anew, or choose another."
        )
    if archive.read(SEAL).decode() != _seal_of(archive, described):
        raise BadZipFile("an entry was changed after it was written")
    return contents


def _seal_of(archive: ZipFile, described: bytes) -> str:
    """Return a fingerprint of all entries, by their checksums, which tell of each when it is read.

    That takes no time, however large they are.
    """
    total = hashlib.sha256(described)
    for info in archive.infolist():
        if info.filename != SEAL:
            total.update(f"{info.filename}:{info.file_size}:{info.CRC}\n".encode())
    return total.hexdigest()


def _check_digest(path: Path, written: Mapping[str, str], digest: Mapping[str, str]) -> None:
    differ = [name for name in {**digest, **written} if digest.get(name) != written.get(name)]
    if differ:
        *first, last = differ
        named = f"{', '.join(first)} and {last}" if first else last
        raise InvalidCheckpoint(
            f"the checkpoint {path} is of a search with other {named}; give the same to go on "
            "from it, or choose another."
        )


def _closed(path: Path, error: OSError) -> FrugaltreeError:
    return FrugaltreeError(
        f"the checkpoint {path} cannot be opened ({error.strerror or error}); ask for the "
        "right to read and write it, or choose another."
    )
