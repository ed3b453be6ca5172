"""What goes wrong around a run: the right report or a one-line error, and the old file intact."""

import ctypes
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.example import NEW, OLD
from tests.support.helpers import (
    PROJECT,
    Report,
    page_around,
    pages_of,
    run_cli,
    run_json,
    spec,
    usual_page,
    write_files,
)
from tests.support.processes import Ended, command, environment, is_one_line_error, run_process
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow

PAGE = "_cache/develop/zlib/specs.md"


@pytest.fixture
def expected(example: Path) -> Report:
    """What a run without any fault says, but for where the two sides are."""
    return without_revisions(run_json("-C", example, "old", "new"))


def without_revisions(report: Report) -> Report:
    return {key: value for key, value in report.items() if key not in ("old", "new")}


def failed(done: Ended) -> str:
    """The one line that a failed run printed."""
    assert (done.status, done.out) == (2, b""), done
    assert is_one_line_error(done.err), done.err
    return done.err.decode("utf-8")


# --- Killed ---


def test_killed_at_any_moment_the_output_file_is_the_old_one_or_the_new_one(
    example: Path, tmp_path: Path
) -> None:
    before = b"the old report\n"
    after = run_process("-C", example, "-f", "json", "old", "new").out
    began = time.monotonic()
    run_process("-C", example, "-f", "json", "old", "new")
    usual = time.monotonic() - began

    def kill_one(number: int) -> tuple[bool, bytes]:
        file = tmp_path / f"report-{number}.json"
        file.write_bytes(before)
        chance = random.Random(number)  # noqa: S311 - the same moments every time
        process = subprocess.Popen(
            command("-C", example, "-o", file, "old", "new"),
            cwd=PROJECT,
            env=environment(None),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(usual * chance.uniform(0.3, 1.3))
        process.kill()
        return process.wait() != 0, file.read_bytes()

    with ThreadPoolExecutor(max_workers=2) as pool:
        ends = list(pool.map(kill_one, range(200)))
    assert {content for _, content in ends} <= {before, after}
    assert all(content == after for killed, content in ends if not killed)
    assert any(killed for killed, _ in ends)


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_interrupted_while_it_writes_it_says_so_and_leaves_nothing_behind(
    number: signal.Signals, status: int, example: Path
) -> None:
    folder = example / "out"
    folder.mkdir()
    file = folder / "report.md"
    file.write_text("the old report\n")
    template = example / "endless.j2"
    template.write_text(ENDLESS)
    with subprocess.Popen(
        command("-C", example, "--template", template, "-o", file, "old", "new"),
        cwd=PROJECT,
        env=environment(None),
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr
        wait_until(lambda: len(list(folder.iterdir())) == 2)
        process.send_signal(number)
        assert process.wait(timeout=20) == status
        assert process.stderr.read() == b"snapdiff: error: interrupted\n"
    assert [item.name for item in folder.iterdir()] == ["report.md"]
    assert file.read_text() == "the old report\n"


def wait_until(condition: Any) -> None:
    """Return once a condition holds."""
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it never came true")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_interrupted_while_git_works_it_says_so(
    number: signal.Signals, status: int, repository: GitRepository, tmp_path: Path
) -> None:
    note = tmp_path / "process of git"
    env = git_that(
        tmp_path, "diff-tree", f"echo $$ > '{note}.new'; mv '{note}.new' '{note}'; exec sleep 60"
    )
    file = tmp_path / "report.json"
    file.write_text("the old report\n")
    with subprocess.Popen(
        command("-C", repository.folder, "-o", file, "HEAD~1", "HEAD"),
        cwd=PROJECT,
        env=environment(env),
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stderr
        wait_until(note.exists)
        process.send_signal(number)
        child = int(note.read_text())
        try:
            assert process.wait(timeout=20) == status
            assert process.stderr.read() == b"snapdiff: error: interrupted\n"
        finally:
            os.kill(child, signal.SIGKILL)
    assert file.read_text() == "the old report\n"


# --- Nowhere to write ---


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


@pytest.mark.parametrize("name", ["json", "markdown", "text", "csv", "comment", "html"])
def test_where_the_disk_is_full_the_old_file_stays(name: str, example: Path) -> None:
    folder = example / "out"
    folder.mkdir()
    file = folder / "report"
    file.write_text("the old report\n")
    done = run_process("-C", example, "-f", name, "-o", file, "old", "new", before=limit_file_size)
    assert f"{file}: cannot be written: File too large" in failed(done)
    assert [(item.name, item.read_text()) for item in folder.iterdir()] == [
        ("report", "the old report\n")
    ]


@pytest.mark.parametrize("python", [(), ("-u",)], ids=["buffered", "unbuffered"])
def test_standard_output_into_a_full_file_is_an_error(
    python: tuple[str, ...], example: Path, tmp_path: Path
) -> None:
    with open(tmp_path / "report", "wb") as file:
        done = subprocess.run(
            command("-C", example, "-f", "json", "old", "new", python=python),
            cwd=PROJECT,
            env=environment({"PYTHONUNBUFFERED": None}),
            stdout=file,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=limit_file_size,
        )
    assert done.returncode == 2
    assert done.stderr == (b"snapdiff: error: standard output: cannot be written: File too large\n")


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


@pytest.mark.parametrize("arguments", [["-f", "json"], ["-f", "csv"], ["-o", "/dev/full"]])
def test_a_full_device_is_an_error(arguments: Sequence[str], example: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("-C", example, *arguments, "old", "new"),
            cwd=PROJECT,
            env=environment(None),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert is_one_line_error(done.stderr), done.stderr
    assert b"cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["changelog", "--help"]])
@pytest.mark.parametrize("python", [(), ("-u",)], ids=["buffered", "unbuffered"])
def test_help_and_version_too_say_that_they_cannot_be_written(
    arguments: Sequence[str], python: tuple[str, ...]
) -> None:
    words = command(*arguments, python=python)
    env = environment({"PYTHONUNBUFFERED": None})
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, env=env, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        b"snapdiff: error: standard output: cannot be written: No space left on device\n"
    )
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as gone:
        assert gone.stdout
        gone.stdout.close()
        assert gone.stderr
        assert gone.stderr.read() == b""
    assert gone.returncode == 0


_FAKE_GIT = """#!/bin/sh
case " $* " in *" {word} "*) {what} ;; esac
exec {git} "$@"
"""


@pytest.mark.parametrize("word", ["--batch-check", "--stdin"])
@pytest.mark.parametrize(
    "what", ["exec 0<&-; sleep 0.2; exit 1", "exit 1", "exec >&-; cat >/dev/null; exit 1"]
)
def test_a_git_that_ends_too_early_is_an_error(
    word: str, what: str, repository: GitRepository, tmp_path: Path
) -> None:
    git = shutil.which("git")
    assert git
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(_FAKE_GIT.format(word=word, what=what, git=git))
    (folder / "git").chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    story = "HEAD~1:_cache..HEAD:_cache"
    done = run_process("changelog", "-C", repository.folder, story, "-f", "json", env=env)
    assert "stopped in the middle; see git fsck" in failed(done)


def test_an_output_folder_that_goes_away_is_an_error(
    repository: GitRepository, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    env = git_that(tmp_path, "diff-tree", f"rmdir '{folder}'")
    done = run_process(
        "-C", repository.folder, "-o", folder / "report.json", "HEAD~1", "HEAD", env=env
    )
    assert f"{folder / 'report.json'}: cannot be written: No such file or directory" in failed(done)


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
    # A page that contradicts itself would be warned of.
    page = example / "new" / PAGE
    page.write_text(page.read_text().replace('"num_specs": 1', '"num_specs": 7'))
    arguments = ["-C", str(example), "-f", "json", "old", "new"]
    done = run_process(*arguments, before=close_standard_error)
    assert (done.status, done.err) == (0, b"")
    assert without_revisions(json.loads(done.out)) == expected
    with open("/dev/full", "wb") as full:
        again = subprocess.run(
            command(*arguments),
            cwd=PROJECT,
            env=environment(None),
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert (again.returncode, again.stdout) == (0, done.out)


def test_where_standard_error_is_closed_an_error_is_an_error_all_the_same(example: Path) -> None:
    done = run_process("-C", example, "no-such", "new", before=close_standard_error)
    assert done == (2, b"", b"")
    with open("/dev/full", "wb") as full:
        again = subprocess.run(
            command("-C", example, "./no-such", "new"),
            cwd=PROJECT,
            env=environment(None),
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert (again.returncode, again.stdout) == (2, b"")


@pytest.mark.parametrize("revisions", [["old", "new"], ["HEAD~1", "HEAD"]])
def test_with_everything_closed_a_file_is_still_written(
    revisions: list[str], example: Path, repository: GitRepository, expected: Report
) -> None:
    folder = repository.folder if "HEAD" in revisions else example
    file = example / "report.json"
    done = run_process("-C", folder, "-o", file, *revisions, before=close_everything)
    assert done == (0, b"", b"")
    assert without_revisions(json.loads(file.read_text())) == expected


# --- Pages that cannot be read, or change ---

_DROP_FROM_BOUNDING_SET, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


def obey_permissions() -> None:
    """Take from a process the right of root to read and write whatever it likes."""
    for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


def test_a_page_without_permission_is_a_bad_page(example: Path, expected: Report) -> None:
    page = example / "new" / "_cache" / "develop" / "cmake" / "specs.md"
    page.chmod(0)
    done = run_process("-C", example, "old", "new", before=obey_permissions)
    assert "_cache/develop/cmake/specs.md (new): cannot be read: Permission denied" in failed(done)
    arguments = ["-C", str(example), "--skip-bad-pages", "-q", "-f", "json", "old", "new"]
    done = run_process(*arguments, before=obey_permissions)
    assert (done.status, done.err) == (0, b"")
    report = json.loads(done.out)
    assert [item["path"] for item in report["skipped"]] == ["_cache/develop/cmake/specs.md"]
    assert report["summary"] == expected["summary"] | {"rebuilt": 0}


def test_a_folder_without_permission_is_an_error(example: Path) -> None:
    folder = example / "new" / "_cache" / "develop"
    folder.chmod(0)
    done = run_process("-C", example, "old", "new", before=obey_permissions)
    folder.chmod(0o755)
    assert "cannot list the directory: Permission denied" in failed(done)


def test_a_page_that_is_replaced_again_and_again_is_one_or_the_other(example: Path) -> None:
    page = example / "new" / PAGE
    contents = [page.read_bytes(), (example / "old" / PAGE).read_bytes()]
    wanted = []
    for content in contents:
        page.write_bytes(content)
        wanted.append(run_json("-C", example, "old", "new"))
    assert wanted[0] != wanted[1]
    with replaced_all_the_time(page, contents):
        for _ in range(60):
            result = run_cli("-C", example, "-f", "json", "old", "new")
            if result.status == 0:
                assert json.loads(result.out) in wanted
            else:
                assert (result.status, result.out) == (2, "")
                assert f"{PAGE} (new): changed while it was read" in result.err


class replaced_all_the_time:  # noqa: N801 - reads as what it does
    """For as long as the block runs, a file has one content and then the other."""

    def __init__(self, file: Path, contents: Sequence[bytes]) -> None:
        """Take the file and what it is to hold in turn."""
        self._file = file
        self._contents = contents
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        spare = self._file.with_suffix(".spare")
        while not self._over.is_set():
            for content in self._contents:
                spare.write_bytes(content)
                spare.replace(self._file)

    def __enter__(self) -> None:
        """Begin."""
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """End."""
        self._over.set()
        self._thread.join()


def test_a_page_that_is_written_while_it_is_read_is_never_half_a_page(example: Path) -> None:
    page = example / "new" / PAGE
    records = [spec(f"a{letter}", f"1.{number}") for number, letter in enumerate("bcdefghijk")]
    whole = usual_page(records).encode()
    page.write_bytes(whole)
    wanted = run_json("-C", example, "old", "new")
    for length in range(0, len(whole), 97):
        page.write_bytes(whole[:length])
        result = run_cli("-C", example, "-f", "json", "old", "new")
        assert (result.status, result.out) == (2, ""), length
        assert f"{PAGE} (new): " in result.err
    page.write_bytes(whole)
    assert run_json("-C", example, "old", "new") == wanted


# --- Repositories that move, or are damaged ---


def git_that(folder: Path, asked: str, action: str) -> dict[str, str]:
    """An environment in which git does something else before it does what it is `asked` for."""
    real = shutil.which("git")
    program = folder / "programs" / "git"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\ncase "$*" in *{asked}*) {action};; esac\nexec {real} "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("asked", ["rev-parse", "cat-file", "diff-tree", "ls-tree"])
def test_where_a_branch_moves_during_a_run_the_report_is_of_the_commits_it_names(
    asked: str, repository: GitRepository, tmp_path: Path
) -> None:
    run_git(tmp_path, "clone", "--quiet", str(repository.folder), "other")
    third = pages_of([*NEW, spec("y", package="late")])
    repository.commit(third)
    repository.commit(third | pages_of([spec("z", package="later")]))
    ids = repository.git("rev-list", "HEAD").split()
    assert len(ids) == 4
    repository.git("update-ref", "refs/heads/main", ids[2])
    # Each time git is asked, the branch has moved on by one commit.
    count, branch = tmp_path / "count", repository.folder / ".git" / "refs" / "heads" / "main"
    moves = (
        f"n=$(cat '{count}' 2>/dev/null || echo 2); echo $((n > 0 ? n - 1 : 0)) > '{count}'; "
        f"'{shutil.which('git')}' -C '{repository.folder}' rev-parse {ids[0]}~$n > '{branch}'"
    )
    env = git_that(tmp_path, asked, moves)
    done = run_process("-C", repository.folder, "-f", "json", "main~1", "main", env=env)
    assert (done.status, done.err) == (0, b"")
    report = json.loads(done.out)
    commits = [report[side]["commit"] for side in ("old", "new")]
    assert set(commits) <= set(ids)
    again = run_json("-C", repository.folder, *commits)
    assert without_revisions(again) == without_revisions(report)


def loose_objects(repository: GitRepository) -> list[Path]:
    return sorted((repository.folder / ".git" / "objects").glob("??/*"))


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "garbage"])
def test_whichever_object_is_damaged_the_report_is_right_or_there_is_none(
    damage: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(pages_of(OLD[:3]))
    repository.commit(pages_of(NEW[:3]))
    wanted = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    assert wanted.status == 0
    outcomes = set()
    for file in loose_objects(repository):
        content = file.read_bytes()
        file.chmod(0o644)
        file.unlink()
        if damage != "gone":
            file.write_bytes(
                {"empty": b"", "cut": content[: len(content) // 2], "garbage": b"\xff" * 99}[damage]
            )
        result = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
        outcomes.add(result.status)
        if result.status == 0:
            assert result == wanted, file
        else:
            assert (result.status, result.out) == (2, "")
            assert is_one_line_error(result.err), result.err
        file.write_bytes(content)
    assert 2 in outcomes


@pytest.mark.parametrize("at", [0.1, 0.4, 0.7, 0.95])
def test_a_damaged_pack_gives_the_right_report_or_none(at: float, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    wanted = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    repository.git("gc", "--quiet")
    assert run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD") == wanted
    [pack] = (tmp_path / ".git" / "objects" / "pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    for place in range(int(len(content) * at), int(len(content) * at) + 8):
        content[place] ^= 0xFF
    pack.chmod(0o644)
    pack.write_bytes(content)
    result = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    assert result == wanted or (
        (result.status, result.out) == (2, "") and is_one_line_error(result.err)
    )


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("HEAD", b""),
        ("HEAD", b"ref: refs/heads/no-such\n"),
        ("HEAD", b"\xff\xfe\0"),
        ("refs/heads/main", b"0" * 40 + b"\n"),
        ("refs/heads/main", b"no hash\n"),
        ("config", b"[core\n"),
        ("config", b"\xff\xfe[core]\n"),
        ("config", b"[core]\n\trepositoryformatversion = 99\n"),
        ("packed-refs", b"\0\0\0"),
        ("index", b"DIRC no index"),
        ("objects/info/alternates", b"/no/such/folder\n\xff\n"),
        ("info/grafts", b"no graft\n"),
        ("shallow", b"no shallow\n"),
    ],
)
def test_a_damaged_git_folder_gives_the_right_report_or_none(
    file: str, content: bytes, repository: GitRepository
) -> None:
    wanted = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    (repository.folder / ".git" / file).parent.mkdir(exist_ok=True)
    (repository.folder / ".git" / file).write_bytes(content)
    result = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    assert result == wanted or (
        (result.status, result.out) == (2, "") and is_one_line_error(result.err)
    )


# --- Every kind of repository ---


def test_objects_named_by_sha_256_are_read(tmp_path: Path, expected: Report) -> None:
    run_git(
        tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "new256"
    )
    repository = GitRepository(tmp_path / "new256")
    repository.commit(pages_of(OLD))
    commit = repository.commit(pages_of(NEW))
    assert len(commit) == 64
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1:", "HEAD:"]):
        report = run_json("-C", repository.folder, *arguments)
        assert without_revisions(report) == expected
    assert run_json("-C", repository.folder, "HEAD~1", "HEAD")["new"]["commit"] == commit


def test_bare_and_linked_and_mirrored_repositories_are_read(
    repository: GitRepository, tmp_path: Path, expected: Report
) -> None:
    run_git(tmp_path, "clone", "--quiet", "--mirror", str(repository.folder), "mirror")
    run_git(tmp_path, "clone", "--quiet", "--shared", str(repository.folder), "shared")
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    run_git(
        tmp_path,
        *("clone", "--quiet", "--separate-git-dir", str(tmp_path / "separate.git")),
        *(str(repository.folder), "separate"),
    )
    for name in ("mirror", "shared", "linked", "separate", "separate.git"):
        assert without_revisions(run_json("-C", tmp_path / name, "HEAD~1", "HEAD")) == expected
    for name in ("linked", "separate"):
        assert without_revisions(run_json("-C", tmp_path / name, "HEAD~1")) == expected


def test_a_submodule_is_a_repository_of_its_own_and_no_part_of_the_outer_one(
    repository: GitRepository, tmp_path: Path, expected: Report
) -> None:
    outer = GitRepository(tmp_path / "outer")
    outer.commit(pages_of([spec("b", package="own")]))
    outer.git("submodule", "--quiet", "add", str(repository.folder), "inner")
    outer.git("commit", "--quiet", "--message=Add")
    inner = outer.folder / "inner"
    assert without_revisions(run_json("-C", inner, "HEAD~1", "HEAD")) == expected
    assert without_revisions(run_json("-C", inner, "HEAD~1")) == expected
    for arguments in (["HEAD~1", "HEAD"], ["HEAD"], []):
        assert run_json("-C", outer.folder, *arguments)["tags"] == [], arguments


# --- Odd names and bare surroundings ---

ODD_NAMES = [
    b"two words",
    b"a\nline",
    b"caf\xc3\xa9",
    b"\xff\xfe",
    b"'quoted\"",
    b"-C",
    b"$HOME",
    b"~root",
    b"%s{0}",
    b"*?[x]",
    b"a:b",
    b"back\\slash",
    b"\x1b[31m",
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_a_repository_in_a_folder_of_any_name_is_read(
    name: bytes, tmp_path: Path, expected: Report
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    repository = GitRepository(folder)
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1", str(folder)]):
        assert without_revisions(run_json("-C", folder, *arguments)) == expected
    # Named from where it stands, the name is all there is.
    done = run_process("-C", name, "-f", "json", "HEAD~1", "HEAD", cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    assert without_revisions(json.loads(done.out)) == expected


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_a_page_in_a_folder_of_any_name_is_read_and_named(name: bytes, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit({"_cache/README": ""})
    text = os.fsdecode(name)
    write_files(repository.folder, {f"_cache/develop/{text}/specs.md": usual_page([spec("b")])})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Page")
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"]):
        report = run_json("-C", repository.folder, "--allow-empty", *arguments)
        assert report["summary"]["added"] == 1
    write_files(repository.folder, {f"_cache/develop/{text}/specs.md": "gone\n"})
    for locale in ("C", "C.UTF-8"):
        done = run_process("-C", repository.folder, env={"LC_ALL": locale})
        told = failed(done)
        assert told.isprintable() or told.rstrip("\n").isprintable()
        assert "specs.md (new): line 1: no front matter" in told


BARE_ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "locale C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": None, "PYTHONIOENCODING": None},
    "locale C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "locale POSIX": {"LC_ALL": "POSIX", "LANG": None},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "no such locale": {"LC_ALL": "xx_YY.NO-SUCH"},
    "no home": {"HOME": None, "XDG_CONFIG_HOME": None},
    "a home that is not there": {"HOME": "/no/such/home", "XDG_CONFIG_HOME": "/no/such"},
    "a home that is a file": {"HOME": "/dev/null"},
    "no terminal": {"TERM": None, "COLUMNS": None},
    "a strange terminal": {"TERM": "\x1b", "COLUMNS": "-1", "LINES": "x"},
    "traced by git": {"GIT_TRACE": "1", "GIT_TRACE_SETUP": "1", "GIT_TRACE2": "1"},
}


@pytest.mark.parametrize("changes", BARE_ENVIRONMENTS.values(), ids=BARE_ENVIRONMENTS)
def test_surroundings_make_no_difference(
    changes: dict[str, str | None], repository: GitRepository
) -> None:
    page = page_around("[]", title="caf\u00e9")
    write_files(repository.folder, {"_cache/develop/caf\u00e9/specs.md": page})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Umlaut")
    arguments = ["-C", str(repository.folder), "-f", "text", "-k", "*", "HEAD~2"]
    usual = run_process(*arguments)
    assert usual.status == 0
    assert run_process(*arguments, env=changes) == usual


def test_a_read_only_home_makes_no_difference(repository: GitRepository, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o555)
    usual = run_process("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    done = run_process(
        *("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD"),
        env={"HOME": str(home), "GIT_CONFIG_GLOBAL": None},
        before=obey_permissions,
    )
    assert usual.status == 0
    assert done == usual
    assert list(home.iterdir()) == []


def test_a_working_folder_that_is_gone_is_an_error_or_makes_no_difference(
    example: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    done = run_process(
        *("-C", example, "-f", "json", "old", "new"), cwd=folder, before=lambda: os.rmdir(folder)
    )
    assert done.status == 0
    folder.mkdir()
    done = run_process("old", "new", cwd=folder, before=lambda: os.rmdir(folder))
    assert done.status == 2
    assert is_one_line_error(done.err)


# --- Arguments that no system takes ---

LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG, "new"],
        [f"./{LONG}", "new"],
        [f"{LONG}..new"],
        ["-C", LONG, "old", "new"],
        ["-o", f"{LONG}.json", "old", "new"],
        ["-o", f"{LONG}/report.json", "old", "new"],
        ["--template", LONG, "old", "new"],
        ["--template-folder", LONG, "old", "new"],
    ],
    ids=lambda arguments: " ".join(arguments).replace(LONG, "LONG"),
)
def test_a_name_that_is_too_long_is_an_error(arguments: list[str], example: Path) -> None:
    result = run_cli("-C", example, *arguments)
    assert (result.status, result.out) == (2, "")
    assert is_one_line_error(result.err), result.err[-200:]
