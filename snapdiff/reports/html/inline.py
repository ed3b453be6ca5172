"""Style sheets and scripts inside a page, which a Content-Security-Policy names by their hashes."""

import base64
import hashlib
from typing import TYPE_CHECKING

from snapdiff.errors import ReportError

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
