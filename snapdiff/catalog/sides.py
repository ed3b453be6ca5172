"""What is known of the sides of a comparison: what both have, counted, and what one lists."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain, groupby
from operator import attrgetter

from snapdiff.catalog.reading import Reading, StackNames, rename_graphs, rename_package
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Counted, Document
from snapdiff.formats.registry import Documents
from snapdiff.model import (
    EMPTY_PART,
    ROOT,
    Counts,
    Graph,
    Package,
    PackageCounts,
    PackagePair,
    StackDocuments,
    pair_like_stacks,
)


class CountedFiles:
    """Counts of some files, in a scope, kept up to date as files are put in and taken out."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._counts: dict[str, Counts] = {}
        self.documents: dict[str, Document] = {}
        """Those of the files that are documents, by their paths."""
        self.bad: dict[str, BadPage] = {}
        """Those that cannot be read."""
        self.paths: dict[Claim, list[str]] = {}
        """The documents that list a package or a stack."""

    def put(self, path: str, found: Reading) -> None:
        """Count a file; a bad page is kept by its path, and other files are not counted."""
        if isinstance(found, BadPage):
            self.bad[path] = found
        elif found is not None:
            self.documents[path] = found.without_specs()
            for claim in found.claims:
                self.paths.setdefault(claim, []).append(path)
            for package in found.counts:
                counts = self._counts.setdefault(package.tag, Counts())
                add_package(counts, package, self._scope)

    def take(self, path: str) -> None:
        """Count a file no longer."""
        self.bad.pop(path, None)
        document = self.documents.pop(path, None)
        if document is None:
            return
        for package in document.counts:
            add_package(self._counts[package.tag], package, self._scope, -1)
        for claim in document.claims:
            self.paths[claim].remove(path)
            if not self.paths[claim]:
                del self.paths[claim]

    def counts(self, tag: str) -> Counts:
        """Return the counts of a tag."""
        return self._counts.get(tag) or Counts()


def add_package(counts: Counts, package: PackageCounts, scope: Scope, times: int = 1) -> None:
    """Count a package, as far as it is asked for; `times` is -1 to take it out again."""
    by_stack: dict[str, int] = {}
    in_any = 0
    if scope.has_package(package.name):
        for listed, number in package.by_stacks.items():
            stacks = scope.stacks(listed)
            for stack in stacks:
                by_stack[stack] = by_stack.get(stack, 0) + number
            in_any += number if stacks else 0
    counts.add(package.name, by_stack, in_any, times)


class Unchanged:
    """What was counted on both sides of a comparison, tag by tag: there may be thousands."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.folders: list[CountedFiles] = []
        """Documents that are the same on both sides, folder by folder."""
        self._folders: dict[str, list[CountedFiles]] = defaultdict(list)
        self._listings: dict[str | None, list[tuple[Claim, Document]]] = defaultdict(list)
        self._pages: dict[str | None, list[str]] = defaultdict(list)
        self._packages: dict[str, list[tuple[tuple[Claim, ...], Sequence[PackageCounts]]]]
        self._packages = defaultdict(list)
        """What a document lists, and packages of which two versions of it have the same."""

    def add_folder(self, counted: CountedFiles) -> None:
        """Add documents that are the same on both sides."""
        self.folders.append(counted)
        for tag in {claim.tag for claim in counted.paths}:
            self._folders[tag].append(counted)
        for claim, paths in counted.paths.items():
            if claim.what == "stack":
                self._listings[claim.tag].extend((claim, counted.documents[it]) for it in paths)
            else:
                self._pages[claim.tag].extend(paths)

    @property
    def tags(self) -> AbstractSet[str]:
        """The tags of those documents."""
        return self._folders.keys()

    def add_packages(self, claims: tuple[Claim, ...], packages: Sequence[PackageCounts]) -> None:
        """Add packages, in the order of tags, of which two versions of a document have the same."""
        for tag, some in groupby(packages, attrgetter("tag")):
            self._packages[tag].append((claims, list(some)))

    def listings(self, tag: str | None) -> Sequence[tuple[Claim, Document]]:
        """Return the documents that list a whole stack of a tag, with that stack."""
        return self._listings.get(tag, ())

    def pages(self, tag: str | None) -> Sequence[str]:
        """Return the documents that list a package of a tag each."""
        return self._pages.get(tag, ())

    def stacks(self, tag: str) -> set[str]:
        """Return the stacks of a tag, whatever is asked for."""
        documents = chain.from_iterable(it.documents.values() for it in self._folders.get(tag, ()))
        counted = chain(
            (some for _, some in self._packages.get(tag, ())), (it.counts for it in documents)
        )
        packages = (package for some in counted for package in some if package.tag == tag)
        return set().union(*(stacks for package in packages for stacks in package.by_stacks))

    def repeated_claims(self) -> set[Claim]:
        """Return what more than one document of a folder lists."""
        listed = chain.from_iterable(counted.paths.items() for counted in self.folders)
        return {claim for claim, paths in listed if len(paths) > 1}

    def paths_of(self, claim: Claim) -> list[str]:
        """Return the documents that list a package or a stack."""
        folders = self._folders.get(claim.tag, ())
        return [path for counted in folders for path in counted.paths.get(claim, ())]

    def stacks_with(
        self, names: Collection[str], tag: str, left_out: set[Claim]
    ) -> dict[str, set[str]]:
        """Return by stack which of some packages of a tag were counted, less what is left out.

        A page that is the same on both sides is not looked at: it has all of its package.
        """
        found: dict[str, set[str]] = {}
        listings = ((it.claims, it.counts) for _, it in self.listings(tag) if len(it.claims) == 1)
        for claims, packages in chain(self._packages.get(tag, ()), listings):
            for package in () if left_out.intersection(claims) else packages:
                if package.name in names:
                    for stack in self._scope.stacks(frozenset().union(*package.by_stacks)):
                        found.setdefault(stack, set()).add(package.name)
        return found

    def counts(self, tag: str, left_out: set[Claim]) -> Counts:
        """Return the counts of a tag, less what is left out."""
        total = Counts()
        for counted in self._folders.get(tag, ()):
            total.merge(counted.counts(tag))
            paths = {
                path for claim in counted.paths.keys() & left_out for path in counted.paths[claim]
            }
            for package in chain.from_iterable(counted.documents[path].counts for path in paths):
                if package.tag == tag:
                    add_package(total, package, self._scope, -1)
        for claims, packages in self._packages.get(tag, ()):
            for package in () if left_out.intersection(claims) else packages:
                add_package(total, package, self._scope)
        return total


# --- One side ---


class CatalogSide:
    """What is known of one side while files are compared.

    `prefix` are the folders above its files, as far as known, `names` those under which stacks are
    compared that have others here.
    """

    def __init__(self, prefix: str, names: StackNames) -> None:
        self._prefix = prefix
        self._names = names
        self.paths: dict[Claim, list[str]] = {}
        self.bad: set[Claim] = set()
        self.waiting: dict[str | None, dict[str, list[Package]]] = {}
        """The packages of each tag by name that are paired once all tags are known."""
        self.graphs: dict[str | None, dict[str | None, Graph]] = defaultdict(dict)
        """The dependencies of each tag's documents in which something differs."""
        self._listings: dict[str | None, list[tuple[Claim, Document]]] = defaultdict(list)
        """The documents that list a whole stack of a tag, and in which something differs."""
        self._pages: dict[str | None, list[str]] = defaultdict(list)
        """Those that list a package."""
        self.has_documents = False
        self.document_of: dict[tuple[str | None, str, str | None], str] = {}
        """Where a package that waits is listed, by tag, name and stack, for an error."""

    def add(self, path: str, document: Document) -> None:
        """Note what a document lists and where."""
        self.has_documents = True
        for claim in self.compared_claims(document.claims):
            self.paths.setdefault(claim, []).append(path)
            if claim.what == "stack":
                self._listings[claim.tag].append((claim, document))
            else:
                self._pages[claim.tag].append(path)

    def add_bad(self, path: str, documents: Documents) -> Claim:
        """Note a document that cannot be read; return what its path says that it lists."""
        self.has_documents = True
        [claim] = self.compared_claims([documents.place(path, self._prefix).claim])
        self.bad.add(claim)
        return claim

    def compared_claims(self, claims: Iterable[Claim]) -> Iterable[Claim]:
        """Return what a document lists, its stacks under the names they are compared under."""
        return dict.fromkeys(
            claim._replace(name=self._names.get(claim.name, claim.name))
            if claim.what == "stack"
            else claim
            for claim in claims
        )

    def wait(self, path: str, document: Document) -> None:
        """Keep the packages of a document until all tags are known, and its dependencies."""
        self.keep_graphs(document)
        for found in document.packages:
            package = rename_package(found, self._names)
            by_name = self.waiting.setdefault(package.tag, {})
            by_name.setdefault(package.name, []).append(package)
            # Without a stack, too: what several documents list may be put together.
            for stack in (package.stack, None):
                self.document_of.setdefault((package.tag, package.name, stack), path)

    def keep_graphs(self, document: Document) -> None:
        """Keep the dependencies of a document for when its tags are complete."""
        for claim in document.claims:
            self.graphs[claim.tag].update(rename_graphs(document.graphs, self._names))

    def kinds(self, tag: str | None, unchanged: Unchanged) -> StackDocuments:
        """Return what kind of document lists each whole stack of a tag."""
        same = {claim.name: document.kind for claim, document in unchanged.listings(tag)}
        others = self._listings.get(tag, ())
        return same | {claim.name: document.kind for claim, document in others}

    def count_hashes(
        self,
        tag: str | None,
        unchanged: Unchanged,
        is_counted: Callable[[Counted], bool],
        read_pages: Callable[[Sequence[str]], Iterable[Reading]],
    ) -> int | None:
        """Return how many hashes a tag has, or None where no two documents can list the same one.

        Each page of a tag lists a package of its own: where there are pages alone, the numbers that
        they list add up. Beside an index or a lock each hash is looked at, and pages are read again
        for theirs. `is_counted` says which specs are asked for and not left out.
        """
        listings = chain(self._listings.get(tag, ()), unchanged.listings(tag))
        documents = dict.fromkeys(document for _, document in listings)
        pages = [*self._pages.get(tag, ()), *unchanged.pages(tag)]
        if not documents or len(documents) + len(pages) < 2:
            return None
        is_counted = cache(is_counted)
        hashes: set[str] = set()
        for document in chain(documents, read_pages(pages) if pages else ()):
            if isinstance(document, Document):
                listed = document.listed_hashes.items()
                hashes.update(key for key, it in listed if tag in it.tags and is_counted(it))
        return len(hashes)

    def tags(self) -> set[str]:
        """Return every tag that a document names."""
        return {claim.tag for claim in self.paths}

    def bad_tags(self) -> set[str]:
        """Return every tag that has a bad document, as far as its path says."""
        return {claim.tag for claim in self.bad}


# --- Which stacks of a tag were renamed ---

Packages = Mapping[str, Sequence[Package]]
"""The packages of a tag by name, as several documents list them."""

_DIGITS_AND_SEPARATORS = re.compile(r"[\d\W_]+")


def find_renamed(
    pairs: Sequence[PackagePair],
    waiting: tuple[Packages, Packages],
    elsewhere: Callable[[], set[str]],
    scope: Scope,
) -> dict[str, str]:
    """Return the new names of those stacks of a tag that were renamed (specification, section 2).

    `pairs` are the packages whose documents have one path on both sides, `waiting` those of all
    other documents. `elsewhere` returns the stacks of what does not differ or cannot be read.
    """
    if scope.filters.no_renames:
        return {}
    sides = [
        [
            *((pair.name, set((pair.new if is_new else pair.old).values())) for pair in pairs),
            *((it.name, set(it.specs.values())) for some in known.values() for it in some),
        ]
        for is_new, known in enumerate(waiting)
    ]
    old, new = (
        set().union(*{build.stacks for _, builds in side for build in builds}) for side in sides
    )
    gone, came = old - new, new - old
    if gone and came:  # there is a chance
        common = {stack for pair in pairs for key in pair.common for stack in key.stacks}
        both = elsewhere() | common | {ROOT, EMPTY_PART}
        gone, came = (
            {stack for stack in side - both if scope.has_stack(stack)} for side in (gone, came)
        )
    if not gone or not came:
        return {}

    def may_be_one(before: str, after: str) -> bool:
        if _DIGITS_AND_SEPARATORS.sub("", before) != _DIGITS_AND_SEPARATORS.sub("", after):
            return False
        families = {
            build.target_family
            for stack, side in zip((before, after), sides, strict=True)
            for _, builds in side
            for build in builds
            if stack in build.stacks
        }
        return len(families) == 1

    packages: list[dict[str, set[str]]] = []
    for side, stacks in zip(sides, (gone, came), strict=True):
        packages.append({stack: set() for stack in stacks})
        for name, builds in side:
            for stack in stacks.intersection(chain.from_iterable(it.stacks for it in builds)):
                packages[-1][stack].add(name)
    of_old, of_new = packages
    return {pair.old: pair.new for pair in pair_like_stacks(of_old, of_new, may_be_one)}
