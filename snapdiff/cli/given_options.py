"""What was given on the command line: the options that every command on catalogs has."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Struct

from snapdiff.cli.console import is_on_terminal
from snapdiff.errors import SnapdiffError
from snapdiff.limits import Limits, limits_of

if TYPE_CHECKING:
    from snapdiff.cli.report_writer import Color, Destination
    from snapdiff.result import Filters


class Compared(NamedTuple):
    """What a command compares: names, the folder they are looked up in, and paths in both."""

    directory: Path
    revisions: tuple[str, ...]
    paths: tuple[str, ...]


class CommonOptions(Struct, frozen=True, kw_only=True):
    """The values of these options, under the names that click gives them."""

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
    no_pager: bool
    allow_empty: bool
    skip_bad_pages: bool
    max_size: int | None
    quiet: bool
    verbose: bool
    config: str | None
    no_config: bool
    no_renames: bool = False
    color: "Color | None" = None
    paths: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    from_file: frozenset[str] = frozenset()
    """The names of those whose values a configuration file gives."""

    def directory(self) -> Path:
        """Return where revisions are looked up; raises SnapdiffError where there is none."""
        if not os.path.isdir(self.repo):
            raise SnapdiffError(f"{self.repo}: no such directory")
        return Path(self.repo)

    def compared(self, revisions: tuple[str, ...]) -> "Compared":
        """Return where and what is compared: with -e the lock of an environment is one side.

        With a range or two revisions it is both. Raises SnapdiffError.
        """
        here = self.directory()
        if not self.environment:
            return Compared(here, revisions, self.paths)
        from snapdiff.sources.environments import LOCK, environment_folder
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

    def target(self) -> Path | None:
        """Return the file to write, or None for standard output."""
        return None if self.output in (None, "-") else Path(self.output or "")

    def destination(self, file: Path | None) -> "Destination":
        """Return how a file, or standard output, is written to."""
        from snapdiff.cli.report_writer import Destination

        return Destination(file=file, color=self.color, has_pager=not self.no_pager)

    def names_written_files(self) -> bool:
        """Return whether a line says which files were written: on a terminal, or with -v."""
        return self.verbose or (not self.quiet and is_on_terminal())

    def filters(self) -> "Filters":
        """Return what is looked at."""
        from snapdiff.result import Filters

        return Filters(
            tag=split_globs(self.tag),
            stack=split_globs(self.stack),
            package=split_globs(self.package),
            kind=split_globs(self.kind),
            stack_names=self.stack_names(),
            because=split_globs(self.causes()),
            explicit=self.explicit or UNSET,
            no_renames=self.no_renames or UNSET,
            path=self.paths or UNSET,
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
        return limits_of(self.max_size)

    def templates(self) -> Path | None:
        """Return the folder of templates that go before the built-in ones, if there is one."""
        return Path(self.template_folder) if self.template_folder else None


_COMMA = re.compile(r",(?![^\[]*\])")
"""A comma between two globs; one in brackets, as in `[ab,]*`, is a character of its glob."""


def split_globs(values: Sequence[str]) -> tuple[str, ...]:
    """Return the globs that some values hold: `e4s,hep` are two."""
    return tuple(glob for value in values for glob in _COMMA.split(value))
