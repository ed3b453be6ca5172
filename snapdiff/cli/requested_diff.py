"""What the options of `snapdiff diff` ask for.

It is apart from the options themselves, which a shell that completes a word and `--help` need too.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.report_writer import ReportWriter
from snapdiff.errors import ReportError
from snapdiff.output.whole_file import require_files_of_their_own
from snapdiff.reports import without_effect
from snapdiff.reports.options import ReportOptions

if TYPE_CHECKING:
    from snapdiff.cli.marked_documents import AnnotationTarget
    from snapdiff.result import Kind
    from snapdiff.settings.catalog_settings import AcceptedChange

FROM_FILE = {
    *("tag", "stack", "package", "kind", "map_stack"),
    *("format_name", "group_by", "marker"),
    *("fail_on", "ignore"),
}
"""The options that a configuration file can decide."""


class DiffOptions(CommonOptions, frozen=True, kw_only=True):
    """The options of `snapdiff diff`, under the names that click gives them."""

    title: str | None
    group_by: Literal["stack", "package"] | None
    detail: bool
    stat: bool
    report_url: str | None
    marker: str | None
    max_length: int | None
    quiet_if_empty: bool
    template: str | None
    exit_code: bool
    fail_on: "tuple[Kind, ...]"
    map_stack: tuple[tuple[str, str], ...]
    because: tuple[str, ...]
    also: "tuple[tuple[str, Path | None], ...]"
    annotations: "AnnotationTarget | None"
    ignore: "tuple[AcceptedChange, ...]" = ()
    """What the gate lets pass; only a file can say it."""

    def stack_names(self) -> tuple[tuple[str, str], ...]:
        """Return the stacks that are compared under another name."""
        return self.map_stack

    def is_narrowed(self) -> bool:
        """Return whether the command line narrows what the gate looks at."""
        given = {"tag", "stack", "package", "because", "explicit"} - self.from_file
        return any(getattr(self, name) for name in given)

    def causes(self) -> tuple[str, ...]:
        """Return the only causes to look at."""
        return self.because

    def report_writers(self) -> list[ReportWriter]:
        """Return what writes the reports: the one that goes to `-o`, then each of `--also`.

        Raises SnapdiffError where one cannot be written, before any work.
        """
        if self.stat and self.detail:
            raise ReportError("--stat leaves out what --detail adds; give one of them")
        format_is_usual = "format_name" in self.from_file
        wanted = None if format_is_usual else self.format_name
        writers = [
            ReportWriter(
                format_name=format_name,
                usual_format=self.format_name if format_is_usual else None,
                destination=self.destination(target),
                quiet_if_empty=self.quiet_if_empty,
                options=ReportOptions(**self._asked()),
            )
            for format_name, target in ((wanted, self.target()), *self.also)
        ]
        files = [writer.destination.file for writer in writers]
        if self.annotations and self.annotations.code_quality:
            files.append(self.annotations.code_quality)
        require_files_of_their_own(files)
        return writers

    def without_effect(self, writers: Sequence[ReportWriter]) -> Iterator[str]:
        """Yield a line for each option that none of the reports has a use for.

        What only a file asks for need have no effect in the format at hand.
        """
        given = {*self._asked()} - self.from_file
        given |= {"color"} if self.color == "always" else set()
        yield from without_effect([writer.format for writer in writers], sorted(given))

    def _asked(self) -> dict[str, Any]:
        """Return the fields of ReportOptions that somebody has given a value."""
        asked: dict[str, Any] = {
            "title": self.title,
            "group_by": self.group_by,
            "detail": self.detail or None,
            "stat": self.stat or None,
            "package_url": self.package_url,
            "report_url": self.report_url,
            "max_length": self.max_length,
            "marker": self.marker,
            "templates": self.templates(),
            "template": Path(self.template) if self.template else None,
        }
        return {name: value for name, value in asked.items() if value is not None}
