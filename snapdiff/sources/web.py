"""Files of web servers, each answer within a time; the only home of aiohttp.

It reads heads, chunks and interim answers within bounds, and what it waits for can be given up
at any moment, however little of it drips in.
"""

import asyncio
import contextlib
import functools
import netrc
import os
import re
import ssl
import weakref
from base64 import b64encode
from collections.abc import Coroutine, Iterator, Mapping
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from snapdiff.errors import RevisionError
from snapdiff.safe_text import shown
from snapdiff.sources.download import CHUNK, REFUSED, Answer, NotThereError, TransferError
from snapdiff.sources.names import parts_of_url
from snapdiff.sources.source import Validators

_MOST_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = REFUSED | {404, 410}
_FOR_NOW = frozenset({408, 425, 429, 500, 502, 503, 504})

_Value = TypeVar("_Value")


class WebTransport:
    """Files of web servers; a head has `silence` seconds to be complete, and so has each chunk."""

    def __init__(self, silence: float, *, as_guest: bool = False) -> None:
        """Take the time, and the settings of the environment; raises RevisionError for bad ones.

        These are `http_proxy`, `https_proxy`, `no_proxy` and `~/.netrc`; a guest does not say who
        he is, whatever the last one knows.
        """
        self._silence = silence
        self._logins = None if as_guest else _netrc()
        self._proxies = _proxies()
        self._session: aiohttp.ClientSession | None = None

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs."""
        headers = {"Accept-Encoding": "gzip"}
        if known.etag:
            headers["If-None-Match"] = known.etag
        if known.last_modified:
            headers["If-Modified-Since"] = known.last_modified
        with self.get(url, headers) as (head, chunks):
            yield file_in(head, chunks, known)

    @contextlib.contextmanager
    def get(
        self, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None = None
    ) -> Iterator[tuple[aiohttp.ClientResponse, Iterator[bytes]]]:
        """Yield the head of an answer, after all redirects, and its body as it arrives.

        A redirect is followed without user, password and query of the URL, and without a header
        that says who asks. A form is sent to no other place than the one that was named. Raises
        TransferError.
        """
        sent = dict(headers)
        for _ in range(_MOST_REDIRECTS + 1):
            with _in_own_words():
                response = _run(self._ask(url, sent, form), self._silence)
            try:
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or location is None or form:
                    yield response, self._chunks(response)
                    return
            finally:
                _loop().call_soon_threadsafe(response.close)
            url = _redirect_target(url, location)
            sent.pop("Authorization", None)
        raise TransferError(f"it redirects more than {_MOST_REDIRECTS} times")

    async def _ask(
        self, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> aiohttp.ClientResponse:
        if self._session is None:  # it has to be made in the thread of the loop
            cookies, timeout = aiohttp.DummyCookieJar(), aiohttp.ClientTimeout()
            self._session = aiohttp.ClientSession(
                auto_decompress=False, cookie_jar=cookies, timeout=timeout
            )
            # Nobody waits for the end, as it may come in the thread of the loop.
            close = self._session.close
            weakref.finalize(self, lambda: asyncio.run_coroutine_threadsafe(close(), _loop()))
        address = URL(url, encoded=True)  # or what is quoted already would be quoted again
        host = address.host or ""
        login = None if address.user or not self._logins else self._logins.authenticators(host)
        own = {"Authorization": basic_authorization(login[0], login[2] or "")} if login else {}
        return await self._session.request(
            "POST" if form else "GET",
            address,
            headers={**own, **headers},
            data=form,
            proxy=None if proxy_bypass(host) else self._proxies.get(address.scheme),
            allow_redirects=False,
        )

    def _chunks(self, response: aiohttp.ClientResponse) -> Iterator[bytes]:
        while True:
            with _in_own_words():
                chunk = _run(response.content.read(CHUNK), self._silence)
            if not chunk:
                return
            yield chunk


def file_in(head: aiohttp.ClientResponse, chunks: Iterator[bytes], known: Validators) -> Answer:
    """Return the file that an answer holds; raises NotThereError and TransferError."""
    status, headers = head.status, head.headers
    if status == 304 and any(known):
        return Answer(known, None)
    if status in _GONE:
        raise NotThereError(status if status in REFUSED else None)
    if status != 200:
        pause = headers.get("Retry-After", "")
        raise TransferError(
            f"the server answers with status {status}",
            again=status in _FOR_NOW,
            pause=float(pause) if re.fullmatch("[0-9]{1,9}", pause) else 0.0,
        )
    if headers.get("Content-Encoding", "identity").lower() not in ("identity", "gzip", ""):
        raise TransferError("the server sends it in an encoding that was not asked for")
    validators = Validators(headers.get("ETag"), headers.get("Last-Modified"))
    return Answer(validators, chunks, head.content_length)


def _redirect_target(url: str, location: str) -> str:
    """Return where a redirect leads, without a user and a password.

    Raises TransferError where that is another scheme: a file of this machine, or a way that is not
    encrypted, is nothing that a server may choose.
    """
    try:
        target = urlsplit(urljoin(url, location))
        host = target.netloc.rpartition("@")[2]
        _ = target.port  # raises where it is no number, or too large
    except ValueError as error:
        raise TransferError("it redirects to what is no URL") from error
    if target.scheme != urlsplit(url).scheme:
        other = target.scheme if target.scheme in ("http", "https") else "another scheme"
        raise TransferError(f"it redirects to {other}, which is not followed")
    return target._replace(netloc=host).geturl()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return a loop in a thread of its own: a notebook, for one, has a loop in the main thread."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


def _run(call: Coroutine[Any, Any, _Value], seconds: float) -> _Value:
    return asyncio.run_coroutine_threadsafe(asyncio.wait_for(call, seconds), _loop()).result()


@contextlib.contextmanager
def _in_own_words() -> Iterator[None]:
    """Turn what the library raises into a TransferError."""
    try:
        yield
    except TimeoutError as error:
        raise TransferError("the server was silent for too long", again=True) from error
    except (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError) as error:
        raise TransferError("the proxy that the environment names is of no use") from error
    except (aiohttp.ClientSSLError, ssl.SSLError) as error:
        raise TransferError("the server's certificate or encryption is not accepted") from error
    except (aiohttp.InvalidURL, UnicodeError) as error:
        raise TransferError("is no URL that can be asked for") from error
    except (aiohttp.ClientConnectorError, aiohttp.ClientOSError) as error:
        reason = shown(error.strerror or type(error).__name__)
        raise TransferError(f"the server cannot be reached ({reason})", again=True) from error
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError) as error:
        raise TransferError("it broke off in the middle", again=True) from error
    except (aiohttp.ClientError, ValueError) as error:
        raise TransferError("the server's answer is not HTTP") from error


def basic_authorization(user: str, password: str) -> str:
    """Return what the header `Authorization` says of a user with a password."""
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def _netrc() -> netrc.netrc | None:
    place = os.environ.get("NETRC") or os.path.expanduser("~/.netrc")
    try:
        return netrc.netrc(place)
    except FileNotFoundError:
        return None
    except netrc.NetrcParseError as error:  # its words repeat what is in the file
        raise RevisionError(f"{shown(place)}: line {error.lineno}: cannot be read") from error
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "is no text"
        raise RevisionError(f"{shown(place)}: cannot be read: {reason}") from error


def _proxies() -> dict[str, str]:
    """Return what `http_proxy` and `https_proxy` name; raises RevisionError, with no secret."""
    found = {}
    for scheme, named in getproxies().items():
        if scheme not in ("http", "https") or not named:
            continue
        url = found[scheme] = named if "://" in named else f"http://{named}"
        parts = parts_of_url(url)
        is_web = parts is not None and parts.scheme in ("http", "https")
        if not is_web or not url.isprintable() or " " in url:
            message = "is no URL of a proxy, such as http://proxy.example:3128"
            raise RevisionError(f"the variable {scheme}_proxy {message}")
    return found
