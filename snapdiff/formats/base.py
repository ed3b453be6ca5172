"""What every format offers: which files it wants, and what a file of its kind lists."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol

from snapdiff.errors import NoSuchFile
from snapdiff.limits import Limits
from snapdiff.model import DocumentKind, Package, PackageCounts, PackagePair, StackGraphs


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

    @property
    def full_path(self) -> str:
        """The path with the folders above it."""
        return f"{self.above}/{self.path}" if self.above else self.path


class Claim(NamedTuple):
    """What a document lists alone: a package of a tag, or a whole stack of it."""

    tag: str
    what: Literal["package", "stack"]
    name: str


class PairedPackages(NamedTuple):
    """The packages of two versions of a document.

    `pairs` are those of which one side has a spec that the other has not, `unchanged` those of
    which both have the same.
    """

    pairs: list[PackagePair]
    unchanged: list[PackageCounts]


class Document(ABC):
    """A file that is a document, and what it lists, as far as somebody asks for it.

    Where a record cannot be read, what needs it raises FormatError.
    """

    claims: tuple[Claim, ...]
    kind: DocumentKind

    @property
    @abstractmethod
    def packages(self) -> list[Package]:
        """The packages with all their specs, by tag and name."""

    @property
    @abstractmethod
    def counts(self) -> list[PackageCounts]:
        """The packages with the numbers of their specs."""

    @property
    @abstractmethod
    def warning(self) -> str | None:
        """Where the document, as far as it was read, contradicts itself, or None."""

    @property
    def listed_hashes(self) -> Mapping[str, str] | None:
        """The package of each hash, where the document lists a whole stack.

        Other documents of the tag may list the same specs, and the tag counts each once.
        """
        return None

    @property
    def graphs(self) -> StackGraphs:
        """The dependencies, by the stack that the document lists.

        An environment without a spec has some, too, namely none at all.
        """
        return {}

    def is_version_of(self, other: "Document") -> bool:
        """Return whether another document lists the same packages or stacks."""
        return self.claims == other.claims

    def pair_records(self, old: "Document") -> PairedPackages | None:
        """Return the packages of an older version and of this one, what both share read once.

        None where the packages have to be read on both sides, which gives the same result.
        """
        del old
        return None


class ReadDocument(Document):
    """A document that was read whole."""

    def __init__(
        self,
        kind: DocumentKind,
        claims: tuple[Claim, ...],
        packages: list[Package],
        counts: list[PackageCounts],
        warning: str | None = None,
    ) -> None:
        """Take what it lists."""
        self.kind = kind
        self.claims = claims
        self._packages = packages
        self._counts = counts
        self._warning = warning

    @property
    def packages(self) -> list[Package]:
        """The packages with all their specs, by tag and name."""
        return self._packages

    @property
    def counts(self) -> list[PackageCounts]:
        """The packages with the numbers of their specs."""
        return self._counts

    @property
    def warning(self) -> str | None:
        """Where the document contradicts itself, or None."""
        return self._warning


class DocumentReader(Protocol):
    """Reads documents of one kind; versions of a file are best read by the same reader."""

    def read(self, file: File) -> Document | None:
        """Return a file as a document, or None if it is none after all.

        Raises FormatError, which names the line or the key path (`spec_details[3].hash`).
        """
        ...


class Format(Protocol):
    """A kind of document."""

    @property
    def name(self) -> str:
        """What the kind is called in messages: `environment lock`."""
        ...

    @property
    def files(self) -> str:
        """The files that it reads, for messages: `spack.lock`."""
        ...

    def document_path(self, path: str) -> str | None:
        """Return the path of the document that a file belongs to, which mostly is its own.

        None if the file's name says that it is not of this kind.
        """
        ...

    def is_named(self, path: str) -> bool:
        """Return whether the name alone says that a file is of this kind."""
        ...

    def tag_folder(self, path: str) -> str:
        """Return the folder above everything that is in the tag of a document."""
        ...

    def claim_of_path(self, path: str) -> Claim:
        """Return what a document lists that cannot be read, as far as its path says."""
        ...

    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader that knows nothing yet."""
        ...
