"""A full disk, a closed stream, a folder that is gone: an error, and the old file stays."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.faults import failed, git_that, limit_file_size, obey_permissions
from tests.support.helpers import (
    Report,
    pages_of,
    spec,
    without_revisions,
    write_files,
)
from tests.support.nightly import nightly_but
from tests.support.processes import run_process, start
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow

PAGE = "_cache/develop/zlib/specs.md"


@pytest.mark.parametrize(
    "name", nightly_but(["json", "markdown", "text", "csv", "comment", "html"], ["json", "html"])
)
def test_where_the_disk_is_full_the_old_file_stays(name: str, example: Path) -> None:
    folder = example / "out"
    folder.mkdir()
    file = folder / "report"
    file.write_text("the old report\n")
    words = ("-C", example, "-f", name, "-o", file, "old", "new")
    # Without -B, compiled files that Python keeps would be cut short for the runs after this.
    done = run_process(*words, python=("-B",), before=limit_file_size)
    assert f"{file}: cannot be written: File too large" in failed(done)
    assert [(item.name, item.read_text()) for item in folder.iterdir()] == [
        ("report", "the old report\n")
    ]


@pytest.mark.parametrize("python", [("-B",), ("-B", "-u")], ids=["buffered", "unbuffered"])
def test_standard_output_into_a_full_file_is_an_error(
    python: tuple[str, ...], example: Path, tmp_path: Path
) -> None:
    words = ("-C", example, "-f", "json", "old", "new")
    env = {"PYTHONUNBUFFERED": None}
    with open(tmp_path / "report", "wb") as file:
        done = run_process(*words, python=python, env=env, out=file, before=limit_file_size)
    assert failed(done).endswith(" standard output: cannot be written: File too large\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root mounts file systems")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_on_a_full_file_system_the_old_file_stays(small_disk: Path, example: Path) -> None:
    file = small_disk / "report.json"
    file.write_text("the old report\n")
    (small_disk / "ballast").write_bytes(b"x" * 8192)
    write_files(example / "new", pages_of([spec("z", package=f"p{i}") for i in range(60)]))
    done = run_process("-C", example, "-o", file, "old", "new")
    assert f"{file}: cannot be written: No space left on device" in failed(done)
    assert file.read_text() == "the old report\n"
    assert {item.name for item in small_disk.iterdir()} == {"report.json", "ballast"}


@pytest.mark.parametrize(
    "arguments",
    nightly_but(
        [["-f", "json"], ["-f", "csv"], ["-o", "/dev/full"]], [["-f", "csv"], ["-o", "/dev/full"]]
    ),
)
def test_a_full_device_is_an_error(arguments: Sequence[str], example: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run_process("-C", example, *arguments, "old", "new", out=full)
    assert "cannot be written: No space left on device" in failed(done)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["changelog", "--help"]])
@pytest.mark.parametrize(
    "python", nightly_but({"buffered": ((),), "unbuffered": (("-u",),)}, ["buffered"])
)
def test_help_and_version_too_say_that_they_cannot_be_written(
    arguments: Sequence[str], python: tuple[str, ...]
) -> None:
    env = {"PYTHONUNBUFFERED": None}
    with open("/dev/full", "wb") as full:
        done = run_process(*arguments, python=python, env=env, out=full)
    assert failed(done).endswith(" standard output: cannot be written: No space left on device\n")
    with start(*arguments, python=python, env=env) as gone:
        assert gone.stdout
        gone.stdout.close()
        assert gone.stderr
        assert gone.stderr.read() == b""
    assert gone.returncode == 0


def test_an_output_folder_that_goes_away_is_an_error(
    repository: GitRepository, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    env = git_that(tmp_path, "diff-tree", f"rmdir '{folder}'")
    done = run_process(
        "-C", repository.folder, "-o", folder / "report.json", "HEAD~1", "HEAD", env=env
    )
    assert f"{folder / 'report.json'}: cannot be written: No such file" in failed(done)


def test_an_output_folder_that_cannot_be_written_is_an_error(example: Path) -> None:
    folder = example / "out"
    folder.mkdir()
    (folder / "report.json").write_text("the old report\n")
    folder.chmod(0o555)
    done = run_process(
        "-C", example, "-o", folder / "report.json", "old", "new", before=obey_permissions
    )
    folder.chmod(0o755)
    assert "report.json: cannot be written: Permission denied" in failed(done)
    assert (folder / "report.json").read_text() == "the old report\n"


def close_standard_output() -> None:
    os.close(1)


def close_standard_error() -> None:
    os.close(2)


def close_everything() -> None:
    os.closerange(0, 3)


def test_where_standard_output_is_closed_the_way_out_is_said(example: Path) -> None:
    done = run_process("-C", example, "old", "new", before=close_standard_output)
    assert "standard output is closed; write to a file with -o" in failed(done)


def test_where_standard_error_is_closed_the_report_is_the_same(
    example: Path, expected: Report
) -> None:
    # An option without effect would be warned of.
    arguments = ["-C", str(example), "-f", "json", "--detail", "old", "new"]
    done = run_process(*arguments, before=close_standard_error)
    assert (done.status, done.err) == (0, b"")
    assert without_revisions(json.loads(done.out)) == expected
    with open("/dev/full", "wb") as full:
        assert run_process(*arguments, err=full) == (0, done.out, b"")


def test_where_standard_error_is_closed_an_error_is_an_error_all_the_same(example: Path) -> None:
    done = run_process("-C", example, "no-such", "new", before=close_standard_error)
    assert done == (2, b"", b"")
    with open("/dev/full", "wb") as full:
        assert run_process("-C", example, "./no-such", "new", err=full) == (2, b"", b"")


@pytest.mark.parametrize("revisions", [["old", "new"], ["HEAD~1", "HEAD"]])
def test_with_everything_closed_a_file_is_still_written(
    revisions: list[str], example: Path, repository: GitRepository, expected: Report
) -> None:
    folder = repository.folder if "HEAD" in revisions else example
    file = example / "report.json"
    done = run_process("-C", folder, "-o", file, *revisions, before=close_everything)
    assert done == (0, b"", b"")
    assert without_revisions(json.loads(file.read_text())) == expected
