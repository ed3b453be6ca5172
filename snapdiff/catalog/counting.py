"""What is the same on both sides, counted tag by tag: whole documents, and parts of others."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from snapdiff.catalog.reading import Reading
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim
from snapdiff.model import (
    Counts,
    DocumentKind,
    Package,
    PackageCounts,
    StackDocuments,
    count_by_stacks,
)

ListedHashes = tuple[Claim, Mapping[str, str]]
"""A stack that a document lists as a whole, and the package of each of its hashes."""


class _CountedFile(NamedTuple):
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
        self._documents: dict[str, _CountedFile] = {}
        self._counts: dict[str, Counts] = {}
        self._paths: dict[Claim, list[str]] = {}
        self._repeated_claims: set[Claim] = set()
        self.bad: dict[str, BadPage] = {}

    def put(self, path: str, found: Reading) -> None:
        """Count a file; a bad page is kept by its path, and other files are not counted."""
        if isinstance(found, BadPage):
            self.bad[path] = found
        elif found is not None:
            self._documents[path] = _CountedFile(
                found.kind, found.claims, found.counts, found.warning, found.listed_hashes
            )
            for claim in found.claims:
                paths = self._paths.setdefault(claim, [])
                paths.append(path)
                if len(paths) > 1:
                    self._repeated_claims.add(claim)
            self._add(found.counts, 1)

    def take(self, path: str) -> None:
        """Count a file no longer."""
        self.bad.pop(path, None)
        document = self._documents.pop(path, None)
        if document is None:
            return
        self._add(document.counts, -1)
        for claim in document.claims:
            paths = self._paths[claim]
            paths.remove(path)
            if len(paths) < 2:
                self._repeated_claims.discard(claim)
            if not paths:
                del self._paths[claim]

    def _add(self, packages: Sequence[PackageCounts], times: int) -> None:
        for package in packages:
            add_package(self._counts.setdefault(package.tag, Counts()), package, self._scope, times)

    def paths_of(self, claim: Claim) -> list[str]:
        """Return the files that list a package or stack."""
        return self._paths.get(claim, [])

    def repeated_claims(self) -> set[Claim]:
        """Return what more than one of the files lists."""
        return self._repeated_claims

    def tags(self) -> set[str]:
        """Return the tags of all documents."""
        return {claim.tag for claim in self._paths}

    def warnings(self) -> list[tuple[str, str]]:
        """Return path and words of each file that contradicts itself."""
        return [
            (path, document.warning)
            for path, document in self._documents.items()
            if document.warning
        ]

    def hashes(self) -> list[ListedHashes]:
        """Return the hashes of the documents that list a whole stack."""
        return [
            (document.claims[0], document.hashes)
            for document in self._documents.values()
            if document.hashes
        ]

    def of_whole_stacks(self) -> Iterator[tuple[tuple[Claim, ...], PackageCounts]]:
        """Yield the packages of the documents that list a whole stack, with what these list."""
        for document in self._documents.values():
            if document.hashes:
                for package in document.counts:
                    yield document.claims, package

    def kinds(self) -> Iterator[tuple[Claim, DocumentKind]]:
        """Yield what each document lists, and its kind."""
        for document in self._documents.values():
            for claim in document.claims:
                yield claim, document.kind

    def counts(self, tag: str) -> Counts:
        """Return the counts of a tag."""
        return self._counts.get(tag) or Counts()

    def stacks(self, tag: str) -> set[str]:
        """Return the stacks of a tag, whatever is asked for."""
        found: set[str] = set()
        for document in self._documents.values():
            for item in document.counts:
                if item.tag == tag:
                    found.update(*item.by_stacks)
        return found

    def packages(self, claims: Collection[Claim]) -> Iterator[PackageCounts]:
        """Yield the packages of the files that list any of some packages or stacks."""
        for path in {path for claim in claims for path in self.paths_of(claim)}:
            yield from self._documents[path].counts


def count_package(counts: Counts, package: Package, scope: Scope) -> None:
    """Count a package that was read, as far as it is asked for."""
    by_stacks = count_by_stacks(Counter(package.specs.values()), {})
    add_package(counts, PackageCounts(package.tag, package.name, by_stacks), scope)


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
        self._stacks: dict[str, set[str]] = {}

    def add(self, claims: tuple[Claim, ...], package: PackageCounts) -> None:
        """Count a package that two versions of a document have alike."""
        self.packages.append((claims, package))
        self._stacks.setdefault(package.tag, set()).update(*package.by_stacks)

    def stacks(self, tag: str) -> set[str]:
        """Return the stacks of a tag, whatever is asked for."""
        return self._stacks.get(tag, set()).union(*(found.stacks(tag) for found in self.folders))

    def tags(self) -> set[str]:
        """Return the tags of all documents."""
        return {tag for counted in self.folders for tag in counted.tags()}

    def repeated_claims(self) -> set[Claim]:
        """Return what more than one document of a folder lists."""
        return {claim for counted in self.folders for claim in counted.repeated_claims()}

    def paths_of(self, claim: Claim) -> list[str]:
        """Return the documents that list a package or a stack."""
        return [path for counted in self.folders for path in counted.paths_of(claim)]

    def hashes(self) -> list[ListedHashes]:
        """Return the hashes of the documents that list a whole stack."""
        return [listed for counted in self.folders for listed in counted.hashes()]

    def kinds(self, tag: str | None) -> StackDocuments:
        """Return what kind of document lists each whole stack of a tag."""
        return {
            claim.name: kind
            for counted in self.folders
            for claim, kind in counted.kinds()
            if claim.tag == tag and claim.what == "stack"
        }

    def stacks_with(
        self, names: Collection[str], tag: str, left_out: set[Claim]
    ) -> dict[str, set[str]]:
        """Return by stack which of some packages of a tag were counted, less what is left out.

        A page that is the same on both sides is not looked at: it has all of its package.
        """
        found: dict[str, set[str]] = {}
        documents = (counted.of_whole_stacks() for counted in self.folders)
        for claims, package in chain(self.packages, *documents):
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
