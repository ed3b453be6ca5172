"""Files of web servers and object stores; the only home of fsspec and aiohttp.

No error repeats what a server, a proxy or a library says: it could hold secrets of the URL.
"""

import contextlib
import logging
import ssl
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import aiohttp
import fsspec
from fsspec.asyn import sync

from snapdiff.sources.http_headers import (
    encoded_url,
    is_range_from,
    pause_in_seconds,
    redirect_target,
    request_headers,
)
from snapdiff.sources.mirror_address import Scheme
from snapdiff.sources.transport import (
    Answer,
    FileRequest,
    NotThereError,
    TransferError,
    Transport,
    Validators,
)

for _library in ("aiohttp", "asyncio", "botocore", "fsspec", "gcsfs", "google", "s3fs"):
    # Log messages would be printed to standard error otherwise.
    logging.getLogger(_library).addHandler(logging.NullHandler())
_CHUNK = 1 << 20
_STORE_CHUNK = 8 << 20  # each is a request of its own
_MOST_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REFUSED = frozenset({401, 403})
_NOT_THERE = _REFUSED | {404, 410}
_FOR_NOW = frozenset({408, 425, 429, 500, 502, 503, 504})


def open_transport(scheme: Scheme, silence: float) -> Transport:
    """Return the way to ask for files of a scheme; a server may be silent for `silence` seconds.

    Raises ImportError where the library for this kind of store is not installed.
    """
    if scheme in ("http", "https"):
        return HttpTransport(silence)
    return StoreTransport(scheme, silence)


class HttpTransport:
    """Files of a web server."""

    def __init__(self, silence: float) -> None:
        """Take how many seconds a server may be silent."""
        self._filesystem = fsspec.filesystem(
            "http",
            client_kwargs={"auto_decompress": False, "trust_env": True, "read_bufsize": _CHUNK},
        )
        self._timeout = aiohttp.ClientTimeout(total=None, connect=silence, sock_read=silence)

    @contextlib.contextmanager
    def open(self, request: FileRequest) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs."""
        response = self._follow(request)
        try:
            yield self._answer(response, request)
        finally:
            self._close(response)

    def _follow(self, request: FileRequest) -> aiohttp.ClientResponse:
        url = request.url
        seen = {url}
        while True:
            response = self._request(url, request)
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or location is None:
                return response
            self._close(response)
            target = redirect_target(url, location)
            if target in seen:
                raise TransferError("its redirects lead in a circle")
            if len(seen) > _MOST_REDIRECTS:
                raise TransferError(f"it redirects more than {_MOST_REDIRECTS} times")
            seen.add(target)
            url = target

    def _request(self, url: str, request: FileRequest) -> aiohttp.ClientResponse:
        with _in_own_words():
            session = sync(self._filesystem.loop, self._filesystem.set_session)
            response: aiohttp.ClientResponse = self._run(
                partial(
                    session.get,
                    encoded_url(url),
                    headers=request_headers(request),
                    allow_redirects=False,
                    timeout=self._timeout,
                )
            )
        return response

    def _answer(self, response: aiohttp.ClientResponse, request: FileRequest) -> Answer:
        status, headers = response.status, response.headers
        validators = Validators(headers.get("ETag"), headers.get("Last-Modified"))
        if status == 304 and any(request.known):
            return Answer(unchanged=True, validators=request.known, chunks=iter(()))
        if status in _NOT_THERE:
            raise NotThereError(status if status in _REFUSED else None)
        if status in _FOR_NOW:
            message = f"the server answers with status {status}"
            raise TransferError(
                message, again=True, pause=pause_in_seconds(headers.get("Retry-After"))
            )
        is_rest = status == 206 and is_range_from(request.start, headers.get("Content-Range"))
        if status != 200 and not is_rest:
            raise TransferError(f"the server answers with status {status}")
        if headers.get("Content-Encoding", "identity").lower() not in ("identity", "gzip", ""):
            raise TransferError("the server sends it in an encoding that was not asked for")
        return Answer(
            unchanged=False,
            validators=validators,
            chunks=self._chunks(response),
            start=request.start if is_rest else 0,
            size=response.content_length,
        )

    def _chunks(self, response: aiohttp.ClientResponse) -> Iterator[bytes]:
        while True:
            with _in_own_words():
                chunk: bytes = self._run(partial(response.content.read, _CHUNK))
            if not chunk:
                return
            yield chunk

    def _run(self, call: Callable[[], Any]) -> Any:
        return sync(self._filesystem.loop, call)

    def _close(self, response: aiohttp.ClientResponse) -> None:
        self._filesystem.loop.call_soon_threadsafe(response.close)


class StoreTransport:
    """Files of an object store, or of this machine."""

    def __init__(self, scheme: Scheme, silence: float) -> None:
        """Take which store it is, and how many seconds it may be silent."""
        self._scheme = scheme
        self._silence = silence
        self._filesystem = self._s3() if scheme == "s3" else fsspec.filesystem(scheme)

    def _s3(self, **options: Any) -> Any:
        """Return S3 that tries once: how often to try again is decided in one place for all."""
        config = {
            "connect_timeout": self._silence,
            "read_timeout": self._silence,
            "retries": {"max_attempts": 0},
        }
        filesystem = fsspec.filesystem("s3", config_kwargs=config, **options)
        filesystem.retries = 1
        return filesystem

    @contextlib.contextmanager
    def open(self, request: FileRequest) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs."""
        with _in_own_words():
            facts = self._facts(request.url)
        if facts["type"] != "file":
            raise NotThereError
        etag = facts.get("ETag") or facts.get("etag")
        if etag and etag == request.known.etag:
            yield Answer(unchanged=True, validators=request.known, chunks=iter(()))
            return
        with _in_own_words():
            file = self._filesystem.open(
                request.url, "rb", block_size=_STORE_CHUNK, cache_type="none"
            )
        with file:
            start = request.start if etag and etag == request.etag else 0
            size = facts["size"] - start
            yield Answer(
                unchanged=False,
                validators=Validators(etag),
                chunks=_chunks_of_file(file, start, size),
                start=start,
                size=size,
            )

    def _facts(self, url: str) -> dict[str, Any]:
        try:
            facts: dict[str, Any] = self._filesystem.info(url)
        except Exception as error:
            # Who has no credentials at all is a guest; a public mirror needs none.
            if self._scheme != "s3" or type(error).__name__ != "NoCredentialsError":
                raise
            self._filesystem = self._s3(anon=True)
            facts = self._filesystem.info(url)
        return facts


def _chunks_of_file(file: Any, start: int, size: int) -> Iterator[bytes]:
    with _in_own_words():
        if start:
            file.seek(start)
    while size > 0:
        with _in_own_words():
            chunk: bytes = file.read(min(_STORE_CHUNK, size))
        if not chunk:
            raise TransferError("it broke off in the middle", again=True)
        size -= len(chunk)
        yield chunk


@contextlib.contextmanager
def _in_own_words() -> Iterator[None]:
    """Turn what a library raises into a TransferError or a NotThereError.

    Each store's library has exceptions of its own, so all of them are taken.
    """
    try:
        yield
    except (NotThereError, TransferError):
        raise
    except FileNotFoundError as error:
        raise NotThereError from error
    except PermissionError as error:
        raise NotThereError(403) from error
    except (TimeoutError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError) as error:
        is_late = isinstance(error, TimeoutError)
        message = "the server was silent for too long" if is_late else "it broke off in the middle"
        raise TransferError(message, again=True) from error
    except (aiohttp.ClientSSLError, ssl.SSLError) as error:
        raise TransferError("the server's certificate or encryption is not accepted") from error
    except aiohttp.InvalidURL as error:
        raise TransferError("is no URL that can be asked for") from error
    except Exception as error:
        status = getattr(error, "code", None)  # gcsfs refuses a guest with an error of its own
        if status in _REFUSED:
            raise NotThereError(status) from error
        cause = getattr(error, "os_error", error)
        reason = getattr(cause, "strerror", None) or type(cause).__name__
        raise TransferError(f"the server cannot be reached ({reason})", again=True) from error
