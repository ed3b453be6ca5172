"""Documents of different kinds beside each other, and one mirror in two of them."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapdiff.buildcache_layout import LAYOUT_3, Mirrors, find_mirrors
from snapdiff.formats import kinds
from tests.support.documents import Item, database, digest, lock, manifest, site_data, to_bytes
from tests.support.helpers import (
    PROJECT,
    catalog_folders,
    run_cli,
    run_json,
    usual_page,
    write_files,
)
from tests.support.helpers import spec as record
from tests.support.nightly import examples
from tests.support.repositories import GitRepository

SNAPSHOTS = PROJECT / "snapshots"
SAID = ("tags", "summary", "skipped")
DAYS = ("2025-06-29", "2025-07-06")


@pytest.mark.parametrize("day", DAYS)
def test_the_data_of_a_site_and_the_index_of_its_mirror_differ_in_nothing(day: str) -> None:
    result = run_cli(SNAPSHOTS / "site" / day, SNAPSHOTS / "mirrors" / day, "--exit-code")
    assert (result.status, result.err) == (0, "")
    assert "No changes" in result.out


@pytest.mark.parametrize("day", DAYS)
def test_a_page_and_an_index_of_one_mirror_differ_in_nothing(day: str, tmp_path: Path) -> None:
    """The pages are written from what the tool itself says of the index."""
    (tmp_path / "nothing").mkdir()
    mirror = SNAPSHOTS / "mirrors" / day
    nothing = tmp_path / "nothing"
    lock = '{"_meta": {"file-type": "spack-lockfile", "lockfile-version": 6}, "concrete_specs": {}}'
    write_files(nothing, {"science/spack.lock": lock})
    report = run_json(nothing, mirror)
    pages: dict[str, str] = {}
    by_package: dict[str, list[dict[str, object]]] = {}
    for change in report["tags"][0]["stacks"][0]["changes"]:
        new = change["new"]
        item = record("b", new["version"], package=change["package"], tag=".", stacks="science")
        item |= {key: new[key] for key in ("hash", "compiler", "os", "platform", "target")}
        by_package.setdefault(change["package"], []).append(item | {"variants": new["variants"]})
    for name, records in by_package.items():
        pages[f"_cache/{name}/specs.md"] = usual_page(records)
    write_files(tmp_path / "pages", pages)
    result = run_cli(tmp_path / "pages", mirror, "--exit-code")
    assert (result.status, result.err) == (0, "")


def test_the_data_of_a_site_may_have_another_release(tmp_path: Path) -> None:
    both = (["e4s"], ["develop"])
    for name, items, places in (
        ("old", [Item("zlib", "1.2"), Item("m4")], {"zlib": both, "m4": both}),
        (
            "new",
            [Item("zlib", "1.3"), Item("m4")],
            {"zlib": (["e4s"], ["develop", "v1.0"]), "m4": both},
        ),
    ):
        specs, packages = site_data(items, places)
        files = {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(packages)}
        write_files(tmp_path / name, files)
    report = run_json(tmp_path / "old", tmp_path / "new")
    assert [(tag["old"], tag["new"], tag["specs"]) for tag in report["tags"]] == [
        ("develop", "develop", {"old": 2, "new": 2}),
        (None, "v1.0", {"old": 0, "new": 1}),
    ]
    assert report["summary"]["upgraded"] == report["summary"]["unchanged"] == 1


@pytest.mark.parametrize("with_blobs", [False, True], ids=["a lock alone", "and a stale blob"])
def test_a_mirror_that_holds_others_is_known_where_no_index_differs(
    with_blobs: bool, tmp_path: Path
) -> None:
    """Of two directories all files are looked at, of two commits those that differ.

    The blob of an older index may go while the manifest stays as it is.
    """
    zlib, m4 = Item("zlib"), Item("m4")
    index, of_stack = to_bytes(database([zlib, m4])), to_bytes(database([zlib]))
    mirrors = {"develop/build_cache/index.json": index}
    stale: dict[str, bytes] = {}
    if with_blobs:
        content, blob, _ = manifest(index)
        _, stale_blob, _ = manifest(of_stack)
        mirrors = {f"develop/{LAYOUT_3}": content, f"develop/{blob}": index}
        stale = {f"develop/{stale_blob}": of_stack}
    mirrors["develop/e4s/build_cache/index.json"] = of_stack
    history = GitRepository(tmp_path / "history")
    for name, version, more in (("old", "1", stale), ("new", "2", {})):
        locked = to_bytes(lock([Item("cmake", version, explicit=True)]))
        files = {**mirrors, **more, "develop/env/spack.lock": locked}
        history.commit(files)
        write_files(tmp_path / name, files)
    of_commits = run_json("-C", history.folder, "HEAD~1", "HEAD")
    of_directories = run_json(tmp_path / "old", tmp_path / "new")
    steps = run_cli("changelog", "-C", history.folder, "HEAD~1..HEAD", "-f", "json")
    [of_changelog] = json.loads(steps.out)
    assert of_commits["tags"] == of_directories["tags"] == of_changelog["tags"]
    [tag] = of_commits["tags"]
    assert tag["specs"] == {"old": 3, "new": 3}
    assert [(it["stack"], it["specs"]["new"]) for it in tag["stacks"]] == [
        ("e4s", 1),
        ("env", 1),
        ("root", 1),
    ]


def test_all_mirrors_are_looked_at_once_and_not_for_each_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def counting(paths: list[str]) -> Mirrors:
        looked_at.append(len(paths))
        return find_mirrors(paths)

    monkeypatch.setattr(kinds, "find_mirrors", counting)
    for name, version in (("old", "1"), ("new", "2")):
        index = to_bytes(database([Item("zlib", version)]))
        files = {f"v{tag}/e4s/build_cache/index.json": index for tag in range(9)}
        write_files(tmp_path / name, files)
    assert len(run_json(tmp_path / "old", tmp_path / "new")["tags"]) == 9
    assert looked_at.count(9) == 1


def test_a_page_is_compared_with_the_indexes_of_several_stacks(tmp_path: Path) -> None:
    page = usual_page([record("b", "1.2", package="zlib", tag="v1", stacks="e4s hep")])
    write_files(tmp_path / "old", {"_cache/v1/zlib/specs.md": page})
    index = to_bytes(database([Item("zlib", "1.3", hash="c" * 32)]))
    paths = [f"v1/{stack}/build_cache/index.json" for stack in ("e4s", "hep")]
    write_files(tmp_path / "new", dict.fromkeys(paths, index))
    report = run_json(tmp_path / "old", tmp_path / "new")
    [tag] = report["tags"]
    assert (tag["old"], tag["new"]) == ("v1", "v1")
    assert [stack["summary"]["upgraded"] for stack in tag["stacks"]] == [1, 1]


E4S = [Item("zlib", "1.3", hash="a" * 32), Item("cmake", hash="b" * 32)]
HEP = [E4S[0], Item("root", hash="c" * 32)]
ALONE = [Item("m4", hash="d" * 32)]


def aggregate(root: list[Item], e4s: list[Item], hep: list[Item]) -> dict[str, bytes]:
    """A mirror with two others in it."""
    return {
        "develop/build_cache/index.json": to_bytes(database(root)),
        "develop/e4s/build_cache/index.json": to_bytes(database(e4s)),
        "develop/hep/build_cache/index.json": to_bytes(database(hep)),
    }


def test_an_aggregate_has_what_no_stack_has(tmp_path: Path) -> None:
    """Its index is the same on both sides, and cmake is in no stack any more."""
    every = [*E4S, HEP[1], *ALONE]
    old = write_files(tmp_path / "old", aggregate(every, E4S, HEP))
    new = write_files(tmp_path / "new", aggregate(every, E4S[:1], HEP))
    [tag] = run_json(old, new)["tags"]
    assert tag["specs"] == {"old": 4, "new": 4}
    assert {stack["stack"]: stack["specs"] for stack in tag["stacks"]} == {
        "e4s": {"old": 2, "new": 1},
        "hep": {"old": 2, "new": 2},
        "root": {"old": 1, "new": 2},
    }
    changes = [
        (stack["stack"], change["kind"], change["package"])
        for stack in tag["stacks"]
        for change in stack["changes"]
    ]
    assert changes == [("e4s", "removed", "cmake"), ("root", "added", "cmake")]


def test_pages_and_the_index_of_an_aggregate_differ_in_nothing(tmp_path: Path) -> None:
    every = [*E4S, HEP[1], *ALONE]
    mirror = write_files(tmp_path / "mirror", aggregate(every, E4S, HEP))
    pages = {}
    for item in every:
        stacks = [name for name, items in (("e4s", E4S), ("hep", HEP)) if item in items]
        listed = record("a", item.version, package=item.name, stacks=" ".join([*stacks, "root"]))
        page = usual_page([listed | {"hash": item.hash}])
        pages[f"_cache/develop/{item.name}/specs.md"] = page
    write_files(tmp_path / "pages", pages)
    result = run_cli(tmp_path / "pages", mirror, "--exit-code")
    assert (result.status, result.err) == (0, "")


def test_of_two_layouts_in_one_mirror_the_newer_one_is_read(tmp_path: Path) -> None:
    old, new = (SNAPSHOTS / "mirrors" / day / "science" for day in DAYS)
    for name, folder in (("old", old), ("new", new)):
        files = {
            str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }
        write_files(tmp_path / name / "science", files)
    expected = run_json(tmp_path / "old", tmp_path / "new")["summary"]
    stale = {"science/build_cache/index.json": '{"database": {"version": "7", "installs": {}}}'}
    write_files(tmp_path / "old", stale)
    write_files(tmp_path / "new", stale)
    assert run_json(tmp_path / "old", tmp_path / "new")["summary"] == expected


def test_hidden_folders_are_not_searched(tmp_path: Path) -> None:
    lock = (SNAPSHOTS / "environments" / DAYS[0] / "science" / "spack.lock").read_bytes()
    write_files(tmp_path / "old", {"science/spack.lock": lock})
    copies = {"science/.spack-env/spack.lock": b"{", "science/spack.lock": lock}
    write_files(tmp_path / "new", copies)
    assert run_json(tmp_path / "old", tmp_path / "new")["tags"] == []


def test_pages_stand_beside_locks(tmp_path: Path) -> None:
    for name, day, letter in (("old", DAYS[0], "b"), ("new", DAYS[1], "p")):
        lock = SNAPSHOTS / "environments" / day / "science" / "spack.lock"
        page = usual_page([record(letter)])
        files = {
            "env/science/spack.lock": lock.read_bytes(),
            "_cache/develop/zlib/specs.md": page.encode(),
        }
        write_files(tmp_path / name, files)
    report = run_json(tmp_path / "old", tmp_path / "new")
    assert [tag["old"] for tag in report["tags"]] == ["develop", "env"]
    assert [stack["stack"] for tag in report["tags"] for stack in tag["stacks"]] == [
        "e4s",
        "science",
    ]


def test_what_changed_in_one_environment_is_still_there_in_others(tmp_path: Path) -> None:
    """In a lock that is the same and in one that is not; from git and from folders."""
    repository = GitRepository(tmp_path / "repository")
    git = Item("git", explicit=True)
    for name, zlib_version, make_version in (("before", "1.2", "4.3"), ("after", "1.3", "4.4")):
        zlib, make = Item("zlib", zlib_version, explicit=True), Item("make", make_version)
        same = Item("zlib", "1.2", explicit=True)
        environments = {
            "upgraded": [zlib],
            "same": [same],
            "without": [git],
            "other": [same, replace(make, explicit=True)],
        }
        files = {f"{key}/spack.lock": to_bytes(lock(some)) for key, some in environments.items()}
        write_files(tmp_path / name, files)
        repository.commit(files)
    for sides in (("HEAD~1", "HEAD"), (tmp_path / "before", tmp_path / "after")):
        [tag] = run_json("-C", repository.folder, *sides)["tags"]
        assert {stack["stack"]: stack["still_there"] for stack in tag["stacks"]} == {
            "upgraded": [],
            "same": ["zlib"],
            "without": [],
            "other": ["zlib"],
        }
    table = run_cli("-C", repository.folder, "HEAD~1", "HEAD", "--package-url", "").out
    assert "| Product | `other` | `upgraded` |\n" in table
    assert "| `make` | `4.3` → `4.4` |  |\n| `zlib` | · | `1.2` → `1.3` |\n" in table


def test_what_changed_in_a_way_that_is_left_out_is_still_there(tmp_path: Path) -> None:
    versions = {"up": ("1.2", "1.3"), "down": ("1.3", "1.2"), "gone": ("1.2", None)}
    for position, side in enumerate(("old", "new")):
        for name, both in versions.items():
            zlib = [Item("zlib", version, explicit=True) for version in [both[position]] if version]
            files = {f"{name}/spack.lock": to_bytes(lock([Item("git", explicit=True), *zlib]))}
            write_files(tmp_path / side, files)
    [tag] = run_json(tmp_path / "old", tmp_path / "new", "-k", "upgraded")["tags"]
    assert {stack["stack"]: stack["still_there"] for stack in tag["stacks"]} == {
        "up": [],
        "down": ["zlib"],
        "gone": [],
    }


def test_a_document_differs_where_a_part_of_it_alone_does(tmp_path: Path) -> None:
    """In git, and in folders, of which only reading says what differs."""
    repository = GitRepository(tmp_path / "repository")
    item = Item("zlib")
    specs, packages = site_data([item], {"zlib": (["e4s"], ["develop"])})
    for name in ("zlib", "zlib-ng"):
        listed = {name: packages["zlib"]}
        files = {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(listed)}
        repository.commit(files)
        write_files(tmp_path / name, files)
    for sides in (("HEAD~1", "HEAD"), (tmp_path / "zlib", tmp_path / "zlib-ng")):
        found = run_cli("-C", repository.folder, *sides, "-f", "json")
        assert "the hash" in found.err  # it has another name now
        [stack] = json.loads(found.out)["tags"][0]["stacks"]
        assert {change["package"]: change["kind"] for change in stack["changes"]} == {
            "zlib": "removed",
            "zlib-ng": "added",
        }


def test_a_package_of_a_stack_that_a_page_and_a_lock_list_is_reported_once(tmp_path: Path) -> None:
    """They list a build each that changes, and m4 that does not; the lock has another stack."""

    def page(*specs: tuple[str, str]) -> str:
        return usual_page(
            [
                record(name, version, package="zlib", tag="v1", stacks="hep")
                for name, version in specs
            ]
        )

    for name, paged, locked in (("old", "1.2", "2.0"), ("new", "1.3", "2.1")):
        stays = Item("m4", hash="m" * 32)
        listed = [Item("zlib", locked, hash=digest(name, "lock")), stays]
        files: dict[str, str | bytes] = {
            "v1/zlib/specs.md": page((name[0], paged), ("z", "1.1")),
            "v1/hep/spack.lock": to_bytes(lock(listed)),
            "v1/e4s/spack.lock": to_bytes(
                lock([Item("zlib", locked, hash=digest(name, "e4s")), stays])
            ),
        }
        write_files(tmp_path / name, files)
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    e4s, hep = tag["stacks"]
    [change] = hep["package_changes"]
    assert (change["package"], change["kind"]) == ("zlib", "upgraded")
    assert (change["gone"], change["came"]) == (["1.2", "2.0"], ["1.3", "2.1"])
    assert change["kept"] == ["1.1"]
    assert change["builds"] == {"old": 3, "new": 3}
    assert hep["packages"] == {"old": 2, "new": 2, "added": [], "removed": []}
    assert (hep["summary"]["upgraded"], hep["summary"]["unchanged"]) == (2, 2)
    [change] = e4s["package_changes"]
    assert (change["gone"], change["came"]) == (["2.0"], ["2.1"])
    assert tag["specs"] == {"old": 5, "new": 5}


def test_pages_and_the_data_of_a_site_may_be_in_other_folders_and_list_other_stacks(
    tmp_path: Path,
) -> None:
    for side, version in (("old", "1.2"), ("new", "1.3")):
        records = [record("b" if side == "old" else "c", version, tag="v1", stacks="hep")]
        site = site_data([Item("zlib", f"{version}.1")], {"zlib": (["site"], ["v1"])})
        names = ("specs_data.json", "package_data.json")
        data = dict(zip(names, map(to_bytes, site), strict=True))
        files = {"v1/zlib/specs.md": usual_page(records).encode(), **data}
        write_files(tmp_path / side, {f"{side}/{path}": it for path, it in files.items()})
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    assert tag["specs"] == {"old": 2, "new": 2}
    changes = {it["stack"]: it["package_changes"] for it in tag["stacks"]}
    assert {stack: (it["gone"], it["came"]) for stack, [it] in changes.items()} == {
        "hep": (["1.2"], ["1.3"]),
        "site": (["1.2.1"], ["1.3.1"]),
    }


def test_a_spec_that_moves_from_a_page_to_a_lock_of_its_stack_is_unchanged(tmp_path: Path) -> None:
    stays, moves = (record(name, package="zlib", tag="v1", stacks="hep") for name in "bc")
    moved = Item("zlib", hash=moves["hash"])
    for name, paged, locked in (("old", [stays, moves], []), ("new", [stays], [moved])):
        files: dict[str, str | bytes] = {
            "v1/zlib/specs.md": usual_page(paged),
            "v1/hep/spack.lock": to_bytes(lock([*locked, Item("m4", hash="m" * 32)])),
        }
        write_files(tmp_path / name, files)
    result = run_cli(tmp_path / "old", tmp_path / "new", "--exit-code")
    assert (result.status, result.err) == (0, "")


# --- Any mixture, in folders and in commits ---

ITEMS = [Item(name, version) for name in ("zlib", "m4", "cmake") for version in "12"]
INDEX, MANIFEST = "build_cache/index.json", "v3/manifests/index/index.manifest.json"
VIEW = "v3/manifests/index/small/index.manifest.json"


@st.composite
def mixtures(draw: st.DrawFn) -> dict[str, bytes]:
    """Documents of several kinds, mirrors in mirrors; blobs may be missing where both are mixed."""
    files: dict[str, bytes] = {}
    numbers = st.sets(st.integers(0, len(ITEMS) - 1), min_size=1, max_size=3)
    some = numbers.map(lambda found: [ITEMS[number] for number in sorted(found)])
    for mirror in ("develop", "develop/e4s", "develop/hep", "v1/e4s"):
        for place in sorted(draw(st.sets(st.sampled_from([INDEX, MANIFEST, VIEW])))):
            index = to_bytes(database(draw(some)))
            if place != INDEX:
                index, blob, content = manifest(index)
                files[f"{mirror}/{blob}"] = content
            files[f"{mirror}/{place}"] = index
    for folder in sorted({"develop/env"} | draw(st.sets(st.sampled_from(["v1/env", "env"])))):
        files[f"{folder}/spack.lock"] = to_bytes(lock(draw(some)))
    for tag in sorted(draw(st.sets(st.sampled_from(["develop", "v1"])))):
        stacks = draw(st.sampled_from(["e4s", "hep", "e4s hep"]))
        page = usual_page([record("b", draw(st.sampled_from("12")), tag=tag, stacks=stacks)])
        files[f"_cache/{tag}/zlib/specs.md"] = page.encode()
    return files


@pytest.mark.slow
@settings(max_examples=examples(4), deadline=None)
@given(mixtures(), mixtures(), st.data())
def test_two_commits_differ_as_their_two_folders_do(
    old: dict[str, bytes], others: dict[str, bytes], data: st.DataObject
) -> None:
    """Of folders every file is looked at, of commits only those that differ."""
    paths = st.sampled_from(sorted(old | others))
    changed = data.draw(st.sets(paths, max_size=1)) | {"develop/env/spack.lock"}
    new = {path: content for path, content in old.items() if path not in changed}
    new |= {path: others[path] for path in changed & others.keys()}
    options = ("-f", "json", "--allow-empty", "--skip-bad-pages")
    with catalog_folders(old, new) as folders, TemporaryDirectory() as top:
        history = GitRepository(Path(top) / "history")
        for files in (old, new):
            history.commit(files)
        of_commits = run_cli("-C", history.folder, "HEAD~1", "HEAD", *options)
        of_folders = run_cli(*folders, *options)
    assert (of_commits.status, of_folders.status) == (0, 0)
    one, other = json.loads(of_commits.out), json.loads(of_folders.out)
    assert [one[key] for key in SAID] == [other[key] for key in SAID]
