"""Which settings count for a run: those of the command line, then those of a configuration file.

The file is that of the old side, so that a pull request cannot weaken the gate that it has to pass
(docs/specification.md, section 12).
"""

import contextlib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from snapdiff.catalog.loading import Catalog, open_catalogs
from snapdiff.cli.console import ProgressBar, say
from snapdiff.cli.given_options import CommonOptions
from snapdiff.errors import FilterError, FormatError, SnapdiffError
from snapdiff.formats.registry import DOCUMENTS
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import Part, SettingsFile, Source

if TYPE_CHECKING:
    from snapdiff.settings.catalog_settings import CatalogSettings  # late: few catalogs have any

_Options = TypeVar("_Options", bound=CommonOptions)


class SettingsInForce(Struct, frozen=True, kw_only=True):
    """What a configuration file adds to the command line; nothing where there is no file.

    `options` are those that the file decides, by the names that click gives them, each with its
    value.
    """

    file: SettingsFile | None = None
    settings: "CatalogSettings | None" = None
    options: dict[str, Any] = {}

    @property
    def place(self) -> str | None:
        """The file's name where it decides anything, or None."""
        return self.file.place if self.file and self.options else None

    def applied_to(self, given: _Options) -> _Options:
        """Return the options of a command, with those that the file decides."""
        return replace(given, **self.options, from_file=frozenset(self.options))

    @contextlib.contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Add file and line to the error of a filter that the file has; raises SnapdiffError."""
        try:
            yield
        except FilterError as error:
            if self.file is None or error.option not in self.options:
                raise
            from snapdiff.settings.settings_reading import line_of_option

            assert isinstance(self.file.content, bytes)
            line = line_of_option(self.file.content, error.option)
            raise SnapdiffError(f"{self.file.place}, line {line}: {error}") from error


class ComparedSides(NamedTuple, Generic[_Options]):
    """Two sides that are open, and the options with which they are compared."""

    old: Catalog
    new: Catalog
    settings: SettingsInForce
    given: _Options


def open_sides(
    revisions: tuple[str, ...], given: _Options, takes: Collection[str], progress: ProgressBar
) -> ComparedSides[_Options]:
    """Open both sides, and take the settings that count for them.

    `takes` are the options of the command that a file can decide. With -v a line says what is
    compared. Raises SnapdiffError.
    """
    where = given.compared(revisions)
    old, new = open_catalogs(
        where.revisions, where.directory, given.limits, progress.downloaded, where.paths
    )
    if given.verbose:
        say(f"comparing {old.source.name} with {new.source.name}")
    settings = settings_in_force(given, old.source, new.source, takes)
    if given.verbose and settings.place:
        say(f"settings of {settings.place} count")
    return ComparedSides(old, new, settings, settings.applied_to(given))


def settings_in_force(
    given: CommonOptions, old: Source, new: Source | None, takes: Collection[str]
) -> SettingsInForce:
    """Return what the configuration file of the old side, or the one that is asked for, decides.

    Where `new` has other settings, a line on standard error says that they do not count. Raises
    SnapdiffError where the file cannot be read, and names the line.
    """
    if given.config is not None and given.no_config:
        raise SnapdiffError(f"--config {given.config}: --no-config takes no file; leave one out")
    if given.no_config:
        return SettingsInForce()
    if given.config is not None:
        opener = SourceOpener(given.directory(), wanted=DOCUMENTS)
        return _of_file(opener.settings_file(given.config), takes)
    file = old.settings_file()
    found = _of_file(file, takes) if file else SettingsInForce()
    if new is not None and not given.quiet:
        _say_what_differs(found, new)
    return found


def _of_file(file: SettingsFile, takes: Collection[str]) -> SettingsInForce:
    settings = _read(file)
    source_of = click.get_current_context().get_parameter_source
    options = {
        name: value
        for name, value in settings.options().items()
        if name in takes and source_of(name) is not ParameterSource.COMMANDLINE
    }
    return SettingsInForce(file=file, settings=settings, options=options)


def _read(file: SettingsFile) -> "CatalogSettings":
    from snapdiff.settings.settings_reading import read_settings

    try:
        if isinstance(file.content, FormatError):
            raise file.content
        return read_settings(file.content)
    except FormatError as error:
        raise SnapdiffError(f"{file.place}: {error}") from error


def _say_what_differs(found: SettingsInForce, new: Source) -> None:
    """Say where the new side's settings are others: they count for the comparisons after this."""
    theirs = new.settings_file()
    if theirs is None:
        if found.file and _is_in_repository(new):
            say(f"note: {new.name} has no settings any more; those of {found.file.place} count")
    elif found.file is None:
        say(f"note: {theirs.place} does not count: settings are taken from the old side")
        _try(theirs)
    elif found.file.content != theirs.content and found.settings != _try(theirs):
        say(f"note: {theirs.place} has other settings than {found.file.place}, which counts")


def _try(file: SettingsFile) -> "CatalogSettings | None":
    """Return the settings of a file that does not count, or None, with a word on what is wrong."""
    try:
        return _read(file)
    except SnapdiffError as error:
        say(f"warning: {error}; where this file counts, that is an error")
        return None


def _is_in_repository(source: Source) -> bool:
    from snapdiff.sources.directory import WorkingTree
    from snapdiff.sources.git import GitSource

    whole = source.source if isinstance(source, Part) else source
    return isinstance(whole, GitSource | WorkingTree)
