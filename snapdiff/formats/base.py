"""What every format offers: which files it wants, and what a file of its kind lists."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from snapdiff.errors import NoSuchFile
from snapdiff.limits import Limits
from snapdiff.model import NO_GRAPHS, Package, PackageCounts, PackagePair, StackGraphs


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


class Document(Struct, frozen=True, kw_only=True):
    """A file that was read.

    `hashes` is there of a document that lists a whole stack: the package of each hash. Other
    documents of the tag may list the same specs, and the tag counts each once. `graphs` are its
    dependencies, by the stack that it lists: an environment without a spec has some, too, namely
    none at all.
    """

    claims: tuple[Claim, ...]
    packages: list[Package]
    counts: list[PackageCounts]
    warning: str | None = None
    hashes: Mapping[str, str] | None = None
    graphs: StackGraphs = {}

    def counted(self) -> "CountedDocument":
        """Return the counts of all that was read."""
        return CountedDocument(
            claims=self.claims,
            counts=self.counts,
            warning=self.warning,
            hashes=self.hashes,
        )


class CountedDocument(Struct, frozen=True, kw_only=True):
    """A file that is the same on both sides: its specs are counted, not read."""

    claims: tuple[Claim, ...]
    counts: list[PackageCounts]
    warning: str | None = None
    hashes: Mapping[str, str] | None = None


class DocumentPair(Struct, frozen=True, kw_only=True):
    """Two versions of a file, read together.

    `pairs` are the packages of which one side has a spec that the other has not, `unchanged` those
    of which both have the same. `warnings`, `hashes` and `graphs` are of the old side and of the
    new one.
    """

    claims: tuple[Claim, ...]
    pairs: list[PackagePair]
    unchanged: list[PackageCounts]
    warnings: tuple[str | None, str | None] = (None, None)
    hashes: tuple[Mapping[str, str], Mapping[str, str]] | None = None
    graphs: tuple[StackGraphs, StackGraphs] = NO_GRAPHS


class DocumentReader(Protocol):
    """Reads documents of one kind; two versions of a file are best read by the same reader."""

    def read(self, file: File) -> Document | None:
        """Return what a file lists, or None if it is not a document after all.

        Raises FormatError, which names the line or the key path (`spec_details[3].hash`).
        """
        ...

    def count(self, file: File) -> CountedDocument | None:
        """Return the counts of a file that is the same on both sides; as `read` otherwise."""
        ...

    def read_pair(self, old: File, new: File) -> DocumentPair | None:
        """Return two versions of a file, what they share read once.

        None where they are not two versions of the same, or not in the usual form: each is then
        read alone, which gives the same result or says what is wrong.
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
