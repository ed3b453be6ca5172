"""The address of a mirror: a URL as the user wrote it, and the same without its secrets."""

import re
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote, urlsplit

from snapdiff.buildcache_layout import LAYOUT_2, LAYOUT_3
from snapdiff.errors import RevisionError
from snapdiff.safe_text import shown

Scheme = Literal["http", "https", "s3", "gs", "file"]

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

LISTING = "cache_spack_io_index.json"
"""What a mirror of mirrors begins with."""

SITE_DATA = ("specs_data.json", "package_data.json")
"""The two documents of the site's data, each gzipped or not."""

_ENDS = (LAYOUT_3, LAYOUT_2, LISTING, *SITE_DATA, *(f"{name}.gz" for name in SITE_DATA))


class MirrorAddress(NamedTuple):
    """Where a mirror is. `base` and `query` may hold secrets; `str()` of it holds none."""

    scheme: Scheme
    base: str
    """The URL without its query, and without a `/` at its end."""

    query: str
    """What every request has after its `?`, such as a token; empty where there is none."""

    def url(self, path: str) -> str:
        """Return the URL of a file of the mirror, to be asked for and never to be shown."""
        if self.scheme not in ("http", "https"):
            return f"{self.base}/{path}"
        url = f"{self.base}/{quote(path)}"
        return f"{url}?{self.query}" if self.query else url

    def __str__(self) -> str:
        return without_secrets(self.base)

    @property
    def folder(self) -> str:
        """The last folder of the address: the mirror's own name."""
        return str(self).partition("://")[2].rstrip("/").rpartition("/")[2]


def is_mirror_address(name: str) -> bool:
    """Return whether a name is the URL of a mirror."""
    return name.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def parse_address(name: str) -> MirrorAddress:
    """Return the address of the mirror that a URL names; that of a document in it is taken too.

    Raises RevisionError.
    """
    scheme = next((known for known in SCHEMES if name.startswith(f"{known}://")), None)
    if scheme is None or not name.isprintable() or " " in name:
        raise RevisionError(f"{without_secrets(name)}: is no URL of a mirror")
    is_web = scheme in ("http", "https")
    base, _, query = name.partition("#")[0].partition("?") if is_web else (name, "", "")
    for end in _ENDS:
        base = base.removesuffix(f"/{end}")
    base = base.rstrip("/")
    _, _, place = base.partition("://")
    if scheme == "file" and not place.startswith("/"):
        message = "a file's URL has three slashes and an absolute path: file:///mirror"
        raise RevisionError(f"{shown(name)}: {message}")
    if is_web and not _has_host(base):
        raise RevisionError(f"{without_secrets(name)}: names no host")
    if not place:
        raise RevisionError(f"{without_secrets(name)}: names no place")
    return MirrorAddress(scheme, base, query)


def without_secrets(url: str) -> str:
    """Return a URL as it may be shown: no user, password, query or fragment, and no odd text."""
    scheme, separator, rest = url.partition("://")
    if scheme in ("http", "https"):
        rest = re.split("[?#]", rest, maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    # The last @ ends the user's name and password: one inside them may be there unescaped.
    return shown(f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}")


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
