"""Single files as people have them, folders in a mirror, and catalogs that are not there yet."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.documents import Item, database, lock, needs, node, to_bytes
from tests.support.helpers import (
    Files,
    refused,
    run_cli,
    run_json,
    without_revisions,
    words,
    write_files,
)
from tests.support.mirrors import MANIFEST, index, layout_2, layout_3
from tests.support.real_catalogs import DATA, needs_real_catalogs
from tests.support.repositories import GitRepository

REAL = DATA / "real-spack"

ZLIB = Item("zlib", "1.3")
OLD = [ZLIB, Item("hdf5", "1.14.3", needs=(needs(ZLIB),), explicit=True)]
NEW = [
    new_zlib := Item("zlib", "1.3.1"),
    Item("hdf5", "1.14.3", needs=(needs(new_zlib),), explicit=True),
]


def spec_json(items: list[Item], version: int) -> bytes:
    """What `spack spec --json` prints: the spec, then what is below it."""
    nodes = [{**node(item, version), "hash": item.key} for item in reversed(items)]
    return to_bytes({"spec": {"_meta": {"version": version}, "nodes": nodes}})


def signed(text: bytes) -> bytes:
    """The same text as Spack signs it."""
    return (
        b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n" + text + b"\n-----BEGIN PGP "
        b"SIGNATURE-----\n\niQIzBAEBCgAdFiEE\n=x\n-----END PGP SIGNATURE-----\n"
    )


FORMS: dict[str, Callable[[list[Item]], bytes]] = {
    "env.lock": lambda items: to_bytes(lock(items, 5)),
    "spack.lock.gz": lambda items: gzip.compress(to_bytes(lock(items, 5))),
    "spec.json": lambda items: spec_json(items, 4),
    "linux-hdf5.spec.json": lambda items: spec_json(items, 5),
    "linux-hdf5.spec.json.sig": lambda items: signed(spec_json(items, 4)),
    "linux-hdf5.spec.json.gz": lambda items: gzip.compress(signed(spec_json(items, 4))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_a_file_says_what_a_lock_of_the_same_specs_says(name: str, tmp_path: Path) -> None:
    for side, items in (("old", OLD), ("new", NEW)):
        write_files(
            tmp_path / side, {name: FORMS[name](items), "env.lock": FORMS["env.lock"](items)}
        )
    expected = run_json("-C", tmp_path, "old/env.lock", "new/env.lock")
    report = run_json("-C", tmp_path, f"old/{name}", f"new/{name}")
    assert [change["kind"] for change in report["tags"][0]["stacks"][0]["changes"]] == [
        "rebuilt",
        "upgraded",
    ]
    assert report["summary"] == expected["summary"]
    assert report["tags"][0]["stacks"][0]["causes"] == expected["tags"][0]["stacks"][0]["causes"]
    why = run_cli("why", "hdf5", "-C", tmp_path, f"old/{name}", f"new/{name}")
    assert (why.status, why.err) == (0, "")
    assert "zlib 1.3 → 1.3.1" in why.out
    repository = GitRepository(tmp_path / "git")
    repository.commit({name: FORMS[name](OLD)})
    repository.commit({name: FORMS[name](NEW)})
    for arguments in (
        [f"HEAD~1:{name}", f"HEAD:{name}"],
        [f"HEAD~1:{name}"],
        [f"HEAD~1:{name}", f"../new/{name}"],
    ):
        again = run_json("-C", repository.folder, *arguments)
        assert without_revisions(again) == without_revisions(report), arguments


def test_several_specs_are_several_roots(tmp_path: Path) -> None:
    tool = Item("cmake")
    both = spec_json(OLD, 5) + b"\n" + spec_json([tool], 5)
    write_files(tmp_path, {"old.json": spec_json(OLD, 5), "new.json": both})
    report = run_json("-C", tmp_path, "old.json", "new.json", "--explicit")
    [change] = report["tags"][0]["stacks"][0]["changes"]
    assert (change["package"], change["kind"], change["new"]["explicit"]) == (
        "cmake",
        "added",
        True,
    )


def test_a_compressed_index_is_an_index(tmp_path: Path) -> None:
    files = {
        f"{name}.json.gz": gzip.compress(to_bytes(database(items)))
        for name, items in (("old", OLD), ("new", NEW))
    }
    write_files(tmp_path, files)
    assert run_json("-C", tmp_path, "old.json.gz", "new.json.gz")["summary"]["upgraded"] == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"{" * 99, mtime=0)[:-9], "the gzip data ends early"),
        (b'{"spec": {"nodes": []}}', "spec.nodes: empty; its first node is the spec"),
        (b'{"spec": {"nodes": [{"name": "x"}]}}', "spec.nodes[0].hash: missing, or no hash"),
        (b'{"spec": [{"name": "x"}]}', "spec[0].hash: missing, or no hash"),
        (b'{"spec": {"nodes": [', "no JSON: the file ends early"),
        (b'{"spec": {"nodes": 1}}', "expected array, got int"),
        (b'{"spec": {"nodes": [{"name": "\xff"}]}}', "spec.nodes[0]: a text that is not UTF-8"),
        (b"<<<<<<< HEAD\n{", "is nothing to compare; name a folder, or"),
        (b" \n", "is empty; name a folder, or"),
    ],
)
def test_a_damaged_file_is_one_line(content: bytes, reason: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.json.gz": content, "b.lock": FORMS["env.lock"](OLD)})
    result = run_cli("-C", tmp_path, "a.json.gz", "b.lock")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert reason in result.err


@needs_real_catalogs
def test_a_real_lock_compressed_is_the_lock(tmp_path: Path) -> None:
    locks = [REAL / "0.23" / name / "spack.lock" for name in ("base", "zlibswap")]
    for number, file in enumerate(locks):
        (tmp_path / f"{number}.gz").write_bytes(gzip.compress(file.read_bytes()))
    report = run_json("-C", tmp_path, "0.gz", "1.gz")
    assert without_revisions(report) == without_revisions(run_json(*locks))
    assert report["summary"]["rebuilt"] == 40


# --- Folders in a mirror or an install tree ---

TREE = {".spack-db/index.json": to_bytes(database(OLD, 7, installed=True))}

INSIDE: list[tuple[Files, str]] = [
    (layout_2(index("b")), "build_cache"),
    (layout_2(index("b")), "build_cache/"),
    (layout_3(index("b")), "v3"),
    (layout_3(index("b")), "v3/manifests/index"),
    (layout_3(index("b")), MANIFEST),
    (TREE, ".spack-db"),
]


@pytest.mark.parametrize(("files", "inside"), INSIDE, ids=words)
def test_a_folder_inside_means_what_is_around_it(files: Files, inside: str, tmp_path: Path) -> None:
    write_files(tmp_path / "m", files)
    write_files(tmp_path / "n", layout_2(index("b", "c")))
    expected = run_json("-C", tmp_path, "m", "n")
    assert expected["tags"]
    folder = inside.rstrip("/") if not inside.endswith(".json") else ""
    assert run_json("-C", tmp_path, f"m/{inside}", "n") == expected
    if folder:
        here = run_json("-C", tmp_path / "m" / folder, ".", tmp_path / "n")
        assert without_revisions(here) == without_revisions(expected)
    repository = GitRepository(tmp_path / "git")
    repository.commit({f"m/{path}": content for path, content in files.items()})
    for revision in (f"HEAD:m/{inside}", f"HEAD~0:m/{inside}"):
        report = run_json("-C", repository.folder, revision, "../n")
        assert without_revisions(report) == without_revisions(expected)
        assert report["old"]["source"] == "HEAD:m"


def test_a_folder_that_is_only_called_so_is_a_folder(tmp_path: Path) -> None:
    for name in ("v3", "build_cache"):
        write_files(tmp_path / name / "env", {"spack.lock": to_bytes(lock(OLD))})
    assert run_json("-C", tmp_path, "v3", "build_cache")["tags"] == []


# --- A catalog that is not there yet ---

NOT_CONCRETIZED = "spack.yaml is here, spack.lock is not: run `spack concretize`\n"
NO_INDEX = "a build cache is here, its index is not: run `spack buildcache update-index`\n"


@pytest.mark.parametrize(
    ("files", "name", "way_out"),
    [
        (["env/spack.yaml"], "env", NOT_CONCRETIZED),
        (["env/spack.yaml"], "env/spack.yaml", NOT_CONCRETIZED),
        (["env/spack.yaml"], "env/spack.lock", NOT_CONCRETIZED),
        (["env/spack.yaml"], "HEAD:env", NOT_CONCRETIZED),
        (["env/spack.yaml"], "HEAD:env/spack.yaml", NOT_CONCRETIZED),
        (["m/build_cache/linux-x.spec.json"], "m", NO_INDEX),
        (["m/v3/manifests/spec/x/x.spec.manifest.json"], "m", NO_INDEX),
        (["m/v3/manifests/spec/x/x.spec.manifest.json"], "HEAD:m", NO_INDEX),
    ],
)
def test_what_is_to_be_run_first_is_named(
    files: list[str], name: str, way_out: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path)
    repository.commit({**dict.fromkeys(files, "{}"), "there/spack.lock": to_bytes(lock(OLD))})
    for arguments in ([name, "there"], ["there", name]):
        said = refused("-C", tmp_path, *arguments)
        assert said.startswith(f"{name}: ")
        assert said.endswith(way_out)


def test_a_lock_in_the_middle_of_a_merge_says_so(tmp_path: Path) -> None:
    text = json.dumps(lock(OLD), indent=1)
    torn = text.replace("{\n", "{\n<<<<<<< HEAD\n", 1)
    write_files(tmp_path, {"a/spack.lock": torn, "b/spack.lock": text})
    result = run_cli("-C", tmp_path, "a", "b")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "line 2: a conflict marker of git; resolve the merge first" in result.err
