"""The blocks of a report in HTML; style sheets and scripts in a page, named by their hashes.

What templates call returns markup that is safe: a text that is none is escaped.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snapdiff.errors import ReportError
from snapdiff.reports.moves.statuses import SIGNS
from snapdiff.reports.names import short_patches
from snapdiff.safe_text import shown

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


def inline_part(environment: "jinja2.Environment", *names: str) -> tuple["Markup", str]:
    """Return style sheets or a script, and what a security policy calls it; raises ReportError."""
    import jinja2

    assert environment.loader is not None
    whole = ""
    for name in names:
        try:
            text = environment.loader.get_source(environment, name)[0]
        except jinja2.TemplateNotFound as error:
            raise ReportError(f"{name}: no such template") from error
        if "</" in text or "<!--" in text:
            raise ReportError(f"{name}: holds `</` or `<!--`, which HTML does not allow there")
        whole += text
    digest = hashlib.sha256(whole.encode("utf-8")).digest()
    return trusted(whole), f"sha256-{base64.b64encode(digest).decode('ascii')}"


def trusted(text: str) -> "Markup":
    """Return text that is put into the page unescaped: ours, or made safe."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 # never a value from the catalog


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


def _item(sign: str, words: str, below: Iterable[str] = ()) -> "Markup":
    name = sign if sign in SIGNS else "hint" if sign == "?" else ""
    some = trusted("").join(trusted('<li data-sign="•">{}</li>').format(it) for it in below)
    listed = trusted("<ul>{}</ul>").format(some) if some else ""
    item = trusted('<li class="{}" data-sign="{}">{}{}</li>')
    return item.format(name, SIGNS.get(sign, sign) or "•", words, listed)


def _heading(words: str, level: int) -> "Markup":
    tag = f"h{level or 3}"
    return trusted(f"<{tag}>{{}}</{tag}>\n").format(words)


def _listed(caller: Callable[[], str]) -> "Markup":
    items = [line for line in caller().splitlines() if line.strip()]
    return trusted('<ul class="news">\n' + "\n".join(items) + "\n</ul>\n" if items else "")


FUNCTIONS: dict[str, Any] = {
    "item": _item,
    "heading": _heading,
    "strong": lambda words: trusted("<strong>{}</strong>").format(words),
    "paragraph": lambda words: trusted("<p>{}</p>\n" if words else "").format(words),
    "listed": _listed,
    "fold": lambda words: trusted("<details><summary>{}</summary>\n").format(words),
    "end_fold": lambda: trusted("</details>\n"),
}
"""What templates call."""
