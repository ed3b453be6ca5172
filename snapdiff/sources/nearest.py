"""What a slip in a name may have meant: the nearest of the names that there are."""

import contextlib
import os
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

_MOST = 2_000
"""So many names are looked at: in a folder of a million files a slip is answered at once, too."""


def nearest_name(word: str, names: Iterable[str], at_least: float = 0.6) -> str:
    """Return the only name that a word begins, or else the one most like it; empty for none.

    `at_least` is how much of both has to agree, from 0 to 1.

    >>> nearest_name("061", ["060-a.lock", "061-b.lock"]), nearest_name("r66", ["r066", "main"])
    ('061-b.lock', 'r066')
    """
    from difflib import get_close_matches  # late: only a slip needs it

    known = list(islice(names, _MOST))
    begun = [name for name in known if name.startswith(word)] if len(word) > 2 else []
    near = begun if len(begun) == 1 else get_close_matches(word, known, 1, at_least)
    return "".join(near)


def nearest_path(path: str, names_in: Callable[[str], Iterable[str]]) -> str:
    """Return the path that is there and most like one that is not; empty for none.

    `names_in` returns the names in a folder by its path, which is empty at the top.
    """
    found = ""
    for word in path.strip("/").split("/"):
        names = list(names_in(found))
        is_there = word in names or word in (".", "..")
        name = word if is_there else nearest_name(word, names)
        if not name:
            return ""
        found = f"{found}/{name}" if found else name
    return found


def nearest_on_disk(directory: Path, name: str) -> str:
    """Return the file or folder that is there and most like one that is not; empty for none."""
    root = "/" if name.startswith("/") else ""
    with contextlib.suppress(OSError):  # a folder that may not be read has no names to offer
        near = nearest_path(name, lambda folder: os.listdir(directory / f"{root}{folder}"))
        return near and f"{root}{near}"
    return ""
