"""A report to be: its format, its looks and where it goes, all checked before any work."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from snapdiff.errors import ReportError
from snapdiff.output.pager import write_paged
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports import (
    OWN_TEMPLATE,
    checked_format,
    format_of_file,
    render_pieces,
)
from snapdiff.reports.options import ReportOptions
from snapdiff.result import CatalogDiff


class ReportWriter:
    """Renders a report and writes it where it is to go."""

    def __init__(
        self,
        *,
        format_name: str | None,
        usual_format: str | None = None,
        target: Path | None,
        color: str | None,
        pager: bool,
        quiet_if_empty: bool,
        options: ReportOptions,
    ) -> None:
        """Take what was asked for; raises ReportError where that cannot be written.

        `usual_format` is for where neither a name nor a file's suffix says which. `color` is
        `auto`, `always`, `never` or None, where nobody asked. A `target` of None is standard
        output.
        """
        if target:
            check_output(target)
        on_terminal = target is None and sys.stdout is not None and sys.stdout.isatty()
        usual = usual_format or ("text" if on_terminal else "markdown")
        self.format = _chosen_format(format_name, target, options, usual)
        self.target = target
        self._quiet_if_empty = quiet_if_empty
        self._is_paged = pager and on_terminal
        auto = on_terminal and not os.environ.get("NO_COLOR")
        self._options = msgspec.structs.replace(
            options,
            color=color == "always" or (color in (None, "auto") and auto),
            width=shutil.get_terminal_size().columns if on_terminal else None,
        )

    def write(self, diff: CatalogDiff) -> None:
        """Write the report; raises ReportError where it cannot be rendered or written."""
        pieces: Iterable[str] = ()
        if not self._quiet_if_empty or not diff.is_empty() or diff.skipped:
            pieces = render_pieces(diff, self.format, self._options)
        if self.target:
            write_file(self.target, pieces)
        else:
            write_paged(pieces, wanted=self._is_paged)


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
