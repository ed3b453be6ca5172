"""The site's pages of 2021 and 2022, which list no specs but files beside them.

A page has `spec_files:` in its front matter, and `spec-N.json` files beside it, each a spec with
all nodes below it; the first node is the spec. Pages were `<package>/index.md` at first, without
a tag, and `<tag>/<package>/specs.md` then (docs/specification.md, section 10).
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, Counted, File
from snapdiff.formats.front_matter import check_size, front_matter_text
from snapdiff.formats.kinds import SPEC_FILE, names_in_path
from snapdiff.formats.listing import Listing
from snapdiff.formats.node_parts import Builds
from snapdiff.formats.spec_node import (
    NODE,
    NODE_NAMES,
    NodeNames,
    SpecFileNode,
    decode_node,
    read_spec_file,
)
from snapdiff.formats.yaml_reading import read_yaml
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART, Node, counting_stacks


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


class _OldPageListing(Listing):
    """The specs of a page, and the nodes below them, of which none counts."""

    lists_a_stack = False

    def __init__(self, claim: Claim, files: list[list[SpecFileNode]], builds: Builds) -> None:
        """Take the nodes of each file beside the page, a spec and what is below it."""
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        for key, spec_hash, record in (node for file in files for node in file):
            records.setdefault(spec_hash, record)
            self._keys.setdefault(spec_hash, key)
        super().__init__("page", (claim,), records, builds)
        self._specs = {file[0].hash for file in files}
        self._package = claim.name
        self._tags = (claim.tag,)
        self._stacks = counting_stacks(())

    def _read_entry(self, spec_hash: str) -> Counted:
        key = self._keys[spec_hash]
        names = decode_node(self.records[spec_hash], NODE_NAMES, key)
        return self._entry(spec_hash, names, key)

    def _read(self, spec_hash: str) -> tuple[Counted, Node]:
        key = self._keys[spec_hash]
        node = decode_node(self.records[spec_hash], NODE, key)
        entry = self._entry(spec_hash, node, key)
        return entry, self._make_node(node, entry, key, explicit=False)

    def _entry(self, spec_hash: str, node: NodeNames, key: str) -> Counted:
        version = node.only_version(key)
        if spec_hash in self._specs:
            return Counted(self._package, version, self._tags, self._stacks)
        return Counted(node.name, version, (), self._stacks)


def open_old_page(file: File, limits: Limits, builds: Builds) -> Listing:
    """Return the specs of a page that names files with them; raises FormatError.

    All files together may be as large as a document.
    """
    check_size(file.content, limits)
    front_matter = _front_matter(read_yaml(front_matter_text(file.content), limits))
    folder, slash, _ = file.path.rpartition("/")
    files, taken = [], 0
    for name in front_matter.file_names():
        content = file.read_beside(f"{folder}{slash}{name}")
        taken += len(content)
        if taken > limits.document_size:
            raise limits.document.error("is too large")
        files.append(read_spec_file(content, f"{name}."))
    return _OldPageListing(_claim(file.full_path, front_matter), files, builds)


def _front_matter(fields: Any) -> _FrontMatter:
    if not isinstance(fields, dict):
        raise FormatError("front matter: holds no keys")
    known = {key: fields[key] for key in _FrontMatter.__struct_fields__ if key in fields}
    try:
        return msgspec.convert(known, _FrontMatter)
    except msgspec.ValidationError as error:
        raise FormatError(f"front matter: {error}") from error


def _claim(path: str, front_matter: _FrontMatter) -> Claim:
    """Return tag and package, as the front matter has them or else the folders."""
    tag_in_path, name_in_path = names_in_path(path)
    categories = front_matter.categories
    tag = categories[1] if len(categories) > 1 else tag_in_path or EMPTY_PART
    return Claim(tag, "package", front_matter.title or name_in_path)
