"""All that is the same on both sides: whole documents, and packages of documents that differ."""

from collections.abc import Collection

from snapdiff.catalog.counting import CountedFiles, PackageNumbers, package_numbers
from snapdiff.catalog.side import ListedHashes
from snapdiff.filters import Scope
from snapdiff.formats.base import Claim
from snapdiff.model import Counts, PackageCounts, StackDocuments


class Unchanged:
    """What was counted on both sides of a comparison."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.folders: list[CountedFiles] = []
        """Documents that are the same on both sides, folder by folder."""
        self.packages: list[tuple[tuple[Claim, ...], PackageNumbers]] = []
        """Packages of which two versions of a document have the same, and what that one lists."""
        self._stacks: dict[str, set[str]] = {}

    def add(self, claims: tuple[Claim, ...], package: PackageCounts, scope: Scope) -> None:
        """Count a package that two versions of a document have alike, as far as it is asked for."""
        self.packages.append((claims, package_numbers(package, scope)))
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

    def counts(self, tag: str, left_out: Collection[Claim]) -> Counts:
        """Return the counts of a tag, less what is left out."""
        total = Counts()
        for counted in self.folders:
            total.merge(counted.counts(tag))
            for path in {path for claim in left_out for path in counted.paths_of(claim)}:
                for numbers in counted.packages(path):
                    if numbers.tag == tag:
                        total.add(numbers.name, numbers.by_stack, numbers.in_any, -1)
        for claims, numbers in self.packages:
            if numbers.tag == tag and not set(claims).intersection(left_out):
                total.add(numbers.name, numbers.by_stack, numbers.in_any)
        return total
