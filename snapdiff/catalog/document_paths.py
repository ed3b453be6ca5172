"""Where the documents of packages, stacks and tags are, as far as their paths say it."""

from collections.abc import Iterable, Sequence

from snapdiff.catalog.loading import Catalog
from snapdiff.sources.source import printable_path


class DocumentPaths:
    """The documents of one side by what they list; none of them is read."""

    def __init__(self, catalog: Catalog) -> None:
        """List the documents of a catalog."""
        source, documents = catalog.source, catalog.documents()
        self._exact: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, str] = {}
        self._by_tag: dict[str, str] = {}
        self.first: str | None = None
        for entry in source.entries():
            if documents.is_document(entry.path):
                path = source.location(entry)
                claim = documents.claim_of_path(printable_path(entry.path), source.prefix)
                self._exact.setdefault((claim.tag, claim.name), path)
                self._by_name.setdefault(claim.name, path)
                folder = entry._replace(path=documents.tag_folder(entry.path))
                self._by_tag.setdefault(claim.tag, source.location(folder))
                self.first = self.first or path

    def of(self, tag: str, names: Iterable[str]) -> str | None:
        """Return the document of the first of some packages or stacks that a tag has."""
        return next((path for name in names if (path := self._exact.get((tag, name)))), None)

    def named(self, names: Iterable[str]) -> str | None:
        """Return the document of the first of some packages or stacks, whatever its tag is."""
        return next((path for name in names if (path := self._by_name.get(name))), None)

    def of_tag(self, tag: str) -> str | None:
        """Return the folder of a tag."""
        return self._by_tag.get(tag)


def document_path(sides: Sequence[DocumentPaths], tag: str, names: Sequence[str]) -> str | None:
    """Return the document in which packages or stacks of a tag are, or the nearest there is.

    The first side that has it counts: a package that is removed has a document on the old side. A
    tag that is compared with one of another name is not found; then any tag's document will do, as
    each side has one tag alone. A stack of pages has none of its own, and is in the folder of its
    tag. Data of a whole site is one document for all. None where there is no document at all.
    """
    found = (
        *(side.of(tag, names) for side in sides),
        *(side.named(names) for side in sides),
        *(side.of_tag(tag) for side in sides),
        *(side.first for side in sides),
    )
    return next((path for path in found if path is not None), None)
