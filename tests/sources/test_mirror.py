"""A mirror as a source, from a real web server: what it has, and that it is what it should be."""

import gzip
import json

import pytest

from snapdiff.errors import FormatError, RevisionError
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.source import Entry, Source
from tests.support.helpers import refused, run_json
from tests.support.mirrors import (
    HASTE,
    INDEX,
    LISTING,
    MANIFEST,
    below,
    blob_path,
    index,
    layout_2,
    layout_3,
    listing,
    site_data,
)
from tests.support.servers import WebServer, status

ONE = index("zlib", "cmake")
TWO = index("zlib", "cmake", "gcc")


def mirror(server: WebServer, path: str = "") -> Source:
    return open_mirror(f"{server.url}/m{path}", patience=HASTE)


def put(server: WebServer, files: dict[str, bytes], folder: str = "m") -> None:
    server.files.update(below(folder, files))


def documents(source: Source) -> dict[str, bytes | FormatError]:
    entries = list(source.entries())
    return dict(zip([entry.path for entry in entries], source.read(entries), strict=True))


def faults(source: Source) -> dict[str, str]:
    return {
        path: str(found)
        for path, found in documents(source).items()
        if isinstance(found, FormatError)
    }


@pytest.mark.parametrize("zipped", [False, True])
def test_layout_3_is_its_manifest_and_the_blob_that_this_names(
    server: WebServer, zipped: bool
) -> None:
    files = layout_3(ONE, zipped=zipped)
    put(server, files)
    assert documents(mirror(server)) == files


@pytest.mark.parametrize("files", [layout_2(ONE), {INDEX: ONE}], ids=["checksum", "none"])
def test_layout_2_is_its_index(server: WebServer, files: dict[str, bytes]) -> None:
    put(server, files)
    assert documents(mirror(server)) == {INDEX: ONE}


def test_layout_3_goes_before_layout_2(server: WebServer) -> None:
    put(server, {**layout_3(ONE), **layout_2(TWO)})
    assert documents(mirror(server)) == layout_3(ONE)
    assert f"m/{INDEX}" not in server.paths()


@pytest.mark.parametrize("zipped", [False, True])
def test_the_sites_data_are_taken_as_they_are(server: WebServer, zipped: bool) -> None:
    files = site_data()
    if zipped:
        files = {f"{name}.gz": gzip.compress(content) for name, content in files.items()}
    put(server, files)
    assert documents(mirror(server)) == files


@pytest.mark.parametrize("path", [MANIFEST, INDEX, LISTING, "specs_data.json.gz"])
def test_the_url_of_a_document_is_that_of_its_mirror(server: WebServer, path: str) -> None:
    put(server, layout_2(ONE))
    assert documents(mirror(server, f"/{path}")) == {INDEX: ONE}


@pytest.mark.parametrize("folder", ["build_cache", "v3", "v3/manifests", "v3/manifests/index"])
@pytest.mark.parametrize("files", [layout_2(ONE), layout_3(ONE)], ids=["layout 2", "layout 3"])
def test_the_url_of_a_folder_of_a_build_cache_is_that_of_its_mirror(
    server: WebServer, folder: str, files: dict[str, bytes]
) -> None:
    put(server, files)
    put(server, layout_2(TWO), "n")
    found = documents(mirror(server, f"/{folder}/"))
    assert found == {path: content for path, content in files.items() if path != f"{INDEX}.hash"}
    report = run_json(f"{server.url}/n", f"{server.url}/m/{folder}")
    assert report["new"]["source"] == f"{server.url}/m/{folder}"
    assert [tag["stacks"][0]["stack"] for tag in report["tags"]] == ["."]
    assert report["summary"]["removed"] == 1


@pytest.mark.parametrize("name", ["build_cache", "v3"])
def test_a_mirror_may_be_called_like_a_folder_of_a_build_cache(
    server: WebServer, name: str
) -> None:
    put(server, layout_2(ONE))
    put(server, layout_2(TWO), f"m/{name}")
    assert documents(mirror(server, f"/{name}")) == {INDEX: TWO}


def test_a_mirror_of_mirrors_is_all_that_it_lists(server: WebServer) -> None:
    v2, v3 = layout_2(ONE), layout_3(TWO, zipped=True)
    blob = next(path for path in v3 if path != MANIFEST)
    put(server, below("develop/e4s", v2), "m")
    put(server, below("develop/hep", v3), "m")
    put(server, below("develop", v3), "m")
    put(server, below("v1.0/e4s", layout_3(ONE)), "m")
    urls = {
        "develop": {
            "e4s": f"s3://spack-binaries/develop/e4s/{INDEX}",
            "hep": f"s3://spack-binaries/develop/hep/{blob}",
            "root": f"s3://spack-binaries/develop/{blob}",
        },
        "v1.0": {"e4s": f"{server.url}/m/v1.0/e4s"},
    }
    put(server, listing(urls))
    assert documents(mirror(server)) == {
        f"develop/e4s/{INDEX}": ONE,
        **below("develop/hep", v3),
        **below("develop", v3),
        **below("v1.0/e4s", layout_3(ONE)),
    }


def test_a_mirror_of_mirrors_may_have_an_index_of_its_own(server: WebServer) -> None:
    put(server, {**layout_3(TWO), **below("develop/e4s", layout_2(ONE))})
    put(server, listing({"develop": {"e4s": f"s3://bucket/develop/e4s/{INDEX}"}}))
    assert documents(mirror(server)) == {f"develop/e4s/{INDEX}": ONE, **layout_3(TWO)}


def test_a_mirror_that_is_listed_and_not_there_is_named(server: WebServer) -> None:
    put(server, below("develop/e4s", layout_2(ONE)))
    put(server, listing({"develop": {s: f"s3://b/develop/{s}/{INDEX}" for s in ("e4s", "hep")}}))
    assert faults(mirror(server)) == {
        f"develop/hep/{MANIFEST}": f"is listed in {LISTING}, and is not there"
    }


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/develop/../../secret/build_cache/index.json",
        "s3://bucket/develop/%2e%2e/secret/build_cache/index.json",
        "s3://bucket/elsewhere/e4s/build_cache/index.json",
        "s3://bucket/develop/e4s%0a/build_cache/index.json",
        "file:///etc/passwd",
        "nonsense",
    ],
)
def test_a_listing_cannot_lead_elsewhere(server: WebServer, url: str) -> None:
    put(server, listing({"develop": {"e4s": url}}))
    with pytest.raises(RevisionError, match="tag number 1 lists a mirror that is not in its"):
        list(mirror(server).entries())
    assert all(path.startswith("m/") for path in server.paths() + server.paths(404))


@pytest.mark.parametrize("text", [b"[]", b"{", b'{"develop": [{"label": "e4s"}]}', b'{"\xff": []}'])
def test_a_listing_that_is_none_is_named(server: WebServer, text: bytes) -> None:
    put(server, {LISTING: text})
    with pytest.raises(RevisionError, match=f"{LISTING}: is no listing of mirrors: "):
        list(mirror(server).entries())


@pytest.mark.parametrize("text", [b"{", b'{"data": [{"checksum": "\xff"}]}', b"[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_named(server: WebServer, text: bytes) -> None:
    put(server, {MANIFEST: text})
    put(server, layout_2(ONE), "n")
    assert refused(f"{server.url}/n", f"{server.url}/m").startswith(f"{MANIFEST} (new): ")


def test_a_mirror_without_an_index_is_named(server: WebServer) -> None:
    message = f"^{server.url}/m: holds no {MANIFEST}, {INDEX}, .*; name the mirror itself: .*"
    message += "`spack buildcache update-index` writes the index of a build cache$"
    with pytest.raises(RevisionError, match=message):
        list(mirror(server).entries())


def test_a_server_that_refuses_access_is_named(server: WebServer) -> None:
    server.faults[f"m/{INDEX}"] = status(403)
    with pytest.raises(
        RevisionError, match=r"refused access \(status 403\), it may want credentials"
    ):
        list(mirror(server).entries())


def test_a_store_that_may_not_be_listed_refuses_what_it_does_not_have(server: WebServer) -> None:
    put(server, layout_2(ONE))
    server.faults[f"m/{MANIFEST}"] = status(403)
    assert documents(mirror(server)) == {INDEX: ONE}


# --- Checksums ---


def test_a_blob_that_is_not_what_its_name_says_is_refused(server: WebServer) -> None:
    files = layout_3(ONE)
    put(server, {**files, blob_path(ONE): TWO})
    (fault,) = faults(mirror(server)).items()
    assert fault[0] == blob_path(ONE)
    assert "its SHA-256 is" in fault[1]
    assert blob_path(ONE).rpartition("/")[2] in fault[1]


def test_a_blob_that_is_missing_is_named(server: WebServer) -> None:
    put(server, {MANIFEST: layout_3(ONE)[MANIFEST]})
    assert faults(mirror(server)) == {blob_path(ONE): "is missing on the mirror"}


def test_an_index_that_its_checksum_denies_is_refused(server: WebServer) -> None:
    put(server, {**layout_2(ONE), INDEX: TWO})
    assert "its SHA-256 is" in faults(mirror(server))[INDEX]


def test_an_index_that_is_replaced_between_two_requests_is_taken(server: WebServer) -> None:
    put(server, layout_2(ONE))
    source = mirror(server)
    entries = list(source.entries())
    put(server, layout_2(TWO))
    assert list(source.read(entries)) == [TWO]


@pytest.mark.parametrize("text", ["", "no checksum", "A" * 64, "\x1b[31m"])
def test_a_checksum_that_is_none_is_passed_over(server: WebServer, text: str) -> None:
    put(server, layout_2(ONE, checksum=text))
    assert documents(mirror(server)) == {INDEX: ONE}


@pytest.mark.parametrize(
    "change",
    [
        {"checksum": "../../../etc/passwd"},
        {"checksum": "0" * 63},
        {"checksumAlgorithm": "md5"},
        {"mediaType": "application/vnd.spack.spec.v5+json"},
        {"checksum": 7},
    ],
)
def test_a_manifest_that_names_no_index_is_there_alone(
    server: WebServer, change: dict[str, object]
) -> None:
    manifest = json.loads(layout_3(ONE)[MANIFEST])
    manifest["data"][0].update(change)
    text = json.dumps(manifest).encode()
    put(server, {MANIFEST: text})
    assert documents(mirror(server)) == {MANIFEST: text}


# --- What differs ---


def test_what_has_one_checksum_on_both_sides_is_not_downloaded(server: WebServer) -> None:
    put(server, layout_2(ONE))
    put(server, layout_2(ONE), "n")
    old, new = mirror(server), open_mirror(f"{server.url}/n", patience=HASTE)
    assert old.changed_entries(new) == []
    assert not [path for path in server.paths() if path.endswith("index.json")]


def test_what_differs_is_downloaded_once(server: WebServer) -> None:
    put(server, layout_3(ONE))
    put(server, layout_3(TWO), "n")
    old, new = mirror(server), open_mirror(f"{server.url}/n", patience=HASTE)
    for _ in range(2):
        pairs = old.changed_entries(new)
        contents = list(old.read_both(new, pairs))
    assert [next(entry.path for entry in pair if entry) for pair in pairs] == sorted(
        {MANIFEST, blob_path(ONE), blob_path(TWO)}
    )
    assert {content for pair in contents for content in pair} == {
        None,
        ONE,
        TWO,
        layout_3(ONE)[MANIFEST],
        layout_3(TWO)[MANIFEST],
    }
    assert sorted(server.paths()) == sorted(
        [*below("m", layout_3(ONE)), *below("n", layout_3(TWO))]
    )


def test_entries_are_those_of_a_folder_in_order(server: WebServer) -> None:
    put(server, below("develop/e4s", layout_2(ONE)))
    put(server, below("develop/hep", layout_2(ONE)))
    put(server, listing({"develop": {s: f"s3://b/develop/{s}/{INDEX}" for s in ("hep", "e4s")}}))
    source = mirror(server)
    assert [entry.path for entry in source.entries()] == [
        f"develop/e4s/{INDEX}",
        f"develop/hep/{INDEX}",
    ]
    assert [entry.path for entry in source.entries("develop/hep")] == [f"develop/hep/{INDEX}"]
    assert source.changed_entries(source) == []
    assert (source.commit, source.prefix) == (None, "m")


def test_a_file_that_the_mirror_does_not_have_is_named(server: WebServer) -> None:
    put(server, layout_2(ONE))
    (found,) = mirror(server).read([Entry("nothing", None)])
    assert str(found) == "is missing on the mirror"
