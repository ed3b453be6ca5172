"""What the environment says of web servers: proxies, and who one is; each fault named at once."""

import netrc
import os
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from snapdiff.errors import RevisionError
from snapdiff.safe_text import shown


class WebSettings:
    """The variables `http_proxy`, `https_proxy` and `no_proxy`, and `~/.netrc`."""

    def __init__(self) -> None:
        """Read them; raises RevisionError for one that cannot be used, and shows no secret."""
        self._netrc = _netrc()
        self._proxies = {
            scheme: _checked_proxy(scheme, url)
            for scheme, url in getproxies().items()
            if scheme in ("http", "https") and url
        }

    def authorization(self, host: str) -> dict[str, str]:
        """Return the header that says who one is to a host, if anything is known."""
        found = self._netrc.authenticators(host) if self._netrc else None
        return {"Authorization": basic_authorization(found[0], found[2] or "")} if found else {}

    def proxy(self, scheme: str, host: str) -> str | None:
        """Return the URL of the proxy through which a host is asked, or None."""
        return None if proxy_bypass(host) else self._proxies.get(scheme)


def basic_authorization(user: str, password: str) -> str:
    """Return what the header `Authorization` says of a user with a password."""
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def _netrc() -> netrc.netrc | None:
    place = os.environ.get("NETRC") or str(Path("~/.netrc").expanduser())
    try:
        return netrc.netrc(place)
    except FileNotFoundError:
        return None
    except netrc.NetrcParseError as error:  # its words repeat what is in the file
        raise RevisionError(f"{shown(place)}: line {error.lineno}: cannot be read") from error
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "is no text"
        raise RevisionError(f"{shown(place)}: cannot be read: {reason}") from error


def _checked_proxy(scheme: str, url: str) -> str:
    url = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not url.isprintable() or " " in url:
        raise RevisionError(
            f"the variable {scheme}_proxy is no URL of a proxy, such as http://proxy.example:3128"
        )
    return url
