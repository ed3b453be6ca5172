"""A file of a catalog, and the document that it is: what it lists, and what counts of it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from snapdiff.errors import NoSuchFile
from snapdiff.model.packages import Counted, DocumentKind, Package, PackageCounts
from snapdiff.model.specs import Build, StackGraphs


def no_file(path: str) -> bytes:
    """Raise NoSuchFile: there is no other file."""
    raise NoSuchFile(f"{path}: there is no such file")


class File(NamedTuple):
    """A file of a catalog.

    `path` is within what is compared, `/` between its parts; `above` are the folders above that, as
    far as they are known. `read_beside` returns the content of another file by its path; it raises
    NoSuchFile where there is none. `is_document` says that the file of the same path is a document
    on the other side, so this one is too, or cannot be read.
    """

    path: str
    content: bytes
    read_beside: Callable[[str], bytes] = no_file
    is_document: bool = False
    above: str = ""


class Claim(NamedTuple):
    """What a document lists alone: a package of a tag, or a whole stack of it."""

    tag: str
    what: Literal["package", "stack"]
    name: str


class Document:
    """A file that is a document, and what it lists.

    This one was read whole. A `Listing` reads what somebody asks for: where a record cannot be
    read, what needs it raises FormatError.
    """

    def __init__(
        self,
        kind: DocumentKind,
        claims: tuple[Claim, ...],
        packages: Sequence[Package] = (),
        counts: Sequence[PackageCounts] = (),
        warning: str | None = None,
        listed_hashes: Mapping[str, Counted] = {},
    ) -> None:
        self.kind = kind
        self.claims = claims
        self._packages = packages
        self._counts = counts
        self._warning = warning
        self._listed_hashes = listed_hashes

    @property
    def packages(self) -> Sequence[Package]:
        """The packages with all their specs, by tag and name."""
        return self._packages

    @property
    def counts(self) -> Sequence[PackageCounts]:
        """The packages with the numbers of their specs."""
        return self._counts

    @property
    def warning(self) -> str | None:
        """Where the document, as far as it was read, contradicts itself, or None."""
        return self._warning

    @property
    def listed_hashes(self) -> Mapping[str, Counted]:
        """What is counted of each hash.

        Other documents of the tag may list the same specs, and the tag counts each once.
        """
        return self._listed_hashes or {
            spec_hash: Counted(package.name, build.version_text, (package.tag,), build.stacks)
            for package in self._packages
            for spec_hash, build in package.specs.items()
        }

    def without_specs(self) -> "Document":
        """Return what is kept of a document once it is counted: neither its specs nor the counts.

        Hashes are kept where it lists whole stacks. Those of a page can be read again.
        """
        lists_stacks = any(claim.what == "stack" for claim in self.claims)
        return Document(
            self.kind,
            self.claims,
            warning=self.warning,
            listed_hashes=self.listed_hashes if lists_stacks else {},
        )

    @property
    def graphs(self) -> StackGraphs:
        """The dependencies, by the stack that the document lists; an empty lock has some, too."""
        return {}

    def is_version_of(self, other: "Document") -> bool:
        """Return whether another document lists the same packages or stacks."""
        return self.claims == other.claims

    def in_common(self, old: "Document") -> Mapping[str, Counted]:  # noqa: ARG002 - a page has none
        """Return the specs that an older version has, too, as far as that is known unread."""
        return {}

    def packages_besides(self, known: Collection[str]) -> Sequence[Package]:  # noqa: ARG002 - the same
        """Return the packages with their specs, less those that are `in_common`."""
        return self.packages

    def builds(self, hashes: Iterable[str]) -> Iterable[tuple[str, Build]]:
        """Return some specs that are `in_common`."""
        raise NotImplementedError  # none is


DocumentReader = Callable[[File], Document | None]
"""Returns a file as a document, or None if it is none after all.

Versions of a file are best read by the same reader. Raises FormatError, which names the line or the
key path (`spec_details[3].hash`).
"""


def odd_version(key: str, named: object, number: int | None, newest: int) -> str | None:
    """Return a warning where a document names no version of its format that is known, or None."""
    if number is not None and 0 < number <= newest:
        return None
    found = "missing" if named is None else repr(named)
    return f"{key} is {found}, and those up to {newest} are known; it is read by its shape"
