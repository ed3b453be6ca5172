"""A mirror in an object store: a real server of S3, with credentials and without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.sources.download import Downloaded
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.source import Entry
from tests.support.mirrors import HASTE, INDEX, MANIFEST, below, index, layout_2, layout_3, listing
from tests.support.servers import S3Server, s3_server
from tests.support.tools import needs

needs("moto", "stores")
needs("s3fs", "stores")
pytestmark = pytest.mark.slow

ONE = index("zlib", "cmake")

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    """A server with a bucket that is open to guests, and one that is not."""
    with s3_server() as server:
        fill(server)
        yield server


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No credentials of whoever runs the tests, and no connection kept from the last test."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    yield
    import fsspec  # takes seconds, with what it brings

    fsspec.get_filesystem_class("s3").clear_instance_cache()


def fill(server: S3Server) -> None:
    """Make two buckets with mirrors in them."""
    import boto3  # takes a second

    client = boto3.client(
        "s3",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )
    files = {
        **below("two", layout_2(ONE)),
        **below("three", layout_3(ONE, zipped=True)),
        **below("many", listing({"develop": {"e4s": f"s3://other/develop/e4s/{INDEX}"}})),
        **below("many/develop/e4s", layout_2(ONE)),
        "large/build_cache/index.json": b" " * (20 << 20),
    }
    client.create_bucket(Bucket="public")
    client.create_bucket(Bucket="private")
    for path, content in files.items():
        client.put_object(Bucket="public", Key=path, Body=content, ACL="public-read")
    client.put_object(Bucket="private", Key=f"two/{INDEX}", Body=ONE)


def use(monkeypatch: pytest.MonkeyPatch, server: S3Server, **credentials: str) -> None:
    for name, value in {**server.environment, **credentials}.items():
        monkeypatch.setenv(name, value)


def documents(url: str) -> dict[str, object]:
    source = open_mirror(url, patience=HASTE)
    entries = list(source.entries())
    return dict(zip([entry.path for entry in entries], source.read(entries), strict=True))


def test_a_guest_reads_a_public_mirror(monkeypatch: pytest.MonkeyPatch, server: S3Server) -> None:
    use(monkeypatch, server)
    assert documents("s3://public/two") == {INDEX: ONE}
    assert documents("s3://public/three/") == layout_3(ONE, zipped=True)
    assert documents("s3://public/many") == {f"develop/e4s/{INDEX}": ONE}


def test_a_large_index_is_read_in_parts(monkeypatch: pytest.MonkeyPatch, server: S3Server) -> None:
    use(monkeypatch, server)
    assert documents("s3://public/large") == {INDEX: b" " * (20 << 20)}


@pytest.mark.parametrize("url", ["s3://public/none", "s3://no-such-bucket/m"])
def test_what_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, server: S3Server, url: str
) -> None:
    use(monkeypatch, server)
    with pytest.raises(RevisionError, match=rf"^{url}: holds no {MANIFEST}, "):
        documents(url)


def test_a_private_mirror_takes_credentials(
    monkeypatch: pytest.MonkeyPatch, server: S3Server
) -> None:
    use(monkeypatch, server, **KEYS)
    assert documents("s3://private/two") == {INDEX: ONE}


def test_a_private_mirror_refuses_a_guest(
    monkeypatch: pytest.MonkeyPatch, server: S3Server
) -> None:
    use(monkeypatch, server)
    message = r"^s3://private/two: .*refused access \(status 403\), it may want credentials$"
    with pytest.raises(RevisionError, match=message):
        documents("s3://private/two")


def test_what_is_unchanged_is_not_sent_again(
    monkeypatch: pytest.MonkeyPatch, server: S3Server, tmp_path: Path
) -> None:
    use(monkeypatch, server)
    source = open_mirror("s3://public/three", patience=HASTE)
    assert MANIFEST in [entry.path for entry in source.entries()]
    place = tmp_path / "kept"
    place.write_bytes(b"what was kept")
    kept = Downloaded("kept's checksum", source.validators(MANIFEST), place)
    source = open_mirror("s3://public/three", patience=HASTE, kept={MANIFEST: kept})
    assert list(source.read([Entry(MANIFEST, None)])) == [b"what was kept"]


def test_a_store_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(RevisionError, match=rf"^s3://public/m/{MANIFEST}: the server cannot be"):
        documents("s3://public/m")
