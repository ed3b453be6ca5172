"""Where the documents of each tag are, as far as the documents that differ show it."""

from collections.abc import Iterable

from snapdiff.formats.registry import Documents
from snapdiff.model import Tags


class TagFolders:
    """The folders in which the documents of tags were found."""

    def __init__(self) -> None:
        """Begin with no tag."""
        self._folders: dict[str, set[str]] = {}

    def add(self, path: str, tag: str, documents: Documents) -> None:
        """Note a document of a tag.

        Its folder is the one above the package's, whatever it is called; where a folder above that
        has the tag's name (`develop/h/hdf5/specs.md`), it is that one: the tag's documents may be
        at any depth.
        """
        folder = documents.tag_folder(path)
        parts = folder.split("/")
        if tag in parts:
            folder = "/".join(parts[: parts.index(tag) + 1])
        self._folders.setdefault(tag, set()).add(folder)

    def of(self, tags: Iterable[str]) -> set[str]:
        """Return the folders of some tags."""
        return {folder for tag in tags for folder in self._folders.get(tag, ())}


def pair_tags(old: set[str], new: set[str]) -> list[Tags]:
    """Return every tag with the tag of the same name on the other side, None where it has none."""
    return [(tag if tag in old else None, tag if tag in new else None) for tag in sorted(old | new)]
