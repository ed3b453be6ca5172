"""Mirrors in object stores: a real server of S3, and one that speaks Google's JSON interface."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.sources.download import Downloaded
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.source import Entry
from tests.support.gcs_server import GcsServer, gcs_server
from tests.support.mirrors import HASTE, INDEX, MANIFEST, below, index, layout_2, layout_3, listing
from tests.support.servers import s3_server
from tests.support.tools import needs

needs("moto", "stores")
needs("s3fs", "stores")
needs("gcsfs", "stores")
pytestmark = pytest.mark.slow

ONE = index("zlib", "cmake")
LARGE = b" " * (20 << 20)

PUBLIC = {
    **below("two", layout_2(ONE)),
    **below("three", layout_3(ONE, zipped=True)),
    **below("many", listing({"develop": {"e4s": f"s3://other/develop/e4s/{INDEX}"}})),
    **below("many/develop/e4s", layout_2(ONE)),
    f"large/{INDEX}": LARGE,
}
PRIVATE = {f"two/{INDEX}": ONE}

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The URL of a server with a bucket that is open to guests, and one that is not."""
    import boto3  # takes a second

    with s3_server() as url:
        client = boto3.client(
            "s3",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        )
        for bucket, files, access in (
            ("public", PUBLIC, "public-read"),
            ("private", PRIVATE, "private"),
        ):
            client.create_bucket(Bucket=bucket)
            for path, content in files.items():
                client.put_object(Bucket=bucket, Key=path, Body=content, ACL=access)
        yield url


@pytest.fixture(scope="module")
def gcs() -> Iterator[GcsServer]:
    """A server with the same buckets."""
    with gcs_server({**below("public", PUBLIC), **below("private", PRIVATE)}) as server:
        yield server


@pytest.fixture(params=["s3", "gs"])
def store(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    s3: str,
    gcs: GcsServer,
) -> Iterator[str]:
    """The scheme of a store that a guest asks, without anything of whoever runs the tests."""
    import fsspec  # is not there without the tools

    for name in (*KEYS, "AWS_SESSION_TOKEN", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": s3,
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "CLOUDSDK_CONFIG": str(tmp_path),
        "HOME": str(tmp_path),
        "NO_GCE_CHECK": "true",
        "STORAGE_EMULATOR_HOST": gcs.url,
    }.items():
        monkeypatch.setenv(name, value)
    gcs.status = 0
    scheme: str = request.param
    yield scheme
    fsspec.get_filesystem_class(scheme).clear_instance_cache()  # a connection of the last test


def documents(url: str) -> dict[str, object]:
    source = open_mirror(url, patience=HASTE)
    entries = list(source.entries())
    return dict(zip([entry.path for entry in entries], source.read(entries), strict=True))


def test_a_guest_reads_a_public_mirror(store: str) -> None:
    assert documents(f"{store}://public/two") == {INDEX: ONE}
    assert documents(f"{store}://public/three/") == layout_3(ONE, zipped=True)
    assert documents(f"{store}://public/many") == {f"develop/e4s/{INDEX}": ONE}


def test_a_large_index_is_read_in_parts(store: str) -> None:
    assert documents(f"{store}://public/large") == {INDEX: LARGE}


@pytest.mark.parametrize("place", ["public/none", "no-such-bucket/m"])
def test_what_is_not_there_is_named(store: str, place: str) -> None:
    with pytest.raises(RevisionError, match=rf"^{store}://{place}: holds no {MANIFEST}, "):
        documents(f"{store}://{place}")


def test_a_private_mirror_refuses_a_guest(store: str) -> None:
    message = rf"^{store}://private/two: .*refused access \(status 40[13]\), it may want cred"
    with pytest.raises(RevisionError, match=message):
        documents(f"{store}://private/two")


def test_what_is_unchanged_is_not_sent_again(store: str, tmp_path: Path) -> None:
    source = open_mirror(f"{store}://public/three", patience=HASTE)
    assert MANIFEST in [entry.path for entry in source.entries()]
    place = tmp_path / "kept"
    place.write_bytes(b"what was kept")
    kept = Downloaded("kept's checksum", source.validators(MANIFEST), place)
    source = open_mirror(f"{store}://public/three", patience=HASTE, kept={MANIFEST: kept})
    assert list(source.read([Entry(MANIFEST, None)])) == [b"what was kept"]


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_a_private_mirror_takes_credentials(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    assert documents(f"{store}://private/two") == {INDEX: ONE}


def names_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    """Let a program be asked for credentials; return a file with a letter for each time."""
    log, program, settings = (tmp_path / name for name in ("log", "program", "settings"))
    program.write_text(f"#!/bin/sh\nprintf x >> {log}\n{text}\n")
    program.chmod(0o755)
    settings.write_text(f"[default]\ncredential_process = {program}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(settings))
    return log


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_a_program_is_asked_for_credentials_once(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"Version": 1, "AccessKeyId": "testing", "SecretAccessKey": "testing"}
    log = names_a_program(tmp_path, monkeypatch, f"echo '{json.dumps(kept)}'")
    assert documents(f"{store}://private/two") == {INDEX: ONE}
    assert log.read_text() == "x"


@pytest.mark.parametrize("store", ["s3"], indirect=True)
@pytest.mark.parametrize("text", ["echo s3cret >&2; exit 1", "echo s3cret", "echo '{}'"])
def test_a_program_that_has_no_credentials_is_told_and_asked_once(
    store: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = names_a_program(tmp_path, monkeypatch, text)
    message = rf"^s3://private/two/{MANIFEST}: the credentials that ~/.aws or the variables AWS_"
    with pytest.raises(RevisionError, match=message) as found:
        documents(f"{store}://private/two")
    assert "s3cret" not in str(found.value)
    assert log.read_text() == "x"


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_a_profile_that_is_not_there_is_told(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "none-of-that-name")
    with pytest.raises(RevisionError, match=r"AWS_\.\.\. name cannot be had \(ProfileNotFound\)$"):
        documents(f"{store}://public/two")


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_a_store_that_is_not_there_is_named(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(RevisionError, match=rf"^s3://public/m/{MANIFEST}: the server cannot be"):
        documents(f"{store}://public/m")


@pytest.mark.nightly
@pytest.mark.parametrize("store", ["gs"], indirect=True)
def test_a_server_in_trouble_is_asked_again_and_then_named(store: str, gcs: GcsServer) -> None:
    """It takes half a minute: gcsfs has pauses of its own, which nothing shortens."""
    gcs.status = 503
    with pytest.raises(RevisionError, match=rf"^gs://public/two/{MANIFEST}: ") as found:
        documents(f"{store}://public/two")
    assert "secret" not in str(found.value)
