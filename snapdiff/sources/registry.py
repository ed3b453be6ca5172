"""A build cache in an OCI registry as a source: `oci://HOST/NAME`, and who the user is to it.

The index is the one layer of the manifest that is tagged `index.spack`. It is read as the index of
a mirror of layout 2 is (docs/specification.md, section 10).
"""

import base64
import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from msgspec import Struct, field

from snapdiff.buildcache_layout import LAYOUT_2
from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import Limits, plain_content
from snapdiff.safe_text import shown
from snapdiff.sources.download import (
    REFUSED,
    Answer,
    Downloads,
    NotThereError,
    TransferError,
    decoded,
)
from snapdiff.sources.names import DIGEST, RegistryAddress, parts_of_url
from snapdiff.sources.source import Entry, Source, Validators
from snapdiff.sources.web import WebTransport, basic_authorization, file_in

_TAG = "index.spack"

_MOST = 4 << 20
"""How many bytes a manifest may have; registries take no larger ones."""

_ACCEPT = (
    "application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.v2+json, */*;q=0.5"
)
_CHALLENGE = re.compile(r"(?:^|,\s*)(bearer|basic)(?:\s+|$)", re.IGNORECASE)
# A name without an end or a value would be looked at from each of its letters otherwise.
_PARAMETER = re.compile(r'(?<!\w)(\w++)\s*+=\s*(?:"([^"]*)"|([^\s",]+))')
_TOKEN = re.compile("[!-~]+")


class _Layer(Struct):
    digest: str
    size: int


class _Manifest(Struct):
    layers: list[_Layer]


class RegistrySource(Source):
    """The index of a build cache in a registry, downloaded when it is first needed, and once."""

    def __init__(self, address: RegistryAddress, downloads: Downloads, limits: Limits) -> None:
        self.name = str(address)
        self.prefix = address.repository.rpartition("/")[2]
        self._downloads = downloads
        self._digest = address.digest
        self.limits = limits
        self._size = 0

    def location(self, _entry: Entry) -> str:
        """Return the address: the index is all there is."""
        return self.name

    def _list(self) -> list[Entry]:
        """Return the index, by the name that it has in a mirror."""
        file = self._downloads.take(f"manifests/{self._digest or _TAG}", as_is=True, most=_MOST)
        if file is None:
            message = f"has no tag {_TAG}; `spack buildcache update-index` writes it"
            if self._digest:
                message = "the registry has no manifest of this digest"
            if statuses := self._downloads.refused_with():
                message = (
                    f"the registry refuses access (status {statuses}); is the name right, and has "
                    "`docker login` been run for this registry?"
                )
            raise RevisionError(f"{self.name}: {message}")
        try:
            if self._digest not in (None, f"sha256:{file.sha256}"):
                other = f"sha256:{file.sha256}"
                raise FormatError(f"the manifest that was sent has another digest: {other}")
            layer = _only_layer(self._downloads.content(file))
        except FormatError as error:
            raise RevisionError(f"{self.name}: {error}") from error
        self._size = layer.size
        return [Entry(LAYOUT_2, layer.digest)]

    def _content(self, entry: Entry) -> bytes:
        digest = str(entry.content_id)
        sha256 = digest.removeprefix("sha256:")
        file = self._downloads.take(f"blobs/{digest}", sha256=sha256, as_is=True)
        if file is None:
            statuses = self._downloads.refused_with()
            why = f"refused (status {statuses})" if statuses else "missing in the registry"
            raise FormatError(f"the layer of the manifest is {why}")
        content = self._downloads.content(file)
        if file.sha256 != sha256:
            raise FormatError(f"the layer's digest is sha256:{file.sha256}, and should be {digest}")
        if self._size != len(content):
            raise FormatError(
                f"the layer has {len(content):,} bytes, and should have {self._size:,}"
            )
        return plain_content(content, self.limits.document_size)


def _only_layer(manifest: bytes) -> _Layer:
    """Return the one layer of the manifest of an index; raises FormatError."""
    try:
        layers = decoded(manifest, _Manifest).layers
    except FormatError as error:
        raise FormatError("is no manifest with layers, as Spack writes one") from error
    if len(layers) != 1:
        message = f"the manifest has {len(layers)} layers, and that of an index has one"
        raise FormatError(f"{message}; is this a build cache?")
    if not DIGEST.fullmatch(layers[0].digest):
        raise FormatError("layers[0].digest: is no digest, sha256:<64 of 0-9 and a-f>")
    return layers[0]


class Credentials(Struct):
    """A user and a password; without a user, the secret is an identity token."""

    user: str = field(name="Username")
    secret: str = field(name="Secret")


class _Login(Struct):
    auth: str = ""
    identity_token: str = field(name="identitytoken", default="")

    def credentials(self) -> Credentials | None:
        """Return what is kept; raises ValueError where that is not readable."""
        if self.identity_token:
            return Credentials("", self.identity_token)
        user, _, secret = base64.b64decode(self.auth, validate=True).decode().partition(":")
        return Credentials(user, secret.rstrip("\0")) if user else None


class _LoginFile(Struct):
    logins: dict[str, _Login] = field(name="auths", default_factory=dict)
    helpers: dict[str, str] = field(name="credHelpers", default_factory=dict)
    helper: str = field(name="credsStore", default="")


def find_credentials(address: RegistryAddress) -> Credentials | None:
    """Return the user's credentials for a repository, or None where none are kept.

    What `docker login` and `podman login` have kept is in files, by the name of the registry, or
    with a program of the system's own. Raises RevisionError where such a file cannot be read; its
    content is never shown.
    """
    for place in _places():
        try:
            file = decoded(place.read_bytes(), _LoginFile)
            for name in _names(address):
                helper = file.helpers.get(name)
                login = file.logins.get(name, _Login())
                if found := _ask(helper, name) if helper else login.credentials():
                    return found
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise RevisionError(f"{shown(str(place))}: cannot be read: {error.strerror}") from error
        except (FormatError, ValueError) as error:
            message = "cannot be read: is not what `docker login` writes"
            raise RevisionError(f"{shown(str(place))}: {message}") from error
        if file.helper and (found := _ask(file.helper, address.host_of_login)):
            return found
    return None


def _places() -> Iterator[Path]:
    """Yield the files that may have them, in the order in which they are asked."""
    home = Path("~").expanduser()
    if named := os.environ.get("REGISTRY_AUTH_FILE"):
        yield Path(named)
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime, "containers", "auth.json")
    settings = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    yield Path(settings, "containers", "auth.json")
    yield Path(os.environ.get("DOCKER_CONFIG") or home / ".docker", "config.json")


def _names(address: RegistryAddress) -> Iterator[str]:
    """Yield the names under which a login may be kept, the most precise first."""
    host = address.host_of_login
    if host == address.host:  # podman keeps logins for a part of a registry, too
        parts = address.repository.split("/")
        yield from ("/".join((host, *parts[:end])) for end in range(len(parts), 0, -1))
    yield from (host, f"https://{host}", f"https://{host}/v1/", f"https://{host}/v2/")


def _ask(helper: str, name: str) -> Credentials | None:
    """Return what the program of a credential store has, or None where it has nothing."""
    if not re.fullmatch("[A-Za-z0-9._-]+", helper):
        raise RevisionError(f"{shown(helper)}: is no name of a credential helper")
    try:
        done = subprocess.run(  # noqa: S603 - the user's own settings name it
            [f"docker-credential-{helper}", "get"],
            input=name.encode(),
            capture_output=True,
            check=False,
            timeout=60,  # some ask the user, or a server
        )
        if done.returncode:
            return None  # its words say that it has none, or why it cannot look
        kept = decoded(done.stdout, Credentials)
    except (OSError, subprocess.TimeoutExpired, FormatError) as error:
        reason = getattr(error, "strerror", None) or "its answer is of no use"
        message = f"docker-credential-{helper}: cannot be asked for credentials: {reason}"
        raise RevisionError(message) from error
    user = "" if kept.user == "<token>" else kept.user  # the secret is an identity token then
    return Credentials(user, kept.secret) if kept.secret else None


class _Token(Struct):
    """What a token server answers, in one of two words for the same."""

    token: str | None = None
    access_token: str | None = None


class RegistryTransport(WebTransport):
    """Files of one repository of a registry, to which the user is who a login says."""

    def __init__(self, address: RegistryAddress, silence: float) -> None:
        super().__init__(silence, as_guest=True)
        self._address = address
        self._authorization: str | None = None
        self._challenge: dict[str, str] | None = None

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the answer; raises RevisionError where the user's logins cannot be read."""
        status, self._challenge = 0, None
        for authorization in self._ways():
            headers = {"Accept": _ACCEPT, "Accept-Encoding": "identity"}
            if authorization:
                headers["Authorization"] = authorization
            with self.get(url, headers) as (head, chunks):
                status = head.status
                # Some registries hide from a guest that there is a repository.
                if status not in REFUSED and status != 404:
                    self._authorization = authorization
                    yield file_in(head, chunks, known)
                    return
                # Where a redirect leads may ask, and is not told: the login is the registry's own.
                if urlsplit(str(head.url)).netloc == urlsplit(url).netloc:
                    asked = challenge_in(head.headers.getall("WWW-Authenticate", []))
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
        if credentials and "realm" in self._challenge:
            yield from self._with_token(self._challenge, credentials)
        elif credentials and credentials.user:
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
        parts = parts_of_url(url)
        schemes = ("https", self._address.scheme)  # or a password would be sent as it is
        if not parts or parts.scheme not in schemes or "@" in parts.netloc or not url.isprintable():
            raise TransferError("the registry names a token server that is no https URL")
        if credentials and not credentials.user:  # an identity token is changed for another one
            more = {"client_id": "snapdiff", "refresh_token": credentials.secret}
            form = {"grant_type": "refresh_token", **fields, **more}
        else:
            url += ("&" if parts.query else "?") + urlencode(fields)
            if credentials:
                user, secret = credentials.user, credentials.secret
                headers["Authorization"] = basic_authorization(user, secret)
        try:
            with self.get(url, headers, form) as (head, chunks):
                answer = file_in(head, chunks, Validators())
                found = decoded(self._text(answer.chunks or iter(())), _Token)
        except NotThereError:
            return
        except FormatError:
            found = _Token()
        except TransferError as error:
            message = f"of the registry's token server: {error}"
            raise TransferError(message, again=error.again, pause=error.pause) from error
        token = found.token or found.access_token or ""
        if not _TOKEN.fullmatch(token):
            raise TransferError("what the registry's token server sends is no token")
        yield f"Bearer {token}"

    def _text(self, chunks: Iterator[bytes]) -> bytes:
        """Return a short body; it has the time that the head of an answer has, too."""
        end = time.monotonic() + self._silence
        text = b""
        for chunk in chunks:
            text += chunk
            if len(text) > 1 << 20 or time.monotonic() > end:
                raise TransferError("the answer has no end")
        return text


def challenge_in(headers: list[str]) -> dict[str, str] | None:
    """Return the parameters of the challenge that can be met; one for a password has no `realm`."""
    found: dict[str, dict[str, str]] = {}
    for header in headers:
        _, *parts = _CHALLENGE.split(header)
        for kind, text in zip(parts[::2], parts[1::2], strict=True):
            parameters = {
                name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(text)
            }
            found.setdefault(kind.lower(), parameters)
    if "realm" in found.get("bearer", {}):
        return found["bearer"]
    return {} if "basic" in found else None
