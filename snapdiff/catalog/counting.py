"""Files that are equal on both sides: their documents, counted tag by tag."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from snapdiff.catalog.reading import Reading
from snapdiff.catalog.side import ListedHashes
from snapdiff.errors import BadPage
from snapdiff.filters import Scope
from snapdiff.formats.base import Claim
from snapdiff.model import Counts, DocumentKind, Package, PackageCounts, count_by_stacks


class PackageNumbers(NamedTuple):
    """A package as it is counted: its specs by stack, and how many are in any stack."""

    tag: str
    name: str
    by_stack: dict[str, int]
    in_any: int


class CountedFile(NamedTuple):
    """What is kept of a document that is only counted."""

    kind: DocumentKind
    claims: tuple[Claim, ...]
    counts: Sequence[PackageCounts]
    warning: str | None
    hashes: Mapping[str, str] | None


class CountedFiles:
    """Counts of some files, kept up to date as files are put in and taken out."""

    def __init__(self, scope: Scope) -> None:
        """Begin with no file; `scope` says which stacks and packages count."""
        self._scope = scope
        self._packages: dict[str, list[PackageNumbers]] = {}
        self._documents: dict[str, CountedFile] = {}
        self._counts: dict[str, Counts] = {}
        self._paths: dict[Claim, list[str]] = {}
        self._repeated_claims: set[Claim] = set()
        self.bad: dict[str, BadPage] = {}

    def put(self, path: str, found: Reading) -> None:
        """Count a file; a bad page is kept by its path, and other files are not counted."""
        if isinstance(found, BadPage):
            self.bad[path] = found
        elif found is not None:
            counts = found.counts
            self._documents[path] = CountedFile(
                found.kind, found.claims, counts, found.warning, found.listed_hashes
            )
            self._packages[path] = [package_numbers(item, self._scope) for item in counts]
            for claim in found.claims:
                paths = self._paths.setdefault(claim, [])
                paths.append(path)
                if len(paths) > 1:
                    self._repeated_claims.add(claim)
            self._add(path, 1)

    def take(self, path: str) -> None:
        """Count a file no longer."""
        self.bad.pop(path, None)
        document = self._documents.pop(path, None)
        if document is None:
            return
        self._add(path, -1)
        del self._packages[path]
        for claim in document.claims:
            paths = self._paths[claim]
            paths.remove(path)
            if len(paths) < 2:
                self._repeated_claims.discard(claim)
            if not paths:
                del self._paths[claim]

    def _add(self, path: str, times: int) -> None:
        for item in self._packages[path]:
            counts = self._counts.setdefault(item.tag, Counts())
            counts.add(item.name, item.by_stack, item.in_any, times)

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
            if document.hashes is not None
        ]

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

    def packages(self, path: str) -> list[PackageNumbers]:
        """Return the packages of one file as they are counted."""
        return self._packages.get(path, [])


def count_package(counts: Counts, package: Package, scope: Scope) -> None:
    """Count a package that was read, as far as it is asked for."""
    by_stacks = count_by_stacks(Counter(package.specs.values()), {})
    numbers = package_numbers(PackageCounts(package.tag, package.name, by_stacks), scope)
    counts.add(numbers.name, numbers.by_stack, numbers.in_any)


def package_numbers(package: PackageCounts, scope: Scope) -> PackageNumbers:
    """Return how many specs of a package each stack has, as far as they are asked for."""
    by_stack: dict[str, int] = {}
    in_any = 0
    if scope.has_package(package.name):
        for listed, number in package.by_stacks.items():
            stacks = scope.stacks(listed)
            for stack in stacks:
                by_stack[stack] = by_stack.get(stack, 0) + number
            in_any += number if stacks else 0
    return PackageNumbers(package.tag, package.name, by_stack, in_any)
