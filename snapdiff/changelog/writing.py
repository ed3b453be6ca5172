"""Where a changelog goes: standard output, a new file, or one that is kept up to date."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from snapdiff.changelog.kept_file import KeptFile, resume_after
from snapdiff.changelog.ndjson import append_lines, json_list, last_report, lines_as_ready
from snapdiff.changelog.ranges import Range
from snapdiff.changelog.sections import Section
from snapdiff.changelog.sections_markdown import MarkdownChangelog
from snapdiff.errors import ReportError
from snapdiff.output.standard_output import write_stdout
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports.options import ReportOptions
from snapdiff.result import Filters

SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".csv": "csv",
    ".html": "html",
    ".txt": "text",
}
"""What a file's suffix stands for; not every format is there for everything."""


def chosen_format(name: str | None, target: Path | None, known: Iterable[str]) -> str:
    """Return the format that was asked for, or that a file's suffix stands for.

    Raises ReportError where there is no such format.
    """
    known = tuple(known)
    if name is None and target is not None:
        name = SUFFIXES.get(target.suffix.lower())
    if name is None:
        return "markdown"
    if name not in known:
        raise ReportError(f"{name}: no such format here; there are {', '.join(known)}")
    return name


class ChangelogWriter(Struct, frozen=True, kw_only=True):
    """How a changelog is written; a `target` of None is standard output.

    `is_new` says that the target was not there when the run began.
    """

    format_name: str
    target: Path | None
    is_new: bool = False
    filters: Filters
    options: ReportOptions
    detail: bool

    def check(self) -> None:
        """Raise ReportError where the file cannot be written, before any work goes into it."""
        if self.target:
            check_output(self.target)

    def resume_after(self, wanted: Range) -> str | None:
        """Return the commit or snapshot with which the file ends so far, or None.

        Raises ReportError where the file is not the beginning of this story.
        """
        if self.target is None or not self.target.is_file():
            return None
        if self.format_name == "markdown":
            return resume_after(KeptFile(self.target).markers(), wanted)
        if self.format_name == "ndjson":
            last = last_report(self.target, self.filters)
            return resume_after([last], wanted) if last else None
        return None

    @property
    def is_continued(self) -> bool:
        """Whether what is written stays, and later runs go on from it."""
        return self.target is not None and self.format_name != "json"

    def write(self, sections: Iterator[Section], ends: tuple[str, str]) -> None:
        """Write the sections between two ends, oldest first as they come; raises ReportError."""
        if self.is_continued:
            # What nobody has released yet would stay as it is now, and be missing later.
            sections = (section for section in sections if not section.is_open)
        if self.format_name == "markdown":
            self._write_markdown(sections, ends)
        elif self.format_name == "json":
            self._write(json_list(sections))
        elif self.target:
            append_lines(self.target, sections, is_new=self.is_new)
        else:
            write_stdout(lines_as_ready(sections))

    def _write_markdown(self, sections: Iterator[Section], ends: tuple[str, str]) -> None:
        changelog = MarkdownChangelog(self.options, detail=self.detail)
        texts = [changelog.section(section) for section in sections]
        texts.reverse()
        if (
            self.target is None
            or self.is_new
            or not self.target.is_file()
            or not self.target.stat().st_size
        ):
            quiet = None if texts or self.target else ends
            texts.insert(0, changelog.introduction(self.filters, quiet))
            self._write(["\n".join(texts)])
        elif texts:
            content = KeptFile(self.target).with_sections(texts)
            write_file(self.target, [content.decode("utf-8", "surrogateescape")])

    def _write(self, pieces: Iterable[str]) -> None:
        if self.target:
            write_file(self.target, pieces, is_new=self.is_new)
        else:
            write_stdout(pieces)
