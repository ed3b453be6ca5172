"""Where a report goes: a file, or standard output, which may be a terminal."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.output.pager import write_paged
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports.options import ReportOptions

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
