"""Jinja2 environments: one for HTML, one for Markdown, one for a template of the user's own.

Each is made once a process, as compiling its templates takes longer than to print most reports.
Jinja2 itself reads a template again whose file has changed.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdiff.errors import ReportError
from snapdiff.reports.cause_words import (
    SAME_TO_USE,
    reasons_in_words,
    rebuilt_by,
    why_in_words,
)
from snapdiff.reports.lost_builds import builds_in_words, lost_in_words
from snapdiff.reports.markdown_text import code, code_element, counted, linked, list_sign, number
from snapdiff.reports.short_list import Mark, short_hash, short_patches, shortened, tag_names
from snapdiff.safe_text import shown, visible

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parents[1]
BUILT_IN = next(
    folder for folder in (_PACKAGE / "templates", _PACKAGE.parent / "templates") if folder.is_dir()
)
"""Installed from a wheel, the templates are in the package; in a checkout they stand beside it."""


@lru_cache
def markdown_environment(overrides: Path | None = None) -> "jinja2.Environment":
    """Return the environment for Markdown: nothing is escaped but by the filters `code` and `link`.

    A file in the folder `overrides` replaces the built-in template of the same name.
    """
    environment = _environment(overrides, autoescape=False)
    environment.filters |= {
        "code": code,
        "code_element": code_element,
        "link": linked,
        "sign": list_sign,
        **_word_filters(code),
    }
    return environment


@lru_cache
def text_environment(
    overrides: Path | None, paint: Callable[[str, str], str]
) -> "jinja2.Environment":
    """Return the environment for the terminal; the filter `paint` colours text as a kind's is."""
    environment = _environment(overrides, autoescape=False)
    environment.filters |= {"paint": paint, **_word_filters(shown)}
    return environment


@lru_cache
def row_words(overrides: Path | None) -> Any:
    """Return the macros of the words in an HTML report's rows; what they return is plain text."""
    environment = _environment(overrides, autoescape=False)
    environment.filters |= _word_filters(shown)
    return environment.get_template("row_words.txt.j2").module


@lru_cache
def html_environment(overrides: Path | None = None) -> "jinja2.Environment":
    """Return the environment for HTML: every value is escaped, and shown by the filter `shown`."""
    environment = _environment(overrides, autoescape=True)
    environment.filters |= _word_filters(shown)
    return environment


def _word_filters(mark: Mark) -> dict[str, Any]:
    """Return the filters that put causes and builds into words."""
    return {
        "because": partial(why_in_words, mark=mark),
        "builds": partial(builds_in_words, mark=mark),
        "lost": partial(lost_in_words, mark=mark),
        "reasons": partial(reasons_in_words, mark=mark),
        "rebuilt_by": partial(rebuilt_by, mark=mark),
    }


def _environment(overrides: Path | None, *, autoescape: bool) -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        loader=_loader(overrides),
        autoescape=autoescape,  # noqa: S701 - Markdown escapes by its own filters
        optimized=False,  # there are hardly any constants to fold: it would only take time
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= _FILTERS
    environment.globals["SAME_TO_USE"] = SAME_TO_USE
    return environment


def _loader(overrides: Path | None) -> "jinja2.BaseLoader":
    import jinja2

    if overrides is not None and not overrides.is_dir():
        raise ReportError(f"{overrides}: no such folder of templates")
    folders = [folder for folder in (overrides, BUILT_IN) if folder is not None]
    return jinja2.FileSystemLoader(folders)


_FILTERS: dict[str, Any] = {
    "counted": counted,
    "number": number,
    "short": shortened,
    "short_hash": short_hash,
    "short_patches": short_patches,
    "shown": shown,
    "tag_names": tag_names,
    "visible": visible,
}


def render_template(environment: "jinja2.Environment", name: str, **values: Any) -> str:
    """Return a template's text; raises ReportError, which names the file and the line."""
    import jinja2

    try:
        return environment.get_template(name).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise ReportError(f"{error.filename or name}, line {error.lineno}: {error}") from error
    except jinja2.TemplateNotFound as error:
        raise ReportError(f"{error.name}: no such template") from error
    except Exception as error:  # a template can raise whatever its expressions do
        raise ReportError(f"{_place(error, name)}: {error}") from error


def _place(error: Exception, name: str) -> str:
    """Return file and line of the template frame in which an error was raised."""
    place = name
    frames = error.__traceback__
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if "__jinja_template__" in frames.tb_frame.f_globals or file.endswith(".j2"):
            place = f"{file}, line {frames.tb_lineno}"
        frames = frames.tb_next
    return place


def user_template(path: Path, values: dict[str, Any]) -> str:
    """Return the text of a template of the user's own, which can reach nothing but its values.

    It is sandboxed, strict about names that do not exist, and may include files beside it. Raises
    ReportError, which names the file and the line.
    """
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if not path.is_file():
        raise ReportError(f"{path}: no such template file")
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(path.parent),
        optimized=False,  # working out constants takes minutes where a thousand stand in a row
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= _FILTERS | {"code": code, "link": partial(linked)}
    return render_template(environment, path.name, **values)
