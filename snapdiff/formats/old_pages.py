"""The site's pages of 2021 and 2022, which list no specs but files beside them.

A page has `spec_files:` in its front matter, and `spec-N.json` files beside it, each a spec with
all nodes below it; the first node is the spec. Pages were `<package>/index.md` at first, without
a tag, and `<tag>/<package>/specs.md` then (docs/specification.md, section 10).
"""

from msgspec import Raw

from snapdiff.document_names import SPEC_FILE
from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, File
from snapdiff.formats.listing import Listing
from snapdiff.formats.spec_node import SpecFileNode, SpecNode, read_spec_file
from snapdiff.limits import Limits, over_limit
from snapdiff.model.packages import Counted
from snapdiff.model.specs import EMPTY_PART


class _OldPageListing(Listing):
    """The specs of a page, and the nodes below them, of which none counts."""

    def __init__(self, claim: Claim, files: list[list[SpecFileNode]]) -> None:
        records: dict[str, Raw] = {}
        self._keys: dict[str, str] = {}
        for key, spec_hash, record in (node for file in files for node in file):
            records.setdefault(spec_hash, record)
            self._keys.setdefault(spec_hash, key)
        super().__init__("page", claim, records)
        self._package = claim.name
        self.counted = {file[0].hash for file in files}  # the specs that the files are of

    def _key(self, spec_hash: str) -> str:
        return self._keys[spec_hash]

    def _count(self, node: SpecNode, is_counted: bool, key: str) -> Counted:
        return super()._count(node, is_counted, key)._replace(name=self._package)


def open_old_page(
    file: File, claim: Claim, spec_files: list[str | dict[str, str]], limits: Limits
) -> Listing:
    """Return the specs of a page that names files with them; raises FormatError.

    All files together may be as large as a document.
    """
    names: dict[str, None] = {}
    for position, entry in enumerate(spec_files):
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
            raise over_limit("is too large", limits.document_size, "bytes")
        files.append(read_spec_file(content, f"{name}."))
    return _OldPageListing(claim._replace(tag=claim.tag or EMPTY_PART), files)
