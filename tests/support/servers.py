"""Real servers on this machine: one of files over HTTP, with every fault, and one of S3."""

import contextlib
import gzip
import hashlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from threading import Event, Thread
from typing import NamedTuple

MODIFIED = "Sun, 06 Jul 2025 12:00:00 GMT"
"""When every file of a web server was last modified."""


@contextlib.contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    """Let a server answer as long as the block runs.

    Its thread runs before the block does: counting of covered lines begins with a test and ends
    with it, and a thread that begins in that moment has crashed Python 3.11.
    """
    begun = Event()

    def serve() -> None:
        begun.set()
        server.serve_forever(0.005)

    thread = Thread(target=serve)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Seen(NamedTuple):
    """A request that a web server answered: a path without its `/`, with its query."""

    path: str
    status: int
    headers: Mapping[str, str]


class WebServer:
    """A web server of files, which are there by path.

    It knows ETag, Last-Modified and gzip. Of a path in `faults` it answers as
    the fault does instead; a fault is called with the handler of the request.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, Callable[[Handler], None]] = {}
        self.seen: list[Seen] = []
        self.with_validators = True
        self.stopped = Event()
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.owner = self

    @property
    def url(self) -> str:
        """The address, without a `/` at its end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def host(self) -> str:
        """The address without its scheme."""
        return self.url.partition("://")[2]

    def paths(self, status: int = 200) -> list[str]:
        """The paths that were answered with a status, in order."""
        return [seen.path for seen in self.seen if seen.status == status]

    @contextlib.contextmanager
    def running(self) -> Iterator["WebServer"]:
        """Answer requests as long as the block runs."""
        with serving(self._server):
            try:
                yield self
            finally:
                self.stopped.set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: WebServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that goes away in the middle is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].lstrip("/")
        fault = self.owner.faults.get(path)
        if fault:
            fault(self)
        elif path in self.owner.files:
            self.send_file(self.owner.files[path])
        else:
            self.send_bytes(404, b"<script>no such file</script>")

    @property
    def owner(self) -> WebServer:
        """The server whose request this is."""
        return self.server.owner

    def send_file(self, content: bytes) -> None:
        """Answer as a good server does."""
        etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        headers = {"ETag": etag, "Last-Modified": MODIFIED} if self.owner.with_validators else {}
        asked = self.headers
        known = asked.get("If-None-Match")
        if headers and (etag == known if known else asked.get("If-Modified-Since") == MODIFIED):
            self.send_bytes(304, b"", headers)
            return
        if "gzip" in asked.get("Accept-Encoding", "") and self.path.endswith(".json"):
            content = gzip.compress(content)
            headers = {"Content-Encoding": "gzip", "Last-Modified": MODIFIED}
            headers["ETag"] = etag.replace('"', '"gzip-', 1)
            if asked.get("If-None-Match") == headers["ETag"]:
                self.send_bytes(304, b"", headers)
                return
        self.send_bytes(200, content, headers)

    def send_bytes(
        self, status: int, content: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer with these bytes."""
        self.begin(status, {"Content-Length": str(len(content)), **(headers or {})})
        self.wfile.write(content)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Answer with a head alone; what follows is the caller's."""
        self.owner.seen.append(Seen(self.path.lstrip("/"), status, dict(self.headers.items())))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


# --- Faults ---

Fault = Callable[[Handler], None]


def status(number: int, headers: Mapping[str, str] | None = None, times: int = 1000) -> Fault:
    """Answer some times with a status and a page that no error may repeat; then with the file."""
    left = [times]

    def answer(handler: Handler) -> None:
        left[0] -= 1
        if left[0] >= 0:
            body = b"" if number in (204, 304) else b"\x1b[31m<b>server's own words</b>"
            handler.send_bytes(number, body, headers)
        else:
            handler.send_file(handler.owner.files[handler.path.lstrip("/")])

    return answer


def redirect(location: str) -> Fault:
    """Lead somewhere else."""
    return status(302, {"Location": location})


def truncated(content: bytes, sent: int, times: int = 1000) -> Fault:
    """Break off after some bytes, some times; then send all of it."""
    left = [times]

    def answer(handler: Handler) -> None:
        left[0] -= 1
        handler.begin(200, {"Content-Length": str(len(content))})
        handler.wfile.write(content[:sent] if left[0] >= 0 else content)
        time.sleep(0.1)  # what arrives together with the end of the connection may be lost
        handler.close_connection = True

    return answer


def endless(chunk: bytes, pause: float = 0.0, beginning: bytes = b"") -> Fault:
    """Send a body that has no end, a chunk after each pause."""

    def answer(handler: Handler) -> None:
        handler.begin(200, {"Connection": "close"})
        handler.close_connection = True
        handler.wfile.write(beginning)
        while not handler.owner.stopped.is_set():
            handler.wfile.write(chunk)
            time.sleep(pause)

    return answer


def dripping(beginning: bytes, piece: bytes, pause: float) -> Fault:
    """Send bytes that are no whole answer, a piece after each pause, without an end."""

    def answer(handler: Handler) -> None:
        handler.close_connection = True
        handler.wfile.write(beginning)
        while not handler.owner.stopped.is_set():
            handler.wfile.write(piece)
            time.sleep(pause)

    return answer


def silent(handler: Handler) -> None:
    """Say nothing at all, as long as the server runs."""
    handler.owner.stopped.wait(30)
    handler.close_connection = True


def encoded(body: bytes, encoding: str = "gzip") -> Fault:
    """Send a body as it is, and say that it is encoded."""
    return lambda handler: handler.send_bytes(200, body, {"Content-Encoding": encoding})


# --- S3 ---


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """Run a server of S3; yield its URL. It knows no users, and shows a guest what is public."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_server("127.0.0.1", port, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def wait_for_server(host: str, port: int, process: "subprocess.Popen[bytes]") -> None:
    """Return once a process that runs answers at a port."""
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((host, port), 1):
            return
        time.sleep(0.005)
    raise RuntimeError("the server did not start")
