"""A changelog in each of its formats, and where it goes: standard output, a new or a kept file."""

import gc
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from snapdiff import __version__
from snapdiff.changelog import kept_file
from snapdiff.changelog.kept_file import filter_options, options_text
from snapdiff.changelog.net_changes import NetChanges
from snapdiff.changelog.ranges import Range, compare_ends
from snapdiff.changelog.sections import Section, SectionEnd
from snapdiff.comparison import ComparisonOptions
from snapdiff.filters import printable_filters
from snapdiff.output.streams import Destination
from snapdiff.output.whole_files import errors_named, hold
from snapdiff.reports import ReportOptions, render_report
from snapdiff.reports.html.writing import inline_part, link_of, trusted
from snapdiff.reports.markdown import links
from snapdiff.reports.outline import outline_of
from snapdiff.reports.templates import (
    block_values,
    environment_of,
    render_page,
    render_template,
    user_template,
)
from snapdiff.reports.terminal import in_window
from snapdiff.safe_text import shown

_PLAIN = re.compile(r"[0-9]{4}(-W?[0-9]{2}){1,2}|Unreleased")
"""Names that cannot be anything else in Markdown: dates, weeks, and ours."""


_LINKS: dict[str, Callable[[str], Callable[[str], object]]] = {
    "markdown": links,
    "html": link_of,
    "text": lambda _package_url: shown,
}
"""What names a package in each format for people, with a link to its page where there are links."""


ToldSection = tuple[SectionEnd, str]
"""What is left of a section that people read: a changelog of years does not keep their diffs."""


class Changelog(Struct, frozen=True, kw_only=True):
    """A changelog that is to be written: what all its sections have in common, and where it goes.

    It is of the `wanted` range; `shaping` has the options in the marker of each section.
    """

    wanted: Range
    settings: ComparisonOptions
    options: ReportOptions
    shaping: str
    format_name: str
    destination: Destination

    @property
    def ends(self) -> tuple[str, str]:
        """What its first and its last revision are called."""
        return self.wanted.oldest.source.name, self.wanted.last.source.name

    def resume_after(self) -> str | None:
        """Return the commit or snapshot with which the file ends so far, or None.

        Raises ReportError where the file begins another story, or was written with other options.
        """
        file = self.destination.file
        if not (file and is_continued(file, self.format_name) and file.is_file()):
            return None
        if self.format_name == "markdown":
            markers, options = list(kept_file.find_markers(file)), self.shaping
        else:  # a line is a report: of what shaped it, it has the filters alone
            markers = kept_file.last_report(file)
            options = options_text(filter_options(printable_filters(self.settings.filters)))
        return kept_file.resume_after(markers, options, self.wanted)

    def write(self, sections: Iterable[Section]) -> bool:
        """Write the sections, oldest first as they come; return whether a file has anything new.

        Raises ReportError.
        """
        file = self.destination.file
        if is_continued(file, self.format_name):
            # What nobody has released yet would stay as it is now, and be missing later.
            sections = (section for section in sections if not section.end.is_open)
        if file and self.format_name == "markdown":
            return self._keep(file, [text for _, text in self._told(sections)][::-1])
        if file and self.format_name == "ndjson":
            return _append_lines(file, sections, is_new=self.destination.is_new)
        rendered = self._for_people if self.format_name in _LINKS else self._as_data
        self.destination.write(rendered(sections))
        return True

    def _told(
        self, sections: Iterable[Section], net: NetChanges | None = None
    ) -> Iterator[ToldSection]:
        """Yield the sections that say anything; in Markdown each is below its marker.

        With `net` changes to follow, a section says what is back that an older one says is gone.
        """
        environment = environment_of(self.format_name, self.options)
        for section in sections:
            end, diff = section.end, section.diff
            back = net.follow(end, diff) if net else {}
            outline = outline_of(
                diff, self.options.group_by, details=self.options.detail, back=back
            )
            # A template leaves its contexts in cycles, with all that it was given: of two thousand
            # small sections these were 180 of 226 MB. What was there before is much, and not looked
            # at: collecting is off for that reason.
            gc.freeze()
            try:
                text = render_page(
                    environment,
                    "changelog.j2",
                    end=end,
                    is_plain=_PLAIN.fullmatch(end.name) is not None,
                    renamed_stacks=diff.renamed_stacks,
                    none_since=net.none_since if net else (),
                    link=_LINKS[self.format_name](self.options.package_url),
                    **block_values(
                        outline,
                        lists_all=self.options.detail,
                        on_terminal=self.format_name == "text",
                        tells_unchanged=False,  # section after section that would be the same
                    ),
                )
            finally:
                gc.collect(0)
                gc.unfreeze()
            if self.format_name == "markdown":
                text = f"{kept_file.section_marker(diff.old, diff.new, self.shaping)}\n{text}"
            yield end, text

    def _introduction(self, *, is_quiet: bool = False, net: NetChanges | None = None) -> str:
        """Return what it begins with: of one that is written whole also what it comes to."""
        environment = environment_of(self.format_name, self.options)
        values = {"changelog": self, "is_quiet": is_quiet, "net": net}
        return render_page(environment, "changelog_head.j2", **values, **self._in_all(net))

    def _in_all(self, net: NetChanges | None) -> dict[str, Any]:
        """Return what the first sentence about both ends asks for; of few sections nothing."""
        if not (net and net.is_told):
            return {}
        outline = outline_of(compare_ends(self.wanted, self.settings), self.options.group_by)
        link = _LINKS[self.format_name](self.options.package_url)
        return block_values(outline, tells_unchanged=False) | {"link": link}

    def _for_people(self, sections: Iterable[Section]) -> Iterator[str]:
        """Yield the whole changelog, newest first."""
        net = NetChanges()
        told = list(self._told(sections, net))[::-1]
        if self.format_name == "html":
            yield self._html(told, net)
            return
        introduction = self._introduction(is_quiet=not told, net=net)
        whole = "\n".join([introduction, *(text for _, text in told)])
        is_text = self.format_name == "text"
        yield from in_window(whole, self.options.width) if is_text else [whole]

    def _html(self, told: Sequence[ToldSection], net: NetChanges) -> str:
        """Return a complete HTML document that needs nothing else."""
        environment = environment_of(self.format_name, self.options)
        style, style_hash = inline_part(environment, "report.css", "changelog.css")
        return render_template(
            environment,
            "changelog.html.j2",
            version=__version__,
            changelog=self,
            net=net,
            sections=[(end, trusted(text)) for end, text in told],
            **self._in_all(net),
            style=style,
            style_hash=style_hash,
        )

    def _as_data(self, sections: Iterable[Section]) -> Iterator[str]:
        """Yield all of each section's diff, as it is computed where that can be.

        JSON is one list and NDJSON a line a section, oldest first. A template of the user's own
        gets `filters`, and `sections`, newest first: each has the keys of the JSON report, its
        `name` and its `subject`. Raises ReportError, which names the template's file and line.
        """
        if self.format_name == "ndjson":
            for section in sections:
                yield render_report(section.diff, "json")
                sys.stdout.buffer.flush()  # on its way when the next is computed
        elif self.format_name == "json":
            separator = "[\n"
            for section in sections:
                yield separator + render_report(section.diff, "json").removesuffix("\n")
                separator = ",\n"
            yield "[]\n" if separator == "[\n" else "\n]\n"
        else:
            assert self.options.template
            reports = [
                {"name": it.end.name, "subject": it.end.subject, **to_builtins(it.diff)}
                for it in sections
            ]
            values = {"sections": reports[::-1], "filters": to_builtins(self.settings.filters)}
            yield user_template(self.options.template, values)

    def _keep(self, file: Path, texts: Sequence[str]) -> bool:
        has_content = file.is_file() and file.stat().st_size > 0
        if self.destination.is_new or not has_content:
            # No word that nothing changed: a later run goes on below this introduction.
            self.destination.write(["\n".join([self._introduction(), *texts])])
        elif texts:
            content = kept_file.with_sections(file, texts)
            self.destination.write([content.decode("utf-8", "surrogateescape")])
        return bool(texts) or self.destination.is_new


def is_continued(file: Path | None, format_name: str) -> bool:
    """Return whether what a file holds stays, and later runs go on from it."""
    return file is not None and format_name in ("markdown", "ndjson")


def _append_lines(target: Path, sections: Iterable[Section], *, is_new: bool) -> bool:
    mode = "x" if is_new else "a"
    place = os.path.realpath(target) if is_new else target  # what is new is made where links lead
    with errors_named(target), open(place, mode, encoding="utf-8", newline="") as file:
        size = file.tell()
        if is_new:
            hold(target, file.fileno())
        for section in sections:
            file.write(render_report(section.diff, "json"))
            file.flush()
        return is_new or file.tell() > size
