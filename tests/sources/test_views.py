"""Views of a mirror: an index of some of its specs, by each of its names and from each source."""

import json
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.helpers import refused, run_cli, run_json, write_files
from tests.support.mirrors import LISTING, MANIFEST, below, index, layout_2, layout_3
from tests.support.real_catalogs import DATA, needs_real_catalogs
from tests.support.repositories import GitRepository
from tests.support.servers import WebServer

ALL = index("zlib", "cmake", "gcc")
SMALL, BIG = index("zlib"), index("zlib", "cmake")


def view(name: str, content: bytes) -> dict[str, bytes]:
    """A view by path."""
    manifest = f"v3/manifests/index/{name}/index.manifest.json"
    return {path.replace(MANIFEST, manifest): text for path, text in layout_3(content).items()}


VIEWS = {**view("small", SMALL), **view("big", BIG)}


def counts(report: dict[str, Any], side: str = "new") -> dict[str, int]:
    """How many specs each stack has."""
    return {
        stack["stack"]: stack["specs"][side] for tag in report["tags"] for stack in tag["stacks"]
    }


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def diff(old: str | Path, new: str | Path, *options: str | Path) -> dict[str, Any]:
    return run_json("--allow-empty", *options, old, new)


Named = Callable[[str], tuple[str, tuple[str | Path, ...]]]


@pytest.fixture(params=["folder", "URL of files", "web", "git"])
def named(
    request: pytest.FixtureRequest, tmp_path: Path, server: WebServer
) -> Callable[[dict[str, bytes]], Named]:
    """How a mirror with some files is named, and a name in it."""

    def of(files: dict[str, bytes]) -> Named:
        write_files(tmp_path / "r" / "m", files)
        server.files.update(below("m", files))
        if request.param == "git":
            repository = GitRepository(tmp_path / "r")
            repository.git("add", "-A")
            repository.git("commit", "-q", "-m", "mirror")
        place = {
            "folder": f"{tmp_path}/r/m",
            "URL of files": f"file://{tmp_path}/r/m",
            "web": f"{server.url}/m",
            "git": "HEAD:m",
        }[request.param]
        return lambda name: (f"{place}{name}", ("-C", tmp_path / "r"))

    return of


@pytest.mark.parametrize("more", [layout_3(ALL), {}], ids=["beside an index", "alone"])
@pytest.mark.parametrize("end", ["/small", "/v3/manifests/index/small/index.manifest.json"])
def test_a_view_is_named_after_its_mirror(
    empty: Path, named: Callable[[dict[str, bytes]], Named], more: dict[str, bytes], end: str
) -> None:
    name, options = named({**VIEWS, **more})(end)
    assert counts(diff(empty, name, *options)) == {"small": 1}


def test_a_mirror_with_an_index_has_all_that_is_in_it(
    empty: Path, named: Callable[[dict[str, bytes]], Named]
) -> None:
    name, options = named({**VIEWS, **layout_3(ALL)})("")
    assert counts(diff(empty, name, *options)) == {".": 3}


@pytest.mark.parametrize("main", [layout_2(ALL), layout_3(ALL)], ids=["2", "3"])
def test_views_alone_are_the_stacks_of_a_mirror(
    tmp_path: Path, empty: Path, main: dict[str, bytes]
) -> None:
    write_files(tmp_path / "m", VIEWS)
    assert counts(diff(empty, tmp_path / "m")) == {"big": 2, "small": 1}
    write_files(tmp_path / "n", below("v1/e4s", VIEWS))
    report = diff(empty, tmp_path / "n")
    assert (report["tags"][0]["new"], counts(report)) == ("v1", {"big": 2, "small": 1})
    write_files(tmp_path / "m", main)
    assert counts(diff(empty, tmp_path / "m")) == {".": 3}


def test_a_main_index_that_comes_puts_views_out_of_use(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "r")
    for files in (VIEWS, layout_3(ALL)):
        write_files(repository.folder, files)
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "mirror")
    report = run_json("HEAD~1", "HEAD", "-C", repository.folder)
    assert counts(report, "old") == {".": 0, "big": 2, "small": 1}
    assert counts(report, "new") == {".": 3, "big": 0, "small": 0}
    for side, revision in (("old", "main~1"), ("new", "main")):
        repository.git("checkout", "-q", revision)
        shutil.copytree(repository.folder, tmp_path / side, ignore=shutil.ignore_patterns(".git"))
    assert run_json(tmp_path / "old", tmp_path / "new", "-q")["tags"] == report["tags"]


def test_a_view_whose_blob_goes_without_its_manifest_is_skipped(tmp_path: Path) -> None:
    """The manifest is the same on both sides: what differs is the blob alone."""
    repository = GitRepository(tmp_path / "r")
    missing = next(path for path in view("small", SMALL) if "blobs" in path)
    without = {path: content for path, content in VIEWS.items() if path != missing}
    for name, files in (("old", VIEWS), ("new", without)):
        write_files(tmp_path / name, files)
        repository.commit(files)
    folders = tmp_path / "old", tmp_path / "new"
    for words in (("HEAD~1", "HEAD"), folders, ("changelog", "HEAD~1..HEAD")):
        result = run_cli(*words, "-C", repository.folder, "-f", "json", "--skip-bad-pages")
        assert result.status == 0, result.err
        found = json.loads(result.out)
        [report] = found if "changelog" in words else [found]
        assert report["tags"] == []
        [skipped] = report["skipped"]
        assert (skipped["side"], skipped["error"]) == ("new", f"{missing}: there is no such file")


def test_what_a_view_does_not_name_is_not_there(tmp_path: Path, server: WebServer) -> None:
    write_files(tmp_path / "m", {**VIEWS, **layout_3(ALL)})
    server.files.update(below("m", {**VIEWS, **layout_3(ALL)}))
    for name in (tmp_path / "m" / "none", f"{server.url}/m/none"):
        assert str(name) in refused("--allow-empty", name, tmp_path / "m")
    assert LISTING not in server.paths()


def test_the_files_beside_a_view_are_not_in_memory_together(tmp_path: Path) -> None:
    """A mirror on disk has its packages in the folder of its indexes."""
    packages = {f"blobs/sha256/ab/ab{n:062}": bytes(4_000_000) for n in range(10)}
    write_files(tmp_path / "m", {**VIEWS, **packages})
    tracemalloc.start()
    try:
        done = run_cli("snapshot", tmp_path / "m" / "small", tmp_path / "kept")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (done.status, most < 20_000_000) == (0, True)


def test_a_view_has_no_changelog(tmp_path: Path) -> None:
    GitRepository(tmp_path).commit(below("m", VIEWS))
    said = "a changelog takes two git revisions A..B, or one folder with snapshots in it"
    for story in ("HEAD:m/small..HEAD:m/small", "m/small"):
        done = run_cli("changelog", "-C", tmp_path, story)
        name = story.partition("..")[0]
        assert done.status == 2
        assert done.err.startswith(f"snapdiff: error: {name}: {said}; ")


def test_a_view_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    write_files(tmp_path / "m", VIEWS)
    done = run_cli(tmp_path / "m" / "small")
    message = f"snapdiff: error: {tmp_path}/m/small: is a view of a mirror; name two of them\n"
    assert (done.status, done.err) == (2, message)


@needs_real_catalogs
@pytest.mark.parametrize(
    ("end", "stacks"),
    [
        ("", {".": 85}),
        ("/small", {"small": 14}),
        ("/big", {"big": 73}),
        ("/v3/manifests/index/small/index.manifest.json", {"small": 14}),
        ("/v3/manifests/index/index.manifest.json", {".": 85}),
    ],
)
def test_views_that_spack_wrote_are_read_by_each_name(
    empty: Path, server: WebServer, end: str, stacks: dict[str, int]
) -> None:
    mirror = DATA / "real-spack" / "mirror-layout3-views"
    for file in mirror.rglob("*"):
        if file.is_file():
            server.files[f"m/{file.relative_to(mirror)}"] = file.read_bytes()
    for place in (mirror, f"file://{mirror}", f"{server.url}/m"):
        assert counts(diff(empty, f"{place}{end}")) == stacks


@needs_real_catalogs
def test_views_that_spack_wrote_are_the_stacks_of_a_mirror_without_an_index(
    tmp_path: Path, empty: Path
) -> None:
    shutil.copytree(DATA / "real-spack" / "mirror-layout3-views", tmp_path / "m")
    (tmp_path / "m" / MANIFEST).unlink()
    assert counts(diff(empty, tmp_path / "m")) == {"big": 73, "small": 14}


@pytest.mark.parametrize("start", ["", "m"])
def test_in_a_subfolder_what_is_in_a_mirror_there_names_it(tmp_path: Path, start: str) -> None:
    repository = GitRepository(tmp_path / "r")
    repository.commit(below("m", {**view("gpu", SMALL), **layout_2(SMALL)}))
    repository.commit(below("m", {**view("gpu", BIG), **layout_2(ALL)}))
    above = "" if start else "m/"
    for name, added in (("build_cache", 2), ("gpu", 1)):
        for dots in ("", "./"):
            path = f"{dots}{above}{name}"
            report = run_json("-C", tmp_path / "r" / start, f"HEAD~1:{path}", f"HEAD:{path}")
            assert report["summary"]["added"] == added, path
