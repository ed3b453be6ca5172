"""`snapdiff git-driver`, called by real git: what git diff and git log show of documents."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.helpers import PROJECT, run_cli, spec, usual_page
from tests.support.repositories import GIT_IDENTITY, NO_USER_SETTINGS, GitRepository

pytestmark = pytest.mark.slow

PAGE = "_cache/develop/zlib/specs.md"
ODD = '_cache/develop/a "b"\n<c>\u202e\'$(touch sprung)/specs.md'

OLD = usual_page([spec("a", "1.2"), spec("b", "1.3")])
NEW = usual_page([spec("c", "1.3"), spec("b", "1.3")])

DATES = ("2025-06-29", "2025-07-06")
LOCKS = [PROJECT / "snapshots" / "environments" / date / "science/spack.lock" for date in DATES]


BIN = Path(sys.executable).parent
GUIDE = (PROJECT / "docs" / "git.md").read_text(encoding="utf-8")
SET_UP = GUIDE.partition("```console\n")[2].partition("```")[0]
"""What the documentation says to type."""


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A repository in which the driver was set up as documented, with a commit that has a page."""
    made = GitRepository(tmp_path / "catalog")
    made.commit({PAGE: OLD})
    set_up(made.folder)
    return made


def set_up(folder: Path) -> None:
    """Type the two lines of the documentation."""
    lines = SET_UP.splitlines()
    assert len(lines) == 2
    subprocess.run(["sh", "-ec", SET_UP], cwd=folder, check=True)


ON_PATH = {"PATH": f"{BIN}:{os.environ['PATH']}"}


def git(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """What a git command does without any settings of a user."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "NO_COLOR", "GIT_PAGER", "PAGER", "TERM")
    }
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment | ON_PATH | NO_USER_SETTINGS | GIT_IDENTITY | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def write(repository: GitRepository, files: Mapping[str, str | bytes | None]) -> None:
    """Write files, or remove them where the content is None."""
    for name, content in files.items():
        path = repository.folder / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_git_diff_shows_a_page_as_a_report_and_other_files_as_lines(
    repository: GitRepository,
) -> None:
    repository.commit({PAGE: OLD, "README.md": "one\n", "index.json": "{}\n"})
    write(repository, {PAGE: NEW, "README.md": "two\n", "index.json": "[]\n"})
    shown = git(repository.folder, "diff")
    assert (shown.returncode, shown.stderr) == (0, "")
    blob = repository.git("rev-parse", f"HEAD:{PAGE}")[:7]
    assert f"{PAGE}\n\nIn develop/e4s, from {blob} to working tree: " in shown.stdout
    assert ": zlib 1.2 → 1.3 (other builds had it already).\n" in shown.stdout
    assert "spec_details" not in shown.stdout
    assert "-one\n+two\n" in shown.stdout
    assert "-{}\n+[]\n" in shown.stdout
    assert "spec_details" in git(repository.folder, "diff", "--no-ext-diff").stdout


def test_a_history_shows_what_was_added_renamed_and_deleted(repository: GitRepository) -> None:
    other = usual_page([spec("d", "2.0", package="hdf5")])
    moved = "_cache/develop/moved/zlib/specs.md"
    repository.commit({PAGE: OLD, "_cache/develop/hdf5/specs.md": other})
    repository.commit({moved: OLD, "_cache/develop/hdf5/specs.md": other})
    repository.commit({moved: OLD})
    shown = git(repository.folder, "log", "--patch", "--ext-diff", "--find-renames", "-3")
    assert (shown.returncode, shown.stderr) == (0, "")
    deleted, renamed, added = shown.stdout.split("\ncommit ")
    assert " to no file: hdf5 2.0 is gone.\n" in deleted
    assert f"{PAGE} → {moved}: no changes from " in renamed
    assert "In develop/e4s, from no file to " in added
    assert ": hdf5 2.0 is new.\n" in added
    assert "tag develop added" not in added  # the tag is more than this page,
    assert "stack e4s" not in shown.stdout  # and so are its stacks


def test_a_lock_and_every_spec_of_it(repository: GitRepository) -> None:
    old, new = (file.read_bytes() for file in LOCKS)
    repository.commit({"science/spack.lock": old})
    write(repository, {"science/spack.lock": new})
    repository.git("config", "diff.snapdiff.command", "snapdiff git-driver --detail --")
    shown = git(repository.folder, "diff")
    assert shown.stderr == ""
    assert "hwloc 2.11.1 → 2.12.0" in shown.stdout
    assert "every spec: " in shown.stdout


def test_a_page_that_cannot_be_read_does_not_keep_git_from_the_next(
    repository: GitRepository,
) -> None:
    last = "_cache/develop/zlib/z/specs.md"
    repository.commit({PAGE: OLD, last: OLD})
    write(repository, {PAGE: "---\nnothing: [\n---\n", last: NEW})
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert f"{last}\n" in shown.stdout
    [line] = shown.stderr.splitlines()
    assert line.startswith(f"snapdiff: error: {PAGE} (new): line ")
    assert line.endswith("; git diff --no-ext-diff shows the lines")


def test_a_link_is_no_page(repository: GitRepository) -> None:
    (repository.folder / PAGE).unlink()
    (repository.folder / PAGE).symlink_to("/etc/passwd")
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert "root:" not in shown.stdout + shown.stderr


@pytest.mark.parametrize("name", ["notes.txt", "package_data.json"])
def test_a_file_that_is_no_document_or_only_a_part_of_one_is_named(
    name: str, repository: GitRepository
) -> None:
    (repository.folder / ".git/info/attributes").write_text(f"{name} diff=snapdiff\n")
    repository.commit({name: "one\n"})
    write(repository, {name: "two\n"})
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert shown.stderr.startswith(f"snapdiff: error: {name}: is nothing to compare; ")


def test_a_path_of_odd_characters_is_shown_and_never_run(repository: GitRepository) -> None:
    repository.commit({ODD: OLD, "-C/specs.md": OLD})
    write(repository, {ODD: NEW, "-C/specs.md": NEW})
    write(repository, {os.fsdecode(b"\xff/specs.md"): NEW})
    repository.git("add", "--intent-to-add", ".")
    shown = git(repository.folder, "diff")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "-C/specs.md\n" in shown.stdout
    assert "\\xff/specs.md\n" in shown.stdout
    assert "\u202e" not in shown.stdout
    assert not (repository.folder / "sprung").exists()


def test_in_the_middle_of_a_merge_the_path_is_named(repository: GitRepository) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({PAGE: NEW})
    repository.git("checkout", "--quiet", "main")
    repository.commit({PAGE: usual_page([spec("e", "9")])})
    assert git(repository.folder, "merge", "other").returncode == 1
    shown = git(repository.folder, "diff", "--cached")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"* Unmerged path {PAGE}\n", "")


CODE = re.compile("\x1b\\[[0-9;]*m")


def test_colours_and_the_width_are_those_of_git(repository: GitRepository) -> None:
    write(repository, {PAGE: NEW})
    always = ["-c", "color.diff=always"]

    def shown(*arguments: str, **variables: str) -> str:
        return git(repository.folder, *arguments, TERM="xterm", **variables).stdout

    assert not CODE.search(shown("diff"))
    assert CODE.search(shown(*always, "diff"))
    assert not CODE.search(shown(*always, "diff", NO_COLOR="1"))
    narrow = shown(*always, "diff", COLUMNS="50")
    assert max(len(CODE.sub("", line)) for line in narrow.splitlines()) <= 50
    assert max(map(len, shown("diff").splitlines())) > 50


def test_in_a_pager_that_git_started_there_are_colours(repository: GitRepository) -> None:
    write(repository, {PAGE: NEW})
    saved = repository.folder.parent / "paged"
    # A pager is only started on a terminal: `script` is one.
    command = f"git -c core.pager='cat > {saved}' diff"
    done = subprocess.run(
        [sys.executable, "-c", f"import pty; pty.spawn(['sh', '-c', {command!r}])"],
        cwd=repository.folder,
        env=os.environ | ON_PATH | NO_USER_SETTINGS | {"TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert CODE.search(saved.read_text(encoding="utf-8"))


def test_it_is_set_up_in_a_worktree_and_undone_in_a_line(tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "catalog")
    made.commit({PAGE: OLD})
    made.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "worktree"))
    set_up(tmp_path / "worktree")
    write(made, {PAGE: NEW})
    assert ": zlib 1.2 → 1.3" in git(made.folder, "diff").stdout
    [undo] = re.findall("^git config --unset .*", GUIDE, re.MULTILINE)
    subprocess.run(["sh", "-ec", undo], cwd=made.folder, check=True)
    shown = git(made.folder, "diff")
    assert shown.stderr == ""
    assert "spec_details" in shown.stdout


def test_the_help_has_the_lines_of_the_documentation() -> None:
    told = run_cli("git-driver", "--help").out.replace("\\\n", " ")
    words = [" ".join(line.split()) for line in told.splitlines()]
    assert {" ".join(line.split()) for line in SET_UP.splitlines()} <= set(words)


def test_a_link_is_named_as_one(repository: GitRepository) -> None:
    (repository.folder / PAGE).unlink()
    (repository.folder / PAGE).symlink_to("elsewhere")
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert f"snapdiff: error: {PAGE} (new): is a symbolic link, and links are not" in shown.stderr


def test_what_git_does_not_say_is_refused() -> None:
    done = run_cli("git-driver")
    assert done.status == 2
    assert "git calls this with 1, 7 or 9 arguments, not with 0" in done.err


def test_an_install_database_is_shown_as_a_report(repository: GitRepository) -> None:
    path = "tree/.spack-db/index.json"
    old, new = (
        PROJECT / "snapshots" / "trees" / date / "science/.spack-db/index.json" for date in DATES
    )
    repository.commit({path: old.read_bytes()})
    write(repository, {path: new.read_bytes()})
    shown = git(repository.folder, "diff")
    assert shown.stderr == ""
    assert f"{path}\n" in shown.stdout
    assert '"hash"' not in shown.stdout


def test_a_lock_may_have_any_name_that_attributes_name() -> None:
    versions = [[str(file), str(number) * 40, "100644"] for number, file in enumerate(LOCKS)]
    done = run_cli("git-driver", "--", "my.lock", *versions[1], *versions[0])
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("my.lock\n\nFrom 1111111 to working tree: ")
    assert "\nNew: valgrind 3.23.0\n" in done.out


def test_the_documentation_shows_what_git_diff_prints(repository: GitRepository) -> None:
    path = "_cache/develop/geant4/specs.md"
    old, new = ((PROJECT / "snapshots" / date / path).read_bytes() for date in DATES)
    repository.commit({path: old})
    write(repository, {path: new})
    text = (PROJECT / "docs" / "git.md").read_text(encoding="utf-8")
    assert f"$ git diff\n{git(repository.folder, 'diff').stdout.rstrip()}\n```" in text
