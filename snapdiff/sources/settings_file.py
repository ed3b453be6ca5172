"""The configuration file of a catalog, as bytes: where a source has it, and its beginning."""

import errno
import os
import stat

from snapdiff.errors import FormatError, RevisionError
from snapdiff.limits import SETTINGS_SIZE
from snapdiff.sources.base import (
    IS_A_LINK,
    NOT_A_FILE,
    SETTINGS_FILE,
    Content,
    printable_path,
)

MOST_BYTES = SETTINGS_SIZE + 1
"""How much is read of it: one byte more than it may have shows that it has too many."""


def folders_upwards(folder: str) -> list[str]:
    """Return a folder of a repository and those above it, the nearest first.

    >>> folders_upwards("a/b")
    ['a/b', 'a', '']
    """
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]


def path_in(folder: str) -> str:
    """Return the path of the file in a folder of a repository."""
    return f"{folder}/{SETTINGS_FILE}" if folder else SETTINGS_FILE


def read_named(path: str) -> bytes:
    """Return the content of a file that the user named himself, whatever it is.

    Raises RevisionError where it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise RevisionError(f"{printable_path(path)}: cannot be read: {reason}") from error


def read_in_directory(directory: str | os.PathLike[str]) -> Content | None:
    """Return the content of the file in a directory, or None where there is none.

    A symbolic link is not followed: it could lead out of the catalog.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(os.path.join(directory, SETTINGS_FILE), flags), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(MOST_BYTES) if is_file else FormatError(NOT_A_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        is_link = error.errno == errno.ELOOP
        return FormatError(IS_A_LINK if is_link else f"cannot be read: {error.strerror}")
