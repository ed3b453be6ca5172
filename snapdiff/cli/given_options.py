"""What every command on catalogs was given: options of the command line, then those of a file.

The file is that of the old side, so that a pull request cannot weaken the gate that it has to pass
(docs/specification.md, section 12).
"""

import contextlib
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click
from click.core import ParameterSource
from msgspec import UNSET, Struct, UnsetType

from snapdiff.catalog.loading import Catalog, named_as_usual
from snapdiff.comparison import ComparisonOptions
from snapdiff.document_names import LOCK_NAME
from snapdiff.errors import FilterError, FormatError, ReportError, SnapdiffError
from snapdiff.filters import GLOBS, split_globs
from snapdiff.limits import Limits
from snapdiff.output.streams import Destination, ProgressBar, is_on_terminal, say
from snapdiff.output.whole_files import check_output
from snapdiff.report_formats import OWN_TEMPLATE, Formats, chosen_format, option_name, that_heed
from snapdiff.reports import By, ReportOptions
from snapdiff.result.changes import Filters, SkippedPage
from snapdiff.result.packages import Kind
from snapdiff.sources.names import ends_of_range
from snapdiff.sources.revisions import SourceOpener
from snapdiff.sources.source import SettingsFile, Source

if TYPE_CHECKING:
    from snapdiff.settings import AcceptedChange  # late: few have any


class ReportWriter(NamedTuple):
    """A report to be: its format, its looks and where it goes."""

    format_name: str
    options: ReportOptions
    destination: Destination


class GivenOptions(Struct, frozen=True, kw_only=True):
    """What a command was given; an option that it does not have has the value that changes nothing.

    `values` are those of all its options under the names that click gives them; of these `looks`
    are the fields of ReportOptions that somebody has given a value. `from_file` are the options
    that `settings_file` has decided, which is there where a configuration file counts.
    """

    values: Mapping[str, Any]

    # What is compared
    repo: Path
    environment: tuple[str, ...] = ()
    filters: Filters
    by: By | None = None
    allow_empty: bool
    skip_bad_pages: bool
    limits: Limits

    # How it is reported
    format_name: str | None
    output: Path | None
    also: tuple[tuple[str, Path | None], ...] = ()
    looks: Mapping[str, Any]
    first_seen: bool = False
    quiet_if_empty: bool = False
    coloring: Literal["auto", "always", "never"] | None = None
    no_pager: bool

    # What is said of it, and what fails; `annotations` are in a file for GitLab
    exit_code: bool = False
    fail_on: tuple[Kind, ...] = ()
    ignore: "tuple[AcceptedChange, ...]" = ()  # only a file can say it
    annotations: Literal["github"] | Path | None = None
    jobs: int = 1
    quiet: bool
    verbose: bool

    config: str | None = None
    no_config: bool = True
    from_file: frozenset[str] = frozenset()
    settings_file: SettingsFile | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any], **more: Any) -> "GivenOptions":
        """Return what a command was given, from the values that click has of its options."""
        filters = {name: values[name] for name in Filters.__struct_fields__ if values.get(name)}
        filters |= {name: split_globs(filters[name]) for name in GLOBS if name in filters}
        looks = [name for name in ReportOptions.__struct_fields__ if name in values]
        return cls(
            values=values,
            filters=Filters(**filters),
            looks={name: values[name] for name in looks if values[name] not in (None, False)},
            **{name: values[name] for name in cls.__struct_fields__ if name in values},
            **more,
        )

    @property
    def configuration(self) -> str | UnsetType:
        """The name of the configuration file where it decides anything."""
        return self.settings_file.place if self.settings_file and self.from_file else UNSET

    # --- What is compared ---

    def compared(self, revisions: tuple[str, ...]) -> tuple[Path, tuple[str, ...], tuple[str, ...]]:
        """Return what is compared: a folder, the names to look up in it, and paths in both sides.

        With -e the lock of an environment is one side; with a range or two revisions it is both.
        Raises SnapdiffError.
        """
        here = self.repo
        for name, other in permutations(revisions if len(revisions) == 2 else (), 2):
            if SourceOpener(here).ends(name):
                way_out = f"leave {other} out, or write it after --, if it is a path"
                raise SnapdiffError(f"{name}: names both sides already; {way_out}")
        if not self.environment:
            return here, revisions, self.filters.path or ()
        from snapdiff.sources.directory import environment_folder

        folders = [environment_folder(name) for name in self.environment]
        if self.filters.path or len(folders) > 2 or (len(folders) == 2 and revisions):
            raise SnapdiffError("-e: names both sides already; leave paths and names out")
        if len(folders) == 2:
            return here, tuple(str(folder / LOCK_NAME) for folder in folders), ()
        if len(revisions) == 1 and os.path.exists(file := here / revisions[0]):
            return folders[0], (str(file.absolute()), LOCK_NAME), ()
        if len(revisions) > 1 or any(map(ends_of_range, revisions)):
            return folders[0], revisions, (LOCK_NAME,)
        if revisions and ":" not in revisions[0]:
            return folders[0], (f"{revisions[0]}:./{LOCK_NAME}",), ()
        lock = LOCK_NAME if revisions else str(folders[0].resolve() / LOCK_NAME)
        return folders[0], (*revisions, lock), ()

    def comparison(self) -> ComparisonOptions:
        """Return how both sides, or all snapshots, are compared."""
        return ComparisonOptions(
            self.filters, self.allow_empty, self.skip_bad_pages, self.warn, self.configuration
        )

    # --- How it is reported ---

    def report(self, formats: Formats) -> ReportWriter:
        """Return how a report is written to a file, or to standard output where there is none.

        On a terminal that is text where nothing says otherwise, elsewhere the first format. Raises
        ReportError, before any work, where there is no such format or the file cannot be written.
        """
        name, file = self.format_name, self.output
        if file:
            check_output(file)
        destination = Destination(file, has_pager=not self.no_pager)
        usual = "text" if destination.is_terminal else next(iter(formats))
        if "format_name" in self.from_file:
            name, usual = None, name or usual
        has_template = "template" in self.looks
        if has_template and name:
            raise ReportError(f"--template replaces the format; leave -f {name} out")
        chosen = OWN_TEMPLATE if has_template else chosen_format(formats, name, file, usual)
        looks = dict(self.looks)
        if "color" in formats.get(chosen, ()):
            is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
            may_be = self.coloring != "never" and destination.is_terminal and not is_plain
            looks["color"] = self.coloring == "always" or may_be
        if destination.is_terminal:
            looks["width"] = shutil.get_terminal_size().columns
        return ReportWriter(chosen, ReportOptions(**looks), destination)

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
        """Print a warning for each option of a report that none of the chosen formats heeds."""
        # What only a file asks for need have no effect in the format at hand.
        given = {*self.looks} - self.from_file
        if self.coloring == "always":
            given.add("color")
        heeded = {OWN_TEMPLATE: frozenset(["template"]), **formats}
        for field in sorted(given):
            if not any(field in heeded[name] for name in chosen):
                others = that_heed(field, formats)
                way_out = f"it goes with {others}" if others else "leave it out"
                in_these = f"has no effect in {', '.join(chosen)}"
                self.warn(f"--{option_name(field)} {in_these}; {way_out}")

    def say_written(self, files: Iterable[Path | None], *, has_news: bool = True) -> None:
        """Say on a terminal, or with -v, which files were written, or that a kept one has all."""
        kept = ", ".join(str(file) for file in files if file and file.is_file())  # no device
        if kept and (self.verbose or (not self.quiet and is_on_terminal())):
            say(f"wrote {kept}" if has_news else f"{kept} is up to date")


# --- The configuration file ---


def open_sides(
    revisions: tuple[str, ...], given: GivenOptions, own: Collection[str], progress: ProgressBar
) -> tuple[Catalog, Catalog, GivenOptions]:
    """Open both sides; return them, and the options with the settings that count for them.

    `own` are the options of the command that no file decides. With -v a line says what is compared.
    Raises SnapdiffError.
    """
    directory, names, paths = given.compared(revisions)
    opener = SourceOpener(directory, given.limits, progress.downloaded)
    old, new = map(named_as_usual, opener.open_pair(names, paths))
    if given.verbose:
        say(f"comparing {old.name} with {new.name}")
    given = with_settings(given, old, new, own)
    if given.verbose and given.configuration:
        say(f"settings of {given.configuration} count")
    return Catalog(old), Catalog(new), given


def with_settings(
    given: GivenOptions, old: Source, new: Source | None, own: Collection[str]
) -> GivenOptions:
    """Return the options with those that the file of the old side decides, or that of --config.

    It can decide what the command has an option for that is not its `own`, and, of a gate, what is
    accepted. Where `new` has a file that says other things, a note says that it does not count.
    Raises SnapdiffError, which names the line, where the file cannot be read.
    """
    if given.config is not None and given.no_config:
        raise SnapdiffError(f"--config {given.config}: --no-config takes no file; leave one out")
    if given.no_config:
        return given
    if given.config is not None:
        opener = SourceOpener(given.repo)
        file: SettingsFile | None = opener.settings_file(given.config)
        other = None
    else:
        file = old.settings_file()
        other = new.settings_file() if new and not given.quiet else None
    options = {}
    if file:
        from snapdiff.settings import read_settings

        try:
            if isinstance(file.content, FormatError):
                raise file.content
            settings = read_settings(file.content)
        except FormatError as error:
            raise SnapdiffError(f"{file.place}: {error}") from error
        source_of = click.get_current_context().get_parameter_source
        decided = {*given.values}.difference(own)
        if "fail_on" in decided:
            decided.add("ignore")  # what a gate accepts only a file can say
        options = {
            name: value
            for name, _, value in settings.said()
            if name in decided and source_of(name) is not ParameterSource.COMMANDLINE
        }
    if other and (file is None or file.content != other.content):
        say(f"note: {other.place} does not count: settings are taken from the old side")
    values = {**given.values, **options}
    return GivenOptions.of(values, from_file=frozenset(options), settings_file=file)


@contextlib.contextmanager
def lines_named(given: GivenOptions) -> Iterator[None]:
    """Add file and line to the error of a filter that the file has; raises SnapdiffError."""
    try:
        yield
    except FilterError as error:
        if given.settings_file is None or error.option not in given.from_file:
            raise
        from snapdiff.settings import line_of_option

        assert isinstance(given.settings_file.content, bytes)
        line = line_of_option(given.settings_file.content, error.option)
        raise SnapdiffError(f"{given.configuration}: line {line}: {error}") from error
