"""A changelog that exists already: what it holds stays, and what is new goes on top.

Above each section is a comment with its ends and how it was made, which no reader sees and the next
run finds: `<!-- snapdiff: 1f3a..9c2e by=week -->`.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import msgspec

from snapdiff.changelog.ranges import GitRange, Range
from snapdiff.errors import ReportError
from snapdiff.model.specs import Revision
from snapdiff.output.whole_files import errors_named
from snapdiff.result.changes import SCHEMA_VERSION, CatalogDiff, Filters
from snapdiff.sources.git import GitHistory
from snapdiff.sources.source import printable_path

SECTION_MARKER = re.compile(
    rb"^<!-- snapdiff: (\S+?)\.\.(\S+)((?: [a-z-]+=\S*)*) -->[ \t]*\r?$", re.MULTILINE
)

_MARKER_BEGINS = b"<!-- snapdiff: "

GIVEN = ("yes",)
"""The value of an option that takes none."""


class Marker(NamedTuple):
    """The marker of a section: where it is, the commits or snapshots at its ends, its options."""

    place: str
    old: str
    new: str
    options: str


def filter_options(filters: Filters) -> dict[str, tuple[str, ...]]:
    """Return the filters that are given, as options."""
    names = ("tag", "stack", "package", "kind", "path")
    values = {name: getattr(filters, name) for name in names}
    flags = {"explicit": filters.explicit, "no-renames": filters.no_renames}
    values |= {name: GIVEN for name, is_given in flags.items() if is_given}
    return {name: given for name, given in values.items() if given}


def options_text(options: Mapping[str, tuple[str, ...]]) -> str:
    """Return the options that decide what is in a section as its marker has them."""
    return " ".join(
        f"{name}={','.join(map(_quoted, sorted(values)))}"
        for name, values in sorted(options.items())
    )


def section_marker(old: Revision, new: Revision, options: str) -> str:
    """Return the marker of a section between two revisions: commits, or snapshots."""
    ends = [_quoted(side.commit or side.source) for side in (old, new)]
    for position, end in enumerate(ends):
        if re.search(r"^\.|\.\.|\.$", end):  # two dots stand between both
            ends[position] = end.replace(".", "%2E")
    return f"<!-- snapdiff: {'..'.join(ends)}{options and ' '}{options} -->"


def _quoted(text: str) -> str:
    """Return a text without a blank, a `>` or a comma."""
    return quote(text, safe="", errors="surrogateescape")


def _unquoted(quoted: bytes) -> str:
    return unquote(quoted.decode("utf-8", "surrogateescape"), errors="surrogateescape")


def find_markers(path: Path) -> Iterator[Marker]:
    """Yield the markers of all sections of a file.

    It is read line by line: a report of JSON that is written anew may have hundreds of megabytes.
    Raises ReportError where it cannot be read, or somebody changed a marker.
    """
    with errors_named(path, cannot_be="read"), open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if found := SECTION_MARKER.match(line):
                old, new = _unquoted(found[1]), _unquoted(found[2])
                options = found[3].decode("utf-8", "replace").strip()
                yield Marker(f"{path}: line {number}", old, new, options)
            elif line.startswith(_MARKER_BEGINS):
                raise ReportError(
                    f"{path}: line {number}: begins as the comment above a section, and was "
                    "changed; write it as it was, or take that section and those above it out of "
                    "the file"
                )


def require_no_changelog(path: Path | None) -> None:
    """Raise ReportError where a file that is to be written anew holds a changelog."""
    if path and path.is_file() and any(find_markers(path)):
        raise ReportError(f"{path}: holds a changelog, and would lose it; name another file")


_COMMENT = re.compile(rb" {0,3}<!--(?!.*-->)", re.DOTALL)
_END_OF_COMMENT = re.compile(rb".*-->", re.DOTALL)
_FENCE = re.compile(rb" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)", re.DOTALL)


def _first_section(content: bytes) -> int:
    """Return where the first heading of the second level begins, else where the text ends.

    What looks like one in a block of code between fences, or in a comment, is none.
    """
    place, end_of_block = 0, None
    for line in content.splitlines(keepends=True):
        if end_of_block:
            end_of_block = None if end_of_block.match(line) else end_of_block
        elif line.startswith(b"## "):
            break
        elif found := _FENCE.fullmatch(line):
            fence = found[1] or found[2]
            end_of_block = re.compile(rb" {0,3}%b%b*\s*\Z" % (fence, fence[:1]))
        elif _COMMENT.match(line):
            end_of_block = _END_OF_COMMENT
        place += len(line)
    return place


def with_sections(path: Path, sections: Sequence[str]) -> bytes:
    """Return the content of a file with sections on top of those it has, below its title.

    Not a byte of it is changed. Where it has no section of ours, they go above its first heading of
    the second level, or to the end. Raises ReportError where the file cannot be read, or is not
    UTF-8, as the sections are.
    """
    with errors_named(path, cannot_be="read"):
        content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = "is not UTF-8, as what is to be added is; save it as UTF-8, or name another file"
        raise ReportError(f"{path}: {message}") from error
    first = SECTION_MARKER.search(content)
    place = first.start() if first else _first_section(content)
    above, below = content[:place], content[place:]
    line_break = b"\r\n" if b"\r\n" in content else b"\n"
    new = "\n".join(sections).encode("utf-8").replace(b"\n", line_break)
    while above.strip() and not re.search(rb"\n\r?\n\Z", above):  # up to a blank line
        above += line_break
    return above + new + (line_break if below else b"") + below


def resume_after(markers: Sequence[Marker], options: str, wanted: Range) -> str | None:
    """Return the commit or snapshot after which the story goes on, or None for its beginning.

    Raises ReportError where the newest section was made with other options, and where a marker
    names what is not, or no longer, in the history.
    """
    if not markers:
        return None
    newest = markers[0]
    if newest.options != options:
        there, here = (
            f"with {it}" if it else "without options" for it in (newest.options, options)
        )
        raise ReportError(
            f"{newest.place}: was written {there}, and this run is {here}; "
            "run with the same options, or name another file"
        )
    if isinstance(wanted, GitRange):
        return _resume_history(markers, wanted.history)
    places = {printable_path(name): place for place, name in enumerate(wanted.snapshots)}
    if newest.new not in places:
        raise ReportError(
            f"{newest.place}: there is no snapshot {newest.new} any more; "
            "put it back, or move the file away and make it anew"
        )
    return wanted.snapshots[max(places[item.new] for item in markers if item.new in places)]


_SHALLOW = ", as far as this shallow clone has it; git fetch --unshallow"

_GONE = (
    ": that ends before it, or was rewritten, or this is the changelog of something else; name a "
    "later end or another file, or take that section and those above it out of the file"
)


def _resume_history(markers: Sequence[Marker], history: GitHistory) -> str | None:
    places = history.ancestors()
    is_shallow = history.repository.is_shallow()
    for position, item in enumerate(markers):
        # A shallow clone has no old commits; that it has the newest one is enough.
        ends = ((item.new,) if position == 0 else ()) if is_shallow else (item.new, item.old)
        for commit in ends:
            # The range may begin beside the line of first parents, as on the branch of a release.
            if commit not in places and commit != history.first.id:
                reason = f"commit {commit} is not in the history of {history.new.name}"
                raise ReportError(f"{item.place}: {reason}{_SHALLOW if is_shallow else _GONE}")
    known = [item.new for item in markers if item.new in places]
    # Where the files of two branches were merged, the sections of one lead along this line.
    line = {commit.id for commit in history.commits()}
    newest = min([it for it in known if it in line] or known, key=places.__getitem__)
    return None if history.is_ancestor(newest, history.first.id) else newest


# --- A file of lines: the last one is a report ---

_BEGINNING = b'{"schema_version":'
_REPORT = msgspec.json.Decoder(CatalogDiff)


def last_report(path: Path) -> list[Marker]:
    """Return ends and filters of the last section in a file of lines; nothing where it has none.

    A last line that is not complete was being written when a run was stopped: it is cut off. Raises
    ReportError where the line before it is no report.
    """
    with errors_named(path, cannot_be="continued"), open(path, "r+b") as file:
        lines = deque(file, 2)
        torn = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        found = [_marker_of_line(f"{path}, last line", lines[-1])] if lines else []
        if not torn.startswith(_BEGINNING[: len(torn)]):
            raise ReportError(f"{path}: its end is no report of snapdiff; name another file")
        if torn:
            file.truncate(file.tell() - len(torn))
        return found


def _marker_of_line(place: str, line: bytes) -> Marker:
    try:
        report = _REPORT.decode(line)
    except msgspec.DecodeError as error:
        reason = f"is no report with schema_version {SCHEMA_VERSION} ({error})"
        raise ReportError(f"{place}: {reason}; write all of it into another file") from error
    old, new = (side.commit or side.source for side in (report.old, report.new))
    return Marker(place, old, new, options_text(filter_options(report.filters)))
