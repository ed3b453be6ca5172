"""Build caches in an OCI registry: a real one, open, with tokens, with TLS."""

import base64
import gzip
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.sources.mirror import open_mirror
from tests.support.helpers import run_cli, run_json
from tests.support.mirrors import HASTE, INDEX, index
from tests.support.processes import run_process
from tests.support.real_catalogs import DATA, needs_real_catalogs
from tests.support.registries import (
    PASSWORD,
    USER,
    Registry,
    Store,
    TokenServer,
    digest_of,
    running,
    token_server,
    write_certificate,
)

pytestmark = pytest.mark.slow

ONE, TWO = index("zlib", "cmake"), index("zlib", "cmake", "gcc")

NAME = "group/cache"


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No login of whoever runs the tests."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with an index in it, to be copied: a push takes a registry of its own."""
    store = Store(tmp_path_factory.mktemp("pushed"))
    store.push(NAME, ONE)
    return store.folder


@pytest.fixture
def store(tmp_path: Path, pushed: Path) -> Store:
    """A store with an index in it."""
    return Store(shutil.copytree(pushed, tmp_path / "registry"))


@pytest.fixture
def tokens(tmp_path: Path) -> Iterator[TokenServer]:
    """A server of tokens that knows one user."""
    with token_server(tmp_path / "tokens") as server:
        yield server


def read(registry: Registry, name: str = NAME) -> bytes:
    """The index of a build cache; an error that is yielded is raised."""
    source = open_mirror(registry.url(name), patience=HASTE)
    (entry,) = source.entries()
    (content,) = source.read([entry])
    assert entry.path == INDEX
    assert source.location(entry) == source.name == registry.url(name)
    if isinstance(content, Exception):
        raise content
    return content


def login(place: Path, file: object) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(file))


def auth(user: str = USER, password: str = PASSWORD) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}


# --- What is read ---


@pytest.mark.parametrize("layer", [ONE, gzip.compress(ONE)], ids=["plain", "gzip"])
def test_the_index_is_the_one_layer_of_the_tag(tmp_path: Path, layer: bytes) -> None:
    Store(tmp_path / "registry").push(NAME, layer)
    with running(tmp_path / "registry") as registry:
        assert read(registry) == ONE


def test_an_older_index_is_named_by_its_digest(store: Store) -> None:
    old = store.push(NAME, ONE)
    store.push(NAME, TWO)
    with running(store.folder) as registry:
        assert read(registry) == TWO
        assert read(registry, f"{NAME}@{old}") == ONE
        report = run_json(registry.url(f"{NAME}@{old}"), registry.url(NAME))
    assert report["old"]["source"].endswith(f"/{NAME}@{old}")
    assert (report["summary"]["added"], report["summary"]["unchanged"]) == (1, 2)


def test_an_index_is_the_same_as_itself(store: Store) -> None:
    with running(store.folder) as registry:
        done = run_cli("--exit-code", registry.url(NAME), registry.url(NAME))
    assert (done.status, done.err) == (0, "")


@needs_real_catalogs
def test_what_spack_pushed_reads_as_its_mirror_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spack = DATA / "real-spack"
    Store(tmp_path / "registry").push(NAME, (spack / "oci-0.23" / "index.layer0").read_bytes())
    monkeypatch.chdir(spack / "mirror-layout2")
    with running(tmp_path / "registry") as registry:
        url = registry.url(NAME)
        for arguments in (("A", "B"), ("C", "A"), ("A", "A")):
            words = [url if word == "A" else word for word in arguments]
            by_url = run_cli("-f", "json", *words)
            on_disk = run_cli("-f", "json", *arguments)
            assert (by_url.status, by_url.err) == (0, "")
            assert by_url.out.replace(f'"{url}"', '"A"') == on_disk.out


def test_snapshots_of_a_registry_are_a_story(store: Store, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with running(store.folder) as registry:
        old = run_cli("snapshot", registry.url(NAME), tmp_path / "kept" / "2025-06-29")
    store.push(NAME, TWO)
    with running(store.folder) as registry:
        new = run_cli("snapshot", registry.url(NAME), tmp_path / "kept" / "2025-07-06")
    assert (old.status, new.status) == (0, 0)
    story = run_cli("changelog", "-f", "json", tmp_path / "kept")
    assert (story.status, story.err) == (0, "")
    (section,) = json.loads(story.out)
    assert "gcc" in json.dumps(section)


def test_where_nothing_is_new_nothing_is_written(store: Store, tmp_path: Path) -> None:
    with running(store.folder) as registry:
        run_cli("snapshot", registry.url(NAME), tmp_path / "kept")
        said = run_cli("snapshot", registry.url(NAME), tmp_path / "kept").err
    assert said == f"snapdiff: {tmp_path}/kept: nothing is new, nothing was written\n"


def test_a_registry_with_tls_is_asked_with_its_certificate(store: Store, tmp_path: Path) -> None:
    key, file = write_certificate(tmp_path / "tls")
    http = {"tls": {"certificate": str(file), "key": str(key)}}
    with running(store.folder, settings={"http": http}, scheme="https") as registry:
        words = ("-f", "json", registry.url(NAME), registry.url(NAME))
        known = run_process(*words, env={"SSL_CERT_FILE": str(file)})
        unknown = run_process(*words)
    assert registry.url(NAME).startswith("oci://")
    assert (known.status, known.err) == (0, b"")
    assert unknown.status == 2
    reason = b"/manifests/index.spack: the server's certificate or encryption is not accepted\n"
    assert unknown.err.endswith(reason)


def test_a_registry_without_the_tag_names_the_command_that_writes_it(tmp_path: Path) -> None:
    Store(tmp_path / "registry").push(NAME, ONE, tag="zlib-1.0-hash.spack")
    with running(tmp_path / "registry") as registry:
        message = "has no tag index.spack; `spack buildcache update-index` writes it$"
        for name in (NAME, "no/such"):
            with pytest.raises(RevisionError, match=f"{name}: {message}"):
                read(registry, name)
        with pytest.raises(RevisionError, match="has no manifest of this digest"):
            read(registry, f"{NAME}@{digest_of(b'')}")


# --- Who asks ---


def test_a_guest_reads_what_is_public(store: Store, tmp_path: Path) -> None:
    login(tmp_path / "home" / ".docker" / "config.json", {"auths": "broken, and not looked at"})
    with (
        token_server(tmp_path / "tokens", public=NAME) as tokens,
        running(store.folder, settings=tokens.settings) as registry,
    ):
        assert read(registry) == ONE
        assert tokens.seen == ["nobody"]


def test_a_guest_is_told_to_log_in(store: Store, tokens: TokenServer) -> None:
    with running(store.folder, settings=tokens.settings) as registry:
        message = r"the registry refuses access \(status 401\); .* has `docker login` been run"
        with pytest.raises(RevisionError, match=message):
            read(registry)


@pytest.mark.parametrize(
    ("place", "variable"),
    [
        ("home/.docker/config.json", None),
        ("elsewhere/config.json", "DOCKER_CONFIG"),
        ("home/.config/containers/auth.json", None),
        ("run/containers/auth.json", "XDG_RUNTIME_DIR"),
        ("some.json", "REGISTRY_AUTH_FILE"),
    ],
)
def test_a_login_is_found_where_docker_and_podman_keep_it(
    store: Store,
    tokens: TokenServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    variable: str | None,
) -> None:
    if variable:
        folder = tmp_path / (place if variable == "REGISTRY_AUTH_FILE" else place.split("/")[0])
        monkeypatch.setenv(variable, str(folder))
    with running(store.folder, settings=tokens.settings) as registry:
        login(tmp_path / place, {"auths": {registry.host: auth()}})
        assert read(registry) == ONE
    assert tokens.seen == ["nobody", "password"]


@pytest.mark.parametrize("key", ["{}/group/cache", "{}/group", "https://{}", "https://{}/v1/"])
def test_a_login_may_be_for_a_part_of_a_registry(
    store: Store, tokens: TokenServer, tmp_path: Path, key: str
) -> None:
    with running(store.folder, settings=tokens.settings) as registry:
        logins = {key.format(registry.host): auth(), registry.host: auth("another", "x")}
        if key.startswith("https"):
            del logins[registry.host]
        login(tmp_path / "home/.docker/config.json", {"auths": logins})
        assert read(registry) == ONE


def test_an_identity_token_is_a_login_too(
    store: Store, tokens: TokenServer, tmp_path: Path
) -> None:
    with running(store.folder, settings=tokens.settings) as registry:
        logins = {registry.host: {"identitytoken": tokens.identity_token}}
        login(tmp_path / "home/.docker/config.json", {"auths": logins})
        assert read(registry) == ONE
    assert tokens.seen == ["nobody", "identity"]


@pytest.mark.parametrize("is_identity", [False, True])
@pytest.mark.parametrize("kind", ["credsStore", "credHelpers"])
def test_a_credential_helper_is_asked(
    store: Store,
    tokens: TokenServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    is_identity: bool,
) -> None:
    user, secret = ("<token>", tokens.identity_token) if is_identity else (USER, PASSWORD)
    kept = json.dumps({"ServerURL": "", "Username": user, "Secret": secret})
    helper(
        tmp_path,
        monkeypatch,
        f"cat > {tmp_path}/asked; echo \"$1\" >> {tmp_path}/asked\ncat <<'END'\n{kept}\nEND",
    )
    with running(store.folder, settings=tokens.settings) as registry:
        value = "ours" if kind == "credsStore" else {registry.host: "ours"}
        login(tmp_path / "home/.docker/config.json", {kind: value})
        assert read(registry) == ONE
        assert (tmp_path / "asked").read_text() == f"{registry.host}get\n"


def helper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Install a credential helper called `ours`."""
    (tmp_path / "bin").mkdir()
    file = tmp_path / "bin" / "docker-credential-ours"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("{", "config.json: cannot be read: is not what `docker login` writes"),
        ('{"auths": 7}', "config.json: cannot be read: is not what `docker login` writes"),
        (
            '{"auths": {"HOST": {"auth": "s3cret"}}}',
            "config.json: cannot be read: is not what `docker login` writes",
        ),
        (
            '{"auths": {"HOST": {"auth": "s3cret\\u00e9"}}}',
            "config.json: cannot be read: is not what `docker login` writes",
        ),
        ('{"credsStore": "../../s3cret"}', "is no name of a credential helper"),
        (
            '{"credsStore": "none-of-that-name"}',
            "docker-credential-none-of-that-name: cannot be asked for credentials: No such file",
        ),
        ('{"credsStore": "ours"}', "docker-credential-ours: cannot be asked for credentials: its"),
        (None, "config.json: cannot be read: Is a directory"),
    ],
)
def test_a_login_that_cannot_be_read_is_named(
    store: Store,
    tokens: TokenServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str | None,
    reason: str,
) -> None:
    helper(tmp_path, monkeypatch, "echo s3cret")
    place = tmp_path / "home/.docker/config.json"
    with running(store.folder, settings=tokens.settings) as registry:
        if file is None:
            place.mkdir(parents=True)
        else:
            place.parent.mkdir()
            place.write_text(file.replace("HOST", registry.host))
        with pytest.raises(RevisionError) as error:
            read(registry)
    assert reason in str(error.value)
    assert str(error.value).isprintable()
    assert "s3cret" not in str(error.value) or "../" in str(error.value)


def test_a_helper_that_has_nothing_leaves_a_guest(
    store: Store, tokens: TokenServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper(tmp_path, monkeypatch, "echo credentials not found in native keychain; exit 1")
    login(tmp_path / "home/.docker/config.json", {"credsStore": "ours"})
    with (
        running(store.folder, settings=tokens.settings) as registry,
        pytest.raises(RevisionError, match="refuses access"),
    ):
        read(registry)


def test_no_secret_is_in_a_report_or_a_snapshot(
    store: Store, tokens: TokenServer, tmp_path: Path
) -> None:
    with running(store.folder, settings=tokens.settings) as registry:
        login(tmp_path / "home/.docker/config.json", {"auths": {registry.host: auth()}})
        report = run_cli("-f", "json", registry.url(NAME), registry.url(NAME))
        run_cli("snapshot", registry.url(NAME), tmp_path / "kept")
        login(
            tmp_path / "home/.docker/config.json", {"auths": {registry.host: auth("a", "s3cret")}}
        )
        error = run_cli("-f", "json", registry.url(NAME), registry.url(NAME))
    kept = (tmp_path / "kept" / "snapdiff-snapshot.json").read_text()
    assert (report.status, error.status) == (0, 2)
    for text in (report.out, report.err, kept, error.err):
        assert "s3cret" not in text
        assert USER not in text
        assert "eyJ" not in text  # as every token of this kind begins
