"""The paths after `--`, which narrow a comparison: folders, files and patterns, as git takes them.

What each means is in gitglossary(7) under "pathspec" (docs/specification.md, section 2).
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snapdiff.errors import RevisionError

_SPECIAL = re.compile(r"[*?\[\\]")
_SET = re.compile(r"\[([!^]?)(\]?[^\]]*)\]")


class _Path(NamedTuple):
    """One of the paths: as it was written, from the top, and what it matches beside itself."""

    word: str
    path: str
    is_left_out: bool
    is_folder: bool
    pattern: re.Pattern[str] | None

    def has(self, path: str) -> bool:
        if path.startswith(f"{self.path}/") or not self.path:
            return True
        if self.pattern and self.pattern.fullmatch(path):
            return True
        return path == self.path and not self.is_folder


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
        is_taken = not self._taken or any(item.has(path) for item in self._taken)
        return is_taken and not any(item.has(path) for item in self._left_out)

    def unmatched(self, files: Iterable[str]) -> list[str]:
        """Return which of the paths have none of these files, as they were written."""
        left = list(self._taken)
        for file in files if left else ():
            left = [item for item in left if not item.has(file)]
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
    return _Path(
        word=word,
        path=path,
        is_left_out=bool({"!", "^"} & set(signs)),
        is_folder=rest.endswith("/"),
        pattern=_pattern(path, above) if _SPECIAL.search(rest) else None,
    )


def _pattern(path: str, above: str) -> re.Pattern[str]:
    """Return what a pattern matches: `*` and `?` take a `/` too, the folder above is literal."""
    found = re.escape(above) if path.startswith(above) else ""
    rest = path[len(above) :] if found or not above else path
    place = 0
    while place < len(rest):
        sign = rest[place]
        members = _SET.match(rest, place)
        if sign == "*":
            found += ".*"
        elif sign == "?":
            found += "."
        elif members:
            inner = members[2].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            inner = inner.replace("]", r"\]")
            found += f"[{'^' if members[1] else ''}{inner}]"
            place = members.end() - 1
        elif sign == "\\" and place + 1 < len(rest):
            place += 1
            found += re.escape(rest[place])
        else:
            found += re.escape(sign)
        place += 1
    try:
        return re.compile(found, re.DOTALL)
    except re.error:  # such as a range that goes backward, which matches nothing for git
        return re.compile(r"(?!)")
