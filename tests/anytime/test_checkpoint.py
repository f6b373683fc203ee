from __future__ import annotations

import codecs
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from frugaltree.anytime import checkpoint
from frugaltree.anytime.checkpoint import (
    SEAL,
    VERSION,
    _seal_of,
    digest_of,
    read_checkpoint,
    write_checkpoint,
)
from frugaltree.exceptions import FrugaltreeError, InvalidCheckpoint, MissingFile

DIGEST = {"data": "d", "costs": "c", "parameters": "p"}

STATE = {
    "words": np.arange(24, dtype=np.uint64).reshape(3, 8) << np.uint64(40),
    "costs": np.array([0.1, -0.0, np.inf, np.nan]),
    "taken": np.array([True, False]),
    "names": np.array(["age", "chól"]),
    "when": np.array(["2026-01-31"], "M8[D]"),
    "big_end": np.array([1, 256], ">i2"),
    "none": np.zeros((0, 5), np.int32),
    "point": np.array(7),
    "backwards": np.arange(6)[::-2],
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "stamp": 2**64 - 1,
    "bound": 0.1 + 0.2,
    "worst": float("inf"),
    "setting": "cf .1, \N{GREEK SMALL LETTER EPSILON}, \ud800",
    "done": False,
    "limit": None,
    "history": [[0.5, 12.25, 3], [1.5, 10.0, None], []],
}


def same(one, two):
    if isinstance(one, np.ndarray):
        whole = one.dtype == two.dtype and one.shape == two.shape
        return whole and one.tobytes() == two.tobytes()
    return type(one) is type(two) and one == two


def assert_same(state, wanted):
    assert list(state) == list(wanted)
    for name, value in wanted.items():
        assert same(value, state[name]), name


@pytest.fixture
def path(tmp_path):
    return tmp_path / "heart.checkpoint"


def refused(path, match, digest=DIGEST):
    """Check that a file is refused in one sentence and left as it was."""
    before, time_before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(InvalidCheckpoint, match=match) as caught:
        read_checkpoint(path, digest)
    sentence = str(caught.value).replace(str(path), "PATH")
    assert re.fullmatch(r"[^.\n]*\.", sentence)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, time_before)
    assert os.listdir(path.parent) == [path.name]


# ------------------------------------------------------------------------ round trip


def test_everything_comes_back_as_it_was(path):
    write_checkpoint(path, DIGEST, STATE)
    assert_same(read_checkpoint(path, DIGEST), STATE)
    assert os.listdir(path.parent) == [path.name]


def test_arrays_come_back_ready_to_work_on(path):
    write_checkpoint(path, DIGEST, STATE)
    for value in read_checkpoint(path, DIGEST).values():
        if isinstance(value, np.ndarray):
            assert value.flags.c_contiguous
            assert value.flags.writeable
            assert value.flags.aligned


def test_numpys_numbers_and_tuples_become_pythons_numbers_and_lists(path):
    state = {"steps": np.int64(3), "history": [(np.float64(0.5), np.uint64(2**63))]}
    write_checkpoint(path, {}, state)
    assert_same(read_checkpoint(path, {}), {"steps": 3, "history": [[0.5, 2**63]]})


def test_arrays_of_many_pieces_come_back(path):
    for size in (checkpoint.PIECE - 1, checkpoint.PIECE, 3 * checkpoint.PIECE + 5):
        state = {"bytes": np.random.default_rng(size).integers(0, 256, size, np.uint8)}
        write_checkpoint(path, {}, state)
        assert_same(read_checkpoint(path, {}), state)


def test_the_same_state_makes_the_same_file(path):
    write_checkpoint(path, DIGEST, STATE)
    first = path.read_bytes()
    write_checkpoint(path, DIGEST, STATE)
    assert path.read_bytes() == first


def test_an_empty_state_is_not_a_missing_file(path):
    assert read_checkpoint(path, {}) is None
    write_checkpoint(path, {}, {})
    assert read_checkpoint(path, {}) == {}


def test_writing_takes_no_second_copy_in_memory(path):
    words = np.ones(32 * checkpoint.PIECE, np.uint8)
    tracemalloc.start()
    try:
        write_checkpoint(path, {}, {"words": words})
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * checkpoint.PIECE


@pytest.mark.parametrize(
    "value", [{"a": 1}, [np.arange(3)], {1}, 1j, b"raw", np.array([None, "a"], object),
              np.zeros(2, "i4,f8"), np.datetime64("2026-01-31")],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_would_not_come_back_is_not_written(path, value):
    with pytest.raises(TypeError, match="'odd'"):
        write_checkpoint(path, {}, {"odd": value})
    assert os.listdir(path.parent) == []


# ---------------------------------------------------------------------------- digest


def test_what_differs_is_named(path):
    write_checkpoint(path, DIGEST, STATE)
    refused(path, "of a search with other costs; ", {**DIGEST, "costs": "x"})
    refused(path, "with other data and parameters; ", {**DIGEST, "parameters": "", "data": ""})
    refused(path, "with other data, costs and parameters; ", dict.fromkeys(DIGEST, ""))
    refused(path, "with other parameters; ", {"data": "d", "costs": "c"})
    refused(path, "with other folds; ", {**DIGEST, "folds": "f"})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["ab", "c"], ["a", "bc"]),
        (["a"], [b"a"]),
        (["a", "b"], ["b", "a"]),
        ([], [""]),
        ([np.arange(4)], [np.arange(4).reshape(2, 2)]),
        ([np.arange(4, dtype=np.int64)], [np.arange(4, dtype=np.uint64)]),
        ([np.array([0, 0])], [np.array([0]), np.array([0])]),
        ([np.array([0.0])], [np.array([np.nan])]),
    ],
)
def test_different_parts_have_different_digests(one, two):
    assert digest_of({"data": one}) != digest_of({"data": two})


def test_the_digest_is_of_the_values_not_of_their_place_in_memory():
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    copies = [array, np.asfortranarray(array), array.astype(">i4"), np.repeat(array, 2, 1)[:, ::2]]
    assert len({digest_of({"data": [copy]})["data"] for copy in copies}) == 1


def test_the_digest_is_the_same_in_every_process():
    found = digest_of({"data": [np.arange(3, dtype="<i4"), b"raw", "chól"]})["data"]
    items = (b"array:<i4:(3,):" + bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]), b"bytes:raw",
             b"str:ch\xc3\xb3l")  # fmt: skip
    assert found == sha256(b"".join(sha256(item).digest() for item in items)).hexdigest()


def test_a_digest_of_addresses_is_refused():
    with pytest.raises(TypeError, match="'data' is an array of object"):
        digest_of({"data": [np.array([None, "a"], object)]})
    with pytest.raises(TypeError, match="'data' has a value of type float"):
        digest_of({"data": [0.5]})


# --------------------------------------------------------------------- damaged files


def test_a_file_cut_short_anywhere_is_refused(path):
    write_checkpoint(path, DIGEST, {"words": np.arange(40), "bound": 1.5})
    whole = path.read_bytes()
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        refused(path, "damaged or was cut short|is not a checkpoint")


def test_a_large_file_cut_short_is_refused(path):
    write_checkpoint(path, DIGEST, {"words": np.arange(400_000), "more": np.ones(90_000)})
    whole, draw = path.read_bytes(), random.Random(0)
    for _ in range(20):
        path.write_bytes(whole[: draw.randrange(len(whole))])
        refused(path, "damaged or was cut short|is not a checkpoint")


def test_a_changed_byte_is_noticed_or_does_not_matter(path):
    state = {"words": np.arange(40), "bound": 1.5, "history": [[1, 2.5]]}
    write_checkpoint(path, DIGEST, state)
    whole, draw = path.read_bytes(), random.Random(0)
    noticed = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= draw.randrange(1, 256)
        path.write_bytes(damaged)
        try:
            found = read_checkpoint(path, DIGEST)
        except InvalidCheckpoint:
            noticed += 1
        else:
            assert_same(found, state)
    assert noticed > len(whole) * 0.7


def test_a_hole_in_a_file_is_noticed(path):
    write_checkpoint(path, DIGEST, {"words": np.arange(1, 100_000)})
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(4096) + whole[8192:])
    refused(path, "damaged or was cut short")


def archive_of(path, contents, **entries):
    """Write an archive that is whole as archives go, whatever it says."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/x-frugaltree-checkpoint")
        archive.writestr("checkpoint.json", json.dumps(contents))
        for name, content in entries.items():
            archive.writestr(name, content)
        archive.writestr(zipfile.ZipInfo(SEAL), _seal_of(archive, json.dumps(contents).encode()))


def test_a_newer_version_is_told_from_damage(path):
    archive_of(path, {"version": VERSION + 1, "what": "will be"})
    refused(path, "was written by a newer version of frugaltree; update")


def test_an_older_version_is_told_from_damage(path):
    archive_of(path, {"version": 1, "digest": {}, "state": {}})
    refused(path, "was written by an older version of frugaltree; delete it")


def test_an_entry_that_was_changed_later_is_refused(path):
    """As a tool that packs it anew would write it: all sums are right but for the seal."""
    write_checkpoint(path, {}, {"words": np.arange(3)})
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["arrays/0"] = np.array([0, 1, 10**12]).tobytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    refused(path, "damaged or was cut short", {})


WORDS = {"dtype": "<i8", "shape": [2], "entry": "a"}


@pytest.mark.parametrize(
    "contents",
    [
        [],
        {},
        {"version": "1"},
        {"version": VERSION, "digest": [], "state": {}},
        {"version": VERSION, "digest": {}, "state": []},
        {"version": VERSION, "digest": {}, "state": {"words": {}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "entry": "b"}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": [3]}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": [1]}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": [10**15]}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": [-1, -2]}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": "2"}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "shape": [2.0]}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "dtype": "|O"}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "dtype": "i4,i4"}}},
        {"version": VERSION, "digest": {}, "state": {"words": {**WORDS, "dtype": "nonsense"}}},
    ],
)
def test_contents_that_make_no_sense_are_refused(path, contents):
    archive_of(path, contents, a=bytes(16))
    refused(path, "damaged or was cut short", {})


def test_a_compressed_entry_is_refused_before_it_is_unpacked(path):
    contents = {"version": VERSION, "digest": {}, "state": {}}
    archive_of(path, contents)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(10_000))
    refused(path, "damaged or was cut short", {})


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8"
    "cfc000000301010018dd8db00000000049454e44ae426082"
)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", PNG, b"age,chol\n63,233\n" * 100, b'{"format": "frugaltree"}', bytes(5000)],
    ids=["empty", "one byte", "picture", "table", "json", "zeros"],
)
def test_a_foreign_file_is_refused(path, content):
    path.write_bytes(content)
    refused(path, "is not a checkpoint of a search; choose another file")


def test_a_foreign_archive_is_refused(path):
    np.savez(path.with_suffix(".npz"), words=np.arange(3))
    path.with_suffix(".npz").rename(path)
    refused(path, "is not a checkpoint")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", "{}")
    refused(path, "is not a checkpoint")


# ---------------------------------------------------------------------------- places


@pytest.mark.parametrize("call", [read_checkpoint, lambda *a: write_checkpoint(*a, STATE)])
def test_a_place_that_cannot_be_is_told_before_the_search(tmp_path, call):
    with pytest.raises(
        FrugaltreeError, match="is a folder; add a file name to save the checkpoint"
    ):
        call(tmp_path, DIGEST)
    with pytest.raises(MissingFile, match=r"the folder .*none does not exist; create it"):
        call(tmp_path / "none" / "a.checkpoint", DIGEST)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("call", [read_checkpoint, lambda *a: write_checkpoint(*a, STATE)])
def test_a_pipe_is_neither_waited_for_nor_replaced(path, call):
    os.mkfifo(path)
    with pytest.raises(FrugaltreeError, match="is not an ordinary file; choose another for"):
        call(path, DIGEST)
    assert path.is_fifo()


def test_rights_and_links_stay(path, tmp_path):
    write_checkpoint(path, DIGEST, {})
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    write_checkpoint(link, DIGEST, STATE)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert_same(read_checkpoint(path, DIGEST), STATE)


@pytest.fixture
def open_folder():
    """Yield a folder that others may enter; pytest keeps its own closed, and closes them again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for inside in (folder, *folder.iterdir()):
            inside.chmod(0o755)


@pytest.fixture
def commoner(open_folder):
    """Be one whom closed files stop, unlike root; called between preparing and trying."""
    was_root = hasattr(os, "geteuid") and os.geteuid() == 0

    def become():
        if not hasattr(os, "geteuid"):
            pytest.skip("no users here")
        if was_root:
            codecs.lookup("cp437")  # zipfile's; where Python is may be closed to others
            os.seteuid(65534)
        try:
            open_folder.stat()
        except PermissionError:
            pytest.skip("the folder for temporary files is closed to others")

    yield become
    if was_root:
        os.seteuid(0)


def test_an_unwritable_folder_keeps_the_old_file(open_folder, commoner):
    path = open_folder / "heart.checkpoint"
    write_checkpoint(path, DIGEST, STATE)
    path.chmod(0o644)
    open_folder.chmod(0o555)
    commoner()
    with pytest.raises(FrugaltreeError, match=r"cannot be written to .* \(Permission denied\); "):
        write_checkpoint(path, DIGEST, {})
    assert_same(read_checkpoint(path, DIGEST), STATE)
    assert os.listdir(open_folder) == [path.name]


def test_a_file_or_folder_that_may_not_be_read_is_told(open_folder, commoner):
    path = open_folder / "heart.checkpoint"
    write_checkpoint(path, DIGEST, STATE)
    path.chmod(0)
    (open_folder / "closed").mkdir(mode=0)
    commoner()
    hidden = open_folder / "closed" / "a.checkpoint"
    for place, cannot in ((path, "be opened"), (hidden, "be written to .*")):
        with pytest.raises(FrugaltreeError, match=rf"cannot {cannot} \(Permission denied\); "):
            read_checkpoint(place, DIGEST)


# ------------------------------------------------------------------- failures, kills


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_at_the_end_keeps_the_old_file(path, monkeypatch, call):
    write_checkpoint(path, DIGEST, STATE)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(FrugaltreeError, match=r"cannot be written to .*\(No space left on device"):
        write_checkpoint(path, DIGEST, {"words": np.arange(5)})
    assert_same(read_checkpoint(path, DIGEST), STATE)
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("room", [0, 10, 100, 5_000, 3_000_000, 8_000_150])
def test_no_room_halfway_keeps_the_old_file(path, room):
    resource = pytest.importorskip("resource")
    write_checkpoint(path, DIGEST, STATE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(FrugaltreeError, match=r"cannot be written to .*\(File too large\); "):
            write_checkpoint(path, DIGEST, {"words": np.arange(1_000_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert_same(read_checkpoint(path, DIGEST), STATE)
    assert os.listdir(path.parent) == [path.name]


def test_ctrl_c_keeps_the_old_file(path, monkeypatch):
    write_checkpoint(path, DIGEST, STATE)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "_write_array", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(path, DIGEST, {"words": np.arange(5)})
    assert_same(read_checkpoint(path, DIGEST), STATE)
    assert os.listdir(path.parent) == [path.name]


def test_drafts_left_by_the_killed_are_removed_and_no_others(path):
    left = path.with_name(f".{path.name}.{'0' * 32}.tmp")
    others = [f".{path.name}.old.{'0' * 32}.tmp", f".{'0' * 32}.tmp", f"{path.name}.tmp"]
    for name in (left.name, *others):
        path.with_name(name).write_bytes(b"")
    write_checkpoint(path, DIGEST, STATE)
    assert {*os.listdir(path.parent)} == {path.name, *others}


def test_two_searches_at_one_place_do_not_spoil_the_file(path):
    refusals = []

    def write_often(number):
        for _ in range(40):
            try:
                write_checkpoint(path, DIGEST, full_of(number))
            except FrugaltreeError as error:
                refusals.append(str(error))

    threads = [threading.Thread(target=write_often, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        state = read_checkpoint(path, DIGEST)
        assert state is None or is_full(state)
    assert all("(another one writes there); " in refusal for refusal in refusals)
    assert is_full(read_checkpoint(path, DIGEST))


def full_of(number):
    return {"step": number, "words": np.full(200_000, number), "more": np.full(77, number)}


def is_full(state):
    return all((state[name] == state["step"]).all() for name in ("words", "more"))


WRITERS = """
import itertools, os, sys
import numpy as np
from frugaltree.anytime.checkpoint import write_checkpoint

for line in sys.stdin:
    pid = os.fork()
    if not pid:
        for step in itertools.count(int(line)):
            state = {"step": step, "words": np.full(200_000, step), "more": np.full(77, step)}
            write_checkpoint(sys.argv[1], {"data": "d"}, state)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("gone", flush=True)
"""
"""For each line a process that writes checkpoints, counting from there, until it is killed."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(path):
    write_checkpoint(path, {"data": "d"}, full_of(0))
    draw, last, drafts = random.Random(0), 0, 0
    command = [sys.executable, "-c", WRITERS, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as host:
        for _ in range(40):
            print(last + 1, file=host.stdin, flush=True)
            pid = int(host.stdout.readline())
            time.sleep(draw.uniform(0, 0.1))
            os.kill(pid, signal.SIGKILL)
            assert host.stdout.readline() == "gone\n"
            state = read_checkpoint(path, {"data": "d"})
            assert is_full(state)
            assert state["step"] >= last
            last = state["step"]
            files = os.listdir(path.parent)
            drafts += len(files) - 1
            assert len(files) <= 2
        host.stdin.close()
    assert last > 0
    assert drafts > 0
    write_checkpoint(path, {"data": "d"}, full_of(last + 1))
    assert os.listdir(path.parent) == [path.name]
