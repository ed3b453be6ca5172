"""The site's pages of 2021 and 2022, which list no specs but files beside them.

A page has `spec_files:` in its front matter, and `spec-N.json` files beside it, each a spec with
all nodes below it; the first node is the spec. Pages were `<package>/index.md` at first, without
a tag, and `<tag>/<package>/specs.md` then (docs/specification.md, section 10).
"""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.base import Claim, File
from snapdiff.formats.content_limits import check_size
from snapdiff.formats.document_names import SPEC_FILE
from snapdiff.formats.front_matter import front_matter_text
from snapdiff.formats.json_text import decode_json, is_hash
from snapdiff.formats.listing import Counted, NodeListing
from snapdiff.formats.node_parts import SharedBuilds
from snapdiff.formats.spec_document import Opening, SpecDocumentReader
from snapdiff.formats.spec_node import NODE, NODE_NAMES, SpecNode, decode_node
from snapdiff.formats.yaml_reading import read_yaml
from snapdiff.limits import Limits, SizeLimit
from snapdiff.model import EMPTY_PART, counting_stacks

PageName = Literal["specs.md", "index.md"]


class _Nodes(Struct, gc=False):
    nodes: list[Raw]


class _SpecFile(Struct, gc=False):
    spec: _Nodes | list[Raw]


class _FrontMatter(Struct, gc=False):
    spec_files: list[str | dict[str, str]]
    title: str = ""
    categories: tuple[str, ...] = ()

    def file_names(self) -> list[str]:
        """Return the names of the files beside the page, each of them once.

        On the first pages an entry was a mapping from the spec, written out, to its file.
        """
        names: dict[str, None] = {}
        for position, entry in enumerate(self.spec_files):
            for name in [entry] if isinstance(entry, str) else entry.values():
                if not SPEC_FILE.fullmatch(name):
                    raise FormatError(f"spec_files[{position}]: {name[:64]!r} is no spec-N.json")
                names[name] = None
        return list(names)


_SPEC_FILE_DECODER = msgspec.json.Decoder(_SpecFile)


class OldPage(Struct, frozen=True):
    """The format of old pages of one name; those called `specs.md` share it with newer ones."""

    page_name: PageName

    @property
    def name(self) -> str:
        """What the kind is called in messages."""
        return "page of 2021 or 2022"

    @property
    def files(self) -> str:
        """The files that the format reads, for messages."""
        return f"{self.page_name} with spec-N.json beside it"

    def document_path(self, path: str) -> str | None:
        """Return the path of the page that a file belongs to, or None."""
        folder, slash, name = path.rpartition("/")
        if name == self.page_name:
            return path
        return f"{folder}{slash}{self.page_name}" if SPEC_FILE.fullmatch(name) else None

    def is_named(self, path: str) -> bool:  # noqa: ARG002 - a page's content decides
        """Return False: whether a page is an old one, its front matter says."""
        return False

    def tag_folder(self, path: str) -> str:
        """Return the folder above the package's."""
        return path.rpartition("/")[0].rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return the package and the tag that the folders of a page name."""
        return _claim(path, _FrontMatter([]))

    def reader(self, limits: Limits) -> SpecDocumentReader:
        """Return a reader that knows nothing yet; for it, other pages are not documents."""
        return SpecDocumentReader(limits, _open)


class _OldPageListing(NodeListing):
    """The specs of a page, and the nodes below them, of which none counts."""

    kind = "page"
    lists_a_stack = False

    def __init__(
        self, claim: Claim, files: Iterator[tuple[str, _SpecFile]], builds: SharedBuilds
    ) -> None:
        """Take the files beside a page by name."""
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        self._specs: set[str] = set()
        for name, file in files:
            nodes = file.spec if isinstance(file.spec, list) else file.spec.nodes
            place = "spec" if isinstance(file.spec, list) else "spec.nodes"
            if not nodes:
                raise FormatError(f"{name}.{place}: empty; its first node is the spec")
            for position, record in enumerate(nodes):
                key = f"{name}.{place}[{position}]"
                spec_hash = decode_node(record, NODE, key).hash or ""
                if not is_hash(spec_hash):
                    raise FormatError(f"{key}.hash: missing, or no hash")
                if position == 0:
                    self._specs.add(spec_hash)
                records.setdefault(spec_hash, record)
                self._keys.setdefault(spec_hash, key)
        super().__init__((claim,), records, builds)
        self._package = claim.name
        self._tags = (claim.tag,)
        self._stacks = counting_stacks(())

    def _read_entry(self, spec_hash: str) -> Counted:
        """Return the version of a node, and the package of the page where it is a spec."""
        key = self._keys[spec_hash]
        names = decode_node(self.records[spec_hash], NODE_NAMES, key)
        return self._entry(spec_hash, names.name, names.only_version(key))

    def _read_record(self, spec_hash: str) -> tuple[SpecNode, Counted, bool, str]:
        key = self._keys[spec_hash]
        node = decode_node(self.records[spec_hash], NODE, key)
        return node, self._entry(spec_hash, node.name, node.only_version(key)), False, key

    def _entry(self, spec_hash: str, name: str, version: str) -> Counted:
        if spec_hash in self._specs:
            return Counted(self._package, version, self._tags, self._stacks)
        return Counted(name, version, (), self._stacks)


def is_old_page(content: bytes) -> bool:
    """Return whether a page names files with its specs, and lists none itself."""
    # Newer pages have their key among the first lines; the rest of them is not searched.
    return b"\nspec_details:" not in content and b"\nspec_files:" in content


def _open(opening: Opening) -> _OldPageListing | None:
    file = opening.file
    if not is_old_page(file.content):
        return None
    check_size(file.content, opening.limits)
    front_matter = _front_matter(read_yaml(front_matter_text(file.content), opening.limits))
    files = _read_files(file, front_matter.file_names(), opening.limits.document)
    return _OldPageListing(_claim(file.full_path, front_matter), files, opening.builds)


def _front_matter(fields: Any) -> _FrontMatter:
    if not isinstance(fields, dict):
        raise FormatError("front matter: holds no keys")
    known = {key: fields[key] for key in _FrontMatter.__struct_fields__ if key in fields}
    try:
        return msgspec.convert(known, _FrontMatter)
    except msgspec.ValidationError as error:
        raise FormatError(f"front matter: {error}") from error


def _read_files(page: File, names: list[str], limit: SizeLimit) -> Iterator[tuple[str, _SpecFile]]:
    """Yield the files beside a page; all of them together may be as large as a document."""
    folder, slash, _ = page.path.rpartition("/")
    taken = 0
    for name in names:
        content = page.read_beside(f"{folder}{slash}{name}")
        taken += len(content)
        if taken > limit.size:
            raise limit.error("is too large")
        yield name, decode_json(content, _SPEC_FILE_DECODER, name)


def _claim(path: str, front_matter: _FrontMatter) -> Claim:
    """Return tag and package, as the front matter has them or else the folders."""
    parts = ("", "", *path.split("/"))
    categories = front_matter.categories
    tag = categories[1] if len(categories) > 1 else parts[-3] or EMPTY_PART
    return Claim(tag, "package", front_matter.title or parts[-2])
