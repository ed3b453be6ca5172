"""Where a changelog goes: standard output, a new file, or one that is kept up to date."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from snapdiff.changelog import rendering
from snapdiff.changelog.kept_file import KeptFile, resume_after
from snapdiff.changelog.markers import filter_options
from snapdiff.changelog.ndjson import append_lines, json_list, last_report, lines_as_ready
from snapdiff.changelog.ranges import Range
from snapdiff.changelog.rendering import Asked, SectionOutline, outlines
from snapdiff.changelog.sections import Section
from snapdiff.errors import ReportError
from snapdiff.output.standard_output import write_paged
from snapdiff.output.whole_file import check_output, write_file

_Item = TypeVar("_Item")

_FOR_PEOPLE: dict[str, Callable[[Iterable[SectionOutline], Asked], Iterator[str]]] = {
    "markdown": rendering.markdown,
    "text": rendering.text,
    "html": rendering.html,
}
"""How a whole changelog is rendered where people read it, by the name of the format."""

_AS_DATA: dict[str, Callable[[Iterable[Section], Asked], Iterator[str]]] = {
    "template": rendering.own_template,
    "json": lambda sections, _: json_list(sections),
    "ndjson": lambda sections, _: lines_as_ready(sections),
}
"""How it is rendered where all of each section's diff is wanted."""


class _Counted(Generic[_Item]):
    """Some items, and how many of them have been asked for."""

    def __init__(self, items: Iterable[_Item]) -> None:
        self._items = items
        self.number = 0

    def __iter__(self) -> Iterator[_Item]:
        for item in self._items:
            self.number += 1
            yield item


class ChangelogWriter(Struct, frozen=True, kw_only=True):
    """How a changelog is written; a `target` of None is standard output.

    `is_new` says that the target was not there when the run began, `is_paged` that a pager is asked
    for.
    """

    format_name: str
    target: Path | None
    is_new: bool = False
    is_paged: bool = False

    def check(self) -> None:
        """Raise ReportError where the file cannot be written, before any work goes into it."""
        if self.target:
            check_output(self.target)
            if not self.is_continued:
                require_no_changelog(self.target)

    @property
    def is_continued(self) -> bool:
        """Whether what is written stays, and later runs go on from it."""
        return self.target is not None and self.format_name in ("markdown", "ndjson")

    def resume_after(self, wanted: Range, asked: Asked) -> str | None:
        """Return the commit or snapshot with which the file ends so far, or None.

        Raises ReportError where the file is not the beginning of this story, or was written with
        other options.
        """
        if self.target is None or not self.is_continued or not self.target.is_file():
            return None
        if self.format_name == "markdown":
            markers, options = KeptFile(self.target).markers(), asked.shaping
        else:  # a line is a report: of what shaped it, it has the filters alone
            last = last_report(self.target)
            markers, options = [last] if last else [], filter_options(asked.filters)
        if markers:
            markers[0].require(options)
        return resume_after(markers, wanted)

    def write(self, sections: Iterator[Section], asked: Asked) -> int:
        """Write the sections, oldest first as they come, and return how many these are.

        Raises ReportError.
        """
        if self.is_continued:
            # What nobody has released yet would stay as it is now, and be missing later.
            sections = (section for section in sections if not section.is_open)
        if self.format_name in _FOR_PEOPLE:
            told = _Counted(outlines(sections, asked.options))
            if self.target and self.format_name == "markdown":
                texts = rendering.section_texts(told, asked)
                self._write_markdown(self.target, texts, asked)
            else:
                self._write_pieces(_FOR_PEOPLE[self.format_name](told, asked))
            return told.number
        counted = _Counted(sections)
        if self.target and self.format_name == "ndjson":
            append_lines(self.target, counted, is_new=self.is_new)
        else:
            self._write_pieces(_AS_DATA[self.format_name](counted, asked))
        return counted.number

    def _write_pieces(self, pieces: Iterable[str]) -> None:
        if self.target:
            write_file(self.target, pieces, is_new=self.is_new)
        else:
            write_paged(pieces, wanted=self.is_paged)

    def _write_markdown(self, target: Path, texts: Sequence[str], asked: Asked) -> None:
        has_content = target.is_file() and target.stat().st_size > 0
        if self.is_new or not has_content:
            # No word that nothing changed: a later run goes on below this introduction.
            pieces = rendering.with_introduction(texts, asked)
            write_file(target, pieces, is_new=self.is_new)
        elif texts:
            content = KeptFile(target).with_sections(texts)
            write_file(target, [content.decode("utf-8", "surrogateescape")])


def require_no_changelog(target: Path) -> None:
    """Raise ReportError where a file that is to be written anew holds a changelog."""
    if target.is_file() and KeptFile(target).markers():
        raise ReportError(f"{target}: holds a changelog, and would lose it; name another file")
