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


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A repository with the driver installed and one commit that has a page."""
    made = GitRepository(tmp_path / "catalog")
    made.commit({PAGE: OLD})
    assert run_cli("git-driver", "--install", "-C", str(made.folder)).status == 0
    return made


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
        env=environment | NO_USER_SETTINGS | GIT_IDENTITY | variables,
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
    assert f"{PAGE}\n{blob} → working tree\n" in shown.stdout
    assert "  − zlib 1.2 gone, keeps 1.3   e4s\n" in shown.stdout
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
    assert "→ no file\n" in deleted
    assert "− hdf5 2.0, gone" in deleted
    assert f"{PAGE} → {moved}: no changes: " in renamed
    assert "no file → " in added
    assert "+ hdf5 2.0, new" in added
    assert "tag develop added" not in added  # the tag is more than this page,
    assert "stack e4s" not in shown.stdout  # and so are its stacks


def test_a_lock_and_every_spec_of_it(repository: GitRepository) -> None:
    old, new = (file.read_bytes() for file in LOCKS)
    repository.commit({"science/spack.lock": old})
    write(repository, {"science/spack.lock": new})
    assert run_cli("git-driver", "--install", "--detail", "-C", str(repository.folder)).status == 0
    shown = git(repository.folder, "diff")
    assert shown.stderr == ""
    assert "hwloc 2.11.1 → 2.12.0" in shown.stdout
    assert "every spec\n" in shown.stdout


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


def test_a_link_is_no_page_and_a_file_that_is_no_document_is_named(
    repository: GitRepository,
) -> None:
    (repository.folder / PAGE).unlink()
    (repository.folder / PAGE).symlink_to("/etc/passwd")
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert "root:" not in shown.stdout + shown.stderr
    (repository.folder / ".git/info/attributes").write_text("*.txt diff=snapdiff\n")
    repository.commit({"notes.txt": "one\n"})
    write(repository, {"notes.txt": "two\n"})
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert shown.stderr.startswith("snapdiff: error: notes.txt: is no document; ")


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
        env=os.environ | NO_USER_SETTINGS | {"TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert CODE.search(saved.read_text(encoding="utf-8"))


def settings(repository: GitRepository) -> list[bytes]:
    """What git reads of the driver."""
    return [
        (repository.folder / ".git" / name).read_bytes() for name in ("config", "info/attributes")
    ]


def test_installing_twice_changes_nothing_and_uninstalling_leaves_what_was_there(
    tmp_path: Path,
) -> None:
    made = GitRepository(tmp_path / "catalog")
    (made.folder / ".git" / "info").mkdir(exist_ok=True)
    (made.folder / ".git" / "info" / "attributes").write_text("*.png binary\n")
    before = settings(made)
    (made.folder / "deep").mkdir()
    assert run_cli("git-driver", "--install", "-C", str(made.folder)).status == 0
    once = settings(made)
    assert once != before
    assert run_cli("git-driver", "--install", "-C", str(made.folder / "deep")).status == 0
    assert settings(made) == once
    assert made.git("check-attr", "diff", "--", "x/specs.md", "build_cache/index.json") == (
        "x/specs.md: diff: snapdiff\nbuild_cache/index.json: diff: snapdiff"
    )
    for _ in range(2):
        assert run_cli("git-driver", "--uninstall", "-C", str(made.folder)).status == 0
        assert settings(made) == before


@pytest.mark.parametrize(
    "others",
    ["*.sh text\r\n", "# a\x0cb\n", '"x\x85y\u2028" text\n', "spack.lock diff=snapdiff \n"],
)
def test_the_lines_of_others_stay_as_they_are(others: str, tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "catalog")
    (made.folder / ".git/info").mkdir(exist_ok=True)
    file = made.folder / ".git/info/attributes"
    file.write_bytes(others.encode())
    assert run_cli("git-driver", "--install", "-C", str(made.folder)).status == 0
    assert file.read_bytes().startswith(others.encode())
    assert file.read_text("utf-8").count("spack.lock") == 1
    assert run_cli("git-driver", "--uninstall", "-C", str(made.folder)).status == 0
    assert file.read_bytes() == (b"" if "snapdiff" in others else others.encode())


def test_it_is_installed_in_a_worktree_of_a_folder_of_any_name(tmp_path: Path) -> None:
    made = GitRepository(tmp_path / os.fsdecode(b"b\xff"))
    made.commit({PAGE: OLD})
    made.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "worktree"))
    assert run_cli("git-driver", "--install", "-C", str(tmp_path / "worktree")).status == 0
    assert "specs.md" in (made.folder / ".git/info/attributes").read_text()


def test_where_the_attributes_cannot_be_written_no_setting_is_left(tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "catalog")
    (made.folder / ".git/info/attributes").mkdir(parents=True)
    done = run_cli("git-driver", "--install", "-C", str(made.folder))
    assert (done.status, "Is a directory" in done.err) == (2, True)
    assert "snapdiff" not in (made.folder / ".git/config").read_text()


def test_several_commands_become_one(tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "catalog")
    for command in ("one", "two"):
        made.git("config", "--add", "diff.snapdiff.command", command)
    assert run_cli("git-driver", "--install", "-C", str(made.folder)).status == 0
    assert made.git("config", "--get-all", "diff.snapdiff.command").count("\n") == 0


def test_the_users_file_of_attributes_may_be_named_in_an_included_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    (tmp_path / "gitconfig").write_text("[include]\npath = more\n")
    (tmp_path / "more").write_text(f"[core]\nattributesFile = {tmp_path}/mine\n")
    assert run_cli("git-driver", "--install", "--global").status == 0
    assert "spack.lock diff=snapdiff\n" in (tmp_path / "mine").read_text()
    assert not (tmp_path / "settings").exists()


def test_a_link_is_named_as_one(repository: GitRepository) -> None:
    (repository.folder / PAGE).unlink()
    (repository.folder / PAGE).symlink_to("elsewhere")
    shown = git(repository.folder, "diff")
    assert shown.returncode == 0
    assert f"snapdiff: error: {PAGE} (new): is a symbolic link, and links are not" in shown.stderr


def test_for_all_repositories_the_settings_are_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    assert run_cli("git-driver", "--install", "--global", "-C", str(tmp_path)).status == 0
    assert "git-driver" in (tmp_path / "gitconfig").read_text()
    assert "specs.md diff=snapdiff\n" in (tmp_path / "settings/git/attributes").read_text()
    (tmp_path / "gitconfig").write_text(f"[core]\nattributesFile = {tmp_path}/mine\n")
    assert run_cli("git-driver", "--install", "--global").status == 0
    assert "spack.lock diff=snapdiff\n" in (tmp_path / "mine").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "git calls this with 1, 7 or 9 arguments, not with 0"),
        (("--install", "--uninstall"), "--install and --uninstall take nothing else"),
        (("--install", "a"), "--install and --uninstall take nothing else"),
    ],
)
def test_what_git_does_not_say_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    done = run_cli("git-driver", *arguments)
    assert done.status == 2
    assert reason in done.err


def test_where_there_is_no_repository_nothing_is_installed(tmp_path: Path) -> None:
    done = run_cli("git-driver", "--install", "-C", str(tmp_path))
    assert done.status == 2
    assert done.err.startswith(f"snapdiff: error: {tmp_path}: git rev-parse: fatal: ")
    assert list(tmp_path.iterdir()) == []


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
    assert done.out.startswith("my.lock\n1111111 → working tree\n")
    assert "+ valgrind 3.23.0, new\n" in done.out


def test_the_documentation_shows_what_git_diff_prints(repository: GitRepository) -> None:
    path = "_cache/develop/geant4/specs.md"
    old, new = ((PROJECT / "snapshots" / date / path).read_bytes() for date in DATES)
    repository.commit({path: old})
    write(repository, {path: new})
    text = (PROJECT / "docs" / "git.md").read_text(encoding="utf-8")
    assert f"$ git diff\n{git(repository.folder, 'diff').stdout.rstrip()}\n```" in text
