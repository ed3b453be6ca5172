"""Files of an OCI registry: asked for as a guest first, then as whom the user's files say he is."""

import contextlib
import re
import time
from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

import msgspec
from msgspec import Struct

from snapdiff.sources.mirror_address import RegistryAddress
from snapdiff.sources.registry_credentials import Credentials, find_credentials
from snapdiff.sources.transport import (
    REFUSED,
    Answer,
    NotThereError,
    TransferError,
    Validators,
)
from snapdiff.sources.web import Response, WebTransport, file_in
from snapdiff.sources.web_settings import basic_authorization

_ACCEPT = ", ".join(
    (
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
        "*/*;q=0.5",
    )
)
_CHALLENGE = re.compile(r"(?:^|,\s*)(bearer|basic)(?:\s+|$)", re.IGNORECASE)
_PARAMETER = re.compile(r'(\w+)\s*=\s*(?:"([^"]*)"|([^\s",]+))')
_TOKEN = re.compile("[!-~]+")
_MOST = 1 << 20
"""How many bytes the answer of a token server may have; tokens have a few thousand."""


class _Token(Struct):
    """What a token server answers, in one of two words for the same."""

    token: str = ""
    access_token: str = ""


class RegistryTransport:
    """Files of one repository of a registry."""

    def __init__(self, address: RegistryAddress, silence: float) -> None:
        """Take the repository; nothing is asked for yet. Raises RevisionError."""
        self._address = address
        self._silence = silence
        self._web = WebTransport(silence, as_guest=True)
        self._authorization: str | None = None
        self._challenge: dict[str, str] | None = None

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs.

        Raises RevisionError where the files with the user's credentials cannot be read.
        """
        status, self._challenge = 0, None
        for authorization in self._ways():
            headers = {"Accept": _ACCEPT, "Accept-Encoding": "identity"}
            if authorization:
                headers["Authorization"] = authorization
            with self._web.get(url, headers) as response:
                status = response.status
                # Some registries hide from a guest that there is a repository.
                if status not in REFUSED and status != 404:
                    self._authorization = authorization
                    yield file_in(response, known)
                    return
                asked = _challenge(response)
                self._challenge = self._challenge if asked is None else asked
        raise NotThereError(status if status in REFUSED else None)

    def _ways(self) -> Iterator[str | None]:
        """Yield how to say who asks: as before, as a guest, and as the user's files say."""
        yield self._authorization
        if self._challenge is None:
            return
        if "realm" in self._challenge:
            yield from self._with_token(self._challenge, None)
        credentials = find_credentials(self._address)
        if credentials is None:
            return
        if "realm" in self._challenge:
            yield from self._with_token(self._challenge, credentials)
        elif credentials.user:
            yield basic_authorization(credentials.user, credentials.secret)

    def _with_token(
        self, challenge: dict[str, str], credentials: Credentials | None
    ) -> Iterator[str]:
        """Yield what says that one has a token, where the token server gives one."""
        fields = {
            "service": challenge.get("service", ""),
            "scope": challenge.get("scope", f"repository:{self._address.repository}:pull"),
        }
        url, headers, form = challenge["realm"], {"Accept-Encoding": "identity"}, None
        self._check_realm(url)
        if credentials and not credentials.user:  # an identity token is changed for another one
            more = {"client_id": "snapdiff", "refresh_token": credentials.secret}
            form = {"grant_type": "refresh_token", **fields, **more}
        else:
            url += ("&" if urlsplit(url).query else "?") + urlencode(fields)
            if credentials:
                headers["Authorization"] = basic_authorization(*credentials)
        try:
            with self._web.get(url, headers, form) as response:
                answer = file_in(response, Validators())
                text = self._text(answer.chunks or iter(()))
            found = msgspec.json.decode(text, type=_Token)
        except NotThereError:
            return
        except (msgspec.DecodeError, RecursionError) as error:
            raise TransferError("what the registry's token server sends is no token") from error
        except TransferError as error:
            message = f"of the registry's token server: {error}"
            raise TransferError(message, again=error.again, pause=error.pause) from error
        token = found.token or found.access_token
        if not _TOKEN.fullmatch(token):
            raise TransferError("what the registry's token server sends is no token")
        yield f"Bearer {token}"

    def _check_realm(self, url: str) -> None:
        """Raise TransferError where a password would go over a way that is not encrypted."""
        try:
            parts = urlsplit(url)
            is_one = bool(parts.hostname) and "@" not in parts.netloc and url.isprintable()
        except ValueError:
            is_one = False
        if not is_one or parts.scheme not in ("https", urlsplit(self._address.url).scheme):
            raise TransferError("the registry names a token server that is no https URL")

    def _text(self, chunks: Iterator[bytes]) -> bytes:
        """Return a short body; it has the time that the head of an answer has, too."""
        end = time.monotonic() + self._silence
        text = b""
        for chunk in chunks:
            text += chunk
            if len(text) > _MOST or time.monotonic() > end:
                raise TransferError("the answer has no end")
        return text


def _challenge(response: Response) -> dict[str, str] | None:
    """Return the parameters of a challenge that can be met; one for a password has no `realm`."""
    found: dict[str, dict[str, str]] = {}
    for header in response.headers.getall("WWW-Authenticate", []):
        _, *parts = _CHALLENGE.split(header)
        for kind, text in zip(parts[::2], parts[1::2], strict=True):
            parameters = {
                name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(text)
            }
            found.setdefault(kind.lower(), parameters)
    if "realm" in found.get("bearer", {}):
        return found["bearer"]
    return {} if "basic" in found else None
