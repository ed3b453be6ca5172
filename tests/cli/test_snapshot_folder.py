"""A snapshot is replaced whole, whoever reads, writes or kills meanwhile."""

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from snapdiff.errors import SnapdiffError
from snapdiff.output import whole_files
from snapdiff.output.whole_files import remove_remains, replaced_folder
from tests.support.helpers import run_cli, write_files
from tests.support.mirrors import INDEX, index, layout_2
from tests.support.processes import run_python

RECORD = "snapdiff-snapshot.json"

ONE, TWO = index("zlib"), index("zlib", "cmake")

can_exchange = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "renameat2"), reason="takes a Linux that exchanges folders"
)


@pytest.fixture(params=["exchange", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How one folder takes the place of another."""
    if request.param == "two renames":
        monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    elif not hasattr(ctypes.CDLL(None), "renameat2"):
        pytest.skip("takes a Linux that exchanges folders")
    return str(request.param)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A snapshot of a build cache that has changed since."""
    (tmp_path / "around").mkdir()
    put(tmp_path, ONE)
    assert snapshot(tmp_path) == (0, "")
    put(tmp_path, TWO)
    return tmp_path / "around" / "kept"


def put(folder: Path, content: bytes) -> None:
    write_files(folder / "mirror", layout_2(content))


def snapshot(folder: Path) -> tuple[int, str]:
    done = run_cli("snapshot", "-q", "-C", folder, "mirror", folder / "around" / "kept")
    return done.status, done.err


def documents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name != RECORD
    }


def meanwhile(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], object]) -> None:
    """Do something right before a step of the replacement."""
    step = getattr(whole_files, name)

    def first_act(*arguments: object) -> object:
        monkeypatch.setattr(whole_files, name, step)
        act()
        return step(*arguments)

    monkeypatch.setattr(whole_files, name, first_act)


def no_check(_folder: Path) -> None:
    """Let everything be removed."""


@pytest.mark.usefixtures("way")
def test_a_snapshot_is_replaced(kept: Path, tmp_path: Path) -> None:
    assert snapshot(tmp_path) == (0, "")
    assert documents(kept) == {INDEX: TWO}
    assert os.listdir(kept.parent) == ["kept"]


@pytest.mark.usefixtures("way")
def test_a_file_that_somebody_puts_there_meanwhile_is_not_lost(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, "_exchange", lambda: (kept / "notes.txt").write_text("mine"))
    reason = "holds notes.txt, which is of no snapshot; name another folder"
    assert snapshot(tmp_path) == (2, f"snapdiff: error: {kept}: {reason}\n")
    assert documents(kept) == {INDEX: ONE, "notes.txt": b"mine"}
    assert os.listdir(kept.parent) == ["kept"]


def test_what_somebody_makes_where_a_new_snapshot_was_to_be_is_not_lost(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.rename(tmp_path / "elsewhere")
    monkeypatch.setattr(Path, "exists", lambda path: path != kept and os.path.exists(path))
    rename = Path.rename

    def after_another(path: Path, target: Path) -> Path:
        write_files(kept, {"notes.txt": "mine"})
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", after_another)
    status, error = snapshot(tmp_path)
    assert (status, error) == (
        2,
        f"snapdiff: error: {kept}: cannot be written: Directory not empty\n",
    )
    assert documents(kept) == {"notes.txt": b"mine"}
    assert os.listdir(kept.parent) == ["kept"]


@pytest.mark.slow
@can_exchange
def test_a_reader_finds_a_snapshot_at_every_moment(tmp_path: Path) -> None:
    write_files(tmp_path / "kept", {INDEX: ONE})
    document = tmp_path / "kept" / INDEX
    found: set[bool] = set()
    is_over = Event()

    def read() -> None:
        while not is_over.is_set():
            found.add(document.exists())

    reader = Thread(target=read)
    reader.start()
    for _ in range(200):
        with replaced_folder(tmp_path / "kept", no_check) as folder:
            write_files(folder, {INDEX: TWO})
    is_over.set()
    reader.join()
    assert found == {True}


PROGRAM = """
import ctypes, os, pathlib, signal, sys
from snapdiff.cli.commands import main
from snapdiff.output import whole_files
from snapdiff.output.signals import end_on_signals
end_on_signals()
place, number, way, folder, *words = sys.argv[1:]
if way == "two renames":
    ctypes.CDLL = lambda *_, **__: object()
def end(): os.kill(os.getpid(), int(number))
if place.startswith("in the middle of "):
    import snapdiff.cli.snapshot_command as module
    write = module._write
    def written(path, content):
        is_here = path.name.startswith(place.rpartition(" ")[2])
        write(path, content[:9] if is_here else content)
        if is_here:
            end()
    module._write = written
elif place == "between two renames":
    rename = pathlib.Path.rename
    def renamed(path, target):
        rename(path, target)
        if target.name == "old":
            end()
    pathlib.Path.rename = renamed
else:
    exchange = whole_files._exchange
    def exchanged(new, target):
        old = exchange(new, target)
        end()
        return old
    whole_files._exchange = exchanged
sys.exit(main(["snapshot", "-q", "-C", folder, "mirror", f"{folder}/around/kept"]))
"""

PLACES = [
    ("in the middle of snapdiff-snapshot.json", "exchange", ONE),
    ("in the middle of index.json", "exchange", ONE),
    ("between two renames", "two renames", ONE),
    ("after the exchange", "exchange", TWO),
    ("after the exchange", "two renames", TWO),
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "way", "content"), PLACES)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_one_snapshot_and_nothing_for_good(
    kept: Path, tmp_path: Path, place: str, way: str, content: bytes, number: signal.Signals
) -> None:
    done = run_python(PROGRAM, place, str(int(number)), way, tmp_path)
    if number is signal.SIGTERM:
        assert (done.status, done.err) == (143, b"snapdiff: error: interrupted\n")
    else:
        assert done.status == -signal.SIGKILL
        assert len(os.listdir(kept.parent)) == (1 if place == "between two renames" else 2)
        remove_remains(kept, no_check)
    assert os.listdir(kept.parent) == ["kept"]
    assert documents(kept) == {INDEX: content}
    assert snapshot(tmp_path) == (0, "")
    assert documents(kept) == {INDEX: TWO}


@pytest.mark.slow
@pytest.mark.parametrize(("place", "way"), [(place, way) for place, way, _ in PLACES])
def test_the_next_run_removes_what_a_killed_one_left(
    kept: Path, tmp_path: Path, place: str, way: str
) -> None:
    run_python(PROGRAM, place, "9", way, tmp_path)
    assert snapshot(tmp_path) == (0, "")
    assert documents(kept) == {INDEX: TWO}
    assert os.listdir(kept.parent) == ["kept"]


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": "mine"},
        {"old/notes.txt": "mine"},
        {f"new/{RECORD}": "{}", "new/notes.txt": "mine"},
        {},
    ],
)
def test_a_hidden_folder_of_somebody_else_stays(
    kept: Path, tmp_path: Path, files: dict[str, str]
) -> None:
    own = kept.parent / ".kept.0a1b2c3d"
    own.mkdir()
    write_files(own, files)
    assert snapshot(tmp_path) == (0, "")
    assert {path: content.decode() for path, content in documents(own).items()} == {
        path: text for path, text in files.items() if not path.endswith(RECORD)
    }


def test_two_runs_at_once_leave_each_other_alone(kept: Path) -> None:
    def runs() -> Iterator[bytes]:
        with replaced_folder(kept, no_check) as first:
            write_files(first, {INDEX: TWO})
            remove_remains(kept, no_check)  # as another run does when it begins
            yield (first / INDEX).read_bytes()
        yield (kept / INDEX).read_bytes()

    assert list(runs()) == [TWO, TWO]


def test_a_folder_that_cannot_be_replaced_is_named(kept: Path, tmp_path: Path) -> None:
    def fail(_folder: Path) -> None:
        raise SnapdiffError("not this one")

    with pytest.raises(SnapdiffError, match="not this one"), replaced_folder(kept, fail):
        pass
    assert documents(kept) == {INDEX: ONE}
    assert tmp_path.exists()
