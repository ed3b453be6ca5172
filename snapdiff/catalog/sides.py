"""What is known of the sides of a comparison: which documents list what, and what both have."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain, groupby
from operator import attrgetter

from msgspec.structs import replace

from snapdiff.catalog.reading import Reading
from snapdiff.catalog.renamed_stacks import StackNames, rename_graphs, rename_package
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.formats.kinds import Documents
from snapdiff.model.packages import Counted, Package, PackageCounts, SpecCounts
from snapdiff.model.specs import Graph


class Listed:
    """Which documents list what, tag by tag."""

    def __init__(self) -> None:
        self.paths: dict[str | None, dict[Claim, list[str]]] = {}
        """The documents of each tag that list a package or a stack of it."""
        self.documents: dict[str, Document] = {}
        """Those that list whole stacks, if not all of them, by their paths."""

    def add_claims(self, path: str, claims: Iterable[Claim]) -> None:
        """Note what a document lists."""
        for claim in claims:
            self.paths.setdefault(claim.tag, {}).setdefault(claim, []).append(path)

    def packages_on(self, pages: AbstractSet[str]) -> set[Claim]:
        """Return what some pages list, whatever their tags."""
        claims = chain.from_iterable(listed.items() for listed in self.paths.values())
        return {
            claim
            for claim, paths in claims
            if claim.what == "package" and not pages.isdisjoint(paths)
        }

    def listings(self, tag: str | None) -> Iterator[tuple[str, Document]]:
        """Yield each stack of a tag that a document lists whole, with that document."""
        for claim, paths in self.paths.get(tag, {}).items():
            if claim.what == "stack":
                yield from ((claim.name, self.documents[path]) for path in paths)


def repeated_claims(listed: Sequence[Listed], tag: str | None) -> dict[Claim, list[str]]:
    """Return what more than one document of a tag lists, with the paths of these."""
    every: dict[Claim, list[str]] = defaultdict(list)
    for documents in listed:
        for claim, paths in documents.paths.get(tag, {}).items():
            every[claim] += paths
    repeated = sorted(claim for claim, paths in every.items() if len(paths) > 1)
    return {claim: sorted(every[claim]) for claim in repeated}


def count_hashes(
    tag: str | None,
    listed: Sequence[Listed],
    is_counted: Callable[[Counted], bool],
    read_pages: Callable[[Sequence[str]], Iterable[Reading]],
) -> int | None:
    """Return how many hashes a tag has, or None where no two documents can list the same one.

    Each page of a tag lists a package of its own: where there are pages alone, the numbers that
    they list add up. Beside an index or a lock each hash is looked at, and pages are read again for
    theirs. `is_counted` says which specs are asked for and not left out.
    """
    documents = {document for some in listed for _, document in some.listings(tag)}
    if not documents:
        return None
    every = chain.from_iterable(some.paths.get(tag, {}).items() for some in listed)
    pages = [path for claim, paths in every if claim.what == "package" for path in paths]
    if len(documents) + len(pages) < 2:
        return None
    is_counted = cache(is_counted)
    hashes: set[str] = set()
    for document in chain(documents, read_pages(pages) if pages else ()):
        if isinstance(document, Document):
            found = document.listed_hashes.items()
            hashes.update(key for key, it in found if tag in it.tags and is_counted(it))
    return len(hashes)


# --- What both sides have ---


class CountedFiles(Listed):
    """Counts of some files, in a scope, kept up to date as files are put in and taken out."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope
        self._packages: dict[str | None, dict[str, list[PackageCounts]]] = {}
        self._counts: dict[str | None, SpecCounts] = {}
        self.bad: dict[str, BadPage] = {}
        """Those that cannot be read, by their paths."""

    def put(self, path: str, found: Reading) -> None:
        """Count a file; a bad page is kept by its path, and other files are not counted."""
        if isinstance(found, BadPage):
            self.bad[path] = found
        elif found is not None:
            self.documents[path] = found.without_specs()
            self.add_claims(path, found.claims)
            for tag, packages in groupby(found.counts, attrgetter("tag")):
                some = self._packages.setdefault(tag, {})[path] = list(packages)
                self._add(self._counts.setdefault(tag, SpecCounts()), some)

    def take(self, path: str) -> None:
        """Count a file no longer."""
        self.bad.pop(path, None)
        document = self.documents.pop(path, None)
        for claim in document.claims if document else ():
            listed, packages = self.paths[claim.tag], self._packages.get(claim.tag, {})
            listed[claim].remove(path)
            if not listed[claim]:
                del listed[claim]
            self._add(self._counts.get(claim.tag, SpecCounts()), packages.pop(path, ()), -1)

    def _add(self, counts: SpecCounts, packages: Iterable[PackageCounts], times: int = 1) -> None:
        for package in packages:
            add_package(counts, package, self._scope, times)

    def counts(self, tag: str | None, left_out: AbstractSet[Claim]) -> SpecCounts:
        """Return the counts of a tag, less those of documents of what is left out."""
        total = SpecCounts()
        total.merge(self._counts.get(tag, SpecCounts()))
        listed = self.paths.get(tag, {})
        for path in {path for claim in listed.keys() & left_out for path in listed[claim]}:
            self._add(total, self._packages.get(tag, {}).get(path, ()), -1)
        return total

    def packages(self, tag: str | None) -> Iterator[PackageCounts]:
        """Yield the packages of a tag."""
        return chain.from_iterable(self._packages.get(tag, {}).values())


def add_package(counts: SpecCounts, package: PackageCounts, scope: Scope, times: int = 1) -> None:
    """Count a package, as far as it is asked for; `times` is -1 to take it out again."""
    found: set[str] = set()
    for listed, number in package.by_stacks.items() if scope.has_package(package.name) else ():
        stacks = scope.stacks(listed)
        for stack in stacks:
            counts.specs_in[stack] += times * number
        counts.specs += times * number if stacks else 0
        found |= stacks
    for stack in found:
        counts.packages_in[stack] += times
    if found:
        counts.packages[package.name] += times


# --- One side ---


class CatalogSide(Listed):
    """What is known of one side while files are compared.

    `prefix` are the folders above its files, as far as known, `names` the new names of its stacks.
    """

    def __init__(self, prefix: str, names: StackNames) -> None:
        super().__init__()
        self._prefix = prefix
        self._names = names
        self.bad: set[Claim] = set()
        self._unread: dict[str, Claim] = {}
        """What those documents list that cannot be read, as far as their paths say."""
        self.waiting: dict[str | None, dict[str, list[Package]]] = {}
        """The packages of each tag by name that are paired once all tags are known."""
        self.graphs: dict[str | None, dict[str | None, Graph]] = defaultdict(dict)
        """The dependencies of each tag's documents in which something differs."""

    def add(self, path: str, document: Document) -> None:
        """Note what a document lists and where."""
        claims = self.compared_claims(document.claims)
        self.add_claims(path, claims)
        if any(claim.what == "stack" for claim in claims):
            self.documents[path] = document

    def add_bad(self, path: str, documents: Documents) -> Claim:
        """Note a document that cannot be read; return what its path says that it lists."""
        [claim] = self.compared_claims([documents.claim(path, self._prefix)])
        self.bad.add(claim)
        self._unread[path] = claim
        return claim

    def tags(
        self, unchanged: Mapping[str | None, Iterable[Listed]], documents: Documents
    ) -> AbstractSet[str | None]:
        """Return all tags, those too of which no document can be read.

        `unchanged` are documents of each tag that are the same on the other side. What cannot be
        read is of the tag that its folder is named after, or that others in its folder are of.
        """
        found = self.paths.keys() | unchanged.keys()
        if not self._unread:
            return found
        folders = {
            documents.tag_folder(path)
            for some in (self, *chain.from_iterable(unchanged.values()))
            for listed in some.paths.values()
            for path in chain.from_iterable(listed.values())
        }
        tags = {*found}
        for path, claim in self._unread.items():
            folder = documents.tag_folder(path)
            if folder not in folders and found.isdisjoint(folder.split("/")):
                tags.add(claim.tag)
        return tags

    def compared_claims(self, claims: Iterable[Claim]) -> Collection[Claim]:
        """Return what a document lists, its stacks under the names they are compared under."""
        return dict.fromkeys(
            it._replace(name=self._names.get(it.name, it.name)) if it.what == "stack" else it
            for it in claims
        ).keys()

    def wait(self, path: str, document: Document) -> None:
        """Keep the packages of a document until all tags are known, and its dependencies."""
        self.keep_graphs(document)
        for found in document.packages:
            package = replace(rename_package(found, self._names), document=path)
            by_name = self.waiting.setdefault(package.tag, {})
            by_name.setdefault(package.name, []).append(package)

    def keep_graphs(self, document: Document) -> None:
        """Keep the dependencies of a document for when its tags are complete."""
        for claim in document.claims:
            self.graphs[claim.tag].update(rename_graphs(document.graphs, self._names))

    def claims(self) -> list[Claim]:
        """Return what all documents list, and what those do that are bad."""
        return [*self.bad, *chain.from_iterable(self.paths.values())]

    def bad_tags(self) -> set[str]:
        """Return every tag that has a bad document, as far as its path says."""
        return {claim.tag for claim in self.bad}
