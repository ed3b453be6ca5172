"""A mirror in Google Cloud Storage: gcsfs itself against a server that speaks its JSON API."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.sources.download import Downloaded
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.source import Entry
from tests.support.gcs_server import GcsServer, gcs_server
from tests.support.mirrors import HASTE, INDEX, MANIFEST, below, index, layout_2, layout_3, listing
from tests.support.tools import needs

needs("gcsfs", "stores")
pytestmark = pytest.mark.slow

ONE = index("zlib", "cmake")
LARGE = b" " * (20 << 20)


@pytest.fixture(scope="module")
def server() -> Iterator[GcsServer]:
    files = {
        **below("public/two", layout_2(ONE)),
        **below("public/three", layout_3(ONE, zipped=True)),
        **below("public/many", listing({"develop": {"e4s": f"gs://other/develop/e4s/{INDEX}"}})),
        **below("public/many/develop/e4s", layout_2(ONE)),
        f"public/large/{INDEX}": LARGE,
        f"private/two/{INDEX}": ONE,
    }
    with gcs_server(files) as server:
        yield server


@pytest.fixture(autouse=True)
def guest(monkeypatch: pytest.MonkeyPatch, server: GcsServer, tmp_path: Path) -> Iterator[None]:
    """A guest of the server, without anything of whoever runs the tests."""
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    server.status = 0
    yield
    import fsspec  # takes seconds, with what it brings

    fsspec.get_filesystem_class("gs").clear_instance_cache()


def documents(url: str) -> dict[str, object]:
    source = open_mirror(url, patience=HASTE)
    entries = list(source.entries())
    return dict(zip([entry.path for entry in entries], source.read(entries), strict=True))


def test_a_guest_reads_a_public_mirror() -> None:
    assert documents("gs://public/two") == {INDEX: ONE}
    assert documents("gs://public/three/") == layout_3(ONE, zipped=True)
    assert documents("gs://public/many") == {f"develop/e4s/{INDEX}": ONE}


def test_a_large_index_is_read_in_parts() -> None:
    assert documents("gs://public/large") == {INDEX: LARGE}


@pytest.mark.parametrize("url", ["gs://public/none", "gs://no-such-bucket/m"])
def test_what_is_not_there_is_named(url: str) -> None:
    with pytest.raises(RevisionError, match=rf"^{url}: holds no {MANIFEST}, "):
        documents(url)


def test_a_private_mirror_refuses_a_guest() -> None:
    message = r"^gs://private/two: .*refused access \(status 40[13]\), it may want credentials$"
    with pytest.raises(RevisionError, match=message):
        documents("gs://private/two")


@pytest.mark.nightly
def test_a_server_in_trouble_is_asked_again_and_then_named(server: GcsServer) -> None:
    """It takes half a minute: gcsfs has pauses of its own, which nothing shortens."""
    server.status = 503
    with pytest.raises(RevisionError, match=rf"^gs://public/two/{MANIFEST}: ") as found:
        documents("gs://public/two")
    assert "secret" not in str(found.value)


def test_what_is_unchanged_is_not_sent_again(tmp_path: Path) -> None:
    source = open_mirror("gs://public/three", patience=HASTE)
    assert MANIFEST in [entry.path for entry in source.entries()]
    place = tmp_path / "kept"
    place.write_bytes(b"what was kept")
    kept = Downloaded("kept's checksum", source.validators(MANIFEST), place)
    source = open_mirror("gs://public/three", patience=HASTE, kept={MANIFEST: kept})
    assert list(source.read([Entry(MANIFEST, None)])) == [b"what was kept"]
