"""How revisions, paths and ranges are written: what a name says before anything is looked up."""

import re

from snapdiff.buildcache_layout import VIEW, view_path

REVISION_AND_PATH = re.compile(r"^((?:[^{}:]|\{[^}]*\})+):(.*)$", re.DOTALL)
"""What `REV:PATH` is made of; a colon in braces, as in `HEAD@{12:00}`, belongs to the revision."""

AS_A_REVISION = "~0"
"""What a name ends in that is a revision and nothing else, whatever files there are."""

_DOTS = re.compile(r"\.{2,}")

_FILE_ENDINGS = (".lock", ".json", ".gz", ".sig", ".yaml", ".md")


def ends_of_range(argument: str) -> tuple[str, str, str] | None:
    """Return the old end of a range, its dots and the new end, or None where it is no range.

    Two dots that are a part of a path, as in `../folder` or `HEAD:../folder`, or within braces make
    no range.

    >>> ends_of_range("A...B"), ends_of_range("A..../B"), ends_of_range("HEAD:../folder")
    (('A', '...', 'B'), ('A', '....', '/B'), None)
    """
    for dots in _DOTS.finditer(argument):
        old, new = argument[: dots.start()], argument[dots.end() :]
        is_in_path = old[-1:] in ("", "/", ":") and new[:1] in ("", "/") and dots[0] == ".."
        if not is_in_path and old.count("{") <= old.count("}"):
            return old, dots[0], new
    return None


def mirror_and_view(name: str) -> tuple[str, str, str]:
    """Return the mirror, the manifest and the view's own name, should a name mean a view.

    >>> mirror_and_view("HEAD:m/gpu")
    ('HEAD:m', 'HEAD:m/v3/manifests/index/gpu/index.manifest.json', 'gpu')
    """
    parts = REVISION_AND_PATH.match(name)
    revision, path = (f"{parts[1]}:", parts[2]) if parts else ("", name)
    manifest = VIEW.fullmatch(path)
    if manifest:
        above, view = manifest.groups()
    else:
        head, slash, view = path.rstrip("/").rpartition("/")
        above = head + slash
    mirror = revision + (above.rstrip("/") or above)
    return mirror.removesuffix(":") or ".", f"{revision}{above}{view_path(view)}", view


def is_plainly_a_path(name: str) -> bool:
    """Return whether no revision can be spelled like this."""
    ends_like_one = name.endswith("/") and ":" not in name  # HEAD:folder/ is a folder in HEAD
    return name.startswith(("/", "./", "../")) or ends_like_one or name in (".", "..")


def is_plainly_a_revision(name: str) -> bool:
    """Return whether a name says that it is a revision, even where there is a file called so."""
    parts = REVISION_AND_PATH.match(name)
    return (parts[1] if parts else name).endswith(AS_A_REVISION) and not is_plainly_a_path(name)


def is_called_like_a_file(name: str) -> bool:
    """Return whether a name ends as those of documents do."""
    return name.endswith(_FILE_ENDINGS) and ":" not in name
