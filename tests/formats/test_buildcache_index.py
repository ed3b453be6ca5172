"""Indexes of build caches: layout 2, layout 3 with its blob, mirrors of mirrors."""

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.buildcache_layout import Mirrors, find_mirrors
from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.packages import diff_package
from snapdiff.document_names import is_document
from snapdiff.errors import FormatError
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim
from snapdiff.formats.kinds import DOCUMENTS, Documents
from snapdiff.formats.listing import Listing
from snapdiff.limits import Limits
from snapdiff.result.changes import Filters
from snapdiff.result.packages import VersionCount
from tests.support.documents import (
    DATABASE_VERSIONS,
    Item,
    database,
    file,
    items,
    manifest,
    meaning,
    needs,
    plain_reading,
    read,
    read_pair,
    reading_of,
    specs_of,
    to_bytes,
)
from tests.support.real_catalogs import DATA, needs_real_catalogs

INDEX, MANIFEST = "build_cache/index.json", "v3/manifests/index/index.manifest.json"
INDEXES = sorted((DATA / "indexes").glob("v2_layout-*.json"))
INDEXES += sorted((DATA / "indexes" / "clingo-bootstrap").glob("*.json"))


def counted_nodes(document: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The nodes of an index by hash, and the hashes of those that count, by plain loops."""
    version = int(document["database"]["version"])
    installs = document["database"]["installs"]
    nodes = {key: record["spec"] for key, record in installs.items()}
    counted = {
        key for key, record in installs.items() if record.get("in_buildcache", version < 6) is True
    }
    return nodes, counted


def unread(path: str, document: dict[str, Any]) -> Listing:
    """A document of which no record is read yet."""
    found = DOCUMENTS.reader(path, Limits())(file(path, document))
    assert isinstance(found, Listing)
    return found


def test_an_index_is_known_by_its_place_in_a_mirror() -> None:
    checksum = "ab" * 32
    assert is_document(f"develop/e4s/{INDEX}")
    assert DOCUMENTS.documents_of(INDEX) == (INDEX,)
    assert DOCUMENTS.documents_of("other/index.json") == ()
    assert is_document(f"m/{MANIFEST}")
    # the index of the older layout is not read beside it
    assert DOCUMENTS.documents_of(f"m/{MANIFEST}") == (f"m/{MANIFEST}", f"m/{INDEX}")
    assert DOCUMENTS.documents_of(f"m/blobs/sha256/ab/{checksum}") == (f"m/{MANIFEST}",)
    assert DOCUMENTS.documents_of(f"blobs/sha256/ab/{checksum}") == (MANIFEST,)
    assert DOCUMENTS.documents_of("v3/manifests/spec/zlib/zlib.spec.manifest.json") == ()


@pytest.mark.parametrize(
    ("mirror", "claim", "tag_folder"),
    [
        ("2025/develop/e4s/", Claim("2025/develop", "stack", "e4s"), "2025/develop"),
        ("e4s/", Claim(".", "stack", "e4s"), ""),
        ("", Claim(".", "stack", "."), ""),
    ],
)
def test_the_mirrors_path_names_stack_and_tag(mirror: str, claim: Claim, tag_folder: str) -> None:
    index = to_bytes(database([Item("zlib")]))
    head, blob, content = manifest(index)
    for document in (
        file(mirror + INDEX, index),
        file(mirror + MANIFEST, head, {mirror + blob: content}),
    ):
        found = read(document)
        assert found.claims == (claim,)
        assert found.packages[0].stack == claim.name
        assert DOCUMENTS.claim(document.path) == claim
        assert DOCUMENTS.tag_folder(document.path) == tag_folder


def test_a_mirror_that_holds_others_is_an_aggregate() -> None:
    paths = [f"{name}{INDEX}" for name in ("develop/", "develop/e4s/", "develop/hep/", "v1/a/b/")]
    mirrors = find_mirrors([*paths, f"v1/{MANIFEST}", "README.md"])
    assert mirrors.stacks == {
        "develop": [f"develop/e4s/{INDEX}", f"develop/hep/{INDEX}"],
        "v1": [],  # v1/a/b is of another tag
    }
    kind = Documents(mirrors)
    whole = read(file(f"develop/{INDEX}", database([Item("zlib")])), documents=kind)
    assert whole.claims == (Claim("develop", "stack", "root"),)
    [build] = whole.packages[0].specs.values()
    assert build.stacks == {"root"}
    assert kind.claim(f"develop/e4s/{INDEX}") == Claim("develop", "stack", "e4s")
    assert kind.tag_folder(f"develop/{INDEX}") == kind.tag_folder(f"develop/e4s/{INDEX}")


def test_an_aggregate_counts_what_no_stack_of_its_tag_has() -> None:
    stack = to_bytes(database([Item("zlib", hash="a" * 32), Item("cmake", hash="b" * 32)]))
    whole = database([Item("zlib", hash="a" * 32), Item("m4", hash="c" * 32)])
    path = f"develop/e4s/{INDEX}"
    kind = Documents(Mirrors(stacks={"develop": [path, f"develop/hep/{INDEX}"]}))
    found = read(file(f"develop/{INDEX}", whole, {path: stack}), documents=kind)
    assert [package.name for package in found.packages] == ["m4"]
    with pytest.raises(FormatError, match=f"its stack {path} cannot be read: no JSON: the file"):
        read(file(f"develop/{INDEX}", whole, {path: b"{"}), documents=kind)


def test_a_stack_whose_blob_is_missing_leaves_its_aggregate_unknown() -> None:
    head, _, _ = manifest(to_bytes(database([Item("zlib")])))
    path = f"develop/e4s/{MANIFEST}"
    kind = Documents(Mirrors(stacks={"develop": [path]}))
    with pytest.raises(FormatError, match=f"its stack {path} cannot be read: develop/e4s/blobs/"):
        read(file(f"develop/{INDEX}", database([Item("m4")]), {path: head}), documents=kind)


def test_the_folder_of_all_mirrors_may_be_a_mirror() -> None:
    mirrors = find_mirrors([INDEX, f"e4s/{INDEX}"])
    assert mirrors.stacks == {"": [f"e4s/{INDEX}"]}
    kind = Documents(mirrors)
    assert kind.claim(INDEX) == Claim(".", "stack", "root")
    assert kind.claim(f"e4s/{INDEX}") == Claim(".", "stack", "e4s")


@needs_real_catalogs
@pytest.mark.parametrize("path", INDEXES, ids=lambda path: path.name)
def test_a_real_index_says_what_an_independent_reading_finds(path: Path) -> None:
    nodes, counted = counted_nodes(json.loads(path.read_bytes()))
    found = read(file(f"mirror/{INDEX}", path.read_bytes()))
    reading = plain_reading(nodes, set())
    assert reading_of(found) == {key: reading[key] for key in counted}
    assert found.warning is None


@needs_real_catalogs
def test_old_and_new_nodes_of_one_index_name_their_compilers() -> None:
    path = DATA / "indexes" / "v2_layout-signed-51a6a94c.db8.index.json"
    found = read(file(INDEX, path.read_bytes()))
    compilers = {(name, spec.target): spec.compiler for name, spec in specs_of(found).values()}
    assert compilers["libelf", "core2"] == "gcc@=10.2.1"  # an annotation
    assert compilers["libelf", "m1"] == "gcc@10.2.1"  # a dependency that is not in the cache
    assert compilers["gcc-runtime", "m1"] == "none"


@pytest.mark.parametrize("version", DATABASE_VERSIONS)
@given(found=items())
def test_an_index_of_every_version_says_what_an_independent_reading_finds(
    version: int, found: list[Item]
) -> None:
    document = database(found, version)
    nodes, counted = counted_nodes(document)
    explicit = {item.key for item in found if item.explicit}
    reading = plain_reading(nodes, explicit)
    expected = {key: reading[key] for key in counted}
    assert reading_of(read(file(INDEX, document))) == expected


def test_specs_that_two_indexes_have_in_common_are_told_apart_by_all_that_they_are() -> None:
    plain = Item("hdf5", compiler=None)
    like = [replace(plain, version="9", hash=letter * 32) for letter in "ab"]
    kept = [replace(plain, version=f"1.{number}") for number in range(50)]
    old, new = (
        file(f"m/{INDEX}", database([*like, *kept, replace(plain, version=version)]))
        for version in ("2.0", "2.1")
    )
    [pair] = read_pair(old, new).pairs
    [stack] = diff_package(pair, Scope(Filters()), Limits(), KnownGraphs()).stacks.values()
    assert [it for it in stack.package.different or () if it.version == "9"] == [
        VersionCount("9", 1, 1)
    ]


@given(before=items(), after=items(), versions=st.tuples(*[st.sampled_from(DATABASE_VERSIONS)] * 2))
def test_two_indexes_read_together_say_what_they_say_alone(
    before: list[Item], after: list[Item], versions: tuple[int, int]
) -> None:
    old, new = (
        file(f"m/{INDEX}", database(found, version))
        for found, version in zip((before, after), versions, strict=True)
    )
    alone = specs_of(read(old)), specs_of(read(new))
    pair = read_pair(old, new)
    in_common = 0
    for side, specs in enumerate(alone):
        told = {
            spec_hash: (package.name, build.spec(spec_hash))
            for package in pair.pairs
            for spec_hash, build in (package.old, package.new)[side].items()
        }
        assert told.items() <= specs.items()
        common = sum(sum(package.common.values()) for package in pair.pairs)
        common += sum(sum(package.by_stacks.values()) for package in pair.unchanged)
        assert len(told) + common == len(specs)
        in_common = common
    assert in_common == len(
        {key for key in alone[0].keys() & alone[1].keys() if alone[0][key][0] == alone[1][key][0]}
    )


def test_what_others_need_of_a_spec_does_not_make_it_another() -> None:
    old, new = database([Item("zlib")]), database([Item("zlib")])
    [record] = new["database"]["installs"].values()
    record["ref_count"] = 7
    pair = read_pair(file(INDEX, old), file(INDEX, new))
    assert pair.pairs == []
    assert [count.name for count in pair.unchanged] == ["zlib"]


def test_what_enters_the_cache_is_new_though_its_record_was_there() -> None:
    item = Item("zlib")
    old = database([Item("zlib", hash=item.key, counted=False)])
    pair = read_pair(file(INDEX, old), file(INDEX, database([item])))
    [package] = pair.pairs
    assert (list(package.old), list(package.new)) == ([], [item.key])


def test_the_same_words_mean_more_in_an_older_version() -> None:
    """Before version 6 an index had nothing but what was in the cache, and did not say so."""
    older, newer = database([Item("zlib")], 5), database([Item("zlib")], 5)
    newer["database"]["version"] = "6"
    pair = read_pair(file(INDEX, older), file(INDEX, newer))
    [package] = pair.pairs
    assert (len(package.old), len(package.new)) == (1, 0)


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_the_blob_of_a_manifest_is_the_index(compression: str) -> None:
    index = to_bytes(database([Item("zlib")]))
    head, path, content = manifest(index, compression=compression)
    found = read(file(f"m/{MANIFEST}", head, {f"m/{path}": content}))
    assert specs_of(found) == specs_of(read(file(f"m/{INDEX}", index)))


def test_of_several_indexes_the_newest_version_is_read() -> None:
    new, path, content = manifest(to_bytes(database([Item("new")])))
    old = {**json.loads(new)["data"][0], "mediaType": "application/vnd.spack.db.v7+json"}
    old["checksum"] = "0" * 64
    document = to_bytes({"version": 3, "data": [old, *json.loads(new)["data"], old]})
    found = read(file(MANIFEST, document, {path: content}))
    assert [package.name for package in found.packages] == ["new"]


@pytest.mark.parametrize(
    ("blob", "reason"),
    [
        ({"checksum": "0" * 64}, "blobs/sha256/00/" + "0" * 64 + ": missing"),
        ({"checksum": "../../../etc/passwd"}, "data[0].checksum: no sha256 checksum"),
        ({"checksum": 7}, "data[0].checksum: expected str, got int"),
        ({"checksumAlgorithm": "md5"}, "data[0].checksumAlgorithm: 'md5'; only sha256 is known"),
        ({"compression": "zstd"}, "data[0].compression: 'zstd'; only gzip is known"),
        ({"mediaType": "application/pgp-keys"}, "data: names no index"),
        ({"compression": "gzip"}, "the gzip data is damaged"),
    ],
)
def test_a_manifest_that_names_no_index_is_an_error(blob: dict[str, object], reason: str) -> None:
    head, path, content = manifest(to_bytes(database([])))
    written = json.loads(head)
    written["data"][0] |= blob
    with pytest.raises(FormatError) as error:
        read(file(MANIFEST, written, {path: content}))
    assert str(error.value).startswith(reason)


def test_a_blob_with_another_checksum_is_an_error() -> None:
    head, path, content = manifest(to_bytes(database([])))
    with pytest.raises(FormatError, match=r"^data\[0\]\.checksum: the content of blobs/.* another"):
        read(file(MANIFEST, head, {path: content + b" "}))


def _blob(content: bytes) -> tuple[bytes, dict[str, bytes]]:
    checksum = hashlib.sha256(content).hexdigest()
    head, _, _ = manifest(b"", compression="gzip", checksum=checksum)
    return head, {f"blobs/sha256/{checksum[:2]}/{checksum}": content}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(to_bytes(database([Item("zlib")])))[:-9], "the gzip data ends early"),
        (gzip.compress(b"{}") + b"more", "the gzip data is damaged"),
        (gzip.compress(b" " * (8 << 20)), "the gzip data unfolds to over 200 times its size"),
        (b"\x1f\x8b" + b"x" * 40, "the gzip data is damaged"),
        (b"", "the gzip data ends early"),
    ],
    ids=["early", "more", "bomb", "damaged", "empty"],
)
def test_damaged_gzip_is_an_error(content: bytes, reason: str) -> None:
    head, beside = _blob(content)
    with pytest.raises(FormatError) as error:
        read(file(MANIFEST, head, beside))
    assert str(error.value).startswith(reason)


def test_gzip_may_end_in_zeros_and_unfold_to_a_document_of_the_size_that_is_taken() -> None:
    index = to_bytes(database([Item("zlib")]))
    head, beside = _blob(gzip.compress(index) + b"\0" * 8)
    document = file(MANIFEST, head, beside)
    assert read(document, Limits(document_size=len(index)))
    with pytest.raises(FormatError, match="too large, and the limit is"):
        read(document, Limits(document_size=len(index) - 1))


def test_a_page_and_an_index_of_one_mirror_give_equal_builds() -> None:
    """The page is what the site's generator wrote of these nodes."""
    gcc = Item("gcc", "13.2.0", compiler=None, counted=False, external=True)
    parameters = {
        "build_system": "cmake",
        "languages": ["fortran", "c", "c++"],
        "mpi": True,
        "static": False,
        "patches": ["b05b34b" + "0" * 57, "8d71578" + "0" * 57],
        "cflags": ["-O2", "-g"],
    }
    top = Item("hdf5", "1.14", compiler=None, parameters=parameters, needs=(needs(gcc, "c"),))
    bare = Item("compiler-wrapper", compiler=None)
    old = Item("zlib", compiler=("gcc", "=11.4.0"))
    index = read(file(f"develop/e4s/{INDEX}", database([gcc, top, bare, old])))
    variants = [
        "build_system=cmake",
        'cflags="-O2 -g"',
        "languages:='c,c++,fortran'",
        "+mpi",
        "patches:=8d71578,b05b34b",
        "~static",
    ]
    for item, compiler, written in (
        (top, "gcc@13.2.0", variants),
        (bare, "none", []),
        (old, "gcc@=11.4.0", []),
    ):
        details = {
            "hash": item.key,
            "versions": [item.version],
            "compiler": compiler,
            "os": item.os,
            "platform": item.platform,
            "target": item.target,
            "variants": written,
            "stacks": ["e4s", "root"],
        }
        page = (
            f'---\ntitle: "{item.name}"\nlayout: cache\ncategories: [package, develop]\n'
            f"spec_details: {json.dumps([details])}\n---\n"
        )
        path = f"develop/{item.name}/specs.md"
        [package] = read(file(path, page.encode())).packages
        [same] = [other for other in index.packages if other.name == item.name]
        assert package.tag == same.tag
        assert package.specs.keys() == same.specs.keys()
        assert meaning(package.specs[item.key]) == meaning(same.specs[item.key])
