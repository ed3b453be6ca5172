"""Everything that can go wrong, with the place it went wrong."""

from collections.abc import Sequence
from typing import Literal

Side = Literal["old", "new"]

SPELLED_OUT = 20
"""How many bad pages an error names one by one (specification, section 8)."""


class SnapdiffError(Exception):
    """Something a caller can act on: the message names the place, the fault and the way out."""

    def lines(self) -> list[str]:
        """Return the message as the lines to show, one a fault."""
        return [str(self)]


class RevisionError(SnapdiffError):
    """A revision or directory that cannot be found, read or told from another."""


class FilterError(SnapdiffError):
    """A filter with a slip in it: `option` is `tag`, `stack`, `package`, `kind` or `because`."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(option, message)  # both, as an error in another process is sent as these
        self.option = option

    def __str__(self) -> str:
        return str(self.args[1])


class ReportError(SnapdiffError):
    """A report that cannot be rendered or written."""


class FormatError(SnapdiffError):
    """Text that is not what its format says; raised by a format, which knows no path."""


class NoSuchFile(FormatError):
    """A file that a document names, or may have beside it, and that is not there."""


class PostError(SnapdiffError):
    """A comment that cannot be posted."""


class RefusedError(PostError):
    """The host knows the token, and the token may not do this: it only reads, say."""


class NotFoundError(PostError):
    """The host has no such request or comment, or does not show it to this token."""


class TryLaterError(PostError):
    """The host is busy or failed; `seconds` is how long it asks to wait, if it does."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class BadPage(SnapdiffError):
    """One page that cannot be read: `path` within its revision, `side` old or new, and why.

    `source` names the revision where there are no two sides.
    """

    def __init__(self, path: str, side: Side, reason: str, source: str = "") -> None:
        self.place = place_in(source, path) if source else f" ({side})"
        super().__init__(f"{path}{self.place}: {reason}")
        self.path = path
        self.side = side
        self.reason = reason
        self.source = source


def place_in(source: str, path: str) -> str:
    """Return the words for where a document is; none where it was named itself."""
    return f" in {source}" if source != path else ""


class BadPagesError(SnapdiffError):
    """All pages that cannot be read; no report is made of a catalog that has any."""

    def __init__(self, pages: Sequence[BadPage]) -> None:
        super().__init__(f"{len(pages)} page{'s' if len(pages) != 1 else ''} cannot be read")
        self.pages = tuple(pages)

    def lines(self) -> list[str]:
        """Return a line for each of the first twenty pages, then the count and the way out.

        What is wrong with a page in the same way on both sides is one fault.
        """
        places: dict[tuple[str, str], list[str]] = {}
        for page in self.pages:
            places.setdefault((page.path, page.reason), []).append(page.place)
        faults = [
            f"{path}{' and'.join(where)}: {reason}" for (path, reason), where in places.items()
        ]
        way_out = "correct it, or leave it out with --skip-bad-pages"
        if len(faults) == 1:
            return [f"{faults[0]}; {way_out}"]
        shown = faults[:SPELLED_OUT]
        are_pages = all(page.path.endswith(".md") for page in self.pages)
        count = f"{len(faults)} bad {'pages' if are_pages else 'documents'}"
        if len(shown) < len(faults):
            count += f", the first {len(shown)} of them named here"
        way_out = "correct them, or leave them out with --skip-bad-pages"
        return [*shown, f"{count}; {way_out}"]
