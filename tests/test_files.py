from __future__ import annotations

import os

import pytest

from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import write_at_once


def test_a_file_is_replaced_with_its_rights_and_nothing_is_left(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_at_once(path, b"new", "the text")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_or_device_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FrugaltreeError, match="is not an ordinary file; choose another for"):
        write_at_once(pipe, b"new", "the text")
    assert pipe.is_fifo()


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FrugaltreeError, match=r"the text cannot be written .*No space left"):
        write_at_once(path, b"new", "the text")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]
