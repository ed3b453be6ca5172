"""What was given on the command line that every command on catalogs knows: what it asks for."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.cli.console import is_on_terminal, say
from snapdiff.errors import ReportError, SnapdiffError
from snapdiff.limits import Limits, limits_of
from snapdiff.output.standard_output import write_paged
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports import OWN_TEMPLATE, Formats, ReportOptions, chosen_format, without_effect
from snapdiff.result import Filters, SkippedPage

_LOOKS = (
    *("title", "group_by", "detail", "stat", "package_url", "report_url", "max_length", "marker"),
    *("templates", "template"),
)
"""The fields of ReportOptions that are options of commands, under the same names."""


Color = Literal["auto", "always", "never"]
"""What --color takes."""


class Compared(NamedTuple):
    """What a command compares: names, the folder they are looked up in, and paths in both."""

    directory: Path
    revisions: tuple[str, ...]
    paths: tuple[str, ...]


class Destination(Struct, frozen=True, kw_only=True):
    """A file, or standard output where there is no file.

    `color` is what --color says, `has_pager` whether a terminal may have a pager.
    """

    file: Path | None
    color: Color | None
    has_pager: bool

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at what is written."""
        return self.file is None and sys.stdout is not None and sys.stdout.isatty()

    @property
    def is_paged(self) -> bool:
        """Whether what is longer than the window goes through a pager."""
        return self.has_pager and self.is_terminal

    def fitted(self, options: ReportOptions) -> ReportOptions:
        """Return how a report is to look here: with colours or without, as wide as the window."""
        may_have_colors = self.is_terminal and not os.environ.get("NO_COLOR")
        return replace(
            options,
            color=self.color == "always" or (self.color != "never" and may_have_colors),
            width=shutil.get_terminal_size().columns if self.is_terminal else None,
        )

    def write(self, pieces: Iterable[str]) -> None:
        """Write a report; raises ReportError where that cannot be done."""
        if self.file:
            write_file(self.file, pieces)
        else:
            write_paged(pieces, wanted=self.is_paged)


class CommonOptions(Struct, frozen=True, kw_only=True):
    """The values of these options, under the names that click gives them.

    Not every command has those with a default. `from_file` are the names of those whose values a
    configuration file gives.
    """

    repo: str
    format_name: str | None
    output: Path | None
    package_url: str | None
    templates: str | None
    no_pager: bool
    allow_empty: bool
    skip_bad_pages: bool
    max_size: int | None
    quiet: bool
    verbose: bool
    config: str | None = None
    no_config: bool = True
    tag: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    map_stack: tuple[tuple[str, str], ...] = ()
    explicit: bool = False
    no_renames: bool = False
    color: Color | None = None
    template: str | None = None
    paths: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    from_file: frozenset[str] = frozenset()

    # --- What is compared ---

    def directory(self) -> Path:
        """Return where revisions are looked up; raises SnapdiffError where there is none."""
        if not os.path.isdir(self.repo):
            raise SnapdiffError(f"{self.repo}: no such directory")
        return Path(self.repo)

    def compared(self, revisions: tuple[str, ...]) -> Compared:
        """Return where and what is compared: with -e the lock of an environment is one side.

        With a range or two revisions it is both. Raises SnapdiffError.
        """
        here = self.directory()
        if not self.environment:
            return Compared(here, revisions, self.paths)
        from snapdiff.sources.directory import LOCK, environment_folder
        from snapdiff.sources.names import ends_of_range

        folders = [environment_folder(name) for name in self.environment]
        if self.paths or len(folders) > 2 or (len(folders) == 2 and revisions):
            raise SnapdiffError("-e: names both sides already; leave paths and names out")
        if len(folders) == 2:
            return Compared(here, tuple(str(folder / LOCK) for folder in folders), ())
        files = [str((here / name).absolute()) for name in revisions if os.path.exists(here / name)]
        if len(revisions) == 1 and files:
            return Compared(folders[0], (*files, LOCK), ())
        if len(revisions) > 1 or any(map(ends_of_range, revisions)):
            return Compared(folders[0], revisions, (LOCK,))
        if revisions and ":" not in revisions[0]:
            return Compared(folders[0], (f"{revisions[0]}:./{LOCK}",), ())
        return Compared(folders[0], (*revisions, LOCK), ())

    def filters(self) -> Filters:
        """Return what is looked at."""
        return Filters(
            tag=split_globs(self.tag),
            stack=split_globs(self.stack),
            package=split_globs(self.package),
            kind=split_globs(self.kind),
            stack_names=self.map_stack,
            because=split_globs(self.because),
            explicit=self.explicit or UNSET,
            no_renames=self.no_renames or UNSET,
            path=self.paths or UNSET,
        )

    @property
    def limits(self) -> Limits:
        """How much is taken of a page, of a document and of a mirror."""
        return limits_of(self.max_size)

    # --- How it is reported ---

    def destination(self, file: Path | None) -> Destination:
        """Return how a file, or standard output, is written to.

        Raises ReportError where the file cannot be written, before any work goes into it.
        """
        if file:
            check_output(file)
        return Destination(file=file, color=self.color, has_pager=not self.no_pager)

    def format_for(
        self, formats: Formats, name: str | None, destination: Destination, usual: str | None = None
    ) -> str:
        """Return the format of a report; raises ReportError where there is none.

        `usual` is for where neither a name nor the file's suffix says which.
        """
        if self.template:
            if name:
                raise ReportError(f"--template replaces the format, so -f {name} has no meaning")
            return OWN_TEMPLATE
        usual = usual or ("text" if destination.is_terminal else "markdown")
        return chosen_format(formats, name, destination.file, usual)

    def looks(self) -> dict[str, Any]:
        """Return the fields of ReportOptions that somebody has given a value, as it was given."""
        given = {name: getattr(self, name, None) for name in _LOOKS}
        return {name: value for name, value in given.items() if value not in (None, False)}

    def report_options(self, **usual: Any) -> ReportOptions:
        """Return how a report is to look; `usual` is for what nobody has given."""
        looks = usual | self.looks()
        for name in {"template", "templates"} & looks.keys():
            looks[name] = Path(looks[name])
        return ReportOptions(**looks)

    # --- What is said of it ---

    def warn(self, message: str) -> None:
        """Print a warning to standard error."""
        if not self.quiet:
            say(f"warning: {message}")

    def warn_of_skipped(self, pages: Iterable[SkippedPage]) -> None:
        """Print a warning for each page that was left out."""
        for page in pages:
            self.warn(f"{page.path} ({page.side}): left out on both sides: {page.error}")

    def warn_without_effect(self, formats: Formats, chosen: Sequence[str]) -> None:
        """Print a warning for each option of a report that none of the chosen formats heeds.

        What only a file asks for need have no effect in the format at hand.
        """
        given = {*self.looks()} - self.from_file | ({"color"} if self.color == "always" else set())
        for message in without_effect(formats, chosen, given):
            self.warn(message)

    def say_written(self, files: Iterable[Path | None], content: Callable[[], str]) -> None:
        """Say in a line which files were written, and what they hold; a device keeps nothing.

        It is said on a terminal, or with -v.
        """
        kept = [str(file) for file in files if file and file.is_file()]
        if kept and (self.verbose or (not self.quiet and is_on_terminal())):
            say(f"wrote {', '.join(kept)}: {content()}")


_COMMA = re.compile(r",(?![^\[]*\])")
"""A comma between two globs; one in brackets, as in `[ab,]*`, is a character of its glob."""


def split_globs(values: Sequence[str]) -> tuple[str, ...]:
    """Return the globs that some values hold: `e4s,hep` are two."""
    return tuple(glob for value in values for glob in _COMMA.split(value))
