"""A host's REST interface: requests, pages of a list, and each refusal as an error in words."""

import contextlib
import re
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from snapdiff.errors import NotFoundError, PostError, RefusedError, TryLaterError
from snapdiff.posting.target import HostName, Token
from snapdiff.safe_text import hidden, shown

if TYPE_CHECKING:
    from requests import Response

SECONDS_FOR_AN_ANSWER = 15

_Value = TypeVar("_Value")

_MOST_PAGES = 1000
"""A list that goes on after 100,000 comments has links that lead in a circle."""


class RestInterface:
    """Asks a host in the name of a token. What the host says in an error never shows the token."""

    def __init__(self, host: HostName, api_url: str, place: str, token: Token) -> None:
        """Take where it is, what errors call the request that this is about, and the token.

        Nothing is asked yet. Raises PostError where the library is not installed.
        """
        try:
            import requests
        except ImportError as error:
            message = "posting takes a library that an extra brings"
            raise PostError(f"{message}: in a clone, pip install '.[post]'") from error
        self.api_url = api_url
        self.place = place
        self._token = token
        self._session = requests.Session()
        self._session.auth = lambda request: request  # not that of a ~/.netrc
        self._session.headers["User-Agent"] = "snapdiff"
        if host == "gitlab":
            self._session.headers["PRIVATE-TOKEN"] = token.secret
        else:  # `token`, not `Bearer`: Gitea's documentation knows no other word
            self._session.headers["Authorization"] = f"token {token.secret}"

    def ask(
        self, method: str, path: str, kind: type[_Value], body: Mapping[str, str] | None = None
    ) -> _Value:
        """Return the answer to a request as a value of a type; raises PostError as `send` does."""
        return self._decoded(self.send(method, path, body=body), kind)

    def pages(self, path: str, kind: type[_Value], query: Mapping[str, str]) -> Iterator[_Value]:
        """Yield the items of a list, over all pages.

        Of the link to the next page its query alone is taken: the token goes nowhere else, and a
        host that knows itself by another name, behind a proxy, is read too.
        """
        for _ in range(_MOST_PAGES):
            answer = self.send("GET", path, query)
            yield from self._decoded(answer, list[kind])  # type: ignore[valid-type]
            following = answer.links.get("next", {}).get("url")
            if not following:
                return
            query = dict(parse_qsl(following.partition("#")[0].partition("?")[2]))
        raise PostError(f"{self.place}: the list of comments has no end")

    def _decoded(self, answer: "Response", kind: type[_Value]) -> _Value:
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise PostError(
                self._words(f"the answer is not that of a REST API: {error}; is the address right?")
            ) from None

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] = {},
        body: Mapping[str, str] | None = None,
    ) -> "Response":
        """Return the answer to a request; `path` is below the interface, or a whole URL.

        No redirect is followed: the token would go along to wherever it leads. Raises PostError,
        and its kinds as `CommentHost` says.
        """
        import requests
        from requests.exceptions import ChunkedEncodingError, ProxyError, SSLError

        url = path if "://" in path else f"{self.api_url}{path}"
        try:
            answer = self._session.request(
                method,
                url,
                params=query,
                json=body,
                timeout=SECONDS_FOR_AN_ANSWER,
                allow_redirects=False,
            )
        except (OSError, ValueError, TypeError) as error:
            # A library's own words are not repeated: they have the password of a proxy.
            passing = requests.ConnectionError, requests.Timeout, ChunkedEncodingError
            if isinstance(error, passing) and not isinstance(error, SSLError):
                who = "proxy" if isinstance(error, ProxyError) else "host"
                is_silent = isinstance(error, requests.Timeout)
                reason = "silent for too long" if is_silent else "no connection, or it broke off"
                raise TryLaterError(f"{self.place}: the {who} does not answer ({reason})") from None
            message = f"the request fails ({type(error).__name__}); are the host's address, and the"
            way_out = "proxy and the certificates that the environment names, right?"
            raise PostError(f"{self.place}: {message} {way_out}") from None
        if not 200 <= answer.status_code < 300:
            raise self._refusal(answer)
        return answer

    def _refusal(self, answer: "Response") -> PostError:
        status, headers = answer.status_code, answer.headers
        if status < 400:
            message = f"the host answers {status}, a redirect, which is not followed"
            way_out = "is its address right, or has the repository another name now?"
            return PostError(f"{self.place}: {message}; {way_out}")
        reason = _reason_in(answer.content)
        message = self._words(f"the host answers {status}: {reason}")
        names_limit = (
            "retry-after" in headers
            or headers.get("x-ratelimit-remaining") == "0"
            or "rate limit" in reason.lower()
        )
        # It is asked too often: GitHub may say so with the status of a refusal.
        is_limit = status == 429 or (status == 403 and names_limit)
        if status >= 500 or is_limit:
            # GitHub asks those who meet a limit that names no end to wait for a minute at least.
            return TryLaterError(message, _pause(headers, 60.0 if is_limit else None))
        if status == 401:
            return PostError(f"{message}; the token in {self._token.variable} is not known there")
        if status == 404:
            message += "; are repository and number right, and may the token see them?"
        return {403: RefusedError, 404: NotFoundError}.get(status, PostError)(message)

    def _words(self, text: str) -> str:
        # A host may repeat what it was sent.
        return f"{self.place}: {shown(hidden(text, self._token.secret))}"


def _reason_in(content: bytes) -> str:
    """Return what an answer says in one line; it may be HTML, of what is before a host."""
    said: Any = content.decode("utf-8", "replace")
    with contextlib.suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        said = msgspec.json.decode(content)
    if isinstance(said, dict):
        faults = said.get("errors")
        listed = faults if isinstance(faults, list) else []
        details = [item.get("message") for item in listed if isinstance(item, dict)]
        words = (said.get("message") or said.get("error"), *details)
        said = "; ".join(str(word) for word in words if word)
    return " ".join(str(said).split()) or "no reason given"


def _pause(headers: Mapping[str, str], usual: float | None) -> float | None:
    """Return how many seconds a host asks to wait: in seconds, or up to the end of its limit."""
    number = re.compile("[0-9]{1,12}", re.ASCII)
    seconds = headers.get("retry-after", "")
    if number.fullmatch(seconds):
        return float(seconds)
    moment = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and number.fullmatch(moment):
        return max(0.0, float(moment) - time.time())
    return usual
