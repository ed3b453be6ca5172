"""The comment above each section of a kept file: the ends of the section, and how it was made.

A reader does not see it, and the next run finds it: `<!-- snapdiff: 1f3a..9c2e by=week -->`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

from snapdiff.errors import ReportError
from snapdiff.model import Revision
from snapdiff.result import Filters

MARKER = re.compile(
    rb"^<!-- snapdiff: (\S+?)\.\.(\S+)((?: [a-z-]+=\S*)*) -->[ \t]*\r?$", re.MULTILINE
)

ShapingOptions = Mapping[str, tuple[str, ...]]
"""The options that decide what is in a section, each with its values; those not given are out."""

GIVEN = ("yes",)
"""The value of an option that takes none."""


class Marker(NamedTuple):
    """The marker of a section: where it is, the commits or snapshots at its ends, its options."""

    place: str
    old: str
    new: str
    options: ShapingOptions

    def require(self, options: ShapingOptions) -> None:
        """Raise ReportError where the section was made with other options; it names them."""
        differing = [
            _spelled(name, self.options.get(name, ()))
            for name in sorted({*self.options, *options})
            if set(self.options.get(name, ())) != set(options.get(name, ()))
        ]
        if differing:
            raise ReportError(
                f"{self.place}: was written {' and '.join(differing)}; "
                "run with the same options, or name another file"
            )


def _spelled(name: str, values: tuple[str, ...]) -> str:
    if name == "path":
        return f"with -- {' '.join(values)}" if values else "without paths"
    if not values:
        return f"without --{name}"
    return f"with --{name}" if values == GIVEN else f"with --{name} {','.join(values)}"


def filter_options(filters: Filters) -> dict[str, tuple[str, ...]]:
    """Return the filters that are given, as options."""
    globs = {name: getattr(filters, name) for name in ("tag", "stack", "package", "kind")}
    given = {name: values for name, values in globs.items() if values}
    given |= {"path": filters.path} if filters.path else {}
    flags = {"explicit": filters.explicit, "no-renames": filters.no_renames}
    return given | {name: GIVEN for name, is_given in flags.items() if is_given}


def marker_line(old: Revision, new: Revision, options: ShapingOptions) -> str:
    """Return the marker of a section between two revisions: commits, or snapshots."""
    ends = "..".join(_quoted_end(side.commit or side.source) for side in (old, new))
    given = [
        f" {name}={','.join(map(_quoted, sorted(values)))}"
        for name, values in sorted(options.items())
    ]
    return f"<!-- snapdiff: {ends}{''.join(given)} -->"


def _quoted_end(name: str) -> str:
    """Return the name of a commit or snapshot without a blank, a `>` or two dots."""
    quoted = _quoted(name)
    is_ambiguous = ".." in quoted or quoted.startswith(".") or quoted.endswith(".")
    return quoted.replace(".", "%2E") if is_ambiguous else quoted


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogateescape")


def find_markers(content: bytes, file: str) -> Iterator[Marker]:
    """Yield the markers in a file's content, in the order of their lines."""
    for found in MARKER.finditer(content):
        line = content.count(b"\n", 0, found.start()) + 1
        old, new = _unquoted(found[1]), _unquoted(found[2])
        pairs = (item.partition(b"=") for item in found[3].split())
        options = {
            name.decode("ascii"): tuple(map(_unquoted, values.split(b",")))
            for name, _, values in pairs
        }
        yield Marker(f"{file}, line {line}", old, new, options)


def _unquoted(quoted: bytes) -> str:
    return unquote(quoted.decode("utf-8", "surrogateescape"), errors="surrogateescape")
