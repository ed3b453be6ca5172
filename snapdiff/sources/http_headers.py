"""Headers of HTTP: what is asked for and where, where a redirect leads, how long to wait."""

from urllib.parse import urljoin, urlsplit

from yarl import URL

from snapdiff.sources.mirror_address import without_secrets
from snapdiff.sources.transport import FileRequest, TransferError


def request_headers(request: FileRequest) -> dict[str, str]:
    """Return the headers that ask for a file, or for the rest of it, unless it is known."""
    headers = {"Accept-Encoding": "gzip"}
    if request.known.etag:
        headers["If-None-Match"] = request.known.etag
    if request.known.last_modified:
        headers["If-Modified-Since"] = request.known.last_modified
    if request.start and request.etag:
        headers["Range"] = f"bytes={request.start}-"
        headers["If-Range"] = request.etag
    return headers


def redirect_target(url: str, location: str) -> str:
    """Return where a redirect from a URL leads.

    Raises TransferError where that is another scheme: a file of this machine, or a way that is not
    encrypted, is nothing that a server may choose.
    """
    try:
        target = urljoin(url, location)
        scheme = urlsplit(target).scheme
    except ValueError as error:
        raise TransferError("it redirects to what is no URL") from error
    if scheme != urlsplit(url).scheme:
        shown = without_secrets(target)
        raise TransferError(f"it redirects to another scheme, which is not followed: {shown}")
    return target


def is_range_from(start: int, content_range: str | None) -> bool:
    """Return whether `Content-Range` is that of the bytes from `start` on, if any were asked for.

    >>> is_range_from(100, "bytes 100-199/200")
    True
    """
    return start > 0 and (content_range or "").startswith(f"bytes {start}-")


def pause_in_seconds(retry_after: str | None) -> float | None:
    """Return the seconds that `Retry-After` names, or None where it names none, or a date."""
    if retry_after and retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    return None


def encoded_url(url: str) -> URL:
    """Return a URL as it is, for a library that would quote what is quoted already.

    Raises TransferError where it is none.
    """
    try:
        return URL(url, encoded=True)
    except ValueError as error:
        raise TransferError("is no URL that can be asked for") from error
