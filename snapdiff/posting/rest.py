"""A host's REST interface: requests, pages of a list, and each refusal as an error in words."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl, urlsplit

import requests

from snapdiff.posting.base import NotFoundError, PostError, RefusedError, TryLaterError
from snapdiff.posting.target import Target, Token
from snapdiff.safe_text import shown

SECONDS_FOR_AN_ANSWER = 15

_Value = TypeVar("_Value")

_MOST_PAGES = 1000
"""A list that goes on after 100,000 comments has links that lead in a circle."""

_MOVED = "the host answers with a redirect, which is not followed; was the repository renamed?"

_NEXT = re.compile(r'<([^<>]*)>\s*;\s*rel="?next"?')


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a host answers: names of headers are in small letters, `data` is JSON or text."""

    status: int
    headers: Mapping[str, str]
    data: Any


Query = Mapping[str, str | int]
Send = Callable[[str, str, Query, Mapping[str, str] | None], Answer]
"""Sends a request through the host's library: its method, path, query and JSON body."""


def json_or_text(text: str) -> Any:
    """Return what JSON says, or the text itself: what is in front of a host answers in HTML."""
    try:
        return json.loads(text)
    except ValueError:
        return text


class RestInterface:
    """Asks a host in the name of a token. What the host says in an error never shows the token."""

    def __init__(self, target: Target, token: Token, send: Send) -> None:
        """Take what sends a request; nothing is asked yet."""
        self.place = target.place
        self._token = token
        self._send = send

    def ask(
        self, method: str, path: str, query: Query | None = None, body: dict[str, str] | None = None
    ) -> Any:
        """Return the JSON of an answer. Raises PostError, and its kinds as `CommentHost` says."""
        return self._answer(method, path, query or {}, body).data

    def pages(self, path: str, query: Query) -> Iterator[Any]:
        """Yield the items of a list, over all pages.

        Of the link to the next page its query alone is taken: the token goes nowhere else, and a
        host that knows itself by another name, behind a proxy, is read too.
        """
        for _ in range(_MOST_PAGES):
            answer = self._answer("GET", path, query, None)
            if not isinstance(answer.data, list):
                self.fail(f"{self.place}: the answer is no list of comments")
            yield from answer.data
            following = _NEXT.search(answer.headers.get("link", ""))
            if not following:
                return
            query = dict(parse_qsl(urlsplit(following[1]).query))
        self.fail(f"{self.place}: the list of comments has no end")

    def field(self, data: Any, name: str, kind: type[_Value]) -> _Value:
        """Return a field of an answer. Raises PostError where it is not there, or is another."""
        value = data.get(name) if isinstance(data, dict) else None
        if not isinstance(value, kind):
            self.fail(f"{self.place}: the answer has no {name}; is this the address of a REST API?")
        return value

    def fail(self, message: str) -> NoReturn:
        """Raise PostError, without the token."""
        raise PostError(self._token.hidden_in(message))

    def _answer(
        self, method: str, path: str, query: Query, body: Mapping[str, str] | None
    ) -> Answer:
        try:
            answer = self._send(method, path, query, body)
        except requests.exceptions.SSLError as error:
            raise PostError(self._words(f"no safe connection: {error}")) from None
        except (requests.ConnectionError, requests.Timeout) as error:
            raise TryLaterError(self._words(f"the host does not answer: {error}")) from None
        except requests.TooManyRedirects:
            raise PostError(f"{self.place}: {_MOVED}") from None
        except (requests.RequestException, RuntimeError, ValueError) as error:
            # PyGithub raises RuntimeError for a redirect to another host, and ValueError for
            # headers that are no numbers.
            raise PostError(self._words(f"the host's answer is of no use: {error}")) from None
        if not 200 <= answer.status < 300:
            raise self._error(answer)
        return answer

    def _error(self, answer: Answer) -> PostError:
        """Return what an answer means that is no success."""
        status = answer.status
        if status < 400:
            return PostError(f"{self.place}: {_MOVED}")
        message = self._words(f"the host answers {status}: {_message(answer.data)}")
        if status >= 500 or _is_rate_limit(answer):
            return TryLaterError(message, _pause(answer))
        if status == 401:
            return PostError(f"{message}; the token in {self._token.variable} is not known there")
        if status == 403:
            return RefusedError(message)
        if status == 404:
            return NotFoundError(
                f"{message}; are repository and number right, and may the token see them?"
            )
        return PostError(message)

    def _words(self, text: str) -> str:
        return f"{self.place}: {shown(self._token.hidden_in(text))}"


def _message(data: Any) -> str:
    """Return what a host says is wrong: `message` or `error` of its JSON, or the text itself."""
    if isinstance(data, dict):
        data = data.get("message") or data.get("error") or "no reason given"
    return " ".join(str(data).split()) or "no reason given"


def _is_rate_limit(answer: Answer) -> bool:
    """Return whether a host is asked too often; GitHub may say so with the status of a refusal."""
    return answer.status == 429 or (
        answer.status == 403
        and (
            "retry-after" in answer.headers
            or answer.headers.get("x-ratelimit-remaining") == "0"
            or "rate limit" in _message(answer.data).lower()
        )
    )


def _pause(answer: Answer) -> float | None:
    """Return how many seconds a host asks to wait, if it does.

    It says so in seconds, or as the moment when its limit ends. GitHub asks those who meet one of
    its limits and get neither to wait for a minute at least.
    """
    seconds = answer.headers.get("retry-after", "")
    if _is_number(seconds):
        return float(seconds)
    moment = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and _is_number(moment):
        return max(0.0, float(moment) - time.time())
    return 60.0 if _is_rate_limit(answer) else None


def _is_number(text: str) -> bool:
    return re.fullmatch("[0-9]{1,12}", text, re.ASCII) is not None
