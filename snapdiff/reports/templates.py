"""Jinja2 environments: one for HTML, one for Markdown, one for a template of the user's own.

Each is made once a process, as compiling its templates takes longer than to print most reports.
Jinja2 itself reads a template again whose file has changed.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import to_builtins

from snapdiff.errors import ReportError
from snapdiff.filters import by_sign, paths_by_sign
from snapdiff.reports import ReportOptions, cause_words, markdown, names, terminal
from snapdiff.reports.html import writing
from snapdiff.reports.moves.move import Move
from snapdiff.reports.moves.places import Place, sets_in
from snapdiff.reports.moves.statuses import LOOKS, name_of_kind, rebuilt_word
from snapdiff.reports.outline.class_counts import ClassCount, Named
from snapdiff.reports.outline.groups import FEW_QUIET, MOST_NAMES
from snapdiff.reports.outline.outline import Outline
from snapdiff.result.changes import CatalogDiff
from snapdiff.safe_text import shown, visible

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parents[1]
BUILT_IN = next(
    folder for folder in (_PACKAGE / "templates", _PACKAGE.parent / "templates") if folder.is_dir()
)
"""Installed from a wheel, the templates are in the package; in a checkout they stand beside it."""

_SYNTAX: dict[str, Any] = {
    "optimized": False,  # working out constants takes minutes where a thousand stand in a row
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}


Folds = Literal["none", "dependencies", "all"]


def block_values(
    outline: Outline,
    *,
    lists_all: bool = False,
    folds: Folds = "dependencies",
    on_terminal: bool = False,
    tells_unchanged: bool = True,
) -> dict[str, Any]:
    """Return what the templates of blocks and words ask for; a terminal folds nothing."""
    return {
        "outline": outline,
        "noun": outline.noun,
        "rebuilt": rebuilt_word(outline.noun),
        "kind_names": {kind.value: name_of_kind(kind, outline.noun) for kind in LOOKS},
        "lists_all": lists_all,
        "on_terminal": on_terminal,
        "tells_unchanged": tells_unchanged,
        "can_fold": folds != "none" and not on_terminal,
        "folds_all": folds == "all",
        "most_names": FEW_QUIET if on_terminal and not lists_all else MOST_NAMES,
    }


def environment_of(format_name: str, options: ReportOptions) -> "jinja2.Environment":
    """Return the environment for a format that people read: `markdown`, `text` or `html`.

    In HTML every value is escaped, and shown by the filter `shown`; in the others nothing is but by
    the filters `name` and `link`. The filter `paint` colours text for a terminal, where that is
    wanted. A file in the options' folder replaces the built-in template of the same name.
    """
    return _environment(format_name, options.templates, options.color and format_name == "text")


@lru_cache
def _environment(format_name: str, overrides: Path | None, color: bool) -> "jinja2.Environment":
    import jinja2

    is_html = format_name == "html"
    environment = jinja2.Environment(
        loader=_loader(overrides, "html" if is_html else "plain"),
        autoescape=is_html,  # noqa: S701 - Markdown escapes by its own filters
        undefined=jinja2.StrictUndefined,
        **_SYNTAX,
    )
    mark: names.Mark = markdown.code if format_name == "markdown" else shown
    paint = terminal.painter(color=color)
    environment.filters |= OWN_FILTERS | {
        "tag_label": partial(names.tag_label, mark=mark),
        "by_place": _by_place,
        "with_nouns": _with_nouns,
        "by_sign": by_sign,
        "paths_by_sign": paths_by_sign,
        "initial": _with_capital,
        "sets_in": sets_in,
        "says": names.says,
        "name": mark,
        "joined": partial(names.joined, mark=mark),
        "paint": paint,
        "because": partial(cause_words.cause_in_words, mark=mark),
        "because_word": cause_words.because_word,
        "compiler": partial(cause_words.compiler_in_words, mark=mark),
        "trait": partial(cause_words.trait_in_words, mark=mark),
        "traits": partial(cause_words.traits_in_words, mark=mark),
        "version_list": partial(names.versions_in_words, mark=mark),
    }
    functions = {"html": writing.FUNCTIONS, "markdown": markdown.FUNCTIONS}
    environment.globals |= functions.get(format_name) or terminal.functions(paint)
    environment.globals |= {
        "mark": mark,
        "SAME_TO_USE": cause_words.SAME_TO_USE,
        "MORE": terminal.MORE,
    }
    return environment


@lru_cache
def plain_words(
    overrides: Path | None, noun: str, most_stacks: int
) -> Callable[[str, object], str]:
    """Return what calls a macro of `words.j2` by its name, with a value; it gives plain text."""
    nouns = {"noun": noun, "rebuilt": rebuilt_word(noun)}
    values = {"link": shown, "most_stacks": most_stacks, **nouns}
    module = _environment("text", overrides, False).get_template("words.j2").make_module(values)
    return lambda macro, value: str(getattr(module, macro)(value)).strip()


def _loader(overrides: Path | None, kind: str) -> "jinja2.BaseLoader":
    """Return what finds templates: overrides, then what a wheel has compiled, then sources."""
    import jinja2

    if overrides is not None and not overrides.is_dir():
        raise ReportError(f"{overrides}: no such folder of templates")
    compiled = jinja2.ModuleLoader(_PACKAGE / "compiled" / jinja2.__version__ / kind)
    compiled.has_source_access = True  # so that it has no style sheet, which it cannot give
    folders = [jinja2.FileSystemLoader(folder) for folder in (overrides, BUILT_IN) if folder]
    return jinja2.ChoiceLoader([*folders[:-1], compiled, folders[-1]])


def _with_commas(number: int) -> str:
    """Return a number with commas between its thousands: `1,204`."""
    return f"{number:,}"


def _with_capital(words: str) -> str:
    """Return words that begin with a capital letter."""
    return words[:1].upper() + words[1:]


OWN_FILTERS: dict[str, Any] = {
    "counted": names.counted,
    "number": _with_commas,
    "short": names.shortened,
    "short_hash": names.short_hash,
    "short_patches": names.short_patches,
    "shown": shown,
    "visible": visible,
    "code": markdown.code,
    "link": markdown.linked,
}
"""The filters of a template of the user's own, beside Jinja2's."""


def render_template(environment: "jinja2.Environment", name: str, **values: Any) -> str:
    """Return a template's text; raises ReportError, which names the file and the line."""
    import jinja2

    try:
        text = environment.get_template(name).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise ReportError(f"{error.filename or name}: line {error.lineno}: {error}") from error
    except jinja2.TemplateNotFound as error:
        place = f"{_place(error, name)}: " if error.name != name else ""
        raise ReportError(f"{place}{error.name}: no such template") from error
    except UnicodeDecodeError as error:  # of the template, or of one that it includes
        raise ReportError(f"{_place(error, name)}: not UTF-8; save templates as UTF-8") from error
    except OSError as error:
        place = error.filename or _place(error, name)
        raise ReportError(f"{place}: cannot be read: {error.strerror}") from error
    except MemoryError as error:
        raise ReportError(f"{_place(error, name)}: takes more memory than there is") from error
    except Exception as error:  # a template can raise whatever its expressions do
        raise ReportError(f"{_place(error, name)}: {error}") from error
    return text


def render_page(environment: "jinja2.Environment", name: str, **values: Any) -> str:
    """Return a template's text with no two blank lines in a row, as templates leave many."""
    text = render_template(environment, name, **values)
    text = re.sub("\\n(?:[ \\t]*\\n){2,}", "\\n\\n", text).strip("\n") + "\n"
    is_markdown = environment.filters["name"] is markdown.code
    return markdown.lists_apart(text) if is_markdown else text


def _place(error: Exception, name: str) -> str:
    """Return file and line of the template frame in which an error was raised."""
    place = name
    frames = error.__traceback__
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if "__jinja_template__" in frames.tb_frame.f_globals or file.endswith(".j2"):
            place = f"{file}: line {frames.tb_lineno}"
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
        is_folder = path.is_dir()
        reason = "is a folder; name a template file" if is_folder else "no such template file"
        raise ReportError(f"{path}: {reason}")
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(path.parent), undefined=jinja2.StrictUndefined, **_SYNTAX
    )
    environment.filters |= OWN_FILTERS
    return render_template(environment, path.name, **values)


def render_own(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield what the user's template makes of a report; raises ReportError with file and line."""
    if options.template is None:
        raise ReportError("no template is named")
    yield user_template(options.template, to_builtins(diff))


def _with_nouns(
    counts: Iterable[ClassCount], one: str | None, several: str
) -> list[tuple[ClassCount, str, str]]:
    """Return classes in a row, of which the first number has its noun; without `one` none has."""
    is_said = not one
    terms = []
    for it in counts:
        nouns = []
        for number in (0 if it.as_names else it.whole_number, it.in_more):
            nouns.append(f" {one if number == 1 else several}" if number and not is_said else "")
            is_said = is_said or number > 0
        terms.append((it, nouns[0], nouns[1]))
    return terms


def _by_place(named: Named) -> list[tuple[Place, list[tuple[str, Move]]]]:
    """Return what happened to packages by where it did, what most stacks share first."""
    found: dict[Place, list[tuple[str, Move]]] = {}
    for name, moves in named:
        for move in moves:
            found.setdefault(move.place, []).append((name, move))
    return sorted(found.items(), key=lambda it: -len(it[1][0][1].stacks))
