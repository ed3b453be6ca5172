"""A report to be: its format, its looks and where it goes, all checked before any work."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.errors import ReportError
from snapdiff.output.standard_output import write_paged
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports import (
    OWN_TEMPLATE,
    checked_format,
    format_of_file,
    render_pieces,
)
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff

Color = Literal["auto", "always", "never"]
"""What --color takes."""


class Destination(Struct, frozen=True, kw_only=True):
    """A file, or standard output where there is no file.

    `color` is what --color says, or None; `has_pager` is whether a terminal may have a pager.
    """

    file: Path | None
    color: Color | None = None
    has_pager: bool = True

    def check(self) -> None:
        """Raise ReportError where the file cannot be written, before any work goes into it."""
        if self.file:
            check_output(self.file)

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
            color=self.color == "always" or (self.color in (None, "auto") and may_have_colors),
            width=shutil.get_terminal_size().columns if self.is_terminal else None,
        )

    def write(self, pieces: Iterable[str]) -> None:
        """Write a report; raises ReportError where that cannot be done."""
        if self.file:
            write_file(self.file, pieces)
        else:
            write_paged(pieces, wanted=self.is_paged)


class ReportWriter:
    """Renders a report and writes it where it is to go."""

    def __init__(
        self,
        *,
        format_name: str | None,
        usual_format: str | None = None,
        destination: Destination,
        quiet_if_empty: bool,
        options: ReportOptions,
    ) -> None:
        """Take what was asked for; raises ReportError where that cannot be written.

        `usual_format` is for where neither a name nor a file's suffix says which.
        """
        destination.check()
        usual = usual_format or ("text" if destination.is_terminal else "markdown")
        self.format = _chosen_format(format_name, destination.file, options, usual)
        self.destination = destination
        self._quiet_if_empty = quiet_if_empty
        self._options = destination.fitted(options)

    def write(self, diff: CatalogDiff, offending: Sequence[str] = ()) -> None:
        """Write the report, and in a comment what a gate has found.

        Raises ReportError where it cannot be rendered or written.
        """
        options = replace(self._options, offending=tuple(offending))
        pieces: Iterable[str] = ()
        if not self._quiet_if_empty or not diff.is_empty() or diff.skipped:
            pieces = render_pieces(diff, self.format, options)
        self.destination.write(pieces)


def size_in_words(diff: CatalogDiff) -> str:
    """Return how much a report has to say: `14 package changes`, counted in each stack."""
    from snapdiff.reports.markdown_text import counted  # late: no report in JSON needs them
    from snapdiff.reports.package_counts import count_table

    changes = sum(count_table(diff).total.by_kind.values())
    return "nothing changed" if diff.is_empty() else counted(changes, "package change")


def _chosen_format(
    name: str | None, target: Path | None, options: ReportOptions, usual: str
) -> str:
    """Return the format that was asked for, that a file's suffix stands for, or the usual one."""
    if options.template:
        if name:
            raise ReportError(f"--template replaces the format, so -f {name} has no meaning")
        return OWN_TEMPLATE.name
    if name:
        return checked_format(name)
    return (format_of_file(target) if target else None) or usual
