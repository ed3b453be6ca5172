"""A snapshot is replaced whole, whoever reads, writes or kills meanwhile."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff.errors import SnapdiffError
from snapdiff.output.whole_files import remove_remains, replaced_folder
from tests.support.helpers import run_cli, write_files
from tests.support.mirrors import INDEX, index, layout_2
from tests.support.processes import run_python

RECORD = "snapdiff-snapshot.json"

ONE, TWO = index("zlib"), index("zlib", "cmake")


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


def write_before_the_first_rename(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let somebody put a file into a folder right before one takes the place of another."""
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        write_files(folder, {"notes.txt": "mine"})
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)


def no_check(_folder: Path) -> None:
    """Let everything be removed."""


def test_a_snapshot_is_replaced_whole(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[dict[str, bytes]] = []
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        before.append(documents(kept))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)
    assert snapshot(tmp_path) == (0, "")
    assert before == [{INDEX: ONE}, {}]  # the old one, none for a moment, and then the new one
    assert documents(kept) == {INDEX: TWO}
    assert os.listdir(kept.parent) == ["kept"]


def test_a_file_that_somebody_puts_there_meanwhile_is_not_lost(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_before_the_first_rename(monkeypatch, kept)
    reason = "holds notes.txt, which is of no snapshot; name another folder"
    assert snapshot(tmp_path) == (2, f"snapdiff: error: {kept}: {reason}\n")
    assert documents(kept) == {INDEX: ONE, "notes.txt": b"mine"}
    assert os.listdir(kept.parent) == ["kept"]


def test_what_somebody_makes_where_a_new_snapshot_was_to_be_is_not_lost(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.rename(tmp_path / "elsewhere")
    monkeypatch.setattr(Path, "exists", lambda path: path != kept and os.path.exists(path))
    write_before_the_first_rename(monkeypatch, kept)
    status, error = snapshot(tmp_path)
    assert (status, error) == (
        2,
        f"snapdiff: error: {kept}: cannot be written: Directory not empty\n",
    )
    assert documents(kept) == {"notes.txt": b"mine"}
    assert os.listdir(kept.parent) == ["kept"]


PROGRAM = """
import os, pathlib, signal, sys
from snapdiff.cli import snapshot_command
from snapdiff.cli.commands import main
from snapdiff.output.signals import end_on_signals
end_on_signals()
place, name, number, folder = sys.argv[1:]
def end(): os.kill(os.getpid(), int(number))
if place == "in the middle of":
    write = snapshot_command._write
    def written(path, content):
        write(path, content[:9] if path.name == name else content)
        if path.name == name:
            end()
    snapshot_command._write = written
else:
    rename = pathlib.Path.rename
    def renamed(path, target):
        rename(path, target)
        if target.name == name:
            end()
    pathlib.Path.rename = renamed
sys.exit(main(["snapshot", "-q", "-C", folder, "mirror", f"{folder}/around/kept"]))
"""

PLACES = [
    ("in the middle of", RECORD, ONE),
    ("in the middle of", "index.json", ONE),
    ("after the rename to", "old", ONE),
    ("after the rename to", "kept", TWO),
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "name", "content"), PLACES)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_one_snapshot_and_nothing_for_good(
    kept: Path, tmp_path: Path, place: str, name: str, content: bytes, number: signal.Signals
) -> None:
    done = run_python(PROGRAM, place, name, str(int(number)), tmp_path)
    if number is signal.SIGTERM:
        assert (done.status, done.err) == (143, b"snapdiff: error: interrupted\n")
    else:
        assert done.status == -signal.SIGKILL
        assert len(os.listdir(kept.parent)) == (1 if name == "old" else 2)
        remove_remains(kept, no_check)
    assert os.listdir(kept.parent) == ["kept"]
    assert documents(kept) == {INDEX: content}
    assert snapshot(tmp_path) == (0, "")
    assert documents(kept) == {INDEX: TWO}


@pytest.mark.slow
@pytest.mark.parametrize(("place", "name"), [(place, name) for place, name, _ in PLACES])
def test_the_next_run_removes_what_a_killed_one_left(
    kept: Path, tmp_path: Path, place: str, name: str
) -> None:
    run_python(PROGRAM, place, name, "9", tmp_path)
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


def test_what_a_killed_report_left_keeps_no_snapshot_hidden(kept: Path) -> None:
    hidden = kept.parent / ".kept.0a1b2c3d"
    hidden.mkdir()
    kept.rename(hidden / "old")
    for number in range(50):  # folders list their files in any order
        (kept.parent / f".kept.{number:08x}").touch()
    remove_remains(kept, no_check)
    assert documents(kept) == {INDEX: ONE}


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
