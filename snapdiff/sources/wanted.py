"""Which files a source lists: what formats say they read, within the paths that were asked for.

What a path after `--` means is in gitglossary(7), "pathspec" (docs/specification.md, section 2).
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from typing import NamedTuple, Protocol

from snapdiff.errors import RevisionError
from snapdiff.limits import Limits, SizeLimit

_SPECIAL = re.compile(r"[*?\[\\]")
_SPELLED = re.compile(r"\[([!^]?)(\]?[^\]]*)\]|\\(.)", re.DOTALL)


class _Path(NamedTuple):
    """One of the paths, as it was written, and the files that it means."""

    word: str
    is_left_out: bool
    files: re.Pattern[str]


class Paths:
    """What a comparison is narrowed to; without a path, nothing is left out."""

    def __init__(self, words: Sequence[str] = (), prefix: str = "") -> None:
        """Take the paths as they were written; they begin in the folder `prefix`.

        Raises RevisionError where one is outside, or is written in a way that is not taken.
        """
        self.words = tuple(words)
        found = [_parsed(word, prefix) for word in words]
        self._taken = [path for path in found if not path.is_left_out]
        self._left_out = [path for path in found if path.is_left_out]

    def has(self, path: str) -> bool:
        """Return whether a file is to be looked at."""
        is_taken = not self._taken or any(item.files.fullmatch(path) for item in self._taken)
        return is_taken and not any(item.files.fullmatch(path) for item in self._left_out)

    def unmatched(self, files: Iterable[str]) -> list[str]:
        """Return which of the paths have none of these files, as they were written."""
        left = list(self._taken)
        for file in files if left else ():
            left = [item for item in left if not item.files.fullmatch(file)]
            if not left:
                break
        return [item.word for item in left]


EVERYWHERE = Paths()


def _parsed(word: str, prefix: str) -> _Path:
    signs, rest = "", word
    if word.startswith(":"):
        signs = re.match(r"[/!^]*", word[1:])[0]  # type: ignore[index] # it matches nothing, too
        rest = word[1 + len(signs) :].removeprefix(":")
        if not signs or rest.startswith("("):
            raise RevisionError(
                f"{word}: is no path; folders, files and patterns are taken, :!PATH leaves one "
                "out, and :/PATH begins at the top"
            )
    if not rest and not signs:
        raise RevisionError("a path after -- cannot be empty; write . for the folder you are in")
    above = "" if "/" in signs else prefix
    path = posixpath.normpath(posixpath.join(above, rest)) if above or rest else "."
    if path == ".." or path.startswith(("../", "/")):
        raise RevisionError(f"{word}: leads out of what is compared")
    path = "" if path == "." else path
    forms = [f"{re.escape(path)}/.*" if path else ".*"]
    if not rest.endswith(("/", "/.", "/..")):
        forms.append(re.escape(path))
        if _SPECIAL.search(rest):  # `*` and `?` take a `/` too, the folder above is literal
            literal = above if path.startswith(above) else ""
            pattern = _SPELLED.sub(_as_fnmatch, path.removeprefix(literal))
            forms.append(re.escape(literal) + translate(pattern))
    return _Path(word, bool({"!", "^"} & set(signs)), re.compile("|".join(forms), re.DOTALL))


def _as_fnmatch(found: re.Match[str]) -> str:
    """Return a set of characters, or one after a backslash, in the words of `fnmatch`."""
    if found[3]:
        return f"[{found[3]}]" if found[3] in "*?[" else found[3]
    return f"[{'!' if found[1] else ''}{found[2]}]"


class Wanted(Protocol):
    """What is looked for. A path has `/` between its parts, as far as they are known."""

    names: str
    """The files that are read, in words, for an error that has to say so."""

    @property
    def inner_paths(self) -> Sequence[tuple[str, str]]:
        """Ends of paths that mean the folder around them, and what has to be in that."""

    def way_out(self, holds: Callable[[str], bool]) -> str:
        """Return what to do about a folder without a document; `holds` says what is in it."""

    def is_searched(self, folder: str) -> bool:
        """Return whether files are looked for in folders of this name."""

    def is_document(self, path: str) -> bool:
        """Return whether a file has to be readable, because it is called like a document."""

    def size_limit(self, path: str, limits: Limits) -> SizeLimit:
        """Return how large a file may be to be read."""

    def may_be_document(self, path: str) -> bool:
        """Return whether a file has to be looked at; every document is one of these."""
