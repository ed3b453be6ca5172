"""A page of Spack's binary cache site (docs/specification.md, section 1).

`_cache/<tag>/<package>/specs.md`, or other Markdown whose front matter says `layout: cache`.
"""

from collections import Counter
from typing import Any

import msgspec

from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, Document, DocumentReader, File
from snapdiff.formats.front_matter import (
    LAYOUT,
    PageHead,
    UsualPage,
    begins_with_front_matter,
    check_size,
    contradiction,
    decode_page,
    front_matter_text,
    names_of_page,
    plain_words,
    usual_page,
)
from snapdiff.formats.json_text import type_error
from snapdiff.formats.kinds import PAGE_NAME, is_called, is_named_by_folder
from snapdiff.formats.records import Record, RecordReader, check_listing, read_records
from snapdiff.formats.yaml_reading import read_yaml
from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.model import Build, Package, PackageCounts, count_by_stacks

_RECORDS = msgspec.json.Decoder(list[Record])


class SitePageReader:
    """Reads pages; two versions of a page are best read by the same reader."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Begin with nothing known."""
        self._limits = limits
        self._records = RecordReader()
        self._old_pages: DocumentReader | None = None

    def read(self, file: File) -> Document | None:
        """Return the package on a page, or None if the file is not a page of a catalog.

        The path names tag and package where the front matter does not. Raises FormatError, which
        names the line or the key path (`spec_details[3].hash`).
        """
        if is_named_by_folder(file.path) and _is_old_page(file.content):
            return self._read_old(file)
        found = self._read_usual(file) or self._read_any(file)
        if found is None:
            return None
        head, specs = found
        tag, name = names_of_page(file.full_path, head)
        builds = Counter(specs.values())
        counts = PackageCounts(tag, name, count_by_stacks(builds, {}))
        # Aliases make a page say more than it holds, though not more than a page may hold.
        length = len(file.content)
        most = max(length, self._limits.yaml_size * 8 if b"*" in file.content else 0)
        check_listing(counts.by_stacks, builds.items(), most, self._limits)
        return Document(
            "page",
            (Claim(tag, "package", name),),
            [Package(tag, name, specs)],
            [counts],
            contradiction(head.meta, counts.by_stacks),
        )

    def _read_old(self, page: File) -> Document | None:
        from snapdiff.formats.listing import listing_reader  # late: other pages need none of this
        from snapdiff.formats.old_pages import open_old_page

        self._old_pages = self._old_pages or listing_reader(
            self._limits, lambda file, builds: open_old_page(file, self._limits, builds)
        )
        return self._old_pages(page)

    def _read_usual(self, file: File) -> tuple[PageHead, dict[str, Build]] | None:
        """Return what a page in the usual form says, or None where that takes a YAML reader."""
        page = _usual_page(file)
        if page is None:
            return None
        check_size(file.content, self._limits)
        specs = self._records.read(page.details)
        if specs is None:
            try:
                specs = read_records(_RECORDS.decode(page.details))
            except (msgspec.DecodeError, RecursionError):
                return None
        return page.head, specs

    def _read_any(self, file: File) -> tuple[PageHead, dict[str, Build]] | None:
        """Return what a page of any legal form says, or None if a file is not a page."""
        fields = read_front_matter(file, self._limits)
        if fields is None:
            return None
        if "spec_details" not in fields:
            raise FormatError("spec_details: missing")
        known = {key: fields[key] for key in PageHead.__struct_fields__ if key in fields}
        head = _convert(known, PageHead, "")
        records = _convert(fields["spec_details"], list[Record], "spec_details")
        return head, read_records(records)


def read_front_matter(file: File, limits: Limits) -> dict[str, Any] | None:
    """Return the front matter of a page in any form, or None if a file is not a page.

    A file called `specs.md` is a page, and so is one that is a page on the other side. Any other
    file is one if its front matter says `layout: cache`, however YAML spells it. Without front
    matter it is none. If its front matter cannot be read (cut off, not UTF-8, not YAML, too large),
    the file may have been a page, and is a bad one: no spec is reported removed because a page was
    cut short. Only a whole line that clearly names another layout means that it is not a page.

    Raises FormatError, which names the line.
    """
    is_certain = _is_page_anyway(file)
    if not is_certain and not begins_with_front_matter(file.content):
        return None
    try:
        check_size(file.content, limits)
        if is_certain:
            decode_page(file.content)  # what is no text at all is named as that first
        fields = read_yaml(front_matter_text(file.content), limits)
    except FormatError:
        if is_certain or not _names_other_layout(file.content):
            raise
        return None
    has_keys = isinstance(fields, dict)
    if not is_certain and not (has_keys and fields.get("layout") == LAYOUT):
        return None
    if not has_keys:
        raise FormatError("line 2: front matter holds no keys")
    decode_page(file.content)
    return dict(fields)


def _names_other_layout(content: bytes) -> bool:
    layouts = plain_words(content, "layout")
    return bool(layouts) and LAYOUT not in layouts


def _is_page_anyway(file: File) -> bool:
    return file.is_document or is_called(file.path, PAGE_NAME)


def _is_old_page(content: bytes) -> bool:
    """Return whether a page names files with its specs, and lists none itself."""
    # Newer pages have their key among the first lines; the rest of them is not searched.
    return b"\nspec_details:" not in content and b"\nspec_files:" in content


def _usual_page(file: File) -> UsualPage | None:
    """Return a file as a page in the usual form, or None where that takes a YAML reader."""
    page = usual_page(file.content)
    return page if page and (page.layout == LAYOUT or _is_page_anyway(file)) else None


def _convert(value: Any, kind: Any, key: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise type_error(error, key) from error
