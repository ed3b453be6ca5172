"""A real registry on this machine, with what `spack buildcache push` puts into one."""

import base64
import contextlib
import functools
import hashlib
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from tests.support.servers import serving, wait_for_server
from tests.support.tools import program

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"

USER, PASSWORD = "somebody", "s3cret/+word"


def digest_of(content: bytes) -> str:
    """The digest of a blob or a manifest."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def manifest_of(*layers: bytes, **changes: Any) -> bytes:
    """A manifest as Spack writes one: its media type says tar and gzip, whatever the layer is."""
    described = [
        {
            "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
            "digest": digest_of(layer),
            "size": len(layer),
        }
        for layer in layers
    ]
    config = {
        "mediaType": "application/vnd.oci.image.config.v1+json",
        "digest": digest_of(b"{}"),
        "size": 2,
    }
    return json.dumps(
        {
            "mediaType": MANIFEST_TYPE,
            "schemaVersion": 2,
            "config": config,
            "layers": described,
            **changes,
        }
    ).encode()


class Registry(NamedTuple):
    """A registry that runs: `host` is its name with the port, `scheme` http or https."""

    scheme: str
    host: str

    def url(self, name: str) -> str:
        """The address of a build cache in it."""
        return f"oci{'+http' * (self.scheme == 'http')}://{self.host}/{name}"


class Store(NamedTuple):
    """Where a registry keeps what it has, to be filled by one that lets everybody in."""

    folder: Path

    def push(self, name: str, layer: bytes, tag: str = "index.spack") -> str:
        """Put an index there as Spack does; return the digest of its manifest."""
        with running(self.folder) as registry:
            base = f"http://{registry.host}/v2/{name}"
            for blob in (b"{}", layer):
                with contextlib.suppress(HTTPError):
                    began = _send("POST", f"{base}/blobs/uploads/")
                    _send("PUT", f"{began}&digest={digest_of(blob)}", blob)
            manifest = manifest_of(layer)
            _send("PUT", f"{base}/manifests/{tag}", manifest, MANIFEST_TYPE)
        return digest_of(manifest)


def _send(
    method: str, url: str, content: bytes = b"", kind: str = "application/octet-stream"
) -> str:
    request = Request(url, content, {"Content-Type": kind}, method=method)  # noqa: S310 - http
    with urlopen(request) as answer:  # noqa: S310 - http
        return str(answer.headers.get("Location"))


@contextlib.contextmanager
def running(
    folder: Path, *, settings: Mapping[str, Any] | None = None, scheme: str = "http"
) -> Iterator[Registry]:
    """Run a registry over a store, with more settings of its configuration."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    more = dict(settings or {})
    http = {"addr": host, "secret": "of a test", **more.pop("http", {})}
    config = {
        "version": "0.1",
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(folder / "store")}},
        "http": http,
        **more,
    }
    folder.mkdir(exist_ok=True)
    file = folder / "config.yml"
    file.write_text(json.dumps(config))
    # It would take variables that begin like this for settings of its own.
    own = {name: value for name, value in os.environ.items() if not name.startswith("REGISTRY_")}
    with subprocess.Popen(
        [program("docker-registry"), "serve", str(file)],
        env=own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            name, _, port = host.partition(":")
            wait_for_server(name, int(port), process)
            yield Registry(scheme, host)
        finally:
            process.terminate()


# --- Who may read ---


@functools.cache
def certificate() -> tuple[str, str]:
    """A key, and a certificate for 127.0.0.1 that is its own authority: made once, in seconds."""
    words = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=snapdiff", "-addext", "subjectAltName=IP:127.0.0.1"]
    with tempfile.TemporaryDirectory() as folder:
        key, file = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        subprocess.run([*words, "-keyout", key, "-out", file], check=True, capture_output=True)
        return key.read_text(), file.read_text()


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """The files of a key and its certificate."""
    folder.mkdir(exist_ok=True)
    files = folder / "key.pem", folder / "certificate.pem"
    for file, text in zip(files, certificate(), strict=True):
        file.write_text(text)
    return files


class TokenServer(ThreadingHTTPServer):
    """Gives tokens to whoever has the password, and for a public repository to everybody."""

    daemon_threads = True

    def __init__(self, folder: Path, *, public: str = "") -> None:
        """Take where to put a key, and the repository that is open to guests."""
        super().__init__(("127.0.0.1", 0), _TokenHandler)
        self.key, self.certificate = write_certificate(folder)
        self.public = public
        self.identity_token = "an-identity-token"  # noqa: S105 - of nobody
        self.seen: list[str] = []
        """Who asked: nobody, by password, or by an identity token."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the configuration of a registry says of this server."""
        token = {
            "realm": f"http://127.0.0.1:{self.server_address[1]}/token",
            "service": "a registry",
            "issuer": "snapdiff",
            "rootcertbundle": str(self.certificate),
        }
        return {"auth": {"token": token}}

    def token(self, scope: str) -> str:
        """A signed token for a scope such as `repository:cache:pull`."""
        kind, _, rest = scope.partition(":")
        name, _, actions = rest.rpartition(":")
        der = self.certificate.read_text().partition("-----\n")[2].partition("\n-----")[0]
        head = {"typ": "JWT", "alg": "RS256", "x5c": [der.replace("\n", "")]}
        now = int(time.time())
        access = [{"type": kind, "name": name, "actions": actions.split(",")}]
        body = {
            "iss": "snapdiff",
            "sub": "",
            "aud": "a registry",
            "jti": str(now),
            "access": access,
        }
        times = {"exp": now + 600, "nbf": now - 60, "iat": now}
        text = b".".join(_in_url(json.dumps(part).encode()) for part in (head, body | times))
        words = [program("openssl"), "dgst", "-sha256", "-sign", str(self.key)]
        signature = subprocess.run(words, input=text, capture_output=True, check=True).stdout
        return (text + b"." + _in_url(signature)).decode()


def _in_url(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


class _TokenHandler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_GET(self) -> None:
        """Give a token to a guest or by password."""
        fields = parse_qs(urlsplit(self.path).query)
        given = self.headers.get("Authorization", "")
        password = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        self._answer(fields, "password" if given else "nobody", given == f"Basic {password}")

    def do_POST(self) -> None:
        """Give a token by identity token."""
        size = int(self.headers["Content-Length"])
        fields = parse_qs(self.rfile.read(size).decode())
        is_known = fields.get("refresh_token") == [self.server.identity_token]
        self._answer(fields, "identity", is_known)

    def _answer(self, fields: dict[str, list[str]], who: str, is_known: bool) -> None:
        self.server.seen.append(who)
        (scope,) = fields["scope"]
        if who != "nobody" and not is_known:
            status, body = 401, b"server's own words"
        else:
            is_open = is_known or f":{self.server.public}:" in scope
            token = self.server.token(scope if is_open else "repository:none:pull")
            status, body = 200, json.dumps({"token": token}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def token_server(folder: Path, *, public: str = "") -> Iterator[TokenServer]:
    """Run a server of tokens."""
    with TokenServer(folder, public=public) as server, serving(server):
        yield server
