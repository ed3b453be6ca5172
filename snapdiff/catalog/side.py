"""One side of a comparison: what its documents list, where, and what waits for a counterpart."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from snapdiff.catalog.counting import ListedHashes
from snapdiff.catalog.reading import Reading
from snapdiff.catalog.renamed_stacks import StackNames, rename_graphs, rename_package
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.formats.registry import Documents
from snapdiff.model import Graph, Package, StackDocuments, StackGraphs


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
        self.waiting: dict[str, dict[str, list[Package]]] = {}
        self._graphs: dict[str, dict[str | None, Graph]] = defaultdict(dict)
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
            self._graphs[claim.tag].update(rename_graphs(graphs, self._names))

    def graphs_of(self, tag: str | None) -> StackGraphs:
        """Return the dependencies of a tag's documents in which something differs."""
        return self._graphs.get(tag, {}) if tag is not None else {}

    def kinds_of(self, tag: str | None) -> StackDocuments:
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


def folder_of_tag(path: str, tag: str, documents: Documents) -> str:
    """Return the folder in which the documents of a tag are, one of which has this path.

    It is the one above the package's, whatever it is called; where a folder above that has the
    tag's name (`develop/h/hdf5/specs.md`), it is that one: the tag's documents may be at any depth.
    """
    folder = documents.tag_folder(path)
    parts = folder.split("/")
    return "/".join(parts[: parts.index(tag) + 1]) if tag in parts else folder
