"""A code host on this machine: comments that stay, tokens, and every fault a host can have."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Lock
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.support.servers import serving

REPOSITORY = "spack/cache"
NUMBER = 12


@dataclass
class StoredComment:
    """A comment as a host keeps it; without an author, if that account was deleted."""

    comment_id: int
    author: str
    body: str


class User(NamedTuple):
    """Whose token it is. An app's has no user of its own; GitLab and Gitea know none of those."""

    login: str
    is_app: bool = False
    may_write: bool = True


class Request(NamedTuple):
    """What was asked for; the path is without the API's prefix."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


class Response(NamedTuple):
    """An answer: JSON, or text where it is text; no status for a connection that just ends."""

    status: int | None
    body: Any = None
    headers: Mapping[str, str] = {}


Carry = Callable[[], Response]
Answering = Callable[[Request, Carry], Response]
"""Answers in place of the host; it may let the host carry the request out."""


@dataclass
class Fault:
    """Answers the requests of a method whose path ends so, some times."""

    method: str
    end: str
    answering: Answering
    times: int = 1000

    def is_about(self, request: Request) -> bool:
        """Whether this request is answered."""
        return self.times > 0 and request.method == self.method and request.path.endswith(self.end)


class Dialect(Protocol):
    """A host's own interface above the comments that it keeps."""

    prefix: str
    """Where it is below the host's address."""
    place: str
    """What errors call the request whose comments these are."""
    edits: str
    """The method that edits a comment."""
    list_end: str
    """How the path of the list of comments ends."""

    def answer(self, host: "CodeHost", request: Request) -> Response:
        """Do what is asked for and say so."""

    def faults_of(self, request: Request, response: Response) -> list[str]:
        """What the host's published description does not allow in this answer."""


@dataclass
class CodeHost:
    """A host with one request, `spack/cache` number 12, and its comments."""

    dialect: Dialect
    users: dict[str, User] = field(default_factory=dict)
    comments: list[StoredComment] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    seen: list[Request] = field(default_factory=list)
    undescribed: list[str] = field(default_factory=list)
    normalised: Callable[[str], str] = str
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Listen; no request is answered yet."""
        self.server = _Server(("127.0.0.1", 0), _Handler)
        self.server.owner = self

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def api_url(self) -> str:
        """The address of the interface, as a CI job is given it."""
        return f"{self.url}{self.dialect.prefix}"

    @contextlib.contextmanager
    def running(self) -> Iterator["CodeHost"]:
        """Answer as long as the block runs; then everything answered must be as described."""
        with serving(self.server):
            yield self
        assert self.undescribed == []

    def methods(self) -> list[str]:
        """The methods of the requests that would change something, in order."""
        return [seen.method for seen in self.seen if seen.method not in ("GET", "HEAD")]

    def bodies(self, author: str | None = None) -> list[str]:
        """The comments that are there, of one author where one is named."""
        return [item.body for item in self.comments if author in (None, item.author)]

    # --- What hosts do with comments ---

    def add(self, author: str, body: str) -> StoredComment:
        """Keep a new comment."""
        last = self.comments[-1].comment_id if self.comments else 1000
        self.comments.append(StoredComment(last + 1, author, self.normalised(body)))
        return self.comments[-1]

    def find(self, comment_id: str) -> StoredComment | None:
        """The comment with an id."""
        return next((item for item in self.comments if str(item.comment_id) == comment_id), None)

    def page(
        self, request: Request, items: list[Any], usual: int
    ) -> tuple[list[Any], dict[str, str]]:
        """A page of a list, and the links from it to others."""
        size = min(int(request.query.get("per_page", usual)), 100)
        number = int(request.query.get("page", 1))
        last = max(1, -(-len(items) // size))
        pages = {"first": 1, "prev": number - 1, "next": number + 1, "last": last}
        links = []
        for name, page in pages.items():
            if 1 <= page <= last and (name in ("first", "last") or page != number):
                query = urlencode({**request.query, "per_page": size, "page": page})
                links.append(f'<{self.api_url}{request.path}?{query}>; rel="{name}"')
        headers = {"Link": ", ".join(links)} if last > 1 else {}
        return items[(number - 1) * size : number * size], headers

    def carried_out(self, request: Request) -> Response:
        """The answer of a host that works, which has to be as the host's description says."""
        with self.lock:
            response = self.dialect.answer(self, request)
            self.undescribed += self.dialect.faults_of(request, response)
            return response

    def answer(self, request: Request) -> Response:
        """The answer, or what a fault makes of it."""
        self.seen.append(request)
        for fault in self.faults:
            if fault.is_about(request):
                fault.times -= 1
                return fault.answering(request, lambda: self.carried_out(request))
        return self.carried_out(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: CodeHost


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body go out together: a second packet would wait for the first's
    server: _Server

    def _answer(self) -> None:
        owner = self.server.owner
        size = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(size)
        parts = urlsplit(self.path)
        request = Request(
            self.command,
            parts.path.removeprefix(owner.dialect.prefix),
            dict(parse_qsl(parts.query)),
            {name.lower(): value for name, value in self.headers.items()},
            json.loads(sent) if sent else None,
        )
        response = owner.answer(request)
        if response.status is None:
            self.close_connection = True
            return
        is_text = isinstance(response.body, str)
        body = response.body if is_text else json.dumps(response.body)
        content = b"" if response.body is None else str(body).encode("utf-8")
        self.send_response(response.status)
        kind = "text/html" if is_text else "application/json"
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), **response.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815 -- http.server's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""


# --- Faults ---


def answers(
    status: int | None, body: Any = "<html>bad gateway</html>", **headers: str
) -> Answering:
    """Answer with this, and do nothing."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _request, _carry: Response(status, body, named)


def does_it_and_answers(status: int | None) -> Answering:
    """Do what is asked for, and answer as if it had failed: the answer was lost on its way."""

    def answering(_request: Request, carry: Carry) -> Response:
        carry()
        return Response(status, "<html>bad gateway</html>")

    return answering


def waits_for(barrier: Barrier) -> Answering:
    """Do what is asked for, and answer when as many others have been answered too."""

    def answering(_request: Request, carry: Carry) -> Response:
        response = carry()
        barrier.wait(20)
        return response

    return answering


def first(action: Callable[[], object]) -> Answering:
    """Do something else just before the request is carried out."""

    def answering(_request: Request, carry: Carry) -> Response:
        action()
        return carry()

    return answering


def in_a_second() -> str:
    """The moment when a rate limit ends, as GitHub writes it."""
    return str(int(time.time()) + 1)
