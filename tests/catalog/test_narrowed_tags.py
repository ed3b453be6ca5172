"""Some paths of a tag say what happened to packages, not to the tag or a stack (section 2)."""

import json
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import Files, Report, pages_of, run_cli, run_json, spec, write_files
from tests.support.oracle import Record
from tests.support.repositories import GitRepository

ZLIB = [spec("a", package="zlib", stacks="e4s"), spec("b", package="zlib", stacks="ml")]
HDF5 = [spec("c", package="hdf5", stacks="e4s"), spec("d", package="hdf5", stacks="ml")]
PAGE = "_cache/develop/zlib"


def committed(folder: Path, *states: Files) -> GitRepository:
    repository = GitRepository(folder / "repository")
    for files in states:
        repository.commit(files)
    return repository


Fates = list[tuple[str, list[tuple[str, str, list[str]]]]]


def fates(report: Report) -> Fates:
    """What happened to each tag, to its stacks, and to whole packages in these."""
    return [
        (
            tag["status"],
            [
                (
                    stack["stack"],
                    stack["status"],
                    [it["package"] for it in stack["package_changes"] if it["whole"]],
                )
                for stack in tag["stacks"]
            ],
        )
        for tag in report["tags"]
    ]


TOLD = [("changed", [("e4s", "changed", ["zlib"]), ("ml", "changed", ["zlib"])])]


@pytest.mark.parametrize("paths", [[PAGE], ["*/zlib/*"], [":!_cache/develop/hdf5"]])
@pytest.mark.parametrize("kind", ["git", "folders", "working tree"])
def test_a_page_that_came_or_went_is_no_tag_and_no_stack(
    kind: str, paths: list[str], tmp_path: Path
) -> None:
    with_it, without = pages_of([*ZLIB, *HDF5]), pages_of(HDF5)
    if kind == "folders":
        write_files(tmp_path / "with", with_it)
        write_files(tmp_path / "without", without)
        sides = ["-C", str(tmp_path), "with", "without"]
    else:
        repository = committed(tmp_path, with_it, without)
        sides = ["-C", str(repository.folder), "HEAD~1", *(["HEAD"] if kind == "git" else [])]
    assert fates(run_json(*sides, "--", *paths)) == TOLD
    gate = run_cli(*sides, "-f", "csv", "--fail-on", "removed", "--", *paths)
    assert gate.status == 1
    assert "tag" not in gate.err
    assert "removed: zlib 1.0 in develop, e4s" in gate.err
    if kind != "working tree":
        back = run_json(*sides[:2], *reversed(sides[2:]), "--", *paths)
        assert fates(back) == TOLD


def test_a_stack_that_no_other_page_of_the_paths_has_is_neither_gone_nor_renamed(
    tmp_path: Path,
) -> None:
    """`ubuntu22` and `ubuntu24` are both there, on a page that the path leaves out."""

    def of(name: str, stack: str, package: str) -> Record:
        return spec(name, package=package, stacks=stack)

    others = [of("c", "ubuntu22", "hdf5"), of("d", "ubuntu24", "hdf5")]
    old, new = of("a", "ubuntu22", "zlib"), of("b", "ubuntu24", "zlib")
    repository = committed(tmp_path, pages_of([*others, old]), pages_of([*others, new]))
    sides = ("-C", repository.folder, "HEAD~1", "HEAD")
    told = [("changed", [("ubuntu22", "changed", ["zlib"]), ("ubuntu24", "changed", ["zlib"])])]
    assert fates(run_json(*sides)) == fates(run_json(*sides, "--", PAGE)) == told


def test_paths_with_all_of_a_tag_tell_what_happened_to_it_and_to_its_stacks(
    tmp_path: Path,
) -> None:
    other = pages_of([spec("z", tag="v1")])
    without_ml = [it for it in (*ZLIB, *HDF5) if "ml" not in it["stacks"]]
    states = pages_of([*ZLIB, *HDF5]) | other, pages_of(without_ml) | other, other
    repository = committed(tmp_path, *states)
    sides = ("-C", repository.folder, "-f", "json")
    gone = [("changed", [("e4s", "unchanged", []), ("ml", "removed", ["hdf5", "zlib"])])]
    assert fates(run_json(*sides, "HEAD~2", "HEAD~1", "--", "_cache/develop")) == gone
    removed: Fates = [("removed", [("e4s", "removed", [])])]
    for path in ("_cache/develop", PAGE):
        assert fates(run_json(*sides, "HEAD~1", "HEAD", "--", path)) == removed


def test_a_tag_in_another_folder_on_the_other_side_is_not_gone(tmp_path: Path) -> None:
    moved = {path.replace("develop", "moved"): text for path, text in pages_of(HDF5).items()}
    repository = committed(tmp_path, pages_of(ZLIB), moved)
    assert fates(run_json("-C", repository.folder, "HEAD~1", "HEAD", "--", PAGE)) == TOLD


def test_an_environment_that_came_or_went_is_told_whole(tmp_path: Path) -> None:
    content = to_bytes(lock([Item("zlib")]))
    hep, gpu = {"env/hep/spack.lock": content}, {"env/gpu/spack.lock": content}
    repository = committed(tmp_path, {**hep, **gpu}, gpu, {})
    sides = ("-C", repository.folder)

    def told(old: str, new: str) -> Fates:
        return fates(run_json(*sides, old, new, "--", "env/hep"))

    assert told("HEAD~2", "HEAD~1") == [("changed", [("hep", "removed", ["zlib"])])]
    assert told("HEAD~1", "HEAD~2") == [("changed", [("hep", "added", ["zlib"])])]
    assert told("HEAD~2", "HEAD") == [("removed", [("hep", "removed", [])])]


def test_a_changelog_of_a_page_tells_of_the_package(tmp_path: Path) -> None:
    repository = committed(tmp_path, pages_of([*ZLIB, *HDF5]), pages_of(HDF5), pages_of(ZLIB))
    story = run_cli("changelog", "-C", repository.folder, "-fjson", "HEAD~2..HEAD", "--", PAGE)
    assert [fates(section) for section in json.loads(story.out)] == [TOLD, TOLD]
