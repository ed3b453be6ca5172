"""Tags, stacks and packages by name: filters with a slip in them, and where documents are."""

from collections.abc import Callable, Iterable, Sequence

from snapdiff.catalog.loading import Catalog
from snapdiff.errors import SnapdiffError
from snapdiff.filters import renamed_since, require_mapped_stacks, require_matches, unmatched
from snapdiff.formats.document import Document
from snapdiff.result import Filters


class KnownNames:
    """The tags, stacks and packages of catalogs, looked for no longer than it takes."""

    def __init__(self) -> None:
        """Begin with no name."""
        self.names: dict[str, set[str]] = {"tag": set(), "stack": set(), "package": set()}

    def look_into(self, catalog: Catalog, is_enough: Callable[[], bool]) -> None:
        """Add the names of a catalog until there are enough: from paths, then from documents."""
        documents = catalog.documents()
        for _, claim in catalog.claims(documents):
            self.names["tag"].add(claim.tag)
            self.names[claim.what].add(claim.name)
        if is_enough():
            return
        for found in catalog.read(catalog.entries(documents), documents):
            if isinstance(found, Document):
                for counts in found.counts:
                    self.names["tag"].add(counts.tag)
                    self.names["package"].add(counts.name)
                    self.names["stack"].update(*counts.by_stacks)
            if is_enough():
                return


def check_filters(filters: Filters, catalogs: Iterable[Catalog]) -> None:
    """Raise SnapdiffError where a glob matches nothing in any of the catalogs.

    Nothing is read where there is no glob, and else no more than it takes to find a match.
    """
    if not any((filters.tag, filters.stack, filters.package)):
        return
    known = KnownNames()

    def is_enough() -> bool:
        # A stack that is compared under another name is called by that one.
        known.names["stack"].difference_update(dict(filters.stack_names))
        return not any(unmatched(filters, known.names))

    for catalog in catalogs:
        known.look_into(catalog, is_enough)
        if is_enough():
            return
    require_matches(filters, known.names)


def check_explicit(filters: Filters, catalogs: Iterable[Catalog]) -> None:
    """Raise SnapdiffError where only explicit specs are wanted, and no document says which are.

    Nothing but the paths of documents is looked at.
    """
    if not filters.explicit:
        return
    is_empty = True
    for catalog in catalogs:
        documents = catalog.documents()
        for entry in catalog.source.entries():
            if documents.says_explicit(entry.path):
                return
            is_empty = is_empty and not documents.is_read(entry.path)
    if not is_empty:
        raise SnapdiffError(
            "--explicit: nothing here tells roots from dependencies; environment "
            "locks and install databases do"
        )


def check_mapped_stacks(filters: Filters, old: Catalog, new: Catalog) -> None:
    """Raise SnapdiffError where a stack that is compared under another name is not as it should be.

    All documents are read for it, and only where a stack is.
    """
    if filters.stack_names:
        require_mapped_stacks(filters, _stacks(old), _stacks(new))


def renamed_stacks_of(
    names: tuple[tuple[str, str], ...], old: Catalog, new: Catalog
) -> tuple[tuple[str, str], ...]:
    """Return those pairs of an old and a new name that a stack has on these sides.

    All documents are read for it, and only where there is a pair.
    """
    return renamed_since(names, _stacks(old), _stacks(new)) if names else ()


def _stacks(catalog: Catalog) -> set[str]:
    known = KnownNames()
    known.look_into(catalog, lambda: False)
    return known.names["stack"]


class DocumentPaths:
    """The documents of one side by what they list; none of them is read."""

    def __init__(self, catalog: Catalog) -> None:
        """List the documents of a catalog."""
        source, documents = catalog.source, catalog.documents()
        self._exact: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, str] = {}
        self._by_tag: dict[str, str] = {}
        self.first: str | None = None
        for entry, claim in catalog.claims(documents):
            path = source.location(entry)
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
