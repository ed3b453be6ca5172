"""Tags, stacks and packages by name: filters with a slip in them, and where documents are."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from snapdiff.catalog.loading import Catalog
from snapdiff.errors import SnapdiffError
from snapdiff.filters import require_matches, unmatched
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


def check_filters(
    filters: Filters, catalogs: Sequence[Catalog], listed: Iterable[Catalog] = ()
) -> None:
    """Raise SnapdiffError where a filter can only be a slip.

    A glob that matches nothing in any of the catalogs is one; so are explicit specs where no
    document says which are. Nothing is read where there is no glob, and else no more than it takes
    to find a match; of those only `listed`, paths alone.
    """
    if filters.explicit:
        _check_explicit(catalogs)
    if not any((filters.tag, filters.stack, filters.package)):
        return
    known = KnownNames()

    def is_enough() -> bool:
        # A stack that is compared under another name is called by that one.
        known.names["stack"].difference_update(dict(filters.stack_names))
        return not any(unmatched(filters, known.names))

    for some, look_no_further in ((catalogs, is_enough), (listed, lambda: True)):
        for catalog in some:
            known.look_into(catalog, look_no_further)
            if is_enough():
                return
    require_matches(filters, known.names)


def _check_explicit(catalogs: Iterable[Catalog]) -> None:
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


def stacks_of(catalog: Catalog) -> set[str]:
    """Return the names of all stacks; all documents are read for it."""
    known = KnownNames()
    known.look_into(catalog, lambda: False)
    return known.names["stack"]


DocumentPaths = Mapping[tuple[str | None, str | None], str]
"""The documents of one side by tag, and by package or stack; None stands for any."""


def document_paths(catalog: Catalog) -> DocumentPaths:
    """Return where the documents and tags of a catalog are; no document is read."""
    source, documents = catalog.source, catalog.documents()
    found: dict[tuple[str | None, str | None], str] = {}
    for entry, claim in catalog.claims(documents):
        path = source.location(entry)
        folder = source.location(entry._replace(path=documents.tag_folder(entry.path)))
        for tag, name, place in (
            (claim.tag, claim.name, path),
            (None, claim.name, path),
            (claim.tag, None, folder),
            (None, None, path),
        ):
            found.setdefault((tag, name), place)
    return found


def document_path(sides: Sequence[DocumentPaths], tag: str, names: Sequence[str]) -> str | None:
    """Return the document in which packages or stacks of a tag are, or the nearest there is.

    The first side that has it counts: a package that is removed has a document on the old side. A
    tag that is compared with one of another name is not found; then any tag's document will do, as
    each side has one tag alone. A stack of pages has none of its own, and is in the folder of its
    tag. Data of a whole site is one document for all. None where there is no document at all.
    """
    named = [(tag, name) for name in names]
    of_any_tag = [(None, name) for name in names]
    for keys in (named, of_any_tag, [(tag, None)], [(None, None)]):
        for side in sides:
            for key in keys:
                if key in side:
                    return side[key]
    return None
