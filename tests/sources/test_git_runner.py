"""Git as a process: what it says, what it is asked, and a machine that has too little of all."""

import gzip
import json
import re
import resource
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog
from snapdiff.errors import RevisionError
from snapdiff.sources.git import GitHistory, open_whole
from snapdiff.sources.repository import Repository
from tests.support.documents import Item, lock, to_bytes
from tests.support.example import NEW, OLD
from tests.support.faults import git_that
from tests.support.helpers import pages_of, run_cli, run_json, spec, usual_page, write_files
from tests.support.nightly import nightly_but
from tests.support.oracle import Record
from tests.support.processes import is_one_line_error, run_process
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("file", "line"),
    nightly_but(
        [
            ("objects/info/alternates", "/nonexistent/objects/number/{}"),
            ("info/grafts", "this is no graft, and has number {}"),
        ],
        [("info/grafts", "this is no graft, and has number {}")],
    ),
)
def test_a_git_that_says_a_lot_is_heard_out(
    file: str, line: str, repository: GitRepository
) -> None:
    wanted = run_process("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    path = repository.folder / ".git" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(line.format(number) + "\n" for number in range(3000)))
    done = run_process("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    assert done == wanted
    assert done.status == 0
    story = run_process("changelog", "-C", repository.folder, "-f", "json", "HEAD~1..HEAD")
    assert story.status == 0


ODD_TAGS = [
    "-x",
    "--name-only",
    "--format=%(path)",
    "-d",
    ":foo",
    ":!foo",
    ":(top)foo",
    ":(exclude)foo",
    ":/foo",
    "*foo",
    "f?o",
    "[f]oo",
    "~",
    "$HOME",
]


@pytest.mark.parametrize("tag", nightly_but(ODD_TAGS, ["-x", ":(exclude)foo", "[f]oo", "$HOME"]))
def test_a_folder_is_taken_to_the_letter(tag: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")

    def pages(*records: Record) -> dict[str, str]:
        return {
            f"{item['tag']}/{item['package']}/specs.md": usual_page([item | {"tag": f"'{tag}'"}])
            for item in records
        }

    same = spec("d", package="q", tag=tag)
    repository.commit(pages(spec("b", "1.0", package="p", tag=tag), same))
    repository.commit(pages(spec("c", "1.1", package="p", tag=tag), same))
    run_git(tmp_path, "clone", "--quiet", str(repository.folder), "old")
    run_git(tmp_path / "old", "checkout", "--quiet", "HEAD~1")
    from_git = run_json("-C", repository.folder, "HEAD~1", "HEAD")
    from_folder = run_json("-C", repository.folder, "../old", ".")
    assert from_git["tags"] == from_folder["tags"]
    assert from_git["summary"]["unchanged"] == 1


def test_pathspecs_of_the_environment_make_no_difference(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    assert wanted.status == 0
    for name in ("LITERAL", "GLOB", "NOGLOB", "ICASE"):
        monkeypatch.setenv(f"GIT_{name}_PATHSPECS", "1")
        assert run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD") == wanted


@pytest.mark.parametrize("name", nightly_but(["$HOME", "~", "${PATH}"], ["$HOME"]))
def test_a_folder_called_like_a_variable_is_that_folder(name: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / name)
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    for start in (name, f"{name}/_cache"):
        done = run_process("-C", start, "-f", "json", "HEAD~1:./", "HEAD:./", cwd=tmp_path)
        assert (done.status, done.err) == (0, b"")
        assert json.loads(done.out)["tags"]


@pytest.mark.parametrize("files", nightly_but(range(5, 16), [5, 12]))
def test_where_files_are_short_the_error_says_so(files: int, repository: GitRepository) -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    done = run_process("-C", repository.folder, "HEAD~1", "HEAD", before=few_files)
    if done.status == 0:
        assert done == run_process("-C", repository.folder, "HEAD~1", "HEAD")
        return
    assert (done.status, done.out) == (2, b"")
    assert is_one_line_error(done.err), done.err
    assert b"Too many open files" in done.err
    assert b"not installed" not in done.err
    assert b"standard output" not in done.err


def test_a_tag_of_a_tag_ends_a_section(repository: GitRepository) -> None:
    repository.git("tag", "--annotate", "--message=x", "inner", "HEAD")
    repository.git("tag", "--annotate", "--message=y", "v1.0", "inner")
    repository.git("tag", "--annotate", "--message=z", "v1.0-again", "v1.0")
    repository.git("tag", "--delete", "inner")
    result = run_cli("changelog", "-C", repository.folder, "--by", "tag", "HEAD~1..HEAD")
    assert result.status == 0
    assert "## `v1.0, v1.0-again`" in result.out or "## `v1.0`, `v1.0-again`" in result.out


def commit_with_date(repository: GitRepository, date: str, version: str) -> str:
    """Make a commit with a committer's date that git would not make itself; return its id."""
    repository.commit(pages_of([spec(f"z{'abcdefgh'[int(version[-1])]}", version)]))
    tree = repository.git("rev-parse", "HEAD^{tree}")
    parent = repository.git("rev-parse", "HEAD~1")
    commit = repository.folder / "commit"
    commit.write_text(
        f"tree {tree}\nparent {parent}\nauthor t <t@t> 1700000000 +0000\n"
        f"committer t <t@t> {date}\n\nx\n"
    )
    made = repository.git("hash-object", "-t", "commit", "-w", "--literally", str(commit))
    commit.unlink()
    repository.git("update-ref", "HEAD", made)
    return made


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ("1700000000 +0000", "2023-11-14T22:13:20+00:00"),
        ("1700000000 -0530", "2023-11-14T16:43:20-05:30"),
        ("1700000000 +2359", "2023-11-15T22:12:20+23:59"),
        ("1700000000 +2400", "2023-11-14T22:13:20+00:00"),
        ("1700000000 +5130", "2023-11-14T22:13:20+00:00"),
        ("1700000000 -9999", "2023-11-14T22:13:20+00:00"),
        ("99999999999999 +0000", None),
    ],
)
def test_a_commit_of_any_zone_has_the_moment_it_was_made(
    date: str, iso: str | None, repository: GitRepository
) -> None:
    commit = commit_with_date(repository, date, "1.1")
    report = run_json("-C", repository.folder, "HEAD~1", commit)
    assert report["new"]["date"] == iso
    result = run_cli("changelog", "-C", repository.folder, "-f", "json", f"HEAD~1..{commit}")
    assert result.status == 0
    [section] = json.loads(result.out)
    assert section["new"]["date"] == iso


def test_a_folder_deeper_than_functions_can_call_each_other_is_listed(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit(pages_of(OLD))
    wanted = run_json("-C", tmp_path, "catalog", "catalog")
    deep = repository.folder / "_cache" / "/".join("d" * 1200)
    subprocess.run(["mkdir", "--parents", deep], check=True)
    try:
        assert run_json("-C", tmp_path, "catalog", "catalog")["tags"] == wanted["tags"] == []
        (deep / "specs.md").write_text(usual_page([spec("b", package="deep")]))
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "--message=Deep")
        for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"]):
            assert run_json("-C", repository.folder, *arguments)["summary"]["added"] == 1
    finally:  # what tidies up after the tests would not get to the bottom of it
        subprocess.run(["rm", "--recursive", "--force", deep.parents[1199]], check=True)


def asked_of_git(repository: GitRepository, folder: Path, *arguments: str) -> Counter[str]:
    """Which git commands a run starts, and how often."""
    log = folder / "asked"
    env = git_that(folder, "", f'printf "%s\\n" "$*" >> {log}')
    done = run_process(*arguments, "-C", repository.folder, "-f", "json", env=env)
    assert (done.status, done.err) == (0, b"")
    words = (
        re.sub(r"(-C \S+|-c \S+|--\S+=\S+) ", "", line) for line in log.read_text().splitlines()
    )
    return Counter(line.split()[0] for line in words)


def test_a_comparison_starts_few_git_commands(repository: GitRepository, tmp_path: Path) -> None:
    asked = asked_of_git(repository, tmp_path, "HEAD~1", "HEAD")
    del asked["ls-tree"]  # one for each folder of which the unchanged files are counted
    # The second one says what is in the place of pages that are gone, while the first is read.
    assert asked == {"rev-parse": 1, "cat-file": 2, "diff-tree": 1}


def test_a_changelog_lists_its_commits_once(repository: GitRepository, tmp_path: Path) -> None:
    asked = asked_of_git(repository, tmp_path, "changelog", "HEAD~1..HEAD")
    del asked["ls-tree"]
    assert asked == {
        "rev-parse": 2,
        "cat-file": 3,
        "rev-list": 1,
        "diff-tree": 3,
        "for-each-ref": 1,
    }


def test_two_versions_of_a_file_are_read_by_one_git(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "catalog")
    for version in ("1.3", "1.3.1"):
        repository.commit({"spack.lock": to_bytes(lock([Item("zlib", version)]))})
    asked = asked_of_git(repository, tmp_path, "HEAD~1:spack.lock", "HEAD:spack.lock")
    assert asked["cat-file"] == 1


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ("", b"Two lines\nof one subject\n\nand a body\n"),
        ("", b"\n \n  An indented subject after empty lines  \t\n \nand a body\n"),
        ("", b""),
        ("", b"before a zero byte\0after it\n"),
        ("", "Größe\n".encode()),
        ("", "Größe\n".encode("latin-1")),
        ("gpgsig -----BEGIN-----\n encoding ISO-8859-1\n \n -----END-----\n", "Größe\n".encode()),
    ],
)
def test_the_subject_of_a_commit_is_what_git_shows(
    headers: str, message: bytes, repository: GitRepository
) -> None:
    commit = repository.folder / "commit"
    tree, parent = (repository.git("rev-parse", name) for name in ("HEAD^{tree}", "HEAD~1"))
    who = "C. Ommitter> <c@example.org> 1700000000 +0000"
    head = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n{headers}\n"
    commit.write_bytes(head.encode() + message)
    made = repository.git("hash-object", "-t", "commit", "-w", "--literally", str(commit))
    command = ["git", "log", "-1", "--format=%s", "--encoding=UTF-8", made]
    shown = subprocess.run(command, cwd=repository.folder, capture_output=True, check=True).stdout
    wanted = shown.removesuffix(b"\n").decode("utf-8", "backslashreplace")
    report = run_json("-C", repository.folder, "HEAD~1", made)
    assert report["new"].get("subject", "") == wanted
    assert report["new"]["date"] == "2023-11-14T22:13:20+00:00"


def test_a_git_that_still_owes_files_is_asked_nothing_else(repository: GitRepository) -> None:
    opened = Repository(repository.folder)
    reading = opened.read(opened.entries("HEAD"))
    next(reading)
    assert opened.resolve("HEAD") == repository.git("rev-parse", "HEAD")
    del reading
    assert opened.resolve("HEAD~1") == repository.git("rev-parse", "HEAD~1")


@pytest.mark.parametrize("kept", [0, 5, 40])
def test_where_git_ended_at_a_damaged_object_another_is_asked(
    kept: int, repository: GitRepository
) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}")
    file = repository.folder / ".git" / "objects" / tree[:2] / tree[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:kept] + b"\xff" * 99)
    opened = Repository(repository.folder)
    for _ in range(2):
        assert opened.look_up(tree) is None
        assert opened.resolve("HEAD") == repository.git("rev-parse", "HEAD")


def test_every_commit_of_a_long_range_is_read(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    commits = "".join(
        f"commit refs/heads/main\ncommitter t <t@t> {number} +0000\ndata 1\nx\n"
        for number in range(130)
    )
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, input=commits.encode(), cwd=tmp_path, check=True)
    opened = Repository(tmp_path)
    first, *wanted = repository.git("rev-list", "--reverse", "HEAD").split()
    history = GitHistory(open_whole(opened, first), open_whole(opened, "HEAD"))
    assert [commit.id for commit in history.commits()] == wanted
    assert len(wanted) == 129


def test_the_first_file_of_a_listing_does_not_wait_for_the_last(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_later = f'{shutil.which("git")} "$@"; sleep 5; exit 1'
    monkeypatch.setenv("PATH", git_that(tmp_path, "ls-tree", fails_later)["PATH"])
    opened = Repository(repository.folder)
    assert next(opened.entries("HEAD")).path.endswith("specs.md")


def test_a_git_that_ended_is_not_asked_again(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = f"echo fatal: {tmp_path} is no place >&2"
    ends_once = f"test -e {tmp_path}/ended || {{ touch {tmp_path}/ended; {says}; exit 1; }}"
    monkeypatch.setenv("PATH", git_that(tmp_path, "cat-file", ends_once)["PATH"])
    opened = Repository(repository.folder)
    with pytest.raises(RevisionError, match=f"^git cat-file: fatal: {tmp_path} is no place$"):
        opened.resolve("HEAD")
    assert opened.resolve("HEAD") == repository.git("rev-parse", "HEAD")


def test_revisions_of_two_repositories_are_compared(
    repository: GitRepository, tmp_path: Path
) -> None:
    other = GitRepository(tmp_path / "other")
    other.commit(pages_of([spec("b", "1.0", package="p")]))
    other.commit(pages_of([spec("c", "1.1", package="p")]))
    old, new = (load_catalog(name, repository=other.folder) for name in ("HEAD~1", "HEAD"))
    here = load_catalog("HEAD", repository=repository.folder)
    assert diff_catalogs(old, new).summary.upgraded == 1
    for one, two in ((old, here), (here, new)):
        folders = (tmp_path / name for name in ("one", "two"))
        for source, folder in zip((one, two), folders, strict=True):
            for entry in source.source.files():
                content = source.source.content(entry.path)
                assert isinstance(content, bytes)
                write_files(folder, {entry.path: content})
        wanted = diff_catalogs(load_catalog(tmp_path / "one"), load_catalog(tmp_path / "two"))
        assert diff_catalogs(one, two).tags == wanted.tags
        shutil.rmtree(tmp_path / "one")
        shutil.rmtree(tmp_path / "two")


def test_a_compressed_file_and_a_plain_one_are_compared(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    documents = [to_bytes(lock([Item("zlib", version)])) for version in ("1.3", "1.3.1")]
    repository.commit({"spack.lock": documents[0], "new.lock.gz": gzip.compress(documents[1])})
    for names in (("spack.lock", "new.lock.gz"), ("new.lock.gz", "spack.lock")):
        report = run_json("-C", tmp_path, *(f"HEAD:{name}" for name in names))
        kind = "upgraded" if names[0] == "spack.lock" else "downgraded"
        assert report["summary"][kind] == 1
