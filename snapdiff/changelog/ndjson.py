"""Sections as JSON: one list, or a line each that is written when it is ready."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from snapdiff.changelog.kept_file import Marker, filter_options
from snapdiff.changelog.sections import Section
from snapdiff.errors import ReportError
from snapdiff.output.whole_file import hold, made_meanwhile
from snapdiff.reports import render_pieces
from snapdiff.result import CatalogDiff
from snapdiff.result.changes import SCHEMA_VERSION
from snapdiff.safe_text import visible

_BLOCK = 1 << 16
_BEGINNING = b'{"schema_version":'
_REPORT = msgspec.json.Decoder(CatalogDiff)


class _Versioned(msgspec.Struct):
    """What every report says of itself, in any version."""

    schema_version: int
    snapdiff: str


_VERSION = msgspec.json.Decoder(_Versioned)


def json_list(sections: Iterable[Section]) -> Iterator[str]:
    """Yield the reports of all sections as one JSON list, oldest first, each on its line."""
    separator = "[\n"
    for section in sections:
        yield separator
        separator = ",\n"
        yield json_line(section).removesuffix("\n")
    yield "[]\n" if separator == "[\n" else "\n]\n"


def json_line(section: Section) -> str:
    """Return a section's report on one line, as `snapdiff -f json` has it."""
    return "".join(render_pieces(section.diff, "json"))


def lines_as_ready(sections: Iterable[Section]) -> Iterator[str]:
    """Yield a line a section; what was yielded before is on its way when the next is computed."""
    for section in sections:
        yield json_line(section)
        sys.stdout.buffer.flush()


def append_lines(path: Path, sections: Iterable[Section], *, is_new: bool) -> None:
    """Add a line a section to a file, each as soon as it is ready; raises ReportError."""
    try:
        with open(path, "x" if is_new else "a", encoding="utf-8", newline="") as file:
            if is_new:
                hold(path, file.fileno())
            for section in sections:
                file.write(json_line(section))
                file.flush()
    except FileExistsError as error:
        raise made_meanwhile(path) from error
    except OSError as error:
        raise ReportError(f"{path}: cannot be written: {error.strerror}") from error


def last_report(path: Path) -> Marker | None:
    """Return ends and filters of the last section in a file of lines, or None where it has none.

    A last line that is not complete was being written when a run was stopped: it is cut off. Raises
    ReportError where the line before it is no report.
    """
    try:
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            end = _line_break_before(file, size) + 1
            start = _line_break_before(file, end - 1) + 1
            file.seek(start)
            line, torn = file.read(end - start), file.read(len(_BEGINNING))
            found = _marker(path, line) if line else None
            if not torn.startswith(_BEGINNING[: len(torn)]):
                raise ReportError(f"{path}: its end is no report of snapdiff; name another file")
            if end < size:
                file.truncate(end)
            return found
    except OSError as error:
        raise ReportError(f"{path}: cannot be continued: {error.strerror}") from error


def _line_break_before(file: IO[bytes], position: int) -> int:
    """Return where the last line break before a position is, or -1."""
    while position > 0:
        start = max(0, position - _BLOCK)
        file.seek(start)
        found = file.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found
        position = start
    return -1


def _marker(path: Path, line: bytes) -> Marker:
    place = f"{path}, last line"
    try:
        report = _REPORT.decode(line)
    except msgspec.DecodeError as error:
        raise _unlike(place, line, error) from error
    old, new = report.old, report.new
    options = filter_options(report.filters)
    return Marker(place, old.commit or old.source, new.commit or new.source, options)


def _unlike(place: str, line: bytes, reason: msgspec.DecodeError) -> ReportError:
    """Return what is wrong with a line: it is no report, or one of another `schema_version`."""
    try:
        found = _VERSION.decode(line)
    except msgspec.DecodeError:
        return ReportError(f"{place}: is no report of snapdiff ({reason}); name another file")
    if found.schema_version == SCHEMA_VERSION:
        return ReportError(f"{place}: is a damaged report ({reason}); name another file")
    is_older = found.schema_version < SCHEMA_VERSION
    age, way_out = (
        ("an older", "write all of it again into another file")
        if is_older
        else ("a newer", "update snapdiff")
    )
    return ReportError(
        f"{place}: is a report of {age} snapdiff, {visible(found.snapdiff)}, with schema_version "
        f"{found.schema_version} instead of {SCHEMA_VERSION}, and one file holds one version; "
        f"{way_out}"
    )
