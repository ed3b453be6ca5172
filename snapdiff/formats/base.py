"""What every format offers: which files it wants, and what a file of its kind lists."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from snapdiff.errors import NoSuchFile
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART, Build, DocumentKind, Package, PackageCounts, StackGraphs


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


def stack_of_folder(folder: str) -> Claim:
    """Return what a folder's path says: the stack is the folder, the tag the path above it.

    >>> stack_of_folder("environments/23.08/cuda")
    Claim(tag='environments/23.08', what='stack', name='cuda')
    >>> stack_of_folder("")
    Claim(tag='.', what='stack', name='.')
    """
    above, _, last = folder.rpartition("/")
    return Claim(above or EMPTY_PART, "stack", last or EMPTY_PART)


class Counted(NamedTuple):
    """What is counted of a spec: in each of `tags`, in each of `stacks`. No tags: not at all."""

    name: str
    version: str
    tags: tuple[str, ...]
    stacks: frozenset[str]


class Document(ABC):
    """A file that is a document, and what it lists, as far as somebody asks for it.

    Where a record cannot be read, what needs it raises FormatError.
    """

    claims: tuple[Claim, ...]
    kind: DocumentKind

    @property
    @abstractmethod
    def packages(self) -> Sequence[Package]:
        """The packages with all their specs, by tag and name."""

    @property
    @abstractmethod
    def counts(self) -> Sequence[PackageCounts]:
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

    def in_common(self, old: "Document") -> Mapping[str, Counted]:  # noqa: ARG002 - a page has none
        """Return the specs that an older version has, too, as far as that is known unread."""
        return {}

    def packages_besides(self, known: Collection[str]) -> Sequence[Package]:  # noqa: ARG002 - the same
        """Return the packages with their specs, less those that are `in_common`."""
        return self.packages

    def builds(self, hashes: Iterable[str]) -> Iterable[tuple[str, Build]]:  # noqa: ARG002 - the same
        """Return some specs that are `in_common`."""
        return ()


class ReadDocument(Document):
    """A document that was read whole."""

    packages: Sequence[Package] = ()
    counts: Sequence[PackageCounts] = ()
    warning: str | None = None

    def __init__(
        self,
        kind: DocumentKind,
        claims: tuple[Claim, ...],
        packages: Sequence[Package],
        counts: Sequence[PackageCounts],
        warning: str | None = None,
    ) -> None:
        """Take what it lists."""
        self.kind = kind
        self.claims = claims
        self.packages = packages
        self.counts = counts
        self.warning = warning


class DocumentReader(Protocol):
    """Reads documents of one kind; versions of a file are best read by the same reader."""

    def read(self, file: File) -> Document | None:
        """Return a file as a document, or None if it is none after all.

        Raises FormatError, which names the line or the key path (`spec_details[3].hash`).
        """
        ...


class Format(ABC):
    """A kind of document: which files are some, and what their paths say."""

    @abstractmethod
    def is_named(self, path: str) -> bool:
        """Return whether the name alone says that a file is of this kind."""

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the paths of the documents that a file is, or is a part of, by its name."""
        return (path,) if self.is_named(path) else ()

    def folder(self, path: str) -> str:
        """Return the folder that is the stack which a document lists."""
        return path.rpartition("/")[0]

    def tag_folder(self, path: str) -> str:
        """Return the folder above everything that is in the tag of a document."""
        return self.folder(path).rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return what a document lists that cannot be read, as far as its path says."""
        return stack_of_folder(self.folder(path))

    @abstractmethod
    def reader(self, limits: Limits) -> DocumentReader:
        """Return a reader that knows nothing yet."""
