"""A registry that lies, refuses or never ends: one line that names it, and no secret in it."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import Limits
from snapdiff.sources.download import Patience
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.registry import challenge_in
from tests.support.helpers import refused
from tests.support.mirrors import HASTE, index
from tests.support.registries import digest_of, manifest_of
from tests.support.servers import (
    Fault,
    Handler,
    WebServer,
    dripping,
    endless,
    redirect,
    status,
    truncated,
)
from tests.support.work import seconds

pytestmark = pytest.mark.slow

ONE = index("zlib", "cmake")

BASE = "v2/group/cache"
TAGGED = f"{BASE}/manifests/index.spack"
LAYER = f"{BASE}/blobs/{digest_of(ONE)}"

LOGIN = base64.b64encode(b"user:s3cret-password").decode()


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: WebServer) -> None:
    """Somebody who has a login for the registry."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps({"auths": {server.host: {"auth": LOGIN}}}))
    put(server, ONE)


def put(server: WebServer, *layers: bytes) -> None:
    server.files[TAGGED] = manifest_of(*layers)
    server.files.update({f"{BASE}/blobs/{digest_of(layer)}": layer for layer in layers})


def read(server: WebServer, at: str = "", patience: Patience = HASTE) -> bytes:
    limits = Limits(document_size=1 << 20)
    source = open_mirror(
        f"oci+http://{server.host}/group/cache{at}", patience=patience, limits=limits
    )
    (content,) = source.read(source.entries())
    if isinstance(content, Exception):
        raise content
    return content


def challenged(challenge: str, then: Fault | None = None) -> Fault:
    """Ask everybody who he is, for ever, or until he has a header that begins well."""

    def answer(handler: Handler) -> None:
        if then and handler.headers.get("Authorization", "").startswith(challenge.split()[0]):
            then(handler)
        else:
            handler.send_bytes(401, b"who?", {"WWW-Authenticate": challenge})

    return answer


def sent(content: bytes) -> Fault:
    return lambda handler: handler.send_bytes(200, content)


def whole(handler: Handler) -> None:
    handler.send_file(handler.owner.files[handler.path.lstrip("/")])


HTML = b"<html>s3cret-password \x1b[31m</html>"

CASES: dict[str, tuple[str, Fault, str]] = {
    "401 for ever": (TAGGED, challenged("Basic"), "the registry refuses access (status 401)"),
    "401 without a challenge": (TAGGED, status(401), "the registry refuses access (status 401)"),
    "401 of an odd kind": (
        TAGGED,
        challenged('Negotiate realm="x"'),
        "the registry refuses access (status 401)",
    ),
    "403": (TAGGED, status(403), "the registry refuses access (status 403)"),
    "404": (TAGGED, status(404), "has no tag index.spack; `spack buildcache update-index`"),
    "500 for ever": (TAGGED, status(500), "the server answers with status 500"),
    "HTML": (TAGGED, sent(HTML), "is no manifest with layers, as Spack writes one"),
    "an index of images": (
        TAGGED,
        sent(b'{"schemaVersion": 2, "manifests": []}'),
        "is no manifest with layers, as Spack writes one",
    ),
    "no UTF-8": (
        TAGGED,
        sent(b'{"layers": [{"digest": "\xff"}]}'),
        "is no manifest with layers, as Spack writes one",
    ),
    "deep JSON": (TAGGED, sent(b"[" * 100_000), "is no manifest with layers, as Spack writes one"),
    "another image": (
        TAGGED,
        sent(manifest_of(b"one", b"two")),
        "the manifest has 2 layers, and that of an index has one; is this a build cache?",
    ),
    "no layer": (TAGGED, sent(manifest_of()), "the manifest has 0 layers"),
    "a digest that is none": (
        TAGGED,
        sent(manifest_of(layers=[{"digest": "sha256:../../../x", "size": 1}])),
        "layers[0].digest: is no digest",
    ),
    "a size that is none": (
        TAGGED,
        sent(manifest_of(layers=[{"digest": digest_of(ONE), "size": "much"}])),
        "is no manifest with layers",
    ),
    "an endless manifest": (TAGGED, endless(b" " * 65_536), "with it, more than 1,048,576 bytes"),
    "another scheme": (TAGGED, redirect("https://x/y"), "it redirects to https, which is not"),
    "a layer that is away": (LAYER, status(404), "the layer of the manifest is missing"),
    "a layer that is refused": (LAYER, status(403), "the layer of the manifest is refused (status"),
    "another layer": (LAYER, sent(ONE + b" "), "the layer's digest is sha256:"),
    "a truncated layer": (LAYER, truncated(ONE, 40), "it broke off in the middle"),
    "a layer of HTML": (LAYER, sent(HTML), "the layer's digest is sha256:"),
    "an endless layer": (LAYER, endless(bytes(65_536)), "with it, more than 1,048,576 bytes"),
    "another size": (
        TAGGED,
        sent(manifest_of(layers=[{"digest": digest_of(ONE), "size": 7}])),
        f"the layer has {len(ONE):,} bytes, and should have 7",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_answer_is_one_line(server: WebServer, name: str) -> None:
    path, fault, reason = CASES[name]
    server.faults[path] = fault
    with pytest.raises((FormatError, RevisionError)) as error:
        read(server)
    message = str(error.value)
    assert reason in message
    assert message.isprintable()
    assert "s3cret" not in message
    assert LOGIN not in message


def test_a_layer_that_is_no_index_is_a_bad_page_of_one_line(
    server: WebServer, tmp_path: Path
) -> None:
    put(server, b"\x00\x01 layer of an image")
    said = refused(f"oci+http://{server.host}/group/cache", tmp_path, "--allow-empty")
    assert said.startswith("build_cache/index.json (old): line 1: no JSON ")


def test_a_registry_that_is_busy_is_asked_again(server: WebServer) -> None:
    server.faults[TAGGED] = status(503, times=2)
    server.faults[LAYER] = status(500, times=2)
    assert read(server) == ONE


def test_a_password_is_sent_where_a_registry_asks_for_one(server: WebServer) -> None:
    server.faults[TAGGED] = challenged('Basic realm="a registry"', whole)
    server.faults[LAYER] = challenged('Basic realm="a registry"', whole)
    assert read(server) == ONE
    said = [seen.headers.get("Authorization") for seen in server.seen]
    assert said == [None, f"Basic {LOGIN}", f"Basic {LOGIN}"]


def test_a_netrc_is_not_even_read(server: WebServer, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine\nis broken")
    assert read(server) == ONE


def test_nothing_that_says_who_asks_goes_along_with_a_redirect(server: WebServer) -> None:
    with WebServer().running() as other:
        other.files["blob"] = ONE
        server.faults[TAGGED] = challenged("Basic", whole)
        server.faults[LAYER] = challenged("Basic", redirect(f"{other.url}/blob?signature=x"))
        assert read(server) == ONE
        (seen,) = other.seen
    assert "Authorization" not in seen.headers


def test_where_a_redirect_leads_is_not_told_who_asks(server: WebServer) -> None:
    """A store of layers could name a token server of its own, and be sent the password."""
    with WebServer().running() as other:
        bearer = {"WWW-Authenticate": f'Bearer realm="{other.url}/token"'}
        other.faults["blob"] = status(401, bearer)
        other.faults["token"] = sent(b'{"token": "x"}')
        server.faults[LAYER] = redirect(f"{other.url}/blob")
        with pytest.raises(
            FormatError, match=r"^the layer of the manifest is refused \(status 401"
        ):
            read(server)
        assert other.paths(401) == ["blob"]
        assert len(other.seen) == 1


def test_another_manifest_than_the_one_that_is_named_is_refused(server: WebServer) -> None:
    wanted = digest_of(b"wanted")
    server.files[f"{BASE}/manifests/{wanted}"] = manifest_of(ONE)
    with pytest.raises(RevisionError, match="the manifest that was sent has another digest: sha"):
        read(server, f"@{wanted}")


def test_gzip_that_unfolds_to_too_much_is_refused(server: WebServer) -> None:
    put(server, gzip.compress(bytes(2 << 20)))
    with pytest.raises(FormatError, match=r"the gzip data unfolds to over|is too large"):
        read(server)


# --- Token servers ---

TOKEN = "s3cret-token-of-a-registry"  # noqa: S105 - of nobody


def with_tokens(server: WebServer, answer: Fault, realm: str | None = None) -> None:
    realm = realm or f"{server.url}/token"
    server.faults["token"] = answer
    bearer = f'Bearer realm="{realm}",service="a registry",scope="repository:group/cache:pull"'
    server.faults[TAGGED] = challenged(bearer, whole)
    server.faults[LAYER] = challenged(bearer, whole)


@pytest.mark.parametrize("name", ["token", "access_token"])
def test_a_token_is_asked_for_once(server: WebServer, name: str) -> None:
    answer = {"token": None, "access_token": None, name: TOKEN}
    with_tokens(server, sent(json.dumps(answer).encode()))
    assert read(server) == ONE
    (asked,) = [seen for seen in server.seen if seen.path.startswith("token")]
    assert "service=a+registry&scope=repository%3Agroup%2Fcache%3Apull" in asked.path
    assert "Authorization" not in asked.headers


TOKEN_CASES: dict[str, tuple[Fault, str]] = {
    "HTML": (sent(HTML), "what the registry's token server sends is no token"),
    "no token": (sent(b"{}"), "what the registry's token server sends is no token"),
    "a token of two lines": (
        sent(json.dumps({"token": f"{TOKEN}\r\nX: y"}).encode()),
        "what the registry's token server sends is no token",
    ),
    "500 for ever": (status(500), "of the registry's token server: the server answers with"),
    "no end": (endless(b" " * 65_536), "of the registry's token server: the answer has no end"),
    "drips": (
        dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", b" ", 0.05),
        "of the registry's token server: the answer has no end",
    ),
    "refuses": (status(401), "the registry refuses access (status 401)"),
    "elsewhere": (redirect("ftp://s3cret"), "of the registry's token server: it redirects to"),
}


@pytest.mark.parametrize("name", TOKEN_CASES)
def test_a_bad_answer_of_a_token_server_is_one_line(server: WebServer, name: str) -> None:
    fault, reason = TOKEN_CASES[name]
    with_tokens(server, fault)
    with pytest.raises(RevisionError) as error:
        read(server, patience=Patience(pauses=(0.01,), silence=1.0, altogether=5.0))
    assert reason in str(error.value)
    assert str(error.value).isprintable()
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    "realm",
    [
        "ftp://host/token",
        "file:///etc/passwd",
        "http://",
        "http://s3cret@host/x",
        "http://[",
        "http://127.0.0.1:99999/token",
        "token",
    ],
)
def test_a_token_server_that_is_none_is_named(server: WebServer, realm: str) -> None:
    with_tokens(server, status(200), realm)
    with pytest.raises(RevisionError, match="the registry names a token server that is no https"):
        read(server)


def test_a_token_that_is_refused_is_not_asked_for_for_ever(server: WebServer) -> None:
    with_tokens(server, sent(json.dumps({"token": TOKEN}).encode()))
    server.faults[TAGGED] = challenged(f'Bearer realm="{server.url}/token"')
    with pytest.raises(RevisionError, match="the registry refuses access") as error:
        read(server)
    assert TOKEN not in str(error.value)
    assert len(server.seen) == 5  # the registry as nobody, guest and user; the token server twice


def test_a_token_that_has_expired_is_asked_for_anew(server: WebServer) -> None:
    with_tokens(server, sent(json.dumps({"token": TOKEN}).encode()))
    times: list[int] = []

    def once_more(then: Fault) -> Callable[[Handler], None]:
        def answer(handler: Handler) -> None:
            times.append(1)
            (
                status(401, {"WWW-Authenticate": f'Bearer realm="{server.url}/token"'})
                if len(times) == 1
                else then
            )(handler)

        return answer

    server.faults[LAYER] = once_more(whole)
    assert read(server) == ONE


# --- Addresses ---


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("oci://", "is no build cache in a registry, oci://HOST/NAME, in small letters"),
        ("oci://host", "is no build cache in a registry"),
        ("oci://host/", "is no build cache in a registry"),
        ("oci://host/Name", "is no build cache in a registry"),
        ("oci://host/a/../b", "is no build cache in a registry"),
        ("oci://host:port/name", "is no build cache in a registry"),
        ("oci+http://host:99999/name", "is no build cache in a registry"),
        ("oci://host:0/name", "is no build cache in a registry"),
        ("oci://[:::::]/name", "is no build cache in a registry"),
        ("oci+http://user:s3cret@host/name", "is no build cache in a registry, oci+http://HOST"),
        ("oci://host/name:tag", "is no build cache in a registry"),
        ("oci://host/name@sha256:12", "after @ comes the digest of a manifest, sha256:"),
        ("oci://host/name?token=s3cret", "is no build cache in a registry"),
    ],
)
def test_an_address_that_is_none_is_named(tmp_path: Path, name: str, reason: str) -> None:
    said = refused(name, tmp_path)
    assert reason in said
    assert "s3cret" not in said


def test_a_long_challenge_costs_no_more_than_a_harmless_one() -> None:
    def spent(text: str) -> float:
        challenge = [f'Bearer realm="https://token.example",{text}']
        return seconds(lambda: [challenge_in(challenge) for _ in range(5)])

    harmless = spent('a="b",' * 3000)
    for hostile in ("9" * 18_000, "a " * 9000, 'a="' * 6000, " " * 18_000, ",\t" * 9000):
        assert spent(hostile) < 50 * harmless
