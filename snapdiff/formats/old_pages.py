"""The site's pages of 2021 and 2022, which list no specs but files beside them.

A page has `spec_files:` in its front matter, and `spec-N.json` files beside it, each a spec with
all nodes below it; the first node is the spec. Pages were `<package>/index.md` at first, without
a tag, and `<tag>/<package>/specs.md` then (docs/specification.md, section 10).
"""

from collections.abc import Set as AbstractSet

import msgspec
from msgspec import Raw, Struct

from snapdiff.errors import FormatError
from snapdiff.formats.document import Builds, Claim, Counted, File
from snapdiff.formats.kinds import SPEC_FILE, names_in_path
from snapdiff.formats.listing import Listing
from snapdiff.formats.site_page import check_size, front_matter_text
from snapdiff.formats.spec_node import NodeNames, SpecFileNode, read_spec_file
from snapdiff.formats.yaml_reading import read_yaml
from snapdiff.limits import Limits
from snapdiff.model import EMPTY_PART


class _FrontMatter(Struct, gc=False):
    spec_files: list[str | dict[str, str]]
    """The files beside the page; on the first pages each by its spec, written out."""

    title: str = ""
    categories: tuple[str, ...] = ()


class _OldPageListing(Listing):
    """The specs of a page, and the nodes below them, of which none counts."""

    def __init__(self, claim: Claim, files: list[list[SpecFileNode]], builds: Builds) -> None:
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        for key, spec_hash, record in (node for file in files for node in file):
            records.setdefault(spec_hash, record)
            self._keys.setdefault(spec_hash, key)
        super().__init__("page", claim, records, builds)
        self._package = claim.name
        self._specs = {file[0].hash for file in files}

    @property
    def counted(self) -> AbstractSet[str]:
        """The specs that the files are of."""
        return self._specs

    def _key(self, spec_hash: str) -> str:
        return self._keys[spec_hash]

    def _count(self, names: NodeNames, is_counted: bool, key: str) -> Counted:
        return super()._count(names, is_counted, key)._replace(name=self._package)


def open_old_page(file: File, limits: Limits, builds: Builds) -> Listing:
    """Return the specs of a page that names files with them; raises FormatError.

    All files together may be as large as a document.
    """
    check_size(file.content, limits)
    fields = read_yaml(front_matter_text(file.content), limits)
    if not isinstance(fields, dict):
        raise FormatError("front matter: holds no keys")
    known = {key: fields[key] for key in _FrontMatter.__struct_fields__ if key in fields}
    try:
        front_matter = msgspec.convert(known, _FrontMatter)
    except msgspec.ValidationError as error:
        raise FormatError(f"front matter: {error}") from error
    names: dict[str, None] = {}
    for position, entry in enumerate(front_matter.spec_files):
        for name in [entry] if isinstance(entry, str) else entry.values():
            if not SPEC_FILE.fullmatch(name):
                raise FormatError(f"spec_files[{position}]: {name[:64]!r} is no spec-N.json")
            names[name] = None
    folder, slash, _ = file.path.rpartition("/")
    files, taken = [], 0
    for name in names:
        content = file.read_beside(f"{folder}{slash}{name}")
        taken += len(content)
        if taken > limits.document_size:
            raise limits.document.error("is too large")
        files.append(read_spec_file(content, f"{name}."))
    tag, package = names_in_path(f"{file.above}/{file.path}")
    categories = front_matter.categories
    tag = categories[1] if len(categories) > 1 else tag or EMPTY_PART
    claim = Claim(tag, "package", front_matter.title or package)
    return _OldPageListing(claim, files, builds)
