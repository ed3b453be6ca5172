"""Where a comment goes and in whose name, all of it checked before any host is asked."""

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from snapdiff.posting.base import PostError
from snapdiff.redaction import hidden
from snapdiff.safe_text import shown

HostName = Literal["github", "gitlab"]

API_URLS: dict[HostName, tuple[str, str]] = {
    "github": ("GITHUB_API_URL", "https://api.github.com"),
    "gitlab": ("CI_API_V4_URL", "https://gitlab.com/api/v4"),
}
"""The variable with the address of a host's REST interface, and the public host's own."""

_NAME = r"[\w.-]*[\w-][\w.-]*"
"""A part of a repository's name; `..` would lead to another place."""

_REPOSITORY = {
    "github": (f"{_NAME}/{_NAME}", "OWNER/NAME"),
    "gitlab": (f"[1-9][0-9]*|{_NAME}(?:/{_NAME})+", "the path of a project, or its number"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A pull or merge request: on which host, in which repository, its number there."""

    host: HostName
    api_url: str
    repository: str
    number: int

    def __post_init__(self) -> None:
        """Raise PostError where one of them cannot be: nothing of it may change a request."""
        pattern, form = _REPOSITORY[self.host]
        if not re.fullmatch(pattern, self.repository, re.ASCII):
            raise PostError(f"{shown(self.repository)}: no repository of {self.host}; it is {form}")
        if not _is_plain_address(self.api_url):
            raise PostError(
                f"{API_URLS[self.host][0]}: is no http(s) URL without user, query and fragment"
            )

    @property
    def place(self) -> str:
        """The request as people write it."""
        return f"{self.repository}{'#' if self.host == 'github' else '!'}{self.number}"


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and the environment variable that it is from: the one thing ever shown of it."""

    secret: str = field(repr=False)
    variable: str

    def __post_init__(self) -> None:
        """Raise PostError where it is no token: a library would show it in its own complaint."""
        if not re.fullmatch("[!-~]+", self.secret):
            raise PostError(f"{self.variable}: holds characters that no token has")

    def hidden_in(self, text: str) -> str:
        """Return a text without the secret: a host may repeat what it was sent."""
        return hidden(text, self.secret)


def _is_plain_address(url: str) -> bool:
    """Return whether a URL is one of a web server, without a password or anything else in it."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return False
    is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return is_web and is_plain and re.fullmatch("[!-~]+", url) is not None
