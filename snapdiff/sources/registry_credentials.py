"""Who the user is to a registry: what `docker login` and `podman login` have kept.

What was kept is in files, by the name of the registry, or with a program of the system's own.
"""

import base64
import binascii
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from snapdiff.errors import FormatError, RevisionError
from snapdiff.safe_text import shown
from snapdiff.sources.download import decoded
from snapdiff.sources.names import RegistryAddress

_SECONDS_FOR_A_HELPER = 60
"""Some ask the user, or a server."""

_IDENTITY = "<token>"
"""What a helper calls the user where the secret is an identity token."""


class Credentials(NamedTuple):
    """A user and a password; without a user, the secret is an identity token."""

    user: str
    secret: str


class _Login(Struct):
    auth: str = ""
    username: str = ""
    password: str = ""
    identity_token: str = field(name="identitytoken", default="")


class _LoginFile(Struct):
    logins: dict[str, _Login] = field(name="auths", default_factory=dict)
    helpers: dict[str, str] = field(name="credHelpers", default_factory=dict)
    helper: str = field(name="credsStore", default="")


class _Kept(Struct):
    user: str = field(name="Username")
    secret: str = field(name="Secret")


def find_credentials(address: RegistryAddress) -> Credentials | None:
    """Return the user's credentials for a repository, or None where none are kept.

    Raises RevisionError where a file with them cannot be read; its content is never shown.
    """
    for place in _places():
        file = _read(place)
        if file is None:
            continue
        for name in _names(address):
            helper = file.helpers.get(name)
            found = _ask(helper, name) if helper else _login(place, file.logins.get(name))
            if found:
                return found
        found = _ask(file.helper, address.host_of_login) if file.helper else None
        if found:
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


def _read(place: Path) -> _LoginFile | None:
    try:
        return decoded(place.read_bytes(), _LoginFile)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RevisionError(f"{shown(str(place))}: cannot be read: {error.strerror}") from error
    except FormatError as error:
        raise _broken(place) from error


def _login(place: Path, login: _Login | None) -> Credentials | None:
    if login is None:
        return None
    if login.identity_token:
        return Credentials("", login.identity_token)
    if not login.auth:
        return Credentials(login.username, login.password) if login.username else None
    try:
        user, _, secret = base64.b64decode(login.auth, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeError) as error:
        raise _broken(place) from error
    return Credentials(user, secret.rstrip("\0")) if user else None


def _broken(place: Path) -> RevisionError:
    return RevisionError(f"{shown(str(place))}: cannot be read: is not what `docker login` writes")


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
            timeout=_SECONDS_FOR_A_HELPER,
        )
        if done.returncode:
            return None  # its words say that it has none, or why it cannot look
        kept = decoded(done.stdout, _Kept)
    except (OSError, subprocess.TimeoutExpired, FormatError) as error:
        reason = getattr(error, "strerror", None) or "its answer is of no use"
        message = f"docker-credential-{helper}: cannot be asked for credentials: {reason}"
        raise RevisionError(message) from error
    if not kept.secret:
        return None
    return Credentials("" if kept.user == _IDENTITY else kept.user, kept.secret)
