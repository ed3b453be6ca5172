"""The options that every command on catalogs has: what it looks at, and what it makes of pages."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from snapdiff.errors import SnapdiffError
from snapdiff.limits import DEFAULT_LIMITS, Limits, parse_size

if TYPE_CHECKING:
    from snapdiff.result import Filters

_Command = TypeVar("_Command", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOptions:
    """Their values, under the names that click gives them."""

    repo: str
    format_name: str | None
    output: str | None
    tag: tuple[str, ...]
    stack: tuple[str, ...]
    package: tuple[str, ...]
    kind: tuple[str, ...]
    explicit: bool
    package_url: str | None
    template_folder: str | None
    allow_empty: bool
    skip_bad_pages: bool
    max_page_size: int
    max_document_size: int
    max_download: int
    quiet: bool
    verbose: bool
    config: str | None
    no_config: bool
    from_file: frozenset[str] = frozenset()
    """The names of those whose values a configuration file gives."""

    def directory(self) -> Path:
        """Return where revisions are looked up; raises SnapdiffError where there is none."""
        if not os.path.isdir(self.repo):
            raise SnapdiffError(f"{self.repo}: no such directory")
        return Path(self.repo)

    def target(self) -> Path | None:
        """Return the file to write, or None for standard output."""
        return None if self.output in (None, "-") else Path(self.output or "")

    def filters(self) -> "Filters":
        """Return what is looked at."""
        from msgspec import UNSET

        from snapdiff.result import Filters

        return Filters(
            tag=split_globs(self.tag),
            stack=split_globs(self.stack),
            package=split_globs(self.package),
            kind=split_globs(self.kind),
            stack_names=self.stack_names(),
            because=split_globs(self.causes()),
            explicit=self.explicit or UNSET,
        )

    def stack_names(self) -> tuple[tuple[str, str], ...]:
        """Return the stacks that are compared under another name: none, where no option says so."""
        return ()

    def causes(self) -> tuple[str, ...]:
        """Return the only causes to look at: all, where no option says so."""
        return ()

    @property
    def limits(self) -> Limits:
        """How much is taken of a page, of a document and of a mirror."""
        return Limits(
            page_size=self.max_page_size,
            document_size=self.max_document_size,
            download=self.max_download,
        )

    def templates(self) -> Path | None:
        """Return the folder of templates that go before the built-in ones, if there is one."""
        return Path(self.template_folder) if self.template_folder else None


_COMMA = re.compile(r",(?![^\[]*\])")
"""A comma between two globs; one in brackets, as in `[ab,]*`, is a character of its glob."""


def split_globs(values: Sequence[str]) -> tuple[str, ...]:
    """Return the globs that some values hold: `e4s,hep` are two."""
    return tuple(glob for value in values for glob in _COMMA.split(value))


def _size(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    try:
        return parse_size(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _narrowed(letter: str, name: str, noun: str) -> Callable[[_Command], _Command]:
    return click.option(
        f"-{letter}", f"--{name}", multiple=True, metavar="GLOB[,GLOB]", help=f"Only these {noun}."
    )


def _limit(name: str, default: int, words: str) -> Callable[[_Command], _Command]:
    return click.option(name, type=str, default=default, callback=_size, metavar="SIZE", help=words)


_SIZES = (
    _limit(
        "--max-page-size",
        DEFAULT_LIMITS.page_size,
        "Take pages of up to SIZE bytes (default 16M); K, M and G are taken.",
    ),
    _limit(
        "--max-document-size",
        DEFAULT_LIMITS.document_size,
        "Take locks, indexes and databases of up to SIZE bytes (default 2G).",
    ),
    _limit(
        "--max-download",
        DEFAULT_LIMITS.download,
        "Take SIZE bytes of a mirror at most (default 2G).",
    ),
)


_STACK = _narrowed("s", "stack", "stacks, such as e4s; !GLOB leaves some out")
_TAG = _narrowed("t", "tag", "tags, such as develop")

_NARROWING = [
    _STACK,
    _narrowed("p", "package", "packages"),
    _TAG,
    _narrowed(
        "k",
        "kind",
        "kinds of change: removed, downgraded, added, upgraded, reconfigured, rebuilt",
    ),
    click.option(
        "--explicit",
        is_flag=True,
        help="Only what was asked for: roots of environments, explicitly installed packages.",
    ),
]

_PAGES = [
    click.option(
        "--allow-empty", is_flag=True, help="Accept a side that has no page, lock or index."
    ),
    click.option(
        "--skip-bad-pages", is_flag=True, help="Leave unreadable pages out on both sides."
    ),
    *_SIZES,
    click.option("-q", "--quiet", is_flag=True, help="No warnings and no progress."),
]


_CONFIGURATION = [
    click.option(
        "--config",
        type=click.Path(),
        metavar="FILE|REV:PATH",
        help="Take settings from here, not from the catalog's .snapdiff.toml.",
    ),
    click.option("--no-config", is_flag=True, help="Take no settings from any file."),
]


def _url_of_packages(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    if value and "{package}" not in value:
        raise click.BadParameter(f"{value} has no {{package}} in it, and would link all to one")
    return value


package_url = click.option(
    "--package-url",
    callback=_url_of_packages,
    metavar="URL",
    help="Where a package's name links to, with {package} in it; empty for no links.",
)


def narrowing(command: _Command) -> _Command:
    """Give a command the options that narrow what is told."""
    return with_options(_NARROWING, command)


def places(command: _Command) -> _Command:
    """Give a command the options that name the tags and stacks it looks at."""
    return with_options([_STACK, _TAG], command)


def pages(command: _Command) -> _Command:
    """Give a command the options on which pages it takes, and whether it speaks of them."""
    return with_options(_PAGES, command)


def configuration(command: _Command) -> _Command:
    """Give a command the options on where its settings are from."""
    return with_options(_CONFIGURATION, command)


def size_limits(command: _Command) -> _Command:
    """Give a command the options on how large pages, documents and mirrors may be."""
    return with_options(_SIZES, command)


def with_options(options: Sequence[Callable[[_Command], _Command]], command: _Command) -> _Command:
    """Give a command these options, in this order."""
    for option in reversed(options):  # as a stack of decorators would
        command = option(command)
    return command
