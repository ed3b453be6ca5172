"""Where a comment goes and in whose name, all of it checked before any host is asked."""

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from snapdiff.posting.base import PostError
from snapdiff.safe_text import shown

HostName = Literal["github", "gitlab"]

_REPOSITORY = {
    "github": (r"[\w.-]+/[\w.-]+", "OWNER/NAME"),
    "gitlab": (r"[1-9][0-9]*|[\w.-]+(?:/[\w.-]+)+", "the path of a project, or its number"),
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
        try:
            parts = urlsplit(self.api_url)
            is_address = bool(parts.scheme in ("http", "https") and parts.hostname)
            is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
        except ValueError:
            is_address = is_plain = False
        if not is_address or not is_plain or not re.fullmatch("[!-~]+", self.api_url):
            raise PostError(
                f"the address of {self.host}'s REST API is no http(s) URL without user and query"
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
        return text.replace(self.secret, "[token]")
