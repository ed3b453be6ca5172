"""A server that speaks what is read of Google Cloud Storage: objects by name, lists, parts.

Objects have a size, an ETag and a media link as in the JSON API; the one of a bucket that is not
public is handed to nobody, as no credentials are known here.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.support.servers import serving

PRIVATE = "private"
"""The bucket that a guest may not read."""


class GcsServer(ThreadingHTTPServer):
    """Objects by bucket and name."""

    daemon_threads = True

    def __init__(self, objects: Mapping[str, bytes]) -> None:
        """Take objects as `bucket/name`."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects = dict(objects)
        self.status = 0
        """The status of every answer, where it is not 0."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client may go away in the middle."""

    @property
    def url(self) -> str:
        """Where it is, as STORAGE_EMULATOR_HOST takes it."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def metadata(self, bucket: str, name: str) -> dict[str, Any]:
        """What the JSON API says of an object."""
        content = self.objects[f"{bucket}/{name}"]
        return {
            "kind": "storage#object",
            "name": name,
            "bucket": bucket,
            "size": str(len(content)),
            "etag": hashlib.sha256(content).hexdigest()[:12],
            "generation": "1",
            "updated": "2025-07-06T12:00:00Z",
            "timeCreated": "2025-07-06T12:00:00Z",
            "mediaLink": f"{self.url}/download/storage/v1/b/{bucket}/o/{quote(name, '')}?alt=media",
        }


class _Handler(BaseHTTPRequestHandler):
    server: GcsServer

    def do_GET(self) -> None:
        """Answer with an object, with what is said of it, or with a list."""
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        _, _, rest = parts.path.partition("/storage/v1/b/")
        bucket, _, name = rest.partition("/o")
        name = unquote(name.removeprefix("/"))
        known = any(key.startswith(f"{bucket}/") for key in self.server.objects)
        if self.server.status:
            self._error(self.server.status)
        elif bucket == PRIVATE:
            self._error(401)
        elif not known or (name and f"{bucket}/{name}" not in self.server.objects):
            self._error(404)
        elif not name:
            self._json(self._listing(bucket, query.get("prefix", "")))
        elif query.get("alt") == "media":
            self._content(self.server.objects[f"{bucket}/{name}"])
        else:
            self._json(self.server.metadata(bucket, name))

    def _listing(self, bucket: str, prefix: str) -> dict[str, Any]:
        names = [key.removeprefix(f"{bucket}/") for key in self.server.objects]
        items = [
            self.server.metadata(bucket, name)
            for name in names
            if f"{bucket}/{name}" in self.server.objects and name.startswith(prefix)
        ]
        return {"kind": "storage#objects", "items": items}

    def _content(self, content: bytes) -> None:
        begin, end = 0, len(content)
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if asked:
            first, _, last = asked.partition("-")
            begin, end = int(first), min(int(last) + 1, end) if last else end
        self._send(206 if asked else 200, content[begin:end], "application/octet-stream")

    def _error(self, status: int) -> None:
        error = {"code": status, "message": "secret words of the server", "errors": []}
        self._json({"error": error}, status)

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def gcs_server(objects: Mapping[str, bytes]) -> Iterator[GcsServer]:
    """Run a server with objects."""
    with GcsServer(objects) as server, serving(server):
        yield server
