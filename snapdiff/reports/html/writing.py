"""The blocks of a report in HTML; style sheets and scripts in a page, named by their hashes.

What templates call returns markup that is safe: a text that is none is escaped.
"""

import base64
import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snapdiff.errors import ReportError
from snapdiff.reports.names import short_patches
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


def inline_part(environment: "jinja2.Environment", name: str) -> "Markup":
    """Return a style sheet or script from the templates, as it is; raises ReportError."""
    import jinja2

    assert environment.loader is not None
    try:
        text = environment.loader.get_source(environment, name)[0]
    except jinja2.TemplateNotFound as error:
        raise ReportError(f"{name}: no such template") from error
    if "</" in text or "<!--" in text:
        raise ReportError(f"{name}: holds `</` or `<!--`, which HTML does not allow there")
    return trusted(text)


def trusted(text: str) -> "Markup":
    """Return text that is put into the page unescaped: ours, or made safe."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 # never a value from the catalog


def content_hash(text: str) -> str:
    """Return what a Content-Security-Policy calls an inline part that may be used."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


@lru_cache(maxsize=4096)
def address_of(package: str, package_url: str) -> str:
    """Return the address of a package's page, empty where it has none or is no web address."""
    if not package_url.startswith(("https://", "http://")) or shown(package) != package:
        return ""
    return package_url.replace("{package}", quote(package, safe=""))


def link_of(package_url: str) -> Callable[[str], "Markup"]:
    """Return what writes a package as a link to its page, or in bold where it has none."""

    def link(package: str) -> "Markup":
        url = address_of(package, package_url)
        if not url:
            return trusted("<strong>{}</strong>").format(shown(package))
        return trusted('<a href="{}" rel="noreferrer">{}</a>').format(url, shown(package))

    return link


@lru_cache(maxsize=65536)
def value_text(value: str | tuple[str, ...]) -> str:
    """Return a value of a spec as text: a word, or its variants; nothing where it has none."""
    if isinstance(value, str):
        return shown(value)
    return " ".join(value_text(short_patches(variant)) for variant in value)


def _item(sign: str, words: str) -> "Markup":
    name = {"!": "unread", "?": "hint"}.get(sign, sign)
    return trusted('<li class="{}">{}</li>').format(name, words)


def _heading(words: str, level: int) -> "Markup":
    tag = f"h{level or 3}"
    return trusted(f"<{tag}>{{}}</{tag}>\n").format(words)


def _listed(caller: Callable[[], str]) -> "Markup":
    items = [line for line in caller().splitlines() if line.strip()]
    return trusted('<ul class="news">\n' + "\n".join(items) + "\n</ul>\n" if items else "")


FUNCTIONS: dict[str, Any] = {
    "item": _item,
    "heading": _heading,
    "paragraph": lambda words: trusted("<p>{}</p>\n" if words else "").format(words),
    "listed": _listed,
    "fold": lambda words: trusted("<details><summary>{}</summary>\n").format(words),
    "end_fold": lambda: trusted("</details>\n"),
}
"""What templates call."""
