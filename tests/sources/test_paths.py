"""Paths after `--` narrow both sides as git's pathspecs do; git itself is the oracle."""

import itertools
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.errors import RevisionError
from snapdiff.sources.names import Paths
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import refused, run_cli, run_json, words, write_files
from tests.support.repositories import GitRepository

FILES = [
    "a*/spack.lock",
    "env/spack.lock",
    "envs/a/spack.lock",
    "envs/b/spack.lock",
    "envs/[c]/spack.lock",
    "envs/c/spack.lock",
    "spack.lock",
    "sub/envs/a/spack.lock",
    "sub/spack.lock",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with files of these names, each changed by its last commit."""
    repository = GitRepository(tmp_path_factory.mktemp("tree"))
    repository.commit(dict.fromkeys(FILES, "x"))
    repository.commit(dict.fromkeys(FILES, "y"))
    return repository.folder


def taken_by_git(folder: Path, paths: list[str]) -> list[str] | None:
    """What git says differs below these paths; None where it takes none of them."""
    done = subprocess.run(
        ["git", "diff", "--name-only", "-z", "HEAD~1", "HEAD", "--", *paths],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return None if done.returncode else sorted(done.stdout.split("\0")[:-1])


def taken(tree: Path, paths: list[str], prefix: str) -> list[str] | None:
    try:
        narrowed = Paths(paths, prefix, str(tree))
    except RevisionError:
        return None
    return [file for file in sorted(FILES) if narrowed.has(file)]


TABLE = [
    ["env"],
    ["env/"],
    ["env", "sub"],
    ["./envs/../env"],
    ["."],
    ["spack.lock"],
    ["spack.lock/"],
    ["spack.lock/."],
    ["*/"],
    ["a*/"],
    ["spack.lock/x/.."],
    ["envs/a/spack.lock"],
    ["*"],
    ["*.lock"],
    ["e*"],
    ["envs/?"],
    ["envs/?/*"],
    ["envs/[ab]/*"],
    ["envs/[!ab]/*"],
    ["envs/[^ab]/*"],
    ["envs/[a-b]/*"],
    ["envs/[]c]/*"],
    ["envs/[c]"],
    [r"envs/\[c\]/*"],
    ["a*"],
    [r"a\*/*"],
    [":!envs"],
    [":^envs/*"],
    ["envs", ":!envs/a"],
    ["envs", ":!*/a/*"],
    [":/env"],
    [":/"],
    [":/!sub", ":/envs"],
    ["**/a/*"],
    ["no-such"],
    ["../env"],
    ["../../env"],
    ["/elsewhere"],
    ["{top}"],
    ["{top}/env"],
    ["{top}/env/."],
    ["{top}/envs/[ab]/*"],
    ["{top}/envs", ":!{top}/envs/a"],
    ["{top}/../elsewhere"],
    ["{top}s"],
    [""],
]


@pytest.mark.parametrize("paths", TABLE, ids=words)
def test_paths_take_what_git_takes(paths: list[str], tree: Path) -> None:
    paths = [path.replace("{top}", str(tree)) for path in paths]
    for prefix in ("", "sub", "envs"):
        assert taken(tree, paths, prefix) == taken_by_git(tree / prefix, paths), prefix


PARTS = ["env", "envs", "a", "spack.lock", "*", "?", "[a-c]", "[!a]", "s*", r"\*", "..", "."]


@pytest.mark.slow
@given(
    st.lists(
        st.builds(
            "{}{}".format,
            st.sampled_from(["", "", ":!"]),
            st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("/".join),
        ),
        min_size=1,
        max_size=2,
    ),
    st.sampled_from(["", "sub", "envs/a"]),
)
def test_any_paths_take_what_git_takes(tree: Path, paths: list[str], prefix: str) -> None:
    assert taken(tree, paths, prefix) == taken_by_git(tree / prefix, paths)


@pytest.mark.parametrize("path", [":(exclude)env", ":(top)env", ":x"])
def test_other_signs_are_refused_in_one_line(path: str, tree: Path) -> None:
    said = refused("-C", tree, "HEAD~1", "HEAD", "--", path)
    assert said.startswith(f"{path}: is no path; folders, files and pat")


def test_an_absolute_path_is_of_a_working_tree(tree: Path) -> None:
    out = refused("-C", tree, "HEAD:envs", "HEAD:envs", "--", f"{tree}/envs/a")
    way_out = "leads out of what is compared; write a path that begins in it"
    assert out == f"{tree}/envs/a: {way_out}\n"


# --- In commands ---

OLD = {f"envs/{name}/spack.lock": to_bytes(lock([Item("lib")])) for name in ("a", "b")}
NEW = {path: to_bytes(lock([Item("lib"), Item("app")])) for path in OLD}


@pytest.fixture
def envs(tmp_path: Path) -> GitRepository:
    """Two environments, both changed by the last commit, which adds a third."""
    repository = GitRepository(tmp_path / "envs-of-a-team")
    repository.commit(OLD)
    repository.commit({**NEW, "envs/c/spack.lock": to_bytes(lock([Item("lib")]))})
    return repository


def stacks(*arguments: str | Path) -> list[tuple[str, str]]:
    report = run_json(*arguments)
    return [(item["stack"], item["status"]) for tag in report["tags"] for item in tag["stacks"]]


@pytest.mark.slow
@pytest.mark.parametrize("revisions", [["HEAD~1", "HEAD"], ["HEAD~1..HEAD"], ["HEAD~1"]], ids=words)
@pytest.mark.parametrize(
    ("start", "paths", "expected"),
    [
        ("", ["envs/a"], [("a", "changed")]),
        ("", ["envs/c"], [("c", "added")]),
        ("", ["envs/a", "envs/c"], [("a", "changed"), ("c", "added")]),
        ("", [":!envs/b", ":!envs/c"], [("a", "changed")]),
        ("", ["envs/a/spack.lock"], [("a", "changed")]),
        ("", ["*/b/*"], [("b", "changed")]),
        ("envs", ["b"], [("b", "changed")]),
        ("envs/b", ["."], [("b", "changed")]),
        ("envs/b", ["../a"], [("a", "changed")]),
        ("envs/b", [":/envs/a"], [("a", "changed")]),
        ("envs/b", ["{top}/envs/a"], [("a", "changed")]),
    ],
)
def test_both_sides_are_narrowed(
    revisions: list[str],
    start: str,
    paths: list[str],
    expected: list[tuple[str, str]],
    envs: GitRepository,
) -> None:
    paths = [path.replace("{top}", str(envs.folder)) for path in paths]
    assert stacks("-C", envs.folder / start, *revisions, "--", *paths) == expected


@pytest.mark.parametrize("start", ["", "envs", "envs/b"])
@pytest.mark.parametrize(
    "revisions", [["HEAD~1:envs", "HEAD:envs"], ["HEAD~1:envs"]], ids=["revisions", "working tree"]
)
def test_paths_begin_at_the_top_of_a_folder_that_is_named(
    revisions: list[str], start: str, envs: GitRepository
) -> None:
    assert stacks("-C", envs.folder / start, *revisions, "--", "a") == [("a", "changed")]


def test_a_path_that_nothing_is_at_is_an_error(envs: GitRepository) -> None:
    result = run_cli("-C", envs.folder, "HEAD~1", "HEAD", "--", "envs/a", "envs/x")
    assert result == (
        2,
        "",
        (
            "snapdiff: error: envs/x: there is nothing to compare on either side, neither a folder "
            "nor a document; mind that paths begin where you are\n"
        ),
    )
    assert run_cli("-C", envs.folder, "HEAD~1", "--allow-empty", "--", "envs/x").status == 0
    story = run_cli("changelog", "-C", envs.folder, "HEAD~1..", "--", "envs/a", "envs/x")
    assert story == result


@pytest.mark.parametrize("paths", [[":!envs"], ["envs", ":!*"]], ids=words)
def test_paths_that_leave_everything_out_are_an_error(
    paths: list[str], envs: GitRepository
) -> None:
    sides = ("-C", envs.folder, "HEAD~1", "HEAD")
    reason = "leaves nothing to compare on either side; name other paths, or pass --allow-empty"
    assert refused(*sides, "--", *paths) == f"-- {' '.join(paths)}: {reason}\n"
    assert run_cli(*sides, "--allow-empty", "--", *paths).status == 0


def test_a_changelog_takes_a_path_that_was_there_in_between_alone(envs: GitRepository) -> None:
    envs.commit(NEW)
    story = ("changelog", "-C", envs.folder, "HEAD~2..", "-f", "json")
    for paths in (["envs/a", "envs/c"], ["envs/c"]):
        told = run_cli(*story, "--", *paths)
        assert (told.status, told.err) == (0, "")
        found = [
            [
                item["status"]
                for tag in section["tags"]
                for item in tag["stacks"]
                if item["stack"] == "c"
            ]
            for section in json.loads(told.out)
        ]
        assert found == [["added"], ["removed"]]


def test_a_changelog_of_a_path_without_a_document_is_an_error(envs: GitRepository) -> None:
    for number in "12":
        envs.commit({**NEW, "notes/README.md": f"Day {number}\n"})
    story = ("changelog", "-C", envs.folder, "HEAD~1..", "--", "notes")
    assert refused(*story).startswith("-- notes: leaves nothing to compare on either side")


def test_three_arguments_are_an_error_that_shows_where_paths_are_written(
    envs: GitRepository,
) -> None:
    said = refused("-C", envs.folder, "HEAD~1", "HEAD", "envs/a")
    assert "paths in them come after --: HEAD~1 HEAD -- envs/a\n" in said


def test_a_changelog_is_narrowed(envs: GitRepository, tmp_path: Path) -> None:
    envs.commit({**OLD, **dict(itertools.islice(NEW.items(), 1))}, "Take b back")
    story = ("changelog", "-C", envs.folder / "envs", "-f", "json", "HEAD~2..HEAD")
    result = run_cli(*story, "--", "b")
    assert (result.status, result.err) == (0, "")
    assert result.out.count('"stack":"b"') == 2
    assert '"stack":"a"' not in result.out
    kept = tmp_path / "kept.md"
    assert run_cli(*story[:3], "-o", kept, "HEAD~2..HEAD", "--", "b").status == 0
    other = run_cli(*story[:3], "-o", kept, "HEAD~2..HEAD")
    assert (other.status, "was written with path=" in other.err) == (2, True)
    folder = tmp_path / "days"
    write_files(folder, {f"1/{path}": text for path, text in OLD.items()})
    write_files(folder, {f"2/{path}": text for path, text in NEW.items()})
    result = run_cli("changelog", "-f", "json", folder, "--", "envs/b")
    assert (result.status, result.out.count('"stack":"a"')) == (0, 0)
    assert result.out.count('"stack":"b"') == 1


def test_why_is_narrowed(envs: GitRepository) -> None:
    result = run_cli("why", "app", "-C", envs.folder, "HEAD~1", "HEAD", "--", "envs/b")
    assert result.status == 0, result
    assert " a " not in result.out
    both = run_cli("why", "app", "-C", envs.folder, "HEAD~1", "HEAD")
    assert " in a, b\n" in both.out
    assert "only path" not in both.out
    assert "; only path envs/b.\n" in result.out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["HEAD~1", "HEAD", "--", "envs"], "only path envs"),
        (["HEAD~1", "HEAD", "--", "envs/a", "envs/b"], "only path envs/a, envs/b"),
        (["HEAD~1", "HEAD", "-s", "a", "--", "envs"], "only path envs and"),
        (
            ["HEAD~1", "HEAD", "--", ":/envs", ":!*/c", ":/^x"],
            "only path :/envs; without path */c, x",
        ),
        (["HEAD~1:envs", "HEAD:envs"], "only path envs"),
        (["HEAD~1:envs/a/spack.lock", "HEAD:envs/a/spack.lock"], "only path envs/a/spack.lock"),
        (["HEAD~1:envs"], "only path envs"),
        (["HEAD~1", "HEAD"], ""),
        (["HEAD~1:envs/a", "HEAD:envs/b"], ""),
    ],
    ids=words,
)
@pytest.mark.parametrize("is_changed", [True, False], ids=["changes", "no changes"])
def test_a_report_names_the_paths_that_narrow_it(
    is_changed: bool, arguments: list[str], named: str, envs: GitRepository
) -> None:
    if not is_changed:
        for text in ("x", "y"):
            envs.commit(NEW | {"envs/c/spack.lock": NEW["envs/a/spack.lock"], "x.txt": text})
    for format_name in ("text", "markdown", "comment", "html"):
        said = run_cli("-C", envs.folder, "-f", format_name, *arguments).out
        plain = re.sub(r"\s+", " ", re.sub("</?code>|`", "", said)).replace(
            "Only path", "only path"
        )
        assert ("No changes" in plain or "Nothing changed" in plain) is not is_changed
        assert named in plain
        assert bool(named) is ("only path" in plain)


def test_a_changelog_names_the_paths_that_narrow_it(envs: GitRepository) -> None:
    story = ("changelog", "-C", envs.folder, "HEAD~1..HEAD")
    assert (
        "What changed; only path `envs/a`; newest first.\n" in run_cli(*story, "--", "envs/a").out
    )
    odd = os.fsdecode(b"envs/a\xff")
    files = {**NEW, f"{odd}/spack.lock": NEW["envs/a/spack.lock"]}
    envs.commit(files)
    assert r"only path `envs/a\xff`" in run_cli(*story, "--", odd).out
    assert r"only path `envs/a\xff`" in run_cli(*story, "--first-seen", "--", odd).out


def test_a_single_file_cannot_be_narrowed(envs: GitRepository) -> None:
    said = refused("-C", envs.folder, "HEAD~1:envs/a/spack.lock", "HEAD", "--", "envs")
    assert "HEAD~1:envs/a/spack.lock: is a single file, so no path can narrow it\n" in said


@pytest.mark.parametrize("arguments", [["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1...HEAD"]])
def test_a_path_that_is_not_utf_8_is_named_byte_by_byte(
    tmp_path: Path, arguments: list[str]
) -> None:
    repository = GitRepository(tmp_path)
    name = os.fsdecode(b"env-\xff")
    for version in ("1.2", "1.3"):
        repository.commit({f"{name}/spack.lock": to_bytes(lock([Item("zlib", version)]))})
    report = run_json("-C", tmp_path, *arguments, "--", name)
    assert report["summary"]["upgraded"] == 1
    assert report["filters"]["path"] == ["env-\\xff"]
    log = tmp_path / "log.ndjson"
    for _ in range(2):
        done = run_cli("changelog", "-C", tmp_path, "HEAD~1..HEAD", "-q", "-o", log, "--", name)
        assert (done.status, done.err) == (0, "")
