"""What is known of the sides of a comparison: what both have, counted, and what one lists."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from snapdiff.catalog.reading import Reading
from snapdiff.catalog.renamed_stacks import StackNames, rename_graphs, rename_package
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.formats.registry import Documents
from snapdiff.model import (
    Counts,
    DocumentKind,
    Graph,
    Package,
    PackageCounts,
    StackGraphs,
)

ListedHashes = tuple[Claim, Mapping[str, str]]
"""A stack that a document lists as a whole, and the package of each of its hashes."""


class CountedFile(NamedTuple):
    """What is kept of a document that is only counted."""

    kind: DocumentKind
    claims: tuple[Claim, ...]
    counts: Sequence[PackageCounts]
    warning: str | None
    hashes: Mapping[str, str]


class CountedFiles:
    """Counts of some files, kept up to date as files are put in and taken out."""

    def __init__(self, scope: Scope) -> None:
        """Begin with no file; `scope` says which stacks and packages count."""
        self._scope = scope
        self._counts: dict[str, Counts] = {}
        self.documents: dict[str, CountedFile] = {}
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
            self.documents[path] = CountedFile(
                found.kind, found.claims, found.counts, found.warning, found.listed_hashes
            )
            for claim in found.claims:
                self.paths.setdefault(claim, []).append(path)
            self._add(found.counts, 1)

    def take(self, path: str) -> None:
        """Count a file no longer."""
        self.bad.pop(path, None)
        document = self.documents.pop(path, None)
        if document is None:
            return
        self._add(document.counts, -1)
        for claim in document.claims:
            self.paths[claim].remove(path)
            if not self.paths[claim]:
                del self.paths[claim]

    def _add(self, packages: Sequence[PackageCounts], times: int) -> None:
        for package in packages:
            add_package(self._counts.setdefault(package.tag, Counts()), package, self._scope, times)

    def counts(self, tag: str) -> Counts:
        """Return the counts of a tag."""
        return self._counts.get(tag) or Counts()

    def packages(self, claims: Collection[Claim]) -> Iterator[PackageCounts]:
        """Yield the packages of the files that list any of some packages or stacks."""
        for path in {path for claim in claims for path in self.paths.get(claim, ())}:
            yield from self.documents[path].counts


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
    """What was counted on both sides of a comparison."""

    def __init__(self, scope: Scope) -> None:
        """Begin with nothing; `scope` says which stacks and packages count."""
        self._scope = scope
        self.folders: list[CountedFiles] = []
        """Documents that are the same on both sides, folder by folder."""
        self.packages: list[tuple[tuple[Claim, ...], PackageCounts]] = []
        """Packages of which two versions of a document have the same, and what that one lists."""

    def _documents(self) -> Iterator[CountedFile]:
        for counted in self.folders:
            yield from counted.documents.values()

    def stacks(self, tag: str) -> set[str]:
        """Return the stacks of a tag, whatever is asked for."""
        counted = (package for document in self._documents() for package in document.counts)
        packages = chain((package for _, package in self.packages), counted)
        return set().union(
            *(stack for one in packages if one.tag == tag for stack in one.by_stacks)
        )

    def tags(self) -> set[str]:
        """Return the tags of all documents."""
        return {claim.tag for counted in self.folders for claim in counted.paths}

    def repeated_claims(self) -> set[Claim]:
        """Return what more than one document of a folder lists."""
        return {
            claim
            for counted in self.folders
            for claim, paths in counted.paths.items()
            if len(paths) > 1
        }

    def paths_of(self, claim: Claim) -> list[str]:
        """Return the documents that list a package or a stack."""
        return [path for counted in self.folders for path in counted.paths.get(claim, ())]

    def hashes(self) -> list[ListedHashes]:
        """Return the hashes of the documents that list a whole stack."""
        return [(found.claims[0], found.hashes) for found in self._documents() if found.hashes]

    def kinds(self, tag: str | None) -> dict[str, DocumentKind]:
        """Return what kind of document lists each whole stack of a tag."""
        return {
            claim.name: document.kind
            for document in self._documents()
            for claim in document.claims
            if claim.tag == tag and claim.what == "stack"
        }

    def stacks_with(
        self, names: Collection[str], tag: str, left_out: set[Claim]
    ) -> dict[str, set[str]]:
        """Return by stack which of some packages of a tag were counted, less what is left out.

        A page that is the same on both sides is not looked at: it has all of its package.
        """
        found: dict[str, set[str]] = {}
        listings = (
            (document.claims, package)
            for document in self._documents()
            if document.hashes
            for package in document.counts
        )
        for claims, package in chain(self.packages, listings):
            if package.tag == tag and package.name in names and not left_out & set(claims):
                for stack in self._scope.stacks(frozenset().union(*package.by_stacks)):
                    found.setdefault(stack, set()).add(package.name)
        return found

    def counts(self, tag: str, left_out: Collection[Claim]) -> Counts:
        """Return the counts of a tag, less what is left out."""
        total = Counts()
        for counted in self.folders:
            total.merge(counted.counts(tag))
            for package in counted.packages(left_out):
                if package.tag == tag:
                    add_package(total, package, self._scope, -1)
        for claims, package in self.packages:
            if package.tag == tag and not set(claims).intersection(left_out):
                add_package(total, package, self._scope)
        return total


# --- One side ---


class CatalogSide:
    """What is known of one side while files are compared."""

    def __init__(self, prefix: str, names: StackNames) -> None:
        """Begin with nothing; `prefix` are the folders above its files, as far as known.

        `names` are those under which stacks are compared that have others here.
        """
        self._prefix = prefix
        self._names = names
        self.paths: dict[Claim, list[str]] = {}
        self.bad: set[Claim] = set()
        self.waiting: dict[str | None, dict[str, list[Package]]] = {}
        """The packages of each tag by name that are paired once all tags are known."""
        self.graphs: dict[str | None, dict[str | None, Graph]] = defaultdict(dict)
        """The dependencies of each tag's documents in which something differs."""
        self._listings: list[tuple[Claim, Document]] = []
        self.has_documents = False
        self._documents: dict[tuple[str, str, str | None], str] = {}

    def add(self, path: str, document: Document) -> None:
        """Note what a document lists and where."""
        self.has_documents = True
        for claim in self.compared_claims(document.claims):
            self.paths.setdefault(claim, []).append(path)
            if claim.what == "stack":
                self._listings.append((claim, document))

    def add_bad(self, path: str, documents: Documents) -> Claim:
        """Note a document that cannot be read; return what its path says that it lists."""
        self.has_documents = True
        [claim] = self.compared_claims([documents.claim_of_path(path, self._prefix)])
        self.bad.add(claim)
        return claim

    def compared_claims(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return what a document lists, its stacks under the names they are compared under."""
        renamed = (
            claim._replace(name=self._names.get(claim.name, claim.name))
            if claim.what == "stack"
            else claim
            for claim in claims
        )
        return list(dict.fromkeys(renamed))

    def wait(self, path: str, reading: Reading) -> None:
        """Keep the packages of a document until all tags are known, and its dependencies."""
        if isinstance(reading, Document):
            self.keep_graphs(reading.claims, reading.graphs)
            for found in reading.packages:
                package = rename_package(found, self._names)
                by_name = self.waiting.setdefault(package.tag, {})
                by_name.setdefault(package.name, []).append(package)
                # Without a stack, too: what several documents list may be put together.
                for stack in (package.stack, None):
                    self._documents.setdefault((package.tag, package.name, stack), path)

    def keep_graphs(self, claims: Iterable[Claim], graphs: StackGraphs) -> None:
        """Keep the dependencies of a document for when its tags are complete."""
        for claim in claims:
            self.graphs[claim.tag].update(rename_graphs(graphs, self._names))

    def kinds(self, tag: str | None) -> dict[str, DocumentKind]:
        """Return what kind of document lists each whole stack of a tag, where something differs."""
        return {claim.name: document.kind for claim, document in self._listings if claim.tag == tag}

    def document_of(self, package: Package) -> str:
        """Return the path of the document that lists a package which waited, for an error."""
        return self._documents[package.tag, package.name, package.stack]

    def count_repeated(
        self,
        tag: str | None,
        unchanged: Iterable[ListedHashes],
        scope: Scope,
        left_out: Collection[str],
    ) -> int:
        """Return how many specs of a tag are counted again: several documents list them.

        Stacks that are `left_out`, for a bad document of either side, count on neither.
        """

        def is_counted(claim: Claim) -> bool:
            return claim.tag == tag and claim.name not in left_out and scope.has_stack(claim.name)

        changed = [document for claim, document in self._listings if is_counted(claim)]
        others = [hashes for claim, hashes in unchanged if is_counted(claim)]
        if len(changed) + len(others) < 2:
            return 0
        wanted = [
            {spec_hash for spec_hash, name in hashes.items() if scope.has_package(name)}
            for hashes in [*(document.listed_hashes for document in changed), *others]
        ]
        return sum(map(len, wanted)) - len(set().union(*wanted))

    def tags(self) -> set[str]:
        """Return every tag that a document names."""
        return {claim.tag for claim in self.paths}

    def bad_tags(self) -> set[str]:
        """Return every tag that has a bad document, as far as its path says."""
        return {claim.tag for claim in self.bad}
